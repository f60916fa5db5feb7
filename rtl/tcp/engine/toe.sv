// SPDX-License-Identifier: Apache-2.0

// The engine: Ethernet frames on one side, the application interface on the other, registers.
//
// s_axis_rx, m_axis_tx   Ethernet frames without FCS, byte 0 in lane 0; tuser at tlast marks a frame
//                        the MAC found bad
// s_app_*, m_app_*       the application (docs/application_interface.md)
// s_axil_*               registers (registers/generated/registers.md)
// m_axi_state_*          AXI4 memory of connection state: lines of 64 bytes
// m_axi_payload_*        AXI4 memory of payload rings
// now_us                 the time in microseconds; may jump forward, goes round
// visit_*                all counters in turn, for an application that shows them
module toe
  import net_headers_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import toe_config_pkg::*;
  import toe_counters_pkg::*;
  import toe_registers_pkg::*;
  import line_memory_pkg::*;
  import burst_memory_pkg::*;
#(
  parameter  int          Preset    = int'(PresetSmall),  // of preset_e
  parameter  int          DataWidth = 0,                  // bits; 0: as the preset says
  parameter  toe_config_t Config    = preset_config(Preset, DataWidth),
  parameter  int          StateWidth = 512,               // bits of m_axi_state, 64 to 512
  localparam int          Width     = Config.DataWidth,
  localparam int          Lanes     = Width / 8,
  localparam int          LinePorts = line_clients(Config.TxPageBytes, Config.RxPageBytes),
  localparam int          AxilWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input  logic                               clk,
  input  logic                               rst,

  input  logic         [               31:0] now_us,

  input  logic         [          Width-1:0] s_axis_rx_tdata,
  input  logic         [          Lanes-1:0] s_axis_rx_tkeep,
  input  logic                               s_axis_rx_tlast,
  input  logic                               s_axis_rx_tuser,
  input  logic                               s_axis_rx_tvalid,
  output logic                               s_axis_rx_tready,
  output logic         [          Width-1:0] m_axis_tx_tdata,
  output logic         [          Lanes-1:0] m_axis_tx_tkeep,
  output logic                               m_axis_tx_tlast,
  output logic                               m_axis_tx_tvalid,
  input  logic                               m_axis_tx_tready,

  input  app_command_t                       s_app_command,
  input  logic                               s_app_command_valid,
  output logic                               s_app_command_ready,
  output app_event_t                         m_app_event,
  output logic                               m_app_event_valid,
  input  logic                               m_app_event_ready,
  output app_offer_t                         m_app_query,
  output logic                               m_app_query_valid,
  input  logic                               m_app_query_ready,
  input  logic         [               15:0] s_app_grant_length,
  input  logic                               s_app_grant_valid,
  output logic                               s_app_grant_ready,
  output app_id_t                            m_app_rx_app,
  output session_t                           m_app_rx_session,
  output logic         [          Width-1:0] m_app_rx_data,
  output logic         [          Lanes-1:0] m_app_rx_keep,
  output logic                               m_app_rx_last,
  output logic                               m_app_rx_error,
  output logic                               m_app_rx_valid,
  input  logic                               m_app_rx_ready,
  input  app_offer_t                         s_app_tx_request,
  input  logic                               s_app_tx_request_valid,
  output logic                               s_app_tx_request_ready,
  output tx_status_t                         m_app_tx_status,
  output logic                               m_app_tx_status_valid,
  input  logic                               m_app_tx_status_ready,
  input  logic         [          Width-1:0] s_app_tx_data,
  input  logic         [          Lanes-1:0] s_app_tx_keep,
  input  logic                               s_app_tx_last,
  input  logic                               s_app_tx_error,
  input  logic                               s_app_tx_valid,
  output logic                               s_app_tx_ready,

  input  logic         [      AxilWidth-1:0] s_axil_awaddr,
  input  logic         [                2:0] s_axil_awprot,
  input  logic                               s_axil_awvalid,
  output logic                               s_axil_awready,
  input  logic         [               31:0] s_axil_wdata,
  input  logic         [                3:0] s_axil_wstrb,
  input  logic                               s_axil_wvalid,
  output logic                               s_axil_wready,
  output logic         [                1:0] s_axil_bresp,
  output logic                               s_axil_bvalid,
  input  logic                               s_axil_bready,
  input  logic         [      AxilWidth-1:0] s_axil_araddr,
  input  logic         [                2:0] s_axil_arprot,
  input  logic                               s_axil_arvalid,
  output logic                               s_axil_arready,
  output logic         [               31:0] s_axil_rdata,
  output logic         [                1:0] s_axil_rresp,
  output logic                               s_axil_rvalid,
  input  logic                               s_axil_rready,

  // Memory; quiet where a configuration keeps on chip what would lie there.
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

  output logic                               visit_valid_o,
  output toehold_counters_pkg::counter_e     visit_index_o,
  output logic         [               31:0] visit_total_o,
  output toe_gauges_t                        gauges_o
);

  if (Width != 64 && Width != 128 && Width != 256 && Width != 512) begin : gen_check_width
    $error("DataWidth must be 64, 128, 256 or 512 bits.");
  end
  if (Config.TxRingBytes > 1048576 || Config.RxRingBytes > 1048576) begin : gen_check_rings
    $error("TxRingBytes and RxRingBytes must be 1 MiB at most.");
  end
  if (Config.Mtu < 576 || Config.Mtu > 9216) begin : gen_check_mtu
    $error("Mtu must be 576 to 9216 bytes.");
  end
  if (Config.TxRingBytes < max_segment(Config)) begin : gen_check_tx_segment
    $error("TxRingBytes must hold a segment of the largest size (Mtu - 40).");
  end
  if (receive_room(Config) < max_segment(Config)) begin : gen_check_rx_segment
    $error("RxRingBytes, less a page of it, must hold a segment of the largest size (Mtu - 40).");
  end

  if (Config.CutThrough != 0 && (Config.StateInDram != 0 || Config.ReorderPackets != 0))
  begin : gen_check_cut_through
    $error("CutThrough needs StateInDram = 0 and ReorderPackets = 0: segments must stay in order.");
  end

  toe_settings_t settings;
  toe_counters_t ip_counters, tcp_counters;

  toe_registers #(
    .Config      (Config),
    .Capabilities('{
      active_open: HasOpens,
      out_of_order: KeepsGaps,
      sack: HasSack,
      timestamps: HasTimestamps,
      window_scale: HasWindowScale,
      congestion_control: 1'b1,
      pacing: HasPacing,
      state_in_dram: Config.StateInDram != 0,
      default: 1'b0
    })
  ) registers (
    .clk,
    .rst,
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
    .settings_o(settings),
    .counters_i(ip_counters | tcp_counters),
    .gauges_i  (gauges_o),
    .visit_valid_o,
    .visit_index_o,
    .visit_total_o
  );

  logic [Width-1:0] tcp_data, payload_data;
  logic [Lanes-1:0] tcp_keep, payload_keep;
  logic tcp_last, tcp_error, tcp_valid, tcp_ready;
  logic payload_last, payload_valid, payload_ready;
  ip_receive_t tcp_ip;
  icmp_error_t icmp_error;
  logic icmp_error_valid, icmp_error_ready;
  ip_transmit_t ip_packet;
  logic ip_valid, ip_ready;
  logic [15:0] ip_checksum;
  logic ip_checksum_valid, ip_checksum_ready;

  ip_endpoint #(
    .DataWidth (Width),
    .ArpEntries(Config.ArpEntries),
    .Mtu       (Config.Mtu),
    .Registers (has_slow_parts(Config))
  ) ip_endpoint (
    .clk,
    .rst,
    .now_us,
    .enable_i          (settings.enable),
    .mac_i             (settings.mac_address),
    .ip_i              (settings.ip_address),
    .netmask_i         (settings.netmask),
    .gateway_i         (settings.gateway),
    .time_to_live_i    (settings.time_to_live),
    .arp_ageing_s_i    (settings.arp_ageing_seconds),
    .s_rx_data         (s_axis_rx_tdata),
    .s_rx_keep         (s_axis_rx_tkeep),
    .s_rx_last         (s_axis_rx_tlast),
    .s_rx_error        (s_axis_rx_tuser),
    .s_rx_valid        (s_axis_rx_tvalid),
    .s_rx_ready        (s_axis_rx_tready),
    .m_tx_data         (m_axis_tx_tdata),
    .m_tx_keep         (m_axis_tx_tkeep),
    .m_tx_last         (m_axis_tx_tlast),
    .m_tx_valid        (m_axis_tx_tvalid),
    .m_tx_ready        (m_axis_tx_tready),
    .m_tcp_data        (tcp_data),
    .m_tcp_keep        (tcp_keep),
    .m_tcp_last        (tcp_last),
    .m_tcp_error       (tcp_error),
    .m_tcp_ip          (tcp_ip),
    .m_tcp_valid       (tcp_valid),
    .m_tcp_ready       (tcp_ready),
    .m_icmp_error      (icmp_error),
    .m_icmp_error_valid(icmp_error_valid),
    .m_icmp_error_ready(icmp_error_ready),
    .s_ip_packet       (ip_packet),
    .s_ip_valid        (ip_valid),
    .s_ip_ready        (ip_ready),
    .s_ip_payload_data (payload_data),
    .s_ip_payload_keep (payload_keep),
    .s_ip_payload_last (payload_last),
    .s_ip_payload_valid(payload_valid),
    .s_ip_payload_ready(payload_ready),
    .s_ip_checksum     (ip_checksum),
    .s_ip_checksum_valid(ip_checksum_valid),
    .s_ip_checksum_ready(ip_checksum_ready),
    .counts_o          (ip_counters)
  );

  line_request_t [LinePorts-1:0] line_request;
  logic [LinePorts-1:0] line_request_valid, line_request_ready, line_response_valid;
  line_response_t line_response;

  burst_t [1:0] ring_read_burst;
  logic [1:0] ring_read_burst_valid;
  logic [1:0] ring_read_burst_ready;
  logic [Width-1:0] ring_read_data;
  logic [1:0] ring_read_valid;
  burst_t [1:0] ring_write_burst;
  logic [1:0] ring_write_burst_valid;
  logic [1:0] ring_write_burst_ready;
  logic [1:0][Width-1:0] ring_write_data;
  logic [1:0][Lanes-1:0] ring_write_strobe;
  logic [1:0] ring_write_last;
  logic [1:0] ring_write_valid;
  logic [1:0] ring_write_ready;
  logic [1:0] ring_written;

  tcp_engine #(
    .Config(Config)
  ) tcp_engine (
    .clk,
    .rst,
    .now_us,
    .settings_i     (settings),
    .s_ip           (tcp_ip),
    .s_data         (tcp_data),
    .s_keep         (tcp_keep),
    .s_last         (tcp_last),
    .s_error        (tcp_error),
    .s_valid        (tcp_valid),
    .s_ready        (tcp_ready),
    .s_icmp         (icmp_error),
    .s_icmp_valid   (icmp_error_valid),
    .s_icmp_ready   (icmp_error_ready),
    .m_ip_packet    (ip_packet),
    .m_ip_valid     (ip_valid),
    .m_ip_ready     (ip_ready),
    .m_payload_data (payload_data),
    .m_payload_keep (payload_keep),
    .m_payload_last (payload_last),
    .m_payload_valid(payload_valid),
    .m_payload_ready(payload_ready),
    .m_checksum     (ip_checksum),
    .m_checksum_valid(ip_checksum_valid),
    .m_checksum_ready(ip_checksum_ready),
    .s_app_command,
    .s_app_command_valid,
    .s_app_command_ready,
    .m_app_event,
    .m_app_event_valid,
    .m_app_event_ready,
    .m_app_query,
    .m_app_query_valid,
    .m_app_query_ready,
    .s_app_grant_length,
    .s_app_grant_valid,
    .s_app_grant_ready,
    .m_app_rx_app,
    .m_app_rx_session,
    .m_app_rx_data,
    .m_app_rx_keep,
    .m_app_rx_last,
    .m_app_rx_error,
    .m_app_rx_valid,
    .m_app_rx_ready,
    .s_app_tx_request,
    .s_app_tx_request_valid,
    .s_app_tx_request_ready,
    .m_app_tx_status,
    .m_app_tx_status_valid,
    .m_app_tx_status_ready,
    .s_app_tx_data,
    .s_app_tx_keep,
    .s_app_tx_last,
    .s_app_tx_error,
    .s_app_tx_valid,
    .s_app_tx_ready,
    .m_line_request (line_request),
    .m_line_request_valid(line_request_valid),
    .m_line_request_ready(line_request_ready),
    .s_line_response     (line_response),
    .s_line_response_valid(line_response_valid),
    .m_read_burst(ring_read_burst),
    .m_read_burst_valid(ring_read_burst_valid),
    .m_read_burst_ready(ring_read_burst_ready),
    .s_read_data(ring_read_data),
    .s_read_valid(ring_read_valid),
    .m_write_burst(ring_write_burst),
    .m_write_burst_valid(ring_write_burst_valid),
    .m_write_burst_ready(ring_write_burst_ready),
    .m_write_data(ring_write_data),
    .m_write_strobe(ring_write_strobe),
    .m_write_last(ring_write_last),
    .m_write_valid(ring_write_valid),
    .m_write_ready(ring_write_ready),
    .written_i(ring_written),
    .counters_o     (tcp_counters),
    .gauges_o
  );

  // ---- Memory

  if (Config.StateInDram != 0) begin : gen_state_memory
    // The parts of the clients, one behind the other.
    logic [LinePorts-1:0][MemoryAddressWidth-1:0] line_base;
    logic unused_read_error, unused_write_error;

    for (genvar i = 0; i < LinePorts; i++) begin : gen_base
      assign line_base[i] = MemoryAddressWidth'(i * LinesPerConnection * LineBytes)
          * MemoryAddressWidth'(Config.Connections);
    end

    axi_line_master #(
      .Clients     (LinePorts),
      .DataWidth   (StateWidth),
      .AddressWidth(MemoryAddressWidth),
      .Outstanding (2 ** MemoryIdWidth),
      .IdWidth     (MemoryIdWidth)
    ) state_memory (
      .clk,
      .rst,
      .base_i          (line_base),
      .s_request       (line_request),
      .s_request_valid (line_request_valid),
      .s_request_ready (line_request_ready),
      .m_response      (line_response),
      .m_response_valid(line_response_valid),
      .read_error_o    (unused_read_error),
      .write_error_o   (unused_write_error),
      .m_axi_awid(m_axi_state_awid),
      .m_axi_awaddr(m_axi_state_awaddr),
      .m_axi_awlen(m_axi_state_awlen),
      .m_axi_awsize(m_axi_state_awsize),
      .m_axi_awburst(m_axi_state_awburst),
      .m_axi_awvalid(m_axi_state_awvalid),
      .m_axi_awready(m_axi_state_awready),
      .m_axi_wdata(m_axi_state_wdata),
      .m_axi_wstrb(m_axi_state_wstrb),
      .m_axi_wlast(m_axi_state_wlast),
      .m_axi_wvalid(m_axi_state_wvalid),
      .m_axi_wready(m_axi_state_wready),
      .m_axi_bid(m_axi_state_bid),
      .m_axi_bresp(m_axi_state_bresp),
      .m_axi_bvalid(m_axi_state_bvalid),
      .m_axi_bready(m_axi_state_bready),
      .m_axi_arid(m_axi_state_arid),
      .m_axi_araddr(m_axi_state_araddr),
      .m_axi_arlen(m_axi_state_arlen),
      .m_axi_arsize(m_axi_state_arsize),
      .m_axi_arburst(m_axi_state_arburst),
      .m_axi_arvalid(m_axi_state_arvalid),
      .m_axi_arready(m_axi_state_arready),
      .m_axi_rid(m_axi_state_rid),
      .m_axi_rdata(m_axi_state_rdata),
      .m_axi_rresp(m_axi_state_rresp),
      .m_axi_rlast(m_axi_state_rlast),
      .m_axi_rvalid(m_axi_state_rvalid),
      .m_axi_rready(m_axi_state_rready)
    );
  end else begin : gen_no_state_memory
    assign line_request_ready  = '0;
    assign line_response       = '0;
    assign line_response_valid = '0;

    axi_quiet_master #(
      .DataWidth   (StateWidth),
      .AddressWidth(MemoryAddressWidth),
      .IdWidth     (MemoryIdWidth)
    ) state_memory (
      .m_axi_awid(m_axi_state_awid),
      .m_axi_awaddr(m_axi_state_awaddr),
      .m_axi_awlen(m_axi_state_awlen),
      .m_axi_awsize(m_axi_state_awsize),
      .m_axi_awburst(m_axi_state_awburst),
      .m_axi_awvalid(m_axi_state_awvalid),
      .m_axi_awready(m_axi_state_awready),
      .m_axi_wdata(m_axi_state_wdata),
      .m_axi_wstrb(m_axi_state_wstrb),
      .m_axi_wlast(m_axi_state_wlast),
      .m_axi_wvalid(m_axi_state_wvalid),
      .m_axi_wready(m_axi_state_wready),
      .m_axi_bid(m_axi_state_bid),
      .m_axi_bresp(m_axi_state_bresp),
      .m_axi_bvalid(m_axi_state_bvalid),
      .m_axi_bready(m_axi_state_bready),
      .m_axi_arid(m_axi_state_arid),
      .m_axi_araddr(m_axi_state_araddr),
      .m_axi_arlen(m_axi_state_arlen),
      .m_axi_arsize(m_axi_state_arsize),
      .m_axi_arburst(m_axi_state_arburst),
      .m_axi_arvalid(m_axi_state_arvalid),
      .m_axi_arready(m_axi_state_arready),
      .m_axi_rid(m_axi_state_rid),
      .m_axi_rdata(m_axi_state_rdata),
      .m_axi_rresp(m_axi_state_rresp),
      .m_axi_rlast(m_axi_state_rlast),
      .m_axi_rvalid(m_axi_state_rvalid),
      .m_axi_rready(m_axi_state_rready)
    );

    logic unused;
    assign unused = &{line_request, line_request_valid};
  end

  if (Config.TxRingsInDram != 0 || Config.RxRingsInDram != 0) begin : gen_payload_memory
    logic unused_error;

    axi_burst_port #(
      .DataWidth   (Width),
      .AddressWidth(MemoryAddressWidth),
      .IdWidth     (MemoryIdWidth)
    ) payload_memory (
      .clk,
      .rst,
      .s_read_burst(ring_read_burst),
      .s_read_burst_valid(ring_read_burst_valid),
      .s_read_burst_ready(ring_read_burst_ready),
      .m_read_data(ring_read_data),
      .m_read_valid(ring_read_valid),
      .s_write_burst(ring_write_burst),
      .s_write_burst_valid(ring_write_burst_valid),
      .s_write_burst_ready(ring_write_burst_ready),
      .s_write_data(ring_write_data),
      .s_write_strobe(ring_write_strobe),
      .s_write_last(ring_write_last),
      .s_write_valid(ring_write_valid),
      .s_write_ready(ring_write_ready),
      .written_o(ring_written),
      .error_o(unused_error),
      .m_axi_awid(m_axi_payload_awid),
      .m_axi_awaddr(m_axi_payload_awaddr),
      .m_axi_awlen(m_axi_payload_awlen),
      .m_axi_awsize(m_axi_payload_awsize),
      .m_axi_awburst(m_axi_payload_awburst),
      .m_axi_awvalid(m_axi_payload_awvalid),
      .m_axi_awready(m_axi_payload_awready),
      .m_axi_wdata(m_axi_payload_wdata),
      .m_axi_wstrb(m_axi_payload_wstrb),
      .m_axi_wlast(m_axi_payload_wlast),
      .m_axi_wvalid(m_axi_payload_wvalid),
      .m_axi_wready(m_axi_payload_wready),
      .m_axi_bid(m_axi_payload_bid),
      .m_axi_bresp(m_axi_payload_bresp),
      .m_axi_bvalid(m_axi_payload_bvalid),
      .m_axi_bready(m_axi_payload_bready),
      .m_axi_arid(m_axi_payload_arid),
      .m_axi_araddr(m_axi_payload_araddr),
      .m_axi_arlen(m_axi_payload_arlen),
      .m_axi_arsize(m_axi_payload_arsize),
      .m_axi_arburst(m_axi_payload_arburst),
      .m_axi_arvalid(m_axi_payload_arvalid),
      .m_axi_arready(m_axi_payload_arready),
      .m_axi_rid(m_axi_payload_rid),
      .m_axi_rdata(m_axi_payload_rdata),
      .m_axi_rresp(m_axi_payload_rresp),
      .m_axi_rlast(m_axi_payload_rlast),
      .m_axi_rvalid(m_axi_payload_rvalid),
      .m_axi_rready(m_axi_payload_rready)
    );
  end else begin : gen_no_payload_memory
    assign ring_read_burst_ready = '0;
    assign ring_read_data = '0;
    assign ring_read_valid = '0;
    assign ring_write_burst_ready = '0;
    assign ring_write_ready = '0;
    assign ring_written = '0;

    axi_quiet_master #(
      .DataWidth   (Width),
      .AddressWidth(MemoryAddressWidth),
      .IdWidth     (MemoryIdWidth)
    ) payload_memory (
      .m_axi_awid(m_axi_payload_awid),
      .m_axi_awaddr(m_axi_payload_awaddr),
      .m_axi_awlen(m_axi_payload_awlen),
      .m_axi_awsize(m_axi_payload_awsize),
      .m_axi_awburst(m_axi_payload_awburst),
      .m_axi_awvalid(m_axi_payload_awvalid),
      .m_axi_awready(m_axi_payload_awready),
      .m_axi_wdata(m_axi_payload_wdata),
      .m_axi_wstrb(m_axi_payload_wstrb),
      .m_axi_wlast(m_axi_payload_wlast),
      .m_axi_wvalid(m_axi_payload_wvalid),
      .m_axi_wready(m_axi_payload_wready),
      .m_axi_bid(m_axi_payload_bid),
      .m_axi_bresp(m_axi_payload_bresp),
      .m_axi_bvalid(m_axi_payload_bvalid),
      .m_axi_bready(m_axi_payload_bready),
      .m_axi_arid(m_axi_payload_arid),
      .m_axi_araddr(m_axi_payload_araddr),
      .m_axi_arlen(m_axi_payload_arlen),
      .m_axi_arsize(m_axi_payload_arsize),
      .m_axi_arburst(m_axi_payload_arburst),
      .m_axi_arvalid(m_axi_payload_arvalid),
      .m_axi_arready(m_axi_payload_arready),
      .m_axi_rid(m_axi_payload_rid),
      .m_axi_rdata(m_axi_payload_rdata),
      .m_axi_rresp(m_axi_payload_rresp),
      .m_axi_rlast(m_axi_payload_rlast),
      .m_axi_rvalid(m_axi_payload_rvalid),
      .m_axi_rready(m_axi_payload_rready)
    );

    logic unused;
    assign unused = &{
      ring_read_burst, ring_read_burst_valid, ring_write_burst, ring_write_burst_valid,
      ring_write_data, ring_write_strobe, ring_write_last, ring_write_valid
    };
  end

endmodule
