// SPDX-License-Identifier: Apache-2.0

// Two engines joined frame by frame, traffic generator and servers as in toe_loopback, with gates in the
// line and in every channel of the applications. size_i may change at any time: it is looked at between
// messages. A line loses what is not taken in time, as a MAC does: two engines that could stop each other,
// each with a line that waits, would never go on.
module stalled_loopback
  import app_pkg::*;
  import apps_pkg::*;
  import toe_config_pkg::*;
  import traffic_pkg::*;
#(
  parameter  int          Preset    = int'(PresetSmall),
  parameter  int          DataWidth = 0,
  localparam toe_config_t Config    = preset_config(Preset, DataWidth),
  localparam int          Width     = Config.DataWidth,
  localparam int          Lanes     = Width / 8,
  localparam int          AxilWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [         31:0] now_us,
  input  logic [         31:0] open_i,    // gates: of each engine 12, then of the line to each
  input  logic [          1:0] damage_i,  // frames to the engine, when they end

  input  logic [AxilWidth-1:0] s_axil_awaddr,
  input  logic [         31:0] s_axil_wdata,
  input  logic [          1:0] s_axil_valid,
  output logic [          1:0] s_axil_done,

  input  logic                 run_i,
  input  logic                 send_i,
  input  logic [         31:0] remote_ip_i,
  input  logic [         15:0] remote_port_i,
  input  logic [         15:0] connections_i,
  input  logic [         15:0] size_i,

  output logic [         15:0] live_o,
  output logic [         31:0] opened_o,
  output logic [         31:0] refused_o,
  output logic [         31:0] closed_o,
  output logic [         31:0] broken_o,
  output logic [         63:0] bytes_out_o,
  output logic [         63:0] bytes_in_o,
  output logic [         31:0] wrong_o
);

  localparam int LineBytes = 32768;

  logic [Width-1:0] client_tdata;
  logic [Lanes-1:0] client_tkeep;
  logic client_tlast, client_tvalid, client_tready, client_sent;
  logic [Width-1:0] client_line_tdata;
  logic [Lanes-1:0] client_line_tkeep;
  logic client_line_tlast, client_line_tvalid, client_line_tready;
  logic [Width-1:0] server_tdata;
  logic [Lanes-1:0] server_tkeep;
  logic server_tlast, server_tvalid, server_tready, server_sent;
  logic [Width-1:0] server_line_tdata;
  logic [Lanes-1:0] server_line_tkeep;
  logic server_line_tlast, server_line_tvalid, server_line_tready;

  app_command_t client_command;
  app_event_t client_event;
  app_offer_t client_query, client_request;
  tx_status_t client_status;
  logic client_command_valid, client_command_ready, client_event_valid, client_event_ready;
  logic client_query_valid, client_query_ready, client_grant_valid, client_grant_ready;
  logic client_request_valid, client_request_ready, client_status_valid, client_status_ready;
  logic [15:0] client_grant_length;
  session_t client_rx_session;
  app_id_t client_rx_app;
  logic [Width-1:0] client_rx_data, client_tx_data;
  logic [Lanes-1:0] client_rx_keep, client_tx_keep;
  logic client_rx_last, client_rx_error, client_rx_valid, client_rx_ready;
  logic client_tx_last, client_tx_error, client_tx_valid, client_tx_ready;

  app_command_t server_command;
  app_event_t server_event;
  app_offer_t server_query, server_request;
  tx_status_t server_status;
  logic server_command_valid, server_command_ready, server_event_valid, server_event_ready;
  logic server_query_valid, server_query_ready, server_grant_valid, server_grant_ready;
  logic server_request_valid, server_request_ready, server_status_valid, server_status_ready;
  logic [15:0] server_grant_length;
  session_t server_rx_session;
  app_id_t server_rx_app;
  logic [Width-1:0] server_rx_data, server_tx_data;
  logic [Lanes-1:0] server_rx_keep, server_tx_keep;
  logic server_rx_last, server_rx_error, server_rx_valid, server_rx_ready;
  logic server_tx_last, server_tx_error, server_tx_valid, server_tx_ready;

  stall_gate server_line (
    .clk,
    .rst,
    .open_i (open_i[24]),
    .s_valid(server_tvalid),
    .s_ready(server_tready),
    .m_valid(server_sent),
    .m_ready(1'b1)
  );

  packet_fifo #(
    .DataWidth   (Width),
    .Depth       (LineBytes / Lanes),
    .DropWhenFull(1'b1)
  ) server_fifo (
    .clk,
    .rst,
    .s_data    (server_tdata),
    .s_keep    (server_tkeep),
    .s_last    (server_tlast),
    .s_error   (1'b0),
    .s_valid   (server_sent),
    .s_ready   (),
    .m_data    (server_line_tdata),
    .m_keep    (server_line_tkeep),
    .m_last    (server_line_tlast),
    .m_valid   (server_line_tvalid),
    .m_ready   (server_line_tready),
    .packets_o (),
    .dropped_o (),
    .overflow_o()
  );

  stall_gate client_line (
    .clk,
    .rst,
    .open_i (open_i[25]),
    .s_valid(client_tvalid),
    .s_ready(client_tready),
    .m_valid(client_sent),
    .m_ready(1'b1)
  );

  packet_fifo #(
    .DataWidth   (Width),
    .Depth       (LineBytes / Lanes),
    .DropWhenFull(1'b1)
  ) client_fifo (
    .clk,
    .rst,
    .s_data    (client_tdata),
    .s_keep    (client_tkeep),
    .s_last    (client_tlast),
    .s_error   (1'b0),
    .s_valid   (client_sent),
    .s_ready   (),
    .m_data    (client_line_tdata),
    .m_keep    (client_line_tkeep),
    .m_last    (client_line_tlast),
    .m_valid   (client_line_tvalid),
    .m_ready   (client_line_tready),
    .packets_o (),
    .dropped_o (),
    .overflow_o()
  );

  stalled_engine #(
    .Preset   (Preset),
    .DataWidth(DataWidth)
  ) client (
    .clk,
    .rst,
    .now_us,
    .open_i          (open_i[0+:12]),
    .s_axis_rx_tdata (server_line_tdata),
    .s_axis_rx_tkeep (server_line_tkeep),
    .s_axis_rx_tlast (server_line_tlast),
    .s_axis_rx_tuser (damage_i[0]),
    .s_axis_rx_tvalid(server_line_tvalid),
    .s_axis_rx_tready(server_line_tready),
    .m_axis_tx_tdata (client_tdata),
    .m_axis_tx_tkeep (client_tkeep),
    .m_axis_tx_tlast (client_tlast),
    .m_axis_tx_tvalid(client_tvalid),
    .m_axis_tx_tready(client_tready),
    .s_axil_awaddr,
    .s_axil_wdata,
    .s_axil_valid    (s_axil_valid[0]),
    .s_axil_done     (s_axil_done[0]),
    .s_command(client_command),
    .s_command_valid(client_command_valid),
    .s_command_ready(client_command_ready),
    .m_event(client_event),
    .m_event_valid(client_event_valid),
    .m_event_ready(client_event_ready),
    .m_query(client_query),
    .m_query_valid(client_query_valid),
    .m_query_ready(client_query_ready),
    .s_grant_length(client_grant_length),
    .s_grant_valid(client_grant_valid),
    .s_grant_ready(client_grant_ready),
    .m_rx_app(client_rx_app),
    .m_rx_session(client_rx_session),
    .m_rx_data(client_rx_data),
    .m_rx_keep(client_rx_keep),
    .m_rx_last(client_rx_last),
    .m_rx_error(client_rx_error),
    .m_rx_valid(client_rx_valid),
    .m_rx_ready(client_rx_ready),
    .s_tx_request(client_request),
    .s_tx_request_valid(client_request_valid),
    .s_tx_request_ready(client_request_ready),
    .m_tx_status(client_status),
    .m_tx_status_valid(client_status_valid),
    .m_tx_status_ready(client_status_ready),
    .s_tx_data(client_tx_data),
    .s_tx_keep(client_tx_keep),
    .s_tx_last(client_tx_last),
    .s_tx_error(client_tx_error),
    .s_tx_valid(client_tx_valid),
    .s_tx_ready(client_tx_ready)
  );

  stalled_engine #(
    .Preset   (Preset),
    .DataWidth(DataWidth)
  ) server (
    .clk,
    .rst,
    .now_us,
    .open_i          (open_i[12+:12]),
    .s_axis_rx_tdata (client_line_tdata),
    .s_axis_rx_tkeep (client_line_tkeep),
    .s_axis_rx_tlast (client_line_tlast),
    .s_axis_rx_tuser (damage_i[1]),
    .s_axis_rx_tvalid(client_line_tvalid),
    .s_axis_rx_tready(client_line_tready),
    .m_axis_tx_tdata (server_tdata),
    .m_axis_tx_tkeep (server_tkeep),
    .m_axis_tx_tlast (server_tlast),
    .m_axis_tx_tvalid(server_tvalid),
    .m_axis_tx_tready(server_tready),
    .s_axil_awaddr,
    .s_axil_wdata,
    .s_axil_valid    (s_axil_valid[1]),
    .s_axil_done     (s_axil_done[1]),
    .s_command(server_command),
    .s_command_valid(server_command_valid),
    .s_command_ready(server_command_ready),
    .m_event(server_event),
    .m_event_valid(server_event_valid),
    .m_event_ready(server_event_ready),
    .m_query(server_query),
    .m_query_valid(server_query_valid),
    .m_query_ready(server_query_ready),
    .s_grant_length(server_grant_length),
    .s_grant_valid(server_grant_valid),
    .s_grant_ready(server_grant_ready),
    .m_rx_app(server_rx_app),
    .m_rx_session(server_rx_session),
    .m_rx_data(server_rx_data),
    .m_rx_keep(server_rx_keep),
    .m_rx_last(server_rx_last),
    .m_rx_error(server_rx_error),
    .m_rx_valid(server_rx_valid),
    .m_rx_ready(server_rx_ready),
    .s_tx_request(server_request),
    .s_tx_request_valid(server_request_valid),
    .s_tx_request_ready(server_request_ready),
    .m_tx_status(server_status),
    .m_tx_status_valid(server_status_valid),
    .m_tx_status_ready(server_status_ready),
    .s_tx_data(server_tx_data),
    .s_tx_keep(server_tx_keep),
    .s_tx_last(server_tx_last),
    .s_tx_error(server_tx_error),
    .s_tx_valid(server_tx_valid),
    .s_tx_ready(server_tx_ready)
  );

  traffic_settings_t settings;
  traffic_totals_t totals;
  logic [15:0] size_q;

  always_ff @(posedge clk) if (traffic.state_q == 0) size_q <= size_i;

  assign settings = '{
      run: run_i,
      send: send_i,
      remote_ip: remote_ip_i,
      remote_port: remote_port_i,
      connections: connections_i,
      message_bytes: size_q
  };
  assign live_o = totals.live;
  assign opened_o = totals.opened;
  assign refused_o = totals.refused;
  assign closed_o = totals.closed;
  assign broken_o = totals.broken;
  assign bytes_out_o = totals.bytes_out;
  assign bytes_in_o = totals.bytes_in;
  assign wrong_o = totals.wrong_bytes;
  assign client_tx_error = 1'b0;

  app_traffic #(
    .DataWidth  (Width),
    .Connections(Config.Connections)
  ) traffic (
    .clk,
    .rst,
    .settings_i(settings),
    .totals_o  (totals),
    .m_command(client_command),
    .m_command_valid(client_command_valid),
    .m_command_ready(client_command_ready),
    .s_event(client_event),
    .s_event_valid(client_event_valid),
    .s_event_ready(client_event_ready),
    .s_query(client_query),
    .s_query_valid(client_query_valid),
    .s_query_ready(client_query_ready),
    .m_grant_length(client_grant_length),
    .m_grant_valid(client_grant_valid),
    .m_grant_ready(client_grant_ready),
    .s_rx_data(client_rx_data),
    .s_rx_keep(client_rx_keep),
    .s_rx_last(client_rx_last),
    .s_rx_error(client_rx_error),
    .s_rx_valid(client_rx_valid),
    .s_rx_ready(client_rx_ready),
    .m_tx_request(client_request),
    .m_tx_request_valid(client_request_valid),
    .m_tx_request_ready(client_request_ready),
    .s_tx_status(client_status),
    .s_tx_status_valid(client_status_valid),
    .s_tx_status_ready(client_status_ready),
    .m_tx_data(client_tx_data),
    .m_tx_keep(client_tx_keep),
    .m_tx_last(client_tx_last),
    .m_tx_valid(client_tx_valid),
    .m_tx_ready(client_tx_ready)
  );

  server_apps #(
    .DataWidth  (Width),
    .Connections(Config.Connections),
    .CutThrough (Config.CutThrough != 0)
  ) apps (
    .clk,
    .rst,
    .enable_i              ('1),
    .statistics_i          ('0),
    .ext_event_lost_o      (),
    .m_command(server_command),
    .m_command_valid(server_command_valid),
    .m_command_ready(server_command_ready),
    .s_event(server_event),
    .s_event_valid(server_event_valid),
    .s_event_ready(server_event_ready),
    .s_query(server_query),
    .s_query_valid(server_query_valid),
    .s_query_ready(server_query_ready),
    .m_grant_length(server_grant_length),
    .m_grant_valid(server_grant_valid),
    .m_grant_ready(server_grant_ready),
    .s_rx_app(server_rx_app),
    .s_rx_session(server_rx_session),
    .s_rx_data(server_rx_data),
    .s_rx_keep(server_rx_keep),
    .s_rx_last(server_rx_last),
    .s_rx_error(server_rx_error),
    .s_rx_valid(server_rx_valid),
    .s_rx_ready(server_rx_ready),
    .m_tx_request(server_request),
    .m_tx_request_valid(server_request_valid),
    .m_tx_request_ready(server_request_ready),
    .s_tx_status(server_status),
    .s_tx_status_valid(server_status_valid),
    .s_tx_status_ready(server_status_ready),
    .m_tx_data(server_tx_data),
    .m_tx_keep(server_tx_keep),
    .m_tx_last(server_tx_last),
    .m_tx_error(server_tx_error),
    .m_tx_valid(server_tx_valid),
    .m_tx_ready(server_tx_ready),
    .s_ext_command         ('0),
    .s_ext_command_valid   (1'b0),
    .s_ext_command_ready   (),
    .m_ext_event           (),
    .m_ext_event_valid     (),
    .m_ext_event_ready     (1'b1),
    .m_ext_query           (),
    .m_ext_query_valid     (),
    .m_ext_query_ready     (1'b1),
    .s_ext_grant_length    ('0),
    .s_ext_grant_valid     (1'b0),
    .s_ext_grant_ready     (),
    .m_ext_rx_session      (),
    .m_ext_rx_data         (),
    .m_ext_rx_keep         (),
    .m_ext_rx_last         (),
    .m_ext_rx_error        (),
    .m_ext_rx_valid        (),
    .m_ext_rx_ready        (1'b1),
    .s_ext_tx_request      ('0),
    .s_ext_tx_request_valid(1'b0),
    .s_ext_tx_request_ready(),
    .m_ext_tx_status       (),
    .m_ext_tx_status_valid (),
    .m_ext_tx_status_ready (1'b1),
    .s_ext_tx_data         ('0),
    .s_ext_tx_keep         ('0),
    .s_ext_tx_last         (1'b0),
    .s_ext_tx_valid        (1'b0),
    .s_ext_tx_ready        ()
  );

endmodule
