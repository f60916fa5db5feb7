// SPDX-License-Identifier: Apache-2.0

// A server on a 10 Gbit/s line, everything on chip: 64 bits at 156.25 MHz, the clock of the MAC, 1,024
// connections. What a board's top joins with its MAC and a register bus; other applications than
// those of toe_server take its place or toe's.
module toe_10g
  import apps_pkg::*;
  import toe_config_pkg::*;
  import line_memory_pkg::*;
#(
  parameter  int          Preset       = int'(PresetLowLatency),  // all state and payload on chip
  localparam int          NetworkWidth = 64,
  localparam int          StateWidth   = 64,
  localparam toe_config_t Config       = preset_config(Preset, NetworkWidth),
  localparam int          AxilWidth    = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic clk,  // of the MAC, 156.25 MHz
  input  logic rst,
  input  logic bus_clk,
  input  logic bus_rst,

  input  logic [HardwareApps-1:0] app_enable_i,

  // MAC, clk.
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
  input  logic                    s_axil_rready
);

  if (Config.StateInDram != 0 || Config.TxRingsInDram != 0 || Config.RxRingsInDram != 0)
  begin : gen_check_preset
    $error("toe_10g has no memory: Preset must keep state and payload on chip.");
  end

  toe_line #(
    .Preset         (Preset),
    .DataWidth      (NetworkWidth),
    .ClockHz        (156_250_000),
    .NetworkWidth   (NetworkWidth),
    .OwnNetworkClock(1'b0),
    .WholeFrameBeats(512),
    .StateWidth     (StateWidth)
  ) line (
    .clk,
    .rst,
    .net_clk(clk),
    .net_rst(rst),
    .bus_clk,
    .bus_rst,
    .app_enable_i,
    .s_axis_rx_tdata,
    .s_axis_rx_tkeep,
    .s_axis_rx_tlast,
    .s_axis_rx_tuser,
    .s_axis_rx_tvalid,
    .s_axis_rx_tready,
    .m_axis_tx_tdata,
    .m_axis_tx_tkeep,
    .m_axis_tx_tlast,
    .m_axis_tx_tvalid,
    .m_axis_tx_tready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .m_axi_state_awid        (),
    .m_axi_state_awaddr      (),
    .m_axi_state_awlen       (),
    .m_axi_state_awsize      (),
    .m_axi_state_awburst     (),
    .m_axi_state_awvalid     (),
    .m_axi_state_awready     ('0),
    .m_axi_state_wdata       (),
    .m_axi_state_wstrb       (),
    .m_axi_state_wlast       (),
    .m_axi_state_wvalid      (),
    .m_axi_state_wready      ('0),
    .m_axi_state_bid         ('0),
    .m_axi_state_bresp       ('0),
    .m_axi_state_bvalid      ('0),
    .m_axi_state_bready      (),
    .m_axi_state_arid        (),
    .m_axi_state_araddr      (),
    .m_axi_state_arlen       (),
    .m_axi_state_arsize      (),
    .m_axi_state_arburst     (),
    .m_axi_state_arvalid     (),
    .m_axi_state_arready     ('0),
    .m_axi_state_rid         ('0),
    .m_axi_state_rdata       ('0),
    .m_axi_state_rresp       ('0),
    .m_axi_state_rlast       ('0),
    .m_axi_state_rvalid      ('0),
    .m_axi_state_rready      (),
    .m_axi_payload_awid      (),
    .m_axi_payload_awaddr    (),
    .m_axi_payload_awlen     (),
    .m_axi_payload_awsize    (),
    .m_axi_payload_awburst   (),
    .m_axi_payload_awvalid   (),
    .m_axi_payload_awready   ('0),
    .m_axi_payload_wdata     (),
    .m_axi_payload_wstrb     (),
    .m_axi_payload_wlast     (),
    .m_axi_payload_wvalid    (),
    .m_axi_payload_wready    ('0),
    .m_axi_payload_bid       ('0),
    .m_axi_payload_bresp     ('0),
    .m_axi_payload_bvalid    ('0),
    .m_axi_payload_bready    (),
    .m_axi_payload_arid      (),
    .m_axi_payload_araddr    (),
    .m_axi_payload_arlen     (),
    .m_axi_payload_arsize    (),
    .m_axi_payload_arburst   (),
    .m_axi_payload_arvalid   (),
    .m_axi_payload_arready   ('0),
    .m_axi_payload_rid       ('0),
    .m_axi_payload_rdata     ('0),
    .m_axi_payload_rresp     ('0),
    .m_axi_payload_rlast     ('0),
    .m_axi_payload_rvalid    ('0),
    .m_axi_payload_rready    ()
  );

endmodule
