// SPDX-License-Identifier: Apache-2.0

// The network's side of the engine on a clock and a width of its own: between a MAC and toe.
//
//   s_axis_rx (net_clk) --> packet_crossing -------------------------> m_axis_rx (clk)
//   m_axis_tx (net_clk) <-- ( packet_fifo ) <-- packet_crossing <----- s_axis_tx (clk)
//
// OwnClock        1: net_clk and clk are unrelated; 0: they are one
// WholeFrameBeats 0: a frame leaves while it comes, and may pause; else it leaves when all of it is
//                 here, without a pause, as most MACs want it: the beats of NetworkWidth that are
//                 kept, a power of two, room for two of the longest frames at least.
//
// With one clock, one width and no whole frames it is wires.
module network_edge #(
  parameter  int NetworkWidth    = 64,
  parameter  int EngineWidth     = 64,
  parameter  bit OwnClock        = 1'b1,
  parameter  int WholeFrameBeats = 0,
  localparam int NetworkLanes    = NetworkWidth / 8,
  localparam int EngineLanes     = EngineWidth / 8
) (
  input  logic                    net_clk,
  input  logic                    net_rst,
  input  logic                    clk,
  input  logic                    rst,

  // MAC.
  input  logic [NetworkWidth-1:0] s_axis_rx_tdata,
  input  logic [NetworkLanes-1:0] s_axis_rx_tkeep,
  input  logic                    s_axis_rx_tlast,
  input  logic                    s_axis_rx_tuser,
  input  logic                    s_axis_rx_tvalid,
  output logic                    s_axis_rx_tready,
  output logic [NetworkWidth-1:0] m_axis_tx_tdata,
  output logic [NetworkLanes-1:0] m_axis_tx_tkeep,
  output logic                    m_axis_tx_tlast,
  output logic                    m_axis_tx_tvalid,
  input  logic                    m_axis_tx_tready,

  // Engine.
  output logic [ EngineWidth-1:0] m_axis_rx_tdata,
  output logic [ EngineLanes-1:0] m_axis_rx_tkeep,
  output logic                    m_axis_rx_tlast,
  output logic                    m_axis_rx_tuser,
  output logic                    m_axis_rx_tvalid,
  input  logic                    m_axis_rx_tready,
  input  logic [ EngineWidth-1:0] s_axis_tx_tdata,
  input  logic [ EngineLanes-1:0] s_axis_tx_tkeep,
  input  logic                    s_axis_tx_tlast,
  input  logic                    s_axis_tx_tvalid,
  output logic                    s_axis_tx_tready
);

  logic [NetworkWidth-1:0] tx_data;
  logic [NetworkLanes-1:0] tx_keep;
  logic tx_last, tx_valid, tx_ready;

  packet_crossing #(
    .SWidth   (NetworkWidth),
    .MWidth   (EngineWidth),
    .OwnClocks(OwnClock)
  ) receive (
    .s_clk  (net_clk),
    .s_rst  (net_rst),
    .m_clk  (clk),
    .m_rst  (rst),
    .s_data (s_axis_rx_tdata),
    .s_keep (s_axis_rx_tkeep),
    .s_last (s_axis_rx_tlast),
    .s_error(s_axis_rx_tuser),
    .s_side (1'b0),
    .s_valid(s_axis_rx_tvalid),
    .s_ready(s_axis_rx_tready),
    .m_data (m_axis_rx_tdata),
    .m_keep (m_axis_rx_tkeep),
    .m_last (m_axis_rx_tlast),
    .m_error(m_axis_rx_tuser),
    .m_side (),
    .m_valid(m_axis_rx_tvalid),
    .m_ready(m_axis_rx_tready)
  );

  packet_crossing #(
    .SWidth   (EngineWidth),
    .MWidth   (NetworkWidth),
    .OwnClocks(OwnClock)
  ) transmit (
    .s_clk  (clk),
    .s_rst  (rst),
    .m_clk  (net_clk),
    .m_rst  (net_rst),
    .s_data (s_axis_tx_tdata),
    .s_keep (s_axis_tx_tkeep),
    .s_last (s_axis_tx_tlast),
    .s_error(1'b0),
    .s_side (1'b0),
    .s_valid(s_axis_tx_tvalid),
    .s_ready(s_axis_tx_tready),
    .m_data (tx_data),
    .m_keep (tx_keep),
    .m_last (tx_last),
    .m_error(),
    .m_side (),
    .m_valid(tx_valid),
    .m_ready(tx_ready)
  );

  if (WholeFrameBeats != 0) begin : gen_whole_frames
    packet_fifo #(
      .DataWidth(NetworkWidth),
      .Depth    (WholeFrameBeats)
    ) frames (
      .clk       (net_clk),
      .rst       (net_rst),
      .s_data    (tx_data),
      .s_keep    (tx_keep),
      .s_last    (tx_last),
      .s_error   (1'b0),
      .s_valid   (tx_valid),
      .s_ready   (tx_ready),
      .m_data    (m_axis_tx_tdata),
      .m_keep    (m_axis_tx_tkeep),
      .m_last    (m_axis_tx_tlast),
      .m_valid   (m_axis_tx_tvalid),
      .m_ready   (m_axis_tx_tready),
      .packets_o (),
      .dropped_o (),
      .overflow_o()
    );
  end else begin : gen_as_they_come
    assign m_axis_tx_tdata  = tx_data;
    assign m_axis_tx_tkeep  = tx_keep;
    assign m_axis_tx_tlast  = tx_last;
    assign m_axis_tx_tvalid = tx_valid;
    assign tx_ready         = m_axis_tx_tready;
  end

endmodule
