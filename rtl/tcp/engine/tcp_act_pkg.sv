// SPDX-License-Identifier: Apache-2.0

// Last step: the messages that follow from a decision, to the segment builder, the receive buffer
// and the application. The state is complete before it.
package tcp_act_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  // The segment that goes out, if any.
  function automatic tx_command_t build_segment(
      input connection_t connection, input tcp_event_t ev, input tcp_verdict_t v,
      input tcp_outlook_t o, input tcp_decision_t decision, input tcp_limits_t limits);
    tx_command_t tx;
    tx = '0;
    tx.kind = TxSegment;
    tx.tuple = connection.tuple;
    tx.seq = connection.snd_max;
    tx.ack = connection.rcv_nxt;
    tx.flags.ack = 1'b1;
    tx.window = 16'(connection.rcv_edge - connection.rcv_nxt);
    unique case (v.reply)
      ReplySyn: begin
        tx.seq = connection.snd_una;
        tx.flags.syn = 1'b1;
        tx.flags.ack = connection.state != TcpSynSent;
        tx.mss = limits.mss;
      end
      ReplyResetAnswer: begin
        // RFC 9293 section 3.10.7.1.
        tx.tuple = ev.segment.tuple;
        tx.flags.rst = 1'b1;
        tx.flags.ack = !ev.segment.flags.ack;
        tx.seq = ev.segment.flags.ack ? ev.segment.ack : '0;
        tx.ack = ev.segment.flags.ack ? '0 : ev.segment_end;
        tx.window = '0;
      end
      ReplyReset: tx.flags.rst = 1'b1;
      ReplyProbe: tx.seq = connection.snd_una - 32'd1;
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

  // `connection` is the committed state, id its own.
  function automatic tcp_actions_t tcp_act(
      input connection_t connection, input logic [SessionIdWidth-1:0] id, input tcp_event_t ev,
      input tcp_verdict_t v, input tcp_outlook_t o, input tcp_decision_t decision,
      input tcp_limits_t limits);
    tcp_actions_t a;
    session_t own = '{generation: connection.generation, id: id};
    session_t asked = '{generation: ev.generation, id: id};
    a = '0;

    // To the segment builder.
    a.tx = build_segment(connection, ev, v, o, decision, limits);
    a.tx_valid = v.reply != ReplyNone || decision.sends || o.window_update || v.release_id
        || decision.late_status;
    if (v.release_id) a.tx.kind = TxRelease;
    if (decision.late_status) a.tx.kind = TxStatus;
    a.status = '{app: ev.app, session: asked, error: v.status, space: o.tx_space};
    a.write_seq = connection.snd_end;
    a.tx.status = a.status;
    a.tx.write_seq = a.write_seq;
    a.status_valid = v.has_status && !decision.late_status;

    // To the receive buffer.
    a.rx.app = connection.app;
    a.rx.session = own;
    a.rx_valid = v.deliver || v.has_payload;
    if (v.deliver) begin
      a.rx.kind = RxDeliver;
      a.rx.seq = o.deliver_seq;
      a.rx.length = o.deliver_length;
    end else begin
      a.rx.kind = v.accept_payload ? RxWrite : RxDrop;
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
        session: v.has_result ? asked : own,
        local_port: connection.tuple.local_port,
        remote_ip: connection.tuple.remote_ip,
        remote_port: connection.tuple.remote_port,
        value: o.unacked
    };

    a.push_transmit = decision.push_transmit;
    a.push_deliver = decision.push_deliver;
    a.push_report = decision.push_report;
    a.push_wait = decision.push_wait;
    a.timer_valid = decision.arm_timer;
    a.timer_class = decision.timer_class;
    a.remove = v.remove;
    a.counts = v.counts;
    a.counts.retransmitted_segments = decision.repeated || (v.reply == ReplySyn && !v.create);
    if (v.accept_payload) a.bytes_in = o.rx_length;
    if (decision.sends && !decision.repeated) a.bytes_out = decision.length;
    return a;
  endfunction

endpackage
