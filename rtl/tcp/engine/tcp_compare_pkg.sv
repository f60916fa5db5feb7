// SPDX-License-Identifier: Apache-2.0

// First step of a decision: every wide subtraction and comparison that the later steps need.
// Nothing here depends on the state of the connection or on the kind of the event, so all of it
// runs side by side and is one carry chain deep (edge_growth and rtt_error: two).
package tcp_compare_pkg;

  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  function automatic tcp_differences_t tcp_compare(
      input connection_t connection, input tcp_event_t ev, input tcp_limits_t limits);
    tcp_differences_t d;
    seq_t seq = ev.segment.seq;
    seq_t ack = ev.segment.ack;

    d.nxt_minus_seq  = connection.rcv_nxt - seq;
    d.seq_is_nxt     = connection.rcv_nxt == seq;
    d.end_minus_nxt  = ev.segment_end - connection.rcv_nxt;
    d.end_is_nxt     = ev.segment_end == connection.rcv_nxt;
    d.edge_minus_seq = connection.rcv_edge - seq;
    d.edge_is_seq    = connection.rcv_edge == seq;
    d.edge_minus_end = connection.rcv_edge - ev.segment_end;
    d.edge_minus_nxt = connection.rcv_edge - connection.rcv_nxt;

    d.ack_minus_una  = ack - connection.snd_una;
    d.ack_is_una     = ack == connection.snd_una;
    d.max_minus_ack  = connection.snd_max - ack;
    d.ack_is_max     = ack == connection.snd_max;
    d.una_is_max     = connection.snd_una == connection.snd_max;
    d.ack_reaches_recover = seq_le(connection.recover, ack);
    d.una_reaches_recover = seq_le(connection.recover, connection.snd_una);
    d.ack_passes_rtt_seq  = seq_lt(connection.rtt_seq, ack);
    d.window_is_newer = seq_lt(connection.snd_wl1, seq)
        || (connection.snd_wl1 == seq && seq_le(connection.snd_wl2, ack));
    d.window_is_same = connection.snd_limit == ev.window_end;

    d.snd_end_minus_nxt = connection.snd_end - connection.snd_nxt;
    d.snd_end_minus_una = connection.snd_end - connection.snd_una;
    d.snd_end_minus_ack = connection.snd_end - ack;
    d.limit_minus_nxt   = connection.snd_limit - connection.snd_nxt;
    d.limit_minus_ack   = connection.snd_limit - ack;
    d.new_limit_minus_nxt = ev.window_end - connection.snd_nxt;
    d.nxt_minus_una = connection.snd_nxt - connection.snd_una;
    d.nxt_minus_ack = connection.snd_nxt - ack;
    d.max_minus_nxt = connection.snd_max - connection.snd_nxt;
    d.max_minus_una = connection.snd_max - connection.snd_una;

    // One chain: the FIN, counted in rcv_nxt, is the borrow.
    d.unread = connection.rcv_nxt + ~connection.rcv_read + 32'(!connection.fin_received);
    d.edge_growth = connection.rcv_read - connection.rcv_edge
        + (ev.kind == EvDelivered ? 32'(limits.rx_window) + 32'(ev.length)
                                  : 32'(limits.rx_window));
    d.unacked = connection.snd_end - connection.snd_una;

    d.deadline_minus_now = connection.deadline - ev.now_us;
    d.rtt_sample = ev.now_us - connection.rtt_start;
    d.rtt_error = ev.now_us - connection.rtt_start - 32'(connection.srtt);
    d.rto = 32'(connection.srtt) + {6'b0, connection.rttvar, 2'b0};
    d.generation_is_same = ev.session_in_range && connection.generation == ev.generation;
    return d;
  endfunction

endpackage
