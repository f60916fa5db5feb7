// SPDX-License-Identifier: Apache-2.0

// First step of a decision: every wide subtraction and comparison that the later steps need, side by
// side and one carry chain deep or two; and what follows from a few of their signs, beside them or in a
// step of its own.
package tcp_compare_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_congestion_pkg::seven_tenths;
  import tcp_pieces_pkg::*;
  import tcp_receive_pages_pkg::pages_between;
  import tcp_receive_pages_pkg::pages_passed;
  import toe_config_pkg::tcp_settings_t;

  // R2: with data_retries all ones data may go without an answer for so long, however often it is sent
  // again meanwhile, which depends on the least timeout.
  localparam logic [31:0] PatienceUs = 32'd100_000_000;

  // The window that a segment tells (RFC 7323 section 2.3: a SYN's is not scaled).
  function automatic logic [31:0] window_of(input connection_t connection,
                                            input tcp_segment_t segment);
    logic [3:0] scale = segment.flags.syn ? 4'd0 : connection.snd_scale;
    return 32'(segment.window) << scale;
  endfunction

  // What is known before the connection is.
  function automatic tcp_words_t tcp_read(input tcp_event_t ev);
    tcp_words_t w;
    w.place = ev.kind == EvSack ? ev.segment.sack.left : ev.segment.ack;
    w.from_rtx = ev.kind == EvTransmit;
    w.taken = '0;
    if (ev.kind == EvDelivered || (ev.kind == EvSegment && ev.segment.direct)) w.taken = ev.length;
    w.has_payload = ev.segment.payload_length != '0;
    w.occupies_space = w.has_payload || ev.segment.flags.syn || ev.segment.flags.fin;
    w.ts_age = ev.ts_now - ev.segment.options.ts_echo;
    return w;
  endfunction

  // What a comparison needs that is itself chosen.
  function automatic tcp_marks_t tcp_mark(input connection_t connection, input tcp_event_t ev,
                                          input tcp_words_t words);
    tcp_marks_t m;
    logic [31:0] ts_age = words.ts_age + connection.ts_offset;
    logic by_timestamp = connection.rtt_spoiled && connection.ts_ok
        && ev.segment.options.has_timestamps;
    m.window = window_of(connection, ev.segment);
    m.place = words.from_rtx ? connection.rtx_next : words.place;
    m.last = last_right(connection.sacked);
    m.taken = words.taken;
    m.nxt_minus_ack = connection.snd_nxt - ev.segment.ack;
    // RFC 5961 section 5.2, with the largest window that the peer could tell.
    m.oldest_ack = connection.snd_una - (32'hffff << connection.snd_scale);
    m.has_payload = words.has_payload;
    m.occupies_space = words.occupies_space;
    m.opening = connection.state == TcpSynSent || connection.state == TcpSynReceived;
    m.stalled_us = ev.now_us - connection.progress_us;
    // Our own time stamps, echoed: too coarse to be used where a segment was timed, but good for a
    // segment that was sent more than once.
    m.ts_measures = by_timestamp && ts_age[31:22] == '0;
    m.deadline_minus_now = connection.deadline - ev.now_us;
    m.ack_deadline_minus_now = connection.ack_deadline - ev.now_us;
    m.rtt_sample = by_timestamp ? {ts_age[21:0], 10'd512} : ev.now_us - connection.rtt_start;
    return m;
  endfunction

  // The last of a sorted list.
  function automatic seq_t last_right(input pieces_t pieces);
    last_right = pieces[0].right;
    for (int i = 1; i < Gaps; i++) if (pieces[i].valid) last_right = pieces[i].right;
  endfunction

  // RFC 9293 section 3.10.7.4, first check: some of the segment lies in the receive window.
  function automatic logic is_acceptable(input tcp_differences_t d, input logic occupies_space);
    logic starts_before_edge = !is_negative(d.edge_minus_seq) && !d.edge_is_seq;
    logic ends_after_nxt = !is_negative(d.end_minus_nxt) && !d.end_is_nxt;
    logic starts_after_nxt = is_negative(d.nxt_minus_seq);
    if (occupies_space) return starts_before_edge && ends_after_nxt;
    return d.seq_is_nxt || (starts_after_nxt && starts_before_edge);
  endfunction

  // RFC 6191 section 2: a SYN that cannot be of the connection in TIME_WAIT opens the next one.
  function automatic logic is_reuse(input connection_t connection, input tcp_event_t ev,
                                    input tcp_differences_t d);
    logic new_one = is_negative(d.nxt_minus_seq);
    if (ev.segment.options.has_timestamps) begin
      if (!connection.ts_ok) new_one = 1'b1;
      else if (d.ts_is_old) new_one = 1'b0;
      else if (!d.ts_is_recent) new_one = 1'b1;
    end
    return d.may_be_reused && ev.may_open && new_one;
  endfunction

  // How often is sent again what waits for an answer: a SYN, a SYN-ACK, a keepalive probe, or data.
  function automatic logic [3:0] retries_of(input connection_t connection, input logic opening,
                                            input tcp_settings_t settings);
    return opening && connection.active ? settings.syn_retries
        : opening ? settings.syn_ack_retries
        : HasKeepalive && connection.timer == TimerKeepalive ? settings.keepalive_probes
        : settings.data_retries;
  endfunction

  // What waits for an answer is data, and not a SYN or a probe of keepalive.
  function automatic logic is_data(input connection_t connection, input logic opening);
    return !opening && !(HasKeepalive && connection.timer == TimerKeepalive);
  endfunction

  function automatic patience_t patience_of(input connection_t connection, input logic opening,
                                            input tcp_settings_t settings);
    if (!is_data(connection, opening)) return '0;
    if (connection.user_timeout != '0) return '{of_connection: 1'b1, default: '0};
    if (settings.user_timeout_us != '0) return '{of_settings: 1'b1, default: '0};
    return '{of_time: settings.data_retries == '1, default: '0};
  endfunction

  // What is sent was sent often enough, or has waited long enough for an answer (RFC 9293 section 3.8.3).
  function automatic logic is_hopeless(input tcp_differences_t d);
    return d.out_of_retries || (d.patience & d.overdue) != '0;
  endfunction

  // What is left empty by tcp_compare.
  function automatic tcp_checks_t tcp_check(input connection_t connection, input tcp_event_t ev,
                                            input tcp_differences_t d, input tcp_limits_t limits,
                                            input tcp_settings_t settings);
    tcp_checks_t c;
    tcp_flags_t flags = ev.segment.flags;
    logic syn_received = connection.state == TcpSynReceived;
    logic syn_crossed;
    logic [Gaps-1:0] joins = touched(d.stored);
    c = '0;
    c.of_peer = ev.kind == EvSegment || ev.kind == EvSack || ev.kind == EvIcmp;
    c.of_time = ev.kind == EvTimer || ev.kind == EvRecycle;
    c.of_block = ev.kind == EvSack;
    c.of_error = ev.kind == EvIcmp;
    c.of_segment = ev.kind == EvSegment;
    c.of_timer = ev.kind == EvTimer;
    c.of_turn = ev.kind == EvTransmit;
    c.of_written = ev.kind == EvTxWritten;
    c.half_open = syn_received && !connection.active;
    c.follows = connection.state == TcpTimeWait && d.isn_is_behind;
    c.syn_was_lost = d.opening && connection.unanswered != '0;
    c.closes_window = ev.segment.window == '0;
    c.ends_probing = connection.timer == TimerPersist && connection.rtt_known
        && !c.closes_window;
    c.hopeless = is_hopeless(d);
    c.idle_is_short = connection.idle_ticks < settings.keepalive_idle;
    c.deadline_passed = is_negative(d.deadline_minus_now) || d.deadline_is_now;
    if (ev.kind != EvRecycle) c.due = connection.timer != TimerNone && c.deadline_passed;
    else if (ev.opening) c.due = c.half_open && !connection.opening_entry_old;
    else c.due = connection.state == TcpTimeWait;
    c.ack_deadline_passed = is_negative(d.ack_deadline_minus_now) || d.ack_deadline_is_now;
    c.all_read = d.unread == '0;
    c.ring_fits = {1'b0, d.unacked[20:0]} + 22'(ev.length) <= {1'b0, limits.tx_ring_bytes};
    c.ring_some = c.ring_fits || (ev.partial && d.unacked[20:0] < limits.tx_ring_bytes);
    // RFC 7323 section 5.3. A reset is taken without a time stamp, and its own is not (section 5.2).
    c.bad_timestamp = connection.ts_ok && !flags.rst
        && (!ev.segment.options.has_timestamps || d.ts_is_old);
    c.ack_future = is_negative(d.max_minus_ack);
    c.ack_old = is_negative(d.ack_minus_una);
    c.ack_new = !c.ack_future && !c.ack_old && !d.ack_is_una;
    c.acceptable = is_acceptable(d, d.occupies_space && ev.kind != EvSack);
    // Simultaneous open: the peer's SYN again, now with the acknowledgement of ours.
    syn_crossed = syn_received && connection.active && flags.syn && d.end_is_nxt
        && !d.has_payload && !flags.fin;
    // With the window closed nothing fits, but an acknowledgement right at the edge still counts; so
    // does that of what we had last, which is how peers probe a closed window. A peer that has filled
    // the window behind a gap acknowledges from its edge.
    c.ack_counts = c.acceptable
        || (!flags.rst && !flags.syn && (d.seq_is_nxt || (d.end_is_nxt && !syn_received)
            || (d.edge_is_seq && !d.occupies_space && !syn_received)))
        || (!flags.rst && syn_crossed);
    c.window_is_same = d.limit_minus_ack == d.new_limit_minus_ack;
    c.window_is_newer = d.seq_passes_wl1 || (d.seq_is_wl1 && d.ack_reaches_wl2);
    c.sack_possible = connection.sack_ok
        && (connection.stored[0].valid || (c.of_segment && !d.seq_is_nxt));
    c.ack_too_old = c.ack_old && d.ack_before_oldest;
    c.fin_acked = connection.fin_sent && d.ack_is_max;
    c.nothing_new = !is_positive(d.snd_end_minus_nxt) || !is_positive(d.limit_minus_nxt);
    c.reuses = is_reuse(connection, ev, d);
    for (int i = 0; i < Gaps; i++) begin
      c.joins_fin |= joins[i] && connection.stored[i].fin;
      if (connection.stored[i].valid) begin
        if (connection.stored[i].fin)
          c.contradicts |= !d.stored[i].ends_after && !d.stored[i].ends_with;
        if (flags.fin) c.contradicts |= d.stored[i].ends_after;
      end
    end
    // With the window closed there are none, even if the segment goes on beyond it.
    c.has_new_bytes = d.has_payload && d.edge_minus_nxt != '0
        && !(flags.fin && d.end_minus_nxt[31:1] == '0);
    c.stored_within = is_within(d.stored);
    c.stored_room = has_room(d.stored);
    c.sacked_within = is_within(d.sacked);
    c.sacked_room = has_room(d.sacked);
    return c;
  endfunction

  function automatic tcp_differences_t tcp_compare(
      input connection_t connection, input tcp_event_t ev, input tcp_marks_t marks,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_differences_t d;
    seq_t seq = ev.segment.seq;
    seq_t ack = ev.segment.ack;
    logic [16:0] limited;

    d.has_payload    = marks.has_payload;
    d.occupies_space = marks.occupies_space;
    d.nxt_minus_seq  = connection.rcv_nxt - seq;
    d.seq_is_nxt     = connection.rcv_nxt == seq;
    d.end_minus_nxt  = ev.segment_end - connection.rcv_nxt;
    d.end_is_nxt     = ev.segment_end == connection.rcv_nxt;
    d.edge_minus_seq = connection.rcv_edge - seq;
    d.edge_is_seq    = connection.rcv_edge == seq;
    d.edge_minus_end = connection.rcv_edge - ev.segment_end;
    d.edge_minus_nxt = connection.rcv_edge - connection.rcv_nxt;
    d.stored         = relate(connection.stored, seq, ev.segment_end);
    d.acked_reaches_seq = seq_le(seq, connection.rcv_acked);
    d.urgent_is_ahead = seq_lt(connection.rcv_up, ev.segment.urgent)
        && seq_lt(connection.rcv_read, ev.segment.urgent);
    d.up_is_read = seq_le(connection.rcv_up, connection.rcv_read);
    d.isn_is_behind = seq_le(ev.isn, connection.snd_max);
    // RFC 7323 section 5.5: after 24 days any time stamp is new.
    d.ts_is_old = seq_lt(ev.segment.options.ts_value, connection.ts_recent)
        && ev.ts_now[31:20] - connection.ts_recent_age < 12'd1980;
    d.ts_is_recent = ev.segment.options.ts_value == connection.ts_recent;
    d.may_be_reused = connection.state == TcpTimeWait && connection.final_reported;

    d.sacked = relate(connection.sacked, marks.place, ev.segment.sack.right);
    d.block_is_ahead = seq_lt(connection.snd_una, ev.segment.sack.left)
        && seq_lt(ev.segment.sack.left, ev.segment.sack.right)
        && seq_le(ev.segment.sack.right, connection.snd_max);
    // A repetition ends the timing of a round trip, and new data begins the next one.
    d.block_is_later = connection.rtt_timing
        && seq_lt(connection.rtt_seq, ev.segment.sack.right);
    d.rtx_past_ack = seq_lt(ack, connection.rtx_next);
    for (int i = 0; i < Gaps; i++) begin
      // From the last one on: so each is a sum of its own, and waits for no other.
      d.covered_to[i] = '0;
      for (int j = i; j >= 0; j--) begin
        d.covered_to[i] += connection.sacked[j].valid
            ? 22'(connection.sacked[j].right - connection.sacked[j].left) : '0;
      end
      d.gap_before[i] = '0;
      d.rtx_to_piece[i] = 22'(connection.sacked[i].left - connection.rtx_next);
    end
    for (int i = 1; i < Gaps; i++) begin
      d.gap_before[i] = 22'(connection.sacked[i].left - connection.sacked[i-1].right);
    end
    d.hole_at_una = 22'(connection.sacked[0].left - connection.snd_una);
    d.sack_flight = 22'(connection.snd_max - marks.last + connection.rtx_next - connection.snd_una);
    d.last_minus_rtx = 22'(marks.last - connection.rtx_next);
    d.rtx_minus_una = 22'(connection.rtx_next - connection.snd_una);

    d.ack_minus_una  = ack - connection.snd_una;
    d.ack_is_una     = ack == connection.snd_una;
    d.ack_before_oldest = seq_lt(ack, marks.oldest_ack);
    d.max_minus_ack  = connection.snd_max - ack;
    d.ack_is_max     = ack == connection.snd_max;
    d.mss_is_less    = ev.segment.mss < connection.mss;
    d.una_is_max     = connection.snd_una == connection.snd_max;
    d.ack_reaches_recover = seq_le(connection.recover, ack);
    d.una_reaches_recover = seq_le(connection.recover, connection.snd_una);
    d.ack_passes_rtt_seq  = seq_lt(connection.rtt_seq, ack);
    d.seq_passes_wl1 = seq_lt(connection.snd_wl1, seq);
    d.seq_is_wl1 = connection.snd_wl1 == seq;
    d.ack_reaches_wl2 = seq_le(connection.snd_wl2, ack);

    d.snd_end_minus_nxt = connection.snd_end - connection.snd_nxt;
    d.snd_end_minus_una = connection.snd_end - connection.snd_una;
    d.snd_end_minus_ack = connection.snd_end - ack;
    d.limit_minus_nxt   = connection.snd_limit - connection.snd_nxt;
    d.limit_minus_ack   = connection.snd_limit - ack;
    d.nxt_minus_una = connection.snd_nxt - connection.snd_una;
    d.nxt_minus_ack = marks.nxt_minus_ack;
    d.window_edge = ack + marks.window;
    d.new_limit_minus_nxt = marks.window - marks.nxt_minus_ack;
    d.new_limit_minus_ack = marks.window;
    d.max_minus_nxt = connection.snd_max - connection.snd_nxt;
    d.max_minus_una = connection.snd_max - connection.snd_una;

    // One chain: the FIN, counted in rcv_nxt, is the borrow.
    d.unread = connection.rcv_nxt + ~connection.rcv_read + 32'(!connection.fin_received);
    d.edge_growth = connection.rcv_read - connection.rcv_edge
        + (32'(limits.rx_window) + 32'(marks.taken));
    d.unacked = connection.snd_end - connection.snd_una;
    d.pages_to_end =
        pages_between(connection.rcv_read, seq + 32'(ev.segment.payload_length), limits);
    d.pages_to_edge = pages_between(connection.rcv_read, connection.rcv_edge, limits);
    d.pages_read = pages_passed(connection.rcv_read, ev.length, limits);
    d.all_acked = connection.rcv_acked == connection.rcv_nxt;

    d.deadline_minus_now = marks.deadline_minus_now;
    d.deadline_is_now = marks.deadline_minus_now == '0;
    d.ack_deadline_minus_now = marks.ack_deadline_minus_now;
    d.ack_deadline_is_now = marks.ack_deadline_minus_now == '0;
    d.opening = marks.opening;
    d.out_of_retries = connection.unanswered >= retries_of(connection, d.opening, settings)
        && !(is_data(connection, d.opening) && settings.data_retries == '1);
    d.patience = patience_of(connection, d.opening, settings);
    // Each is compared by itself: which of them counts is known as late as the results.
    d.overdue.of_connection = marks.stalled_us >= {1'b0, connection.user_timeout, 17'b0};
    d.overdue.of_settings = marks.stalled_us >= settings.user_timeout_us;
    d.overdue.of_time = marks.stalled_us >= PatienceUs;
    d.challenge_age_us = ev.now_us - connection.challenge_us;
    d.rtt_sample = marks.rtt_sample;
    d.rtt_error = marks.rtt_sample - 32'(connection.srtt);
    d.ts_measures = marks.ts_measures;
    d.rtt_and_deviation = 26'(connection.srtt) + {1'b0, connection.rttvar, 1'b0}
        + 26'(connection.rttvar);
    unique case (connection.limited_sent)
      2'd0: limited = '0;
      2'd1: limited = {1'b0, connection.mss};
      default: limited = {connection.mss, 1'b0};
    endcase
    d.flight = connection.snd_nxt - connection.snd_una - 32'(limited);
    d.cwnd_share = seven_tenths(connection.cwnd);
    d.generation_is_same = ev.session_in_range && connection.generation == ev.generation;
    d.checks = '0;
    return d;
  endfunction

endpackage
