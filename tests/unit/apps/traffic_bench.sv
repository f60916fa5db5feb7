// SPDX-License-Identifier: Apache-2.0

// app_traffic with the ports that models.app_engine drives.
module traffic_bench
  import app_pkg::*;
  import traffic_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 8,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic              clk,
  input  logic              rst,
  input  traffic_settings_t settings_i,
  output traffic_totals_t   totals_o,
  output app_command_t      m_command,
  output logic              m_command_valid,
  input  logic              m_command_ready,
  input  app_event_t        s_event,
  input  logic              s_event_valid,
  output logic              s_event_ready,
  input  app_offer_t        s_query,
  input  logic              s_query_valid,
  output logic              s_query_ready,
  output logic [15:0]       m_grant_length,
  output logic              m_grant_valid,
  input  logic              m_grant_ready,
  input  app_id_t           s_rx_app,
  input  session_t          s_rx_session,
  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [Lanes-1:0]  s_rx_keep,
  input  logic              s_rx_last,
  input  logic              s_rx_error,
  input  logic              s_rx_valid,
  output logic              s_rx_ready,
  output app_offer_t        m_tx_request,
  output logic              m_tx_request_valid,
  input  logic              m_tx_request_ready,
  input  tx_status_t        s_tx_status,
  input  logic              s_tx_status_valid,
  output logic              s_tx_status_ready,
  output logic [DataWidth-1:0] m_tx_data,
  output logic [Lanes-1:0]  m_tx_keep,
  output logic              m_tx_last,
  output logic              m_tx_error,
  output logic              m_tx_valid,
  input  logic              m_tx_ready
);

  assign m_tx_error = 1'b0;

  app_traffic #(
    .DataWidth  (DataWidth),
    .Connections(Connections)
  ) dut (
    .*
  );

endmodule
