// SPDX-License-Identifier: Apache-2.0

// Takes all that an application is sent, and compares it with the pattern of chargen, which begins
// anew with each session.
//
// A packet whose last beat has s_rx_error counts for nothing, and the pattern stays where it was.
//
// Throughput one query at a time: 8 clocks and its bytes' beats.
module pattern_checker
  import app_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  session_t             opened_session_i,
  input  logic                 opened_i,

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

  // Of a packet, when it is over.
  output logic [         15:0] bytes_o,
  output logic [         15:0] wrong_o,
  output logic                 checked_o
);

  typedef enum logic [2:0] {
    StIdle,   // wait for a query
    StLoad,   // where the session's pattern stands
    StGrant,
    StStart,  // tell the generator
    StCheck,  // the packet comes
    StDrain,  // the rest of the pattern, for a packet that was bad
    StSave
  } state_e;

  state_e state_q, state_d;
  session_t session_q;
  logic [15:0] length_q, wrong_q;
  logic [13:0] position, next_position;
  logic loaded, start_ready, save_ready, take, expected_last, expected_valid;
  logic [DataWidth-1:0] expected;
  logic [Lanes-1:0] unused_keep;
  logic unused_known, unused_closed, unused_peeked, unused_flag;

  session_memory #(
    .StateWidth ($bits(position)),
    .Connections(Connections)
  ) sessions (
    .clk,
    .rst,
    .event_session_i(opened_session_i),
    .accepted_i     (opened_i),
    .peer_closed_i  (1'b0),
    .load_i         (state_q == StIdle && s_query_valid),
    .load_session_i (s_query.session),
    .loaded_o       (loaded),
    .known_o        (unused_known),
    .state_o        (position),
    .peer_closed_o  (unused_closed),
    .save_i         (state_q == StSave),
    .save_state_i   (next_position),
    .save_flag_i    (1'b0),
    .save_ready_o   (save_ready),
    .peek_i         (1'b0),
    .peek_session_i (session_q),
    .peeked_o       (unused_peeked),
    .flag_o         (unused_flag)
  );

  chargen #(
    .DataWidth(DataWidth)
  ) generator (
    .clk,
    .rst,
    .position_i   (position),
    .length_i     (length_q),
    .s_start_valid(state_q == StStart),
    .s_start_ready(start_ready),
    .position_o   (next_position),
    .m_data       (expected),
    .m_keep       (unused_keep),
    .m_last       (expected_last),
    .m_valid      (expected_valid),
    .m_ready      (take || state_q == StDrain)
  );

  assign s_query_ready  = state_q == StIdle;
  assign m_grant_length = length_q;
  assign m_grant_valid  = state_q == StGrant;
  assign s_rx_ready     = state_q == StCheck && expected_valid;
  assign take           = s_rx_valid && s_rx_ready;

  logic [15:0] wrong;

  always_comb begin
    wrong = wrong_q;
    for (int lane = 0; lane < Lanes; lane++) begin
      if (s_rx_keep[lane] && s_rx_data[8*lane+:8] != expected[8*lane+:8]) wrong += 16'd1;
    end
  end

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StIdle: if (s_query_valid) state_d = StLoad;
      StLoad: if (loaded) state_d = StGrant;
      StGrant: if (m_grant_ready) state_d = StStart;
      StStart: if (start_ready) state_d = StCheck;
      StCheck: begin
        if (take && s_rx_last) begin
          if (!s_rx_error) state_d = StSave;
          else state_d = expected_last ? StIdle : StDrain;
        end
      end
      StDrain: if (expected_valid && expected_last) state_d = StIdle;
      StSave: if (save_ready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q   <= state_d;
    bytes_o   <= length_q;
    wrong_o   <= wrong;
    checked_o <= take && s_rx_last && !s_rx_error;

    if (state_q == StIdle) begin
      session_q <= s_query.session;
      length_q  <= s_query.length;
      wrong_q   <= '0;
    end else if (take) begin
      wrong_q <= wrong;
    end

    if (rst) begin
      state_q   <= StIdle;
      checked_o <= 1'b0;
    end
  end

endmodule
