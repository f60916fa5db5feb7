// SPDX-License-Identifier: Apache-2.0

// SEGMENT ARRIVES (RFC 9293 section 3.10.7), with the reset and SYN rules of RFC 5961.
package tcp_segment_arrives_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  // Section 3.10.7.4, first check: some of the segment lies in the receive window.
  function automatic logic is_acceptable(input tcp_differences_t d, input logic occupies_space);
    logic starts_before_edge = !is_negative(d.edge_minus_seq) && !d.edge_is_seq;
    logic ends_after_nxt = !is_negative(d.end_minus_nxt) && !d.end_is_nxt;
    logic starts_after_nxt = is_negative(d.nxt_minus_seq);
    if (occupies_space) return starts_before_edge && ends_after_nxt;
    return d.seq_is_nxt || (starts_after_nxt && starts_before_edge);
  endfunction

  // A segment of a connection that exists (section 3.10.7.4).
  function automatic tcp_verdict_t judge_segment(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d);
    tcp_verdict_t v;
    tcp_flags_t flags = ev.segment.flags;
    logic has_payload = ev.segment.payload_length != '0;
    logic occupies_space = has_payload || flags.syn || flags.fin;
    logic acceptable = is_acceptable(d, occupies_space);
    // With the window closed nothing fits, but an acknowledgement right at the edge still counts.
    logic ack_counts = acceptable || (d.seq_is_nxt && !flags.rst && !flags.syn);
    logic syn_received = connection.state == TcpSynReceived;
    logic takes_text;
    logic in_order = !is_negative(d.nxt_minus_seq);
    logic past_edge = is_negative(d.edge_minus_end);
    logic ack_future = is_negative(d.max_minus_ack);
    logic ack_old = is_negative(d.ack_minus_una);
    logic ack_new = !ack_future && !ack_old && !d.ack_is_una;
    logic ack_good;  // the segment goes on to its text
    logic fin_acked;
    logic fin_taken;
    logic acknowledges_all_quiet = !has_payload && !flags.fin && d.window_is_same;

    v = '0;
    v.state = connection.state;
    v.is_event_of = 1'b1;
    v.has_payload = has_payload;
    ack_good = 1'b0;
    fin_acked = 1'b0;
    fin_taken = 1'b0;
    takes_text = 1'b0;

    // First: sequence number.
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
        if (syn_received) begin
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
        v.counts.out_of_window = 1'b1;
      end
    end else if (acceptable && flags.syn) begin
      // Fourth: SYN in the window, answered by a challenge ACK (RFC 5961 section 4.2).
      v.reply = ReplyAck;
      v.counts.syn = 1'b1;
    end else if (ack_counts && !flags.ack) begin
      // Fifth: ACK.
      v.counts.no_ack = acceptable;
    end else if (ack_counts && syn_received) begin
      if (ack_new) begin
        v.state = TcpEstablished;
        v.advance_una = 1'b1;
        v.take_window = 1'b1;
        v.report_accepted = 1'b1;
        v.counts.accepted = 1'b1;
        ack_good = 1'b1;
      end else begin
        v.reply = ReplyResetAnswer;
        v.counts.bad_ack = acceptable;  // otherwise counted above
        v.counts.resets_out = 1'b1;
      end
    end else if (ack_counts && ack_future) begin
      v.reply = ReplyAck;
      v.counts.bad_ack = acceptable;  // otherwise counted above
    end else if (ack_counts) begin
      ack_good = 1'b1;
      v.peer_heard = !ack_old;
      v.advance_una = ack_new;
      v.report_acked = ack_new;
      v.take_window = !ack_old && d.window_is_newer;
      if (ack_new) begin
        v.leave_recovery = connection.recovering && d.ack_reaches_recover;
        v.partial_ack = connection.recovering && !d.ack_reaches_recover;
      end else if (d.ack_is_una && acknowledges_all_quiet && !d.una_is_max) begin
        v.duplicate_ack = 1'b1;
        v.fast_retransmit = connection.duplicate_acks == 2'd2 && !connection.recovering
            && d.una_reaches_recover;
        v.counts.fast_retransmits = v.fast_retransmit;
      end
      fin_acked = connection.fin_sent && d.ack_is_max;
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
        if (takes_text && in_order) begin
          v.accept_payload = has_payload;
          v.accept_to_edge = past_edge;
          fin_taken = flags.fin && !past_edge;
        end else if (takes_text) begin
          v.counts.out_of_order = 1'b1;
        end else begin
          v.counts.duplicate = 1'b1;
        end
      end
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

  function automatic tcp_verdict_t tcp_segment_arrives(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d);
    tcp_verdict_t v;
    v = '0;
    v.state = connection.state;
    v.has_payload = ev.segment.payload_length != '0;
    unique case (ev.lookup)
      LookupHit: begin
        if (connection.state == TcpClosed) v.counts.closed = 1'b1;
        else v = judge_segment(connection, ev, d);
      end
      LookupNew: begin
        // Section 3.10.7.2, third: a SYN for a port that is listened to.
        v.state = TcpSynReceived;
        v.is_event_of = 1'b1;
        v.create = 1'b1;
        v.reply = ReplySyn;
      end
      LookupNoRoom: v.counts.no_room = 1'b1;
      default: begin
        // Section 3.10.7.1: nobody here, said by a reset unless it was one.
        v.counts.no_connection = 1'b1;
        if (!ev.segment.flags.rst) begin
          v.reply = ReplyResetAnswer;
          v.counts.resets_out = 1'b1;
        end
      end
    endcase
    return v;
  endfunction

endpackage
