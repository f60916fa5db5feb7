// SPDX-License-Identifier: Apache-2.0

// Keeps an AXI4 memory port quiet, in configurations that do not use it.
module axi_quiet_master #(
  parameter int DataWidth    = 512,
  parameter int AddressWidth = 40,
  parameter int IdWidth      = 6
) (
  output logic [IdWidth-1:0] m_axi_awid,
  output logic [AddressWidth-1:0] m_axi_awaddr,
  output logic [7:0] m_axi_awlen,
  output logic [2:0] m_axi_awsize,
  output logic [1:0] m_axi_awburst,
  output logic  m_axi_awvalid,
  input  logic  m_axi_awready,
  output logic [DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic  m_axi_wlast,
  output logic  m_axi_wvalid,
  input  logic  m_axi_wready,
  input  logic [IdWidth-1:0] m_axi_bid,
  input  logic [1:0] m_axi_bresp,
  input  logic  m_axi_bvalid,
  output logic  m_axi_bready,
  output logic [IdWidth-1:0] m_axi_arid,
  output logic [AddressWidth-1:0] m_axi_araddr,
  output logic [7:0] m_axi_arlen,
  output logic [2:0] m_axi_arsize,
  output logic [1:0] m_axi_arburst,
  output logic  m_axi_arvalid,
  input  logic  m_axi_arready,
  input  logic [IdWidth-1:0] m_axi_rid,
  input  logic [DataWidth-1:0] m_axi_rdata,
  input  logic [1:0] m_axi_rresp,
  input  logic  m_axi_rlast,
  input  logic  m_axi_rvalid,
  output logic  m_axi_rready
);

  assign m_axi_awid = '0;
  assign m_axi_awaddr = '0;
  assign m_axi_awlen = '0;
  assign m_axi_awsize = '0;
  assign m_axi_awburst = '0;
  assign m_axi_awvalid = '0;
  assign m_axi_wdata = '0;
  assign m_axi_wstrb = '0;
  assign m_axi_wlast = '0;
  assign m_axi_wvalid = '0;
  assign m_axi_bready = '0;
  assign m_axi_arid = '0;
  assign m_axi_araddr = '0;
  assign m_axi_arlen = '0;
  assign m_axi_arsize = '0;
  assign m_axi_arburst = '0;
  assign m_axi_arvalid = '0;
  assign m_axi_rready = '0;

  logic unused;
  assign unused = &{
      m_axi_awready, m_axi_wready, m_axi_bid, m_axi_bresp, m_axi_bvalid,
      m_axi_arready, m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast,
      m_axi_rvalid
  };

endmodule
