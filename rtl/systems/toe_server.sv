// SPDX-License-Identifier: Apache-2.0

// A complete server: the engine with its applications, and one port for another application.
//
//   s_axis_rx --> +-------+     +-------------+ <-- app_enable_i {key_value, http, source, discard, echo}
//   m_axis_tx <-- |  toe  | <-> | server_apps | <-> s_app_*, m_app_*: another application,
//   s_axil_*  <-> +-------+     +-------------+     field by field
//                      counters -> statistics_collector -> the HTTP page
//
// This is what the simulator runs and what a board's top wraps.
module toe_server
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
  import toe_config_pkg::*;
  import toe_registers_pkg::*;
  import line_memory_pkg::*;
#(
  parameter  int          Preset    = int'(PresetSmall),  // of preset_e
  parameter  int          DataWidth = 0,                  // bits; 0: as the preset says
  localparam toe_config_t Config    = preset_config(Preset, DataWidth),
  parameter  int          StateWidth = 512,               // bits of m_axi_state, 64 to 512
  // Of the key-value store; 0: it is left out. Sessions have rings of their own in it.
  parameter  int          Keys      = Config.Connections <= 4096 ? 256 : 0,
  localparam int          Width     = Config.DataWidth,
  localparam int          Lanes     = Width / 8,
  localparam int          AxilWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [            31:0] now_us,
  input  logic [HardwareApps-1:0] app_enable_i,

  input  logic [       Width-1:0] s_axis_rx_tdata,
  input  logic [       Lanes-1:0] s_axis_rx_tkeep,
  input  logic                    s_axis_rx_tlast,
  input  logic                    s_axis_rx_tuser,
  input  logic                    s_axis_rx_tvalid,
  output logic                    s_axis_rx_tready,
  output logic [       Width-1:0] m_axis_tx_tdata,
  output logic [       Lanes-1:0] m_axis_tx_tkeep,
  output logic                    m_axis_tx_tlast,
  output logic                    m_axis_tx_tvalid,
  input  logic                    m_axis_tx_tready,

  input  logic [   AxilWidth-1:0] s_axil_awaddr,
  input  logic [             2:0] s_axil_awprot,
  input  logic                    s_axil_awvalid,
  output logic                    s_axil_awready,
  input  logic [            31:0] s_axil_wdata,
  input  logic [             3:0] s_axil_wstrb,
  input  logic                    s_axil_wvalid,
  output logic                    s_axil_wready,
  output logic [             1:0] s_axil_bresp,
  output logic                    s_axil_bvalid,
  input  logic                    s_axil_bready,
  input  logic [   AxilWidth-1:0] s_axil_araddr,
  input  logic [             2:0] s_axil_arprot,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [            31:0] s_axil_rdata,
  output logic [             1:0] s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready,

  // Memory of connection state, and of payload.
  output logic [MemoryIdWidth-1:0] m_axi_state_awid,
  output logic [MemoryAddressWidth-1:0] m_axi_state_awaddr,
  output logic [7:0] m_axi_state_awlen,
  output logic [2:0] m_axi_state_awsize,
  output logic [1:0] m_axi_state_awburst,
  output logic  m_axi_state_awvalid,
  input  logic  m_axi_state_awready,
  output logic [StateWidth-1:0] m_axi_state_wdata,
  output logic [StateWidth/8-1:0] m_axi_state_wstrb,
  output logic  m_axi_state_wlast,
  output logic  m_axi_state_wvalid,
  input  logic  m_axi_state_wready,
  input  logic [MemoryIdWidth-1:0] m_axi_state_bid,
  input  logic [1:0] m_axi_state_bresp,
  input  logic  m_axi_state_bvalid,
  output logic  m_axi_state_bready,
  output logic [MemoryIdWidth-1:0] m_axi_state_arid,
  output logic [MemoryAddressWidth-1:0] m_axi_state_araddr,
  output logic [7:0] m_axi_state_arlen,
  output logic [2:0] m_axi_state_arsize,
  output logic [1:0] m_axi_state_arburst,
  output logic  m_axi_state_arvalid,
  input  logic  m_axi_state_arready,
  input  logic [MemoryIdWidth-1:0] m_axi_state_rid,
  input  logic [StateWidth-1:0] m_axi_state_rdata,
  input  logic [1:0] m_axi_state_rresp,
  input  logic  m_axi_state_rlast,
  input  logic  m_axi_state_rvalid,
  output logic  m_axi_state_rready,
  output logic [MemoryIdWidth-1:0] m_axi_payload_awid,
  output logic [MemoryAddressWidth-1:0] m_axi_payload_awaddr,
  output logic [7:0] m_axi_payload_awlen,
  output logic [2:0] m_axi_payload_awsize,
  output logic [1:0] m_axi_payload_awburst,
  output logic  m_axi_payload_awvalid,
  input  logic  m_axi_payload_awready,
  output logic [Width-1:0] m_axi_payload_wdata,
  output logic [Width/8-1:0] m_axi_payload_wstrb,
  output logic  m_axi_payload_wlast,
  output logic  m_axi_payload_wvalid,
  input  logic  m_axi_payload_wready,
  input  logic [MemoryIdWidth-1:0] m_axi_payload_bid,
  input  logic [1:0] m_axi_payload_bresp,
  input  logic  m_axi_payload_bvalid,
  output logic  m_axi_payload_bready,
  output logic [MemoryIdWidth-1:0] m_axi_payload_arid,
  output logic [MemoryAddressWidth-1:0] m_axi_payload_araddr,
  output logic [7:0] m_axi_payload_arlen,
  output logic [2:0] m_axi_payload_arsize,
  output logic [1:0] m_axi_payload_arburst,
  output logic  m_axi_payload_arvalid,
  input  logic  m_axi_payload_arready,
  input  logic [MemoryIdWidth-1:0] m_axi_payload_rid,
  input  logic [Width-1:0] m_axi_payload_rdata,
  input  logic [1:0] m_axi_payload_rresp,
  input  logic  m_axi_payload_rlast,
  input  logic  m_axi_payload_rvalid,
  output logic  m_axi_payload_rready,

  // Another application (docs/application_interface.md).
  input  logic [             3:0] s_app_command_op,
  input  logic [             7:0] s_app_command_tag,
  input  logic [            23:0] s_app_command_session,
  input  logic [            15:0] s_app_command_local_port,
  input  logic [            31:0] s_app_command_remote_ip,
  input  logic [            15:0] s_app_command_remote_port,
  input  logic [            31:0] s_app_command_value,
  input  logic                    s_app_command_valid,
  output logic                    s_app_command_ready,
  output logic [             3:0] m_app_event_kind,
  output logic [             7:0] m_app_event_tag,
  output logic [             3:0] m_app_event_result,
  output logic [            23:0] m_app_event_session,
  output logic [            15:0] m_app_event_local_port,
  output logic [            31:0] m_app_event_remote_ip,
  output logic [            15:0] m_app_event_remote_port,
  output logic [            31:0] m_app_event_value,
  output logic                    m_app_event_valid,
  input  logic                    m_app_event_ready,
  output logic [            23:0] m_app_rx_query_session,
  output logic [            15:0] m_app_rx_query_length,
  output logic                    m_app_rx_query_valid,
  input  logic                    m_app_rx_query_ready,
  input  logic [            15:0] s_app_rx_grant_length,
  input  logic                    s_app_rx_grant_valid,
  output logic                    s_app_rx_grant_ready,
  output logic [            23:0] m_app_rx_session,
  output logic [       Width-1:0] m_app_rx_data,
  output logic [       Lanes-1:0] m_app_rx_keep,
  output logic                    m_app_rx_last,
  output logic                    m_app_rx_error,
  output logic                    m_app_rx_valid,
  input  logic                    m_app_rx_ready,
  input  logic [            23:0] s_app_tx_request_session,
  input  logic [            15:0] s_app_tx_request_length,
  input  logic                    s_app_tx_request_valid,
  output logic                    s_app_tx_request_ready,
  output logic [             1:0] m_app_tx_status_error,
  output logic [            23:0] m_app_tx_status_session,
  output logic [            31:0] m_app_tx_status_space,
  output logic                    m_app_tx_status_valid,
  input  logic                    m_app_tx_status_ready,
  input  logic [       Width-1:0] s_app_tx_data,
  input  logic [       Lanes-1:0] s_app_tx_keep,
  input  logic                    s_app_tx_last,
  input  logic                    s_app_tx_valid,
  output logic                    s_app_tx_ready
);

  // What the source writes at once: a segment, or several on few connections, whose questions for room
  // nothing else covers, if the ring has room for them beside as many that are under way.
  localparam int SourceChunk = max_segment(Config);
  localparam int SourceLargeChunk = Config.TxRingBytes < 16384 ? SourceChunk : 4 * SourceChunk;

  // Between engine and applications.
  app_command_t command;
  logic command_valid, command_ready;
  app_event_t app_event;
  logic event_valid, event_ready;
  app_offer_t query;
  logic query_valid, query_ready;
  logic [15:0] grant_length;
  logic grant_valid, grant_ready;
  app_id_t rx_app;
  session_t rx_session;
  logic [Width-1:0] rx_data, tx_data;
  logic [Lanes-1:0] rx_keep, tx_keep;
  logic rx_last, rx_error, rx_valid, rx_ready, tx_last, tx_error, tx_valid, tx_ready;
  app_offer_t tx_request;
  logic tx_request_valid, tx_request_ready;
  tx_status_t tx_status;
  logic tx_status_valid, tx_status_ready;

  logic visit_valid;
  toehold_counters_pkg::counter_e visit_index;
  logic [31:0] visit_total;
  toe_gauges_t gauges;
  app_statistics_t statistics;

  toe #(
    .Preset   (Preset),
    .DataWidth(DataWidth),
    .StateWidth(StateWidth)
  ) toe (
    .clk,
    .rst,
    .now_us,
    .s_axis_rx_tdata,
    .s_axis_rx_tkeep,
    .s_axis_rx_tlast,
    .s_axis_rx_tuser,
    .s_axis_rx_tvalid,
    .s_axis_rx_tready,
    .m_axis_tx_tdata,
    .m_axis_tx_tkeep,
    .m_axis_tx_tlast,
    .m_axis_tx_tvalid,
    .m_axis_tx_tready,
    .s_app_command         (command),
    .s_app_command_valid   (command_valid),
    .s_app_command_ready   (command_ready),
    .m_app_event           (app_event),
    .m_app_event_valid     (event_valid),
    .m_app_event_ready     (event_ready),
    .m_app_query           (query),
    .m_app_query_valid     (query_valid),
    .m_app_query_ready     (query_ready),
    .s_app_grant_length    (grant_length),
    .s_app_grant_valid     (grant_valid),
    .s_app_grant_ready     (grant_ready),
    .m_app_rx_app          (rx_app),
    .m_app_rx_session      (rx_session),
    .m_app_rx_data         (rx_data),
    .m_app_rx_keep         (rx_keep),
    .m_app_rx_last         (rx_last),
    .m_app_rx_error        (rx_error),
    .m_app_rx_valid        (rx_valid),
    .m_app_rx_ready        (rx_ready),
    .s_app_tx_request      (tx_request),
    .s_app_tx_request_valid(tx_request_valid),
    .s_app_tx_request_ready(tx_request_ready),
    .m_app_tx_status       (tx_status),
    .m_app_tx_status_valid (tx_status_valid),
    .m_app_tx_status_ready (tx_status_ready),
    .s_app_tx_data         (tx_data),
    .s_app_tx_keep         (tx_keep),
    .s_app_tx_last         (tx_last),
    .s_app_tx_error        (tx_error),
    .s_app_tx_valid        (tx_valid),
    .s_app_tx_ready        (tx_ready),
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .m_axi_state_awid,
    .m_axi_state_awaddr,
    .m_axi_state_awlen,
    .m_axi_state_awsize,
    .m_axi_state_awburst,
    .m_axi_state_awvalid,
    .m_axi_state_awready,
    .m_axi_state_wdata,
    .m_axi_state_wstrb,
    .m_axi_state_wlast,
    .m_axi_state_wvalid,
    .m_axi_state_wready,
    .m_axi_state_bid,
    .m_axi_state_bresp,
    .m_axi_state_bvalid,
    .m_axi_state_bready,
    .m_axi_state_arid,
    .m_axi_state_araddr,
    .m_axi_state_arlen,
    .m_axi_state_arsize,
    .m_axi_state_arburst,
    .m_axi_state_arvalid,
    .m_axi_state_arready,
    .m_axi_state_rid,
    .m_axi_state_rdata,
    .m_axi_state_rresp,
    .m_axi_state_rlast,
    .m_axi_state_rvalid,
    .m_axi_state_rready,
    .m_axi_payload_awid,
    .m_axi_payload_awaddr,
    .m_axi_payload_awlen,
    .m_axi_payload_awsize,
    .m_axi_payload_awburst,
    .m_axi_payload_awvalid,
    .m_axi_payload_awready,
    .m_axi_payload_wdata,
    .m_axi_payload_wstrb,
    .m_axi_payload_wlast,
    .m_axi_payload_wvalid,
    .m_axi_payload_wready,
    .m_axi_payload_bid,
    .m_axi_payload_bresp,
    .m_axi_payload_bvalid,
    .m_axi_payload_bready,
    .m_axi_payload_arid,
    .m_axi_payload_araddr,
    .m_axi_payload_arlen,
    .m_axi_payload_arsize,
    .m_axi_payload_arburst,
    .m_axi_payload_arvalid,
    .m_axi_payload_arready,
    .m_axi_payload_rid,
    .m_axi_payload_rdata,
    .m_axi_payload_rresp,
    .m_axi_payload_rlast,
    .m_axi_payload_rvalid,
    .m_axi_payload_rready,
    .visit_valid_o         (visit_valid),
    .visit_index_o         (visit_index),
    .visit_total_o         (visit_total),
    .gauges_o              (gauges)
  );

  statistics_collector collector (
    .clk,
    .rst,
    .now_us,
    .visit_valid_i(visit_valid),
    .visit_index_i(visit_index),
    .visit_total_i(visit_total),
    .gauges_i     (gauges),
    .statistics_o (statistics)
  );

  // The external application, field by field. The switch says which application it is.
  app_command_t ext_command;
  app_offer_t ext_tx_request;
  // Their field `app` is the switch's own.
  // verilator lint_off UNUSEDSIGNAL
  app_event_t ext_event;
  app_offer_t ext_query;
  tx_status_t ext_tx_status;
  // verilator lint_on UNUSEDSIGNAL

  assign ext_command = '{
      op: app_command_e'(s_app_command_op),
      tag: s_app_command_tag,
      app: '0,
      session: s_app_command_session,
      local_port: s_app_command_local_port,
      remote_ip: s_app_command_remote_ip,
      remote_port: s_app_command_remote_port,
      value: s_app_command_value
  };
  assign m_app_event_kind = ext_event.kind;
  assign m_app_event_tag = ext_event.tag;
  assign m_app_event_result = ext_event.result;
  assign m_app_event_session = ext_event.session;
  assign m_app_event_local_port = ext_event.local_port;
  assign m_app_event_remote_ip = ext_event.remote_ip;
  assign m_app_event_remote_port = ext_event.remote_port;
  assign m_app_event_value = ext_event.value;
  assign m_app_rx_query_session = ext_query.session;
  assign m_app_rx_query_length = ext_query.length;
  assign ext_tx_request = '{
      tentative: 1'b0,
      partial: 1'b0,
      app: '0,
      session: s_app_tx_request_session,
      length: s_app_tx_request_length
  };
  assign m_app_tx_status_error = ext_tx_status.error;
  assign m_app_tx_status_session = ext_tx_status.session;
  assign m_app_tx_status_space = ext_tx_status.space;

  server_apps #(
    .DataWidth  (Width),
    .Connections(Config.Connections),
    .CutThrough (Config.CutThrough != 0),
    .SourceChunk(SourceChunk),
    .SourceLargeChunk(SourceLargeChunk),
    .Keys       (Keys)
  ) apps (
    .clk,
    .rst,
    .enable_i              (app_enable_i),
    .statistics_i          (statistics),
    .ext_event_lost_o      (),
    .m_command             (command),
    .m_command_valid       (command_valid),
    .m_command_ready       (command_ready),
    .s_event               (app_event),
    .s_event_valid         (event_valid),
    .s_event_ready         (event_ready),
    .s_query               (query),
    .s_query_valid         (query_valid),
    .s_query_ready         (query_ready),
    .m_grant_length        (grant_length),
    .m_grant_valid         (grant_valid),
    .m_grant_ready         (grant_ready),
    .s_rx_session          (rx_session),
    .s_rx_app              (rx_app),
    .s_rx_data             (rx_data),
    .s_rx_keep             (rx_keep),
    .s_rx_last             (rx_last),
    .s_rx_error            (rx_error),
    .s_rx_valid            (rx_valid),
    .s_rx_ready            (rx_ready),
    .m_tx_request          (tx_request),
    .m_tx_request_valid    (tx_request_valid),
    .m_tx_request_ready    (tx_request_ready),
    .s_tx_status           (tx_status),
    .s_tx_status_valid     (tx_status_valid),
    .s_tx_status_ready     (tx_status_ready),
    .m_tx_data             (tx_data),
    .m_tx_keep             (tx_keep),
    .m_tx_last             (tx_last),
    .m_tx_error            (tx_error),
    .m_tx_valid            (tx_valid),
    .m_tx_ready            (tx_ready),
    .s_ext_command         (ext_command),
    .s_ext_command_valid   (s_app_command_valid),
    .s_ext_command_ready   (s_app_command_ready),
    .m_ext_event           (ext_event),
    .m_ext_event_valid     (m_app_event_valid),
    .m_ext_event_ready     (m_app_event_ready),
    .m_ext_query           (ext_query),
    .m_ext_query_valid     (m_app_rx_query_valid),
    .m_ext_query_ready     (m_app_rx_query_ready),
    .s_ext_grant_length    (s_app_rx_grant_length),
    .s_ext_grant_valid     (s_app_rx_grant_valid),
    .s_ext_grant_ready     (s_app_rx_grant_ready),
    .m_ext_rx_session      (m_app_rx_session),
    .m_ext_rx_data         (m_app_rx_data),
    .m_ext_rx_keep         (m_app_rx_keep),
    .m_ext_rx_last         (m_app_rx_last),
    .m_ext_rx_error        (m_app_rx_error),
    .m_ext_rx_valid        (m_app_rx_valid),
    .m_ext_rx_ready        (m_app_rx_ready),
    .s_ext_tx_request      (ext_tx_request),
    .s_ext_tx_request_valid(s_app_tx_request_valid),
    .s_ext_tx_request_ready(s_app_tx_request_ready),
    .m_ext_tx_status       (ext_tx_status),
    .m_ext_tx_status_valid (m_app_tx_status_valid),
    .m_ext_tx_status_ready (m_app_tx_status_ready),
    .s_ext_tx_data         (s_app_tx_data),
    .s_ext_tx_keep         (s_app_tx_keep),
    .s_ext_tx_last         (s_app_tx_last),
    .s_ext_tx_valid        (s_app_tx_valid),
    .s_ext_tx_ready        (s_app_tx_ready)
  );

endmodule
