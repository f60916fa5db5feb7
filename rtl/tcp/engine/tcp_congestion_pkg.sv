// SPDX-License-Identifier: Apache-2.0

// Congestion control: what an acknowledgement or a loss does to the congestion window.
//
// NewReno: slow start and congestion avoidance by RFC 5681 with appropriate byte counting (RFC
// 3465, L = 1), fast recovery by RFC 6582, initial window by RFC 6928. With SACK the window stays as
// it is during recovery (RFC 6675): what is in flight is known then. Another algorithm replaces these
// two functions; nothing else knows how the window moves.
package tcp_congestion_pkg;

  import tcp_pkg::*;
  import tcp_decide_pkg::*;

  localparam logic [23:0] CwndMax = 24'h40_0000;  // 4 MiB, above any window we can be offered

  typedef struct packed {
    logic [23:0] cwnd;
    logic [23:0] ssthresh;
    logic [23:0] cwnd_credit;
  } congestion_t;

  // RFC 6928: min(10 MSS, max(2 MSS, 14600)); our MSS never makes the middle term decide.
  function automatic congestion_t congestion_start(input logic [15:0] mss);
    congestion_t c;
    c.cwnd = {5'b0, mss, 3'b0} + {7'b0, mss, 1'b0};
    c.ssthresh = CwndMax;
    c.cwnd_credit = '0;
    return c;
  endfunction

  function automatic congestion_t congestion_update(
      input connection_t connection, input tcp_verdict_t v, input tcp_preparation_t p);
    congestion_t c;
    logic slow_start = connection.cwnd < connection.ssthresh;
    logic credit_full = p.credit >= connection.cwnd;
    logic at_maximum = connection.cwnd >= CwndMax;
    logic [23:0] mss = 24'(connection.mss);
    // The acknowledgement of our SYN counts for nothing (RFC 5681 section 3.1).
    logic opening = connection.state == TcpSynReceived || connection.state == TcpSynSent;
    c.cwnd = connection.cwnd;
    c.ssthresh = connection.ssthresh;
    c.cwnd_credit = connection.cwnd_credit;

    if (v.timed_out_once) begin
      // RFC 5681 section 3.1: halve once for a loss, however often the timer runs.
      // In a recovery that has been done already, and part of what is in flight is not.
      if (connection.unanswered == '0 && !(connection.recovering && p.ssthresh_below_half))
        c.ssthresh = p.half_flight;
      c.cwnd = mss;
      c.cwnd_credit = '0;
    end else if (v.fast_retransmit) begin
      c.ssthresh = p.half_flight;
      c.cwnd = connection.sack_ok ? p.half_flight
                                  : p.half_flight + {7'b0, connection.mss, 1'b0} + mss;
      c.cwnd_credit = '0;
    end else if (v.duplicate_ack && connection.recovering) begin
      if (!at_maximum && !connection.sack_ok) c.cwnd = connection.cwnd + mss;
    end else if (v.leave_recovery) begin
      c.cwnd = connection.ssthresh;
    end else if (v.partial_ack) begin
      if (!connection.sack_ok) c.cwnd = p.deflated + mss;
    end else if (v.advance_una && !at_maximum && p.cwnd_used && !opening) begin
      if (slow_start) begin
        c.cwnd = connection.cwnd + p.acked_or_mss;
      end else if (credit_full) begin
        c.cwnd = connection.cwnd + mss;
        c.cwnd_credit = p.credit - connection.cwnd;
      end else begin
        c.cwnd_credit = p.credit;
      end
    end
    return c;
  endfunction

endpackage
