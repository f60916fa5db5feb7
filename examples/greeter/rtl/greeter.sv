// SPDX-License-Identifier: Apache-2.0

// A whole network card that greets: Toehold's engine and an application of one's own. Frames and
// registers are what a MAC and a processor, or nobody, attach to; now_us counts microseconds.
module greeter
  import app_pkg::*;
  import toe_config_pkg::*;
#(
  parameter  int          Preset    = int'(PresetSmall),  // of preset_e: one that is all on chip
  parameter  int          DataWidth = 0,                  // bits; 0: as the preset says
  localparam toe_config_t Config    = preset_config(Preset, DataWidth),
  localparam int          Width     = Config.DataWidth,
  localparam int          Lanes     = Width / 8,
  localparam int          AxilWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [         31:0] now_us,

  input  logic [    Width-1:0] s_axis_rx_tdata,
  input  logic [    Lanes-1:0] s_axis_rx_tkeep,
  input  logic                 s_axis_rx_tlast,
  input  logic                 s_axis_rx_tuser,
  input  logic                 s_axis_rx_tvalid,
  output logic                 s_axis_rx_tready,
  output logic [    Width-1:0] m_axis_tx_tdata,
  output logic [    Lanes-1:0] m_axis_tx_tkeep,
  output logic                 m_axis_tx_tlast,
  output logic                 m_axis_tx_tvalid,
  input  logic                 m_axis_tx_tready,

  input  logic [AxilWidth-1:0] s_axil_awaddr,
  input  logic [          2:0] s_axil_awprot,
  input  logic                 s_axil_awvalid,
  output logic                 s_axil_awready,
  input  logic [         31:0] s_axil_wdata,
  input  logic [          3:0] s_axil_wstrb,
  input  logic                 s_axil_wvalid,
  output logic                 s_axil_wready,
  output logic [          1:0] s_axil_bresp,
  output logic                 s_axil_bvalid,
  input  logic                 s_axil_bready,
  input  logic [AxilWidth-1:0] s_axil_araddr,
  input  logic [          2:0] s_axil_arprot,
  input  logic                 s_axil_arvalid,
  output logic                 s_axil_arready,
  output logic [         31:0] s_axil_rdata,
  output logic [          1:0] s_axil_rresp,
  output logic                 s_axil_rvalid,
  input  logic                 s_axil_rready
);

  // The channels between engine and application, by the names that the engine has for them.
  app_command_t s_app_command;
  app_event_t m_app_event;
  app_offer_t m_app_query, s_app_tx_request;
  tx_status_t m_app_tx_status;
  logic [15:0] s_app_grant_length;
  logic [Width-1:0] s_app_tx_data;
  logic [Lanes-1:0] s_app_tx_keep;
  logic s_app_command_valid, s_app_command_ready, m_app_event_valid, m_app_event_ready;
  logic m_app_query_valid, m_app_query_ready, s_app_grant_valid, s_app_grant_ready;
  logic m_app_rx_ready, s_app_tx_request_valid, s_app_tx_request_ready;
  logic m_app_tx_status_valid, m_app_tx_status_ready;
  logic s_app_tx_last, s_app_tx_valid, s_app_tx_ready;

  toe #(
    .Preset   (Preset),
    .DataWidth(DataWidth)
  ) engine (
    .*,
    // What the application throws away, and what only a statistics page would show.
    .m_app_rx_app    (),
    .m_app_rx_session(),
    .m_app_rx_data   (),
    .m_app_rx_keep   (),
    .m_app_rx_last   (),
    .m_app_rx_error  (),
    .s_app_tx_error  (1'b0),
    .m_app_rx_valid  (),
    // Memory is on chip in the presets that this is for.
    .m_axi_state_awid(),
    .m_axi_state_awaddr(),
    .m_axi_state_awlen(),
    .m_axi_state_awsize(),
    .m_axi_state_awburst(),
    .m_axi_state_awvalid(),
    .m_axi_state_awready('0),
    .m_axi_state_wdata(),
    .m_axi_state_wstrb(),
    .m_axi_state_wlast(),
    .m_axi_state_wvalid(),
    .m_axi_state_wready('0),
    .m_axi_state_bid('0),
    .m_axi_state_bresp('0),
    .m_axi_state_bvalid('0),
    .m_axi_state_bready(),
    .m_axi_state_arid(),
    .m_axi_state_araddr(),
    .m_axi_state_arlen(),
    .m_axi_state_arsize(),
    .m_axi_state_arburst(),
    .m_axi_state_arvalid(),
    .m_axi_state_arready('0),
    .m_axi_state_rid('0),
    .m_axi_state_rdata('0),
    .m_axi_state_rresp('0),
    .m_axi_state_rlast('0),
    .m_axi_state_rvalid('0),
    .m_axi_state_rready(),
    .m_axi_payload_awid(),
    .m_axi_payload_awaddr(),
    .m_axi_payload_awlen(),
    .m_axi_payload_awsize(),
    .m_axi_payload_awburst(),
    .m_axi_payload_awvalid(),
    .m_axi_payload_awready('0),
    .m_axi_payload_wdata(),
    .m_axi_payload_wstrb(),
    .m_axi_payload_wlast(),
    .m_axi_payload_wvalid(),
    .m_axi_payload_wready('0),
    .m_axi_payload_bid('0),
    .m_axi_payload_bresp('0),
    .m_axi_payload_bvalid('0),
    .m_axi_payload_bready(),
    .m_axi_payload_arid(),
    .m_axi_payload_araddr(),
    .m_axi_payload_arlen(),
    .m_axi_payload_arsize(),
    .m_axi_payload_arburst(),
    .m_axi_payload_arvalid(),
    .m_axi_payload_arready('0),
    .m_axi_payload_rid('0),
    .m_axi_payload_rdata('0),
    .m_axi_payload_rresp('0),
    .m_axi_payload_rlast('0),
    .m_axi_payload_rvalid('0),
    .m_axi_payload_rready(),
    .visit_valid_o   (),
    .visit_index_o   (),
    .visit_total_o   (),
    .gauges_o        ()
  );

  app_greeter #(
    .DataWidth  (Width),
    .Connections(Config.Connections)
  ) application (
    .clk,
    .rst,
    .m_command         (s_app_command),
    .m_command_valid   (s_app_command_valid),
    .m_command_ready   (s_app_command_ready),
    .s_event           (m_app_event),
    .s_event_valid     (m_app_event_valid),
    .s_event_ready     (m_app_event_ready),
    .s_query           (m_app_query),
    .s_query_valid     (m_app_query_valid),
    .s_query_ready     (m_app_query_ready),
    .m_grant_length    (s_app_grant_length),
    .m_grant_valid     (s_app_grant_valid),
    .m_grant_ready     (s_app_grant_ready),
    .s_rx_ready        (m_app_rx_ready),
    .m_tx_request      (s_app_tx_request),
    .m_tx_request_valid(s_app_tx_request_valid),
    .m_tx_request_ready(s_app_tx_request_ready),
    .s_tx_status       (m_app_tx_status),
    .s_tx_status_valid (m_app_tx_status_valid),
    .s_tx_status_ready (m_app_tx_status_ready),
    .m_tx_data         (s_app_tx_data),
    .m_tx_keep         (s_app_tx_keep),
    .m_tx_last         (s_app_tx_last),
    .m_tx_valid        (s_app_tx_valid),
    .m_tx_ready        (s_app_tx_ready)
  );

endmodule
