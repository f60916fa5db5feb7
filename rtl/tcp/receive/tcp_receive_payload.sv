// SPDX-License-Identifier: Apache-2.0

// The payload's way through the receive parser: to lane 0, and into a FIFO that lets a packet out
// when a verdict has found it good.
//
// Latency    6 clocks below 256 bits, 8 from 256 bits on, from the last beat in to the first beat
//            out, one more where a packet needs a beat more than it came with; its verdict in time.
// Throughput 1 beat a clock, as long as each verdict follows its packet within 5 clocks.
// Paths      s_ready is a register (with Tap: a function of registers), all other outputs are functions of registers.
//
// A packet begins with s_skip bytes (fewer than Lanes, and fewer than it has) that are dropped. Its
// verdict comes in order, and may come before or after its last beat: s_verdict_drop takes the packet
// back.
//
// With Tap m_tap_* shows the packets as they are aligned, 2 clocks behind the input (3 from 256 bits
// on), good ones and bad; nothing goes on that the tap does not take.
module tcp_receive_payload #(
  parameter  int DataWidth = 64,
  parameter  int FifoBeats = 512,
  parameter  bit Tap       = 1'b0,
  localparam int Lanes     = DataWidth / 8,
  localparam int LaneBits  = $clog2(Lanes)
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [ LaneBits-1:0] s_skip,
  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  input  logic                 s_verdict_drop,
  input  logic                 s_verdict_valid,
  output logic                 s_verdict_ready,

  output logic [DataWidth-1:0] m_tap_data,
  output logic [    Lanes-1:0] m_tap_keep,
  output logic                 m_tap_last,
  output logic                 m_tap_valid,
  input  logic                 m_tap_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready
);

  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t aligned, delayed;
  logic aligned_valid, aligned_ready, delayed_valid, delayed_ready;

  typedef struct packed {
    logic [LaneBits-1:0] skip;
    beat_t               beat;
  } input_t;

  input_t incoming, entered;
  logic entered_valid, entered_ready;

  assign incoming = '{skip: s_skip, beat: '{last: s_last, keep: s_keep, data: s_data}};

  // A clock that whoever looks on has no time for.
  if (Tap) begin : gen_no_input_register
    assign entered       = incoming;
    assign entered_valid = s_valid;
    assign s_ready       = entered_ready;
  end else begin : gen_input_register
    stream_register #(
      .T(input_t)
    ) input_register (
      .clk,
      .rst,
      .s_data (incoming),
      .s_valid,
      .s_ready,
      .m_data (entered),
      .m_valid(entered_valid),
      .m_ready(entered_ready)
    );
  end

  stream_realign #(
    .DataWidth(DataWidth)
  ) realign (
    .clk,
    .rst,
    .s_skip (entered.skip),
    .s_lead ('0),
    .s_data (entered.beat.data),
    .s_keep (entered.beat.keep),
    .s_last (entered.beat.last),
    .s_valid(entered_valid),
    .s_ready(entered_ready),
    .m_data (aligned.data),
    .m_keep (aligned.keep),
    .m_last (aligned.last),
    .m_valid(aligned_valid),
    .m_ready(aligned_ready)
  );

  // Either takes a beat when both do.
  logic main_valid, main_ready, tap_ready;

  assign tap_ready     = !Tap || m_tap_ready;
  assign main_valid    = aligned_valid && tap_ready;
  assign aligned_ready = main_ready && tap_ready;
  assign m_tap_data    = aligned.data;
  assign m_tap_keep    = aligned.keep;
  assign m_tap_last    = aligned.last;
  assign m_tap_valid   = Tap && aligned_valid && main_ready;

  // A wide checksum takes longer than a wide realigner, so the beats behind a packet's last need room
  // while that waits for its verdict. Whoever looks on does not wait for it at all.
  if (DataWidth >= 256 || Tap) begin : gen_slack
    localparam int SlackBeats = 4;

    logic [$clog2(SlackBeats+1)-1:0] unused_slack_count;

    stream_fifo #(
      .T       (beat_t),
      .Depth   (SlackBeats),
      .BlockRam(0)
    ) slack (
      .clk,
      .rst,
      .s_data (aligned),
      .s_valid(main_valid),
      .s_ready(main_ready),
      .m_data (delayed),
      .m_valid(delayed_valid),
      .m_ready(delayed_ready),
      .count_o(unused_slack_count)
    );
  end else begin : gen_no_slack
    assign delayed       = aligned;
    assign delayed_valid = main_valid;
    assign main_ready    = delayed_ready;
  end

  localparam int VerdictDepth = 4;

  logic verdict_drop, verdict_valid, verdict_taken;
  logic [$clog2(VerdictDepth+1)-1:0] unused_verdict_count;

  stream_fifo #(
    .T       (logic),
    .Depth   (VerdictDepth),
    .BlockRam(0)
  ) verdict_queue (
    .clk,
    .rst,
    .s_data (s_verdict_drop),
    .s_valid(s_verdict_valid),
    .s_ready(s_verdict_ready),
    .m_data (verdict_drop),
    .m_valid(verdict_valid),
    .m_ready(verdict_taken),
    .count_o(unused_verdict_count)
  );

  // The last beat goes into the FIFO with its verdict.
  logic fifo_valid, fifo_ready;
  logic [$clog2(FifoBeats+1)-1:0] unused_packets;
  logic unused_dropped, unused_overflow;

  assign fifo_valid    = delayed_valid && (!delayed.last || verdict_valid);
  assign delayed_ready = fifo_ready && (!delayed.last || verdict_valid);
  assign verdict_taken = fifo_valid && fifo_ready && delayed.last;

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (FifoBeats)
  ) fifo (
    .clk,
    .rst,
    .s_data    (delayed.data),
    .s_keep    (delayed.keep),
    .s_last    (delayed.last),
    .s_error   (verdict_drop),
    .s_valid   (fifo_valid),
    .s_ready   (fifo_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready,
    .packets_o (unused_packets),
    .dropped_o (unused_dropped),
    .overflow_o(unused_overflow)
  );

endmodule
