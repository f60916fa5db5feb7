// SPDX-License-Identifier: Apache-2.0

// A server on the gigabit port of an ECPIX-5: everything on the FPGA, registers at the serial port.
//
//   RGMII  <-> +-----------+ <-> liteeth_frames <-> +----------+
//   serial <-> | ecpix5_io | <-> AXI4-Lite <------> | toe_line |
//   clk100 --> +-----------+ --> clk, rst           +----------+
//
// ecpix5_io is LiteX's and LiteEth's: clock, MAC and PHY, and a bridge from the serial port
// (ecpix5_io.py writes it). LEDs: a heartbeat of about a second, frames that come, frames that go.
//
// Not run on hardware yet.
module ecpix5
  import apps_pkg::*;
  import toe_config_pkg::*;
#(
  parameter  int Preset  = int'(PresetTiny),  // of preset_e
  parameter  int ClockHz = 40_000_000,        // that ecpix5_io makes
  localparam int Width   = 64,
  localparam int Lanes   = Width / 8
) (
  input  logic       clk100_i,
  input  logic       rst_ni,

  input  logic       serial_rx_i,
  output logic       serial_tx_o,
  output logic [2:0] led_o,

  output logic       eth_rst_no,
  output logic       eth_tx_clk_o,
  output logic       eth_tx_ctl_o,
  output logic [3:0] eth_tx_data_o,
  input  logic       eth_rx_clk_i,
  input  logic       eth_rx_ctl_i,
  input  logic [3:0] eth_rx_data_i
);

  localparam int AxilWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH;

  logic clk, rst;

  logic [Width-1:0] mac_rx_data, mac_tx_data, rx_tdata, tx_tdata;
  logic [Lanes-1:0] mac_rx_last_be, mac_rx_error, mac_tx_last_be, mac_tx_error, rx_tkeep, tx_tkeep;
  logic mac_rx_last, mac_rx_valid, mac_rx_ready, mac_tx_last, mac_tx_valid, mac_tx_ready;
  logic rx_tlast, rx_tvalid, rx_tready, tx_tlast, tx_tvalid, tx_tready;

  // The bridge has addresses of 32 bits; the registers come around in them.
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] awaddr, araddr;
  // verilator lint_on UNUSEDSIGNAL
  logic [31:0] wdata, rdata;
  logic [3:0] wstrb;
  logic [1:0] bresp, rresp;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;

  ecpix5_io io (
    .clk100       (clk100_i),
    .rst_n        (rst_ni),
    .clk,
    .rst,
    .serial_rx    (serial_rx_i),
    .serial_tx    (serial_tx_o),
    .eth_rst_n    (eth_rst_no),
    .eth_clocks_tx(eth_tx_clk_o),
    .eth_tx_ctl   (eth_tx_ctl_o),
    .eth_tx_data  (eth_tx_data_o),
    .eth_clocks_rx(eth_rx_clk_i),
    .eth_rx_ctl   (eth_rx_ctl_i),
    .eth_rx_data  (eth_rx_data_i),
    .rx_data      (mac_rx_data),
    .rx_last_be   (mac_rx_last_be),
    .rx_error     (mac_rx_error),
    .rx_last      (mac_rx_last),
    .rx_valid     (mac_rx_valid),
    .rx_ready     (mac_rx_ready),
    .tx_data      (mac_tx_data),
    .tx_last_be   (mac_tx_last_be),
    .tx_error     (mac_tx_error),
    .tx_last      (mac_tx_last),
    .tx_valid     (mac_tx_valid),
    .tx_ready     (mac_tx_ready),
    .axil_awaddr  (awaddr),
    .axil_awvalid (awvalid),
    .axil_awready (awready),
    .axil_wdata   (wdata),
    .axil_wstrb   (wstrb),
    .axil_wvalid  (wvalid),
    .axil_wready  (wready),
    .axil_bresp   (bresp),
    .axil_bvalid  (bvalid),
    .axil_bready  (bready),
    .axil_araddr  (araddr),
    .axil_arvalid (arvalid),
    .axil_arready (arready),
    .axil_rdata   (rdata),
    .axil_rresp   (rresp),
    .axil_rvalid  (rvalid),
    .axil_rready  (rready)
  );

  liteeth_frames #(
    .DataWidth(Width)
  ) frames (
    .clk,
    .rst,
    .s_mac_data      (mac_rx_data),
    .s_mac_last_be   (mac_rx_last_be),
    .s_mac_error     (mac_rx_error),
    .s_mac_last      (mac_rx_last),
    .s_mac_valid     (mac_rx_valid),
    .s_mac_ready     (mac_rx_ready),
    .m_mac_data      (mac_tx_data),
    .m_mac_last_be   (mac_tx_last_be),
    .m_mac_error     (mac_tx_error),
    .m_mac_last      (mac_tx_last),
    .m_mac_valid     (mac_tx_valid),
    .m_mac_ready     (mac_tx_ready),
    .m_rx_data (rx_tdata),
    .m_rx_keep (rx_tkeep),
    .m_rx_last (rx_tlast),
    .m_rx_valid(rx_tvalid),
    .m_rx_ready(rx_tready),
    .s_tx_data (tx_tdata),
    .s_tx_keep (tx_tkeep),
    .s_tx_last (tx_tlast),
    .s_tx_valid(tx_tvalid),
    .s_tx_ready(tx_tready),
    .rx_bad_o        (),
    .rx_lost_o       ()
  );

  // A frame has to leave without a pause: the MAC sends a gigabit, and so does the engine at 16 MHz
  // and above.
  toe_line #(
    .Preset         (Preset),
    .DataWidth      (Width),
    .ClockHz        (ClockHz),
    .NetworkWidth   (Width),
    .OwnNetworkClock(1'b0),
    .WholeFrameBeats(512),
    .StateWidth     (64),
    .Keys           (0)
  ) line (
    .clk,
    .rst,
    .net_clk                 (clk),
    .net_rst                 (rst),
    .bus_clk                 (clk),
    .bus_rst                 (rst),
    .app_enable_i            ('1),
    .s_axis_rx_tdata         (rx_tdata),
    .s_axis_rx_tkeep         (rx_tkeep),
    .s_axis_rx_tlast         (rx_tlast),
    .s_axis_rx_tuser         (1'b0),
    .s_axis_rx_tvalid        (rx_tvalid),
    .s_axis_rx_tready        (rx_tready),
    .m_axis_tx_tdata         (tx_tdata),
    .m_axis_tx_tkeep         (tx_tkeep),
    .m_axis_tx_tlast         (tx_tlast),
    .m_axis_tx_tvalid        (tx_tvalid),
    .m_axis_tx_tready        (tx_tready),
    .s_axil_awaddr           (awaddr[AxilWidth-1:0]),
    .s_axil_awprot           ('0),
    .s_axil_awvalid          (awvalid),
    .s_axil_awready          (awready),
    .s_axil_wdata            (wdata),
    .s_axil_wstrb            (wstrb),
    .s_axil_wvalid           (wvalid),
    .s_axil_wready           (wready),
    .s_axil_bresp            (bresp),
    .s_axil_bvalid           (bvalid),
    .s_axil_bready           (bready),
    .s_axil_araddr           (araddr[AxilWidth-1:0]),
    .s_axil_arprot           ('0),
    .s_axil_arvalid          (arvalid),
    .s_axil_arready          (arready),
    .s_axil_rdata            (rdata),
    .s_axil_rresp            (rresp),
    .s_axil_rvalid           (rvalid),
    .s_axil_rready           (rready),
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

  // The clock's bit that changes about once a second, and a twentieth of a second for each frame.
  localparam int BeatBits = $clog2(ClockHz);
  localparam int GlowClocks = ClockHz / 20;
  localparam int GlowWidth = $clog2(GlowClocks + 1);
  logic [BeatBits-1:0] beat;
  logic [GlowWidth-1:0] rx_glow, tx_glow;
  always_ff @(posedge clk) begin
    if (rst) begin
      beat    <= '0;
      rx_glow <= '0;
      tx_glow <= '0;
    end else begin
      beat <= beat + 1'b1;
      if (rx_tvalid) rx_glow <= GlowWidth'(GlowClocks);
      else if (rx_glow != 0) rx_glow <= rx_glow - 1'b1;
      if (tx_tvalid) tx_glow <= GlowWidth'(GlowClocks);
      else if (tx_glow != 0) tx_glow <= tx_glow - 1'b1;
    end
  end
  assign led_o = {tx_glow != 0, rx_glow != 0, beat[BeatBits-1]};

endmodule
