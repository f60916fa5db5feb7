// SPDX-License-Identifier: Apache-2.0

// The receiving half of the buffer: frames wait here for the connection manager and their
// application. A frame for which there is no room is dropped whole and counted; the input cannot
// wait.
//
// Latency    3 clocks from the end of a frame to its data and to its header.
// Throughput 1 beat a clock on both sides.
// Paths      as packet_fifo and stream_fifo.
//
// BufferBytes of data, in whole beats, and Frames headers. A header leaves once its data is there.
module raw_link_receive_buffer
  import raw_link_pkg::*;
#(
  parameter  int DataWidth   = 32,
  parameter  int BufferBytes = 16384,
  parameter  int Frames      = 256,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  input  frame_t               s_frame,
  input  logic                 s_error,
  input  logic                 s_end,

  output frame_t               m_frame,
  output logic                 m_frame_valid,
  input  logic                 m_frame_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready,

  output logic                 count_drop_overflow_o
);

  localparam int Depth = BufferBytes / Lanes;
  localparam int CountWidth = $clog2(Frames + 1);

  logic [CountWidth-1:0] frames;
  logic crowded;  // no room for a header, those counted that are on their way into the FIFO
  logic end_q, bad_q, crowded_q;
  frame_t frame_q;
  logic dropped, overflow, lost, unused_data_ready, unused_frame_ready;
  logic [$clog2(Depth+1)-1:0] unused_packets;

  assign crowded = frames >= CountWidth'(Frames - 2);

  packet_fifo #(
    .DataWidth   (DataWidth),
    .Depth       (Depth),
    .DropWhenFull(1'b1)
  ) data_fifo (
    .clk,
    .rst,
    .s_data,
    .s_keep,
    .s_last,
    .s_error   (s_error || crowded),
    .s_valid,
    .s_ready   (unused_data_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready,
    .packets_o (unused_packets),
    .dropped_o (dropped),
    .overflow_o(overflow)
  );

  // What has become of the data is known a clock later. dropped comes for what is bad or crowded.
  assign lost                  = crowded_q || overflow;
  assign count_drop_overflow_o = end_q && !bad_q && lost;

  always_ff @(posedge clk) begin
    end_q     <= s_end;
    bad_q     <= s_error;
    crowded_q <= crowded;
    frame_q   <= s_frame;
    if (rst) end_q <= 1'b0;
  end

  stream_fifo #(
    .T       (frame_t),
    .Depth   (Frames),
    .BlockRam(1)
  ) frame_fifo (
    .clk,
    .rst,
    .s_data (frame_q),
    .s_valid(end_q && !bad_q && !lost && !dropped),
    .s_ready(unused_frame_ready),
    .m_data (m_frame),
    .m_valid(m_frame_valid),
    .m_ready(m_frame_ready),
    .count_o(frames)
  );

endmodule
