// SPDX-License-Identifier: Apache-2.0

// TIMEOUTS (RFC 9293 section 3.10.8): retransmission, zero-window probe, TIME_WAIT.
//
// TIME_WAIT also ends when connections are short: the longest waiting first (EvRecycle).
//
// A timer entry that comes up is only a hint: the deadline in the connection says whether anything
// is due.
package tcp_timeout_pkg;

  import app_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_user_call_pkg::is_sending;
  import toe_config_pkg::tcp_settings_t;

  function automatic tcp_verdict_t tcp_timeout(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_settings_t settings);
    tcp_verdict_t v;
    logic due = ev.kind == EvRecycle ? connection.state == TcpTimeWait
                                     : connection.timer != TimerNone
                                       && !is_positive(d.deadline_minus_now);
    logic opening = connection.state == TcpSynReceived || connection.state == TcpSynSent;
    logic hopeless = connection.unanswered
        >= (opening ? settings.syn_retries : settings.data_retries);
    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;
    v.timer_due = due;

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
    end else if (due && hopeless) begin
      v.state = TcpClosed;
      v.remove = 1'b1;
      v.discard = 1'b1;
      v.counts.timed_out = 1'b1;
      if (connection.state == TcpSynReceived) v.release_id = 1'b1;
      else v.report_final = FinalTimedOut;
    end else if (due && connection.timer == TimerRetransmit) begin
      v.timed_out_once = 1'b1;
      v.counts.retransmit_timeouts = 1'b1;
      if (opening) v.reply = ReplySyn;
      v.may_send = is_sending(connection.state);
    end else if (due) begin
      v.probe_sent = 1'b1;
      v.reply = ReplyProbe;
      v.counts.window_probes = 1'b1;
    end
    return v;
  endfunction

endpackage
