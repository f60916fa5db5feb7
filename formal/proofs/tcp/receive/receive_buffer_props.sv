// SPDX-License-Identifier: Apache-2.0

// receive_buffer: commands in order, around abstract writers and readers of any speed.
//   An offer is put to the application when the writes before it are done, and not sooner.
//   Queries, packets and reports follow the order of the offers, with the lesser of grant and length, and
//   a query does not wait for the grant of the one before;
//   no query for length 0, no packet for a grant of 0, exactly one report each.
//   Packets carry their own connection's session and application, and wait for no report to be taken.
// Assumed of the engine: at most two offers open.
module receive_buffer_props
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter int RingBytes = 8
) (
  input logic        clk,
  input logic        rst,
  input rx_command_t s_command,
  input logic        s_command_id,
  input logic        s_command_valid,
  input logic [15:0] s_payload_data,
  input logic [ 1:0] s_payload_keep,
  input logic        s_payload_last,
  input logic        s_payload_valid,
  input logic        m_query_ready,
  input logic [15:0] s_grant_length,
  input logic        s_grant_valid,
  input logic        m_app_ready,
  input logic        m_delivered_ready
);

  localparam int PlaceBits = $clog2(RingBytes);

  typedef logic [PlaceBits-1:0] place_t;

  logic s_command_ready, s_payload_ready, m_query_valid, s_grant_ready;
  logic m_app_last, m_app_valid, m_delivered_id, m_delivered_valid;
  logic [15:0] m_app_data, m_delivered_length;
  logic [1:0] m_app_keep;
  logic [GenerationWidth-1:0] m_delivered_generation;
  app_offer_t m_query;
  session_t m_app_session;
  app_id_t m_app_app;

  // Where the rings lie in DRAM; here they do not.
  burst_memory_pkg::burst_t m_ring_read_burst, m_ring_write_burst;
  logic m_ring_read_valid, m_ring_write_valid, m_ring_last, m_ring_valid;
  logic [15:0] m_ring_data;
  logic [1:0] m_ring_strobe;

  receive_buffer #(
    .DataWidth  (16),
    .Connections(2),
    .RingBytes  (RingBytes)
  ) dut (
    .*,
    .page_freed_o      (),
    .m_page_line       (),
    .m_page_line_valid (),
    .m_page_line_ready (2'b0),
    .s_page_line       ('0),
    .s_page_line_valid (2'b0),
    .m_ring_read_ready (1'b0),
    .s_ring_data       (16'd0),
    .s_ring_valid      (1'b0),
    .m_ring_write_ready(1'b0),
    .m_ring_ready      (1'b0),
    .ring_written_i    (1'b0)
  );

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) begin
      assume (rst);
    end else begin
      assume (!rst);
    end
  end

  // ---- What goes in follows the rules -------------------------------------------------------------

  logic m_first;

  stream_contract #(
    .Width ($bits(rx_command_t) + 1),
    .Assume(1'b1)
  ) command_contract (
    .clk,
    .rst,
    .data ({s_command, s_command_id}),
    .valid(s_command_valid),
    .ready(s_command_ready)
  );

  stream_contract #(
    .Width (16),
    .Assume(1'b1)
  ) grant_contract (
    .clk,
    .rst,
    .data (s_grant_length),
    .valid(s_grant_valid),
    .ready(s_grant_ready)
  );

  // ---- What comes out follows the rules -----------------------------------------------------------

  stream_contract #(
    .Width($bits(app_offer_t))
  ) query_contract (
    .clk,
    .rst,
    .data (m_query),
    .valid(m_query_valid),
    .ready(m_query_ready)
  );

  packet_contract #(
    .DataWidth(16)
  ) app_contract (
    .clk,
    .rst,
    .data   (m_app_data),
    .keep   (m_app_keep),
    .last   (m_app_last),
    .error  (1'b0),
    .valid  (m_app_valid),
    .ready  (m_app_ready),
    .first_o(m_first)
  );

  stream_contract #(
    .Width(17 + GenerationWidth)
  ) delivered_contract (
    .clk,
    .rst,
    .data ({m_delivered_id, m_delivered_generation, m_delivered_length}),
    .valid(m_delivered_valid),
    .ready(m_delivered_ready)
  );

  // ---- Writes -------------------------------------------------------------------------------------

  logic take_write, take_deliver;
  logic [2:0] begun_q = '0, done_q = '0;

  assign take_write   = s_command_valid && s_command_ready && s_command.kind != RxDeliver;
  assign take_deliver = s_command_valid && s_command_ready && s_command.kind == RxDeliver;

  always_ff @(posedge clk) begin
    if (take_write) begun_q <= begun_q + 1'b1;
    if (dut.written) done_q <= done_q + 1'b1;
    if (rst) begin
      begun_q <= '0;
      done_q  <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started) begin
      // A run is short, and its lengths are small: longer ones only last longer.
      assume (begun_q != '1);
      assume (s_command.length <= 16'd4 && s_grant_length <= 16'd5);
      assume (s_command.seq < 32'(RingBytes) && s_command.skip == '0);
      assume (s_command.kind == RxDrop || s_command.kind == RxWrite || s_command.kind == RxDeliver);
    end
  end

  // ---- Offers -------------------------------------------------------------------------------------

  typedef struct packed {
    logic        id;
    app_id_t     app;
    session_t    session;
    place_t      place;
    logic [15:0] length;
    logic [2:0]  writes;  // begun before it
  } offer_t;

  offer_t [3:0] offer_q;
  logic [3:0][15:0] outcome_q;
  // Offers, those that were put to the application or needed no query, outcomes known, outcomes that are over
  // but for their reports, reports.
  logic [1:0] offers_q = '0, asked_q = '0, answers_q = '0, passed_q = '0, reports_q = '0;
  logic [15:0] position_q = '0;                               // bytes of this packet that have gone
  logic [3:0] packet_done_q = '0;
  logic blocked;                                              // it would open an offer too many
  offer_t now, reported;
  logic deliverable;

  assign blocked = 2'(offers_q - reports_q) == 2'd2;
  assign now      = offer_q[passed_q];
  assign reported = offer_q[reports_q];

  always_ff @(posedge clk) begin
    if (started) assume (!(take_deliver && (blocked || offers_q == '1)));
  end

  always_ff @(posedge clk) begin
    if (take_deliver) begin
      offer_q[offers_q] <= '{
          id: s_command_id, app: s_command.app, session: s_command.session,
          place: place_t'(s_command.seq), length: s_command.length, writes: begun_q
      };
      offers_q <= offers_q + 1'b1;
    end
    if (offers_q != answers_q && offer_q[answers_q].length == '0) begin
      outcome_q[answers_q] <= '0;
      answers_q            <= answers_q + 1'b1;
    end else if (s_grant_valid && s_grant_ready) begin
      outcome_q[answers_q] <= s_grant_length < offer_q[answers_q].length
          ? s_grant_length : offer_q[answers_q].length;
      answers_q <= answers_q + 1'b1;
    end
    if (m_app_valid && m_app_ready) begin
      position_q <= m_app_last ? '0 : position_q + 16'd2;
      if (m_app_last) packet_done_q[passed_q] <= 1'b1;
    end
    if (dut.offer_taken) asked_q <= asked_q + 1'b1;
    if (dut.outcome_taken) passed_q <= passed_q + 1'b1;
    if (m_delivered_valid && m_delivered_ready) reports_q <= reports_q + 1'b1;
    if (rst) begin
      offers_q      <= '0;
      asked_q       <= '0;
      answers_q     <= '0;
      passed_q      <= '0;
      reports_q     <= '0;
      position_q    <= '0;
      packet_done_q <= '0;
    end
  end

  assign deliverable = answers_q != passed_q && outcome_q[passed_q] != '0
      && !packet_done_q[passed_q];

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_query_valid) begin
        assert (offers_q != asked_q);
        assert (done_q >= offer_q[asked_q].writes && offer_q[asked_q].length != '0);
        assert (m_query.app == offer_q[asked_q].app);
        assert (m_query.session == offer_q[asked_q].session);
        assert (m_query.length == offer_q[asked_q].length);
      end
      if (s_grant_ready) assert (asked_q != answers_q && offer_q[answers_q].length != '0);
      // No query waits for a grant.
      if (dut.offer_valid) assert (m_query_valid == (offer_q[asked_q].length != '0));

      if (m_app_valid) begin
        assert (deliverable);
        assert (m_app_session == now.session && m_app_app == now.app);
        assert (m_first == (position_q == '0));
        assert (m_app_last == (position_q + 16'd2 >= outcome_q[passed_q]));
        if (m_app_last) assert (m_app_keep[1] == !outcome_q[passed_q][0]);
        assert (m_app_data == 16'({now.id, now.place}));  // the reader was told so
      end

      if (m_delivered_valid) begin
        assert (passed_q != reports_q);
        assert (outcome_q[reports_q] == '0 || packet_done_q[reports_q]);
        assert (m_delivered_id == reported.id);
        assert (m_delivered_generation == reported.session.generation);
        assert (m_delivered_length == outcome_q[reports_q]);
      end

      if (dut.outcome_taken) begin
        assert (answers_q != passed_q);
        assert (outcome_q[passed_q] == '0 || (m_app_valid && m_app_ready && m_app_last));
      end
      // Nothing but the data itself and the application hold a packet up.
      if (deliverable) assert (m_app_valid == dut.stream_valid);

      assert (dut.pending_q == 4'(3'(begun_q - done_q)));
    end

    cover (started && !rst && m_app_valid && m_app_last && position_q == 16'd2 && passed_q == 2'd1);
    cover (started && !rst && m_delivered_valid && reports_q == 2'd1 && outcome_q[1] != '0);
    cover (started && !rst && m_delivered_valid && m_delivered_length == '0
        && reported.length != '0);
    cover (started && !rst && m_delivered_valid && m_app_valid && m_app_last);
    cover (started && !rst && m_query_valid && m_app_valid);
    cover (started && !rst && dut.arrived_q && dut.awaited_q == 4'd2);
    cover (started && !rst && s_grant_ready && 2'(asked_q - answers_q) == 2'd2);
  end

endmodule
