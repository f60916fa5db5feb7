// SPDX-License-Identifier: Apache-2.0

// A server on a 100 Gbit/s line with a quarter of a million connections: 512 bits at 250 MHz, a MAC
// of 512 bits at 322.27 MHz, and DRAM for state and payload on clk. What a board's top joins with its
// MAC, its memory controllers and a register bus.
module toe_100g
  import apps_pkg::*;
  import toe_config_pkg::*;
  import line_memory_pkg::*;
#(
  parameter  int          Preset       = int'(PresetScale),  // of preset_e
  parameter  int          StateWidth   = 512,                // bits of m_axi_state, 64 to 512
  localparam int          Width        = 512,
  localparam int          NetworkWidth = 512,
  localparam int          AxilWidth    = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic clk,  // 250 MHz
  input  logic rst,
  input  logic net_clk,  // of the MAC
  input  logic net_rst,
  input  logic bus_clk,
  input  logic bus_rst,

  input  logic [HardwareApps-1:0] app_enable_i,

  // MAC, net_clk.
  input  logic [    NetworkWidth-1:0] s_axis_rx_tdata,
  input  logic [  NetworkWidth/8-1:0] s_axis_rx_tkeep,
  input  logic                        s_axis_rx_tlast,
  input  logic                        s_axis_rx_tuser,
  input  logic                        s_axis_rx_tvalid,
  output logic                        s_axis_rx_tready,
  output logic [    NetworkWidth-1:0] m_axis_tx_tdata,
  output logic [  NetworkWidth/8-1:0] m_axis_tx_tkeep,
  output logic                        m_axis_tx_tlast,
  output logic                        m_axis_tx_tvalid,
  input  logic                        m_axis_tx_tready,

  // Registers, bus_clk.
  input  logic [   AxilWidth-1:0] s_axil_awaddr,
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
  input  logic [   AxilWidth-1:0] s_axil_araddr,
  input  logic [             2:0] s_axil_arprot,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [            31:0] s_axil_rdata,
  output logic [             1:0] s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready,


  // Memory of connection state, and of payload.
  output logic [MemoryIdWidth-1:0] m_axi_state_awid,
  output logic [MemoryAddressWidth-1:0] m_axi_state_awaddr,
  output logic [7:0] m_axi_state_awlen,
  output logic [2:0] m_axi_state_awsize,
  output logic [1:0] m_axi_state_awburst,
  output logic  m_axi_state_awvalid,
  input  logic  m_axi_state_awready,
  output logic [StateWidth-1:0] m_axi_state_wdata,
  output logic [StateWidth/8-1:0] m_axi_state_wstrb,
  output logic  m_axi_state_wlast,
  output logic  m_axi_state_wvalid,
  input  logic  m_axi_state_wready,
  input  logic [MemoryIdWidth-1:0] m_axi_state_bid,
  input  logic [1:0] m_axi_state_bresp,
  input  logic  m_axi_state_bvalid,
  output logic  m_axi_state_bready,
  output logic [MemoryIdWidth-1:0] m_axi_state_arid,
  output logic [MemoryAddressWidth-1:0] m_axi_state_araddr,
  output logic [7:0] m_axi_state_arlen,
  output logic [2:0] m_axi_state_arsize,
  output logic [1:0] m_axi_state_arburst,
  output logic  m_axi_state_arvalid,
  input  logic  m_axi_state_arready,
  input  logic [MemoryIdWidth-1:0] m_axi_state_rid,
  input  logic [StateWidth-1:0] m_axi_state_rdata,
  input  logic [1:0] m_axi_state_rresp,
  input  logic  m_axi_state_rlast,
  input  logic  m_axi_state_rvalid,
  output logic  m_axi_state_rready,
  output logic [MemoryIdWidth-1:0] m_axi_payload_awid,
  output logic [MemoryAddressWidth-1:0] m_axi_payload_awaddr,
  output logic [7:0] m_axi_payload_awlen,
  output logic [2:0] m_axi_payload_awsize,
  output logic [1:0] m_axi_payload_awburst,
  output logic  m_axi_payload_awvalid,
  input  logic  m_axi_payload_awready,
  output logic [Width-1:0] m_axi_payload_wdata,
  output logic [Width/8-1:0] m_axi_payload_wstrb,
  output logic  m_axi_payload_wlast,
  output logic  m_axi_payload_wvalid,
  input  logic  m_axi_payload_wready,
  input  logic [MemoryIdWidth-1:0] m_axi_payload_bid,
  input  logic [1:0] m_axi_payload_bresp,
  input  logic  m_axi_payload_bvalid,
  output logic  m_axi_payload_bready,
  output logic [MemoryIdWidth-1:0] m_axi_payload_arid,
  output logic [MemoryAddressWidth-1:0] m_axi_payload_araddr,
  output logic [7:0] m_axi_payload_arlen,
  output logic [2:0] m_axi_payload_arsize,
  output logic [1:0] m_axi_payload_arburst,
  output logic  m_axi_payload_arvalid,
  input  logic  m_axi_payload_arready,
  input  logic [MemoryIdWidth-1:0] m_axi_payload_rid,
  input  logic [Width-1:0] m_axi_payload_rdata,
  input  logic [1:0] m_axi_payload_rresp,
  input  logic  m_axi_payload_rlast,
  input  logic  m_axi_payload_rvalid,
  output logic  m_axi_payload_rready
);

  toe_line #(
    .Preset         (Preset),
    .DataWidth      (Width),
    .ClockHz        (250_000_000),
    .NetworkWidth   (NetworkWidth),
    .OwnNetworkClock(1'b1),
    .WholeFrameBeats(64),
    .StateWidth     (StateWidth)
  ) line (
    .*
  );

endmodule
