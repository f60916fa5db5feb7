// SPDX-License-Identifier: Apache-2.0

// Fourth step of a decision: how much goes out now, the timer, and the queues to join. Completes
// the state.
package tcp_output_pkg;

  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_receive_pages_pkg::HeldUs;

  // min(data, window, congestion window, MSS). A segment cut by a window waits while anything is
  // in flight (sender silly window avoidance, RFC 9293 section 3.8.6.2.1: an acknowledgement will
  // come and may open it). The sums for each case run beside the choice.
  // The timer follows from whether anything goes out: it is told for both here.
  function automatic portion_t tcp_portion(input connection_t connection, input tcp_event_t ev,
                                           input tcp_verdict_t v, input tcp_outlook_t o);
    portion_t p;
    logic unlimited = o.retransmit || o.go_back;
    logic whole = at_most(o.weights.data_segment)
        && (unlimited || (at_most(o.weights.data_window) && at_most(o.weights.data_cwnd)));
    logic cut = !at_most(o.weights.data_segment)
        && (unlimited || (at_most(o.weights.segment_window) && at_most(o.weights.segment_cwnd)));
    logic by_window = at_most(o.weights.window_cwnd);
    logic [16:0] limit = by_window ? o.window : o.cwnd;
    seq_t after_data = o.base + 32'(o.data);
    // In one carry chain, with the FIN below.
    logic [32:0] base_and_one = {o.base, 1'b1} + {15'b0, o.data, 1'b1};
    seq_t after_fin = base_and_one[32:1];
    seq_t after_segment = o.base + 32'(o.segment);
    seq_t after_limit = o.base + 32'(limit);
    p = '0;
    p.last = whole;
    p.fin = whole && o.fin_left && (unlimited || !o.weights.data_window.equal);
    if (whole) begin
      p.length = o.data;
      p.after = p.fin ? after_fin : after_data;
      p.beyond = p.fin ? at_most(o.weights.max_data) : o.weights.max_data.less;
    end else if (cut) begin
      p.length = o.segment;
      p.after = after_segment;
      p.beyond = o.weights.max_segment.less;
    end else begin
      p.length = limit;
      p.after = after_limit;
      p.beyond = by_window ? o.weights.max_window.less : o.weights.max_cwnd.less;
    end
    // Nagle's algorithm (RFC 9293 section 3.7.4): less than a segment waits for what is in flight.
    p.any = v.may_send && ((whole && (o.weights.data_any || p.fin)
                            && !(o.nagle && !unlimited && !o.weights.data_segment.equal && !p.fin
                                 && !o.flight_empty)) || cut
                           || (!whole && o.flight_empty && o.weights.window_any));
    p.more = v.may_send && (o.retransmit || (cut && !o.go_back)
                            || (o.cwnd_grew && !at_most(o.weights.data_cwnd) && !by_window));
    p.restarted_classes = classes_within(o.wait_us) & o.weights.before_ack;
    p.if_kept = add_entry(connection.timer_entries, o.weights.kept_classes);
    p.if_keepalive = add_entry(connection.timer_entries, o.weights.keepalive_classes);
    p.if_ack = add_entry(connection.timer_entries, o.weights.ack_classes);
    p.timer_if_sent = o.weights.timer_sent;
    p.timer_if_not = !o.all_acked ? o.weights.timer_sent
        : o.weights.data_any || o.fin_left ? o.weights.timer_blocked : o.weights.timer_idle;
    return p;
  endfunction

  function automatic timer_entries_t entries_by(input connection_t connection,
                                                input portion_t portion, input entries_e choice);
    unique case (choice)
      EntriesRestarted:
      return add_entry(connection.timer_entries, portion.restarted_classes);
      EntriesKeepalive: return portion.if_keepalive;
      EntriesKept: return portion.if_kept;
      EntriesAck: return portion.if_ack;
      default: return '{entries: connection.timer_entries, added: 1'b0, entry_class: '0};
    endcase
  endfunction

  // What goes out, and what follows from it. `connection` is what tcp_update made of it. What goes out is
  // known last: it chooses between two timers.
  function automatic tcp_decision_t tcp_conclude(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_verdict_t v,
                                                 input tcp_outlook_t o, input portion_t portion);
    tcp_decision_t r;
    // What is to be told waits for a turn, to go with data: what waits already, or comes before.
    logic takes_ack = o.plain && o.defer && (v.may_delay_ack || o.window_update);
    logic waits = o.plain && o.defer && (portion.any || (takes_ack && !o.hold_ack));

    r = '0;
    r.sends = o.plain && portion.any && !o.defer && !(o.held && o.weights.data_any);
    r.tells_window = o.window_update && !takes_ack;
    r.length = portion.length[15:0];
    r.fin = portion.fin;
    r.last = portion.last && o.weights.data_any;
    r.repeated = r.sends && o.weights.repeats;
    r.new_bytes = portion.beyond ? portion.length[15:0] - o.sent_before[15:0] : '0;
    r.replies = v.reply != ReplyNone && !o.hold_ack && !o.mute && !takes_ack;

    // Every segment of a connection acknowledges, but for an answer to one that is not its own.
    r.acknowledges = r.sends || r.tells_window || (r.replies && v.reply != ReplyResetAnswer);
    r.owes_ack = !r.acknowledges && (o.hold_ack || takes_ack);
    // What the peer could be told of the window, and is not while pages are short, is looked at again.
    r.holds_window = o.hold_window
        && (o.hold_again || r.acknowledges || !(r.owes_ack || connection.ack_pending));

    // The ring may still be read for a retransmission that is not built yet: the application's
    // next bytes wait for it.
    r.late_status = v.grant_tx && connection.rtx_queued;

    // Queues: each holds an id at most once. Who is paced joins after each segment, for its place is what
    // holds back data that comes meanwhile.
    r.push_paced = o.paced && r.sends && o.weights.data_any;
    r.push_transmit = v.is_event_of && !connection.in_transmit_queue
        && (portion.more || waits || r.push_paced || (v.may_send && !o.plain)
            || (v.may_send && is_sack_recovery(connection) && ev.kind == EvSegment));
    r.push_deliver = v.is_event_of && !connection.in_deliver_queue && o.unread
        && !connection.delivering && !connection.report_accepted && !connection.final_reported;
    r.push_report = v.is_event_of && !connection.in_report_queue
        && (connection.report_accepted || connection.report_icmp || connection.report_retries
            || connection.report_urgent
            || (connection.report_acked && !connection.discarded)
            || (connection.report_peer_closed && !o.unread && !connection.delivering)
            || (connection.report_final != FinalNone && !o.unread && !connection.delivering
                && !connection.writing));
    r.push_wait = v.is_event_of && !connection.in_wait_queue && connection.state == TcpTimeWait;
    r.push_opening = v.is_event_of && !connection.in_opening_queue
        && connection.state == TcpSynReceived && !connection.active;

    r.timer = r.sends ? portion.timer_if_sent : portion.timer_if_not;
    r.entries_if_sent = entries_by(connection, portion, portion.timer_if_sent.entries);
    r.entries_if_not = entries_by(connection, portion, portion.timer_if_not.entries);
    return r;
  endfunction

  // The connection, complete.
  function automatic connection_t tcp_output(input connection_t connection, input tcp_event_t ev,
                                             input tcp_outlook_t o, input portion_t portion,
                                             input tcp_decision_t decision);
    connection_t c;
    c = connection;
    c.retransmitted = count_on(connection.retransmitted, decision.repeated);

    if (decision.acknowledges) begin
      c.ack_pending = 1'b0;
      c.rcv_acked = connection.rcv_nxt;
    end else if (decision.owes_ack) begin
      c.ack_pending = 1'b1;
      if (!connection.ack_pending) c.ack_deadline = ev.now_us + o.ack_wait_us;
    end
    if (decision.holds_window) begin
      c.ack_pending = 1'b1;
      c.ack_deadline = ev.now_us + HeldUs;
    end

    if (decision.sends) begin
      if (o.limited) c.limited_sent = connection.duplicate_acks;
      if (o.all_acked) c.progress_us = ev.now_us;
      if (o.retransmit) begin
        c.rtx_next = portion.after;
        c.una_lost = 1'b0;
      end else begin
        c.snd_nxt = portion.after;
      end
      if (portion.beyond) c.snd_max = portion.after;
      if (portion.fin) c.fin_sent = 1'b1;
      if (o.weights.repeats) begin
        c.rtx_queued = 1'b1;
        c.rtt_timing = 1'b0;  // Karn's rule
        c.rtt_spoiled = 1'b1;
      end else if (!connection.rtt_timing) begin
        c.rtt_timing = 1'b1;
        c.rtt_seq = o.base;
        c.rtt_start = ev.now_us;
      end
    end
    if (decision.late_status) c.rtx_queued = 1'b0;

    if (decision.push_transmit) begin
      c.in_transmit_queue = 1'b1;
      c.paced = decision.push_paced;
    end
    if (decision.push_deliver) c.in_deliver_queue = 1'b1;
    if (decision.push_report) c.in_report_queue = 1'b1;
    if (decision.push_wait) c.in_wait_queue = 1'b1;
    if (decision.push_opening) c.in_opening_queue = 1'b1;

    c.timer = decision.timer.timer;
    if (decision.timer.blocked) c.progress_us = ev.now_us;
    if (decision.timer.restart) c.deadline = ev.now_us + o.wait_us;
    else if (decision.timer.keepalive) c.deadline = ev.now_us + o.keepalive_us;
    c.timer_entries = entries_of(decision).entries;
    return c;
  endfunction

endpackage
