// SPDX-License-Identifier: Apache-2.0

// Between the verdict and what carries it out: the conditions that follow from it and choose among
// hundreds of bits, and the numbers that have a choice of their own behind them.
package tcp_plan_pkg;

  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_congestion_pkg::*;
  import tcp_pieces_pkg::*;
  import tcp_pages_pkg::opens_window;
  import tcp_receive_pages_pkg::*;
  import toe_config_pkg::tcp_settings_t;

  // Where the next RTO comes from, one of them; else it stays.
  typedef struct packed {
    logic doubled;
    logic sample;
    logic known;
  } rto_choice_t;

  typedef struct packed {
    logic         measured;      // the acknowledgement measures a round trip
    rto_choice_t  rto;           // after the event
    logic [31:0]  rto_sample;    // by the round-trip times seen, within its limits,
    logic [31:0]  rto_known;     // and by what is known without a sample
    congestion_plan_t congestion;
    arrangement_t stored;        // what becomes of the pieces received,
    arrangement_t sacked;        // and of those the peer has
    logic         sack_turn;     // EvTransmit goes on with a SACK-based recovery,
    logic         hole_turn;     // with a hole behind rtx_next
    logic         resend_una;    // what is at snd_una goes out again
    logic         by_sack;       // what may go out is known by SACK: by EvTransmit, nothing else
    logic         repeats;       // sending goes back,
    logic         retransmit;    // by one segment, and goes on where it was
    logic         limited;       // limited transmit (RFC 3042)
    logic         hold_ack;      // the acknowledgement may wait
    logic         held;          // paced: data leaves by EvTransmit
    logic         defer;         // data waits for its turn, as others are before it
    logic         from_ack;      // sending goes on from the acknowledgement,
    logic         from_una;      // or from snd_una; else from snd_nxt
    logic         may_open;      // the right edge of the window that the peer knows may move on,
    logic         moves_edge;    // and does
    logic         may_hold;      // it may not, as pages are short
    logic         window_opens;  // that of a peer to which nothing was on its way
  } tcp_plan_t;

  // RFC 6298 rules 2.4 and 2.5.
  function automatic logic [31:0] limit_rto(input logic [31:0] rto, input tcp_settings_t settings);
    return rto < settings.rto_min_us ? settings.rto_min_us
        : rto > settings.rto_max_us ? settings.rto_max_us : rto;
  endfunction

  // The acknowledgement measures a round trip.
  function automatic logic is_measured(input connection_t connection, input tcp_differences_t d,
                                       input tcp_verdict_t v);
    return v.advance_una && (d.ts_measures || (connection.rtt_timing && d.ack_passes_rtt_seq));
  endfunction

  // The RTO after the event. It doubles with each time-out (RFC 6298 section 5.5) and stays so until a
  // segment that was sent once gives a new sample, or a window that was probed opens; or when our SYN
  // went out more than once.
  function automatic rto_choice_t choose_rto(input tcp_differences_t d, input tcp_verdict_t v,
                                             input logic measured);
    if (v.timed_out_once || v.probe_sent) return '{doubled: 1'b1, default: '0};
    if (measured) return '{sample : 1'b1, default: '0};
    if ((v.take_window && d.checks.ends_probing) || (v.advance_una && d.checks.syn_was_lost))
      return '{known: 1'b1, default: '0};
    return '0;
  endfunction

  function automatic logic [31:0] rto_after(input connection_t connection,
                                            input tcp_preparation_t p, input tcp_plan_t plan);
    return plan.rto.doubled ? p.rto_doubled : plan.rto.sample ? plan.rto_sample
        : plan.rto.known ? plan.rto_known : connection.rto;
  endfunction

  function automatic tcp_plan_t tcp_plan(input connection_t connection, input tcp_event_t ev,
                                         input tcp_differences_t d, input tcp_verdict_t v,
                                         input tcp_preparation_t p, input tcp_limits_t limits,
                                         input tcp_settings_t settings);
    tcp_plan_t plan;
    logic [Gaps-1:0] joins = touched(d.stored);
    logic [Gaps-1:0] block_joins = touched(d.sacked);
    logic [Gaps-1:0] below;
    logic [Gaps-1:0] passed;

    plan.measured = is_measured(connection, d, v);
    plan.rto = choose_rto(d, v, plan.measured);
    plan.rto_sample = limit_rto(p.rto_sample, settings);
    plan.rto_known = limit_rto(p.rto_known, settings);
    plan.congestion = congestion_plan(connection, d, v, p, plan.measured);

    plan.stored = remove_pieces(v.in_order || v.store || v.store_again ? joins : '0);
    if (v.store || v.store_again) plan.stored = put_first(plan.stored);
    if (v.create) plan.stored = '0;
    for (int i = 0; i < Gaps; i++) begin
      below[i] = d.sacked[i].valid && !block_joins[i] && d.sacked[i].starts_before;
      passed[i] = d.sacked[i].starts_before || d.sacked[i].starts_with;
    end
    plan.sacked = remove_pieces(v.take_block ? block_joins : v.advance_una ? passed : '0);
    if (v.take_block) plan.sacked = put_sorted(plan.sacked, below);
    if (v.timed_out_once || v.create) plan.sacked = '0;

    plan.sack_turn = is_sack_recovery(connection) && d.checks.of_turn;
    plan.resend_una = v.fast_retransmit || (plan.sack_turn && connection.una_lost);
    plan.hole_turn = plan.sack_turn && !plan.resend_una && p.hole_due;
    plan.by_sack = is_sack_recovery(connection) && !v.leave_recovery && !v.timed_out_once;
    plan.repeats = plan.resend_una || v.partial_ack || v.timed_out_once;
    if (!plan.by_sack) plan.retransmit = plan.resend_una || v.partial_ack;
    else if (plan.hole_turn) plan.retransmit = p.cwnd_left_sack >= 17'(connection.mss);
    else plan.retransmit = plan.sack_turn && (plan.resend_una || v.partial_ack);
    plan.limited = v.duplicate_ack && !v.fast_retransmit && !connection.recovering;
    plan.hold_ack = v.may_delay_ack && !connection.ack_pending && !connection.quick_ack
        && !p.ack_at_once;
    // What was sent again by a timer, or tells more of a loss (RFC 3042), does not wait for its time.
    plan.held = connection.paced && !d.checks.of_turn
        && !plan.retransmit && !v.timed_out_once && !plan.limited;
    plan.defer = ev.tx_backlog && !connection.paced && !d.checks.of_turn && !d.checks.of_timer
        && !plan.retransmit && !v.timed_out_once && !plan.limited;

    plan.from_ack = v.advance_una
        && (plan.resend_una || v.partial_ack || is_negative(d.nxt_minus_ack));
    plan.from_una = v.timed_out_once || plan.resend_una;

    plan.may_open = may_open_window(connection, ev, v, p, limits);
    plan.moves_edge = p.edge_should_move && (v.accept_direct || plan.may_open);
    plan.may_hold = p.edge_should_move && may_hold_window(connection, ev, v, limits);
    plan.window_opens = opens_window(connection, d, v, limits);
    return plan;
  endfunction

endpackage
