// SPDX-License-Identifier: Apache-2.0

// The engine with a gate in each channel of its application, and with memory that answers late.
//
// A query does not overtake an event that waits at its gate, so what the engine promises still holds.
module stalled_engine
  import app_pkg::*;
  import toe_config_pkg::*;
  import line_memory_pkg::*;
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
  // {writes and reads of payload, writes and reads of state, data to send, status, request, received
  //  data, grant, query, event, command}
  input  logic [         11:0] open_i,

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
  input  logic [         31:0] s_axil_wdata,
  input  logic                 s_axil_valid,  // a write, held until s_axil_done
  output logic                 s_axil_done,

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
  output app_id_t              m_rx_app,
  output session_t             m_rx_session,
  output logic [    Width-1:0] m_rx_data,
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
  input  logic [    Width-1:0] s_tx_data,
  input  logic [    Lanes-1:0] s_tx_keep,
  input  logic                 s_tx_last,
  input  logic                 s_tx_error,
  input  logic                 s_tx_valid,
  output logic                 s_tx_ready
);

  logic command_valid, command_ready, event_valid, event_ready, query_valid, query_ready;
  logic grant_valid, grant_ready, rx_valid, rx_ready, request_valid, request_ready;
  logic status_valid, status_ready, tx_valid, tx_ready;

  stall_gate command_gate (
    .clk,
    .rst,
    .open_i (open_i[0]),
    .s_valid(s_command_valid),
    .s_ready(s_command_ready),
    .m_valid(command_valid),
    .m_ready(command_ready)
  );

  stall_gate event_gate (
    .clk,
    .rst,
    .open_i (open_i[1]),
    .s_valid(event_valid),
    .s_ready(event_ready),
    .m_valid(m_event_valid),
    .m_ready(m_event_ready)
  );

  stall_gate query_gate (
    .clk,
    .rst,
    .open_i (open_i[2] && !(event_valid && !m_event_valid)),
    .s_valid(query_valid),
    .s_ready(query_ready),
    .m_valid(m_query_valid),
    .m_ready(m_query_ready)
  );

  stall_gate grant_gate (
    .clk,
    .rst,
    .open_i (open_i[3]),
    .s_valid(s_grant_valid),
    .s_ready(s_grant_ready),
    .m_valid(grant_valid),
    .m_ready(grant_ready)
  );

  stall_gate rx_gate (
    .clk,
    .rst,
    .open_i (open_i[4]),
    .s_valid(rx_valid),
    .s_ready(rx_ready),
    .m_valid(m_rx_valid),
    .m_ready(m_rx_ready)
  );

  stall_gate request_gate (
    .clk,
    .rst,
    .open_i (open_i[5]),
    .s_valid(s_tx_request_valid),
    .s_ready(s_tx_request_ready),
    .m_valid(request_valid),
    .m_ready(request_ready)
  );

  stall_gate status_gate (
    .clk,
    .rst,
    .open_i (open_i[6]),
    .s_valid(status_valid),
    .s_ready(status_ready),
    .m_valid(m_tx_status_valid),
    .m_ready(m_tx_status_ready)
  );

  stall_gate tx_gate (
    .clk,
    .rst,
    .open_i (open_i[7]),
    .s_valid(s_tx_valid),
    .s_ready(s_tx_ready),
    .m_valid(tx_valid),
    .m_ready(tx_ready)
  );

  logic [MemoryIdWidth-1:0] state_awid;
  logic [MemoryAddressWidth-1:0] state_awaddr;
  logic state_awvalid;
  logic state_awready;
  logic [512-1:0] state_wdata;
  logic [512/8-1:0] state_wstrb;
  logic state_wlast;
  logic state_wvalid;
  logic state_wready;
  logic [MemoryIdWidth-1:0] state_bid;
  logic state_bvalid;
  logic state_bready;
  logic [MemoryIdWidth-1:0] state_arid;
  logic [MemoryAddressWidth-1:0] state_araddr;
  logic [7:0] state_arlen;
  logic state_arvalid;
  logic state_arready;
  logic [MemoryIdWidth-1:0] state_rid;
  logic [512-1:0] state_rdata;
  logic state_rlast;
  logic state_rvalid;
  logic state_rready;

  logic [MemoryIdWidth-1:0] payload_awid;
  logic [MemoryAddressWidth-1:0] payload_awaddr;
  logic payload_awvalid;
  logic payload_awready;
  logic [Width-1:0] payload_wdata;
  logic [Width/8-1:0] payload_wstrb;
  logic payload_wlast;
  logic payload_wvalid;
  logic payload_wready;
  logic [MemoryIdWidth-1:0] payload_bid;
  logic payload_bvalid;
  logic payload_bready;
  logic [MemoryIdWidth-1:0] payload_arid;
  logic [MemoryAddressWidth-1:0] payload_araddr;
  logic [7:0] payload_arlen;
  logic payload_arvalid;
  logic payload_arready;
  logic [MemoryIdWidth-1:0] payload_rid;
  logic [Width-1:0] payload_rdata;
  logic payload_rlast;
  logic payload_rvalid;
  logic payload_rready;

  logic aw_done_q, w_done_q, axil_awready, axil_wready;

  always_ff @(posedge clk) begin
    aw_done_q <= s_axil_valid && !s_axil_done && (aw_done_q || axil_awready);
    w_done_q  <= s_axil_valid && !s_axil_done && (w_done_q || axil_wready);

    if (rst) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  toe #(
    .Preset   (Preset),
    .DataWidth(DataWidth)
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
    .s_app_command(s_command),
    .s_app_command_valid(command_valid),
    .s_app_command_ready(command_ready),
    .m_app_event(m_event),
    .m_app_event_valid(event_valid),
    .m_app_event_ready(event_ready),
    .m_app_query(m_query),
    .m_app_query_valid(query_valid),
    .m_app_query_ready(query_ready),
    .s_app_grant_length(s_grant_length),
    .s_app_grant_valid(grant_valid),
    .s_app_grant_ready(grant_ready),
    .m_app_rx_app(m_rx_app),
    .m_app_rx_session(m_rx_session),
    .m_app_rx_data(m_rx_data),
    .m_app_rx_keep(m_rx_keep),
    .m_app_rx_last(m_rx_last),
    .m_app_rx_error(m_rx_error),
    .m_app_rx_valid(rx_valid),
    .m_app_rx_ready(rx_ready),
    .s_app_tx_request(s_tx_request),
    .s_app_tx_request_valid(request_valid),
    .s_app_tx_request_ready(request_ready),
    .m_app_tx_status(m_tx_status),
    .m_app_tx_status_valid(status_valid),
    .m_app_tx_status_ready(status_ready),
    .s_app_tx_data(s_tx_data),
    .s_app_tx_keep(s_tx_keep),
    .s_app_tx_last(s_tx_last),
    .s_app_tx_error(s_tx_error),
    .s_app_tx_valid(tx_valid),
    .s_app_tx_ready(tx_ready),
    .s_axil_awaddr,
    .s_axil_awprot('0),
    .s_axil_awvalid(s_axil_valid && !aw_done_q),
    .s_axil_awready(axil_awready),
    .s_axil_wdata,
    .s_axil_wstrb('1),
    .s_axil_wvalid(s_axil_valid && !w_done_q),
    .s_axil_wready(axil_wready),
    .s_axil_bresp(),
    .s_axil_bvalid(s_axil_done),
    .s_axil_bready(1'b1),
    .s_axil_araddr('0),
    .s_axil_arprot('0),
    .s_axil_arvalid(1'b0),
    .s_axil_arready(),
    .s_axil_rdata(),
    .s_axil_rresp(),
    .s_axil_rvalid(),
    .s_axil_rready(1'b1),
    .m_axi_state_awid(state_awid),
    .m_axi_state_awaddr(state_awaddr),
    .m_axi_state_awlen(),
    .m_axi_state_awsize(),
    .m_axi_state_awburst(),
    .m_axi_state_awvalid(state_awvalid),
    .m_axi_state_awready(state_awready),
    .m_axi_state_wdata(state_wdata),
    .m_axi_state_wstrb(state_wstrb),
    .m_axi_state_wlast(state_wlast),
    .m_axi_state_wvalid(state_wvalid),
    .m_axi_state_wready(state_wready),
    .m_axi_state_bid(state_bid),
    .m_axi_state_bresp('0),
    .m_axi_state_bvalid(state_bvalid),
    .m_axi_state_bready(state_bready),
    .m_axi_state_arid(state_arid),
    .m_axi_state_araddr(state_araddr),
    .m_axi_state_arlen(state_arlen),
    .m_axi_state_arsize(),
    .m_axi_state_arburst(),
    .m_axi_state_arvalid(state_arvalid),
    .m_axi_state_arready(state_arready),
    .m_axi_state_rid(state_rid),
    .m_axi_state_rdata(state_rdata),
    .m_axi_state_rresp('0),
    .m_axi_state_rlast(state_rlast),
    .m_axi_state_rvalid(state_rvalid),
    .m_axi_state_rready(state_rready),
    .m_axi_payload_awid(payload_awid),
    .m_axi_payload_awaddr(payload_awaddr),
    .m_axi_payload_awlen(),
    .m_axi_payload_awsize(),
    .m_axi_payload_awburst(),
    .m_axi_payload_awvalid(payload_awvalid),
    .m_axi_payload_awready(payload_awready),
    .m_axi_payload_wdata(payload_wdata),
    .m_axi_payload_wstrb(payload_wstrb),
    .m_axi_payload_wlast(payload_wlast),
    .m_axi_payload_wvalid(payload_wvalid),
    .m_axi_payload_wready(payload_wready),
    .m_axi_payload_bid(payload_bid),
    .m_axi_payload_bresp('0),
    .m_axi_payload_bvalid(payload_bvalid),
    .m_axi_payload_bready(payload_bready),
    .m_axi_payload_arid(payload_arid),
    .m_axi_payload_araddr(payload_araddr),
    .m_axi_payload_arlen(payload_arlen),
    .m_axi_payload_arsize(),
    .m_axi_payload_arburst(),
    .m_axi_payload_arvalid(payload_arvalid),
    .m_axi_payload_arready(payload_arready),
    .m_axi_payload_rid(payload_rid),
    .m_axi_payload_rdata(payload_rdata),
    .m_axi_payload_rresp('0),
    .m_axi_payload_rlast(payload_rlast),
    .m_axi_payload_rvalid(payload_rvalid),
    .m_axi_payload_rready(payload_rready),
    .visit_valid_o(),
    .visit_index_o(),
    .visit_total_o(),
    .gauges_o()
  );

  slow_memory #(
    .DataWidth(512)
  ) state_memory (
    .clk,
    .rst,
    .read_open_i (open_i[8]),
    .write_open_i(open_i[9]),
    .s_awid(state_awid),
    .s_awaddr(state_awaddr),
    .s_awvalid(state_awvalid),
    .s_awready(state_awready),
    .s_wdata(state_wdata),
    .s_wstrb(state_wstrb),
    .s_wlast(state_wlast),
    .s_wvalid(state_wvalid),
    .s_wready(state_wready),
    .s_bid(state_bid),
    .s_bvalid(state_bvalid),
    .s_bready(state_bready),
    .s_arid(state_arid),
    .s_araddr(state_araddr),
    .s_arlen(state_arlen),
    .s_arvalid(state_arvalid),
    .s_arready(state_arready),
    .s_rid(state_rid),
    .s_rdata(state_rdata),
    .s_rlast(state_rlast),
    .s_rvalid(state_rvalid),
    .s_rready(state_rready)
  );

  slow_memory #(
    .DataWidth(Width)
  ) payload_memory (
    .clk,
    .rst,
    .read_open_i (open_i[10]),
    .write_open_i(open_i[11]),
    .s_awid(payload_awid),
    .s_awaddr(payload_awaddr),
    .s_awvalid(payload_awvalid),
    .s_awready(payload_awready),
    .s_wdata(payload_wdata),
    .s_wstrb(payload_wstrb),
    .s_wlast(payload_wlast),
    .s_wvalid(payload_wvalid),
    .s_wready(payload_wready),
    .s_bid(payload_bid),
    .s_bvalid(payload_bvalid),
    .s_bready(payload_bready),
    .s_arid(payload_arid),
    .s_araddr(payload_araddr),
    .s_arlen(payload_arlen),
    .s_arvalid(payload_arvalid),
    .s_arready(payload_arready),
    .s_rid(payload_rid),
    .s_rdata(payload_rdata),
    .s_rlast(payload_rlast),
    .s_rvalid(payload_rvalid),
    .s_rready(payload_rready)
  );

endmodule
