// SPDX-License-Identifier: Apache-2.0

// Makes one event of segments that follow each other on one connection while the first one waits for
// the pipeline, which takes events of one connection several clocks apart. To the connection it is as
// if the peer had sent one larger segment.
//
// A segment joins the one before it if both have payload and no flags but ACK and PSH, its first byte
// is next, it says the same of acknowledgement, window and time stamps, and both together are not
// larger than MaxBytes, a segment of full size: so acknowledgements are no rarer than they are of
// those. An event has MaxPieces segments at most, which write_splitter must have room for.
//
// m_piece_* tells write_splitter of each segment with payload, in order, how long it is, and whether it
// is the last one of its event.
//
// Latency    0 clocks.
// Throughput one segment a clock.
// Paths      s_* reach m_* by a choice of two; s_ready follows s_*, m_ready and m_piece_ready.
//
// While m_valid waits, a segment may still join: then m_event changes.
module segment_merge
  import net_headers_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int MaxBytes    = 1460,
  parameter  int MaxPieces   = 16,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  tcp_event_t         s_event,
  input  logic [IdWidth-1:0] s_id,
  input  logic               s_valid,
  output logic               s_ready,

  output tcp_event_t         m_event,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  output logic [       15:0] m_piece_length,
  output logic               m_piece_last,
  output logic               m_piece_valid,
  input  logic               m_piece_ready
);

  typedef struct packed {
    logic [IdWidth-1:0] id;
    tcp_event_t         ev;
  } entry_t;

  // What waits, and how long the last of its segments is.
  entry_t held_q, offered;
  logic held_valid_q;
  logic [15:0] held_piece_q;
  logic [$clog2(MaxPieces+1)-1:0] pieces_q;
  logic [16:0] together;
  logic fits, taken, joins;

  // Of an event few fields matter.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic is_plain(input tcp_event_t ev);
    tcp_flags_t other = ev.segment.flags;
    other.ack = 1'b0;
    other.psh = 1'b0;
    return ev.kind == EvSegment && ev.lookup == LookupHit && ev.segment.flags.ack && other == '0
        && ev.segment.payload_length != '0;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  assign together = 17'(held_q.ev.segment.payload_length) + 17'(s_event.segment.payload_length);
  assign fits = is_plain(held_q.ev) && is_plain(s_event) && s_id == held_q.id
      && s_event.segment.seq == held_q.ev.segment_end
      && s_event.segment.ack == held_q.ev.segment.ack
      && s_event.segment.window == held_q.ev.segment.window
      && s_event.segment.options == held_q.ev.segment.options && together <= 17'(MaxBytes)
      && 32'(pieces_q) < MaxPieces;

  assign offered = held_valid_q ? held_q : '{id: s_id, ev: s_event};
  assign m_id    = offered.id;
  assign m_event = offered.ev;
  assign m_valid = (held_valid_q || s_valid) && m_piece_ready;
  assign taken   = m_valid && m_ready;
  assign joins   = held_valid_q && s_valid && fits && m_piece_ready && !taken;
  assign s_ready = !held_valid_q || taken || joins;

  // The last piece of what leaves, or the one before the piece that joins.
  assign m_piece_length = held_valid_q ? held_piece_q : s_event.segment.payload_length;
  assign m_piece_last   = taken;
  assign m_piece_valid  = (taken && offered.ev.kind == EvSegment
                           && offered.ev.segment.payload_length != '0) || joins;

  always_ff @(posedge clk) begin
    if (joins) begin
      held_q.ev.segment.payload_length <= together[15:0];
      held_q.ev.segment.flags.psh <= held_q.ev.segment.flags.psh || s_event.segment.flags.psh;
      held_q.ev.segment_end <= s_event.segment_end;
    end else if (s_valid && s_ready) begin
      held_q <= '{id: s_id, ev: s_event};
    end
    if (s_valid && s_ready) begin
      held_piece_q <= s_event.segment.payload_length;
      pieces_q     <= joins ? pieces_q + 1'b1 : ($bits(pieces_q))'(1);
    end

    // With nothing held what is taken is what comes.
    if (held_valid_q ? taken : s_valid) held_valid_q <= held_valid_q ? s_valid : !taken;

    if (rst) held_valid_q <= 1'b0;
  end

endmodule
