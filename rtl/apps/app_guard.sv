// SPDX-License-Identifier: Apache-2.0

// Keeps an application that is not trusted from stalling the others at the switch: the application
// interface on both sides, with an answer ready for whatever the application leaves undone. What is
// promised to whom is in guard_events, guard_receive and guard_transmit.
module app_guard
  import app_pkg::*;
#(
  parameter  int DataWidth  = 64,
  parameter  int EventDepth = 256,
  parameter  int QueueBytes = 2048,
  parameter  int Patience   = 32,
  parameter  bit Straight   = 1'b0,  // what is received waits for no clock
  localparam int Lanes      = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  output logic                 event_lost_o,

  // The switch.
  output app_command_t         m_command,
  output logic                 m_command_valid,
  input  logic                 m_command_ready,

  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,

  input  app_offer_t           s_query,
  input  logic                 s_query_valid,
  output logic                 s_query_ready,

  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,

  input  session_t             s_rx_session,
  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,

  input  tx_status_t           s_tx_status,
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready,

  // The application.
  input  app_command_t         s_command,
  input  logic                 s_command_valid,
  output logic                 s_command_ready,

  output app_event_t           m_event,
  output logic                 m_event_valid,
  input  logic                 m_event_ready,

  output app_offer_t           m_query,
  output logic                 m_query_valid,
  input  logic                 m_query_ready,

  input  logic [         15:0] s_grant_length,
  input  logic                 s_grant_valid,
  output logic                 s_grant_ready,

  output session_t             m_rx_session,
  output logic [DataWidth-1:0] m_rx_data,
  output logic [    Lanes-1:0] m_rx_keep,
  output logic                 m_rx_last,
  output logic                 m_rx_error,
  output logic                 m_rx_valid,
  input  logic                 m_rx_ready,

  input  app_offer_t           s_tx_request,
  input  logic                 s_tx_request_valid,
  output logic                 s_tx_request_ready,

  output tx_status_t           m_tx_status,
  output logic                 m_tx_status_valid,
  input  logic                 m_tx_status_ready,

  input  logic [DataWidth-1:0] s_tx_data,
  input  logic [    Lanes-1:0] s_tx_keep,
  input  logic                 s_tx_last,
  input  logic                 s_tx_valid,
  output logic                 s_tx_ready
);

  logic [15:0] packets_in, packets_out;
  app_command_t abort;
  logic abort_valid, abort_ready, unused_index;

  guard_events #(
    .Depth(EventDepth)
  ) events (
    .clk,
    .rst,
    .packets_in_i (packets_in),
    .packets_out_i(packets_out),
    .s_event,
    .s_event_valid,
    .s_event_ready,
    .m_event,
    .m_event_valid,
    .m_event_ready,
    .lost_o       (event_lost_o)
  );

  guard_receive #(
    .DataWidth (DataWidth),
    .QueueBytes(QueueBytes),
    .Patience  (Patience),
    .Straight  (Straight)
  ) receive (
    .clk,
    .rst,
    .packets_in_o (packets_in),
    .packets_out_o(packets_out),
    .s_query,
    .s_query_valid,
    .s_query_ready,
    .m_grant_length,
    .m_grant_valid,
    .m_grant_ready,
    .s_rx_session,
    .s_rx_data,
    .s_rx_keep,
    .s_rx_last,
    .s_rx_error,
    .s_rx_valid,
    .s_rx_ready,
    .m_query,
    .m_query_valid,
    .m_query_ready,
    .s_grant_length,
    .s_grant_valid,
    .s_grant_ready,
    .m_rx_session,
    .m_rx_data,
    .m_rx_keep,
    .m_rx_last,
    .m_rx_error,
    .m_rx_valid,
    .m_rx_ready
  );

  guard_transmit_pair #(
    .DataWidth(DataWidth),
    .Patience (Patience)
  ) transmit (
    .clk,
    .rst,
    .s_tx_request,
    .s_tx_request_valid,
    .s_tx_request_ready,
    .m_tx_status,
    .m_tx_status_valid,
    .m_tx_status_ready,
    .s_tx_data,
    .s_tx_keep,
    .s_tx_last,
    .s_tx_valid,
    .s_tx_ready,
    .m_tx_request,
    .m_tx_request_valid,
    .m_tx_request_ready,
    .s_tx_status,
    .s_tx_status_valid,
    .s_tx_status_ready,
    .m_tx_data,
    .m_tx_keep,
    .m_tx_last,
    .m_tx_valid,
    .m_tx_ready,
    .m_abort      (abort),
    .m_abort_valid(abort_valid),
    .m_abort_ready(abort_ready)
  );

  stream_arbiter #(
    .T(app_command_t),
    .N(2)
  ) commands (
    .clk,
    .rst,
    .s_data ('{s_command, abort}),
    .s_valid({abort_valid, s_command_valid}),
    .s_ready({abort_ready, s_command_ready}),
    .m_data (m_command),
    .m_index(unused_index),
    .m_valid(m_command_valid),
    .m_ready(m_command_ready)
  );

endmodule
