// SPDX-License-Identifier: Apache-2.0

// toe with network, application and registers on `clk`, and a clock of its own for itself. Ports are
// those of toe. The time, which the test sets, is taken as it comes.
module toe_behind_edges
  import app_pkg::*;
  import toe_config_pkg::*;
  import toe_registers_pkg::*;
#(
  parameter  int EngineWidth = 128,
  parameter  int OwnClock    = 1,
  localparam int Width       = 64,
  localparam int Lanes       = Width / 8,
  localparam int AxilWidth   = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic                 engine_clk,
  input  logic                 engine_rst,
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

  input  app_command_t         s_app_command,
  input  logic                 s_app_command_valid,
  output logic                 s_app_command_ready,
  output app_event_t           m_app_event,
  output logic                 m_app_event_valid,
  input  logic                 m_app_event_ready,
  output app_offer_t           m_app_query,
  output logic                 m_app_query_valid,
  input  logic                 m_app_query_ready,
  input  logic [         15:0] s_app_grant_length,
  input  logic                 s_app_grant_valid,
  output logic                 s_app_grant_ready,
  output app_id_t              m_app_rx_app,
  output session_t             m_app_rx_session,
  output logic [    Width-1:0] m_app_rx_data,
  output logic [    Lanes-1:0] m_app_rx_keep,
  output logic                 m_app_rx_last,
  output logic                 m_app_rx_error,
  output logic                 m_app_rx_valid,
  input  logic                 m_app_rx_ready,
  input  app_offer_t           s_app_tx_request,
  input  logic                 s_app_tx_request_valid,
  output logic                 s_app_tx_request_ready,
  output tx_status_t           m_app_tx_status,
  output logic                 m_app_tx_status_valid,
  input  logic                 m_app_tx_status_ready,
  input  logic [    Width-1:0] s_app_tx_data,
  input  logic [    Lanes-1:0] s_app_tx_keep,
  input  logic                 s_app_tx_last,
  input  logic                 s_app_tx_error,
  input  logic                 s_app_tx_valid,
  output logic                 s_app_tx_ready,

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
  input  logic                 s_axil_rready,

  output toe_gauges_t          gauges_o
);

  // The engine's side of the three edges.
  `define ENGINE_PACKET(name) \
    logic [EngineWidth-1:0] name``_data; \
    logic [EngineWidth/8-1:0] name``_keep; \
    logic name``_last, name``_error, name``_valid, name``_ready;

  `ENGINE_PACKET(frame_in)
  `ENGINE_PACKET(frame_out)
  `ENGINE_PACKET(eng_rx)
  `ENGINE_PACKET(eng_tx)

  app_command_t eng_command;
  app_event_t eng_event;
  app_offer_t eng_query, eng_tx_request;
  tx_status_t eng_tx_status;
  app_id_t eng_rx_app;
  session_t eng_rx_session;
  logic [15:0] eng_grant_length;
  logic eng_command_valid, eng_command_ready, eng_event_valid, eng_event_ready;
  logic eng_query_valid, eng_query_ready, eng_grant_valid, eng_grant_ready;
  logic eng_tx_request_valid, eng_tx_request_ready, eng_tx_status_valid, eng_tx_status_ready;

  logic [AxilWidth-1:0] axil_awaddr, axil_araddr;
  logic [2:0] axil_awprot, axil_arprot;
  logic [31:0] axil_wdata, axil_rdata;
  logic [3:0] axil_wstrb;
  logic [1:0] axil_bresp, axil_rresp;
  logic axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
  logic axil_arvalid, axil_arready, axil_rvalid, axil_rready;

  network_edge #(
    .NetworkWidth   (Width),
    .EngineWidth    (EngineWidth),
    .OwnClock       (OwnClock != 0),
    .WholeFrameBeats(512)
  ) network (
    .net_clk         (clk),
    .net_rst         (rst),
    .clk             (engine_clk),
    .rst             (engine_rst),
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
    .m_axis_rx_tdata (frame_in_data),
    .m_axis_rx_tkeep (frame_in_keep),
    .m_axis_rx_tlast (frame_in_last),
    .m_axis_rx_tuser (frame_in_error),
    .m_axis_rx_tvalid(frame_in_valid),
    .m_axis_rx_tready(frame_in_ready),
    .s_axis_tx_tdata (frame_out_data),
    .s_axis_tx_tkeep (frame_out_keep),
    .s_axis_tx_tlast (frame_out_last),
    .s_axis_tx_tvalid(frame_out_valid),
    .s_axis_tx_tready(frame_out_ready)
  );

  application_edge #(
    .ApplicationWidth(Width),
    .EngineWidth     (EngineWidth),
    .OwnClock        (OwnClock != 0)
  ) application (
    .app_clk(clk),
    .app_rst(rst),
    .clk    (engine_clk),
    .rst    (engine_rst),
    .*
  );

  axi_lite_crossing #(
    .AddressWidth(AxilWidth)
  ) bus (
    .s_clk         (clk),
    .s_rst         (rst),
    .m_clk         (engine_clk),
    .m_rst         (engine_rst),
    .m_axil_awaddr (axil_awaddr),
    .m_axil_awprot (axil_awprot),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_wdata  (axil_wdata),
    .m_axil_wstrb  (axil_wstrb),
    .m_axil_wvalid (axil_wvalid),
    .m_axil_wready (axil_wready),
    .m_axil_bresp  (axil_bresp),
    .m_axil_bvalid (axil_bvalid),
    .m_axil_bready (axil_bready),
    .m_axil_araddr (axil_araddr),
    .m_axil_arprot (axil_arprot),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_rdata  (axil_rdata),
    .m_axil_rresp  (axil_rresp),
    .m_axil_rvalid (axil_rvalid),
    .m_axil_rready (axil_rready),
    .*
  );

  toe #(
    .DataWidth(EngineWidth)
  ) toe (
    .clk                   (engine_clk),
    .rst                   (engine_rst),
    .now_us,
    .s_axis_rx_tdata       (frame_in_data),
    .s_axis_rx_tkeep       (frame_in_keep),
    .s_axis_rx_tlast       (frame_in_last),
    .s_axis_rx_tuser       (frame_in_error),
    .s_axis_rx_tvalid      (frame_in_valid),
    .s_axis_rx_tready      (frame_in_ready),
    .m_axis_tx_tdata       (frame_out_data),
    .m_axis_tx_tkeep       (frame_out_keep),
    .m_axis_tx_tlast       (frame_out_last),
    .m_axis_tx_tvalid      (frame_out_valid),
    .m_axis_tx_tready      (frame_out_ready),
    .s_app_command         (eng_command),
    .s_app_command_valid   (eng_command_valid),
    .s_app_command_ready   (eng_command_ready),
    .m_app_event           (eng_event),
    .m_app_event_valid     (eng_event_valid),
    .m_app_event_ready     (eng_event_ready),
    .m_app_query           (eng_query),
    .m_app_query_valid     (eng_query_valid),
    .m_app_query_ready     (eng_query_ready),
    .s_app_grant_length    (eng_grant_length),
    .s_app_grant_valid     (eng_grant_valid),
    .s_app_grant_ready     (eng_grant_ready),
    .m_app_rx_app          (eng_rx_app),
    .m_app_rx_session      (eng_rx_session),
    .m_app_rx_data         (eng_rx_data),
    .m_app_rx_keep         (eng_rx_keep),
    .m_app_rx_last         (eng_rx_last),
    .m_app_rx_error        (eng_rx_error),
    .m_app_rx_valid        (eng_rx_valid),
    .m_app_rx_ready        (eng_rx_ready),
    .s_app_tx_request      (eng_tx_request),
    .s_app_tx_request_valid(eng_tx_request_valid),
    .s_app_tx_request_ready(eng_tx_request_ready),
    .m_app_tx_status       (eng_tx_status),
    .m_app_tx_status_valid (eng_tx_status_valid),
    .m_app_tx_status_ready (eng_tx_status_ready),
    .s_app_tx_data         (eng_tx_data),
    .s_app_tx_keep         (eng_tx_keep),
    .s_app_tx_last         (eng_tx_last),
    .s_app_tx_error        (eng_tx_error),
    .s_app_tx_valid        (eng_tx_valid),
    .s_app_tx_ready        (eng_tx_ready),
    .s_axil_awaddr         (axil_awaddr),
    .s_axil_awprot         (axil_awprot),
    .s_axil_awvalid        (axil_awvalid),
    .s_axil_awready        (axil_awready),
    .s_axil_wdata          (axil_wdata),
    .s_axil_wstrb          (axil_wstrb),
    .s_axil_wvalid         (axil_wvalid),
    .s_axil_wready         (axil_wready),
    .s_axil_bresp          (axil_bresp),
    .s_axil_bvalid         (axil_bvalid),
    .s_axil_bready         (axil_bready),
    .s_axil_araddr         (axil_araddr),
    .s_axil_arprot         (axil_arprot),
    .s_axil_arvalid        (axil_arvalid),
    .s_axil_arready        (axil_arready),
    .s_axil_rdata          (axil_rdata),
    .s_axil_rresp          (axil_rresp),
    .s_axil_rvalid         (axil_rvalid),
    .s_axil_rready         (axil_rready),
    .gauges_o
  );

endmodule
