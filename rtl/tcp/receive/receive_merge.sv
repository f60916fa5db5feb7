// SPDX-License-Identifier: Apache-2.0

// Two ways to one application: what comes straight (s_direct_*) and what comes from the rings
// (s_ring_*, receive_buffer).
//
// Up to Queries are open at a time, and answered in order; the straight one goes first. The application
// sees one packet for each grant that is not 0, in the order of its grants.
//
// s_direct_query has to be shown in the clock in which it is valid first, and no query of a ring may be
// open then, or it is withdrawn (direct_withdrawn_o). It may be asked only while idle_o was high.
//
// Latency    none for queries, grants and data.
// Paths      queries reach m_query, grants s_*_grant, and streams m_app combinationally.
module receive_merge
  import app_pkg::*;
#(
  parameter  int DataWidth = 64,
  parameter  int Queries   = 4,
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
  output logic [          5:0] direct_open_o,   // packets that were granted and have not gone
  output logic                 direct_done_o    // one goes
);

  localparam int Grants = Queries + 4;

  if (Grants > 63) begin : gen_check_grants
    $error("direct_open_o counts to 63.");
  end

  typedef struct packed {
    logic     direct;
    app_id_t  app;
    session_t session;
  } turn_t;

  logic shown_q;  // the application has not taken the query
  logic direct_q, direct, ask;
  turn_t turn_asked, turn_new, turn;
  logic asked_valid, asked_ready;
  logic turn_valid, turns_ready, turn_done, granted;
  logic [$clog2(Grants+1)-1:0] ring_open_q, unused_turns;
  logic [$clog2(Queries+1)-1:0] unused_asked;

  assign direct               = shown_q ? direct_q : s_direct_query_valid && !asked_valid;
  assign m_query              = direct ? s_direct_query : s_ring_query;
  assign m_query_valid        = asked_ready && (shown_q || direct || s_ring_query_valid);
  assign ask                  = m_query_valid && m_query_ready;
  assign s_direct_query_ready = ask && direct;
  assign s_ring_query_ready   = ask && !direct;
  assign direct_withdrawn_o   = s_direct_query_valid && !direct;

  always_ff @(posedge clk) begin
    shown_q <= m_query_valid && !m_query_ready;
    if (!shown_q) direct_q <= direct;

    if (rst) shown_q <= 1'b0;
  end

  // Queries that wait for their grants.
  assign turn_asked = '{direct: direct, app: m_query.app, session: m_query.session};

  stream_fifo #(
    .T       (turn_t),
    .Depth   (Queries),
    .BlockRam(0)
  ) asked (
    .clk,
    .rst,
    .s_data (turn_asked),
    .s_valid(ask),
    .s_ready(asked_ready),
    .m_data (turn_new),
    .m_valid(asked_valid),
    .m_ready(granted),
    .count_o(unused_asked)
  );

  assign s_grant_ready        = asked_valid && turns_ready
      && (turn_new.direct || ring_grant_ready_i);
  assign granted              = s_grant_valid && s_grant_ready;
  assign direct_grant_valid_o = granted && turn_new.direct;
  assign ring_grant_valid_o   = asked_valid && turns_ready && !turn_new.direct && s_grant_valid;

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
  assign idle_o        = !shown_q && !asked_valid && ring_open_q == '0;

  always_ff @(posedge clk) begin
    direct_open_o <= direct_open_o
        + 6'(direct_grant_valid_o && s_grant_length != '0) - 6'(direct_done_o);
    ring_open_q   <= ring_open_q
        + $bits(ring_open_q)'(granted && !turn_new.direct && s_grant_length != '0)
        - $bits(ring_open_q)'(turn_done && !turn.direct);

    if (rst) begin
      direct_open_o <= '0;
      ring_open_q   <= '0;
    end
  end

endmodule
