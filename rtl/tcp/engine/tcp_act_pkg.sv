// SPDX-License-Identifier: Apache-2.0

// Last step: the messages that follow from a decision, to the segment builder, the receive buffer
// and the application. The state is complete before it.
package tcp_act_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  // What fits into 16 bits (RFC 7323 section 2.3: not scaled in a SYN).
  function automatic logic [15:0] window_field(input connection_t connection,
                                               input logic [31:0] window, input logic is_syn,
                                               input tcp_limits_t limits);
    logic [31:0] told = connection.scale_ok && !is_syn ? window >> limits.rx_scale : window;
    return |told[31:16] ? '1 : told[15:0];
  endfunction

  // What came twice, then what lies beyond gaps, as far as there is room (RFC 2018, RFC 2883).
  function automatic tx_command_t add_sack(input tx_command_t segment,
                                           input connection_t connection, input tcp_outlook_t o);
    tx_command_t tx;
    // Time stamps take the room of one.
    int places = connection.ts_ok ? SackBlocks - 1 : SackBlocks;
    piece_t [Gaps:0] told;
    tx = segment;
    tx.sack = '0;
    tx.sack_count = '0;
    // The list has no holes: so each block has two places where it can be.
    told = {piece_t'('0), connection.stored};
    if (o.dsack_valid) begin
      told = {connection.stored, piece_t'('0)};
      told[0].valid = 1'b1;
      told[0].left = o.dsack.left;
      told[0].right = o.dsack.right;
    end
    for (int i = 0; i < SackBlocks && i <= Gaps; i++) begin
      if (told[i].valid && i < places) begin
        tx.sack[i] = '{left: told[i].left, right: told[i].right};
        tx.sack_count = 3'(i + 1);
      end
    end
    return tx;
  endfunction

  // The segment that goes out, if any.
  function automatic tx_command_t build_segment(input connection_t connection, input tcp_event_t ev,
                                                input tcp_verdict_t v, input tcp_outlook_t o,
                                                input tcp_decision_t decision,
                                                input tcp_told_t told, input tcp_limits_t limits);
    tx_command_t tx;
    tx = '0;
    tx.kind = TxSegment;
    tx.tuple = connection.tuple;
    tx.seq = connection.snd_max;
    tx.ack = connection.rcv_nxt;
    tx.flags.ack = 1'b1;
    tx.window = told.window;
    tx.dscp = connection.dscp;
    if (v.reply != ReplyReset && v.reply != ReplyResetAnswer) begin
      if (connection.sack_ok && v.reply != ReplySyn) tx = add_sack(tx, connection, o);
      tx.options.has_timestamps = connection.ts_ok;
      tx.options.ts_value = told.ts_value;
      tx.options.ts_echo = connection.ts_recent;
    end
    unique case (v.reply)
      ReplySyn: begin
        tx.seq = connection.snd_una;
        tx.flags.syn = 1'b1;
        if (connection.state == TcpSynSent) begin
          tx.flags.ack = 1'b0;
          tx.ack = '0;
          tx.options.ts_echo = '0;
        end
        tx.mss = limits.mss;
        tx.options.has_window_scale = connection.scale_ok;
        tx.options.window_scale = limits.rx_scale;
        tx.options.sack_permitted = connection.sack_ok;
      end
      ReplyResetAnswer: begin
        // RFC 9293 section 3.10.7.1.
        tx.tuple = ev.segment.tuple;
        tx.flags.rst = 1'b1;
        tx.flags.ack = !ev.segment.flags.ack;
        tx.seq = ev.segment.flags.ack ? ev.segment.ack : '0;
        tx.ack = ev.segment.flags.ack ? '0 : ev.segment_end;
        tx.window = '0;
        tx.dscp = '0;
      end
      ReplyReset: tx.flags.rst = 1'b1;
      ReplyProbe: tx.seq = told.before_una;
      default:
      if (decision.sends) begin
        tx.seq = o.base;
        tx.payload_length = decision.length;
        tx.flags.fin = decision.fin;
        tx.flags.psh = decision.last;
      end
    endcase
    return tx;
  endfunction

  // a - b
  function automatic tcp_terms_t between(input logic [31:0] a, input logic [31:0] b);
    between = '0;
    between.from = a;
    between.less = b;
  endfunction

  // Bytes from the first that the application has not taken to the end of the urgent data.
  function automatic tcp_terms_t urgent_left(input connection_t connection);
    if (!HasUrgent || connection.discarded) return '0;
    urgent_left = between(connection.rcv_up, connection.rcv_read);
    urgent_left.no_less_than_0 = 1'b1;
  endfunction

  // The value of an EventNotice: its kind, and 24 bits.
  function automatic tcp_terms_t notice(input connection_t connection, input app_notice_e kind);
    unique case (kind)
      NoticeIcmp:
      notice = between({20'b0, connection.icmp.kind, 4'b0, connection.icmp.code}, '0);
      NoticeRetries: notice = between(32'(connection.unanswered), '0);
      default: notice = urgent_left(connection);
    endcase
    notice.is_notice = 1'b1;
    notice.kind = kind;
  endfunction

  // The answer to CommandQuery.
  function automatic tcp_terms_t query(input connection_t connection, input logic [7:0] what);
    unique case (what)
      QueryState: return between(32'(connection.state), '0);
      QueryOptions:
      return between({2'b0, connection.dscp, 7'b0, connection.recovering, 4'b0,
                      connection.no_notices, connection.quick_ack, connection.keepalive,
                      connection.no_delay, connection.snd_scale, 1'b0, connection.scale_ok,
                      connection.ts_ok, connection.sack_ok}, '0);
      QueryMss: return between(32'(connection.mss), '0);
      QuerySrtt: return between(32'(connection.srtt), '0);
      QueryRttvar: return between(32'(connection.rttvar), '0);
      QueryRto: return between(connection.rto, '0);
      QueryCwnd: return between(32'(connection.cwnd), '0);
      QuerySsthresh: return between(32'(connection.ssthresh), '0);
      QueryInFlight: return between(connection.snd_max, connection.snd_una);
      QueryUnsent:
      return connection.fin_sent ? '0 : between(connection.snd_end, connection.snd_max);
      QueryPeerWindow: return between(connection.snd_limit, connection.snd_una);
      QueryUnread: begin
        if (connection.discarded) return '0;
        query = between(connection.rcv_nxt, connection.rcv_read);
        query.borrow = connection.fin_received;
      end
      QueryRetransmitted: return between(32'(connection.retransmitted), '0);
      QueryStored: return between(32'(connection.stored_count), '0);
      QueryTimeouts: return between(32'(connection.timeouts), '0);
      QueryUrgent: return urgent_left(connection);
      default: return '0;
    endcase
  endfunction

  // What a query is answered with. `connection` is what tcp_update made of it.
  function automatic tcp_answer_t tcp_query(input connection_t connection, input tcp_event_t ev);
    if (!HasQueries) return '0;
    tcp_query.is_query = ev.kind == EvCommand && ev.op == CommandQuery;
    tcp_query.terms    = query(connection, ev.value[7:0]);
  endfunction

  // What there is to sum for messages, of the same state.
  function automatic tcp_terms_t tcp_ask(input connection_t connection, input tcp_answer_t answer,
                                         input tcp_verdict_t v, input tcp_outlook_t o);
    if (answer.is_query) tcp_ask = answer.terms;
    else if (HasNotices && v.tell && v.tell_kind == EventNotice)
      tcp_ask = notice(connection, v.tell_notice);
    else tcp_ask = between(o.unacked, '0);
    tcp_ask.window = connection.rcv_edge - connection.rcv_nxt;
  endfunction

  // What has to be summed for messages, ahead of them.
  function automatic tcp_told_t tcp_tell(input connection_t connection, input tcp_event_t ev,
                                         input tcp_verdict_t v, input tcp_terms_t terms,
                                         input tcp_limits_t limits);
    tcp_told_t t;
    // In one carry chain, with the borrow below.
    logic [32:0] difference = {terms.from, 1'b0} - {terms.less, terms.borrow};
    logic [31:0] value = difference[32:1];
    if (terms.no_less_than_0 && is_negative(value)) value = '0;
    t.window = window_field(connection, terms.window, v.reply == ReplySyn, limits);
    t.ts_value = ev.ts_now + connection.ts_offset;
    t.before_una = connection.snd_una - 32'd1;
    t.value = terms.is_notice ? {terms.kind, saturate24(value)} : value;
    return t;
  endfunction

  // `connection` is the committed state, id its own.
  function automatic tcp_actions_t tcp_act(
      input connection_t connection, input logic [SessionIdWidth-1:0] id, input tcp_event_t ev,
      input tcp_verdict_t v, input tcp_outlook_t o, input tcp_decision_t decision,
      input tcp_told_t told, input tcp_limits_t limits);
    // verilator no_inline_task
    tcp_actions_t a;
    session_t own = '{generation: connection.generation, id: id};
    session_t asked = '{generation: ev.generation, id: id};
    a = '0;

    // To the segment builder.
    a.tx = build_segment(connection, ev, v, o, decision, told, limits);
    a.tx_valid = decision.replies || decision.sends || decision.tells_window || v.release_id
        || decision.late_status;
    if (v.release_id) a.tx.kind = TxRelease;
    if (decision.late_status) a.tx.kind = TxStatus;
    a.status = '{app: ev.app, session: asked, error: v.status, space: o.tx_space};
    a.write_seq = o.end_seq;
    a.write_there = o.page_there;
    a.write_early = v.early;
    a.freed = o.freed;
    a.tx.status = a.status;
    a.tx.write_seq = a.write_seq;
    a.tx.write_there = a.write_there;
    a.status_valid = v.has_status && !decision.late_status;

    // To the receive buffer.
    a.rx.app = connection.app;
    a.rx.session = own;
    a.payload_tag = ev.segment.payload_tag;
    a.rx_valid = v.deliver || v.has_payload || o.rx_pages.count != '0;
    a.rx.takes_pages = o.takes_pages;
    a.rx.pages = o.rx_pages;
    a.pages_left = ev.pages - (o.takes_pages ? o.rx_pages.count : '0);
    if (v.deliver) begin
      a.rx.kind = RxDeliver;
      a.rx.seq = o.deliver_seq;
      a.rx.length = o.deliver_length;
    end else if (!v.has_payload) begin
      a.rx.kind = RxFree;
    end else begin
      a.rx.kind = v.accept_payload && !(v.accept_direct && !limits.store_direct) ? RxWrite : RxDrop;
      a.rx.seq = o.write_seq;
      a.rx.skip = o.rx_skip;
      a.rx.length = o.rx_length;
    end
    a.deliver_done = v.delivered || (ev.kind == EvDeliver && !v.deliver);

    // To the application.
    a.event_valid = v.tell || v.has_result;
    a.app_event = '{
        kind: v.has_result ? EventResult : v.tell_kind,
        tag: ev.tag,
        app: v.has_result ? ev.app : connection.app,
        result: v.result,
        session: v.has_result && !v.create ? asked : own,
        local_port: connection.tuple.local_port,
        remote_ip: connection.tuple.remote_ip,
        remote_port: connection.tuple.remote_port,
        value: told.value
    };

    a.push_transmit = decision.push_transmit;
    a.turn = ev.kind == EvTransmit;
    a.turn_credit = line_blocks_t'(ev.length);
    if (HasPacing)
      a.pace = '{
          valid: decision.push_paced,
          slow_start: connection.cwnd < connection.ssthresh,
          srtt: connection.srtt,
          cwnd: connection.cwnd
      };
    a.push_deliver = decision.push_deliver;
    a.push_report = decision.push_report;
    a.push_wait = decision.push_wait;
    a.push_opening = decision.push_opening;
    a.push_pages = v.await_pages;
    a.refused = v.counts.no_room || (v.has_result && v.result == ResultNoRoom);
    a.opening_done = ev.kind == EvRecycle && ev.opening;
    a.timer_valid = entries_of(decision).added;
    a.timer_class = entries_of(decision).entry_class;
    a.remove = v.remove;
    a.counts = v.counts;
    a.counts.challenge_acks = v.challenge && !o.mute;
    a.counts.retransmitted_segments = decision.repeated
        || (v.reply == ReplySyn && !v.create && !v.take_syn);
    if (v.delivered || v.accept_direct) a.bytes_in = ev.length;
    if (decision.sends) a.bytes_out = decision.new_bytes;
    return a;
  endfunction

endpackage
