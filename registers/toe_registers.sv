// SPDX-License-Identifier: Apache-2.0

// The register file of toehold.rdl as the engine meets it: AXI4-Lite on one side, settings,
// counters and gauges on the other.
//
// Throughput  one access at a time; a counter is read within about sixty clocks, all else at once.
// Gauges      are a clock old when they are read.
// Errors      none are signalled: what is not there reads as zero and ignores writes.
// Cuts        every path between AXI4-Lite and the engine.
module toe_registers
  import app_pkg::*;
  import net_headers_pkg::*;
  import toe_config_pkg::*;
  import toe_counters_pkg::*;
  import toe_registers_pkg::*;
  import toehold_counters_pkg::*;
#(
  parameter toe_config_t Config = SmallConfig,
  parameter toe_capabilities_t Capabilities = '0,
  localparam int AddressWidth = toehold_registers_pkg::TOEHOLD_REGISTERS_MIN_ADDR_WIDTH
) (
  input logic clk,
  input logic rst,

  input  logic [AddressWidth-1:0] s_axil_awaddr,
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
  input  logic [AddressWidth-1:0] s_axil_araddr,
  input  logic [             2:0] s_axil_arprot,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [            31:0] s_axil_rdata,
  output logic [             1:0] s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready,

  output toe_settings_t settings_o,
  input  toe_counters_t counters_i,
  input  toe_gauges_t   gauges_i,

  // Totals going round, for an application that shows them (see toe_counter_bank).
  output logic        visit_valid_o,
  output counter_e    visit_index_o,
  output logic [31:0] visit_total_o
);

  toehold_registers_pkg::toehold__in_t  from_engine;
  toehold_registers_pkg::toehold__out_t to_engine;

  logic access, access_writes, stall_write, stall_read, answer_write, answer_read;
  logic [AddressWidth-1:0] access_address;
  logic [31:0] access_data, access_enable, answer_data;
  logic unused_protection;

  assign unused_protection = ^{s_axil_awprot, s_axil_arprot};

  axil_access_port #(
    .AddressWidth(AddressWidth)
  ) access_port (
    .clk,
    .rst,
    .s_axil_awaddr,
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
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .request_o            (access),
    .request_writes_o     (access_writes),
    .request_address_o    (access_address),
    .request_data_o       (access_data),
    .request_enable_o     (access_enable),
    .request_stall_write_i(stall_write),
    .request_stall_read_i (stall_read),
    .answer_write_i       (answer_write),
    .answer_read_i        (answer_read),
    .answer_data_i        (answer_data)
  );

  // Of its own, as there are hundreds of fields.
  logic reset_q;

  always_ff @(posedge clk) reset_q <= rst;

  toehold_registers register_file (
    .clk,
    .rst                 (reset_q),
    .s_cpuif_req         (access),
    .s_cpuif_req_is_wr   (access_writes),
    .s_cpuif_addr        (access_address),
    .s_cpuif_wr_data     (access_data),
    .s_cpuif_wr_biten    (access_enable),
    .s_cpuif_req_stall_wr(stall_write),
    .s_cpuif_req_stall_rd(stall_read),
    .s_cpuif_rd_ack      (answer_read),
    .s_cpuif_rd_err      (),
    .s_cpuif_rd_data     (answer_data),
    .s_cpuif_wr_ack      (answer_write),
    .s_cpuif_wr_err      (),
    .hwif_in             (from_engine),
    .hwif_out            (to_engine)
  );

  logic [31:0] delayed_ack_us;
  logic [31:0] rto_min_us;

  // Identity: constants.
  assign from_engine.identity.capabilities.active_open.next        = Capabilities.active_open;
  assign from_engine.identity.capabilities.out_of_order.next       = Capabilities.out_of_order;
  assign from_engine.identity.capabilities.sack.next               = Capabilities.sack;
  assign from_engine.identity.capabilities.timestamps.next         = Capabilities.timestamps;
  assign from_engine.identity.capabilities.window_scale.next       = Capabilities.window_scale;
  assign from_engine.identity.capabilities.congestion_control.next =
      Capabilities.congestion_control;
  assign from_engine.identity.capabilities.state_in_dram.next      = Capabilities.state_in_dram;
  assign from_engine.identity.capabilities.payload_in_dram.next    = Capabilities.payload_in_dram;
  assign from_engine.identity.capabilities.pacing.next             = Capabilities.pacing;
  assign from_engine.identity.data_width.value.next                = Config.DataWidth;
  assign from_engine.identity.connections.value.next               = Config.Connections;
  assign from_engine.identity.tx_ring_bytes.value.next             = transmit_room(Config);
  assign from_engine.identity.rx_ring_bytes.value.next             = receive_room(Config);

  // Settings go all over the engine, so they are flip-flops that nothing else waits for, behind those that
  // are written.
  toe_settings_t settings;

  assign settings.enable             = to_engine.network.control.enable.value;
  assign settings.reset_unknown      = to_engine.network.control.reset_unknown.value;
  assign settings.reset_full         = to_engine.network.control.reset_full.value;
  assign settings.mac_address        = {
      to_engine.network.mac_high.value.value, to_engine.network.mac_low.value.value
  };
  assign settings.ip_address         = to_engine.network.ip_address.value.value;
  assign settings.netmask            = to_engine.network.netmask.value.value;
  assign settings.gateway            = to_engine.network.gateway.value.value;
  assign settings.time_to_live       = to_engine.network.time_to_live.value.value;
  assign settings.arp_ageing_seconds = to_engine.network.arp_ageing_seconds.value.value;
  assign settings.tcp.rto_initial_us = to_engine.tcp.rto_initial_us.value.value;
  assign rto_min_us = to_engine.tcp.rto_min_us.value.value;
  assign settings.tcp.rto_min_us = rto_min_us == '1 ? 32'(Config.RtoMinUs) : rto_min_us;
  assign settings.tcp.rto_max_us     = to_engine.tcp.rto_max_us.value.value;
  assign settings.tcp.time_wait_us   = to_engine.tcp.time_wait_us.value.value;
  assign delayed_ack_us = to_engine.tcp_behaviour.delayed_ack_us.value.value;
  assign settings.tcp.delayed_ack_us = delayed_ack_us == '1 ? 32'(Config.DelayedAckUs)
                                                            : delayed_ack_us;

  assign settings.tcp.user_timeout_us = to_engine.tcp_behaviour.user_timeout_us.value.value;
  assign settings.tcp.keepalive_tick_us = to_engine.tcp_behaviour.keepalive_tick_us.value.value;
  assign settings.tcp.keepalive_interval_us =
      to_engine.tcp_behaviour.keepalive_interval_us.value.value;
  assign settings.tcp.keepalive_idle = to_engine.tcp_behaviour.keepalive.idle.value;
  assign settings.tcp.keepalive_probes = to_engine.tcp_behaviour.keepalive.probes.value;
  assign settings.tcp.challenge_interval_us =
      to_engine.tcp_behaviour.challenge_interval_us.value.value;
  assign settings.tcp.window_scale = to_engine.tcp_behaviour.options.window_scale.value;
  assign settings.tcp.timestamps = to_engine.tcp_behaviour.options.timestamps.value;
  assign settings.tcp.sack = to_engine.tcp_behaviour.options.sack.value;
  assign settings.tcp.cubic_friendly = to_engine.tcp_behaviour.options.cubic_friendly.value;
  assign settings.tcp.pacing = to_engine.tcp_behaviour.options.pacing.value;
  assign settings.tcp.no_delay = !to_engine.tcp_behaviour.options.nagle.value;
  assign settings.tcp.keepalive = to_engine.tcp_behaviour.options.keepalive.value;
  assign settings.tcp.syn_retries    = to_engine.tcp.retries.syn.value;
  assign settings.tcp.syn_ack_retries = to_engine.tcp.retries.syn_ack.value;
  assign settings.tcp.data_retries   = to_engine.tcp.retries.data.value;
  assign settings.isn_secret         = {
      to_engine.tcp.isn_secret[3].value.value, to_engine.tcp.isn_secret[2].value.value,
      to_engine.tcp.isn_secret[1].value.value, to_engine.tcp.isn_secret[0].value.value
  };
  assign settings.hash_key           = {
      to_engine.tcp.hash_key[1].value.value, to_engine.tcp.hash_key[0].value.value
  };

  always_ff @(posedge clk) settings_o <= settings;

  // Gauges, in the order of tcp_state_e. They come from all over the engine, so they have registers by those
  // that are read.
  toe_gauges_t gauges_q;

  always_ff @(posedge clk) gauges_q <= gauges_i;

  assign from_engine.states.closed.count.next       = gauges_q[0];
  assign from_engine.states.syn_sent.count.next     = gauges_q[1];
  assign from_engine.states.syn_received.count.next = gauges_q[2];
  assign from_engine.states.established.count.next  = gauges_q[3];
  assign from_engine.states.fin_wait_1.count.next   = gauges_q[4];
  assign from_engine.states.fin_wait_2.count.next   = gauges_q[5];
  assign from_engine.states.close_wait.count.next   = gauges_q[6];
  assign from_engine.states.closing.count.next      = gauges_q[7];
  assign from_engine.states.last_ack.count.next     = gauges_q[8];
  assign from_engine.states.time_wait.count.next    = gauges_q[9];
  assign from_engine.states.listen.count.next       = gauges_q[GaugeListen];

  assign from_engine.state_cache.entries.value.next     = Config.StateCacheEntries;
  assign from_engine.state_cache.parked.value.next      = 32'(gauges_q[GaugeParked]);
  assign from_engine.state_cache.parked_most.value.next = 32'(gauges_q[GaugeParkedMost]);
  assign from_engine.state_cache.lines_most.value.next  = 32'(gauges_q[GaugeLinesMost]);

  assign from_engine.tuple_index.entries.value.next = Config.TupleCacheEntries;
  assign from_engine.tuple_index.stash.value.next   = 32'(gauges_q[GaugeStash]);

  assign from_engine.receive_pages.pages.value.next      = Config.RxPages;
  assign from_engine.receive_pages.free.value.next       = 32'(gauges_q[GaugeRxPagesFree]);
  assign from_engine.receive_pages.free_least.value.next = 32'(gauges_q[GaugeRxPagesLeast]);

  assign from_engine.transmit_pages.pages.value.next      = Config.TxPages;
  assign from_engine.transmit_pages.free.value.next       = 32'(gauges_q[GaugeTxPagesFree]);
  assign from_engine.transmit_pages.free_least.value.next = 32'(gauges_q[GaugeTxPagesLeast]);

  // Counters.
  toe_counter_bank counter_bank (
    .clk,
    .rst,
    .counters_i,
    .read_i      (to_engine.counters.req && !to_engine.counters.req_is_wr),
    .read_index_i(to_engine.counters.addr[8:2]),
    .read_valid_o(from_engine.counters.rd_ack),
    .read_total_o(from_engine.counters.rd_data),
    .visit_valid_o,
    .visit_index_o,
    .visit_total_o
  );

  // They cannot be written: a write is acknowledged and ignored.
  assign from_engine.counters.wr_ack = to_engine.counters.req && to_engine.counters.req_is_wr;

endmodule
