// SPDX-License-Identifier: Apache-2.0

// Two ways to one application: what comes straight (s_direct_*) and what comes from the rings
// (s_ring_*, receive_buffer).
//
// One query is open at a time; the straight one goes first. The application sees one packet for each
// grant that is not 0, in the order of its grants.
//
// s_direct_query has to be shown in the clock in which it is valid first, or is withdrawn
// (direct_withdrawn_o). It may be asked only while idle_o was high.
//
// Latency    none for queries, grants and data.
// Paths      queries reach m_query, grants s_*_grant, and streams m_app combinationally.
module receive_merge
  import app_pkg::*;
#(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  app_offer_t           s_direct_query,
  input  logic                 s_direct_query_valid,
  output logic                 s_direct_query_ready,
  output logic                 direct_withdrawn_o,
  output logic                 direct_grant_valid_o,  // taken now

  input  app_offer_t           s_ring_query,
  input  logic                 s_ring_query_valid,
  output logic                 s_ring_query_ready,
  output logic                 ring_grant_valid_o,
  input  logic                 ring_grant_ready_i,

  output app_offer_t           m_query,
  output logic                 m_query_valid,
  input  logic                 m_query_ready,
  input  logic [         15:0] s_grant_length,
  input  logic                 s_grant_valid,
  output logic                 s_grant_ready,

  input  logic [DataWidth-1:0] s_direct_data,
  input  logic [    Lanes-1:0] s_direct_keep,
  input  logic                 s_direct_last,
  input  logic                 s_direct_error,
  input  logic                 s_direct_valid,
  output logic                 s_direct_ready,

  input  logic [DataWidth-1:0] s_ring_data,
  input  logic [    Lanes-1:0] s_ring_keep,
  input  logic                 s_ring_last,
  input  logic                 s_ring_valid,
  output logic                 s_ring_ready,

  output app_id_t              m_app_app,
  output session_t             m_app_session,
  output logic [DataWidth-1:0] m_app_data,
  output logic [    Lanes-1:0] m_app_keep,
  output logic                 m_app_last,
  output logic                 m_app_error,
  output logic                 m_app_valid,
  input  logic                 m_app_ready,

  output logic                 idle_o,          // no query is open, no packet from a ring awaited
  output logic [          3:0] direct_open_o,   // packets that were granted and have not gone
  output logic                 direct_done_o    // one goes
);

  localparam int Grants = 8;

  typedef struct packed {
    logic     direct;
    app_id_t  app;
    session_t session;
  } turn_t;

  typedef enum logic [1:0] {
    StIdle,
    StShown,  // the application has not taken the query
    StGrant   // it has not answered
  } state_e;

  state_e state_q;
  logic direct_q, direct;
  // verilator lint_off UNUSEDSIGNAL
  app_offer_t shown_q;  // its length does not matter
  // verilator lint_on UNUSEDSIGNAL
  turn_t turn_new, turn;
  logic turn_valid, turns_ready, turn_done, granted;
  logic [2:0] ring_open_q;
  logic [$clog2(Grants+1)-1:0] unused_turns;

  assign direct               = state_q == StIdle ? s_direct_query_valid : direct_q;
  assign m_query              = direct ? s_direct_query : s_ring_query;
  assign m_query_valid        = state_q == StShown
      || (state_q == StIdle && (s_direct_query_valid || s_ring_query_valid));
  assign s_direct_query_ready = state_q != StGrant && direct && m_query_ready;
  assign s_ring_query_ready   = state_q != StGrant && !direct && m_query_ready;
  assign direct_withdrawn_o   = s_direct_query_valid && state_q != StIdle && !direct_q;

  assign s_grant_ready        = state_q == StGrant && turns_ready
      && (direct_q || ring_grant_ready_i);
  assign granted              = s_grant_valid && s_grant_ready;
  assign direct_grant_valid_o = granted && direct_q;
  assign ring_grant_valid_o   = state_q == StGrant && turns_ready && !direct_q && s_grant_valid;

  assign turn_new = '{direct: direct_q, app: shown_q.app, session: shown_q.session};

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle:  if (m_query_valid) state_q <= m_query_ready ? StGrant : StShown;
      StShown: if (m_query_ready) state_q <= StGrant;
      default: if (granted) state_q <= StIdle;
    endcase
    if (state_q == StIdle) direct_q <= direct;
    if (state_q != StGrant) shown_q <= m_query;

    if (rst) state_q <= StIdle;
  end

  stream_fifo #(
    .T       (turn_t),
    .Depth   (Grants),
    .BlockRam(0)
  ) turns (
    .clk,
    .rst,
    .s_data (turn_new),
    .s_valid(granted && s_grant_length != '0),
    .s_ready(turns_ready),
    .m_data (turn),
    .m_valid(turn_valid),
    .m_ready(turn_done),
    .count_o(unused_turns)
  );

  assign m_app_valid    = turn_valid && (turn.direct ? s_direct_valid : s_ring_valid);
  assign m_app_data     = turn.direct ? s_direct_data : s_ring_data;
  assign m_app_keep     = turn.direct ? s_direct_keep : s_ring_keep;
  assign m_app_last     = turn.direct ? s_direct_last : s_ring_last;
  assign m_app_error    = turn.direct && s_direct_last && s_direct_error;
  assign m_app_app      = turn.app;
  assign m_app_session  = turn.session;
  assign s_direct_ready = turn_valid && turn.direct && m_app_ready;
  assign s_ring_ready   = turn_valid && !turn.direct && m_app_ready;
  assign turn_done      = m_app_valid && m_app_ready && m_app_last;

  assign direct_done_o = turn_done && turn.direct;
  assign idle_o        = state_q == StIdle && ring_open_q == '0;

  always_ff @(posedge clk) begin
    direct_open_o <= direct_open_o
        + 4'(direct_grant_valid_o && s_grant_length != '0) - 4'(direct_done_o);
    ring_open_q   <= ring_open_q
        + 3'(granted && !direct_q && s_grant_length != '0) - 3'(turn_done && !turn.direct);

    if (rst) begin
      direct_open_o <= '0;
      ring_open_q   <= '0;
    end
  end

endmodule
