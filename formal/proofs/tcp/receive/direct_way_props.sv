// SPDX-License-Identifier: Apache-2.0

// direct_queue and receive_merge together, between an abstract peek and an abstract receive_buffer,
// with an application that answers what and when it likes: of an arbitrary session every packet that
// arrives reaches the application once and in order, either straight or from the ring.
//
// The abstract peek is free but for the rule: it asks for what is next only while nothing of that
// session waits in the ring, and only after an idle clock; what is not granted as a whole goes to
// the ring, and a grant that was too little is owed an empty packet. A packet may turn out bad; then
// its number comes again. The abstract buffer offers the oldest packet that waits, until it is
// granted.
//
// Packets of the session are numbered, and are a beat that says its number; other sessions' packets
// go both ways between them.
module direct_way_props
  import app_pkg::*;
(
  input logic       clk,
  input logic       rst,

  // Free: what the surroundings do.
  input logic       watched_i,     // whose the next packet is,
  input logic       try_i,         // and whether it asks
  input logic       good_i,
  input logic       send_beat_i,
  input logic       send_kind_i,
  input logic       send_verdict_i,
  input logic       offer_i,       // a ring's query of the session, or of another one
  input logic       offer_other_i,
  input logic       send_ring_i,
  input logic       ring_grant_ready_i,
  input logic       m_query_ready,
  input logic [1:0] grant_i,
  input logic       s_grant_valid,
  input logic       m_app_ready
);

  localparam session_t Watched = '{generation: 4'd1, id: 20'd1}
  , Other =
  '{generation: 4'd2, id: 20'd2};

  typedef logic [3:0] number_t;

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started)
      assume (rst);
      else assume (!rst);
  end

  // ---- The two blocks ----------------------------------------------------------------------------

  logic s_valid, s_ready, kind_valid, go, go_valid, go_ready, verdict_valid;
  logic revoke_valid, revoke_ready, room, good_q;
  logic [7:0] s_data, direct_data, ring_data, m_app_data;
  logic direct_keep, direct_last, direct_error, direct_valid, direct_ready;
  logic direct_query_valid, direct_query_ready, withdrawn, direct_grant;
  logic ring_query_valid, ring_query_ready, ring_grant, ring_valid, ring_ready;
  logic m_query_valid, s_grant_ready, m_app_keep, m_app_last, m_app_error, m_app_valid;
  logic idle, unused_done;
  logic [5:0] open;
  app_offer_t direct_query, ring_query, m_query;
  app_id_t m_app_app;
  session_t m_app_session;

  direct_queue #(
    .DataWidth(8),
    .MaxBytes (1),
    .Bytes    (4)
  ) queue (
    .clk,
    .rst,
    .s_data,
    .s_keep         (1'b1),
    .s_last         (1'b1),
    .s_valid,
    .s_ready,
    .kind_payload_i (1'b1),
    .kind_valid_i   (kind_valid),
    .s_go           (go),
    .s_go_valid     (go_valid),
    .s_go_ready     (go_ready),
    .s_verdict_good (good_q),
    .s_verdict_valid(verdict_valid),
    .s_revoke_valid (revoke_valid),
    .s_revoke_ready (revoke_ready),
    .room_o         (room),
    .m_data         (direct_data),
    .m_keep         (direct_keep),
    .m_last         (direct_last),
    .m_error        (direct_error),
    .m_valid        (direct_valid),
    .m_ready        (direct_ready)
  );

  receive_merge #(
    .DataWidth(8)
  ) merge (
    .clk,
    .rst,
    .s_direct_query      (direct_query),
    .s_direct_query_valid(direct_query_valid),
    .s_direct_query_ready(direct_query_ready),
    .direct_withdrawn_o  (withdrawn),
    .direct_grant_valid_o(direct_grant),
    .s_ring_query        (ring_query),
    .s_ring_query_valid  (ring_query_valid),
    .s_ring_query_ready  (ring_query_ready),
    .ring_grant_valid_o  (ring_grant),
    .ring_grant_ready_i,
    .m_query,
    .m_query_valid,
    .m_query_ready,
    .s_grant_length      (16'(grant_i)),
    .s_grant_valid,
    .s_grant_ready,
    .s_direct_data       (direct_data),
    .s_direct_keep       (direct_keep),
    .s_direct_last       (direct_last),
    .s_direct_error      (direct_error),
    .s_direct_valid      (direct_valid),
    .s_direct_ready      (direct_ready),
    .s_ring_data         (ring_data),
    .s_ring_keep         (1'b1),
    .s_ring_last         (1'b1),
    .s_ring_valid        (ring_valid),
    .s_ring_ready        (ring_ready),
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
    .direct_done_o       (unused_done)
  );

  // ---- The peek: one packet after the other ------------------------------------------------------

  typedef enum logic [2:0] {
    PeekNew,
    PeekQuery,
    PeekGrant,
    PeekEnd
  } peek_e;

  peek_e peek_q;
  logic watched_q, go_q, revoke_q, beat_sent_q, kind_sent_q, verdict_sent_q;
  number_t arrived_q, waiting_q;  // packets of the session that were good; of these, in the ring
  logic may_ask, asks, ends, granted_all;

  assign may_ask            = room && idle && go_ready && !revoke_q
      && !(watched_i && waiting_q != '0);
  assign asks               = peek_q == PeekNew && try_i && may_ask;
  assign granted_all        = grant_i >= 2'd2;
  assign direct_query       = '{
      app: 4'd0, session: watched_q ? Watched : Other, length: 16'd2, tentative: 1'b1, partial: 1'b0
  };
  assign direct_query_valid = peek_q == PeekQuery;
  assign ends               = peek_q == PeekEnd && (beat_sent_q || (s_valid && s_ready))
      && (kind_sent_q || kind_valid) && (verdict_sent_q || verdict_valid || !go_q);

  always_comb begin
    go       = 1'b0;
    go_valid = 1'b0;
    unique case (peek_q)
      PeekNew:   go_valid = !asks;
      PeekQuery: go_valid = withdrawn;
      PeekGrant: begin
        go       = granted_all;
        go_valid = direct_grant;
      end
      default:   ;
    endcase
  end

  assign s_data        = {4'd0, arrived_q};
  assign s_valid       = peek_q != PeekNew && !beat_sent_q && send_beat_i;
  assign kind_valid    = peek_q != PeekNew && !kind_sent_q && send_kind_i;
  assign verdict_valid = peek_q == PeekEnd && go_q && !verdict_sent_q && send_verdict_i;
  assign revoke_valid  = revoke_q;

  always_ff @(posedge clk) begin
    unique case (peek_q)
      PeekNew: begin
        watched_q <= watched_i;
        good_q    <= good_i;
        if (asks) peek_q <= PeekQuery;
        else if (go_ready) peek_q <= PeekEnd;
      end
      PeekQuery: begin
        if (withdrawn) peek_q <= PeekEnd;
        else if (direct_query_ready) peek_q <= PeekGrant;
      end
      PeekGrant: if (direct_grant) peek_q <= PeekEnd;
      default: if (ends) peek_q <= PeekNew;
    endcase

    if (go_valid) go_q <= go;
    if (direct_grant && grant_i != '0 && !granted_all) revoke_q <= 1'b1;
    else if (revoke_ready) revoke_q <= 1'b0;

    if (s_valid && s_ready) beat_sent_q <= 1'b1;
    if (kind_valid) kind_sent_q <= 1'b1;
    if (verdict_valid) verdict_sent_q <= 1'b1;
    if (ends) begin
      beat_sent_q    <= 1'b0;
      kind_sent_q    <= 1'b0;
      verdict_sent_q <= 1'b0;
    end

    if (rst) begin
      peek_q         <= PeekNew;
      revoke_q       <= 1'b0;
      beat_sent_q    <= 1'b0;
      kind_sent_q    <= 1'b0;
      verdict_sent_q <= 1'b0;
    end
  end

  // A stream's beat that is offered stays; what is decided while the peek rests has room.
  logic held_q;

  always_ff @(posedge clk) begin
    held_q <= s_valid && !s_ready;
    if (started && held_q) assume (send_beat_i);
    if (started && !rst && go_valid && peek_q != PeekNew) assert (go_ready);
    if (rst) held_q <= 1'b0;
  end

  // ---- The ring ----------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    RingRest,
    RingQuery,
    RingGrant,
    RingPacket
  } ring_e;

  ring_e ring_q;
  logic of_watched_q, delivered;

  assign ring_query       = '{
      tentative: 1'b0,
      partial: 1'b0,
      app: 4'd0,
      session: of_watched_q ? Watched : Other,
      length: 16'd1
  };
  assign ring_query_valid = ring_q == RingQuery;
  assign ring_valid       = ring_q == RingPacket && send_ring_i;
  assign ring_data        = {4'd0, number_t'(arrived_q - waiting_q)};  // the oldest that waits
  assign delivered        = ring_valid && ring_ready;

  logic ring_held_q;

  always_ff @(posedge clk) begin
    unique case (ring_q)
      RingRest: begin
        of_watched_q <= waiting_q != '0 && offer_i;
        if ((waiting_q != '0 && offer_i) || offer_other_i) ring_q <= RingQuery;
      end
      RingQuery: if (ring_query_ready) ring_q <= RingGrant;
      RingGrant:
      if (ring_grant && ring_grant_ready_i) ring_q <= grant_i == '0 ? RingRest : RingPacket;
      default: if (delivered) ring_q <= RingRest;
    endcase
    ring_held_q <= ring_valid && !ring_ready;
    if (started && ring_held_q) assume (send_ring_i);

    arrived_q <= arrived_q + number_t'(ends && watched_q && good_q);
    waiting_q <= waiting_q + number_t'(ends && watched_q && good_q && !go_q)
        - number_t'(delivered && of_watched_q);

    if (rst) begin
      ring_q      <= RingRest;
      ring_held_q <= 1'b0;
      arrived_q   <= '0;
      waiting_q   <= '0;
    end
  end

  // The application answers only what it has been asked.
  always_ff @(posedge clk) begin
    if (started && !s_grant_ready) assume (!s_grant_valid);
  end

  // ---- What comes out ----------------------------------------------------------------------------

  number_t expected_q;
  logic out, from_ring_q, both_q;

  assign out = m_app_valid && m_app_ready && m_app_session == Watched && !m_app_error;

  always_ff @(posedge clk) begin
    if (out) expected_q <= expected_q + 1'b1;
    if (out) from_ring_q <= delivered;
    if (out && expected_q != '0 && from_ring_q != delivered) both_q <= 1'b1;
    if (rst) begin
      expected_q  <= '0;
      from_ring_q <= 1'b0;
      both_q      <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (out) assert (m_app_data == {4'd0, expected_q});
      // Nothing from the ring is marked.
      if (m_app_valid && m_app_error) assert (open != '0);
      // What has arrived and not come out waits in the ring, or is on its straight way.
      assert (number_t'(arrived_q - expected_q) <= number_t'(waiting_q + open));
    end

    cover (started && !rst && both_q && out && !delivered);
    cover (started && !rst && out && delivered && expected_q == 4'd1);
    cover (started && !rst && m_app_valid && m_app_ready && m_app_error
        && m_app_session == Watched && expected_q == 4'd1);
    cover (started && !rst && withdrawn);
    cover (started && !rst && revoke_valid && revoke_ready);
  end

endmodule
