// SPDX-License-Identifier: Apache-2.0

// A packet of up to PacketBytes that has been granted, byte by byte.
//
// With CutThrough what comes may turn out bad at its last beat (s_error): then it has not come,
// nothing of it was handed out, and taken_back_o pulses.
//
// Latency    2 clocks from beat to byte; with CutThrough 4 from the last beat.
// Throughput a beat a clock in, as long as one packet at a time comes; a byte a clock out.
module packet_bytes #(
  parameter  int DataWidth   = 64,
  parameter  bit CutThrough  = 1'b0,
  parameter  int PacketBytes = 128,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,
  input  logic                 s_valid,
  output logic                 s_ready,
  output logic                 taken_back_o,

  output logic [          7:0] m_byte,
  output logic                 m_byte_last,
  output logic                 m_byte_valid,
  input  logic                 m_byte_ready
);

  localparam int Beats = PacketBytes / Lanes;

  if (PacketBytes < 2 * Lanes || PacketBytes % Lanes != 0) begin : gen_check_packet
    $error("PacketBytes must be a multiple of the beat, two of them at least.");
  end

  typedef struct packed {
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t beat;
  logic beat_valid, beat_ready, unused_keep;
  logic [$clog2(Beats+1)-1:0] unused_count;

  if (CutThrough) begin : gen_whole_packets
    logic unused_overflow;

    packet_fifo #(
      .DataWidth(DataWidth),
      .Depth    (Beats)
    ) packets (
      .clk,
      .rst,
      .s_data,
      .s_keep,
      .s_last,
      .s_error,
      .s_valid,
      .s_ready,
      .m_data    (beat.data),
      .m_keep    (beat.keep),
      .m_last    (beat.last),
      .m_valid   (beat_valid),
      .m_ready   (beat_ready),
      .packets_o (unused_count),
      .dropped_o (taken_back_o),
      .overflow_o(unused_overflow)
    );
  end else begin : gen_beats
    logic unused_error;
    assign unused_error = s_error;
    assign taken_back_o = 1'b0;

    stream_fifo #(
      .T    (beat_t),
      .Depth(Beats)
    ) beats (
      .clk,
      .rst,
      .s_data ({s_last, s_keep, s_data}),
      .s_valid,
      .s_ready,
      .m_data (beat),
      .m_valid(beat_valid),
      .m_ready(beat_ready),
      .count_o(unused_count)
    );
  end

  stream_narrow #(
    .WideWidth  (DataWidth),
    .NarrowWidth(8)
  ) narrow (
    .clk,
    .rst,
    .s_data (beat.data),
    .s_keep (beat.keep),
    .s_last (beat.last),
    .s_valid(beat_valid),
    .s_ready(beat_ready),
    .m_data (m_byte),
    .m_keep (unused_keep),
    .m_last (m_byte_last),
    .m_valid(m_byte_valid),
    .m_ready(m_byte_ready)
  );

endmodule
