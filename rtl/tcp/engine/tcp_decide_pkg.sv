// SPDX-License-Identifier: Apache-2.0

// The words in which the decide functions talk to each other.
//
// What an event does to a connection is worked out in steps, each a pure function and one
// clock of the pipeline:
//
//   compare   (connection, event)                        -> differences
//   judge     (connection, event, differences)           -> verdict
//             tcp_segment_arrives, tcp_user_call, tcp_timeout: RFC 9293 section 3.10
//             beside it prepare: arithmetic            -> preparation
//   update    (connection, event, differences, verdict)  -> connection', outlook
//   output    (connection', event, verdict, outlook)     -> connection'', decision
//
// The state is complete then and the next event of the same connection may use it. One more clock
// puts the actions together, with no effect on the state:
//
//   act       (connection'', event, verdict, outlook, decision) -> actions
package tcp_decide_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;

  // Sizes that are fixed at elaboration.
  typedef struct packed {
    logic [16:0] tx_ring_bytes;
    logic [15:0] rx_window;      // largest window we advertise: the receive ring, at most 65535
    logic [15:0] mss;            // largest segment we send and accept
  } tcp_limits_t;

  // Every subtraction and comparison of wide numbers, done once. a_minus_b is modulo 2^32: its sign
  // tells the order of two sequence numbers.
  typedef struct packed {
    // Place of the segment in the receive window.
    logic [31:0] nxt_minus_seq;      // rcv_nxt - seq: bytes we have already; negative: a gap
    logic        seq_is_nxt;
    logic [31:0] end_minus_nxt;      // segment_end - rcv_nxt: new bytes, SYN and FIN counted
    logic        end_is_nxt;
    logic [31:0] edge_minus_seq;     // rcv_edge - seq
    logic        edge_is_seq;
    logic [31:0] edge_minus_end;     // rcv_edge - segment_end; negative: reaches past the window
    logic [31:0] edge_minus_nxt;     // rcv_edge - rcv_nxt: the window
    // Its acknowledgement.
    logic [31:0] ack_minus_una;
    logic        ack_is_una;
    logic [31:0] max_minus_ack;      // negative: acknowledges what was never sent
    logic        ack_is_max;
    logic        una_is_max;
    logic        ack_reaches_recover;
    logic        una_reaches_recover;
    logic        ack_passes_rtt_seq;
    logic        window_is_newer;    // SND.WL1 and SND.WL2 test
    logic        window_is_same;     // the right edge does not move
    // What is left to send and room for it, from each place sending may go on at.
    logic [31:0] snd_end_minus_nxt;
    logic [31:0] snd_end_minus_una;
    logic [31:0] snd_end_minus_ack;
    logic [31:0] limit_minus_nxt;
    logic [31:0] limit_minus_ack;
    logic [31:0] new_limit_minus_nxt;
    logic [31:0] nxt_minus_una;      // in flight
    logic [31:0] nxt_minus_ack;
    logic [31:0] max_minus_nxt;
    logic [31:0] max_minus_una;
    // Buffers.
    logic [31:0] unread;             // bytes the application has not taken (the FIN not counted)
    logic [31:0] edge_growth;        // how far the advertised edge could move, EvDelivered included
    logic [31:0] unacked;            // bytes in the transmit ring
    // Time, microseconds.
    logic [31:0] deadline_minus_now;
    logic [31:0] rtt_sample;
    logic [31:0] rtt_error;          // sample - srtt
    logic [31:0] rto;                // srtt + 4 rttvar
    logic        generation_is_same;
  } tcp_differences_t;

  // What kind of segment must go out whatever else there is to send.
  typedef enum logic [2:0] {
    ReplyNone          = 3'd0,
    ReplyAck           = 3'd1,  // an acknowledgement, alone or with data
    ReplySyn           = 3'd2,  // SYN of this connection (with ACK in SYN_RECEIVED)
    ReplyResetAnswer   = 3'd3,  // reset made from the segment itself (no connection)
    ReplyReset         = 3'd4,  // reset of this connection (abort)
    ReplyProbe         = 3'd5   // zero-window probe
  } tcp_reply_e;

  typedef struct packed {
    tcp_state_e state;             // next state
    logic       is_event_of;       // the event belongs to this connection, whose state may change
    logic       create;            // a connection begins (LookupNew)
    // Acknowledgement of what we sent.
    logic       advance_una;       // snd_una = segment's ack
    logic       take_window;
    logic       duplicate_ack;
    logic       fast_retransmit;   // enter recovery, send one segment from snd_una
    logic       partial_ack;       // still recovering: send one segment from snd_una
    logic       leave_recovery;
    logic       timed_out_once;    // retransmission timer: go back to snd_una
    logic       probe_sent;
    logic       peer_heard;
    // Received payload.
    logic       has_payload;       // a payload packet waits in the receive buffer
    logic       accept_payload;
    logic       accept_to_edge;    // cut at the right edge of the window, FIN not taken
    logic       accept_fin;
    // Calls of the application.
    logic       close;
    logic       grant_tx;          // EvTxRequest accepted
    logic       written;           // EvTxWritten of a connection that lives
    logic       deliver;           // EvDeliver with something to deliver
    logic       delivered;         // EvDelivered
    // Timers.
    logic       start_wait;        // TIME_WAIT or FIN_WAIT_2
    logic       timer_due;
    // Output.
    tcp_reply_e reply;
    logic       may_send;          // data and FIN may go out after this event
    // The application's news.
    logic       report_accepted;
    logic       report_acked;
    tcp_final_e report_final;
    logic       discard;           // unread data is lost with the connection
    logic       remove;
    logic       release_id;
    // EvReport: what is told now.
    logic       tell;
    app_event_e tell_kind;
    // EvCommand and EvTxRequest.
    logic        has_result;
    app_result_e result;
    logic        has_status;
    tx_error_e   status;
    tcp_counts_t counts;
  } tcp_verdict_t;

  // What could be sent from one place in the sequence space, bytes, saturated.
  typedef struct packed {
    logic [16:0] data_left;      // that the application gave; 0 if none
    logic        past_end;       // the place is after the FIN
    logic [16:0] window_left;    // to the edge of the peer's window as it was before
    logic [16:0] max_left;       // sent before: would be a repetition
  } place_t;

  // Arithmetic that needs differences and goes on beside the judgement.
  typedef struct packed {
    place_t      from_nxt;
    place_t      from_una;
    place_t      from_ack;
    logic [16:0] new_window_left;  // from snd_nxt, by the segment's window
    logic [16:0] cwnd_left_una;    // by what is in flight before and after the acknowledgement
    logic [16:0] cwnd_left_ack;
    logic        flight_empty_una;
    logic        flight_empty_ack;
    logic [31:0] rto_estimate;     // by the round-trip times seen, not below the minimum
    logic [31:0] rto_doubled;
    logic [3:0]  remaining_class;  // timer classes: of the time to the deadline,
    logic [3:0]  rto_class;        // of the RTO (also where it doubles: early does no harm),
    logic [3:0]  initial_class;    // of the initial RTO,
    logic [3:0]  time_wait_class;  // of TIME_WAIT
    logic [23:0] acked;            // bytes newly acknowledged, saturated
    logic [23:0] acked_or_mss;     // the smaller of acked and the MSS
    logic [23:0] half_flight;      // max(in flight / 2, 2 MSS): RFC 5681 equation 4
    logic [23:0] credit;           // cwnd_credit + acked
    logic [23:0] deflated;         // cwnd - acked, 0 if negative
    logic [24:0] deviation;        // |sample - srtt| - rttvar
    logic [15:0] first_mss;        // of a connection that this segment opens
    logic        deliver_all;      // EvDelivered took everything that was unread
    logic        nothing_unread;
    logic        edge_should_move; // receiver silly window avoidance: RFC 9293 section 3.8.6.2.2
  } tcp_preparation_t;

  // a and b compared, once for every use.
  typedef struct packed {
    logic less;
    logic equal;
  } order_t;

  function automatic order_t compare17(input logic [16:0] a, input logic [16:0] b);
    return '{less: a < b, equal: a == b};
  endfunction

  function automatic logic at_most(input order_t order);
    return order.less || order.equal;
  endfunction

  typedef struct packed {
    logic [TimerClasses-1:0] entries;
    logic                    added;
  } timer_entries_t;

  // Some queue must hold an entry that comes up in time (see timers/README.md): one of this class
  // or a shorter one does.
  function automatic timer_entries_t add_entry(
      input logic [TimerClasses-1:0] entries, input logic [3:0] entry_class);
    timer_entries_t r;
    logic [TimerClasses-1:0] not_later = TimerClasses'((32'd2 << entry_class) - 32'd1);
    r.entries = entries;
    r.added = (entries & not_later) == '0;
    if (r.added) r.entries[entry_class] = 1'b1;
    return r;
  endfunction

  // What update leaves for output: numbers already chosen for the place to send from.
  typedef struct packed {
    seq_t        base;             // first sequence number to send
    logic        retransmit;       // one segment from base, snd_nxt stays; window does not matter
    logic        go_back;          // the same, and snd_nxt continues from there
    logic [16:0] data;             // bytes that could be sent: by what there is,
    logic [16:0] window;           // by the peer's window,
    logic [16:0] cwnd;             // by the congestion window,
    logic [16:0] segment;          // by the MSS
    order_t      data_window;
    order_t      data_cwnd;
    order_t      data_segment;
    order_t      window_cwnd;
    order_t      segment_window;
    order_t      segment_cwnd;
    order_t      max_data;         // how much of each was sent before
    order_t      max_window;
    order_t      max_cwnd;
    order_t      max_segment;
    logic        data_any;         // data is not 0
    logic        window_any;       // neither window is 0
    logic        plain;            // no segment of a special kind must go: data may
    logic        repeats;          // base is before snd_max
    logic        fin_left;         // the FIN has not been sent from base on
    logic        flight_empty;
    logic        all_acked;        // nothing outstanding before output
    logic        cwnd_grew;
    logic [31:0] wait_us;          // of the timer, if it is restarted
    logic [3:0]  wait_class;
    logic [3:0]  remaining_class;
    timer_entries_t if_restarted;  // entries in the timer queues, if the timer is restarted,
    timer_entries_t if_kept;       // if it goes on
    logic        unread;           // data waits for the application
    logic        window_update;    // the advertised edge moved enough to be told
    logic [15:0] rx_skip;
    logic [15:0] rx_length;
    logic [15:0] deliver_length;
    seq_t        deliver_seq;
    seq_t        write_seq;        // where accepted payload goes
    logic [31:0] tx_space;
    logic [31:0] unacked;
  } tcp_outlook_t;

  // What output decided, for the actions that follow from it.
  typedef struct packed {
    logic        sends;            // data or FIN goes out, from outlook.base
    logic [15:0] length;
    logic        fin;
    logic        last;             // nothing the application gave stays behind
    logic        repeated;         // some of it had been sent before
    logic        late_status;      // the answer to EvTxRequest goes through the segment builder
    logic        push_transmit;
    logic        push_deliver;
    logic        push_report;
    logic        push_wait;
    logic        arm_timer;
    logic [3:0]  timer_class;
  } tcp_decision_t;

  // Timer class whose wait is at most the given time: an entry is early rather than late.
  function automatic logic [3:0] timer_class_of(input logic [31:0] wait_us);
    timer_class_of = '0;
    for (int k = 1; k < TimerClasses; k++)
      if (|(wait_us >> (k + TimerClassMinLog2))) timer_class_of = 4'(k);
  endfunction

  // Clamp an unsigned number to 24 bits.
  function automatic logic [23:0] saturate24(input logic [31:0] value);
    return |value[31:24] ? '1 : value[23:0];
  endfunction

  // Clamp a signed 32-bit difference to 0 .. 2^17-1.
  function automatic logic [16:0] saturate17(input logic [31:0] difference);
    if (difference[31]) return '0;
    return |difference[30:17] ? '1 : difference[16:0];
  endfunction

endpackage
