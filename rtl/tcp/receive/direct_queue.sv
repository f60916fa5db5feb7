// SPDX-License-Identifier: Apache-2.0

// The straight way of payload from the receive parser to the application, cut through.
//
//   s (payload of each packet) --> short queue --> gate --> queue --> m
//                                        go, verdict --^
//
// kind_* tells for each packet whether it has payload on s, s_go whether that goes on or is dropped.
// For those that go on a verdict comes later; their last beat waits for it and has m_error if they
// were bad. One that should have had payload and has none becomes a packet of one beat with m_error,
// and so does s_revoke. Lanes of such a beat mean nothing.
//
// Latency    2 clocks from s to m, 1 from s_go and s_verdict.
// Throughput 1 beat a clock. Packets that are dropped do not wait for those that go on.
// Room       room_o: there is room for a packet of MaxBytes more, beside one that is on its way
//            through the gate; nothing that goes on after this waits for m_ready.
// Paths      m_* are registers; s_go, s_verdict and s_revoke reach what they are loaded with.
module direct_queue #(
  parameter  int DataWidth = 64,
  parameter  int MaxBytes  = 1460,  // of a packet that goes on
  parameter  int Bytes     = 4096,  // that wait for the application, at most
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  input  logic                 kind_payload_i,
  input  logic                 kind_valid_i,

  input  logic                 s_go,
  input  logic                 s_go_valid,
  output logic                 s_go_ready,
  input  logic                 s_verdict_good,
  input  logic                 s_verdict_valid,
  input  logic                 s_revoke_valid,
  output logic                 s_revoke_ready,
  output logic                 room_o,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_error,
  output logic                 m_valid,
  input  logic                 m_ready
);

  localparam int MaxBeats = (MaxBytes + Lanes - 1) / Lanes;
  localparam int Depth = Bytes / Lanes;
  localparam int CountWidth = $clog2(Depth + 1);
  localparam int ShortDepth = 64;  // the time that the application may take to answer
  localparam int Decisions = 8;
  localparam int Kinds = 32;

  if (Depth < 2 * MaxBeats + 1) begin : gen_check_depth
    $error("Bytes must hold more than two packets of MaxBytes.");
  end

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  // ---- What waits for the gate -------------------------------------------------------------------

  beat_t beat_in, beat;
  logic beat_valid, beat_taken;
  logic go, go_valid, kind, kind_valid, good, good_valid, packet_done, verdict_taken;
  logic [$clog2(ShortDepth+1)-1:0] unused_beats;
  logic [$clog2(Decisions+1)-1:0] unused_goes;
  logic [$clog2(Kinds+1)-1:0] unused_kinds;
  logic [$clog2(2*Decisions+1)-1:0] unused_verdicts;
  logic unused_kind_ready, unused_verdict_ready;
  logic good_next, good_waiting, verdict_passes, go_next, go_waiting, go_passes;

  assign beat_in = '{error: 1'b0, last: s_last, keep: s_keep, data: s_data};

  stream_fifo #(
    .T       (beat_t),
    .Depth   (ShortDepth),
    .BlockRam(0)
  ) beats (
    .clk,
    .rst,
    .s_data (beat_in),
    .s_valid,
    .s_ready,
    .m_data (beat),
    .m_valid(beat_valid),
    .m_ready(beat_taken),
    .count_o(unused_beats)
  );

  // A packet of one beat may be through in the clock of its decision, which does not queue then.
  assign go        = go_waiting ? go_next : s_go;
  assign go_valid  = go_waiting || s_go_valid;
  assign go_passes = !go_waiting && packet_done;

  stream_fifo #(
    .T       (logic),
    .Depth   (Decisions),
    .BlockRam(0)
  ) goes (
    .clk,
    .rst,
    .s_data (s_go),
    .s_valid(s_go_valid && !go_passes),
    .s_ready(s_go_ready),
    .m_data (go_next),
    .m_valid(go_waiting),
    .m_ready(packet_done),
    .count_o(unused_goes)
  );

  stream_fifo #(
    .T       (logic),
    .Depth   (Kinds),
    .BlockRam(0)
  ) kinds (
    .clk,
    .rst,
    .s_data (kind_payload_i),
    .s_valid(kind_valid_i),
    .s_ready(unused_kind_ready),
    .m_data (kind),
    .m_valid(kind_valid),
    .m_ready(packet_done),
    .count_o(unused_kinds)
  );

  // A verdict that is waited for does not go through its queue.
  assign good           = good_waiting ? good_next : s_verdict_good;
  assign good_valid     = good_waiting || s_verdict_valid;
  assign verdict_passes = !good_waiting && verdict_taken;

  stream_fifo #(
    .T       (logic),
    .Depth   (2 * Decisions),
    .BlockRam(0)
  ) verdicts (
    .clk,
    .rst,
    .s_data (s_verdict_good),
    .s_valid(s_verdict_valid && !verdict_passes),
    .s_ready(unused_verdict_ready),
    .m_data (good_next),
    .m_valid(good_waiting),
    .m_ready(verdict_taken),
    .count_o(unused_verdicts)
  );

  // ---- Gate --------------------------------------------------------------------------------------

  logic inside_q;  // a packet's first beat has gone on, its last has not
  logic known, out_valid, out_ready;
  beat_t out;

  assign known          = go_valid && kind_valid;
  assign s_revoke_ready = !inside_q && out_ready;

  always_comb begin
    out           = beat;
    out.error     = beat.last && !good;
    out_valid     = 1'b0;
    beat_taken    = 1'b0;
    packet_done   = 1'b0;
    verdict_taken = 1'b0;

    if (s_revoke_valid && !inside_q) begin
      out       = '{error: 1'b1, last: 1'b1, keep: Lanes'(1), data: '0};
      out_valid = 1'b1;
    end else if (known && !kind) begin
      out           = '{error: 1'b1, last: 1'b1, keep: Lanes'(1), data: '0};
      out_valid     = go && good_valid;
      packet_done   = !go || (out_valid && out_ready);
      verdict_taken = go && packet_done;
    end else if (known && go) begin
      out_valid     = beat_valid && (!beat.last || good_valid);
      beat_taken    = out_valid && out_ready;
      packet_done   = beat_taken && beat.last;
      verdict_taken = packet_done;
    end else if (known) begin
      beat_taken  = 1'b1;
      packet_done = beat_valid && beat.last;
    end
  end

  always_ff @(posedge clk) begin
    if (known && kind && go && beat_taken) inside_q <= !beat.last;

    if (rst) inside_q <= 1'b0;
  end

  // ---- Queue: past its memory when that is empty -------------------------------------------------

  beat_t stored, m_beat_q;
  logic stored_valid, load, pass;
  logic [CountWidth-1:0] count;
  logic fifo_ready;

  assign load      = m_ready || !m_valid;
  assign pass      = load && count == '0;
  assign out_ready = pass || fifo_ready;

  stream_fifo #(
    .T       (beat_t),
    .Depth   (Depth),
    .BlockRam(1)
  ) queue (
    .clk,
    .rst,
    .s_data (out),
    .s_valid(out_valid && !pass),
    .s_ready(fifo_ready),
    .m_data (stored),
    .m_valid(stored_valid),
    .m_ready(load),
    .count_o(count)
  );

  always_ff @(posedge clk) begin
    if (load) begin
      m_beat_q <= stored_valid ? stored : out;
      m_valid  <= stored_valid || (pass && out_valid);
    end

    if (rst) m_valid <= 1'b0;
  end

  assign m_data  = m_beat_q.data;
  assign m_keep  = m_beat_q.keep;
  assign m_last  = m_beat_q.last;
  assign m_error = m_beat_q.error;

  // ---- Room --------------------------------------------------------------------------------------

  logic [3:0] going_q;  // packets that have been told to go on and have not gone

  always_ff @(posedge clk) begin
    going_q <= going_q + 4'(s_go_valid && s_go_ready && s_go) - 4'(packet_done && go);
    room_o  <= going_q <= 4'd1 && count <= CountWidth'(Depth - 2 * MaxBeats - 1);

    if (rst) begin
      going_q <= '0;
      room_o  <= 1'b0;
    end
  end

endmodule
