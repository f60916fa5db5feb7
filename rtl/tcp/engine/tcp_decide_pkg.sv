// SPDX-License-Identifier: Apache-2.0

// The words in which the decide functions talk to each other.
//
// What an event does to a connection is worked out in steps, each a pure function:
//
//   compare   (connection, event)                        -> differences
//   judge     (connection, event, differences)           -> verdict
//             tcp_segment_arrives, tcp_user_call, tcp_timeout: RFC 9293 section 3.10
//             beside it sum, prepare: arithmetic         -> sums, preparation
//   update    (connection, event, differences, verdict)  -> connection'
//             beside it look_out                         -> outlook
//   weigh     (connection', event, verdict, outlook)     -> outlook with its comparisons
//   portion   (verdict, outlook)                         -> portion
//   output    (connection', event, verdict, outlook, portion) -> connection'', decision
//
// The state is complete then and the next event of the same connection may use it. One more clock
// puts the actions together, with no effect on the state:
//
//   ask       (connection', event, verdict, outlook)     -> terms of numbers
//   tell      (connection'', event, verdict, terms)      -> numbers that messages tell
//   act       (connection'', event, verdict, outlook, decision, numbers) -> actions
package tcp_decide_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_pieces_pkg::*;
  import page_pkg::page_count_t;
  import page_pkg::page_range_t;
  import toe_config_pkg::tcp_settings_t;

  // Sizes that are fixed at elaboration.
  typedef struct packed {
    logic [20:0] tx_ring_bytes;  // that a transmit buffer holds
    logic [4:0]  tx_page_bits;   // of the offset in one of its pages; 0: it has none
    logic [20:0] rx_window;      // largest window we advertise: the receive ring, as far as 16 bits
                                 // and the scale can tell it, less one page where it has pages
    logic [4:0]  rx_page_bits;   // of the offset in a page of a receive buffer; 0: it has none
    logic [3:0]  rx_scale;       // of the windows we advertise, if the peer agrees
    logic [15:0] mss;            // largest segment we send and accept
    logic        store_direct;   // what the application took as it came is written to the ring, too
    logic [15:0] early_bytes;    // a message of so many may be sent before it has come; 0: none
  } tcp_limits_t;

  // What an event says by itself.
  typedef struct packed {
    seq_t        place;       // of a block, or its acknowledgement
    logic        from_rtx;    // rtx_next counts instead
    logic [15:0] taken;       // bytes that the application has with it
    logic        has_payload;
    logic        occupies_space;  // by payload, SYN or FIN
    logic [31:0] ts_age;      // of our time stamp that is echoed, before the connection's offset
  } tcp_words_t;

  // What is chosen before it is compared.
  typedef struct packed {
    logic [31:0] window;  // that the segment tells
    seq_t        place;   // what `sacked` is related to, with the block's right edge
    seq_t        last;    // right edge of the last piece the peer has
    logic [15:0] taken;
    logic [31:0] nxt_minus_ack;
    seq_t        oldest_ack;  // that can be of this connection
    logic        has_payload;
    logic        occupies_space;
    logic        opening;     // SYN_SENT or SYN_RECEIVED
    logic [31:0] stalled_us;  // since the peer last acknowledged
    logic        ts_measures; // rtt_sample is by time stamps
    logic [31:0] rtt_sample;
    logic [31:0] deadline_minus_now;
    logic [31:0] ack_deadline_minus_now;
  } tcp_marks_t;

  // What follows from a few of the differences and from the event's kind, for the conditions that are many.
  typedef struct packed {
    logic        of_peer;            // EvSegment, EvSack, EvIcmp
    logic        of_time;            // EvTimer, EvRecycle
    logic        of_block;           // EvSack
    logic        of_error;           // EvIcmp
    logic        of_segment;         // EvSegment
    logic        of_timer;           // EvTimer
    logic        of_turn;            // EvTransmit
    logic        of_written;         // EvTxWritten
    logic        half_open;          // by a peer's SYN: the application has not heard of it
    logic        follows;            // a connection that begins, upon one in TIME_WAIT
    logic        syn_was_lost;       // ours, or its acknowledgement, went out more than once
    logic        closes_window;      // the segment tells that there is none
    logic        ends_probing;       // the segment tells a window to a connection that probes it
    logic        hopeless;           // sent so often, or without an answer for so long, as may be
    logic        idle_is_short;      // no time yet for keepalive to probe
    logic        deadline_passed;    // of the timer, if there is one
    logic        due;                // EvTimer: the timer has run out; EvRecycle: it may go
    logic        ack_deadline_passed;
    logic        all_read;           // the application has taken what there is
    logic        ring_fits;          // EvTxRequest: the transmit ring has room for all of it,
    logic        ring_some;          // or for some, which will do
    logic        bad_timestamp;      // none, or an old one, of a connection that has them
    logic        ack_future;         // acknowledges what was never sent,
    logic        ack_old;            // what was acknowledged long since,
    logic        ack_new;            // or what is on its way
    logic        acceptable;         // some of it is in the window; EvSack: as if it were empty
    logic        ack_counts;         // acceptable, or near enough for its acknowledgement
    logic        window_is_same;     // the peer's does not move
    logic        window_is_newer;    // SND.WL1 and SND.WL2 test
    logic        sack_possible;      // what acknowledges may have blocks
    logic        ack_too_old;        // by more than the largest window
    logic        fin_acked;          // ours
    logic        nothing_new;        // is left to send, or the peer's window is closed
    logic        reuses;             // a SYN that cannot be of the connection in TIME_WAIT
    logic        joins_fin;          // touches a piece received that ends with the FIN
    logic        has_new_bytes;      // of payload, if it is in order
    logic        contradicts;        // lies beyond a FIN received, or its FIN before a piece
    logic        stored_within;      // all of it is in a piece received
    logic        stored_room;        // or there is room for a piece more
    logic        sacked_within;      // EvSack: the same of a block and the pieces the peer has
    logic        sacked_room;
  } tcp_checks_t;

  // How long the peer may acknowledge nothing of data, one of them if any (RFC 9293 section 3.8.3).
  typedef struct packed {
    logic of_connection;  // its user timeout,
    logic of_settings;    // that of all,
    logic of_time;        // or as retransmission has no end by count
  } patience_t;

  // Every subtraction and comparison of wide numbers, done once. a_minus_b is modulo 2^32: its sign
  // tells the order of two sequence numbers.
  typedef struct packed {
    tcp_checks_t checks;
    logic        has_payload;
    logic        occupies_space;     // by payload, SYN or FIN
    // Place of the segment in the receive window.
    logic [31:0] nxt_minus_seq;      // rcv_nxt - seq: bytes we have already; negative: a gap
    logic        seq_is_nxt;
    logic [31:0] end_minus_nxt;      // segment_end - rcv_nxt: new bytes, SYN and FIN counted
    logic        end_is_nxt;
    logic [31:0] edge_minus_seq;     // rcv_edge - seq
    logic        edge_is_seq;
    logic [31:0] edge_minus_end;     // rcv_edge - segment_end; negative: reaches past the window
    logic [31:0] edge_minus_nxt;     // rcv_edge - rcv_nxt: the window
    relations_t  stored;             // pieces received, to the segment
    logic        acked_reaches_seq;  // seq <= rcv_acked
    logic        urgent_is_ahead;    // of rcv_up and of rcv_read
    logic        up_is_read;         // rcv_up <= rcv_read
    // Its time stamps.
    logic        isn_is_behind;      // the initial number is not beyond those of before
    logic        ts_is_old;          // TSval < ts_recent, which is not too old itself
    logic        ts_is_recent;       // TSval = ts_recent
    logic        ts_measures;        // rtt_sample is by time stamps
    logic        may_be_reused;      // in TIME_WAIT, and nobody waits for news of it
    // What the peer has: to the acknowledgement, to a block (EvSack), to rtx_next (EvTransmit).
    relations_t  sacked;
    logic        block_is_ahead;     // EvSack: snd_una < left < right <= snd_max
    logic        block_is_later;     // EvSack: some of it was sent after the last repetition
    logic        rtx_past_ack;       // ack < rtx_next
    logic [Gaps-1:0][21:0] covered_to;   // bytes of each and of those before it
    logic [Gaps-1:0][21:0] gap_before;   // from the one before to it; [0] is of no use
    logic [Gaps-1:0][21:0] rtx_to_piece; // left - rtx_next
    logic [21:0] hole_at_una;        // to the first
    logic [21:0] sack_flight;        // snd_una to rtx_next and right of the last to snd_max
    logic [21:0] last_minus_rtx;     // right of the last - rtx_next
    logic [21:0] rtx_minus_una;
    // Its acknowledgement.
    logic [31:0] ack_minus_una;
    logic        ack_is_una;
    logic [31:0] max_minus_ack;      // negative: acknowledges what was never sent
    logic        ack_before_oldest;
    logic        mss_is_less;        // EvIcmp: than that of the connection
    logic        ack_is_max;
    logic        una_is_max;
    logic        ack_reaches_recover;
    logic        una_reaches_recover;
    logic        ack_passes_rtt_seq;
    logic        seq_passes_wl1;     // of the SND.WL1 and SND.WL2 test
    logic        seq_is_wl1;
    logic        ack_reaches_wl2;
    seq_t        window_edge;        // right edge of the window that the segment tells
    // What is left to send and room for it, from each place sending may go on at.
    logic [31:0] snd_end_minus_nxt;
    logic [31:0] snd_end_minus_una;
    logic [31:0] snd_end_minus_ack;
    logic [31:0] limit_minus_nxt;
    logic [31:0] limit_minus_ack;
    logic [31:0] new_limit_minus_nxt;
    logic [31:0] new_limit_minus_ack;
    logic [31:0] nxt_minus_una;      // in flight
    logic [31:0] nxt_minus_ack;
    logic [31:0] max_minus_nxt;
    logic [31:0] max_minus_una;
    // Buffers.
    logic [31:0] unread;             // bytes the application has not taken (the FIN not counted)
    logic [31:0] edge_growth;        // how far the advertised edge could move, EvDelivered included
    logic [31:0] unacked;            // bytes in the transmit ring
    page_count_t pages_to_end;       // of the receive ring, from that of rcv_read on: to the end of
    page_count_t pages_to_edge;      // the payload, to that of the window
    page_count_t pages_read;         // EvDelivered: behind what the application has taken
    logic        all_acked;          // rcv_acked = rcv_nxt
    // Time, microseconds.
    logic [31:0] deadline_minus_now;
    logic        deadline_is_now;
    logic [31:0] ack_deadline_minus_now;
    logic        ack_deadline_is_now;
    logic        opening;            // SYN_SENT or SYN_RECEIVED
    logic        out_of_retries;     // what is sent was sent often enough,
    patience_t   patience;           // or which time it may be without an answer,
    patience_t   overdue;            // and which has passed
    logic [31:0] challenge_age_us;
    logic [31:0] rtt_sample;
    logic [31:0] rtt_error;          // sample - srtt
    logic [25:0] rtt_and_deviation;  // srtt + 3 rttvar
    logic [31:0] flight;             // nxt_minus_una without what limited transmit sent
    logic [23:0] cwnd_share;         // seven tenths of the congestion window
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
    logic       take_syn;          // SYN_SENT: the peer's SYN
    logic       take_timestamp;    // ts_recent = TSval
    // Acknowledgement of what we sent.
    logic       advance_una;       // snd_una = segment's ack
    logic       take_window;
    logic       duplicate_ack;
    logic       may_recover;       // a duplicate that begins recovery if it tells of a loss
    logic       await_reordered;   // the same after a while, if the timer has not run out by then
    logic       fast_retransmit;   // enter recovery, send one segment from snd_una
    logic       partial_ack;       // still recovering: send one segment from snd_una
    logic       lost_again;        // EvSack: what recovery sent again is lost
    logic       leave_recovery;
    logic       timed_out_once;    // retransmission timer: go back to snd_una
    logic       probe_sent;
    logic       peer_heard;
    // Received payload.
    logic       has_payload;       // a payload packet waits in the receive buffer
    logic       accept_payload;    // it is written into the ring
    logic       accept_direct;     // the application has it already: all of it, nothing else waits
    logic       accept_to_edge;    // cut at the right edge of the window, FIN not taken
    logic       in_order;          // rcv_nxt moves on
    logic       accept_fin;        // and has reached the FIN
    logic       store;             // it lies beyond a gap, and is kept
    logic       store_fin;         // with the FIN
    logic       store_again;       // it is there already: its piece is the latest now
    logic       repeats;           // the peer sent something twice (RFC 2883)
    logic       may_delay_ack;
    logic       challenge;         // the reply is a challenge ACK
    logic       sack_news;         // EvSack: the block tells something new
    logic       take_block;        // and there is room for it in the list
    logic       take_urgent;       // the urgent pointer moves on
    logic       lower_mss;         // EvIcmp: the path takes less
    // Calls of the application.
    logic       close;
    logic       grant_tx;          // EvTxRequest accepted,
    logic       early;             // and its bytes count as written, for they are next to be sent
    logic       await_pages;       // refused for want of pages, with nothing on its way
    logic       written;           // EvTxWritten of a connection that lives, or early
    logic       deliver;           // EvDeliver with something to deliver
    logic       delivered;         // EvDelivered
    // Timers.
    logic       start_wait;        // TIME_WAIT or FIN_WAIT_2
    logic       keepalive_tick;
    logic       keepalive_probe;
    logic       set_option;
    // Output.
    tcp_reply_e reply;
    logic       may_send;          // data and FIN may go out after this event
    // The application's news.
    logic       report_accepted;   // or opened
    logic       report_acked;
    logic       report_icmp;
    logic       report_retries;
    tcp_final_e report_final;
    logic       discard;           // unread data is lost with the connection
    logic       remove;
    logic       release_id;
    // EvReport: what is told now.
    logic       tell;
    app_event_e tell_kind;
    app_notice_e tell_notice;      // EventNotice
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

  // Sums of differences that the preparation compares and chooses from.
  typedef struct packed {
    logic [23:0] error_size;       // of the round-trip time
    logic        exact;            // that is 0, and so has the deviation been
    logic [31:0] reorder_us;
    logic [31:0] deadline_after_reorder;
    logic [23:0] flight;
    logic        cwnd_regained;
    logic [23:0] credit;
    logic [31:0] written_left;     // behind snd_nxt, with what EvTxWritten brings
    logic [15:0] offered_mss;
    logic [31:0] cwnd_minus_una;   // less what is in flight from there on,
    logic [31:0] cwnd_minus_ack;
    logic [31:0] cwnd_minus_limited;  // and two segments more
    logic        hole_ahead;
    seq_t        hole_start;
    logic [21:0] hole_size;
    logic        hole_lost;
    logic        una_is_lost;
    logic [31:0] room;             // by what is in flight with SACK,
    logic [31:0] room_if_lost;     // if what is behind the last piece is not
  } tcp_sums_t;

  // Arithmetic that needs differences and goes on beside the judgement.
  typedef struct packed {
    logic        opening;          // SYN_SENT or SYN_RECEIVED, before the event
    place_t      from_nxt;
    place_t      from_una;
    place_t      from_ack;
    logic [16:0] new_window_left;  // by the segment's window: from snd_nxt,
    logic [16:0] new_window_left_ack;  // from its acknowledgement
    logic [16:0] cwnd_left_una;    // by what is in flight before and after the acknowledgement
    logic [16:0] cwnd_left_ack;
    logic        flight_empty_una;
    logic        flight_empty_ack;
    logic [31:0] rto_sample;       // RTO by the round-trip times seen, this one included
    logic [31:0] rto_doubled;
    logic [31:0] rto_known;            // by what is known without a sample
    logic [31:0] reorder_us;       // what does not come within it is lost and not reordered
    logic        reorder_is_first; // that is sooner than the timer's deadline
    logic [3:0]  remaining_class;  // timer class of the time to the deadline
    logic [23:0] acked_or_mss;     // the smaller of the bytes newly acknowledged and the MSS
    logic [23:0] flight;           // what is in flight, but for limited transmit
    logic [23:0] round_flight;     // the same, the most in this round trip
    logic [23:0] kept_flight;      // after a loss: a share of that,
    logic [23:0] kept_again;       // or of what recovery had left
    logic        una_is_lost;      // the peer has enough beyond snd_una (RFC 6675, IsLost)
    logic [23:0] growth_credit;    // to acknowledge before cwnd grows by half a segment
    logic        credit_full;
    logic        slow_start;       // cwnd is below ssthresh (RFC 5681 section 3.1)
    logic        cwnd_used;        // half of it at least was in flight: it may grow (RFC 7661)
    logic        was_idle;         // nothing has been sent for an RTO: then cwnd is
    logic [23:0] restart_window;   // the initial window at most
    logic [23:0] credit;           // cwnd_credit and the bytes newly acknowledged
    logic [23:0] deflated;         // cwnd without them, 0 if negative
    logic [24:0] deviation;        // |sample - srtt| - rttvar
    logic [15:0] first_mss;        // of a connection that this segment opens
    logic        deliver_all;      // EvDelivered took everything that was unread
    logic        nothing_unread;
    logic        edge_should_move; // receiver silly window avoidance: RFC 9293 section 3.8.6.2.2
    logic [15:0] new_payload;      // bytes of the segment that are new, if it is in order
    logic [31:0] tx_space;         // in the transmit ring, and pages for it
    logic [15:0] segment;          // largest payload, room for the options taken off
    // SACK-based recovery, EvTransmit.
    logic        hole_lost;        // there is a hole from rtx_next on, and what it held is lost
    logic        hole_due;         // it is next to be sent
    seq_t        hole_start;
    logic [16:0] hole_size;
    logic [16:0] cwnd_left_sack;   // by what is in flight and not lost
    logic [16:0] cwnd_left_limited;  // with two segments more: limited transmit (RFC 3042)
    logic        challenge_allowed;
    logic [3:0]  ack_class;        // timer classes: of the delayed acknowledgement's time,
    logic [3:0]  ack_remaining_class;
    logic [3:0]  tick_class;       // of a tick of keepalive,
    logic [3:0]  probe_class;      // of the interval of its probes
    logic        ack_at_once;      // its acknowledgement is not to wait, or after it less than a
                                   // segment of the largest size fits
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
    logic [3:0]              entry_class;
  } timer_entries_t;

  // Timer classes, one bit each: those up to one. So the shorter of two classes is an AND, and what
  // they are compared with needs no decoder.
  typedef logic [TimerClasses-1:0] timer_classes_t;

  function automatic timer_classes_t classes_to(input logic [3:0] timer_class);
    for (int k = 0; k < TimerClasses; k++) classes_to[k] = timer_class >= 4'(k);
  endfunction

  function automatic timer_classes_t classes_within(input logic [31:0] wait_us);
    classes_within[0] = 1'b1;
    for (int k = 1; k < TimerClasses; k++)
    classes_within[k] = |(wait_us >> (k + TimerClassMinLog2));
  endfunction

  // The last of them.
  function automatic logic [3:0] class_of(input timer_classes_t classes);
    class_of = '0;
    for (int k = 1; k < TimerClasses; k++) begin
      // It begins with k, and no longer one does.
      if (classes[k] && (k == TimerClasses - 1 || !classes[(k+1)%TimerClasses])) class_of |= 4'(k);
    end
  endfunction

  // Timer class whose wait is at most the given time: an entry is early rather than late.
  function automatic logic [3:0] timer_class_of(input logic [31:0] wait_us);
    return class_of(classes_within(wait_us));
  endfunction

  // What follows from settings alone. They stand for long, so a register has it.
  typedef struct packed {
    logic       ack_at_once;  // no acknowledgement is to wait
    logic [3:0] ack_class;    // timer classes: of the delayed acknowledgement's time,
    logic [3:0] tick_class;   // of a tick of keepalive,
    logic [3:0] probe_class;  // of the interval of its probes
  } settings_classes_t;

  function automatic settings_classes_t classes_of_settings(input tcp_settings_t settings);
    classes_of_settings = '{
        ack_at_once: settings.delayed_ack_us == '0,
        ack_class: timer_class_of(settings.delayed_ack_us),
        tick_class: timer_class_of(settings.keepalive_tick_us),
        probe_class: timer_class_of(settings.keepalive_interval_us)
    };
  endfunction

  // Some queue must hold an entry that comes up in time (see timers/README.md): one of the last of
  // these classes or of a shorter one does.
  function automatic timer_entries_t add_entry(input timer_classes_t entries,
                                               input timer_classes_t classes);
    timer_entries_t r;
    r.entry_class = class_of(classes);
    r.added = (entries & classes) == '0;
    r.entries = entries;
    if (r.added) r.entries |= classes & ~(classes >> 1);
    return r;
  endfunction

  // Which entries in the timer queues there will be.
  typedef enum logic [2:0] {
    EntriesAsBefore,
    EntriesAck,        // of the delayed acknowledgement alone
    EntriesKept,
    EntriesKeepalive,
    EntriesRestarted
  } entries_e;

  // The timer after the event.
  typedef struct packed {
    tcp_timer_e timer;
    logic       restart;
    logic       keepalive;  // and its time begins
    logic       blocked;    // what there is to send has to wait for the peer
    entries_e   entries;
  } timer_choice_t;

  // The numbers of an outlook compared with each other, and what does not wait for that.
  typedef struct packed {
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
    logic        repeats;          // base is before snd_max
    timer_classes_t before_ack;         // no longer than the acknowledgement's, if that waits
    timer_classes_t kept_classes;       // an entry must be of these, if the timer goes on,
    timer_classes_t keepalive_classes;  // if keepalive begins
    timer_classes_t ack_classes;        // if there is but the delayed acknowledgement
    timer_choice_t  timer_sent;         // the timer after the event: if something is on its way,
    timer_choice_t  timer_blocked;      // if not, and something is left to send,
    timer_choice_t  timer_idle;         // or nothing
  } tcp_weights_t;

  // What update leaves for output: numbers already chosen for the place to send from.
  typedef struct packed {
    seq_t        base;             // first sequence number to send
    logic        retransmit;       // one segment from base, snd_nxt stays; window does not matter
    logic        go_back;          // the same, and snd_nxt continues from there
    logic [16:0] data;             // bytes that could be sent: by what there is,
    logic [16:0] window;           // by the peer's window,
    logic [16:0] cwnd;             // by the congestion window,
    logic [16:0] segment;          // by the MSS
    logic [16:0] sent_before;      // would be a repetition
    tcp_weights_t weights;         // those compared with each other, a step later
    logic        plain;            // no segment of a special kind must go: data may
    logic        nagle;            // what is less than a segment waits for those in flight
    logic        limited;          // it would be by limited transmit (RFC 3042)
    logic        hold_ack;         // the acknowledgement may wait
    logic        defer;            // data waits for its turn (EvTransmit), as others are before it
    logic        paced;            // after data the connection waits for its time,
    logic        held;             // as it does: data leaves by EvTransmit
    logic        mute;             // no reply: one challenge ACK too many
    logic        dsack_valid;      // tell what came twice
    seq_range_t  dsack;
    logic [31:0] ack_wait_us;
    logic        ack_timer;        // the timer queues must have an entry for a delayed ACK
    logic [3:0]  ack_class;
    logic [31:0] keepalive_us;
    logic [3:0]  keepalive_class;
    logic        fin_left;         // the FIN has not been sent from base on
    logic        flight_empty;
    logic        all_acked;        // nothing outstanding before output
    logic        cwnd_grew;
    logic [31:0] wait_us;          // of the timer, if it is restarted
    logic        await_reordered;  // for a loss that may be none
    logic [3:0]  remaining_class;
    logic        unread;           // data waits for the application
    logic        window_update;    // the advertised edge moved enough to be told
    logic [15:0] rx_skip;
    logic [15:0] rx_length;
    logic [15:0] deliver_length;
    seq_t        deliver_seq;
    seq_t        write_seq;        // where accepted payload goes
    seq_t        end_seq;          // where the application's next bytes go
    page_range_t freed;            // pages of the transmit ring that hold nothing any more
    logic        takes_pages;      // of the receive ring: these get memory for what is stored,
    page_range_t rx_pages;         // or hold nothing any more
    logic        hold_window;      // it would move on, but pages are short
    logic        hold_again;       // and the time of the last look is over
    logic        page_there;       // the one of end_seq holds something
    logic [31:0] tx_space;
    logic [31:0] unacked;
  } tcp_outlook_t;

  // How much of data, and whether the FIN, goes out now.
  typedef struct packed {
    logic        any;
    logic [16:0] length;
    logic        fin;
    logic        last;    // nothing the application gave stays behind
    logic        beyond;  // some of it is sent for the first time
    logic        more;    // another segment may follow at once
    seq_t        after;   // sequence number after it
    timer_classes_t restarted_classes;  // an entry must be of these, if the timer is restarted
    timer_entries_t if_kept;       // entries in the timer queues, if the timer goes on
    timer_entries_t if_keepalive;  // if keepalive begins
    timer_entries_t if_ack;        // if there is but the delayed acknowledgement
    timer_choice_t timer_if_sent;  // the timer, if a segment goes out
    timer_choice_t timer_if_not;
  } portion_t;

  // What output decided, for the actions that follow from it.
  typedef struct packed {
    logic        replies;          // what the verdict asks for goes out
    logic        sends;            // data or FIN goes out, from outlook.base
    logic        tells_window;     // the new window goes out
    logic [15:0] length;
    logic        fin;
    logic        last;             // nothing the application gave stays behind
    logic        repeated;         // some of it had been sent before
    logic [15:0] new_bytes;        // of length, sent for the first time
    logic        late_status;      // the answer to EvTxRequest goes through the segment builder
    logic        push_transmit;
    logic        push_paced;       // when its time has come
    logic        push_deliver;
    logic        push_report;
    logic        push_wait;
    logic        push_opening;
    logic        acknowledges;     // something that goes out does
    logic        owes_ack;         // or else, an acknowledgement is to go out in time
    logic        holds_window;     // what the peer is not told of the window is looked at again
    timer_choice_t timer;
    // In the timer queues after this: `sends` is found far from them, and has a clock to get there.
    timer_entries_t entries_if_sent;
    timer_entries_t entries_if_not;
  } tcp_decision_t;

  function automatic timer_entries_t entries_of(input tcp_decision_t decision);
    return decision.sends ? decision.entries_if_sent : decision.entries_if_not;
  endfunction

  // What the numbers are made of that messages tell, of the state as update leaves it: output changes
  // nothing of it in events that tell it.
  typedef struct packed {
    logic [31:0] window;
    // The value of an application event: `from` less `less`, and one less with `borrow`.
    logic [31:0] from;
    logic [31:0] less;
    logic        borrow;
    logic        no_less_than_0;
    logic        is_notice;
    app_notice_e kind;
  } tcp_terms_t;

  // The answer to a query, chosen from all of the connection ahead of the rest.
  typedef struct packed {
    logic       is_query;
    tcp_terms_t terms;
  } tcp_answer_t;

  // Numbers that messages tell. They need no decision.
  typedef struct packed {
    logic [15:0] window;     // in a segment
    logic [31:0] ts_value;
    seq_t        before_una; // of a probe
    logic [31:0] value;      // of an application event
  } tcp_told_t;

  // What was lost is told by SACK, and EvTransmit sends it again (RFC 6675).
  function automatic logic is_sack_recovery(input connection_t connection);
    return connection.sack_ok && connection.recovering;
  endfunction

  function automatic logic [15:0] count_on(input logic [15:0] count, input logic event_happened);
    return event_happened && count != '1 ? count + 16'd1 : count;
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
