// SPDX-License-Identifier: Apache-2.0

// What the parts of the TCP engine say to each other: connection state, events that change it, and
// the actions that follow.

// What an engine may do without, and leaves out of its logic and its state (docs/architecture.md says
// what each choice means and costs). Packages of decisions need to know, and packages have no
// parameters: so each is a macro, which nothing but tcp_pkg reads. 0 leaves it out; TOEHOLD_FEATURES=0
// all of them but those that are given by name.
`ifndef TOEHOLD_FEATURES
`define TOEHOLD_FEATURES 1
`endif
// Gaps that a connection remembers, each way: in what it received, in what was acknowledged. At
// least two; 0: what comes out of order is dropped.
`ifndef TOEHOLD_GAPS
`define TOEHOLD_GAPS (`TOEHOLD_FEATURES != 0 ? 4 : 0)
`endif
// Selective acknowledgements, both ways (RFC 2018), which need gaps.
`ifndef TOEHOLD_SACK
`define TOEHOLD_SACK (`TOEHOLD_FEATURES != 0 && `TOEHOLD_GAPS != 0)
`endif
// Time stamps (RFC 7323 section 3).
`ifndef TOEHOLD_TIMESTAMPS
`define TOEHOLD_TIMESTAMPS `TOEHOLD_FEATURES
`endif
// Window scaling (RFC 7323 section 2): windows above 64 KiB, also the peer's.
`ifndef TOEHOLD_WINDOW_SCALE
`define TOEHOLD_WINDOW_SCALE `TOEHOLD_FEATURES
`endif
// CommandOpen.
`ifndef TOEHOLD_OPENS
`define TOEHOLD_OPENS `TOEHOLD_FEATURES
`endif
// CommandQuery, and the statistics of a connection that only it tells.
`ifndef TOEHOLD_QUERIES
`define TOEHOLD_QUERIES `TOEHOLD_FEATURES
`endif
// EventNotice.
`ifndef TOEHOLD_NOTICES
`define TOEHOLD_NOTICES `TOEHOLD_FEATURES
`endif
// The urgent pointer, for NoticeUrgent and QueryUrgent. Without it urgent data is data.
`ifndef TOEHOLD_URGENT
`define TOEHOLD_URGENT `TOEHOLD_FEATURES
`endif
`ifndef TOEHOLD_KEEPALIVE
`define TOEHOLD_KEEPALIVE `TOEHOLD_FEATURES
`endif
// The numbers of CUBIC's Reno-friendly region (RFC 9438 section 4.3), for a register to choose.
`ifndef TOEHOLD_CUBIC
`define TOEHOLD_CUBIC `TOEHOLD_FEATURES
`endif
// Segments of a connection spread over its round trip, for a register to switch on. Not there unless it
// is asked for.
`ifndef TOEHOLD_PACING
`define TOEHOLD_PACING 0
`endif
package tcp_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import page_pkg::page_count_t;
  import page_pkg::page_range_t;

  localparam bit KeepsGaps = `TOEHOLD_GAPS != 0;
  localparam int Gaps = KeepsGaps ? `TOEHOLD_GAPS : 2;  // places of a list, used or not
  localparam bit HasSack = `TOEHOLD_SACK != 0;
  localparam bit HasTimestamps = `TOEHOLD_TIMESTAMPS != 0;
  localparam bit HasWindowScale = `TOEHOLD_WINDOW_SCALE != 0;
  localparam bit HasOpens = `TOEHOLD_OPENS != 0;
  localparam bit HasQueries = `TOEHOLD_QUERIES != 0;
  localparam bit HasNotices = `TOEHOLD_NOTICES != 0;
  localparam bit HasUrgent = `TOEHOLD_URGENT != 0;
  localparam bit HasKeepalive = `TOEHOLD_KEEPALIVE != 0;
  localparam bit HasCubic = `TOEHOLD_CUBIC != 0;
  localparam bit HasPacing = `TOEHOLD_PACING != 0;

  // RFC 9293 section 3.3.2. LISTEN is not a state of a connection here: ports that are listened to
  // are in the listen table, and a connection begins with the SYN.
  typedef enum logic [3:0] {
    TcpClosed      = 4'd0,
    TcpSynSent     = 4'd1,
    TcpSynReceived = 4'd2,
    TcpEstablished = 4'd3,
    TcpFinWait1    = 4'd4,
    TcpFinWait2    = 4'd5,
    TcpCloseWait   = 4'd6,
    TcpClosing     = 4'd7,
    TcpLastAck     = 4'd8,
    TcpTimeWait    = 4'd9
  } tcp_state_e;

  localparam int TcpStates = 10;

  // The far end and our port; our address is the engine's own.
  typedef struct packed {
    ip_address_t remote_ip;
    port_t       remote_port;
    port_t       local_port;
  } tuple_t;

  // left <= s < right.
  typedef struct packed {
    seq_t left;
    seq_t right;
  } seq_range_t;

  localparam int SackBlocks = 4;  // most that one option has room for (RFC 2018 section 3)

  // Options of a segment beside the MSS and the blocks of SACK (RFC 7323, RFC 2018).
  typedef struct packed {
    logic        has_window_scale;
    logic [3:0]  window_scale;    // at most WindowScaleMax
    logic        sack_permitted;
    logic        has_timestamps;
    logic [31:0] ts_value;
    logic [31:0] ts_echo;
  } tcp_options_t;

  localparam logic [3:0] WindowScaleMax = 4'd14;  // RFC 7323 section 2.3

  // Number of a payload packet, for engines in which segments overtake each other (payload_reorder).
  localparam int PayloadTagWidth = 8;

  // One received segment that is whole and whose checksum is right.
  typedef struct packed {
    tuple_t       tuple;
    seq_t         seq;
    seq_t         ack;
    tcp_flags_t   flags;
    logic [15:0]  window;
    logic [15:0]  payload_length;
    logic [PayloadTagWidth-1:0] payload_tag;  // of its payload, if it has some; given by the engine
    logic [15:0]  mss;        // of the MSS option, 0 if there was none
    tcp_options_t options;
    logic         direct;     // the application has its payload already (direct_receive)
    logic         sack_only;  // this is not the segment but one of its blocks (sack_splitter)
    seq_range_t   sack;       // it
    seq_t         urgent;     // with URG: after its urgent data
  } tcp_segment_t;

  // The same as the parser has it, with all blocks.
  typedef struct packed {
    tcp_segment_t                segment;  // sack and sack_only are 0
    logic [2:0]                  sack_count;
    seq_range_t [SackBlocks-1:0] sack;     // [0] is the first in the option
  } received_segment_t;

  // What looking up a segment's tuple found.
  typedef enum logic [1:0] {
    LookupMiss   = 2'd0,  // no connection, and the segment opens none
    LookupHit    = 2'd1,
    LookupNew    = 2'd2,  // a SYN to a port that is listened to, or an active open: an id has been
                          // taken for it
    LookupNoRoom = 2'd3   // the same, but there is no free id
  } lookup_e;

  // Events of the connection pipeline (see tcp/engine/README.md).
  typedef enum logic [3:0] {
    EvNone      = 4'd0,
    EvSegment   = 4'd1,  // SEGMENT ARRIVES
    EvTimer     = 4'd2,  // a timer entry came up; its deadline may have moved
    EvCommand   = 4'd3,  // USER CALL: close, abort, open, set option
    EvTxRequest = 4'd4,  // the application wants to send length bytes
    EvTxWritten = 4'd5,  // they are in the ring
    EvTransmit  = 4'd6,  // the transmit scheduler's turn for this connection
    EvDeliver   = 4'd7,  // the receive reader is free for this connection
    EvDelivered = 4'd8,  // the application took length bytes
    EvReport    = 4'd9,  // the application event channel is free for this connection
    EvRecycle   = 4'd10, // ids are short: this connection may have to go
    EvSack      = 4'd11, // one block of the segment that follows
    EvIcmp      = 4'd12, // an ICMP error quotes a segment of this connection
    EvPages     = 4'd13  // there are pages for transmit rings: this connection was refused some
  } tcp_event_e;

  localparam int TimerClasses = 16;
  localparam int TimerClassMinLog2 = 6;  // class k waits 2^(k+6) us: 64 us to 2.1 s
  // The time of an entry in a timer queue. One bit less than now_us has, so that ten entries of a
  // million connections fit into a line of far memory.
  typedef logic [30:0] timer_us_t;

  typedef struct packed {
    tcp_event_e   kind;
    logic [31:0]  now_us;
    logic [31:0]  ts_now;        // clock of the time stamps we send: 1024 us
    logic         tx_backlog;    // segments wait for the builder: data leaves by EvTransmit alone
    // EvSegment; EvCommand with CommandOpen: what the lookup made of its tuple
    lookup_e      lookup;
    tcp_segment_t segment;       // EvIcmp: ack is where the segment quoted began, mss what the
                                 // path takes if it was too big
    icmp_reason_t icmp;          // EvIcmp
    seq_t         segment_end;   // sequence number after its last, SYN and FIN counted
    logic         may_open;      // a SYN for which there is an initial sequence number
    seq_t         isn;           // LookupNew, may_open
    app_id_t      app;           // the same: who listens; EvCommand: who asks
    // EvTimer
    logic [3:0]   timer_class;
    // EvRecycle: comes from the queue of half-open connections, not that of TIME_WAIT
    logic         opening;
    // EvCommand, EvTxRequest, EvTxWritten, EvDelivered
    logic         session_in_range;
    logic [GenerationWidth-1:0] generation;
    app_command_e op;
    logic [7:0]   tag;
    logic [23:0]  value;         // EvCommand with CommandSetOption or CommandQuery; EvTxRequest:
                                 // page_offer_t
    app_option_e  option;        // CommandSetOption
    logic [15:0]  length;        // EvTransmit: credit of the turn (line_blocks)
    logic         tentative;     // EvTxRequest: the bytes may be withdrawn
    logic         partial;       // and fewer will do
    // Where receive rings get memory by pages, what their pool has for it as it enters the pipeline
    // (receive_pages).
    page_count_t  pages;         // EvSegment with payload: so many are kept for it
    logic         pages_short;
  } tcp_event_t;

  // An event of no connection neither waits for one nor changes one.
  function automatic logic names_connection(input tcp_event_t ev);
    return (ev.kind != EvSegment && ev.kind != EvSack && ev.kind != EvIcmp)
        || ev.lookup == LookupHit || ev.lookup == LookupNew;
  endfunction

  // An event that may end in a message to the application.
  function automatic logic tells_application(input tcp_event_t ev);
    return ev.kind == EvCommand || ev.kind == EvReport;
  endfunction

  typedef enum logic [2:0] {
    TimerNone       = 3'd0,
    TimerRetransmit = 3'd1,
    TimerPersist    = 3'd2,  // zero-window probe
    TimerWait       = 3'd3,  // TIME_WAIT, and FIN_WAIT_2 without news
    TimerKeepalive  = 3'd4,
    TimerReorder    = 3'd5   // what follows snd_una is lost if it is not acknowledged by then; in
                             // place of TimerRetransmit
  } tcp_timer_e;

  typedef enum logic [1:0] {
    FinalNone     = 2'd0,
    FinalClosed   = 2'd1,
    FinalReset    = 2'd2,
    FinalTimedOut = 2'd3
  } tcp_final_e;

  // A piece of the sequence space that is there, beyond a gap.
  typedef struct packed {
    logic valid;
    logic fin;    // its last number is the peer's FIN
    seq_t left;
    seq_t right;  // after its last
  } piece_t;

  // Connection state. Written by the connection pipeline alone. A byte with sequence number s lies
  // at s modulo the size of its ring.
  typedef struct packed {
    tcp_state_e  state;
    logic [GenerationWidth-1:0] generation;
    app_id_t     app;
    logic        active;         // the application opened it; else the peer
    tuple_t      tuple;
    // Sending: snd_una <= snd_nxt <= snd_max <= snd_end (+ 1 for the FIN).
    seq_t        snd_una;
    seq_t        snd_nxt;
    seq_t        snd_max;        // after the last ever sent
    seq_t        snd_end;        // after the last byte the application gave
    seq_t        snd_limit;      // right edge of the peer's window
    seq_t        snd_wl1;        // of the segment that set it: sequence number
    seq_t        snd_wl2;        //                             acknowledgement
    logic [15:0] mss;
    logic [3:0]  snd_scale;      // of the windows we are told (RFC 7323)
    logic        scale_ok;       // agreed on with the SYNs: window scale,
    logic        ts_ok;          // time stamps,
    logic        sack_ok;        // SACK
    logic        fin_queued;     // the application closed; the FIN follows snd_end
    logic        fin_sent;       // and has been sent at least once: snd_max = snd_end + 1
    // Congestion control (RFC 5681, 6582), bytes.
    logic [23:0] cwnd;
    logic [23:0] ssthresh;
    logic [23:0] cwnd_credit;    // acknowledged in congestion avoidance since cwnd last grew
    logic [21:6] round_flight;   // most that was in flight in this round trip
    logic [1:0]  duplicate_acks;
    logic [1:0]  limited_sent;   // segments, by limited transmit (RFC 3042)
    logic        recovering;
    seq_t        recover;        // RFC 6582
    logic        rtx_queued;     // a retransmission may be waiting to read the ring
    // Beyond snd_una, what the peer has (RFC 2018), lowest first; recovery has sent again up to
    // rtx_next.
    piece_t [Gaps-1:0] sacked;
    seq_t        rtx_next;
    logic        una_lost;       // what follows snd_una is lost, whatever the list says
    logic        sack_news;      // a block told something new: the next segment is a duplicate ACK
    // Receiving: rcv_read <= rcv_nxt <= rcv_edge.
    seq_t        rcv_nxt;
    seq_t        rcv_read;       // the application has all before this
    seq_t        rcv_edge;       // right edge of the window we advertised
    seq_t        rcv_up;         // after the urgent data, if that is beyond rcv_read
    logic        fin_received;
    page_count_t rcv_pages;      // of the receive ring that have memory, from that of rcv_read on
    piece_t [Gaps-1:0] stored;   // beyond rcv_nxt, the latest first; no two touch
    seq_t        rcv_acked;      // rcv_nxt as the peer was last told
    logic        ack_pending;    // it was told less than there is, and hears by ack_deadline
    logic [31:0] ack_deadline;
    // Time stamps (RFC 7323).
    logic [31:0] ts_offset;      // ours begin at
    logic [31:0] ts_recent;      // the peer's, to be echoed
    logic [11:0] ts_recent_age;  // ts_now[31:20] when it came
    // Round-trip time and timers (RFC 6298), microseconds.
    logic        rtt_known;
    logic        rtt_timing;
    seq_t        rtt_seq;
    logic [31:0] rtt_start;
    logic        rtt_spoiled;    // by a retransmission: the next sample is by time stamps
    logic [23:0] srtt;
    logic [23:0] rttvar;
    logic [31:0] rto;
    logic [3:0]  unanswered;     // retransmissions or probes since the peer was last heard
    tcp_timer_e  timer;
    logic [31:0] deadline;
    logic [31:0] progress_us;    // when the peer last acknowledged, or waiting for it began
    logic [31:0] challenge_us;   // last challenge ACK (RFC 5961 section 7)
    logic [7:0]  idle_ticks;     // of keepalive, since the peer was last heard
    // Options of the application (app_option_e).
    logic        no_delay;
    logic        keepalive;
    logic        quick_ack;
    logic        no_notices;
    logic [5:0]  dscp;
    logic [13:0] user_timeout;   // 2^17 us; 0: as the register says
    // Statistics; they stay at their largest value.
    logic [15:0] retransmitted;  // segments
    logic [15:0] stored_count;   // segments beyond a gap
    logic [15:0] timeouts;
    logic [TimerClasses-1:0] timer_entries;  // queues that hold an entry; outlives the connection
    // What the application is still to hear, and what it is busy with.
    logic        report_accepted;  // or opened
    logic        report_acked;
    logic        report_peer_closed;
    logic        report_icmp;      // notices (app_notice_e), told one by one
    logic        report_retries;
    logic        report_urgent;
    icmp_reason_t icmp;            // of report_icmp
    tcp_final_e  report_final;
    logic        final_reported;
    logic        discarded;      // reset, aborted or timed out: unread data is gone
    logic        delivering;     // between EvDeliver and EvDelivered
    logic        writing;        // between EvTxRequest and EvTxWritten
    // Queues that hold this connection's id.
    logic        in_transmit_queue;
    logic        paced;          // or on its way there, at its pace: no data before
    logic        in_deliver_queue;
    logic        in_report_queue;
    logic        in_wait_queue;
    logic        in_opening_queue;
    logic        opening_entry_old;  // since the id's last connection: its place is not this one's
  } connection_t;

  // Ones in all fields that the engine's features use. The others are always zero: with this said where
  // state is read and where it is written, no register and no memory of them is left.
  function automatic connection_t used_state();
    connection_t used;
    used = '1;
    if (!KeepsGaps) begin
      used.stored = '0;
      used.stored_count = '0;
    end
    if (!HasSack) begin
      used.sack_ok = 1'b0;
      used.sacked = '0;
      used.rtx_next = '0;
      used.una_lost = 1'b0;
      used.sack_news = 1'b0;
    end
    if (!HasTimestamps) begin
      used.ts_ok = 1'b0;
      used.ts_offset = '0;
      used.ts_recent = '0;
      used.ts_recent_age = '0;
    end
    if (!HasWindowScale) begin
      used.scale_ok = 1'b0;
      used.snd_scale = '0;
    end
    if (!HasOpens) used.active = 1'b0;
    if (!HasQueries) begin
      used.retransmitted = '0;
      used.stored_count = '0;
      used.timeouts = '0;
    end
    if (!HasNotices) begin
      used.report_icmp = 1'b0;
      used.report_retries = 1'b0;
      used.icmp = '0;
      used.no_notices = 1'b0;
    end
    if (!HasNotices || !HasUrgent) used.report_urgent = 1'b0;
    if (!HasUrgent) used.rcv_up = '0;
    if (!HasKeepalive) begin
      used.keepalive = 1'b0;
      used.idle_ticks = '0;
    end
    if (!HasPacing) used.paced = 1'b0;
    return used;
  endfunction

  localparam connection_t UsedState = used_state();

  // To the segment builder, in order.
  typedef enum logic [1:0] {
    TxSegment = 2'd0,
    TxRelease = 2'd1,  // every segment of this connection is built: its id may be used again
    TxStatus  = 2'd2   // every retransmission is built: tell the application to write
  } tx_kind_e;

  typedef struct packed {
    tx_kind_e    kind;
    tuple_t      tuple;
    seq_t        seq;             // payload is read from seq modulo the ring
    seq_t        ack;
    tcp_flags_t  flags;
    logic [15:0] window;
    logic [5:0]  dscp;            // of the IP header
    logic [15:0] mss;             // MSS option to send, 0 for none
    tcp_options_t options;
    logic [2:0]  sack_count;      // blocks to send; with time stamps at most 3
    seq_range_t [SackBlocks-1:0] sack;  // [0] first
    logic [15:0] payload_length;
    tx_status_t  status;          // TxStatus
    seq_t        write_seq;       // TxStatus: where the application's bytes go
    logic        write_there;     // TxStatus: the page of that is in use
  } tx_command_t;

  // The same where it waits: a status is in the place of the tuple, write_seq in that of seq, and
  // write_there in that of ack.
  localparam int TxStatusBits = $bits(tx_status_t) + $bits(seq_t) + 1;

  typedef logic [$bits(tx_command_t)-1:TxStatusBits] tx_folded_t;

  function automatic tx_folded_t fold_tx(input tx_command_t command);
    tx_command_t folded;
    folded = command;
    if (command.kind == TxStatus) begin
      folded.tuple = $bits(tuple_t)'(command.status);
      folded.seq = command.write_seq;
      folded.ack = seq_t'(command.write_there);
    end
    return folded[$bits(tx_command_t)-1:TxStatusBits];
  endfunction

  function automatic tx_command_t unfold_tx(input tx_folded_t folded);
    unfold_tx = {folded, {TxStatusBits{1'b0}}};
    unfold_tx.status = $bits(tx_status_t)'(unfold_tx.tuple);
    unfold_tx.write_seq = unfold_tx.seq;
    unfold_tx.write_there = unfold_tx.ack[0];
    // Said on this side of the memory, too: no tool looks through one.
    if (!HasSack) begin
      unfold_tx.options.sack_permitted = 1'b0;
      unfold_tx.sack_count = '0;
      unfold_tx.sack = '0;
    end
    if (!HasTimestamps) begin
      unfold_tx.options.has_timestamps = 1'b0;
      unfold_tx.options.ts_value = '0;
      unfold_tx.options.ts_echo = '0;
    end
  endfunction

  // To the receive buffer, in order.
  typedef enum logic [1:0] {
    RxDrop    = 2'd0,  // discard the next payload packet
    RxWrite   = 2'd1,  // store length bytes of it, after skip, at seq
    RxDeliver = 2'd2,  // offer length bytes at seq to the application
    RxFree    = 2'd3   // nothing but what pages says
  } rx_kind_e;

  typedef struct packed {
    logic        takes_pages;  // RxWrite: before it these pages of the ring get memory; else,
    page_range_t pages;        // and with the other kinds, these hold nothing any more
    rx_kind_e    kind;
    seq_t        seq;
    logic [15:0] skip;
    logic [15:0] length;
    app_id_t     app;
    session_t    session;
  } rx_command_t;

  // Counted by the decide functions, one pulse each.
  typedef struct packed {
    logic no_connection;
    logic no_room;
    logic out_of_window;
    logic out_of_order;
    logic duplicate;
    logic timestamp;
    logic bad_ack;
    logic no_ack;
    logic syn;
    logic closed;
    logic no_page;
    logic resets_in;
    logic resets_out;
    logic retransmit_timeouts;
    logic fast_retransmits;
    logic retransmitted_segments;
    logic window_probes;
    logic keepalive_probes;
    logic challenge_acks;
    logic delayed_acks;
    logic stored;
    logic sacked;
    logic accepted;
    logic opened;
    logic closed_connections;
    logic reset_connections;
    logic timed_out;
    logic half_open_dropped;
    logic page_refused;
    logic icmp_errors;
    logic icmp_stale;
  } tcp_counts_t;

  // Room on the line, as the transmit scheduler counts it: 64 bytes, of which the first are headers.
  localparam int LineBlockBytes = 64;

  typedef logic [8:0] line_blocks_t;

  function automatic line_blocks_t line_blocks(input logic [15:0] payload_length);
    return line_blocks_t'(payload_length / 16'(LineBlockBytes)) + 1'b1;
  endfunction

  // With what a segment went out, and the next one is to wait for its time (transmit_pacer).
  typedef struct packed {
    logic        valid;
    logic        slow_start;
    logic [23:0] srtt;
    logic [23:0] cwnd;
  } pace_t;

  // Everything that follows from one event besides the new state.
  typedef struct packed {
    logic        tx_valid;
    tx_command_t tx;
    logic        rx_valid;
    rx_command_t rx;
    logic [PayloadTagWidth-1:0] payload_tag;  // of the packet that rx stores or drops
    logic        event_valid;
    app_event_t  app_event;
    logic        status_valid;
    tx_status_t  status;
    seq_t        write_seq;
    logic        write_there;     // the page of that is in use
    logic        write_early;     // these bytes count as written already
    page_range_t freed;           // pages of the transmit ring that hold nothing any more
    page_count_t pages_left;      // of those that were kept for the event (receive_pages)
    logic        push_transmit;
    logic        turn;            // the event was EvTransmit
    line_blocks_t turn_credit;    // with this
    pace_t       pace;            // of push_transmit, after a segment
    logic        push_deliver;
    logic        push_report;
    logic        push_wait;
    logic        push_opening;
    logic        push_pages;      // was refused pages, and no acknowledgement will tell of more
    logic        refused;         // there was no room for a connection
    logic        opening_done;    // EvRecycle of a half-open connection
    logic        timer_valid;
    logic [3:0]  timer_class;
    logic        remove;          // the tuple leaves the lookup
    logic        deliver_done;    // the receive reader is free (again)
    logic [15:0] bytes_in;        // accepted payload
    logic [15:0] bytes_out;       // new payload sent
    tcp_counts_t counts;
  } tcp_actions_t;

  // What says that something is there at all, only if there are actions.
  function automatic tcp_actions_t actions_if(input logic valid, input tcp_actions_t actions);
    actions_if = actions;
    if (!valid) begin
      actions_if.tx_valid      = 1'b0;
      actions_if.rx_valid      = 1'b0;
      actions_if.event_valid   = 1'b0;
      actions_if.status_valid  = 1'b0;
      actions_if.push_transmit = 1'b0;
      actions_if.turn          = 1'b0;
      actions_if.push_deliver  = 1'b0;
      actions_if.push_report   = 1'b0;
      actions_if.push_wait     = 1'b0;
      actions_if.push_opening  = 1'b0;
      actions_if.push_pages    = 1'b0;
      actions_if.refused       = 1'b0;
      actions_if.opening_done  = 1'b0;
      actions_if.timer_valid   = 1'b0;
      actions_if.remove        = 1'b0;
      actions_if.deliver_done  = 1'b0;
    end
  endfunction

endpackage
