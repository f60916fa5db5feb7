// SPDX-License-Identifier: Apache-2.0

// From a received segment to an event for the connection pipeline: whose connection it belongs to,
// or that a SYN opens one, with its initial sequence number. The application's opens come the same
// way: the tuple goes into the same table, the event is EvCommand. So do ICMP errors about segments.
//
// CacheEntries: 0 keeps all tuples on chip (connection_lookup), more so many, and all in memory
// (segment_index): then segments of other connections overtake one that waits for memory.
//
// Latency    6 clocks for a segment of a known connection, mostly 14 with Chained, 11 with CacheEntries and
//            the tuple on chip;
//            about 25 for a SYN or a command that opens one, which the segments behind it wait for, and
//            about 80 with Registers.
// Throughput one segment a clock while nothing opens a connection, with Registers one in 2 clocks, with
//            Chained mostly one in 15.
// Order      as received; with CacheEntries only for each connection.
module segment_lookup
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int Connections  = 64,
  parameter  int CacheEntries = 0,
  parameter  bit Peek         = 1'b0,  // of cuckoo_table
  parameter  bit Registers    = 1'b0,  // for slow parts; also a narrow hash
  parameter  bit Chained      = 1'b0,  // one segment is looked up at a time (chain_table)
  localparam int IdWidth      = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       31:0] now_us,
  input  ip_address_t        ip_i,
  input  ip_address_t        broadcast_ip_i,
  input  logic [      127:0] isn_secret_i,
  input  logic [      127:0] hash_key_i,
  input  logic               reset_unknown_i,  // a segment of no connection is answered by a reset
  input  logic               reset_full_i,     // and so is a SYN that finds no room

  input  tcp_segment_t       s_segment,
  input  logic               s_valid,
  output logic               s_ready,

  // Listen table: answer one clock later.
  output port_t              listen_port_o,
  input  logic               listening_i,
  input  app_id_t            listen_app_i,

  // ICMP errors: each becomes an EvIcmp.
  input  icmp_error_t        s_icmp,
  input  logic               s_icmp_valid,
  output logic               s_icmp_ready,

  // CommandOpen: one result each, of which at most one comes after open_room_i went low.
  input  app_command_t       s_open,
  input  logic               s_open_valid,
  output logic               s_open_ready,
  input  logic               open_room_i,

  output tcp_event_t         m_event,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  // A closed connection's tuple leaves the table; then its id may be given out again. Both are
  // taken in order: an id waits here until every removal before it is done.
  input  tuple_t             s_remove_tuple,
  input  logic [IdWidth-1:0] s_remove_id,
  input  logic               s_remove_valid,
  output logic               s_remove_ready,
  input  logic [IdWidth-1:0] s_release_id,
  input  logic               s_release_valid,
  output logic               s_release_ready,

  // Memory of tuples, with CacheEntries.
  output line_request_t      m_line,
  output logic               m_line_valid,
  input  logic               m_line_ready,
  input  line_response_t     s_line,
  input  logic               s_line_valid,

  // Found 2 clocks later (cuckoo_table with Peek, without CacheEntries).
  input  tuple_t             peek_tuple_i,
  output logic               peek_hit_o,
  output logic [IdWidth-1:0] peek_id_o,

  output logic [  IdWidth:0] free_count_o,
  output logic [        7:0] stash_o,
  output index_counts_t      index_counts_o
);

  typedef struct packed {
    tcp_segment_t segment;
    seq_t         segment_end;
    app_id_t      app;
    logic         may_open;     // a SYN that may open a connection
    logic         is_open;      // CommandOpen; of the segment only the tuple means something
    logic         is_icmp;      // so it is here, but for ack and mss
    icmp_reason_t icmp;
    logic         may_retry;    // and another port is to be tried if the tuple is in use
  } waiting_t;

  // Listen: the segment waits one clock beside the table.
  tcp_segment_t listen_q;
  seq_t segment_end_q;
  logic listen_valid_q;
  logic asks_q;             // it may open a connection, if somebody listens
  logic known_app_q;        // the answer below is this segment's
  logic listening_q, listening;
  app_id_t app_q, app;
  logic listen_ready;

  // With Registers a place is filled again when it is seen to be empty: what is free is a register.
  assign s_ready = !listen_valid_q || (!Registers && listen_ready);
  assign listen_port_o = s_segment.tuple.local_port;
  assign listening = known_app_q ? listening_q : listening_i;
  assign app = known_app_q ? app_q : listen_app_i;

  always_ff @(posedge clk) begin
    if (s_ready) begin
      listen_q       <= s_segment;
      segment_end_q  <= s_segment.seq + 32'(s_segment.payload_length)
          + 32'(s_segment.flags.syn) + 32'(s_segment.flags.fin);
      // A SYN opens a connection if somebody listens and its source can be answered (RFC 9293 MUST-57,
      // RFC 1122 section 3.2.1.3).
      asks_q         <= s_segment.flags.syn && !s_segment.flags.ack && !s_segment.flags.rst
          && !s_segment.flags.fin && is_host(s_segment.tuple.remote_ip)
          && s_segment.tuple.remote_ip != ip_i && s_segment.tuple.remote_ip != broadcast_ip_i;
      listen_valid_q <= s_valid;
      known_app_q    <= 1'b0;
    end else begin
      if (listen_ready) listen_valid_q <= 1'b0;
      known_app_q <= 1'b1;
      listening_q <= listening;
      app_q       <= app;
    end

    if (rst) listen_valid_q <= 1'b0;
  end

  // The opener's offer. It goes before ICMP errors, and they before segments: of each one comes in
  // several clocks at most.
  tuple_t open_tuple;
  app_id_t open_app;
  logic [7:0] open_tag;
  logic open_insert, open_may_retry, open_valid;

  logic may_open;
  logic opens_q;
  logic lookup_valid_q;
  waiting_t lookup_q;
  logic lookup_free, lookup_taken;

  assign lookup_free = !lookup_valid_q || (!Registers && lookup_taken);
  assign listen_ready = lookup_free && !open_valid && !s_icmp_valid;
  assign s_icmp_ready = lookup_free && !open_valid;

  // A datagram of so many bytes holds a segment of 40 less. Less than every host takes is not believed,
  // and was never told by routers that tell nothing (RFC 1191).
  logic [15:0] icmp_mss;
  assign icmp_mss = s_icmp.mtu < TcpDefaultMss + 16'd40 ? TcpDefaultMss : s_icmp.mtu - 16'd40;

  assign may_open = listening && asks_q;

  always_ff @(posedge clk) begin
    if (lookup_free) begin
      lookup_valid_q <= listen_valid_q || open_valid || s_icmp_valid;
      lookup_q       <= '{segment: listen_q, segment_end: segment_end_q, app: app,
                          may_open: may_open, is_open: 1'b0, is_icmp: 1'b0, icmp: '0,
                          may_retry: 1'b0};
      opens_q        <= may_open;
      if (open_valid) begin
        lookup_q.segment.tuple          <= open_tuple;
        lookup_q.segment.payload_length <= '0;
        lookup_q.segment.mss            <= '0;
        lookup_q.app                    <= open_app;
        lookup_q.may_open               <= 1'b0;
        lookup_q.is_open                <= 1'b1;
        lookup_q.may_retry              <= open_may_retry;
        opens_q                         <= open_insert;
      end else if (s_icmp_valid) begin
        lookup_q.segment       <= '0;
        lookup_q.segment.tuple <= '{
            remote_ip: s_icmp.remote_ip,
            remote_port: s_icmp.remote_port,
            local_port: s_icmp.local_port
        };
        lookup_q.segment.ack   <= s_icmp.seq;
        lookup_q.segment.mss   <= icmp_mss;
        lookup_q.may_open      <= 1'b0;
        lookup_q.is_icmp       <= 1'b1;
        lookup_q.icmp          <= s_icmp.reason;
        opens_q                <= 1'b0;
      end
    end else if (lookup_taken) begin
      lookup_valid_q <= 1'b0;
    end

    if (rst) lookup_valid_q <= 1'b0;
  end

  // Lookup, with the segment waiting beside it.
  lookup_e result;
  logic [IdWidth-1:0] id;
  logic result_valid, result_ready;
  waiting_t waiting;
  logic waiting_valid;

  if (CacheEntries == 0) begin : gen_on_chip
    logic lookup_ready, waiting_ready, release_taken;

    assign lookup_taken    = lookup_ready && waiting_ready;
    assign s_release_ready = release_taken && !s_remove_valid;

    connection_lookup #(
      .Connections(Connections),
      .Peek       (Peek),
      .Registers  (Registers),
      .Chained    (Chained)
    ) lookup (
      .clk,
      .rst,
      .hash_key_i,
      .s_tuple        (lookup_q.segment.tuple),
      .s_open         (opens_q),
      .s_valid        (lookup_valid_q && waiting_ready),
      .s_ready        (lookup_ready),
      .m_result       (result),
      .m_id           (id),
      .m_valid        (result_valid),
      .m_ready        (result_ready),
      .s_remove_tuple,
      .s_remove_id,
      .s_remove_valid,
      .s_remove_ready,
      .s_release_id,
      .s_release_valid(s_release_valid && !s_remove_valid),
      .s_release_ready(release_taken),
      .peek_tuple_i,
      .peek_hit_o,
      .peek_id_o,
      .free_count_o,
      .connections_o  ()
    );

    if (Chained) begin : gen_in_place
      // It is taken with its answer.
      assign waiting       = lookup_q;
      assign waiting_valid = lookup_valid_q;
      assign waiting_ready = 1'b1;
    end else begin : gen_waiting
      stream_fifo #(
        .T       (waiting_t),
        .Depth   (8),
        .BlockRam(0),
        .Straight(1'b0)
      ) waiting_fifo (
        .clk,
        .rst,
        .s_data (lookup_q),
        .s_valid(lookup_valid_q && lookup_ready),
        .s_ready(waiting_ready),
        .m_data (waiting),
        .m_valid(waiting_valid),
        .m_ready(result_valid && result_ready),
        .count_o()
      );
    end

    assign m_line         = '0;
    assign m_line_valid   = 1'b0;
    assign stash_o        = '0;
    assign index_counts_o = '0;

    logic unused_line;
    assign unused_line = &{m_line_ready, s_line, s_line_valid};
  end else begin : gen_in_memory
    logic unused_peek;
    assign unused_peek = &{1'b0, peek_tuple_i};
    assign peek_hit_o  = 1'b0;
    assign peek_id_o   = '0;

    localparam int Slots = 64;
    logic [$clog2(Slots):0] stash;

    segment_index #(
      .Connections (Connections),
      .CacheEntries(CacheEntries),
      .Width       ($bits(waiting_t)),
      .Slots       (Slots),
      .StashEntries(24)
    ) index (
      .clk,
      .rst,
      .hash_key_i,
      .s_data  (lookup_q),
      .s_tuple (lookup_q.segment.tuple),
      .s_open  (opens_q),
      .s_valid (lookup_valid_q),
      .s_ready (lookup_taken),
      .m_data  (waiting),
      .m_result(result),
      .m_id    (id),
      .m_valid (result_valid),
      .m_ready (result_ready),
      .s_remove_tuple,
      .s_remove_id,
      .s_remove_valid,
      .s_remove_ready,
      .s_release_id,
      .s_release_valid,
      .s_release_ready,
      .m_line,
      .m_line_valid,
      .m_line_ready,
      .s_line,
      .s_line_valid,
      .free_count_o,
      .stash_o (stash),
      .counts_o(index_counts_o)
    );

    assign waiting_valid = result_valid;
    assign stash_o       = 8'(stash);
  end

  // A new connection waits for its initial sequence number. The same generator hashes what a local
  // port is chosen by; it has one thing to do at a time.
  logic asked_q;     // the generator has this connection's tuple
  logic hashing_q;   // it has the opener's
  logic hash_wanted, hash_valid;
  logic isn_asked, isn_ready, isn_valid;
  logic is_new, retry;
  logic [31:0] hash;
  seq_t isn;

  // So does one that may follow upon another in TIME_WAIT (RFC 6191).
  assign is_new = result == LookupNew || (result == LookupHit && waiting.may_open);
  assign retry = waiting.may_retry && result == LookupHit;
  assign isn_asked = (hash_wanted || (result_valid && waiting_valid && is_new))
      && !asked_q && !hashing_q;
  assign hash_valid = isn_valid && hashing_q;

  isn_generator #(
    .NarrowHash(Registers)
  ) isn_generator (
    .clk,
    .rst,
    .now_us,
    .secret_i  (isn_secret_i),
    .local_ip_i(ip_i),
    .s_tuple   (hash_wanted ? open_tuple : waiting.segment.tuple),
    .s_valid   (isn_asked),
    .s_ready   (isn_ready),
    .m_isn     (isn),
    .m_hash    (hash),
    .m_valid   (isn_valid),
    .m_ready   (m_ready || hashing_q)
  );

  always_ff @(posedge clk) begin
    if (isn_asked && isn_ready) begin
      asked_q   <= !hash_wanted;
      hashing_q <= hash_wanted;
    end
    if (isn_valid && m_ready) asked_q <= 1'b0;
    if (isn_valid) hashing_q <= 1'b0;

    if (rst) begin
      asked_q   <= 1'b0;
      hashing_q <= 1'b0;
    end
  end

  logic [31:14] unused_hash;
  assign unused_hash = hash[31:14];

  if (HasOpens) begin : gen_opener
    connection_opener opener (
      .clk,
      .rst,
      .ip_i,
      .broadcast_ip_i,
      .room_i      (open_room_i),
      .s_command   (s_open),
      .s_valid     (s_open_valid),
      .s_ready     (s_open_ready),
      .tuple_o     (open_tuple),
      .app_o       (open_app),
      .tag_o       (open_tag),
      .m_hash_valid(hash_wanted),
      .m_hash_ready(isn_asked && isn_ready),
      .hash_i      (hash[13:0]),
      .hash_valid_i(hash_valid),
      .m_insert    (open_insert),
      .m_may_retry (open_may_retry),
      .m_valid     (open_valid),
      .m_ready     (lookup_free),
      .retry_i     (result_valid && waiting_valid && retry),
      .done_i      (m_valid && m_ready && waiting.is_open)
    );
  end else begin : gen_no_opener
    assign s_open_ready   = 1'b1;
    assign open_tuple     = '0;
    assign open_app       = '0;
    assign open_tag       = '0;
    assign hash_wanted    = 1'b0;
    assign open_insert    = 1'b0;
    assign open_may_retry = 1'b0;
    assign open_valid     = 1'b0;

    logic unused_open;
    assign unused_open = &{1'b0, s_open, s_open_valid, open_room_i, hash[13:0], hash_valid};
  end

  logic known;  // what there is to know of the segment

  assign known = waiting_valid && (!is_new || (isn_valid && asked_q));
  assign m_valid = result_valid && known && !retry;
  assign result_ready = known && (m_ready || retry);
  assign m_id = id;

  always_comb begin
    m_event = '0;
    m_event.kind = waiting.is_open ? EvCommand : waiting.is_icmp ? EvIcmp
        : waiting.segment.sack_only ? EvSack : EvSegment;
    m_event.icmp = waiting.icmp;
    m_event.lookup = result;
    m_event.segment = waiting.segment;
    // A reset is never answered.
    if (result == LookupMiss && !reset_unknown_i || result == LookupNoRoom && !reset_full_i)
      m_event.segment.flags.rst = 1'b1;
    m_event.segment_end = waiting.segment_end;
    if (waiting.segment.direct) m_event.length = waiting.segment.payload_length;
    m_event.may_open = waiting.may_open;
    m_event.isn = isn;
    m_event.app = waiting.app;
    m_event.op = CommandOpen;
    m_event.tag = open_tag;
  end

endmodule
