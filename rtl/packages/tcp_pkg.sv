// SPDX-License-Identifier: Apache-2.0

// What the parts of the TCP engine say to each other: connection state, events that change it, and
// the actions that follow.
package tcp_pkg;

  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;

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

  // One received segment that is whole and whose checksum is right.
  typedef struct packed {
    tuple_t      tuple;
    seq_t        seq;
    seq_t        ack;
    tcp_flags_t  flags;
    logic [15:0] window;
    logic [15:0] payload_length;
    logic [15:0] mss;  // of the MSS option, 0 if there was none
  } tcp_segment_t;

  // What looking up a segment's tuple found.
  typedef enum logic [1:0] {
    LookupMiss   = 2'd0,  // no connection, and the segment opens none
    LookupHit    = 2'd1,
    LookupNew    = 2'd2,  // a SYN to a port that is listened to: an id has been taken for it
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
    EvRecycle   = 4'd10  // ids are short: TIME_WAIT ends early
  } tcp_event_e;

  localparam int TimerClasses = 16;
  localparam int TimerClassMinLog2 = 6;  // class k waits 2^(k+6) us: 64 us to 2.1 s

  typedef struct packed {
    tcp_event_e   kind;
    logic [31:0]  now_us;
    // EvSegment
    lookup_e      lookup;          // EvCommand: LookupHit
    tcp_segment_t segment;
    seq_t         segment_end;   // sequence number after its last, SYN and FIN counted
    seq_t         window_end;    // ack + window
    seq_t         isn;           // LookupNew
    app_id_t      app;           // LookupNew: who listens; EvCommand: who asks
    // EvTimer
    logic [3:0]   timer_class;
    // EvCommand, EvTxRequest, EvTxWritten, EvDelivered
    logic         session_in_range;
    logic [GenerationWidth-1:0] generation;
    app_command_e op;
    logic [7:0]   tag;
    logic [15:0]  length;
  } tcp_event_t;

  typedef enum logic [1:0] {
    TimerNone       = 2'd0,
    TimerRetransmit = 2'd1,
    TimerPersist    = 2'd2,  // zero-window probe
    TimerWait       = 2'd3   // TIME_WAIT, and FIN_WAIT_2 without news
  } tcp_timer_e;

  typedef enum logic [1:0] {
    FinalNone     = 2'd0,
    FinalClosed   = 2'd1,
    FinalReset    = 2'd2,
    FinalTimedOut = 2'd3
  } tcp_final_e;

  // Connection state. Written by the connection pipeline alone. A byte with sequence number s lies
  // at s modulo the size of its ring.
  typedef struct packed {
    tcp_state_e  state;
    logic [GenerationWidth-1:0] generation;
    app_id_t     app;
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
    logic        fin_queued;     // the application closed; the FIN follows snd_end
    logic        fin_sent;       // and has been sent at least once: snd_max = snd_end + 1
    // Congestion control (RFC 5681, 6582), bytes.
    logic [23:0] cwnd;
    logic [23:0] ssthresh;
    logic [23:0] cwnd_credit;    // acknowledged in congestion avoidance since cwnd last grew
    logic [1:0]  duplicate_acks;
    logic        recovering;
    seq_t        recover;        // RFC 6582
    logic        rtx_queued;     // a retransmission may be waiting to read the ring
    // Receiving: rcv_read <= rcv_nxt <= rcv_edge.
    seq_t        rcv_nxt;
    seq_t        rcv_read;       // the application has all before this
    seq_t        rcv_edge;       // right edge of the window we advertised
    logic        fin_received;
    // Round-trip time and timers (RFC 6298), microseconds.
    logic        rtt_known;
    logic        rtt_timing;
    seq_t        rtt_seq;
    logic [31:0] rtt_start;
    logic [23:0] srtt;
    logic [23:0] rttvar;
    logic [31:0] rto;
    logic [3:0]  unanswered;     // retransmissions or probes since the peer was last heard
    tcp_timer_e  timer;
    logic [31:0] deadline;
    logic [TimerClasses-1:0] timer_entries;  // queues that hold an entry; outlives the connection
    // What the application is still to hear, and what it is busy with.
    logic        report_accepted;
    logic        report_acked;
    logic        report_peer_closed;
    tcp_final_e  report_final;
    logic        final_reported;
    logic        discarded;      // reset, aborted or timed out: unread data is gone
    logic        delivering;     // between EvDeliver and EvDelivered
    logic        writing;        // between EvTxRequest and EvTxWritten
    // Queues that hold this connection's id.
    logic        in_transmit_queue;
    logic        in_deliver_queue;
    logic        in_report_queue;
    logic        in_wait_queue;
  } connection_t;

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
    logic [15:0] mss;             // MSS option to send, 0 for none
    logic [15:0] payload_length;
    tx_status_t  status;          // TxStatus
    seq_t        write_seq;       // TxStatus: where the application's bytes go
  } tx_command_t;

  // To the receive buffer, in order.
  typedef enum logic [1:0] {
    RxDrop    = 2'd0,  // discard the next payload packet
    RxWrite   = 2'd1,  // store length bytes of it, after skip, at seq
    RxDeliver = 2'd2   // offer length bytes at seq to the application
  } rx_kind_e;

  typedef struct packed {
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
    logic bad_ack;
    logic no_ack;
    logic syn;
    logic closed;
    logic resets_in;
    logic resets_out;
    logic retransmit_timeouts;
    logic fast_retransmits;
    logic retransmitted_segments;
    logic window_probes;
    logic accepted;
    logic closed_connections;
    logic reset_connections;
    logic timed_out;
  } tcp_counts_t;

  // Everything that follows from one event besides the new state.
  typedef struct packed {
    logic        tx_valid;
    tx_command_t tx;
    logic        rx_valid;
    rx_command_t rx;
    logic        event_valid;
    app_event_t  app_event;
    logic        status_valid;
    tx_status_t  status;
    seq_t        write_seq;
    logic        push_transmit;
    logic        push_deliver;
    logic        push_report;
    logic        push_wait;
    logic        timer_valid;
    logic [3:0]  timer_class;
    logic        remove;          // the tuple leaves the lookup
    logic        deliver_done;    // the receive reader is free (again)
    logic [15:0] bytes_in;        // accepted payload
    logic [15:0] bytes_out;       // new payload sent
    tcp_counts_t counts;
  } tcp_actions_t;

endpackage
