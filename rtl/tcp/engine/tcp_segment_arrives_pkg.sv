// SPDX-License-Identifier: Apache-2.0

// SEGMENT ARRIVES (RFC 9293 section 3.10.7), with the reset and SYN rules of RFC 5961, and what ICMP
// says of a segment that we sent (section 3.9.2.2).
package tcp_segment_arrives_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_pieces_pkg::*;
  import tcp_receive_pages_pkg::lacks_receive_pages;

  // A segment that comes while our SYN waits for its answer (section 3.10.7.3). Text and FIN that
  // come with the SYN are left: they are not acknowledged and come again.
  function automatic tcp_verdict_t judge_syn_sent(input tcp_event_t ev, input tcp_differences_t d);
    tcp_verdict_t v;
    tcp_flags_t flags = ev.segment.flags;
    logic has_payload = d.has_payload;
    logic syn_acked = d.checks.ack_new;
    v = '0;
    v.state = TcpSynSent;
    v.is_event_of = 1'b1;
    v.has_payload = has_payload;

    if (flags.ack && !syn_acked) begin
      // First: ACK.
      v.counts.bad_ack = 1'b1;
      if (!flags.rst) begin
        v.reply = ReplyResetAnswer;
        v.counts.resets_out = 1'b1;
      end
    end else if (flags.rst && flags.ack) begin
      // Second: RST. The peer refuses.
      v.state = TcpClosed;
      v.remove = 1'b1;
      v.discard = 1'b1;
      v.report_final = FinalReset;
      v.counts.resets_in = 1'b1;
      v.counts.reset_connections = 1'b1;
    end else if (flags.rst || !flags.syn) begin
      v.counts.out_of_window = 1'b1;
    end else begin
      // Fourth: SYN.
      v.take_syn = 1'b1;
      v.counts.out_of_order = has_payload;
      if (flags.ack) begin
        v.state = TcpEstablished;
        v.advance_una = 1'b1;
        v.take_window = 1'b1;
        v.reply = ReplyAck;
        v.may_send = 1'b1;
        v.report_accepted = 1'b1;
        v.counts.opened = 1'b1;
      end else begin
        // Simultaneous open.
        v.state = TcpSynReceived;
        v.reply = ReplySyn;
      end
    end
    return v;
  endfunction

  // A segment of a connection that exists (section 3.10.7.4).
  function automatic tcp_verdict_t judge_segment(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_differences_t d,
                                                 input tcp_limits_t limits);
    tcp_verdict_t v;
    tcp_flags_t flags = ev.segment.flags;
    logic has_payload = d.has_payload;
    logic occupies_space = d.occupies_space;
    logic acceptable = d.checks.acceptable;
    logic ack_counts = d.checks.ack_counts;
    logic syn_received = connection.state == TcpSynReceived;
    logic takes_text;
    logic in_order = !is_negative(d.nxt_minus_seq);
    logic past_edge = is_negative(d.edge_minus_end);
    logic ack_future = d.checks.ack_future;
    logic ack_old = d.checks.ack_old;
    logic ack_new = d.checks.ack_new;
    logic ack_good;  // the segment goes on to its text
    logic fin_acked;
    logic fin_taken;
    logic says_ack_alone = !has_payload && !flags.fin;
    logic has_timestamps = ev.segment.options.has_timestamps;
    logic bad_timestamp = d.checks.bad_timestamp;
    // The application has its payload: its peek has found it good (tcp_peek_pkg), and it is next as
    // everything before it has proved good. An acknowledgement or a time stamp that segments between
    // have made old does not take it back.
    logic direct = ev.segment.direct && d.seq_is_nxt && d.checks.all_read;

    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;
    v.has_payload = has_payload;
    ack_good = 1'b0;
    fin_acked = 1'b0;
    fin_taken = 1'b0;
    takes_text = 1'b0;

    // First: sequence number.
    if (bad_timestamp && !direct) begin
      v.counts.timestamp = 1'b1;
      if (has_timestamps) begin
        v.reply = ReplyAck;
        v.challenge = 1'b1;
      end
      return v;
    end
    v.take_timestamp = connection.ts_ok && has_timestamps && d.acked_reaches_seq && ack_counts
        && !bad_timestamp && !flags.rst;
    v.repeats = occupies_space && in_order && !d.seq_is_nxt;
    if (!acceptable) begin
      v.counts.duplicate = in_order && occupies_space;
      v.counts.out_of_window = !(in_order && occupies_space);
      if (!flags.rst) begin
        // A repeated SYN wants the SYN-ACK again, anything else an ACK that says where we are.
        v.reply = syn_received && flags.syn && !flags.ack ? ReplySyn : ReplyAck;
        v.start_wait = connection.state == TcpTimeWait && flags.fin;
      end
    end

    if (acceptable && flags.rst) begin
      // Second: RST, taken at rcv_nxt alone (RFC 5961 section 3.2).
      if (d.seq_is_nxt) begin
        v.state = TcpClosed;
        v.remove = 1'b1;
        v.discard = 1'b1;
        v.counts.resets_in = 1'b1;
        if (syn_received && !connection.active) begin
          v.release_id = 1'b1;  // the application never heard of it
        end else if (connection.state == TcpTimeWait) begin
          v.release_id = connection.final_reported;
          v.discard = 1'b0;
        end else begin
          v.report_final = FinalReset;
          v.counts.reset_connections = 1'b1;
        end
      end else begin
        v.reply = ReplyAck;
        v.challenge = 1'b1;
        v.counts.out_of_window = 1'b1;
      end
    end else if (acceptable && flags.syn && syn_received && !connection.active) begin
      // Fourth: SYN. Whoever began this begins anew: back to LISTEN, and the next SYN opens.
      v.state = TcpClosed;
      v.remove = 1'b1;
      v.discard = 1'b1;
      v.release_id = 1'b1;
      v.counts.syn = 1'b1;
    end else if (acceptable && flags.syn) begin
      // Fourth: SYN in the window, answered by a challenge ACK (RFC 5961 section 4.2).
      v.reply = ReplyAck;
      v.challenge = 1'b1;
      v.counts.syn = 1'b1;
    end else if (ack_counts && !flags.ack) begin
      // Fifth: ACK.
      v.counts.no_ack = acceptable;
    end else if (ack_counts && syn_received) begin
      if (ack_new) begin
        // The application that opened it may have closed already.
        v.state = connection.fin_queued ? TcpFinWait1 : TcpEstablished;
        v.advance_una = 1'b1;
        v.take_window = 1'b1;
        v.report_accepted = 1'b1;
        v.counts.accepted = !connection.active;
        v.counts.opened = connection.active;
        ack_good = 1'b1;
      end else begin
        v.reply = ReplyResetAnswer;
        v.counts.bad_ack = acceptable;  // otherwise counted above
        v.counts.resets_out = 1'b1;
      end
    end else if (ack_counts && (ack_future || d.checks.ack_too_old) && !direct) begin
      v.reply = ReplyAck;
      v.challenge = 1'b1;
      v.counts.bad_ack = acceptable;  // otherwise counted above
    end else if (ack_counts) begin
      ack_good = 1'b1;
      v.peer_heard = !ack_old;
      v.advance_una = ack_new;
      v.report_acked = ack_new;
      v.take_window = !ack_old && d.checks.window_is_newer;
      if (ack_new) begin
        v.leave_recovery = connection.recovering && d.ack_reaches_recover;
        v.partial_ack = connection.recovering && !d.ack_reaches_recover;
      end else if (d.ack_is_una && !d.una_is_max
                   && (connection.sack_ok ? connection.sack_news
                                          : says_ack_alone && d.checks.window_is_same)) begin
        // RFC 5681 section 2; with SACK, RFC 6675 section 2.
        v.duplicate_ack = 1'b1;
        v.may_recover = !connection.recovering && d.una_reaches_recover;
        v.fast_retransmit = v.may_recover && connection.duplicate_acks == 2'd2;
        // One or two duplicates, and no more to come if the loss was near the end of the flight.
        v.await_reordered = v.may_recover && connection.sack_ok && connection.rtt_known
            && connection.timer == TimerRetransmit;
        v.counts.fast_retransmits = v.fast_retransmit;
      end
      fin_acked = d.checks.fin_acked;
    end

    if (ack_good) begin
      unique case (connection.state)
        TcpFinWait1: if (fin_acked) v.state = TcpFinWait2;
        TcpClosing: if (fin_acked) v.state = TcpTimeWait;
        TcpLastAck:
        if (fin_acked) begin
          v.state = TcpClosed;
          v.remove = 1'b1;
          v.report_final = FinalClosed;
          v.counts.closed_connections = 1'b1;
        end
        default: ;
      endcase

      // Seventh: text, and eighth: FIN.
      takes_text = connection.state == TcpSynReceived || connection.state == TcpEstablished
          || connection.state == TcpFinWait1 || connection.state == TcpFinWait2;
      if (acceptable && occupies_space) begin
        v.reply = ReplyAck;
        // What would lie beyond a FIN, or a FIN before what is there, is not taken.
        if (takes_text && d.checks.contradicts) begin
          v.counts.duplicate = 1'b1;
        end else if (takes_text && !(KeepsGaps && d.checks.stored_within) && lacks_receive_pages(
                connection, ev, d, past_edge, limits
            )) begin
          // As if the window had no room for it: it comes again.
          v.counts.no_page = 1'b1;
        end else if (takes_text && in_order) begin
          v.in_order = 1'b1;
          v.accept_payload = has_payload;
          v.accept_direct = direct;
          v.accept_to_edge = past_edge;
          fin_taken = (flags.fin && !past_edge) || d.checks.joins_fin;
          v.may_delay_ack = !fin_taken && !connection.stored[0].valid && !v.repeats;
        end else if (takes_text && d.checks.stored_within) begin
          v.repeats = 1'b1;
          v.counts.duplicate = 1'b1;
          v.store_again = 1'b1;
        end else if (takes_text && KeepsGaps && d.checks.stored_room) begin
          v.accept_payload = has_payload;
          v.accept_to_edge = past_edge;
          v.store = 1'b1;
          v.store_fin = flags.fin && !past_edge;
          v.counts.stored = 1'b1;
        end else if (takes_text) begin
          v.counts.out_of_order = 1'b1;
        end else begin
          v.counts.duplicate = 1'b1;
        end
      end
      // Sixth: URG.
      v.take_urgent = HasUrgent && flags.urg && acceptable && takes_text && d.urgent_is_ahead;
      v.accept_fin = fin_taken;
      if (fin_taken) begin
        unique case (v.state)
          TcpEstablished: v.state = TcpCloseWait;
          TcpFinWait1: v.state = TcpClosing;
          TcpFinWait2: v.state = TcpTimeWait;
          default: ;
        endcase
      end
      if (v.state == TcpTimeWait && connection.state != TcpTimeWait) begin
        v.report_final = FinalClosed;
        v.counts.closed_connections = 1'b1;
        v.start_wait = 1'b1;
      end
      v.start_wait |= v.state == TcpFinWait2;
      v.may_send = v.state != TcpClosed && v.state != TcpTimeWait;
    end
    return v;
  endfunction

  // Section 3.10.7.2, third: a SYN for a port that is listened to.
  function automatic tcp_verdict_t judge_new(input tcp_differences_t d);
    tcp_verdict_t v;
    v = '0;
    v.has_payload = d.has_payload;
    v.state = TcpSynReceived;
    v.is_event_of = 1'b1;
    v.create = 1'b1;
    v.reply = ReplySyn;
    return v;
  endfunction

  // One block of SACK, ahead of the segment that brought it.
  function automatic tcp_verdict_t judge_block(input connection_t connection, input tcp_event_t ev,
                                               input tcp_differences_t d);
    tcp_verdict_t v;
    logic counts = ev.lookup == LookupHit && connection.sack_ok && d.block_is_ahead;
    v = '0;
    v.state = connection.state;
    if (counts && d.checks.acceptable && !d.checks.sacked_within) begin
      v.is_event_of = 1'b1;
      v.sack_news = 1'b1;
      v.take_block = d.checks.sacked_room;
      // Later data has arrived, and the first segment, sent again before it, has not (RFC 8985).
      v.lost_again = connection.recovering && !connection.una_lost && d.ack_is_una
          && d.rtx_minus_una != '0 && d.block_is_later;
      v.counts.sacked = 1'b1;
    end
    return v;
  endfunction

  // An ICMP error counts if the segment that it quotes is on its way (RFC 5927 section 4.1). It ends an
  // attempt to open, if it says that nobody will ever answer there; what is open it does not end, as
  // that would be an end that anybody could bring about (section 5.2). One that was too big leads to
  // shorter ones (RFC 1191), of which the retransmission timer makes use.
  function automatic tcp_verdict_t judge_icmp(input connection_t connection, input tcp_event_t ev,
                                              input tcp_differences_t d);
    tcp_verdict_t v;
    logic opening = d.opening;
    logic half_open = d.checks.half_open;
    logic on_its_way = ev.lookup == LookupHit && connection.state != TcpClosed
        && connection.state != TcpTimeWait && !d.checks.ack_old && !d.checks.ack_future
        && !d.ack_is_max;
    logic unreachable = ev.icmp.kind == IcmpUnreachable[3:0];
    logic too_big = unreachable && ev.icmp.code == IcmpTooBig;
    logic hard = unreachable && (ev.icmp.code == IcmpNoProtocol || ev.icmp.code == IcmpNoPort);
    v = '0;
    v.state = connection.state;
    v.counts.icmp_errors = on_its_way;
    v.counts.icmp_stale = !on_its_way;
    if (on_its_way) begin
      v.is_event_of = 1'b1;
      v.lower_mss = too_big && !opening && d.mss_is_less;
      v.report_icmp = !half_open && !v.lower_mss;
      if (hard && opening) begin
        v.state = TcpClosed;
        v.remove = 1'b1;
        v.discard = 1'b1;
        v.release_id = half_open;  // the application never heard of it
        v.report_final = half_open ? FinalNone : FinalReset;
        v.counts.reset_connections = !half_open;
      end
    end
    return v;
  endfunction

  function automatic tcp_verdict_t tcp_segment_arrives(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_limits_t limits);
    tcp_verdict_t v;
    v = '0;
    v.state = connection.state;
    v.has_payload = d.has_payload;
    if (HasSack && d.checks.of_block) return judge_block(connection, ev, d);
    if (d.checks.of_error) return judge_icmp(connection, ev, d);
    unique case (ev.lookup)
      LookupHit: begin
        unique case (connection.state)
          TcpClosed: v.counts.closed = 1'b1;
          TcpSynSent: if (HasOpens) v = judge_syn_sent(ev, d);
          default: begin
            if (d.checks.reuses) v = judge_new(d);
            else v = judge_segment(connection, ev, d, limits);
          end
        endcase
      end
      LookupNew: v = judge_new(d);
      default: begin
        // Section 3.10.7.1: nobody here, or no room for another, said by a reset unless it was one.
        v.counts.no_room = ev.lookup == LookupNoRoom;
        v.counts.no_connection = !v.counts.no_room;
        if (!ev.segment.flags.rst) begin
          v.reply = ReplyResetAnswer;
          v.counts.resets_out = 1'b1;
        end
      end
    endcase
    return v;
  endfunction

endpackage
