// SPDX-License-Identifier: Apache-2.0

// TIMEOUTS (RFC 9293 section 3.10.8): retransmission, zero-window probe, TIME_WAIT, keepalive, user
// timeout, and the acknowledgement that has waited long enough.
//
// When ids are short (EvRecycle), TIME_WAIT ends early, and of half-open connections that peers began
// the oldest goes (see connection_recycler).
//
// A timer entry that comes up is only a hint: the deadline in the connection says whether anything
// is due.
package tcp_timeout_pkg;

  import app_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_receive_pages_pkg::takes_text;
  import tcp_user_call_pkg::is_sending;

  // R1 of RFC 9293 section 3.8.3: after so many retransmissions the application hears of it.
  localparam logic [3:0] NoticeRetriesAfter = 4'd3;

  function automatic tcp_verdict_t tcp_timeout(input connection_t connection, input tcp_event_t ev,
                                               input tcp_differences_t d);
    tcp_verdict_t v;
    logic due = d.checks.due;
    logic opening = d.opening;
    logic keepalive = HasKeepalive && connection.timer == TimerKeepalive;
    // While pages are short there is nothing to tell of a window that waits for them alone.
    logic ack_due = ev.kind == EvTimer && connection.ack_pending
        && d.checks.ack_deadline_passed && !(ev.pages_short && d.all_acked
                                                     && !connection.fin_received
                                                     && takes_text(connection.state));
    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;

    if (due && connection.timer == TimerWait) begin
      v.state = TcpClosed;
      v.remove = 1'b1;
      if (connection.state == TcpTimeWait) begin
        v.release_id = connection.final_reported;
      end else begin
        // FIN_WAIT_2: the peer acknowledged our FIN and was never heard again.
        v.report_final = FinalTimedOut;
        v.discard = 1'b1;
        v.counts.timed_out = 1'b1;
      end
    end else if (due && connection.timer == TimerReorder) begin
      v.fast_retransmit = 1'b1;
      v.counts.fast_retransmits = 1'b1;
      v.may_send = is_sending(connection.state);
    end else if (due && keepalive && d.checks.idle_is_short) begin
      v.keepalive_tick = 1'b1;
    end else if (due && (d.checks.hopeless || ev.kind == EvRecycle)) begin
      v.state = TcpClosed;
      v.remove = 1'b1;
      v.discard = 1'b1;
      v.counts.timed_out = ev.kind != EvRecycle;
      v.counts.half_open_dropped = ev.kind == EvRecycle;
      // Of a peer's SYN the application never heard.
      if (d.checks.half_open) v.release_id = 1'b1;
      else v.report_final = FinalTimedOut;
    end else if (due && connection.timer == TimerRetransmit) begin
      v.timed_out_once = 1'b1;
      v.counts.retransmit_timeouts = 1'b1;
      v.report_retries = !d.checks.half_open && connection.unanswered == NoticeRetriesAfter - 4'd1;
      if (opening) v.reply = ReplySyn;
      v.may_send = is_sending(connection.state);
    end else if (due && keepalive) begin
      v.keepalive_probe = 1'b1;
      v.reply = ReplyProbe;
      v.counts.keepalive_probes = 1'b1;
    end else if (due) begin
      v.probe_sent = 1'b1;
      v.reply = ReplyProbe;
      v.counts.window_probes = 1'b1;
    end
    if (ack_due && v.reply == ReplyNone && v.state != TcpClosed) begin
      v.reply = ReplyAck;
      v.may_send = is_sending(connection.state);
      v.counts.delayed_acks = 1'b1;
    end
    return v;
  endfunction

endpackage
