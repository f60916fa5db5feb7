// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite from the bus's clock to the engine's: each channel crosses by itself.
//
// Latency    there and back, 10 to 12 clocks of the slower side more than without.
module axi_lite_crossing #(
  parameter int AddressWidth = 12
) (
  input  logic                    s_clk,
  input  logic                    s_rst,
  input  logic                    m_clk,
  input  logic                    m_rst,

  input  logic [AddressWidth-1:0] s_axil_awaddr,
  input  logic [             2:0] s_axil_awprot,
  input  logic                    s_axil_awvalid,
  output logic                    s_axil_awready,
  input  logic [            31:0] s_axil_wdata,
  input  logic [             3:0] s_axil_wstrb,
  input  logic                    s_axil_wvalid,
  output logic                    s_axil_wready,
  output logic [             1:0] s_axil_bresp,
  output logic                    s_axil_bvalid,
  input  logic                    s_axil_bready,
  input  logic [AddressWidth-1:0] s_axil_araddr,
  input  logic [             2:0] s_axil_arprot,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [            31:0] s_axil_rdata,
  output logic [             1:0] s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready,

  output logic [AddressWidth-1:0] m_axil_awaddr,
  output logic [             2:0] m_axil_awprot,
  output logic                    m_axil_awvalid,
  input  logic                    m_axil_awready,
  output logic [            31:0] m_axil_wdata,
  output logic [             3:0] m_axil_wstrb,
  output logic                    m_axil_wvalid,
  input  logic                    m_axil_wready,
  input  logic [             1:0] m_axil_bresp,
  input  logic                    m_axil_bvalid,
  output logic                    m_axil_bready,
  output logic [AddressWidth-1:0] m_axil_araddr,
  output logic [             2:0] m_axil_arprot,
  output logic                    m_axil_arvalid,
  input  logic                    m_axil_arready,
  input  logic [            31:0] m_axil_rdata,
  input  logic [             1:0] m_axil_rresp,
  input  logic                    m_axil_rvalid,
  output logic                    m_axil_rready
);

  localparam int Depth = 4;

  stream_async_fifo #(
    .T    (logic [AddressWidth+2:0]),
    .Depth(Depth)
  ) aw_fifo (
    .s_clk,
    .s_rst,
    .s_data ({s_axil_awaddr, s_axil_awprot}),
    .s_valid(s_axil_awvalid),
    .s_ready(s_axil_awready),
    .m_clk,
    .m_rst,
    .m_data ({m_axil_awaddr, m_axil_awprot}),
    .m_valid(m_axil_awvalid),
    .m_ready(m_axil_awready)
  );

  stream_async_fifo #(
    .T    (logic [35:0]),
    .Depth(Depth)
  ) w_fifo (
    .s_clk,
    .s_rst,
    .s_data ({s_axil_wdata, s_axil_wstrb}),
    .s_valid(s_axil_wvalid),
    .s_ready(s_axil_wready),
    .m_clk,
    .m_rst,
    .m_data ({m_axil_wdata, m_axil_wstrb}),
    .m_valid(m_axil_wvalid),
    .m_ready(m_axil_wready)
  );

  stream_async_fifo #(
    .T    (logic [1:0]),
    .Depth(Depth)
  ) b_fifo (
    .s_clk  (m_clk),
    .s_rst  (m_rst),
    .s_data (m_axil_bresp),
    .s_valid(m_axil_bvalid),
    .s_ready(m_axil_bready),
    .m_clk  (s_clk),
    .m_rst  (s_rst),
    .m_data (s_axil_bresp),
    .m_valid(s_axil_bvalid),
    .m_ready(s_axil_bready)
  );

  stream_async_fifo #(
    .T    (logic [AddressWidth+2:0]),
    .Depth(Depth)
  ) ar_fifo (
    .s_clk,
    .s_rst,
    .s_data ({s_axil_araddr, s_axil_arprot}),
    .s_valid(s_axil_arvalid),
    .s_ready(s_axil_arready),
    .m_clk,
    .m_rst,
    .m_data ({m_axil_araddr, m_axil_arprot}),
    .m_valid(m_axil_arvalid),
    .m_ready(m_axil_arready)
  );

  stream_async_fifo #(
    .T    (logic [33:0]),
    .Depth(Depth)
  ) r_fifo (
    .s_clk  (m_clk),
    .s_rst  (m_rst),
    .s_data ({m_axil_rdata, m_axil_rresp}),
    .s_valid(m_axil_rvalid),
    .s_ready(m_axil_rready),
    .m_clk  (s_clk),
    .m_rst  (s_rst),
    .m_data ({s_axil_rdata, s_axil_rresp}),
    .m_valid(s_axil_rvalid),
    .m_ready(s_axil_rready)
  );

endmodule
