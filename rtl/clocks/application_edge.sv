// SPDX-License-Identifier: Apache-2.0

// The application's side of the engine on a clock and a width of its own: between toe and an
// application (docs/application_interface.md). s_app_*, m_app_* are the application's ports, as toe has
// them; eng_* are those that go to toe's.
//
// OwnClock  1: app_clk and clk are unrelated; 0: they are one
//
// Each of the eight channels crosses by itself. Where the interface promises an order between two of
// them, crossing_order keeps it:
//   data to the application before the events that came after it,
//   events before the queries that came after them,
//   packets to send before the commands that came after them.
//
// Latency    per channel: stream_crossing, and for data packet_crossing.
// With one clock and one width it is wires.
module application_edge
  import app_pkg::*;
#(
  parameter  int ApplicationWidth = 64,
  parameter  int EngineWidth      = 64,
  parameter  bit OwnClock         = 1'b1,
  localparam int ApplicationLanes = ApplicationWidth / 8,
  localparam int EngineLanes      = EngineWidth / 8
) (
  input  logic                        app_clk,
  input  logic                        app_rst,
  input  logic                        clk,
  input  logic                        rst,

  // Application, app_clk.
  input  app_command_t                s_app_command,
  input  logic                        s_app_command_valid,
  output logic                        s_app_command_ready,
  output app_event_t                  m_app_event,
  output logic                        m_app_event_valid,
  input  logic                        m_app_event_ready,
  output app_offer_t                  m_app_query,
  output logic                        m_app_query_valid,
  input  logic                        m_app_query_ready,
  input  logic [                15:0] s_app_grant_length,
  input  logic                        s_app_grant_valid,
  output logic                        s_app_grant_ready,
  output app_id_t                     m_app_rx_app,
  output session_t                    m_app_rx_session,
  output logic [ApplicationWidth-1:0] m_app_rx_data,
  output logic [ApplicationLanes-1:0] m_app_rx_keep,
  output logic                        m_app_rx_last,
  output logic                        m_app_rx_error,
  output logic                        m_app_rx_valid,
  input  logic                        m_app_rx_ready,
  input  app_offer_t                  s_app_tx_request,
  input  logic                        s_app_tx_request_valid,
  output logic                        s_app_tx_request_ready,
  output tx_status_t                  m_app_tx_status,
  output logic                        m_app_tx_status_valid,
  input  logic                        m_app_tx_status_ready,
  input  logic [ApplicationWidth-1:0] s_app_tx_data,
  input  logic [ApplicationLanes-1:0] s_app_tx_keep,
  input  logic                        s_app_tx_last,
  input  logic                        s_app_tx_error,
  input  logic                        s_app_tx_valid,
  output logic                        s_app_tx_ready,

  // Engine, clk.
  output app_command_t                eng_command,
  output logic                        eng_command_valid,
  input  logic                        eng_command_ready,
  input  app_event_t                  eng_event,
  input  logic                        eng_event_valid,
  output logic                        eng_event_ready,
  input  app_offer_t                  eng_query,
  input  logic                        eng_query_valid,
  output logic                        eng_query_ready,
  output logic [                15:0] eng_grant_length,
  output logic                        eng_grant_valid,
  input  logic                        eng_grant_ready,
  input  app_id_t                     eng_rx_app,
  input  session_t                    eng_rx_session,
  input  logic [     EngineWidth-1:0] eng_rx_data,
  input  logic [     EngineLanes-1:0] eng_rx_keep,
  input  logic                        eng_rx_last,
  input  logic                        eng_rx_error,
  input  logic                        eng_rx_valid,
  output logic                        eng_rx_ready,
  output app_offer_t                  eng_tx_request,
  output logic                        eng_tx_request_valid,
  input  logic                        eng_tx_request_ready,
  input  tx_status_t                  eng_tx_status,
  input  logic                        eng_tx_status_valid,
  output logic                        eng_tx_status_ready,
  output logic [     EngineWidth-1:0] eng_tx_data,
  output logic [     EngineLanes-1:0] eng_tx_keep,
  output logic                        eng_tx_last,
  output logic                        eng_tx_error,
  output logic                        eng_tx_valid,
  input  logic                        eng_tx_ready
);

  // Data takes longer than what goes beside it.
  localparam bit Reorders = OwnClock || ApplicationWidth != EngineWidth;
  // For several times as many packets and events as can be between the two sides.
  localparam int CountWidth = 8;

  typedef logic [CountWidth-1:0] count_t;

  typedef struct packed {
    app_event_t content;
    count_t     packets;  // that had gone to the application
  } counted_event_t;

  typedef struct packed {
    app_offer_t content;
    count_t     events;
  } counted_query_t;

  typedef struct packed {
    app_command_t content;
    count_t       packets;  // that the application had given
  } counted_command_t;

  count_t packets_to_app, events_to_app, packets_to_engine;

  // ---- To the application.

  logic rx_valid, rx_ready, event_valid, event_ready, event_open, query_valid, query_open;
  logic event_offer, event_taken;
  counted_event_t crossed_event;
  counted_query_t crossed_query;

  packet_crossing #(
    .SWidth   (EngineWidth),
    .MWidth   (ApplicationWidth),
    .SideWidth($bits(app_id_t) + $bits(session_t)),
    .OwnClocks(OwnClock)
  ) rx_crossing (
    .s_clk  (clk),
    .s_rst  (rst),
    .m_clk  (app_clk),
    .m_rst  (app_rst),
    .s_data (eng_rx_data),
    .s_keep (eng_rx_keep),
    .s_last (eng_rx_last),
    .s_error(eng_rx_error),
    .s_side ({eng_rx_app, eng_rx_session}),
    .s_valid(eng_rx_valid),
    .s_ready(eng_rx_ready),
    .m_data (m_app_rx_data),
    .m_keep (m_app_rx_keep),
    .m_last (m_app_rx_last),
    .m_error(m_app_rx_error),
    .m_side ({m_app_rx_app, m_app_rx_session}),
    .m_valid(rx_valid),
    .m_ready(rx_ready)
  );

  crossing_order #(
    .CountWidth(CountWidth),
    .Needed    (Reorders)
  ) data_before_events (
    .s_clk          (clk),
    .s_rst          (rst),
    .s_first_i      (eng_rx_valid && eng_rx_ready && eng_rx_last),
    .s_count_o      (packets_to_app),
    .m_clk          (app_clk),
    .m_rst          (app_rst),
    .m_first_valid_i(rx_valid),
    .m_first_end_i  (m_app_rx_last),
    .m_first_ready_o(rx_ready),
    .m_first_valid_o(m_app_rx_valid),
    .m_first_ready_i(m_app_rx_ready),
    .m_waiting_i    (event_valid),
    .m_count_i      (crossed_event.packets),
    .m_open_o       (event_open)
  );

  stream_crossing #(
    .T         (counted_event_t),
    .OwnClocks (OwnClock),
    .Registered(Reorders)
  ) event_crossing (
    .s_clk  (clk),
    .s_rst  (rst),
    .s_data ({eng_event, packets_to_app}),
    .s_valid(eng_event_valid),
    .s_ready(eng_event_ready),
    .m_clk  (app_clk),
    .m_rst  (app_rst),
    .m_data (crossed_event),
    .m_valid(event_valid),
    .m_ready(event_ready)
  );

  assign m_app_event = crossed_event.content;
  assign event_offer = event_valid && event_open;
  assign event_ready = event_taken && event_open;

  crossing_order #(
    .CountWidth(CountWidth),
    .Needed    (Reorders)
  ) events_before_queries (
    .s_clk          (clk),
    .s_rst          (rst),
    .s_first_i      (eng_event_valid && eng_event_ready),
    .s_count_o      (events_to_app),
    .m_clk          (app_clk),
    .m_rst          (app_rst),
    .m_first_valid_i(event_offer),
    .m_first_end_i  (1'b1),
    .m_first_ready_o(event_taken),
    .m_first_valid_o(m_app_event_valid),
    .m_first_ready_i(m_app_event_ready),
    .m_waiting_i    (query_valid),
    .m_count_i      (crossed_query.events),
    .m_open_o       (query_open)
  );

  stream_crossing #(
    .T         (counted_query_t),
    .OwnClocks (OwnClock),
    .Registered(Reorders),
    .Depth    (4)
  ) query_crossing (
    .s_clk  (clk),
    .s_rst  (rst),
    .s_data ({eng_query, events_to_app}),
    .s_valid(eng_query_valid),
    .s_ready(eng_query_ready),
    .m_clk  (app_clk),
    .m_rst  (app_rst),
    .m_data (crossed_query),
    .m_valid(query_valid),
    .m_ready(m_app_query_ready && query_open)
  );

  assign m_app_query = crossed_query.content;
  assign m_app_query_valid = query_valid && query_open;

  stream_crossing #(
    .T        (tx_status_t),
    .OwnClocks(OwnClock),
    .Depth    (4)
  ) status_crossing (
    .s_clk  (clk),
    .s_rst  (rst),
    .s_data (eng_tx_status),
    .s_valid(eng_tx_status_valid),
    .s_ready(eng_tx_status_ready),
    .m_clk  (app_clk),
    .m_rst  (app_rst),
    .m_data (m_app_tx_status),
    .m_valid(m_app_tx_status_valid),
    .m_ready(m_app_tx_status_ready)
  );

  // ---- To the engine.

  logic tx_valid, tx_ready, command_valid, command_open;
  counted_command_t crossed_command;

  packet_crossing #(
    .SWidth   (ApplicationWidth),
    .MWidth   (EngineWidth),
    .OwnClocks(OwnClock)
  ) tx_crossing (
    .s_clk  (app_clk),
    .s_rst  (app_rst),
    .m_clk  (clk),
    .m_rst  (rst),
    .s_data (s_app_tx_data),
    .s_keep (s_app_tx_keep),
    .s_last (s_app_tx_last),
    .s_error(s_app_tx_error),
    .s_side (1'b0),
    .s_valid(s_app_tx_valid),
    .s_ready(s_app_tx_ready),
    .m_data (eng_tx_data),
    .m_keep (eng_tx_keep),
    .m_last (eng_tx_last),
    .m_error(eng_tx_error),
    .m_side (),
    .m_valid(tx_valid),
    .m_ready(tx_ready)
  );

  crossing_order #(
    .CountWidth(CountWidth),
    .Needed    (Reorders)
  ) data_before_commands (
    .s_clk          (app_clk),
    .s_rst          (app_rst),
    .s_first_i      (s_app_tx_valid && s_app_tx_ready && s_app_tx_last),
    .s_count_o      (packets_to_engine),
    .m_clk          (clk),
    .m_rst          (rst),
    .m_first_valid_i(tx_valid),
    .m_first_end_i  (eng_tx_last),
    .m_first_ready_o(tx_ready),
    .m_first_valid_o(eng_tx_valid),
    .m_first_ready_i(eng_tx_ready),
    .m_waiting_i    (command_valid),
    .m_count_i      (crossed_command.packets),
    .m_open_o       (command_open)
  );

  stream_crossing #(
    .T         (counted_command_t),
    .OwnClocks (OwnClock),
    .Registered(Reorders)
  ) command_crossing (
    .s_clk  (app_clk),
    .s_rst  (app_rst),
    .s_data ({s_app_command, packets_to_engine}),
    .s_valid(s_app_command_valid),
    .s_ready(s_app_command_ready),
    .m_clk  (clk),
    .m_rst  (rst),
    .m_data (crossed_command),
    .m_valid(command_valid),
    .m_ready(eng_command_ready && command_open)
  );

  assign eng_command = crossed_command.content;
  assign eng_command_valid = command_valid && command_open;

  stream_crossing #(
    .T        (logic [15:0]),
    .OwnClocks(OwnClock),
    .Depth    (4)
  ) grant_crossing (
    .s_clk  (app_clk),
    .s_rst  (app_rst),
    .s_data (s_app_grant_length),
    .s_valid(s_app_grant_valid),
    .s_ready(s_app_grant_ready),
    .m_clk  (clk),
    .m_rst  (rst),
    .m_data (eng_grant_length),
    .m_valid(eng_grant_valid),
    .m_ready(eng_grant_ready)
  );

  stream_crossing #(
    .T        (app_offer_t),
    .OwnClocks(OwnClock),
    .Depth    (4)
  ) request_crossing (
    .s_clk  (app_clk),
    .s_rst  (app_rst),
    .s_data (s_app_tx_request),
    .s_valid(s_app_tx_request_valid),
    .s_ready(s_app_tx_request_ready),
    .m_clk  (clk),
    .m_rst  (rst),
    .m_data (eng_tx_request),
    .m_valid(eng_tx_request_valid),
    .m_ready(eng_tx_request_ready)
  );

endmodule
