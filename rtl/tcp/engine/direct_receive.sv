// SPDX-License-Identifier: Apache-2.0

// Receiving cut through: the second way from the wire to the application, beside the one through
// the parser's FIFO, the pipeline and the ring.
//
//   beats of IP packets --> peek_header --> segment_peek --> m_direct, to the segment's event
//                                               | go, verdict
//   payload as parsed (s_tap) ------------> direct_queue --+
//   receive_buffer (s_ring) -------------------------------+--> receive_merge --> m_app
//   events ------------------------------> final_event_hold --> m_event
//
// Payload that the peek finds to be next goes out while it comes in, if the application takes all
// of it; its last beat has m_app_error if it was bad then. State moves when the segment is committed,
// as ever.
//
// Latency    beat with the header's last byte to m_app: 8 clocks at 64 bits, if the application
//            answers in the clock after the query.
// Throughput a segment in 5 clocks, one that does not go straight in 3. hold_o stops the input
//            where more small ones come.
// Paths      see the parts; s_ring_* reaches m_app_*, queries and grants pass combinationally.
module direct_receive
  import net_headers_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_peek_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int MaxBytes    = 1460,
  parameter  int QueueBytes  = 4096,
  parameter  int Queries     = 4,     // open at once
  localparam int IdWidth     = $clog2(Connections),
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  // What the receive parser takes, and what it makes of it.
  input  logic                 beat_i,
  input  logic [DataWidth-1:0] data_i,
  input  logic [    Lanes-1:0] keep_i,
  input  logic                 last_i,
  input  ip_receive_t          ip_i,
  output logic                 hold_o,
  input  logic [DataWidth-1:0] s_tap_data,
  input  logic [    Lanes-1:0] s_tap_keep,
  input  logic                 s_tap_last,
  input  logic                 s_tap_valid,
  output logic                 s_tap_ready,
  input  logic                 kind_payload_i,
  input  logic                 kind_valid_i,
  input  logic                 ended_bad_i,
  input  logic                 ended_i,
  input  logic                 summed_good_i,
  input  logic                 summed_i,

  // The table of connections: answer 2 clocks later.
  output tuple_t               peek_tuple_o,
  input  logic                 peek_hit_i,
  input  logic [  IdWidth-1:0] peek_id_i,

  // Of each good segment: its payload went straight.
  output logic                 m_direct,
  output logic                 m_direct_valid,
  input  logic                 m_direct_ready,

  // The pipeline's commits, one clock later its actions.
  input  logic                 write_enable_i,
  input  logic [  IdWidth-1:0] write_id_i,
  input  connection_t          write_connection_i,
  input  logic                 committed_i,

  // Events as they are queued, and on their way out.
  // verilator lint_off UNUSEDSIGNAL
  input  app_event_t           s_event_queued,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 event_queued_i,
  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,
  output app_event_t           m_event,
  output logic                 m_event_valid,
  input  logic                 m_event_ready,

  // receive_buffer.
  input  app_offer_t           s_ring_query,
  input  logic                 s_ring_query_valid,
  output logic                 s_ring_query_ready,
  output logic                 ring_grant_valid_o,
  input  logic                 ring_grant_ready_i,
  input  logic [DataWidth-1:0] s_ring_data,
  input  logic [    Lanes-1:0] s_ring_keep,
  input  logic                 s_ring_last,
  input  logic                 s_ring_valid,
  output logic                 s_ring_ready,

  // Application.
  output app_offer_t           m_query,
  output logic                 m_query_valid,
  input  logic                 m_query_ready,
  input  logic [         15:0] s_grant_length,
  input  logic                 s_grant_valid,
  output logic                 s_grant_ready,
  output app_id_t              m_app_app,
  output session_t             m_app_session,
  output logic [DataWidth-1:0] m_app_data,
  output logic [    Lanes-1:0] m_app_keep,
  output logic                 m_app_last,
  output logic                 m_app_error,
  output logic                 m_app_valid,
  input  logic                 m_app_ready
);

  logic head_asked, head_valid, head_ready, ask;
  logic [1:0] asked_q;
  peeked_t head;

  peek_header #(
    .DataWidth(DataWidth)
  ) peek_header (
    .clk,
    .rst,
    .beat_i,
    .data_i,
    .keep_i,
    .last_i,
    .ip_i,
    .hold_o,
    .ask_o       (ask),
    .tuple_o     (peek_tuple_o),
    .m_head_asked(head_asked),
    .m_head      (head),
    .m_head_valid(head_valid),
    .m_head_ready(head_ready)
  );

  always_ff @(posedge clk) begin
    asked_q <= {asked_q[0], ask};
    if (rst) asked_q <= '0;
  end

  // Connections that the application has not heard of yet: what it is told of them is on its way.
  logic introduced, heard;
  logic [5:0] introductions_q;

  assign introduced = event_queued_i && (s_event_queued.kind == EventAccepted
                                         || s_event_queued.kind == EventOpened);
  assign heard      = m_event_valid && m_event_ready && (m_event.kind == EventAccepted
                                                         || m_event.kind == EventOpened);

  always_ff @(posedge clk) begin
    introductions_q <= introductions_q + 6'(introduced) - 6'(heard);
    if (rst) introductions_q <= '0;
  end

  logic go, go_valid, go_ready, good, good_valid, revoke_valid, revoke_ready, room, idle, asking;
  app_offer_t query;
  logic query_valid, query_ready, withdrawn, grant_valid;

  segment_peek #(
    .Connections(Connections)
  ) segment_peek (
    .clk,
    .rst,
    .s_head_asked   (head_asked),
    .s_head         (head),
    .s_head_valid   (head_valid),
    .s_head_ready   (head_ready),
    .found_valid_i  (asked_q[1]),
    .found_hit_i    (peek_hit_i),
    .found_id_i     (peek_id_i),
    .ended_i,
    .ended_bad_i,
    .summed_i,
    .summed_good_i,
    .write_enable_i,
    .write_id_i,
    .write_connection_i,
    .committed_i,
    .allowed_i      (introductions_q == '0 && idle),
    .room_i         (room),
    .m_go           (go),
    .m_go_valid     (go_valid),
    .m_go_ready     (go_ready),
    .m_verdict_good (good),
    .m_verdict_valid(good_valid),
    .m_revoke_valid (revoke_valid),
    .m_revoke_ready (revoke_ready),
    .m_flag         (m_direct),
    .m_flag_valid   (m_direct_valid),
    .m_flag_ready   (m_direct_ready),
    .m_query        (query),
    .m_query_valid  (query_valid),
    .m_query_ready  (query_ready),
    .withdrawn_i    (withdrawn),
    .s_grant_length,
    .s_grant_valid  (grant_valid),
    .asking_o       (asking)
  );

  logic [DataWidth-1:0] data;
  logic [Lanes-1:0] keep;
  logic last, error, valid, ready;
  logic [5:0] open;
  logic done;

  direct_queue #(
    .DataWidth(DataWidth),
    .MaxBytes (MaxBytes),
    .Bytes    (QueueBytes)
  ) queue (
    .clk,
    .rst,
    .s_data         (s_tap_data),
    .s_keep         (s_tap_keep),
    .s_last         (s_tap_last),
    .s_valid        (s_tap_valid),
    .s_ready        (s_tap_ready),
    .kind_payload_i,
    .kind_valid_i,
    .s_go           (go),
    .s_go_valid     (go_valid),
    .s_go_ready     (go_ready),
    .s_verdict_good (good),
    .s_verdict_valid(good_valid),
    .s_revoke_valid (revoke_valid),
    .s_revoke_ready (revoke_ready),
    .room_o         (room),
    .m_data         (data),
    .m_keep         (keep),
    .m_last         (last),
    .m_error        (error),
    .m_valid        (valid),
    .m_ready        (ready)
  );

  receive_merge #(
    .DataWidth(DataWidth),
    .Queries  (Queries)
  ) merge (
    .clk,
    .rst,
    .s_direct_query      (query),
    .s_direct_query_valid(query_valid),
    .s_direct_query_ready(query_ready),
    .direct_withdrawn_o  (withdrawn),
    .direct_grant_valid_o(grant_valid),
    .s_ring_query,
    .s_ring_query_valid,
    .s_ring_query_ready,
    .ring_grant_valid_o,
    .ring_grant_ready_i,
    .m_query,
    .m_query_valid,
    .m_query_ready,
    .s_grant_length,
    .s_grant_valid,
    .s_grant_ready,
    .s_direct_data       (data),
    .s_direct_keep       (keep),
    .s_direct_last       (last),
    .s_direct_error      (error),
    .s_direct_valid      (valid),
    .s_direct_ready      (ready),
    .s_ring_data,
    .s_ring_keep,
    .s_ring_last,
    .s_ring_valid,
    .s_ring_ready,
    .m_app_app,
    .m_app_session,
    .m_app_data,
    .m_app_keep,
    .m_app_last,
    .m_app_error,
    .m_app_valid,
    .m_app_ready,
    .idle_o              (idle),
    .direct_open_o       (open),
    .direct_done_o       (done)
  );

  final_event_hold hold (
    .clk,
    .rst,
    .s_event,
    .s_valid         (s_event_valid),
    .s_ready         (s_event_ready),
    .m_event,
    .m_valid         (m_event_valid),
    .m_ready         (m_event_ready),
    .asking_i        (asking),
    .asking_session_i(query.session),
    .open_i          (open),
    .done_i          (done)
  );

endmodule
