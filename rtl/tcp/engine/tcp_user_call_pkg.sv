// SPDX-License-Identifier: Apache-2.0

// USER CALLS (RFC 9293 sections 3.10.1 to 3.10.6) and the housekeeping between the engine and its
// application: room to send, bytes written, bytes delivered, news told.
package tcp_user_call_pkg;

  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_pages_pkg::page_room;

  function automatic logic can_send_data(input tcp_state_e state);
    return state == TcpEstablished || state == TcpCloseWait;
  endfunction

  // May data, FIN or a window update still go out in this state?
  function automatic logic is_sending(input tcp_state_e state);
    return state == TcpEstablished || state == TcpFinWait1 || state == TcpFinWait2
        || state == TcpCloseWait || state == TcpClosing || state == TcpLastAck;
  endfunction

  // OPEN (section 3.10.1), as the lookup has answered it.
  function automatic tcp_verdict_t judge_open(input connection_t connection, input tcp_event_t ev);
    tcp_verdict_t v;
    v = '0;
    v.state = connection.state;
    v.has_result = 1'b1;
    unique case (ev.lookup)
      LookupNew: begin
        v.result = ResultOk;
        v.state = TcpSynSent;
        v.is_event_of = 1'b1;
        v.create = 1'b1;
        v.reply = ReplySyn;
      end
      LookupHit: v.result = ResultInUse;
      LookupNoRoom: v.result = ResultNoRoom;
      default: v.result = ResultUnsupported;  // nobody can be there
    endcase
    return v;
  endfunction

  function automatic logic is_option(input app_option_e option);
    return option inside {OptionNoDelay, OptionUserTimeout, OptionQuickAck, OptionDscp}
        || (HasKeepalive && option == OptionKeepalive) || (HasNotices && option == OptionNotices);
  endfunction

  // CLOSE and ABORT (sections 3.10.4 and 3.10.5), options and statistics.
  function automatic tcp_verdict_t judge_command(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_differences_t d);
    tcp_verdict_t v;
    logic known = d.generation_is_same && connection.state != TcpClosed
        && (connection.state != TcpSynReceived || connection.active)
        && !connection.final_reported;
    logic supported;
    v = '0;
    v.state = connection.state;
    v.has_result = 1'b1;
    v.result = ResultOk;
    unique case (ev.op)
      CommandClose, CommandAbort: supported = 1'b1;
      CommandSetOption: supported = is_option(ev.option);
      CommandQuery: supported = HasQueries && ev.value[7:0] <= QueryUrgent;
      default: supported = 1'b0;
    endcase
    if (!supported) begin
      v.result = ResultUnsupported;
    end else if (!known) begin
      v.result = ResultNoConnection;
    end else begin
      unique case (ev.op)
        CommandQuery: ;
        CommandSetOption: begin
          v.is_event_of = 1'b1;
          v.set_option = 1'b1;
          v.may_send = is_sending(connection.state);
        end
        CommandClose:
        if (can_send_data(connection.state)) begin
          v.is_event_of = 1'b1;
          v.close = 1'b1;
          v.state = connection.state == TcpEstablished ? TcpFinWait1 : TcpLastAck;
          v.may_send = 1'b1;
        end else if (connection.state == TcpSynSent) begin
          v.is_event_of = 1'b1;
          v.state = TcpClosed;
          v.remove = 1'b1;
          v.discard = 1'b1;
          v.report_final = FinalClosed;
          v.counts.closed_connections = 1'b1;
        end else if (connection.state == TcpSynReceived && !connection.fin_queued) begin
          // The FIN follows when our SYN is acknowledged.
          v.is_event_of = 1'b1;
          v.close = 1'b1;
        end else begin
          v.result = ResultClosing;
        end
        CommandAbort: begin
          v.is_event_of = 1'b1;
          v.state = TcpClosed;
          v.remove = 1'b1;
          v.discard = 1'b1;
          v.report_final = FinalClosed;
          v.counts.closed_connections = 1'b1;
          if (connection.state != TcpTimeWait && connection.state != TcpSynSent) begin
            v.reply = ReplyReset;
            v.counts.resets_out = 1'b1;
          end
        end
        default: v.result = ResultUnsupported;
      endcase
    end
    return v;
  endfunction

  // The application asks for room to send (section 3.10.2).
  function automatic tcp_verdict_t judge_tx_request(input connection_t connection,
                                                    input tcp_event_t ev, input tcp_differences_t d,
                                                    input tcp_limits_t limits);
    tcp_verdict_t v;
    logic [31:0] pages = page_room(connection, ev, d, limits);
    logic fits = d.checks.ring_fits && 32'(ev.length) <= pages;
    logic some_fit = d.checks.ring_some && (ev.partial ? pages != '0 : 32'(ev.length) <= pages);
    v = '0;
    v.state = connection.state;
    v.has_status = 1'b1;
    if (!d.generation_is_same || !can_send_data(connection.state)) begin
      v.status = TxNoConnection;
    end else begin
      v.is_event_of = 1'b1;
      if (some_fit && ev.length != '0) v.grant_tx = 1'b1;
      // Who has bytes on their way hears when they are acknowledged.
      v.counts.page_refused = d.checks.ring_some && !some_fit && ev.length != '0;
      v.await_pages = v.counts.page_refused && d.unacked == '0;
      v.status = v.grant_tx ? TxOk : TxNoSpace;
      // Nothing is before it, here or at the builder: its segment is made while it comes.
      v.early = v.grant_tx && fits && !ev.tentative && ev.length <= limits.early_bytes
          && d.snd_end_minus_nxt == '0 && !connection.rtx_queued && !ev.tx_backlog;
      v.written = v.early;
      v.may_send = v.early;
    end
    return v;
  endfunction

  // What the application is told next: a connection's news come in this order, one at a time.
  function automatic tcp_verdict_t judge_report(input connection_t connection,
                                                input tcp_differences_t d);
    tcp_verdict_t v;
    logic all_read = connection.discarded || (d.checks.all_read && !connection.delivering);
    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;
    if (connection.report_accepted) begin
      v.tell = 1'b1;
      v.tell_kind = connection.active ? EventOpened : EventAccepted;
    end else if (connection.report_icmp || connection.report_retries
                 || connection.report_urgent) begin
      v.tell = 1'b1;
      v.tell_kind = EventNotice;
      v.tell_notice = connection.report_icmp ? NoticeIcmp
          : connection.report_retries ? NoticeRetries : NoticeUrgent;
    end else if (connection.report_acked && !connection.discarded) begin
      v.tell = 1'b1;
      v.tell_kind = EventAcked;
    end else if (connection.report_peer_closed && all_read) begin
      v.tell = 1'b1;
      v.tell_kind = EventPeerClosed;
    end else if (connection.report_final != FinalNone && all_read && !connection.delivering
                 && !connection.writing) begin
      v.tell = 1'b1;
      unique case (connection.report_final)
        FinalReset: v.tell_kind = EventReset;
        FinalTimedOut: v.tell_kind = EventTimedOut;
        default: v.tell_kind = EventClosed;
      endcase
      v.release_id = connection.state == TcpClosed;
    end
    return v;
  endfunction

  function automatic tcp_verdict_t tcp_user_call(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_differences_t d,
                                                 input tcp_limits_t limits);
    tcp_verdict_t v;
    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;
    v.may_send = is_sending(connection.state);
    unique case (ev.kind)
      EvCommand:
      v = HasOpens && ev.op == CommandOpen ? judge_open(connection, ev)
          : judge_command(connection, ev, d);
      EvTxRequest: v = judge_tx_request(connection, ev, d, limits);
      EvTxWritten: v.written = is_sending(connection.state) && !connection.fin_sent;
      EvDeliver: begin
        v.may_send = 1'b0;
        v.deliver = !d.checks.all_read && !connection.delivering && !connection.discarded
            && !connection.report_accepted && !connection.final_reported;
      end
      EvDelivered: v.delivered = 1'b1;
      EvPages: begin
        v.may_send = 1'b0;
        v.report_acked = can_send_data(connection.state);
      end
      EvReport: v = judge_report(connection, d);
      // EvTransmit: output sends. An acknowledgement that waited for this goes in any case.
      default: if (connection.ack_pending && connection.state != TcpClosed) v.reply = ReplyAck;
    endcase
    return v;
  endfunction

endpackage
