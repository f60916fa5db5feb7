// SPDX-License-Identifier: Apache-2.0

// receive_buffer, for two connections with rings of a few words:
//   every byte that goes to an application is the one last written, by the writes before the offer,
//   to its place in its connection's ring;
//   queries, packets and reports follow the order of the offers, with the lesser of grant and length;
//   the memory is never read where it is written in the same clock.
// The engine's promise is assumed: at most two offers open, one for a connection, and no later write
// to what is offered.
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
  input logic        m_delivered_ready,
  input logic        watched_id,
  input logic [ 2:0] watched_place
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

  receive_buffer #(
    .DataWidth  (16),
    .Connections(2),
    .RingBytes  (RingBytes)
  ) dut (.*);

  logic started = 1'b0;
  logic watched_id_q;
  place_t watched_place_q;

  always_ff @(posedge clk) begin
    started         <= 1'b1;
    watched_id_q    <= watched_id;
    watched_place_q <= watched_place;
    if (!started) assume (rst);
    else assume (!rst && watched_id == watched_id_q && watched_place == watched_place_q);
  end

  // ---- What goes in follows the rules -------------------------------------------------------------

  logic unused_s_first, m_first;

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

  packet_contract #(
    .DataWidth(16),
    .Assume   (1'b1)
  ) payload_contract (
    .clk,
    .rst,
    .data   (s_payload_data),
    .keep   (s_payload_keep),
    .last   (s_payload_last),
    .error  (1'b0),
    .valid  (s_payload_valid),
    .ready  (s_payload_ready),
    .first_o(unused_s_first)
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

  // ---- One byte of one ring -----------------------------------------------------------------------

  // The commands that write, in order, and the payload byte by byte: what the watched place holds
  // when all writes that have come are done. Commands run ahead of payload, never the other way.
  localparam int Slots = 4;

  logic take, take_write, take_deliver, payload_beat;
  logic [1:0] commands_in_q = '0, packets_in_q = '0;
  logic [Slots-1:0] slot_here_q;                // the write is for the watched connection
  logic [Slots-1:0][15:0] slot_first_q;         // bytes of the packet before the one for the place
  logic [Slots-1:0] slot_reaches_q;             // it covers the watched place at all
  logic [15:0] base_q = '0;                     // bytes of the packet before this beat
  logic [7:0] shadow_q;
  logic known_q = 1'b0;                         // it has been written
  place_t distance;

  assign take         = s_command_valid && s_command_ready;
  assign take_write   = take && s_command.kind != RxDeliver;
  assign take_deliver = take && s_command.kind == RxDeliver;
  assign payload_beat = s_payload_valid && s_payload_ready;
  assign distance     = watched_place - place_t'(s_command.seq);  // from seq on

  always_ff @(posedge clk) begin
    if (take_write) begin
      commands_in_q                 <= commands_in_q + 1'b1;
      slot_here_q[commands_in_q]    <= s_command_id == watched_id;
      slot_first_q[commands_in_q]   <= s_command.skip + 16'(distance);
      slot_reaches_q[commands_in_q] <= s_command.kind == RxWrite && 16'(distance) < s_command.length;
    end
    if (payload_beat) begin
      base_q <= s_payload_last ? '0 : base_q + 16'd2;
      if (s_payload_last) packets_in_q <= packets_in_q + 1'b1;
      for (int lane = 0; lane < 2; lane++) begin
        if (s_payload_keep[lane] && slot_here_q[packets_in_q] && slot_reaches_q[packets_in_q]
            && base_q + 16'(lane) == slot_first_q[packets_in_q]) begin
          shadow_q <= s_payload_data[lane*8+:8];
          known_q  <= 1'b1;
        end
      end
    end
    if (rst) begin
      commands_in_q <= '0;
      packets_in_q  <= '0;
      base_q        <= '0;
      known_q       <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started) begin
      // A run is short: no more writes than slots, nothing longer than a ring.
      assume (!(take_write && commands_in_q == 2'(Slots - 1)));
      assume (s_command.length <= 16'(RingBytes) && s_command.skip <= 16'd4);
      assume (base_q < 16'd14);
      assume (s_command.kind == RxDrop || s_command.kind == RxWrite || s_command.kind == RxDeliver);
      assume (s_command.session.id == SessionIdWidth'(s_command_id));
      assert (!payload_beat || packets_in_q != commands_in_q);
    end
  end

  // ---- Offers -------------------------------------------------------------------------------------

  typedef struct packed {
    logic        id;
    app_id_t     app;
    session_t    session;
    place_t      place;
    logic [15:0] length;
  } offer_t;

  offer_t [3:0] offer_q;
  logic [3:0][15:0] outcome_q;
  logic [1:0] offers_q = '0, answers_q = '0, reports_q = '0;  // offers, outcomes known, reports
  logic [15:0] position_q = '0;                               // bytes of this packet that have gone
  logic [3:0] packet_done_q = '0;
  logic blocked;                                              // it would open an offer too many
  offer_t now;
  logic deliverable;

  assign blocked = 2'(offers_q - reports_q) == 2'd2
      || (offers_q != reports_q && offer_q[2'(offers_q - 1'b1)].id == s_command_id);
  assign now     = offer_q[reports_q];

  // Writes keep off what is offered, and off what is not yet in the ring of an offer: the first part
  // is the engine's promise, the second follows from the order of commands.
  function automatic logic is_in(input place_t place, input place_t first, input logic [15:0] length);
    return 16'(place_t'(place - first)) < length;
  endfunction

  always_ff @(posedge clk) begin
    if (started) begin
      assume (!(take_deliver && (blocked || offers_q == '1)));
      for (int i = 0; i < 4; i++) begin
        if (take_write && 2'(2'(i) - reports_q) < 2'(offers_q - reports_q)
            && offer_q[i].id == s_command_id && watched_id == s_command_id
            && is_in(watched_place, offer_q[i].place, offer_q[i].length))
          assume (!(s_command.kind == RxWrite
              && is_in(watched_place, place_t'(s_command.seq), s_command.length)));
      end
    end
  end

  always_ff @(posedge clk) begin
    if (take_deliver) begin
      offer_q[offers_q] <= '{
          id: s_command_id, app: s_command.app, session: s_command.session,
          place: place_t'(s_command.seq), length: s_command.length
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
      if (m_app_last) packet_done_q[reports_q] <= 1'b1;
    end
    if (m_delivered_valid && m_delivered_ready) reports_q <= reports_q + 1'b1;
    if (rst) begin
      offers_q      <= '0;
      answers_q     <= '0;
      reports_q     <= '0;
      position_q    <= '0;
      packet_done_q <= '0;
    end
  end

  assign deliverable = answers_q != reports_q && outcome_q[reports_q] != '0
      && !packet_done_q[reports_q];

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_query_valid) begin
        assert (offers_q != answers_q);
        assert (m_query.app == offer_q[answers_q].app);
        assert (m_query.session == offer_q[answers_q].session);
        assert (m_query.length == offer_q[answers_q].length);
      end
      if (s_grant_ready) assert (offers_q != answers_q && offer_q[answers_q].length != '0);

      if (m_app_valid) begin
        assert (deliverable);
        assert (m_app_session == now.session && m_app_app == now.app);
        assert (m_first == (position_q == '0));
        assert (m_app_last == (position_q + 16'd2 >= outcome_q[reports_q]));
        if (m_app_last) assert (m_app_keep[1] == !outcome_q[reports_q][0]);
        for (int lane = 0; lane < 2; lane++) begin
          if (m_app_keep[lane] && now.id == watched_id && known_q
              && place_t'(now.place + place_t'(position_q) + place_t'(lane)) == watched_place)
            assert (m_app_data[lane*8+:8] == shadow_q);
        end
      end

      if (m_delivered_valid) begin
        assert (answers_q != reports_q);
        assert (outcome_q[reports_q] == '0 || packet_done_q[reports_q]);
        assert (m_delivered_id == now.id && m_delivered_generation == now.session.generation);
        assert (m_delivered_length == outcome_q[reports_q]);
      end

      if (dut.request_valid && dut.request_ready && dut.write_valid)
        assert (dut.request_address != dut.write_address);
      assert (dut.pending_q <= 4'd7);
    end

    cover (started && !rst && m_app_valid && m_app_last && position_q == 16'd2 && known_q
        && now.id == watched_id && place_t'(now.place + 2'd2) == watched_place);
    cover (started && !rst && m_delivered_valid && reports_q == 2'd1 && outcome_q[1] != '0);
    cover (started && !rst && m_delivered_valid && m_delivered_length == '0 && now.length != '0);
    cover (started && dut.request_valid && !dut.request_ready);
  end

endmodule
