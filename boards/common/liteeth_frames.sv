// SPDX-License-Identifier: Apache-2.0

// Between LiteEth's MAC and the engine: streams of frames, of one clock and one width.
//
//   s_mac (MAC's source) --> frames that fit, whole --> m_rx
//   m_mac (MAC's sink)   <-- as they come ------------- s_tx
//
// LiteEth names the last byte of a frame by a bit of last_be, and marks bytes that are bad: of a
// frame with a bad FCS those of its last beat. Bits of bytes behind the last one mean nothing.
//
// Latency    rx: 3 clocks from the last beat in to the first one out, of an empty FIFO; tx: none.
// Throughput 1 beat a clock each way.
//
// The MAC's source cannot wait, so s_mac_ready is always 1: a frame that finds no room in Depth beats
// is lost as a whole, one with a bad FCS is not stored, and rx_bad_o or rx_lost_o pulses. The MAC's
// sink cannot pause within a frame: whoever sends does not either (network_edge, WholeFrameBeats).
module liteeth_frames #(
  parameter  int DataWidth = 64,
  parameter  int Depth     = 512,           // beats, a power of two
  localparam int Lanes     = DataWidth / 8
) (
  input  logic clk,
  input  logic rst,

  // LiteEth, eth_phy_description.
  input  logic [DataWidth-1:0] s_mac_data,
  input  logic [    Lanes-1:0] s_mac_last_be,
  input  logic [    Lanes-1:0] s_mac_error,
  input  logic                 s_mac_last,
  input  logic                 s_mac_valid,
  output logic                 s_mac_ready,
  output logic [DataWidth-1:0] m_mac_data,
  output logic [    Lanes-1:0] m_mac_last_be,
  output logic [    Lanes-1:0] m_mac_error,
  output logic                 m_mac_last,
  output logic                 m_mac_valid,
  input  logic                 m_mac_ready,

  output logic [DataWidth-1:0] m_rx_data,
  output logic [    Lanes-1:0] m_rx_keep,
  output logic                 m_rx_last,
  output logic                 m_rx_valid,
  input  logic                 m_rx_ready,
  input  logic [DataWidth-1:0] s_tx_data,
  input  logic [    Lanes-1:0] s_tx_keep,
  input  logic                 s_tx_last,
  input  logic                 s_tx_valid,
  output logic                 s_tx_ready,

  output logic rx_bad_o,
  output logic rx_lost_o
);

  // The last byte and all before it.
  logic [Lanes-1:0] keep;
  assign keep = s_mac_last ? s_mac_last_be | (s_mac_last_be - 1'b1) : '1;

  packet_fifo #(
    .DataWidth   (DataWidth),
    .Depth       (Depth),
    .DropWhenFull(1'b1)
  ) fifo (
    .clk,
    .rst,
    .s_data    (s_mac_data),
    .s_keep    (keep),
    .s_last    (s_mac_last),
    .s_error   (|(s_mac_error & keep)),
    .s_valid   (s_mac_valid),
    .s_ready   (s_mac_ready),
    .m_data    (m_rx_data),
    .m_keep    (m_rx_keep),
    .m_last    (m_rx_last),
    .m_valid   (m_rx_valid),
    .m_ready   (m_rx_ready),
    .packets_o (),
    .dropped_o (rx_bad_o),
    .overflow_o(rx_lost_o)
  );

  assign m_mac_data = s_tx_data;
  assign m_mac_last_be = s_tx_last ? s_tx_keep & ~(s_tx_keep >> 1) : '0;
  assign m_mac_error = '0;
  assign m_mac_last = s_tx_last;
  assign m_mac_valid = s_tx_valid;
  assign s_tx_ready = m_mac_ready;

endmodule
