// SPDX-License-Identifier: Apache-2.0

// Which segments may go straight to the application: asked of a segment's header before its last
// byte has come, so of the state as it was committed, and changing nothing.
//
// Such a segment is the plain case of "SEGMENT ARRIVES": data that is next in order, in the window,
// with an acknowledgement and a time stamp that count, on a connection whose application has taken
// everything before. Whatever else comes takes the way through the ring. tcp_segment_arrives takes
// a segment that went straight without asking again.
package tcp_peek_pkg;

  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;

  // What of a connection's state the peek needs.
  typedef struct packed {
    logic                       open;      // data may go straight
    logic [GenerationWidth-1:0] generation;
    app_id_t                    app;
    seq_t                       rcv_nxt;
    seq_t                       rcv_edge;
    seq_t                       snd_una;
    seq_t                       snd_max;
    logic                       ts_ok;
    logic [31:0]                ts_recent;
  } peek_entry_t;

  // A header, as far as it has been read.
  typedef struct packed {
    logic        readable;        // the tuple is right: no IP options
    logic        plain;           // of flags only ACK and PSH, options none or time stamps alone
    tuple_t      tuple;
    seq_t        seq;
    seq_t        ack;
    logic        has_timestamps;
    logic [31:0] ts_value;
    logic [15:0] length;          // of the payload, as the header says
  } peeked_t;

  function automatic peek_entry_t peek_entry(input connection_t connection);
    peek_entry_t e;
    logic takes_text = connection.state == TcpEstablished || connection.state == TcpFinWait1
        || connection.state == TcpFinWait2;
    e.open = takes_text && !connection.discarded && !connection.delivering
        && !connection.report_accepted && !connection.fin_received && !connection.stored[0].valid
        && connection.rcv_read == connection.rcv_nxt;
    e.generation = connection.generation;
    e.app = connection.app;
    e.rcv_nxt = connection.rcv_nxt;
    e.rcv_edge = connection.rcv_edge;
    e.snd_una = connection.snd_una;
    e.snd_max = connection.snd_max;
    e.ts_ok = connection.ts_ok;
    e.ts_recent = connection.ts_recent;
    return e;
  endfunction

  // next is rcv_nxt as it will be when the segments before this one are committed.
  function automatic logic tcp_peek(input peek_entry_t entry, input peeked_t peeked,
                                    input seq_t next);
    logic [31:0] room = entry.rcv_edge - peeked.seq;
    logic ack_counts = seq_le(entry.snd_una, peeked.ack) && seq_le(peeked.ack, entry.snd_max);
    logic stamp_counts = entry.ts_ok
        ? peeked.has_timestamps && seq_le(entry.ts_recent, peeked.ts_value)
        : !peeked.has_timestamps;
    return entry.open && peeked.readable && peeked.plain && peeked.length != '0
        && peeked.seq == next && !room[31] && room[30:0] >= 31'(peeked.length) && ack_counts
        && stamp_counts;
  endfunction

endpackage
