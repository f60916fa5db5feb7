// SPDX-License-Identifier: Apache-2.0

// Two engines joined frame by frame, with a traffic generator on the one and servers on the other
// (S1.12): no network needed. As an example it shows an application behind toe_server, with registers of
// its own; benchmarks run it (`toehold bench loopback`).
//
//   traffic  --> +-------------+  client_*   +-------------+
//   generator    | toe_server  | ----------> | toe_server  | echo, discard, source, HTTP
//   app_traffic  |  (client)   | <---------- |  (server)   | app_enable_i
//            <-- +-------------+   server_*  +-------------+
//   s_axil_traffic   s_axil_client             s_axil_server
//
// A line between them keeps up to LineBytes, and then loses whole frames, as a MAC does: an engine that cannot
// send takes no more either in the end, and two of them with lines that wait would wait for each other.
//
// Registers: registers/generated/registers.md for both engines, whose addresses must be set, and differ;
// registers/generated/traffic_registers.md for the generator.
module toe_loopback
  import app_pkg::*;
  import apps_pkg::*;
  import toe_config_pkg::*;
  import traffic_pkg::*;
#(
  parameter  int          Preset       = int'(PresetSmall),  // all state and payload on chip
  parameter  int          DataWidth    = 0,                  // bits; 0: as the preset says
  parameter  int          LineBytes    = 32768,              // a power of two
  localparam toe_config_t Config       = preset_config(Preset, DataWidth),
  localparam int          Width        = Config.DataWidth,
  localparam int          Lanes        = Width / 8,
  localparam int          AxilWidth    = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH,
  localparam int          TrafficWidth = traffic_registers_pkg::TRAFFIC_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic clk,
  input  logic rst,

  input  logic [31:0] now_us,
  input  logic [HardwareApps-1:0] app_enable_i,  // of the server

  input  logic [AxilWidth-1:0] s_axil_client_awaddr,
  input  logic [2:0] s_axil_client_awprot,
  input  logic  s_axil_client_awvalid,
  output logic  s_axil_client_awready,
  input  logic [31:0] s_axil_client_wdata,
  input  logic [3:0] s_axil_client_wstrb,
  input  logic  s_axil_client_wvalid,
  output logic  s_axil_client_wready,
  output logic [1:0] s_axil_client_bresp,
  output logic  s_axil_client_bvalid,
  input  logic  s_axil_client_bready,
  input  logic [AxilWidth-1:0] s_axil_client_araddr,
  input  logic [2:0] s_axil_client_arprot,
  input  logic  s_axil_client_arvalid,
  output logic  s_axil_client_arready,
  output logic [31:0] s_axil_client_rdata,
  output logic [1:0] s_axil_client_rresp,
  output logic  s_axil_client_rvalid,
  input  logic  s_axil_client_rready,
  input  logic [AxilWidth-1:0] s_axil_server_awaddr,
  input  logic [2:0] s_axil_server_awprot,
  input  logic  s_axil_server_awvalid,
  output logic  s_axil_server_awready,
  input  logic [31:0] s_axil_server_wdata,
  input  logic [3:0] s_axil_server_wstrb,
  input  logic  s_axil_server_wvalid,
  output logic  s_axil_server_wready,
  output logic [1:0] s_axil_server_bresp,
  output logic  s_axil_server_bvalid,
  input  logic  s_axil_server_bready,
  input  logic [AxilWidth-1:0] s_axil_server_araddr,
  input  logic [2:0] s_axil_server_arprot,
  input  logic  s_axil_server_arvalid,
  output logic  s_axil_server_arready,
  output logic [31:0] s_axil_server_rdata,
  output logic [1:0] s_axil_server_rresp,
  output logic  s_axil_server_rvalid,
  input  logic  s_axil_server_rready,
  input  logic [TrafficWidth-1:0] s_axil_traffic_awaddr,
  input  logic [2:0] s_axil_traffic_awprot,
  input  logic  s_axil_traffic_awvalid,
  output logic  s_axil_traffic_awready,
  input  logic [31:0] s_axil_traffic_wdata,
  input  logic [3:0] s_axil_traffic_wstrb,
  input  logic  s_axil_traffic_wvalid,
  output logic  s_axil_traffic_wready,
  output logic [1:0] s_axil_traffic_bresp,
  output logic  s_axil_traffic_bvalid,
  input  logic  s_axil_traffic_bready,
  input  logic [TrafficWidth-1:0] s_axil_traffic_araddr,
  input  logic [2:0] s_axil_traffic_arprot,
  input  logic  s_axil_traffic_arvalid,
  output logic  s_axil_traffic_arready,
  output logic [31:0] s_axil_traffic_rdata,
  output logic [1:0] s_axil_traffic_rresp,
  output logic  s_axil_traffic_rvalid,
  input  logic  s_axil_traffic_rready
);

  if (Config.StateCacheEntries != 0 || Config.RxRingsInDram != 0 || Config.TxRingsInDram != 0)
  begin : gen_check_preset
    $error("toe_loopback has no memory: Preset must keep state and payload on chip.");
  end

  logic [Width-1:0] client_tdata, server_tdata;
  logic [Lanes-1:0] client_tkeep, server_tkeep;
  logic client_tlast, client_tvalid, client_tready, server_tlast, server_tvalid, server_tready;
  logic [Width-1:0] to_client_tdata, to_server_tdata;
  logic [Lanes-1:0] to_client_tkeep, to_server_tkeep;
  logic to_client_tlast, to_client_tvalid, to_client_tready;
  logic to_server_tlast, to_server_tvalid, to_server_tready;

  // Their field `app` is the switch's own.
  // verilator lint_off UNUSEDSIGNAL
  app_command_t command;
  app_offer_t request;
  // verilator lint_on UNUSEDSIGNAL
  logic command_valid, command_ready, event_valid, event_ready;
  app_event_t app_event;
  logic [3:0] event_kind, event_result;
  app_offer_t query;
  logic query_valid, query_ready, grant_valid, grant_ready;
  logic [15:0] grant_length;
  logic [Width-1:0] rx_data, tx_data;
  logic [Lanes-1:0] rx_keep, tx_keep;
  logic rx_last, rx_error, rx_valid, rx_ready, tx_last, tx_valid, tx_ready;
  logic request_valid, request_ready;
  tx_status_t status;
  logic [1:0] status_error;
  logic status_valid, status_ready;

  // ---- Lines

  packet_fifo #(
    .DataWidth   (Width),
    .Depth       (LineBytes / Lanes),
    .DropWhenFull(1'b1)
  ) line_to_server (
    .clk,
    .rst,
    .s_data    (client_tdata),
    .s_keep    (client_tkeep),
    .s_last    (client_tlast),
    .s_error   (1'b0),
    .s_valid   (client_tvalid),
    .s_ready   (client_tready),
    .m_data    (to_server_tdata),
    .m_keep    (to_server_tkeep),
    .m_last    (to_server_tlast),
    .m_valid   (to_server_tvalid),
    .m_ready   (to_server_tready),
    .packets_o (),
    .dropped_o (),
    .overflow_o()
  );

  packet_fifo #(
    .DataWidth   (Width),
    .Depth       (LineBytes / Lanes),
    .DropWhenFull(1'b1)
  ) line_to_client (
    .clk,
    .rst,
    .s_data    (server_tdata),
    .s_keep    (server_tkeep),
    .s_last    (server_tlast),
    .s_error   (1'b0),
    .s_valid   (server_tvalid),
    .s_ready   (server_tready),
    .m_data    (to_client_tdata),
    .m_keep    (to_client_tkeep),
    .m_last    (to_client_tlast),
    .m_valid   (to_client_tvalid),
    .m_ready   (to_client_tready),
    .packets_o (),
    .dropped_o (),
    .overflow_o()
  );

  // ---- The client and its traffic

  toe_server #(
    .Preset   (Preset),
    .DataWidth(DataWidth),
    .Keys     (0)
  ) client (
    .clk,
    .rst,
    .now_us,
    .app_enable_i    ('0),
    .s_axis_rx_tdata(to_client_tdata),
    .s_axis_rx_tkeep(to_client_tkeep),
    .s_axis_rx_tlast(to_client_tlast),
    .s_axis_rx_tuser (1'b0),
    .s_axis_rx_tvalid(to_client_tvalid),
    .s_axis_rx_tready(to_client_tready),
    .m_axis_tx_tdata(client_tdata),
    .m_axis_tx_tkeep(client_tkeep),
    .m_axis_tx_tlast(client_tlast),
    .m_axis_tx_tvalid(client_tvalid),
    .m_axis_tx_tready(client_tready),
    .s_axil_awaddr  (s_axil_client_awaddr),
    .s_axil_awprot  (s_axil_client_awprot),
    .s_axil_awvalid (s_axil_client_awvalid),
    .s_axil_awready (s_axil_client_awready),
    .s_axil_wdata   (s_axil_client_wdata),
    .s_axil_wstrb   (s_axil_client_wstrb),
    .s_axil_wvalid  (s_axil_client_wvalid),
    .s_axil_wready  (s_axil_client_wready),
    .s_axil_bresp   (s_axil_client_bresp),
    .s_axil_bvalid  (s_axil_client_bvalid),
    .s_axil_bready  (s_axil_client_bready),
    .s_axil_araddr  (s_axil_client_araddr),
    .s_axil_arprot  (s_axil_client_arprot),
    .s_axil_arvalid (s_axil_client_arvalid),
    .s_axil_arready (s_axil_client_arready),
    .s_axil_rdata   (s_axil_client_rdata),
    .s_axil_rresp   (s_axil_client_rresp),
    .s_axil_rvalid  (s_axil_client_rvalid),
    .s_axil_rready  (s_axil_client_rready),
    .m_axi_state_awid            (),
    .m_axi_state_awaddr          (),
    .m_axi_state_awlen           (),
    .m_axi_state_awsize          (),
    .m_axi_state_awburst         (),
    .m_axi_state_awvalid         (),
    .m_axi_state_awready         ('0),
    .m_axi_state_wdata           (),
    .m_axi_state_wstrb           (),
    .m_axi_state_wlast           (),
    .m_axi_state_wvalid          (),
    .m_axi_state_wready          ('0),
    .m_axi_state_bid             ('0),
    .m_axi_state_bresp           ('0),
    .m_axi_state_bvalid          ('0),
    .m_axi_state_bready          (),
    .m_axi_state_arid            (),
    .m_axi_state_araddr          (),
    .m_axi_state_arlen           (),
    .m_axi_state_arsize          (),
    .m_axi_state_arburst         (),
    .m_axi_state_arvalid         (),
    .m_axi_state_arready         ('0),
    .m_axi_state_rid             ('0),
    .m_axi_state_rdata           ('0),
    .m_axi_state_rresp           ('0),
    .m_axi_state_rlast           ('0),
    .m_axi_state_rvalid          ('0),
    .m_axi_state_rready          (),
    .m_axi_payload_awid          (),
    .m_axi_payload_awaddr        (),
    .m_axi_payload_awlen         (),
    .m_axi_payload_awsize        (),
    .m_axi_payload_awburst       (),
    .m_axi_payload_awvalid       (),
    .m_axi_payload_awready       ('0),
    .m_axi_payload_wdata         (),
    .m_axi_payload_wstrb         (),
    .m_axi_payload_wlast         (),
    .m_axi_payload_wvalid        (),
    .m_axi_payload_wready        ('0),
    .m_axi_payload_bid           ('0),
    .m_axi_payload_bresp         ('0),
    .m_axi_payload_bvalid        ('0),
    .m_axi_payload_bready        (),
    .m_axi_payload_arid          (),
    .m_axi_payload_araddr        (),
    .m_axi_payload_arlen         (),
    .m_axi_payload_arsize        (),
    .m_axi_payload_arburst       (),
    .m_axi_payload_arvalid       (),
    .m_axi_payload_arready       ('0),
    .m_axi_payload_rid           ('0),
    .m_axi_payload_rdata         ('0),
    .m_axi_payload_rresp         ('0),
    .m_axi_payload_rlast         ('0),
    .m_axi_payload_rvalid        ('0),
    .m_axi_payload_rready        (),
    .s_app_command_op(command.op),
    .s_app_command_tag(command.tag),
    .s_app_command_session(command.session),
    .s_app_command_local_port(command.local_port),
    .s_app_command_remote_ip(command.remote_ip),
    .s_app_command_remote_port(command.remote_port),
    .s_app_command_value(command.value),
    .s_app_command_valid(command_valid),
    .s_app_command_ready(command_ready),
    .m_app_event_kind(event_kind),
    .m_app_event_tag(app_event.tag),
    .m_app_event_result(event_result),
    .m_app_event_session(app_event.session),
    .m_app_event_local_port(app_event.local_port),
    .m_app_event_remote_ip(app_event.remote_ip),
    .m_app_event_remote_port(app_event.remote_port),
    .m_app_event_value(app_event.value),
    .m_app_event_valid(event_valid),
    .m_app_event_ready(event_ready),
    .m_app_rx_query_session(query.session),
    .m_app_rx_query_length(query.length),
    .m_app_rx_query_valid(query_valid),
    .m_app_rx_query_ready(query_ready),
    .s_app_rx_grant_length(grant_length),
    .s_app_rx_grant_valid(grant_valid),
    .s_app_rx_grant_ready(grant_ready),
    .m_app_rx_session(),
    .m_app_rx_data(rx_data),
    .m_app_rx_keep(rx_keep),
    .m_app_rx_last(rx_last),
    .m_app_rx_error(rx_error),
    .m_app_rx_valid(rx_valid),
    .m_app_rx_ready(rx_ready),
    .s_app_tx_request_session(request.session),
    .s_app_tx_request_length(request.length),
    .s_app_tx_request_valid(request_valid),
    .s_app_tx_request_ready(request_ready),
    .m_app_tx_status_error(status_error),
    .m_app_tx_status_session(status.session),
    .m_app_tx_status_space(status.space),
    .m_app_tx_status_valid(status_valid),
    .m_app_tx_status_ready(status_ready),
    .s_app_tx_data(tx_data),
    .s_app_tx_keep(tx_keep),
    .s_app_tx_last(tx_last),
    .s_app_tx_valid(tx_valid),
    .s_app_tx_ready(tx_ready)
  );

  assign app_event.kind   = app_event_e'(event_kind);
  assign app_event.result = app_result_e'(event_result);
  assign app_event.app    = '0;
  assign query.tentative  = 1'b0;
  assign query.partial    = 1'b0;
  assign query.app        = '0;
  assign status.app       = '0;
  assign status.error     = tx_error_e'(status_error);

  traffic_settings_t settings;
  traffic_totals_t totals;

  app_traffic #(
    .DataWidth  (Width),
    .Connections(Config.Connections)
  ) traffic (
    .clk,
    .rst,
    .settings_i        (settings),
    .totals_o          (totals),
    .m_command         (command),
    .m_command_valid   (command_valid),
    .m_command_ready   (command_ready),
    .s_event           (app_event),
    .s_event_valid     (event_valid),
    .s_event_ready     (event_ready),
    .s_query           (query),
    .s_query_valid     (query_valid),
    .s_query_ready     (query_ready),
    .m_grant_length    (grant_length),
    .m_grant_valid     (grant_valid),
    .m_grant_ready     (grant_ready),
    .s_rx_data         (rx_data),
    .s_rx_keep         (rx_keep),
    .s_rx_last         (rx_last),
    .s_rx_error        (rx_error),
    .s_rx_valid        (rx_valid),
    .s_rx_ready        (rx_ready),
    .m_tx_request      (request),
    .m_tx_request_valid(request_valid),
    .m_tx_request_ready(request_ready),
    .s_tx_status       (status),
    .s_tx_status_valid (status_valid),
    .s_tx_status_ready (status_ready),
    .m_tx_data         (tx_data),
    .m_tx_keep         (tx_keep),
    .m_tx_last         (tx_last),
    .m_tx_valid        (tx_valid),
    .m_tx_ready        (tx_ready)
  );

  // ---- The server

  toe_server #(
    .Preset   (Preset),
    .DataWidth(DataWidth),
    .Keys     (0)
  ) server (
    .clk,
    .rst,
    .now_us,
    .app_enable_i    (app_enable_i),
    .s_axis_rx_tdata(to_server_tdata),
    .s_axis_rx_tkeep(to_server_tkeep),
    .s_axis_rx_tlast(to_server_tlast),
    .s_axis_rx_tuser (1'b0),
    .s_axis_rx_tvalid(to_server_tvalid),
    .s_axis_rx_tready(to_server_tready),
    .m_axis_tx_tdata(server_tdata),
    .m_axis_tx_tkeep(server_tkeep),
    .m_axis_tx_tlast(server_tlast),
    .m_axis_tx_tvalid(server_tvalid),
    .m_axis_tx_tready(server_tready),
    .s_axil_awaddr  (s_axil_server_awaddr),
    .s_axil_awprot  (s_axil_server_awprot),
    .s_axil_awvalid (s_axil_server_awvalid),
    .s_axil_awready (s_axil_server_awready),
    .s_axil_wdata   (s_axil_server_wdata),
    .s_axil_wstrb   (s_axil_server_wstrb),
    .s_axil_wvalid  (s_axil_server_wvalid),
    .s_axil_wready  (s_axil_server_wready),
    .s_axil_bresp   (s_axil_server_bresp),
    .s_axil_bvalid  (s_axil_server_bvalid),
    .s_axil_bready  (s_axil_server_bready),
    .s_axil_araddr  (s_axil_server_araddr),
    .s_axil_arprot  (s_axil_server_arprot),
    .s_axil_arvalid (s_axil_server_arvalid),
    .s_axil_arready (s_axil_server_arready),
    .s_axil_rdata   (s_axil_server_rdata),
    .s_axil_rresp   (s_axil_server_rresp),
    .s_axil_rvalid  (s_axil_server_rvalid),
    .s_axil_rready  (s_axil_server_rready),
    .m_axi_state_awid            (),
    .m_axi_state_awaddr          (),
    .m_axi_state_awlen           (),
    .m_axi_state_awsize          (),
    .m_axi_state_awburst         (),
    .m_axi_state_awvalid         (),
    .m_axi_state_awready         ('0),
    .m_axi_state_wdata           (),
    .m_axi_state_wstrb           (),
    .m_axi_state_wlast           (),
    .m_axi_state_wvalid          (),
    .m_axi_state_wready          ('0),
    .m_axi_state_bid             ('0),
    .m_axi_state_bresp           ('0),
    .m_axi_state_bvalid          ('0),
    .m_axi_state_bready          (),
    .m_axi_state_arid            (),
    .m_axi_state_araddr          (),
    .m_axi_state_arlen           (),
    .m_axi_state_arsize          (),
    .m_axi_state_arburst         (),
    .m_axi_state_arvalid         (),
    .m_axi_state_arready         ('0),
    .m_axi_state_rid             ('0),
    .m_axi_state_rdata           ('0),
    .m_axi_state_rresp           ('0),
    .m_axi_state_rlast           ('0),
    .m_axi_state_rvalid          ('0),
    .m_axi_state_rready          (),
    .m_axi_payload_awid          (),
    .m_axi_payload_awaddr        (),
    .m_axi_payload_awlen         (),
    .m_axi_payload_awsize        (),
    .m_axi_payload_awburst       (),
    .m_axi_payload_awvalid       (),
    .m_axi_payload_awready       ('0),
    .m_axi_payload_wdata         (),
    .m_axi_payload_wstrb         (),
    .m_axi_payload_wlast         (),
    .m_axi_payload_wvalid        (),
    .m_axi_payload_wready        ('0),
    .m_axi_payload_bid           ('0),
    .m_axi_payload_bresp         ('0),
    .m_axi_payload_bvalid        ('0),
    .m_axi_payload_bready        (),
    .m_axi_payload_arid          (),
    .m_axi_payload_araddr        (),
    .m_axi_payload_arlen         (),
    .m_axi_payload_arsize        (),
    .m_axi_payload_arburst       (),
    .m_axi_payload_arvalid       (),
    .m_axi_payload_arready       ('0),
    .m_axi_payload_rid           ('0),
    .m_axi_payload_rdata         ('0),
    .m_axi_payload_rresp         ('0),
    .m_axi_payload_rlast         ('0),
    .m_axi_payload_rvalid        ('0),
    .m_axi_payload_rready        (),
    .s_app_command_op('0),
    .s_app_command_tag('0),
    .s_app_command_session('0),
    .s_app_command_local_port('0),
    .s_app_command_remote_ip('0),
    .s_app_command_remote_port('0),
    .s_app_command_value('0),
    .s_app_command_valid('0),
    .s_app_command_ready(),
    .m_app_event_kind(),
    .m_app_event_tag(),
    .m_app_event_result(),
    .m_app_event_session(),
    .m_app_event_local_port(),
    .m_app_event_remote_ip(),
    .m_app_event_remote_port(),
    .m_app_event_value(),
    .m_app_event_valid(),
    .m_app_event_ready(1'b1),
    .m_app_rx_query_session(),
    .m_app_rx_query_length(),
    .m_app_rx_query_valid(),
    .m_app_rx_query_ready(1'b1),
    .s_app_rx_grant_length('0),
    .s_app_rx_grant_valid('0),
    .s_app_rx_grant_ready(),
    .m_app_rx_session(),
    .m_app_rx_data(),
    .m_app_rx_keep(),
    .m_app_rx_last(),
    .m_app_rx_error(),
    .m_app_rx_valid(),
    .m_app_rx_ready(1'b1),
    .s_app_tx_request_session('0),
    .s_app_tx_request_length('0),
    .s_app_tx_request_valid('0),
    .s_app_tx_request_ready(),
    .m_app_tx_status_error(),
    .m_app_tx_status_session(),
    .m_app_tx_status_space(),
    .m_app_tx_status_valid(),
    .m_app_tx_status_ready(1'b1),
    .s_app_tx_data('0),
    .s_app_tx_keep('0),
    .s_app_tx_last('0),
    .s_app_tx_valid('0),
    .s_app_tx_ready()
  );

  // ---- The generator's registers

  traffic_registers_pkg::traffic__in_t  shown;
  traffic_registers_pkg::traffic__out_t set;

  logic access, access_writes;
  logic [TrafficWidth-1:0] access_address;
  logic [31:0] access_data, answer_data;

  axil_register_port #(
    .AddressWidth(TrafficWidth)
  ) register_port (
    .clk,
    .rst,
    .s_axil_awaddr  (s_axil_traffic_awaddr),
    .s_axil_awvalid (s_axil_traffic_awvalid),
    .s_axil_awready (s_axil_traffic_awready),
    .s_axil_wdata   (s_axil_traffic_wdata),
    .s_axil_wstrb   (s_axil_traffic_wstrb),
    .s_axil_wvalid  (s_axil_traffic_wvalid),
    .s_axil_wready  (s_axil_traffic_wready),
    .s_axil_bresp   (s_axil_traffic_bresp),
    .s_axil_bvalid  (s_axil_traffic_bvalid),
    .s_axil_bready  (s_axil_traffic_bready),
    .s_axil_araddr  (s_axil_traffic_araddr),
    .s_axil_arvalid (s_axil_traffic_arvalid),
    .s_axil_arready (s_axil_traffic_arready),
    .s_axil_rdata   (s_axil_traffic_rdata),
    .s_axil_rresp   (s_axil_traffic_rresp),
    .s_axil_rvalid  (s_axil_traffic_rvalid),
    .s_axil_rready  (s_axil_traffic_rready),
    .request_o        (access),
    .request_writes_o (access_writes),
    .request_address_o(access_address),
    .request_data_o   (access_data),
    .answer_data_i    (answer_data)
  );

  traffic_registers register_file (
    .clk,
    .rst,
    .s_cpuif_req         (access),
    .s_cpuif_req_is_wr   (access_writes),
    .s_cpuif_addr        (access_address),
    .s_cpuif_wr_data     (access_data),
    .s_cpuif_wr_biten    ('1),
    .s_cpuif_req_stall_wr(),
    .s_cpuif_req_stall_rd(),
    .s_cpuif_rd_ack      (),
    .s_cpuif_rd_err      (),
    .s_cpuif_rd_data     (answer_data),
    .s_cpuif_wr_ack      (),
    .s_cpuif_wr_err      (),
    .hwif_in             (shown),
    .hwif_out            (set)
  );

  logic unused_protection;
  assign unused_protection = &{1'b0, s_axil_traffic_awprot, s_axil_traffic_arprot};

  assign settings = '{
      run: set.control.run.value,
      send: set.control.send.value,
      remote_ip: set.remote_ip.value.value,
      remote_port: set.remote_port.value.value,
      connections: set.connections.value.value,
      message_bytes: set.message_bytes.value.value
  };

  assign shown.status.live.next = totals.live;
  assign shown.status.opening.next = totals.opening;
  assign shown.opened.value.next = totals.opened;
  assign shown.refused.value.next = totals.refused;
  assign shown.closed.value.next = totals.closed;
  assign shown.broken.value.next = totals.broken;
  assign shown.messages_out.value.next = totals.messages_out;
  assign {shown.bytes_out_high.value.next, shown.bytes_out_low.value.next} = totals.bytes_out;
  assign {shown.bytes_in_high.value.next, shown.bytes_in_low.value.next} = totals.bytes_in;
  assign shown.wrong_bytes.value.next = totals.wrong_bytes;

endmodule
