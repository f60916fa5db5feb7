// SPDX-License-Identifier: Apache-2.0

// Congestion control: what an acknowledgement or a loss does to the congestion window.
//
// NewReno: slow start and congestion avoidance by RFC 5681 with appropriate byte counting (RFC
// 3465, L = 1), fast recovery by RFC 6582, initial window by RFC 6928. With SACK the window stays as
// it is during recovery (RFC 6675): what is in flight is known then.
//
// With cubic_friendly, which is set after reset, the same by the numbers of CUBIC's Reno-friendly region
// (RFC 9438 section 4.3): the window falls to 0.7 instead of half, and grows by 3 (1 - 0.7) / (1 + 0.7)
// = 0.53 segments a round trip until it is where it was. Both send as much on average at any rate of
// loss, and share a link. The cubic function itself, for paths with windows of hundreds of segments, is
// not here.
//
// Another algorithm replaces the functions of this package; nothing else knows how the window moves.
package tcp_congestion_pkg;

  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;

  localparam logic [15:0] InitialWindow = 16'd14600;
  localparam logic [23:0] CwndMax = 24'h40_0000;  // 4 MiB, above any window we can be offered

  typedef struct packed {
    logic [23:0] cwnd;
    logic [23:0] ssthresh;
    logic [23:0] cwnd_credit;
    logic [21:6] round_flight;
  } congestion_t;

  // RFC 6928: min(10 MSS, max(2 MSS, 14600)). An engine whose own MSS is 1,460 at most never compares.
  function automatic logic [23:0] initial_window(input logic [15:0] mss, input tcp_limits_t limits);
    logic [23:0] two = {7'b0, mss, 1'b0};
    if (limits.mss <= InitialWindow / 10 || mss <= InitialWindow / 10)
      return {5'b0, mss, 3'b0} + two;
    return mss <= InitialWindow / 2 ? 24'(InitialWindow) : two;
  endfunction

  function automatic congestion_t congestion_start(input logic [15:0] mss,
                                                   input tcp_limits_t limits);
    congestion_t c;
    c.cwnd = initial_window(mss, limits);
    c.ssthresh = CwndMax;
    c.cwnd_credit = '0;
    c.round_flight = '0;
    return c;
  endfunction

  // 45/64.
  function automatic logic [23:0] seven_tenths(input logic [23:0] bytes);
    return ({1'b0, bytes[23:1]} + {3'b0, bytes[23:3]})
        + ({4'b0, bytes[23:4]} + {6'b0, bytes[23:6]});
  endfunction

  // What is left after a loss, as a share of what is in flight (RFC 5681 equation 4, RFC 9438 section 4.6).
  // That is the most of the round trip: acknowledgements that come at once take from what is in flight
  // before the application can give more. Of a window of 7.7 segments these are seven: the window itself
  // would leave more, but then flows that share a link come to equal parts later.
  function automatic logic [23:0] kept_share(input logic [23:0] bytes,
                                             input tcp_settings_t settings);
    return settings.cubic_friendly ? seven_tenths(bytes) : {1'b0, bytes[23:1]};
  endfunction

  typedef struct packed {
    logic [23:0] bytes;
    logic [23:0] with_three;  // and three segments, summed beside the comparison
  } kept_t;

  // That of tcp_prepare which counts, and two segments at least.
  function automatic kept_t kept_after_loss(input connection_t connection,
                                            input tcp_preparation_t p, input logic again);
    logic [23:0] mss = 24'(connection.mss);
    logic [23:0] two_mss = {7'b0, connection.mss, 1'b0};
    logic [23:0] kept = again ? p.kept_again : p.kept_flight;
    if (kept < two_mss) return '{two_mss, {6'b0, connection.mss, 2'b0} + mss};
    return '{kept, kept + two_mss + mss};
  endfunction

  // By CUBIC's numbers: the window is where it was before the last loss, as that left seven tenths
  // (cwnd_share; a step before, as sum and comparison in one were the last path too long for 156.25 MHz).
  function automatic logic is_regained(input logic [23:0] cwnd_share, input logic [23:0] ssthresh);
    return cwnd_share >= ssthresh;
  endfunction

  // Bytes to acknowledge before the window grows by half a segment: half of those that a round trip
  // acknowledges, which are whole segments, less than the window; with 0.53 segments a round trip 15/16.
  function automatic logic [23:0] growth_credit(input logic [23:0] flight, input logic regained,
                                                input tcp_settings_t settings);
    return settings.cubic_friendly && !regained ? flight - {4'b0, flight[23:4]}
                                                : {1'b0, flight[23:1]};
  endfunction

  // What becomes of the window is found in two steps, of a clock each where there are many: which of these
  // numbers it will be, and that it is.
  typedef struct packed {
    kept_t       kept;          // after a loss
    logic [23:0] inflated;      // by a segment: a duplicate acknowledgement in recovery,
    logic [23:0] deflated;      // and a partial one
    logic [23:0] grown;         // after an acknowledgement of something new
    logic [23:0] credit_left;   // of what was acknowledged, when the window has grown
    logic        credit_ends;   // none of it counts any more,
    logic        credit_grows;  // what is left does,
    logic        credit_counts; // or all of it; else nothing is acknowledged
    logic        round_ends;    // what was in flight does not count any more,
    logic        round_begins;  // what is does,
    logic        round_goes_on; // or the most in this round trip; else it stays
    logic        one_segment;   // the window: one segment,
    logic        keeps;         // what is kept,
    logic        keeps_more;    // and three segments,
    logic        to_ssthresh;   // the threshold,
    logic        inflates;      // one of those above,
    logic        deflates;
    logic        grows;
    logic        restarts;      // or what one begins with, after a long pause; else it stays
    logic        reduces;       // the threshold is what is kept
  } congestion_plan_t;

  // `round_ends`: the acknowledgement measures a round trip.
  function automatic congestion_plan_t congestion_plan(
      input connection_t connection, input tcp_differences_t d, input tcp_verdict_t v,
      input tcp_preparation_t p, input logic round_ends);
    congestion_plan_t c;
    logic at_maximum = connection.cwnd >= CwndMax;
    logic [23:0] mss = 24'(connection.mss);
    c = '0;
    // A recovery has reduced the window already: what it sent again is lost, too, which counts as a
    // second loss (RFC 5681 section 4.3) of a flight of no more than that.
    c.kept = kept_after_loss(connection, p, connection.recovering);
    c.credit_left = p.credit - p.growth_credit;
    // Each by itself, as which of them counts is known last.
    c.inflated = connection.cwnd + mss;
    c.deflated = p.deflated + mss;
    c.grown = connection.cwnd + (p.slow_start ? p.acked_or_mss : {1'b0, mss[23:1]});

    if (connection.recovering || v.fast_retransmit || v.timed_out_once || d.ack_is_max) begin
      // Each loss counts what was in flight since the last one.
      c.round_ends = v.advance_una || v.fast_retransmit || v.timed_out_once;
    end else if (v.advance_una) begin
      c.round_begins = round_ends;
      c.round_goes_on = !round_ends;
    end

    if (v.timed_out_once) begin
      // RFC 5681 section 3.1: reduced once for a loss, however often the timer runs.
      c.reduces = connection.unanswered == '0;
      c.one_segment = 1'b1;
      c.credit_ends = 1'b1;
    end else if (v.fast_retransmit) begin
      c.reduces = 1'b1;
      c.keeps = connection.sack_ok;
      c.keeps_more = !connection.sack_ok;
      c.credit_ends = 1'b1;
    end else if (v.lost_again) begin
      c.reduces = 1'b1;
      c.keeps = 1'b1;
      c.credit_ends = 1'b1;
    end else if (v.duplicate_ack && connection.recovering) begin
      c.inflates = !at_maximum && !connection.sack_ok;
    end else if (v.leave_recovery) begin
      c.to_ssthresh = 1'b1;
    end else if (v.partial_ack) begin
      c.deflates = !connection.sack_ok;
    end else if (v.advance_una && !at_maximum && p.cwnd_used && !p.opening) begin
      // The acknowledgement of our SYN counts for nothing (RFC 5681 section 3.1).
      c.grows = p.slow_start || p.credit_full;
      c.credit_grows = !p.slow_start && p.credit_full;
      c.credit_counts = !p.slow_start && !p.credit_full;
    end else if (v.written && p.was_idle) begin
      // RFC 5681 section 4.1: what the path could take then says little now.
      c.restarts = 1'b1;
      c.credit_ends = 1'b1;
      c.round_ends = 1'b1;
    end
    return c;
  endfunction

  function automatic congestion_t congestion_after(
      input connection_t connection, input tcp_preparation_t p, input congestion_plan_t plan);
    congestion_t c;
    c.cwnd = plan.one_segment ? 24'(connection.mss)
        : plan.keeps ? plan.kept.bytes
        : plan.keeps_more ? plan.kept.with_three
        : plan.to_ssthresh ? connection.ssthresh
        : plan.inflates ? plan.inflated
        : plan.deflates ? plan.deflated
        : plan.grows ? plan.grown
        : plan.restarts ? p.restart_window : connection.cwnd;
    c.ssthresh = plan.reduces ? plan.kept.bytes : connection.ssthresh;
    c.cwnd_credit = plan.credit_ends ? '0
        : plan.credit_grows ? plan.credit_left
        : plan.credit_counts ? p.credit : connection.cwnd_credit;
    c.round_flight = plan.round_ends ? '0
        : plan.round_begins ? p.flight[21:6]
        : plan.round_goes_on ? p.round_flight[21:6] : connection.round_flight;
    return c;
  endfunction

endpackage
