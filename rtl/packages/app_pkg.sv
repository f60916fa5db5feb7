// SPDX-License-Identifier: Apache-2.0

// The application interface: what a command, an event and a transmit status carry.
package app_pkg;

  import net_headers_pkg::*;

  // A connection as the application names it: a generation, so that a late command cannot reach the
  // next owner of an id, and the connection's id.
  localparam int GenerationWidth = 4;
  localparam int SessionIdWidth = 20;

  typedef struct packed {
    logic [GenerationWidth-1:0] generation;
    logic [SessionIdWidth-1:0]  id;
  } session_t;

  // Which of several applications behind one engine a message belongs to (like TDEST).
  typedef logic [3:0] app_id_t;

  typedef enum logic [3:0] {
    CommandListen   = 4'd0,  // local_port: accept connections there
    CommandUnlisten = 4'd1,  // local_port: stop; connections stay
    CommandOpen     = 4'd2,  // remote_ip, remote_port, local_port (0: the engine chooses)
    CommandClose    = 4'd3,  // session: no more data will follow; receiving goes on
    CommandAbort    = 4'd4,  // session: reset it
    CommandSetOption = 4'd5, // session, value: app_option_e and what it is set to
    CommandQuery    = 4'd6   // session, value: app_query_e; the answer is the result's value
  } app_command_e;

  // CommandSetOption: value[31:24] is the option, value[23:0] what it is set to.
  typedef enum logic [7:0] {
    OptionNone        = 8'd0,
    OptionNoDelay     = 8'd1,  // 1: small segments go out at once (Nagle's algorithm off)
    OptionKeepalive   = 8'd2,  // 1: ask the peer now and then whether it is still there
    OptionUserTimeout = 8'd3,  // give up after so long unanswered, 2^17 us; 0: as set for all
    OptionQuickAck    = 8'd4,  // 1: acknowledge at once
    OptionDscp        = 8'd5,  // Diffserv code point of what is sent from now on (RFC 2474)
    OptionNotices     = 8'd6   // 0: no EventNotice; 1, as a connection begins: all of them
  } app_option_e;

  // CommandQuery: value[7:0] says what to tell about a connection.
  typedef enum logic [7:0] {
    QueryState         = 8'd0,   // tcp_state_e
    QueryOptions       = 8'd1,   // [0] SACK, [1] time stamps, [2] window scale agreed on; [7:4] the
                                 // peer's scale; [8] Nagle off, [9] keepalive, [10] quick ACK,
                                 // [11] notices off; [16] in recovery; [29:24] Diffserv code point
    QueryMss           = 8'd2,   // largest segment sent, bytes
    QuerySrtt          = 8'd3,   // smoothed round-trip time, us; 0: none measured yet
    QueryRttvar        = 8'd4,   // its variation, us
    QueryRto           = 8'd5,   // retransmission timeout, us
    QueryCwnd          = 8'd6,   // congestion window, bytes
    QuerySsthresh      = 8'd7,   // slow start threshold, bytes
    QueryInFlight      = 8'd8,   // sent and not acknowledged, bytes
    QueryUnsent        = 8'd9,   // given by the application and not sent, bytes
    QueryPeerWindow    = 8'd10,  // that the peer offers beyond what it has acknowledged, bytes
    QueryUnread        = 8'd11,  // received in order and not taken, bytes
    QueryRetransmitted = 8'd12,  // segments sent again; these three stay at 65535
    QueryStored        = 8'd13,  // segments received beyond a gap
    QueryTimeouts      = 8'd14,  // of the retransmission timer
    QueryUrgent        = 8'd15   // bytes from the first not taken to the end of the urgent data
  } app_query_e;

  typedef struct packed {
    app_command_e op;
    logic [7:0]   tag;          // comes back in the result
    app_id_t      app;
    session_t     session;
    port_t        local_port;
    ip_address_t  remote_ip;
    port_t        remote_port;
    logic [31:0]  value;
  } app_command_t;

  typedef enum logic [3:0] {
    EventResult     = 4'd0,  // of a command: tag, result, session
    EventAccepted   = 4'd1,  // a peer connected: session, both ports, remote_ip
    EventAcked      = 4'd2,  // value: bytes given to the engine, not yet acknowledged by the peer
    EventPeerClosed = 4'd3,  // every byte the peer sent has been delivered, no more will come
    EventClosed     = 4'd4,  // final: closed by both sides, or aborted by command
    EventReset      = 4'd5,  // final: reset by the peer
    EventTimedOut   = 4'd6,  // final: the peer does not answer
    EventOpened     = 4'd7,  // CommandOpen: the peer has answered: session, both ports, remote_ip
    EventNotice     = 4'd8   // value[31:24]: app_notice_e, value[23:0] more of it
  } app_event_e;

  // EventNotice: what RFC 9293 section 3.9.1.8 has a TCP tell that is no reason to end.
  typedef enum logic [7:0] {
    NoticeIcmp    = 8'd1,  // an ICMP error about this connection: [15:8] its type, [7:0] its code
    NoticeRetries = 8'd2,  // the peer does not answer: [3:0] how often was tried again (R1)
    NoticeUrgent  = 8'd3   // the peer has urgent data: bytes from the first not taken to its end
  } app_notice_e;

  typedef enum logic [3:0] {
    ResultOk           = 4'd0,
    ResultNoConnection = 4'd1,  // no such session (any more)
    ResultNoRoom       = 4'd2,  // table full
    ResultInUse        = 4'd3,  // port listened to already; connection open already
    ResultClosing      = 4'd4,  // closed already
    ResultUnsupported  = 4'd5   // not in this configuration; no host has this address
  } app_result_e;

  typedef struct packed {
    app_event_e   kind;
    logic [7:0]   tag;
    app_id_t      app;
    app_result_e  result;
    session_t     session;
    port_t        local_port;
    ip_address_t  remote_ip;
    port_t        remote_port;
    logic [31:0]  value;
  } app_event_t;

  typedef enum logic [1:0] {
    TxOk           = 2'd0,  // send the payload now
    TxNoConnection = 2'd1,  // no such session, or closed for sending
    TxNoSpace      = 2'd2   // space says how much fits now; EventAcked follows when it grows
  } tx_error_e;

  // Offer of received data (the paper's X), and of room to send. What is tentative may turn out bad, or
  // be withdrawn, at its last beat (rx_error, tx_error). Of room, partial: less than length will do.
  typedef struct packed {
    logic        tentative;
    logic        partial;
    app_id_t     app;
    session_t    session;
    logic [15:0] length;
  } app_offer_t;

  typedef struct packed {
    app_id_t     app;
    session_t    session;
    tx_error_e   error;
    logic [31:0] space;  // bytes that fit now; with TxOk, that are to be sent
  } tx_status_t;

endpackage
