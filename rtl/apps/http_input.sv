// SPDX-License-Identifier: Apache-2.0

// Takes requests off the engine's hands: grants up to MaxInputBytes at a time, keeps them, and hands
// them out one byte a clock. Queries are answered at once whatever the rest of the server does:
// with 0 while earlier input is still here, or while the session has responses to come.
//
// With CutThrough what comes may turn out bad at its last beat (s_rx_error): then it has not come. So
// nothing of it is handed out before.
//
// Latency    4 clocks from query to grant.
// Throughput rx at the full rate; one packet at a time.
module http_input
  import app_pkg::*;
  import http_parser_pkg::*;
#(
  parameter  int DataWidth  = 64,
  parameter  bit CutThrough = 1'b0,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_offer_t           s_query,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 s_query_valid,
  output logic                 s_query_ready,

  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,

  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  // Has the session responses to come?
  output logic                 peek_o,
  output session_t             peek_session_o,
  input  logic                 peeked_i,
  input  logic                 flag_i,

  // Input is granted, on its way or here, of this session.
  output logic                 occupied_o,
  output session_t             session_o,
  input  logic                 release_i,       // the last byte has been worked off

  output logic [          7:0] m_byte,
  output logic                 m_byte_last,
  output logic                 m_byte_valid,
  input  logic                 m_byte_ready
);

  typedef enum logic [1:0] {
    StIdle,  // wait for a query
    StPeek,  // look the session up
    StGrant
  } state_e;

  state_e state_q, state_d;
  session_t session_q;
  logic [15:0] length_q, length_d;
  logic taken_back;

  assign s_query_ready  = state_q == StIdle;
  assign peek_o         = state_q == StIdle && s_query_valid;
  assign peek_session_o = s_query.session;
  assign m_grant_length = length_q;
  assign m_grant_valid  = state_q == StGrant;

  always_comb begin
    state_d  = state_q;
    length_d = length_q;

    unique case (state_q)
      StIdle: begin
        length_d = s_query.length;
        if (s_query_valid) state_d = StPeek;
      end
      StPeek:
      if (peeked_i) begin
        state_d = StGrant;
        if (flag_i || occupied_o) length_d = '0;
        else if (length_q > 16'(MaxInputBytes)) length_d = 16'(MaxInputBytes);
      end
      StGrant: if (m_grant_ready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q  <= state_d;
    length_q <= length_d;
    if (state_q == StIdle) session_q <= s_query.session;
    if (release_i || taken_back) occupied_o <= 1'b0;
    if (state_q == StGrant && m_grant_ready && length_q != '0) begin
      occupied_o <= 1'b1;
      session_o  <= session_q;
    end

    if (rst) begin
      state_q    <= StIdle;
      occupied_o <= 1'b0;
    end
  end

  packet_bytes #(
    .DataWidth  (DataWidth),
    .CutThrough (CutThrough),
    .PacketBytes(MaxInputBytes)
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
    .m_byte,
    .m_byte_last,
    .m_byte_valid,
    .m_byte_ready
  );

endmodule
