// SPDX-License-Identifier: Apache-2.0

// Third step of a decision: carry the verdict out on the connection, and choose for the output step
// what is left to send from where.
package tcp_update_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_congestion_pkg::*;
  import toe_config_pkg::tcp_settings_t;

  localparam logic [15:0] MssMin = 16'd64;  // a peer that announces less gets this

  // The smallest window movement worth a segment of its own.
  function automatic logic [15:0] window_step(input tcp_limits_t limits);
    return limits.mss < {1'b0, limits.rx_window[15:1]} ? limits.mss
                                                       : {1'b0, limits.rx_window[15:1]};
  endfunction

  // What could be sent from a place, given its distances to the marks ahead of it.
  function automatic place_t look_from(
      input logic [31:0] to_end, input logic [31:0] to_limit, input logic [31:0] to_max);
    return '{
        data_left: saturate17(to_end),
        past_end: is_negative(to_end),
        window_left: saturate17(to_limit),
        max_left: saturate17(to_max)
    };
  endfunction

  // Room in the congestion window.
  function automatic logic [16:0] cwnd_left(input logic [23:0] cwnd, input logic [31:0] flight);
    logic [24:0] left = {1'b0, cwnd} - {1'b0, saturate24(flight)};
    return left[24] ? '0 : |left[23:17] ? '1 : left[16:0];
  endfunction

  // Beside the judgement: arithmetic that needs the differences but not the verdict.
  function automatic tcp_preparation_t tcp_prepare(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_preparation_t p;
    logic [23:0] mss = 24'(connection.mss);
    logic [23:0] half = {1'b0, d.nxt_minus_una[23:1]};
    logic [23:0] two_mss = {mss[22:0], 1'b0};
    logic [24:0] deflated;
    logic [31:0] estimate;
    logic [23:0] error_size;
    logic [15:0] offered;
    p.from_nxt = look_from(d.snd_end_minus_nxt, d.limit_minus_nxt, d.max_minus_nxt);
    if (ev.kind == EvTxWritten) p.from_nxt.data_left = d.snd_end_minus_nxt[16:0] + 17'(ev.length);
    // A retransmission repeats what was sent and adds nothing: the window may not allow it. (With the
    // FIN snd_max is past snd_end.)
    p.from_una = look_from(connection.fin_sent ? d.snd_end_minus_una : d.max_minus_una, '0,
                           d.max_minus_una);
    p.from_ack = look_from(
        connection.recovering && !d.ack_reaches_recover && !connection.fin_sent
            ? d.max_minus_ack : d.snd_end_minus_ack,
        d.limit_minus_ack, d.max_minus_ack);
    p.new_window_left = saturate17(d.new_limit_minus_nxt);
    p.cwnd_left_una = cwnd_left(connection.cwnd, d.nxt_minus_una);
    p.cwnd_left_ack = is_negative(d.nxt_minus_ack) ? saturate17(32'(connection.cwnd))
                                                   : cwnd_left(connection.cwnd, d.nxt_minus_ack);
    p.flight_empty_una = d.nxt_minus_una == '0;
    p.flight_empty_ack = d.nxt_minus_ack == '0 || is_negative(d.nxt_minus_ack);

    // The first sample R gives R + 4 (R / 2); later ones count from the next on.
    estimate = connection.rtt_known ? d.rto : d.rtt_sample + {d.rtt_sample[30:0], 1'b0};
    p.rto_estimate = estimate < settings.rto_min_us ? settings.rto_min_us
        : estimate > settings.rto_max_us ? settings.rto_max_us : estimate;
    p.rto_doubled = connection.rto >= {1'b0, settings.rto_max_us[31:1]}
        ? settings.rto_max_us : {connection.rto[30:0], 1'b0};
    p.remaining_class = is_negative(d.deadline_minus_now) ? '0
                                                          : timer_class_of(d.deadline_minus_now);

    p.rto_class = timer_class_of(connection.rto);
    p.initial_class = timer_class_of(settings.rto_initial_us);
    p.time_wait_class = timer_class_of(settings.time_wait_us);

    p.acked = saturate24(d.ack_minus_una);
    p.acked_or_mss = d.ack_minus_una < 32'(mss) ? d.ack_minus_una[23:0] : mss;
    p.half_flight = half < two_mss ? two_mss : half;
    p.credit = connection.cwnd_credit + d.ack_minus_una[23:0];
    deflated = {1'b0, connection.cwnd} - {1'b0, d.ack_minus_una[23:0]};
    p.deflated = deflated[24] ? '0 : deflated[23:0];
    error_size = d.rtt_error[31] ? ~d.rtt_error[23:0] : saturate24(d.rtt_error);
    p.deviation = {1'b0, error_size} - {1'b0, connection.rttvar};
    offered = ev.segment.mss == '0 ? TcpDefaultMss : ev.segment.mss;
    p.first_mss = offered < MssMin ? MssMin : offered < limits.mss ? offered : limits.mss;
    p.deliver_all = d.unread == 32'(ev.length);
    p.nothing_unread = d.unread == '0;
    p.edge_should_move = d.edge_growth >= 32'(window_step(limits));
    return p;
  endfunction

  // A connection begins with a SYN. What belongs to the id and not to the connection stays.
  function automatic connection_t create_connection(
      input connection_t old, input tcp_event_t ev, input tcp_state_e state,
      input tcp_preparation_t p, input tcp_limits_t limits, input tcp_settings_t settings);
    connection_t c;
    congestion_t congestion;
    c = '0;
    c.timer_entries = old.timer_entries;
    c.in_transmit_queue = old.in_transmit_queue;
    c.in_deliver_queue = old.in_deliver_queue;
    c.in_report_queue = old.in_report_queue;
    c.in_wait_queue = old.in_wait_queue;
    c.generation = old.generation + 1'b1;

    c.state = state;
    c.app = ev.app;
    c.tuple = ev.segment.tuple;
    c.snd_una = ev.isn;
    c.snd_nxt = ev.isn + 32'd1;
    c.snd_max = c.snd_nxt;
    c.snd_end = c.snd_nxt;
    c.snd_limit = c.snd_nxt;
    c.snd_wl1 = ev.segment.seq;
    c.snd_wl2 = ev.isn;
    c.mss = p.first_mss;
    congestion = congestion_start(c.mss);
    {c.cwnd, c.ssthresh, c.cwnd_credit} = congestion;
    c.recover = ev.isn;
    c.rcv_nxt = ev.segment.seq + 32'd1;
    c.rcv_read = c.rcv_nxt;
    c.rcv_edge = ev.segment.seq + 32'd1 + 32'(limits.rx_window);
    c.rto = settings.rto_initial_us;
    c.rtt_timing = 1'b1;
    c.rtt_seq = ev.isn;
    c.rtt_start = ev.now_us;
    return c;
  endfunction

  // RFC 6298 section 2, in shifts and adds.
  function automatic connection_t take_rtt_sample(
      input connection_t connection, input tcp_differences_t d, input tcp_preparation_t p);
    connection_t c;
    logic [24:0] error_eighth;
    c = connection;
    c.rtt_timing = 1'b0;
    c.rtt_known = 1'b1;
    c.rto = p.rto_estimate;
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

  // The connection after the event, output not counted.
  function automatic connection_t tcp_update(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_limits_t limits,
      input tcp_settings_t settings);
    connection_t c;
    c = connection;
    if (v.advance_una && connection.rtt_timing && d.ack_passes_rtt_seq)
      c = take_rtt_sample(connection, d, p);
    c.state = v.state;

    // Acknowledgement.
    if (v.advance_una) begin
      c.snd_una = ev.segment.ack;
      if (is_negative(d.nxt_minus_ack)) c.snd_nxt = ev.segment.ack;
      c.duplicate_acks = '0;
    end else if (v.duplicate_ack && connection.duplicate_acks != 2'd3) begin
      c.duplicate_acks = connection.duplicate_acks + 1'b1;
    end
    if (v.take_window) begin
      c.snd_limit = ev.window_end;
      c.snd_wl1 = ev.segment.seq;
      c.snd_wl2 = ev.segment.ack;
    end
    {c.cwnd, c.ssthresh, c.cwnd_credit} = congestion_update(connection, v, p);
    if (v.fast_retransmit) c.recovering = 1'b1;
    if (v.leave_recovery || v.timed_out_once) c.recovering = 1'b0;
    if (v.fast_retransmit || v.timed_out_once) c.recover = connection.snd_max;
    if (v.timed_out_once) begin
      c.snd_nxt = connection.snd_una;
      c.duplicate_acks = '0;
    end
    if (v.timed_out_once || v.fast_retransmit || v.partial_ack) c.rtt_timing = 1'b0;

    // Back-off (RFC 6298 section 5.5): until a segment that was sent once gives a new sample. A
    // window that opens ends that of the probes.
    if (v.timed_out_once || v.probe_sent) c.rto = p.rto_doubled;
    else if (connection.timer == TimerPersist && v.take_window && ev.segment.window != '0
             && connection.rtt_known)
      c.rto = p.rto_estimate;
    if (v.advance_una || (connection.timer == TimerPersist && v.peer_heard)) c.unanswered = '0;
    else if ((v.timed_out_once || v.probe_sent) && connection.unanswered != '1)
      c.unanswered = connection.unanswered + 1'b1;

    // Text and FIN.
    if (v.accept_payload || v.accept_fin)
      c.rcv_nxt = v.accept_to_edge ? connection.rcv_edge : ev.segment_end;
    if (v.accept_fin) begin
      c.fin_received = 1'b1;
      c.report_peer_closed = 1'b1;
    end

    // Calls.
    if (v.close) c.fin_queued = 1'b1;
    if (v.grant_tx) c.writing = 1'b1;
    if (ev.kind == EvTxWritten) c.writing = 1'b0;
    if (v.written) c.snd_end = connection.snd_end + 32'(ev.length);
    if (v.deliver) c.delivering = 1'b1;
    if (v.delivered) begin
      c.delivering = 1'b0;
      if (!connection.discarded) c.rcv_read = connection.rcv_read + 32'(ev.length);
      if (p.edge_should_move) c.rcv_edge = connection.rcv_edge + d.edge_growth;
    end

    // News for the application.
    if (v.report_accepted) c.report_accepted = 1'b1;
    if (v.report_acked) c.report_acked = 1'b1;
    if (v.report_final != FinalNone) c.report_final = v.report_final;
    if (v.discard) begin
      c.discarded = 1'b1;
      c.report_peer_closed = 1'b0;
    end
    if (v.tell) begin
      unique case (v.tell_kind)
        EventAccepted: c.report_accepted = 1'b0;
        EventAcked: c.report_acked = 1'b0;
        EventPeerClosed: c.report_peer_closed = 1'b0;
        default: begin
          c.report_final = FinalNone;
          c.final_reported = 1'b1;
        end
      endcase
    end

    if (v.create) c = create_connection(connection, ev, v.state, p, limits, settings);

    // Entries that this event took from a queue.
    if (ev.kind == EvTransmit) c.in_transmit_queue = 1'b0;
    if (ev.kind == EvDeliver) c.in_deliver_queue = 1'b0;
    if (ev.kind == EvReport) c.in_report_queue = 1'b0;
    if (ev.kind == EvRecycle) c.in_wait_queue = 1'b0;
    if (ev.kind == EvTimer) c.timer_entries[ev.timer_class] = 1'b0;
    return c;
  endfunction

  // What output needs to know, for the place that sending goes on from. `after` is tcp_update's.
  function automatic tcp_outlook_t tcp_look_out(
      input connection_t connection, input connection_t after, input tcp_event_t ev,
      input tcp_differences_t d, input tcp_verdict_t v, input tcp_preparation_t p,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_outlook_t o;
    logic from_una;
    logic from_ack;
    place_t place;
    o.retransmit = v.fast_retransmit || v.partial_ack;
    o.go_back = v.timed_out_once;
    from_ack = v.advance_una && (o.retransmit || is_negative(d.nxt_minus_ack));
    from_una = o.go_back || v.fast_retransmit;

    place = from_ack ? p.from_ack : from_una ? p.from_una : p.from_nxt;
    o.base = from_ack ? ev.segment.ack : from_una ? connection.snd_una : connection.snd_nxt;
    o.data = place.data_left;
    // Bytes that the application is still writing go before the FIN.
    o.fin_left = (connection.fin_queued || v.close) && !place.past_end
        && (!connection.writing || ev.kind == EvTxWritten)
        && (!(o.retransmit || o.go_back) || connection.fin_sent);
    if (!v.take_window) o.window = place.window_left;
    else o.window = from_ack ? 17'(ev.segment.window) : p.new_window_left;
    o.cwnd = v.advance_una ? p.cwnd_left_ack : p.cwnd_left_una;
    o.segment = 17'(connection.mss);
    o.data_window = compare17(o.data, o.window);
    o.data_cwnd = compare17(o.data, o.cwnd);
    o.data_segment = compare17(o.data, o.segment);
    o.window_cwnd = compare17(o.window, o.cwnd);
    o.segment_window = compare17(o.segment, o.window);
    o.segment_cwnd = compare17(o.segment, o.cwnd);
    o.max_data = compare17(place.max_left, o.data);
    o.max_window = compare17(place.max_left, o.window);
    o.max_cwnd = compare17(place.max_left, o.cwnd);
    o.max_segment = compare17(place.max_left, o.segment);
    o.data_any = place.data_left != '0;
    o.window_any = o.window != '0 && o.cwnd != '0;
    o.plain = v.reply == ReplyNone || v.reply == ReplyAck;
    o.repeats = place.max_left != '0;
    o.flight_empty = v.advance_una ? p.flight_empty_ack : p.flight_empty_una;
    o.all_acked = v.advance_una ? d.ack_is_max : d.una_is_max;
    o.cwnd_grew = v.advance_una || v.duplicate_ack;

    if (v.start_wait) begin
      o.wait_us = settings.time_wait_us;
      o.wait_class = p.time_wait_class;
    end else if (v.create) begin
      o.wait_us = settings.rto_initial_us;
      o.wait_class = p.initial_class;
    end else begin
      o.wait_us = v.timed_out_once || v.probe_sent ? p.rto_doubled : connection.rto;
      o.wait_class = p.rto_class;
    end
    o.remaining_class = p.remaining_class;
    o.if_restarted = add_entry(after.timer_entries, o.wait_class);
    o.if_kept = add_entry(after.timer_entries, o.remaining_class);

    if (connection.discarded || v.discard || v.create) o.unread = 1'b0;
    else if (v.accept_payload) o.unread = 1'b1;
    else o.unread = v.delivered ? !p.deliver_all : !p.nothing_unread;
    o.window_update = v.delivered && v.may_send && p.edge_should_move && !connection.fin_received;
    o.rx_skip = d.nxt_minus_seq[15:0];
    o.rx_length = v.accept_to_edge ? d.edge_minus_nxt[15:0]
                                   : ev.segment.payload_length - d.nxt_minus_seq[15:0];
    o.deliver_seq = connection.rcv_read;
    o.deliver_length = |d.unread[31:16] ? '1 : d.unread[15:0];
    o.write_seq = connection.rcv_nxt;
    o.unacked = d.unacked[31] ? '0 : d.unacked;
    o.tx_space = 32'(limits.tx_ring_bytes) - d.unacked;
    return o;
  endfunction

endpackage
