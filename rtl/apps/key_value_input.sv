// SPDX-License-Identifier: Apache-2.0

// What peers have sent, for each session in a ring of its own: takes it off the engine's hands and
// writes it there. Queries are answered at once, with as much as the session's ring has room for; with 0 while
// the packet before is still being written.
//
// A byte is at its place in the session's stream, modulo RingBytes. The engine's side ends at the
// session's head, which is kept here; what may be overwritten is before the tail, which the
// application keeps (peek_o asks for it).
//
// pushed: when a packet is in the ring, m_session is to be looked at.
//
// Latency    4 clocks from query to grant; 8 and one for each byte from the first beat to m_valid.
// Throughput rx at the full rate; one packet at a time.
module key_value_input
  import app_pkg::*;
  import resp_parser_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  bit CutThrough  = 1'b0,
  parameter  int RingBytes   = 128,
  localparam int Lanes       = DataWidth / 8,
  localparam int IdWidth     = $clog2(Connections),
  localparam int RingWidth   = $clog2(RingBytes)
) (
  input  logic                         clk,
  input  logic                         rst,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_offer_t                   s_query,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                         s_query_valid,
  output logic                         s_query_ready,

  output logic [                 15:0] m_grant_length,
  output logic                         m_grant_valid,
  input  logic                         m_grant_ready,

  input  logic [        DataWidth-1:0] s_rx_data,
  input  logic [            Lanes-1:0] s_rx_keep,
  input  logic                         s_rx_last,
  input  logic                         s_rx_error,
  input  logic                         s_rx_valid,
  output logic                         s_rx_ready,

  // A session begins: its stream is empty.
  input  logic                         accepted_i,
  input  logic [          IdWidth-1:0] accepted_id_i,

  // Where does the session's tail stand? Not while tails are written.
  input  logic                         peek_wait_i,
  output logic                         peek_o,
  output session_t                     peek_session_o,
  input  logic                         peeked_i,
  input  position_t                    tail_i,

  // Where its head: 2 clocks after head_load_i, which waits for head_ready_o. head_moves_o: a
  // packet of this session is granted, on its way or being written.
  input  logic                         head_load_i,
  input  session_t                     head_session_i,
  output logic                         head_ready_o,
  output position_t                    head_o,
  output logic                         head_moves_o,

  output session_t                     m_session,
  output logic                         m_valid,
  input  logic                         m_ready,

  // The rings, with ReadLatency 2.
  input  logic                         read_i,
  input  logic [IdWidth+RingWidth-1:0] read_address_i,
  output logic [                  7:0] read_byte_o
);

  typedef logic [IdWidth-1:0] id_t;

  typedef enum logic [1:0] {
    StIdle,  // wait for a query
    StPeek,  // look the session up
    StGrant
  } state_e;

  state_e state_q, state_d;
  session_t query_session_q;
  logic [15:0] length_q, length_d, room;
  logic granted, taken_back, move, head_write;
  logic moving_q;  // a packet was there when the head was read

  // The packet that comes.
  logic occupied_q, void_q;
  session_t session_q;
  position_t head_q, head;

  // ---- Queries

  assign s_query_ready  = state_q == StIdle && !peek_wait_i && !head_write;
  assign peek_o         = s_query_ready && s_query_valid;
  assign peek_session_o = s_query.session;
  assign m_grant_length = length_q;
  assign m_grant_valid  = state_q == StGrant;
  assign granted        = m_grant_valid && m_grant_ready && length_q != '0;
  assign room           = 16'(RingBytes) - 16'(position_t'(head - tail_i));

  always_comb begin
    state_d  = state_q;
    length_d = length_q;

    unique case (state_q)
      StIdle: begin
        length_d = s_query.length;
        if (peek_o) state_d = StPeek;
      end
      StPeek:
      if (peeked_i) begin
        state_d = StGrant;
        if (moving_q) length_d = '0;
        else if (length_q > room) length_d = room;
      end
      StGrant: if (m_grant_ready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q  <= state_d;
    length_q <= length_d;
    if (state_q == StIdle) begin
      query_session_q <= s_query.session;
      moving_q        <= occupied_q;
    end

    if (rst) state_q <= StIdle;
  end

  // ---- Bytes into the ring

  logic [7:0] byte_in;
  logic byte_last, byte_valid, written_q;

  packet_bytes #(
    .DataWidth  (DataWidth),
    .CutThrough (CutThrough),
    .PacketBytes(RingBytes)
  ) bytes (
    .clk,
    .rst,
    .s_data      (s_rx_data),
    .s_keep      (s_rx_keep),
    .s_last      (s_rx_last),
    .s_error     (s_rx_error),
    .s_valid     (s_rx_valid),
    .s_ready     (s_rx_ready),
    .taken_back_o(taken_back),
    .m_byte      (byte_in),
    .m_byte_last (byte_last),
    .m_byte_valid(byte_valid),
    .m_byte_ready(1'b1)
  );

  ram_simple_dual_port #(
    .Width      (8),
    .Depth      (Connections * RingBytes),
    .ReadLatency(2)
  ) rings (
    .clk,
    .write_enable_i (byte_valid),
    .write_address_i({id_t'(session_q.id), head_q[RingWidth-1:0]}),
    .write_data_i   (byte_in),
    .read_enable_i  (read_i),
    .read_address_i (read_address_i),
    .read_data_o    (read_byte_o)
  );

  // ---- Heads: of a session that begins, and behind a packet that is written.

  assign move         = written_q && !accepted_i && !m_valid;
  assign head_write   = accepted_i || move;
  assign head_ready_o = !head_write && !peek_o;

  ram_simple_dual_port #(
    .Width      (PositionWidth),
    .Depth      (Connections),
    .ReadLatency(2)
  ) heads (
    .clk,
    .write_enable_i (accepted_i || (move && !void_q)),
    .write_address_i(accepted_i ? accepted_id_i : id_t'(session_q.id)),
    .write_data_i   (accepted_i ? '0 : head_q),
    .read_enable_i  (peek_o || head_load_i),
    .read_address_i (id_t'(peek_o ? s_query.session.id : head_session_i.id)),
    .read_data_o    (head)
  );

  assign head_o       = head;
  assign head_moves_o = occupied_q && session_q == head_session_i;

  always_ff @(posedge clk) begin
    if (byte_valid) head_q <= head_q + 1'b1;
    if (byte_valid && byte_last) written_q <= 1'b1;
    if (m_ready) m_valid <= 1'b0;
    if (move) begin
      written_q  <= 1'b0;
      occupied_q <= 1'b0;
      m_valid    <= 1'b1;
      m_session  <= session_q;
    end
    if (taken_back) occupied_q <= 1'b0;
    if (state_q == StPeek && peeked_i && !moving_q) head_q <= head;
    if (granted) begin
      occupied_q <= 1'b1;
      session_q  <= query_session_q;
      void_q     <= accepted_i && accepted_id_i == id_t'(query_session_q.id);
    end else if (accepted_i && accepted_id_i == id_t'(session_q.id)) begin
      void_q <= 1'b1;
    end

    if (rst) begin
      occupied_q <= 1'b0;
      written_q  <= 1'b0;
      m_valid    <= 1'b0;
    end
  end

endmodule
