// SPDX-License-Identifier: Apache-2.0

// Third step of a decision: carry verdict and plan out on the connection, look out for what is left to
// send from where, and weigh the limits of it for the output step.
package tcp_update_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_congestion_pkg::*;
  import tcp_pieces_pkg::*;
  import tcp_plan_pkg::*;
  import tcp_pages_pkg::*;
  import tcp_receive_pages_pkg::*;
  import toe_config_pkg::tcp_settings_t;

  localparam logic [15:0] MssMin = 16'd64;  // a peer that announces less gets this
  localparam logic [15:0] TimestampBytes = 16'd12;  // of options in every segment
  localparam logic [15:0] OptionBytes = 16'd40;  // most there can be

  // The smallest window movement worth a segment of its own.
  function automatic logic [20:0] window_step(input tcp_limits_t limits);
    return 21'(limits.mss) < {1'b0, limits.rx_window[20:1]} ? 21'(limits.mss)
                                                            : {1'b0, limits.rx_window[20:1]};
  endfunction

  // What could be sent from a place, given its distances to the marks ahead of it.
  function automatic place_t look_from(input logic [31:0] to_end, input logic [31:0] to_limit,
                                       input logic [31:0] to_max);
    look_from.data_left   = saturate17(to_end);
    look_from.past_end    = is_negative(to_end);
    look_from.window_left = saturate17(to_limit);
    look_from.max_left    = saturate17(to_max);
  endfunction

  // The RTO that a sample leads to (RFC 6298 section 2): srtt' + max(G, 4 rttvar'), before its limits.
  // srtt' is srtt + error / 8, 4 rttvar' is 3 rttvar + |error|; G is a microsecond. The first sample
  // R gives R + 4 (R / 2).
  function automatic logic [31:0] rto_of(input connection_t connection, input tcp_differences_t d,
                                         input tcp_sums_t s);
    if (!connection.rtt_known) return d.rtt_sample + {d.rtt_sample[30:0], 1'b0};
    return 32'(d.rtt_and_deviation) + {{3{d.rtt_error[31]}}, d.rtt_error[31:3]} + 32'(s.error_size)
        + 32'(s.exact);
  endfunction

  // Beside the judgement: arithmetic that needs the differences but not the verdict. First the sums that the
  // rest compares and chooses from, which may have a clock of their own.
  function automatic tcp_sums_t tcp_sum(input connection_t connection, input tcp_event_t ev,
                                        input tcp_differences_t d);
    tcp_sums_t s;
    logic [23:0] two_mss = {7'b0, connection.mss, 1'b0};
    logic [21:0] covered;
    logic [21:0] covered_behind;
    logic [Gaps-1:0] behind;
    s.error_size = d.rtt_error[31] ? ~d.rtt_error[23:0] : saturate24(d.rtt_error);
    s.exact = connection.rttvar == '0
        && (d.rtt_error == '0 || (d.rtt_error[31] && &d.rtt_error[23:0]));
    // A quarter of a round trip (RFC 8985 section 6.2), and at least what the timers can tell.
    s.reorder_us = {10'b0, connection.srtt[23:2]} + 32'(1 << TimerClassMinLog2);
    s.deadline_after_reorder = d.deadline_minus_now - s.reorder_us;
    // Limited transmit counts whole segments, and may have sent smaller ones.
    s.flight = is_negative(d.flight) ? '0 : d.flight[23:0];
    s.cwnd_regained = is_regained(d.cwnd_share, connection.ssthresh);
    s.credit = connection.cwnd_credit + d.ack_minus_una[23:0];
    s.written_left = d.snd_end_minus_nxt + 32'(ev.length);
    s.offered_mss = ev.segment.mss == '0 ? TcpDefaultMss : ev.segment.mss;
    // Room in the congestion window. Both numbers are below 2^31, so one subtraction tells.
    s.cwnd_minus_una = 32'(connection.cwnd) - d.nxt_minus_una;
    s.cwnd_minus_ack = 32'(connection.cwnd) - d.nxt_minus_ack;
    s.cwnd_minus_limited = 32'(connection.cwnd) + 32'(two_mss) - d.nxt_minus_una;

    // SACK-based recovery. What lies between rtx_next and the last piece is lost once that is more
    // than three segments away (the rule of FACK), and then nothing of it is in flight: neither holes
    // nor pieces.
    s.hole_ahead = 1'b0;
    s.hole_start = connection.rtx_next;
    s.hole_size = '0;
    for (int i = Gaps - 1; i >= 0; i--) begin
      if (connection.sacked[i].valid) begin
        if (!d.sacked[i].starts_before && !d.sacked[i].starts_with) begin
          s.hole_ahead = 1'b1;
          s.hole_size = d.rtx_to_piece[i];
        end
      end
    end
    for (int i = 0; i < Gaps; i++) begin
      if (connection.sacked[i].valid && d.sacked[i].reaches_in
          && (d.sacked[i].starts_before || d.sacked[i].starts_with)) begin
        s.hole_start = connection.sacked[i].right;
        if (i + 1 < Gaps) s.hole_size = d.gap_before[i+1];
      end
    end
    s.hole_lost = s.hole_ahead
        && d.last_minus_rtx > {4'b0, connection.mss, 1'b0} + 22'(connection.mss);
    // The room for both cases, so that no sum waits for hole_lost. Pieces are in order: those behind
    // rtx_next come first.
    covered = d.covered_to[Gaps-1];
    covered_behind = '0;
    for (int i = 0; i < Gaps; i++)
    behind[i] = d.sacked[i].valid && (d.sacked[i].starts_before || d.sacked[i].starts_with);
    for (int i = 0; i < Gaps; i++) begin
      if (behind[i] && (i == Gaps - 1 || !behind[(i+1)%Gaps])) covered_behind |= d.covered_to[i];
    end
    // Three pieces, or more than two segments.
    s.una_is_lost = (Gaps > 2 && connection.sacked[Gaps > 2 ? 2 : 0].valid)
        || 24'(covered) > two_mss;
    s.room = 32'(connection.cwnd) - d.max_minus_una + 32'(covered);
    s.room_if_lost = 32'(connection.cwnd) - 32'(d.sack_flight) + 32'(covered_behind);
    return s;
  endfunction

  function automatic tcp_preparation_t tcp_prepare(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_sums_t s, input tcp_limits_t limits, input tcp_settings_t settings,
      input settings_classes_t classes);
    tcp_preparation_t p;
    logic [23:0] mss = 24'(connection.mss);
    logic [23:0] most = {2'b0, connection.round_flight, 6'b0};
    // By what a round trip acknowledges; at its begin the window has to do.
    logic [23:0] first_credit, flight_credit, most_credit;
    logic [24:0] deflated;
    logic [23:0] first_window;
    p.from_nxt = look_from(d.snd_end_minus_nxt, d.limit_minus_nxt, d.max_minus_nxt);
    if (d.checks.of_written) p.from_nxt.data_left = saturate17(s.written_left);
    else if (ev.kind == EvTxRequest) p.from_nxt.data_left = 17'(ev.length);  // if it is early
    // A retransmission repeats what was sent and adds nothing: the window may not allow it. (With the
    // FIN snd_max is past snd_end.)
    p.from_una =
        look_from(connection.fin_sent ? d.snd_end_minus_una : d.max_minus_una, '0, d.max_minus_una);
    if (connection.sacked[0].valid) p.from_una.data_left = saturate17(32'(d.hole_at_una));
    p.from_ack = look_from(
        connection.recovering && !d.ack_reaches_recover && !connection.fin_sent
            ? d.max_minus_ack : d.snd_end_minus_ack,
        d.limit_minus_ack, d.max_minus_ack);
    p.new_window_left = saturate17(d.new_limit_minus_nxt);
    p.new_window_left_ack = saturate17(d.new_limit_minus_ack);
    p.cwnd_left_una = saturate17(s.cwnd_minus_una);
    p.cwnd_left_ack =
        saturate17(is_negative(d.nxt_minus_ack) ? 32'(connection.cwnd) : s.cwnd_minus_ack);
    p.flight_empty_una = d.nxt_minus_una == '0;
    p.flight_empty_ack = d.nxt_minus_ack == '0 || is_negative(d.nxt_minus_ack);

    p.rto_sample = rto_of(connection, d, s);
    // Without a sample: by what is known; of a SYN, rule 5.7, 3 s for an initial RTO of 1 s.
    p.opening = d.opening;
    p.rto_known = d.opening
        ? settings.rto_initial_us + {settings.rto_initial_us[30:0], 1'b0}
        : 32'(connection.srtt) + {6'b0, connection.rttvar, 2'b0};
    p.rto_doubled = connection.rto >= {1'b0, settings.rto_max_us[31:1]}
        ? settings.rto_max_us : {connection.rto[30:0], 1'b0};
    p.reorder_us = s.reorder_us;
    p.reorder_is_first = is_positive(s.deadline_after_reorder);
    p.remaining_class = is_negative(d.deadline_minus_now) ? '0
                                                          : timer_class_of(d.deadline_minus_now);

    p.flight = s.flight;
    // The most of a round trip, and what follows from it: found for both cases beside the comparison.
    p.round_flight = p.flight < most ? most : p.flight;
    p.acked_or_mss = d.ack_minus_una < 32'(mss) ? d.ack_minus_una[23:0] : mss;
    p.kept_flight = p.flight < most ? kept_share(most, settings) : kept_share(p.flight, settings);
    p.kept_again = kept_share(connection.ssthresh, settings);
    p.slow_start = connection.cwnd < connection.ssthresh;
    p.cwnd_used = {p.flight, 1'b0} >= {1'b0, connection.cwnd}
        || {most, 1'b0} >= {1'b0, connection.cwnd};
    p.credit = s.credit;
    first_credit = growth_credit(connection.cwnd, s.cwnd_regained, settings);
    flight_credit = growth_credit(p.flight, s.cwnd_regained, settings);
    most_credit = growth_credit(most, s.cwnd_regained, settings);
    if (connection.round_flight == '0) begin
      p.growth_credit = first_credit;
      p.credit_full   = p.credit >= first_credit;
    end else begin
      p.growth_credit = p.flight < most ? most_credit : flight_credit;
      p.credit_full   = p.credit >= flight_credit && p.credit >= most_credit;
    end
    // The deadline of a timer that has stopped is an RTO after it was last set. That of keepalive comes
    // in its place, which may be late: a tick of silence will do then.
    p.was_idle = d.una_is_max
        && ((connection.timer == TimerNone && d.checks.deadline_passed)
            || (connection.timer == TimerKeepalive && connection.idle_ticks != '0));
    first_window = initial_window(connection.mss, limits);
    p.restart_window = connection.cwnd < first_window ? connection.cwnd : first_window;
    deflated = {1'b0, connection.cwnd} - {1'b0, d.ack_minus_una[23:0]};
    p.deflated = deflated[24] ? '0 : deflated[23:0];
    p.deviation = {1'b0, s.error_size} - {1'b0, connection.rttvar};
    p.first_mss = s.offered_mss < MssMin ? MssMin
        : s.offered_mss < limits.mss ? s.offered_mss : limits.mss;
    p.deliver_all = d.unread == 32'(ev.length);
    p.nothing_unread = d.checks.all_read;
    p.edge_should_move = d.edge_growth >= 32'(window_step(limits));
    p.new_payload = ev.segment.payload_length - d.nxt_minus_seq[15:0];
    p.tx_space = 32'(limits.tx_ring_bytes) - d.unacked;
    if (page_room(connection, ev, d, limits) < p.tx_space)
      p.tx_space = page_room(connection, ev, d, limits);

    // Room that options take: blocks of SACK go with whatever acknowledges beside a gap.
    p.segment = connection.mss
        - (d.checks.sack_possible ? OptionBytes : connection.ts_ok ? TimestampBytes : 16'd0);

    p.hole_start = s.hole_start;
    p.hole_size = saturate17(32'(s.hole_size));
    p.hole_lost = s.hole_lost;
    // When there is nothing new to send, a hole is the next best (RFC 6675, rule 3 of NextSeg).
    p.hole_due = s.hole_lost || (s.hole_ahead && d.checks.nothing_new);
    p.una_is_lost = s.una_is_lost;
    p.cwnd_left_sack = saturate17(s.hole_lost ? s.room_if_lost : s.room);
    p.cwnd_left_limited = saturate17(s.cwnd_minus_limited);

    p.challenge_allowed = d.challenge_age_us >= settings.challenge_interval_us;
    p.ack_class = classes.ack_class;
    p.ack_remaining_class = is_negative(d.ack_deadline_minus_now)
        ? '0 : timer_class_of(d.ack_deadline_minus_now);
    p.tick_class = classes.tick_class;
    p.probe_class = classes.probe_class;
    p.ack_at_once = is_negative(d.edge_minus_end) || d.edge_minus_end < 32'(limits.mss)
        || classes.ack_at_once;
    return p;
  endfunction

  // A connection begins with a SYN, the peer's or ours. What belongs to the id and not to the
  // connection stays. One that follows upon another in TIME_WAIT begins beyond its numbers (RFC 9293
  // MAY-2).
  function automatic connection_t create_connection(input connection_t old, input tcp_event_t ev,
                                                    input tcp_state_e state, input logic follows,
                                                    input tcp_settings_t settings);
    connection_t c;
    c = '0;
    c.rtx_queued = old.rtx_queued;
    c.timer_entries = old.timer_entries;
    c.in_transmit_queue = old.in_transmit_queue;
    c.in_deliver_queue = old.in_deliver_queue;
    c.in_report_queue = old.in_report_queue;
    c.in_wait_queue = old.in_wait_queue;
    c.in_opening_queue = old.in_opening_queue;
    c.opening_entry_old = old.in_opening_queue;
    c.generation = old.generation + 1'b1;

    c.state = state;
    c.app = ev.app;
    c.active = state == TcpSynSent;
    c.tuple = ev.segment.tuple;
    c.snd_una = follows ? old.snd_max + 32'd1 : ev.isn;
    c.snd_nxt = follows ? old.snd_max + 32'd2 : ev.isn + 32'd1;
    c.snd_max = c.snd_nxt;
    c.snd_end = c.snd_nxt;
    c.snd_limit = c.snd_nxt;
    c.snd_wl1 = ev.segment.seq;
    c.snd_wl2 = c.snd_una;
    c.recover = c.snd_una;
    c.rto = settings.rto_initial_us;
    c.rtt_timing = 1'b1;
    c.rtt_seq = c.snd_una;
    c.rtt_start = ev.now_us;
    c.progress_us = ev.now_us;
    c.challenge_us = {~ev.now_us[31], ev.now_us[30:0]};  // long ago
    c.no_delay = settings.no_delay;
    c.keepalive = settings.keepalive;
    // The initial sequence number is a clock and a hash of the tuple: without the clock it tells no
    // more, and stays the same for the next connection of this tuple (RFC 7323 section 7.1).
    c.ts_offset = ev.isn - {2'b0, ev.now_us[31:2]};
    // What we ask for, until the peer's SYN tells what it agrees to.
    c.scale_ok = settings.window_scale;
    c.ts_ok = settings.timestamps;
    c.sack_ok = settings.sack;
    return c;
  endfunction

  // The peer's SYN: where its bytes begin, and how long ours may be. With `again` our own SYN was
  // sent more than once, and data begins with one segment (RFC 5681 section 3.1).
  function automatic connection_t take_syn(input connection_t connection, input tcp_event_t ev,
                                           input logic again, input tcp_preparation_t p,
                                           input tcp_limits_t limits);
    connection_t c;
    congestion_t congestion;
    c = connection;
    c.mss = p.first_mss;
    congestion = congestion_start(p.first_mss, limits);
    if (again) congestion.cwnd = 24'(p.first_mss);
    {c.cwnd, c.ssthresh, c.cwnd_credit, c.round_flight} = congestion;
    c.rcv_nxt = ev.segment.seq + 32'd1;
    c.rcv_read = c.rcv_nxt;
    c.rcv_up = c.rcv_nxt;
    c.rcv_edge = ev.segment.seq + 32'd1 + 32'(limits.rx_window);
    c.rcv_acked = c.rcv_nxt;
    // Of our own SYN (SYN_SENT) there is no answer yet.
    if (connection.state != TcpSynSent) begin
      c.scale_ok = connection.scale_ok && ev.segment.options.has_window_scale;
      c.snd_scale = c.scale_ok ? ev.segment.options.window_scale : 4'd0;
      c.sack_ok = connection.sack_ok && ev.segment.options.sack_permitted;
      c.ts_ok = connection.ts_ok && ev.segment.options.has_timestamps;
      c.ts_recent = ev.segment.options.ts_value;
      c.ts_recent_age = ev.ts_now[31:20];
    end
    return c;
  endfunction

  // RFC 6298 section 2, in shifts and adds.
  function automatic connection_t take_rtt_sample(
      input connection_t connection, input tcp_differences_t d, input tcp_preparation_t p);
    connection_t c;
    logic [24:0] error_eighth;
    c = connection;
    c.rtt_timing = 1'b0;
    c.rtt_spoiled = 1'b0;
    c.rtt_known = 1'b1;
    if (!connection.rtt_known) begin
      c.srtt = saturate24(d.rtt_sample);
      c.rttvar = {1'b0, c.srtt[23:1]};
    end else begin
      error_eighth = {{4{d.rtt_error[31]}}, d.rtt_error[23:3]};
      c.srtt = connection.srtt + error_eighth[23:0];
      c.rttvar = connection.rttvar + {{2{p.deviation[24]}}, p.deviation[23:2]};
    end
    return c;
  endfunction

  // The lists of pieces, and recovery's place among them.
  function automatic connection_t update_pieces(input connection_t connection, input tcp_event_t ev,
                                                input tcp_differences_t d, input tcp_verdict_t v,
                                                input tcp_plan_t plan);
    connection_t c;
    piece_t received =
        join_touched(connection.stored, d.stored, ev.segment.seq, ev.segment_end, v.store_fin);
    piece_t block = join_touched(connection.sacked, d.sacked, ev.segment.sack.left,
                                 ev.segment.sack.right, 1'b0);
    c = connection;
    if (v.accept_to_edge) received.right = connection.rcv_edge;

    if (v.in_order) c.rcv_nxt = received.right;
    c.stored = arrange(plan.stored, connection.stored, received);
    c.sacked = arrange(plan.sacked, connection.sacked, block);
    if (!v.take_block && v.advance_una && !d.rtx_past_ack) c.rtx_next = ev.segment.ack;
    // A partial acknowledgement comes a round trip after recovery began: what was not sent again
    // since and is not acknowledged now is lost (RFC 6582 section 3.2).
    if (v.partial_ack) c.una_lost = !d.rtx_past_ack;
    else if (v.advance_una) c.una_lost = 1'b0;
    if (v.lost_again) c.una_lost = 1'b1;
    if (v.timed_out_once) c.una_lost = 1'b0;
    if (d.checks.of_segment) c.sack_news = 1'b0;
    if (v.sack_news) c.sack_news = 1'b1;
    return c;
  endfunction

  // CommandSetOption.
  function automatic connection_t set_option(input connection_t connection, input tcp_event_t ev);
    connection_t c;
    c = connection;
    unique case (ev.option)
      OptionNoDelay: c.no_delay = ev.value[0];
      OptionKeepalive: c.keepalive = ev.value[0];
      OptionQuickAck: c.quick_ack = ev.value[0];
      OptionDscp: c.dscp = ev.value[5:0];
      OptionNotices: begin
        c.no_notices = !ev.value[0];
        if (c.no_notices) {c.report_icmp, c.report_retries, c.report_urgent} = '0;
      end
      OptionUserTimeout: c.user_timeout = |ev.value[23:14] ? '1 : ev.value[13:0];
      default: ;
    endcase
    return c;
  endfunction

  // The connection after the event, output not counted.
  function automatic connection_t tcp_update(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_plan_t plan,
      input tcp_limits_t limits, input tcp_settings_t settings);
    connection_t c;
    connection_t created;
    c = update_pieces(connection, ev, d, v, plan);
    if (plan.measured) c = take_rtt_sample(c, d, p);
    if (v.set_option) c = set_option(c, ev);
    c.state = v.state;
    if (v.take_timestamp) begin
      c.ts_recent = ev.segment.options.ts_value;
      c.ts_recent_age = ev.ts_now[31:20];
    end
    if (v.challenge && p.challenge_allowed) c.challenge_us = ev.now_us;

    // Acknowledgement.
    if (v.advance_una) begin
      c.snd_una = ev.segment.ack;
      if (is_negative(d.nxt_minus_ack)) c.snd_nxt = ev.segment.ack;
      c.duplicate_acks = '0;
      c.limited_sent = '0;
    end else if (v.duplicate_ack && connection.duplicate_acks != 2'd3) begin
      c.duplicate_acks = connection.duplicate_acks + 1'b1;
    end
    if (v.take_window) begin
      c.snd_limit = d.window_edge;
      c.snd_wl1 = ev.segment.seq;
      c.snd_wl2 = ev.segment.ack;
    end
    {c.cwnd, c.ssthresh, c.cwnd_credit, c.round_flight} =
        congestion_after(connection, p, plan.congestion);
    if (v.fast_retransmit) c.recovering = 1'b1;
    if (v.leave_recovery || v.timed_out_once) c.recovering = 1'b0;
    if (v.fast_retransmit || v.timed_out_once) c.recover = connection.snd_max;
    if (v.timed_out_once) begin
      c.snd_nxt = connection.snd_una;
      c.duplicate_acks = '0;
    end
    // Karn's rule, also for what these will make go out again.
    if (v.timed_out_once || v.fast_retransmit || v.partial_ack) begin
      c.rtt_timing = 1'b0;
      c.rtt_spoiled = 1'b1;
    end
    if (v.take_syn && !v.advance_una) c.rtt_timing = 1'b0;

    c.rto = rto_after(connection, p, plan);
    if (v.advance_una || (v.peer_heard && (connection.timer != TimerRetransmit
                                           || d.checks.closes_window))) begin
      c.unanswered = '0;
    end else if ((v.timed_out_once || v.probe_sent || v.keepalive_probe)
                 && connection.unanswered != '1) begin
      c.unanswered = connection.unanswered + 1'b1;
    end
    if (v.advance_una || v.peer_heard) c.progress_us = ev.now_us;
    if (v.peer_heard) c.idle_ticks = '0;
    else if (v.keepalive_tick) c.idle_ticks = connection.idle_ticks + 1'b1;

    // Text and FIN.
    if (v.accept_fin) begin
      c.fin_received = 1'b1;
      c.report_peer_closed = 1'b1;
    end

    // Calls.
    if (v.close) c.fin_queued = 1'b1;
    if (v.grant_tx) c.writing = 1'b1;
    if (d.checks.of_written) c.writing = 1'b0;
    if (v.written) c.snd_end = connection.snd_end + 32'(ev.length);
    if (v.accept_direct) c.rcv_read = connection.rcv_read + 32'(ev.length);
    if (v.deliver) c.delivering = 1'b1;
    if (v.delivered) begin
      c.delivering = 1'b0;
      if (!connection.discarded) c.rcv_read = connection.rcv_read + 32'(ev.length);
    end
    if (plan.moves_edge) c.rcv_edge = connection.rcv_edge + d.edge_growth;
    c.rcv_pages = move_pages(connection, ev, d, v, p, limits).held;

    // What has been taken is not urgent any more.
    if (v.take_urgent) c.rcv_up = ev.segment.urgent;
    else if (d.up_is_read) c.rcv_up = connection.rcv_read;

    if (v.lower_mss) c.mss = ev.segment.mss;

    c.stored_count = count_on(connection.stored_count, v.store);
    c.timeouts = count_on(connection.timeouts, v.timed_out_once);

    // News for the application.
    if (v.report_accepted) c.report_accepted = 1'b1;
    if (v.report_acked || plan.window_opens) c.report_acked = 1'b1;
    if (!connection.no_notices) begin
      if (v.report_icmp) begin
        c.report_icmp = 1'b1;
        c.icmp = ev.icmp;
      end
      if (v.report_retries) c.report_retries = 1'b1;
      if (v.take_urgent) c.report_urgent = 1'b1;
    end
    if (v.report_final != FinalNone) c.report_final = v.report_final;
    if (v.discard) begin
      c.discarded = 1'b1;
      c.report_peer_closed = 1'b0;
    end
    if (v.tell) begin
      unique case (v.tell_kind)
        EventAccepted, EventOpened: c.report_accepted = 1'b0;
        EventAcked: c.report_acked = 1'b0;
        EventPeerClosed: c.report_peer_closed = 1'b0;
        EventNotice: begin
          unique case (v.tell_notice)
            NoticeIcmp: c.report_icmp = 1'b0;
            NoticeRetries: c.report_retries = 1'b0;
            default: c.report_urgent = 1'b0;
          endcase
        end
        default: begin
          c.report_final = FinalNone;
          c.final_reported = 1'b1;
        end
      endcase
    end

    if (v.create) begin
      created = create_connection(connection, ev, v.state, d.checks.follows, settings);
      created.stored = c.stored;  // none, by update_pieces
      created.sacked = c.sacked;
      c = created;
    end
    if (v.create || v.take_syn)
      c = take_syn(c, ev, v.take_syn && connection.unanswered != '0, p, limits);

    // Entries that this event took from a queue.
    if (d.checks.of_turn) begin
      c.in_transmit_queue = 1'b0;
      c.paced = 1'b0;
    end
    if (ev.kind == EvDeliver) c.in_deliver_queue = 1'b0;
    if (ev.kind == EvReport) c.in_report_queue = 1'b0;
    if (ev.kind == EvRecycle && !ev.opening) c.in_wait_queue = 1'b0;
    if (ev.kind == EvRecycle && ev.opening) begin
      c.in_opening_queue = 1'b0;
      c.opening_entry_old = 1'b0;
    end
    if (d.checks.of_timer) c.timer_entries[ev.timer_class] = 1'b0;
    return c;
  endfunction

  // What output needs to know, for the place that sending goes on from.
  function automatic tcp_outlook_t tcp_look_out(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_plan_t plan,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_outlook_t o;
    place_t place;
    o = '0;
    o.retransmit = plan.retransmit;
    o.go_back = v.timed_out_once;

    place = plan.from_ack ? p.from_ack : plan.from_una ? p.from_una : p.from_nxt;
    o.base = plan.from_ack ? ev.segment.ack
        : plan.from_una ? connection.snd_una : connection.snd_nxt;
    o.data = place.data_left;
    o.sent_before = place.max_left;
    o.nagle = !connection.no_delay;
    // Bytes that the application is still writing go before the FIN.
    o.fin_left = (connection.fin_queued || v.close) && !place.past_end
        && (!connection.writing || d.checks.of_written)
        && (!plan.repeats
            || (connection.fin_sent && !connection.sacked[0].valid));
    if (!v.take_window) o.window = place.window_left;
    else o.window = plan.from_ack ? p.new_window_left_ack : p.new_window_left;
    o.cwnd = v.advance_una ? p.cwnd_left_ack : p.cwnd_left_una;
    o.limited = plan.limited;
    if (o.limited) o.cwnd = p.cwnd_left_limited;
    o.segment = 17'(p.segment);
    // In a SACK-based recovery data goes out by EvTransmit alone: holes first, then what is new.
    if (plan.by_sack) begin
      o.cwnd = plan.sack_turn ? p.cwnd_left_sack : '0;
      if (plan.hole_turn) begin
        o.base = p.hole_start;
        o.data = p.hole_size;
        o.sent_before = '1;
        o.fin_left = 1'b0;
        if (!plan.retransmit) o.data = '0;
      end
    end
    o.plain = v.reply == ReplyNone || v.reply == ReplyAck;
    o.mute = v.challenge && !p.challenge_allowed;
    o.hold_ack = plan.hold_ack;
    o.paced = settings.pacing && connection.rtt_known;
    o.held = plan.held;
    o.defer = plan.defer;
    o.hold_window = plan.may_hold;
    o.hold_again = d.checks.of_timer && d.checks.ack_deadline_passed;
    o.ack_wait_us = settings.delayed_ack_us;
    o.ack_timer = o.hold_ack || o.defer || o.hold_window
        || (connection.ack_pending && d.checks.of_timer);
    o.ack_class = o.hold_ack || o.defer ? p.ack_class
        : o.hold_window && (!connection.ack_pending || o.hold_again) ? HeldClass
        : p.ack_remaining_class;
    o.keepalive_us = v.keepalive_probe ? settings.keepalive_interval_us
                                       : settings.keepalive_tick_us;
    o.keepalive_class = v.keepalive_probe ? p.probe_class : p.tick_class;
    o.dsack_valid = v.repeats && connection.sack_ok;
    o.dsack.left = ev.segment.seq;
    o.dsack.right = is_negative(d.nxt_minus_seq) || is_negative(d.end_minus_nxt)
        ? ev.segment_end : connection.rcv_nxt;
    o.flight_empty = v.advance_una ? p.flight_empty_ack : p.flight_empty_una;
    o.all_acked = v.advance_una ? d.ack_is_max : d.una_is_max;
    o.cwnd_grew = v.advance_una || v.duplicate_ack;

    o.await_reordered = v.await_reordered && p.reorder_is_first && !v.fast_retransmit;
    if (v.start_wait) o.wait_us = settings.time_wait_us;
    else if (v.create) o.wait_us = settings.rto_initial_us;
    else if (o.await_reordered) o.wait_us = p.reorder_us;
    else o.wait_us = rto_after(connection, p, plan);
    o.remaining_class = p.remaining_class;

    if (connection.discarded || v.discard || v.create) o.unread = 1'b0;
    else if (v.in_order && v.accept_payload) o.unread = !v.accept_direct;
    else o.unread = v.delivered ? !p.deliver_all : !p.nothing_unread;
    o.window_update = v.may_send && p.edge_should_move && !connection.fin_received && plan.may_open;
    if (v.store) begin
      o.rx_skip = '0;
      o.rx_length = v.accept_to_edge ? d.edge_minus_seq[15:0] : ev.segment.payload_length;
    end else begin
      o.rx_skip = d.nxt_minus_seq[15:0];
      o.rx_length = v.accept_to_edge ? d.edge_minus_nxt[15:0] : p.new_payload;
    end
    o.deliver_seq = connection.rcv_read;
    o.deliver_length = |d.unread[31:16] ? '1 : d.unread[15:0];
    o.write_seq = v.store ? ev.segment.seq : connection.rcv_nxt;
    o.end_seq = connection.snd_end;
    o.freed = pages_freed(connection, ev, v, limits);
    o.page_there = is_page_there(connection, d, limits);
    o.takes_pages = move_pages(connection, ev, d, v, p, limits).takes;
    o.rx_pages = move_pages(connection, ev, d, v, p, limits).moved;
    o.unacked = d.unacked[31] ? '0 : d.unacked;
    o.tx_space = p.tx_space;
    return o;
  endfunction

  // The timer after the event, where something is unacknowledged or nothing is, and something is left to
  // send or nothing.
  function automatic timer_choice_t choose_timer(
      input connection_t connection, input tcp_event_t ev, input tcp_verdict_t v,
      input tcp_outlook_t o, input logic outstanding, input logic left);
    timer_choice_t c;
    c = '{timer: connection.timer, entries: EntriesAsBefore, default: '0};
    if (v.state == TcpClosed) begin
      c.timer = TimerNone;
    end else if (v.start_wait) begin
      c.timer = TimerWait;
      c.restart = 1'b1;
    end else if (v.create || v.timed_out_once) begin
      c.timer = TimerRetransmit;
      c.restart = 1'b1;
    end else if (v.probe_sent) begin
      c.restart = 1'b1;
    end else if (v.keepalive_tick || v.keepalive_probe) begin
      c.keepalive = 1'b1;
    end else if (v.may_send && outstanding) begin
      c.restart = (connection.timer != TimerRetransmit && connection.timer != TimerReorder)
          || v.advance_una || v.fast_retransmit || o.await_reordered;
      if (c.restart) c.timer = o.await_reordered ? TimerReorder : TimerRetransmit;
    end else if (v.may_send && left) begin
      c.restart = connection.timer != TimerPersist;
      c.blocked = c.restart;
      c.timer = TimerPersist;
    end else if (v.may_send && v.state != TcpFinWait2) begin
      c.keepalive = connection.keepalive && connection.timer != TimerKeepalive;
      c.timer = connection.keepalive ? TimerKeepalive : TimerNone;
    end

    if (v.is_event_of) begin
      if (v.state != TcpClosed && o.ack_timer) c.entries = EntriesAck;
      if (c.timer != TimerNone) begin
        if (c.restart) c.entries = EntriesRestarted;
        else if (c.keepalive) c.entries = EntriesKeepalive;
        else if (ev.kind == EvTimer) c.entries = EntriesKept;
      end
    end
    return c;
  endfunction

  // The numbers of an outlook compared with each other, and what becomes of the timer of `connection`
  // (tcp_update's) in each case.
  function automatic tcp_weights_t tcp_weigh(input connection_t connection, input tcp_event_t ev,
                                             input tcp_verdict_t v, input tcp_outlook_t o);
    tcp_weights_t w;
    w.data_window = compare17(o.data, o.window);
    w.data_cwnd = compare17(o.data, o.cwnd);
    w.data_segment = compare17(o.data, o.segment);
    w.window_cwnd = compare17(o.window, o.cwnd);
    w.segment_window = compare17(o.segment, o.window);
    w.segment_cwnd = compare17(o.segment, o.cwnd);
    w.max_data = compare17(o.sent_before, o.data);
    w.max_window = compare17(o.sent_before, o.window);
    w.max_cwnd = compare17(o.sent_before, o.cwnd);
    w.max_segment = compare17(o.sent_before, o.segment);
    w.data_any = o.data != '0;
    w.window_any = o.window != '0 && o.cwnd != '0;
    w.repeats = o.sent_before != '0;
    w.ack_classes = classes_to(o.ack_class);
    w.before_ack = o.ack_timer ? w.ack_classes : '1;
    w.kept_classes = classes_to(o.remaining_class) & w.before_ack;
    w.keepalive_classes = classes_to(o.keepalive_class) & w.before_ack;
    w.timer_sent = choose_timer(connection, ev, v, o, 1'b1, 1'b1);
    w.timer_blocked = choose_timer(connection, ev, v, o, 1'b0, 1'b1);
    w.timer_idle = choose_timer(connection, ev, v, o, 1'b0, 1'b0);
    return w;
  endfunction

endpackage
