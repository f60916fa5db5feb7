// SPDX-License-Identifier: Apache-2.0

// From a received segment to an event for the connection pipeline: whose connection it belongs to,
// or that a SYN opens one, with its initial sequence number.
//
// Latency    6 clocks for a segment of a known connection; about 25 for a SYN that opens one, which
//            the segments behind it wait for.
// Throughput one segment a clock while none opens a connection.
// Order      as received.
module segment_lookup
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       31:0] now_us,
  input  ip_address_t        ip_i,
  input  logic [      127:0] isn_secret_i,
  input  logic [      127:0] hash_key_i,
  input  logic               reset_unknown_i,  // a segment of no connection is answered by a reset

  input  tcp_segment_t       s_segment,
  input  logic               s_valid,
  output logic               s_ready,

  // Listen table: answer one clock later.
  output port_t              listen_port_o,
  input  logic               listening_i,
  input  app_id_t            listen_app_i,

  // Event fields of EvSegment; the others are the arbiter's.
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

  output logic [  IdWidth:0] free_count_o
);

  typedef struct packed {
    tcp_segment_t segment;
    seq_t         segment_end;
    seq_t         window_end;
    app_id_t      app;
  } waiting_t;

  // Listen: the segment waits one clock beside the table.
  tcp_segment_t listen_q;
  seq_t segment_end_q, window_end_q;
  logic listen_valid_q;
  logic known_app_q;        // the answer below is this segment's
  logic listening_q, listening;
  app_id_t app_q, app;
  logic listen_ready;

  assign s_ready = !listen_valid_q || listen_ready;
  assign listen_port_o = s_segment.tuple.local_port;
  assign listening = known_app_q ? listening_q : listening_i;
  assign app = known_app_q ? app_q : listen_app_i;

  always_ff @(posedge clk) begin
    if (s_ready) begin
      listen_q       <= s_segment;
      segment_end_q  <= s_segment.seq + 32'(s_segment.payload_length)
          + 32'(s_segment.flags.syn) + 32'(s_segment.flags.fin);
      window_end_q   <= s_segment.ack + 32'(s_segment.window);
      listen_valid_q <= s_valid;
      known_app_q    <= 1'b0;
    end else begin
      known_app_q <= 1'b1;
      listening_q <= listening;
      app_q       <= app;
    end

    if (rst) listen_valid_q <= 1'b0;
  end

  // A SYN opens a connection if somebody listens and its source can be answered (RFC 9293 MUST-57,
  // RFC 1122 section 3.2.1.3).
  function automatic logic can_answer(input ip_address_t ip, input ip_address_t own);
    return ip[31:28] != 4'hE && ip != '1 && ip != '0 && ip != own;
  endfunction

  logic opens_q;
  logic lookup_valid_q;
  waiting_t lookup_q;
  logic lookup_ready, waiting_ready;
  logic lookup_taken;
  logic release_taken;

  assign listen_ready = !lookup_valid_q || lookup_taken;

  always_ff @(posedge clk) begin
    if (listen_ready) begin
      lookup_valid_q <= listen_valid_q;
      lookup_q       <= '{segment: listen_q, segment_end: segment_end_q,
                          window_end: window_end_q, app: app};
      opens_q        <= listening && listen_q.flags.syn && !listen_q.flags.ack
          && !listen_q.flags.rst && !listen_q.flags.fin
          && can_answer(listen_q.tuple.remote_ip, ip_i);
    end

    if (rst) lookup_valid_q <= 1'b0;
  end

  // Lookup, with the segment waiting beside it.
  lookup_e result;
  logic [IdWidth-1:0] id;
  logic result_valid, result_ready;
  waiting_t waiting;
  logic waiting_valid;

  assign lookup_taken = lookup_ready && waiting_ready;

  connection_lookup #(
    .Connections(Connections)
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
    .free_count_o,
    .connections_o  ()
  );

  assign s_release_ready = release_taken && !s_remove_valid;

  stream_fifo #(
    .T    (waiting_t),
    .Depth(8)
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

  // A new connection waits for its initial sequence number.
  logic asked_q;  // the generator has this connection's tuple
  logic isn_ready, isn_valid;
  logic is_new;
  seq_t isn;

  assign is_new = result == LookupNew;

  isn_generator isn_generator (
    .clk,
    .rst,
    .now_us,
    .secret_i  (isn_secret_i),
    .local_ip_i(ip_i),
    .s_tuple   (waiting.segment.tuple),
    .s_valid   (result_valid && waiting_valid && is_new && !asked_q),
    .s_ready   (isn_ready),
    .m_isn     (isn),
    .m_valid   (isn_valid),
    .m_ready   (m_ready)
  );

  always_ff @(posedge clk) begin
    if (result_valid && waiting_valid && is_new && isn_ready && !asked_q) asked_q <= 1'b1;
    if (isn_valid && m_ready) asked_q <= 1'b0;

    if (rst) asked_q <= 1'b0;
  end

  assign m_valid = result_valid && waiting_valid && (!is_new || isn_valid);
  assign result_ready = m_ready && waiting_valid && (!is_new || isn_valid);
  assign m_id = id;

  always_comb begin
    m_event = '0;
    m_event.kind = EvSegment;
    m_event.lookup = result;
    m_event.segment = waiting.segment;
    // A reset is never answered.
    if (result == LookupMiss && !reset_unknown_i) m_event.segment.flags.rst = 1'b1;
    m_event.segment_end = waiting.segment_end;
    m_event.window_end = waiting.window_end;
    m_event.isn = isn;
    m_event.app = waiting.app;
  end

endmodule
