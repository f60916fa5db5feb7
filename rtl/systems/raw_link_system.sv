// SPDX-License-Identifier: Apache-2.0

// The raw link with two applications: a small processor is application 0, the pong in hardware is
// application 1.
//
// The processor's port is PicoRV32's (valid, address, data, strobes; ready and data) with its look at
// the next access a clock ahead; simulation/rtl has both together.
//
//   0x0000_0000  local memory
//   0x4000_0000  raw_link_registers
//
// Latency    as raw_link; an access is answered in the clock of its request, unless it waits for the
//            raw link (raw_link_registers).
// Throughput as raw_link; of the processor's frames, what its program can move.
// Paths      as raw_link; cpu_ready_o and cpu_data_o follow the request and the raw link.
//
// rst is for all; cpu_rst_i keeps the processor's side in reset, while load_* writes local memory, a
// word a clock. Frames for application 0 wait until it runs, and all others behind them.
module raw_link_system
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int MacWidth   = 8,
  parameter  int LocalBytes = 16 * 1024,
  localparam int MacLanes   = MacWidth / 8
) (
  input  logic                clk,
  input  logic                rst,

  input  mac_address_t        mac_i,

  input  logic [MacWidth-1:0] s_axis_rx_tdata,
  input  logic [MacLanes-1:0] s_axis_rx_tkeep,
  input  logic                s_axis_rx_tlast,
  input  logic                s_axis_rx_tuser,
  input  logic                s_axis_rx_tvalid,
  output logic                s_axis_rx_tready,

  output logic [MacWidth-1:0] m_axis_tx_tdata,
  output logic [MacLanes-1:0] m_axis_tx_tkeep,
  output logic                m_axis_tx_tlast,
  output logic                m_axis_tx_tvalid,
  input  logic                m_axis_tx_tready,

  input  logic                cpu_rst_i,
  input  logic                cpu_valid_i,
  input  logic [        31:0] cpu_address_i,
  input  logic [        31:0] cpu_data_i,
  input  logic [         3:0] cpu_strobe_i,
  input  logic                cpu_next_reads_i,
  input  logic [        31:0] cpu_next_address_i,
  output logic                cpu_ready_o,
  output logic [        31:0] cpu_data_o,

  input  logic                load_valid_i,
  input  logic [        31:0] load_address_i,
  input  logic [        31:0] load_data_i,

  output raw_link_counters_t  counts_o
);

  localparam int Apps = 2;
  localparam int Processor = 0;
  localparam int Pong = 1;
  localparam int DataWidth = 32;  // that of the processor
  localparam int Lanes = DataWidth / 8;

  delivery_t in_head;
  logic [Apps-1:0] in_head_valid, in_head_ready, in_valid, in_ready;
  logic [DataWidth-1:0] in_data;
  logic [Lanes-1:0] in_keep;
  logic in_last;
  transmit_t [Apps-1:0] out_head;
  logic [Apps-1:0] out_head_valid, out_head_ready, out_last, out_valid, out_ready;
  logic [Apps-1:0][DataWidth-1:0] out_data;
  logic [Apps-1:0][Lanes-1:0] out_keep;
  // Neither asks for acknowledgements.
  acknowledged_t unused_acknowledged;
  logic unused_acknowledged_valid;

  raw_link #(
    .MacWidth (MacWidth),
    .DataWidth(DataWidth),
    .Apps     (Apps)
  ) link (
    .clk,
    .rst,
    .mac_i,
    .forget_i            (1'b0),
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
    .m_app_head          (in_head),
    .m_app_head_valid    (in_head_valid),
    .m_app_head_ready    (in_head_ready),
    .m_app_data          (in_data),
    .m_app_keep          (in_keep),
    .m_app_last          (in_last),
    .m_app_valid         (in_valid),
    .m_app_ready         (in_ready),
    .s_app_head          (out_head),
    .s_app_head_valid    (out_head_valid),
    .s_app_head_ready    (out_head_ready),
    .s_app_data          (out_data),
    .s_app_keep          (out_keep),
    .s_app_last          (out_last),
    .s_app_valid         (out_valid),
    .s_app_ready         (out_ready),
    .m_acknowledged      (unused_acknowledged),
    .m_acknowledged_valid(unused_acknowledged_valid),
    .counts_o
  );

  raw_link_pong #(
    .DataWidth(DataWidth)
  ) pong (
    .clk,
    .rst,
    .m_app_head      (in_head),
    .m_app_head_valid(in_head_valid[Pong]),
    .m_app_head_ready(in_head_ready[Pong]),
    .m_app_data      (in_data),
    .m_app_keep      (in_keep),
    .m_app_last      (in_last),
    .m_app_valid     (in_valid[Pong]),
    .m_app_ready     (in_ready[Pong]),
    .s_app_head      (out_head[Pong]),
    .s_app_head_valid(out_head_valid[Pong]),
    .s_app_head_ready(out_head_ready[Pong]),
    .s_app_data      (out_data[Pong]),
    .s_app_keep      (out_keep[Pong]),
    .s_app_last      (out_last[Pong]),
    .s_app_valid     (out_valid[Pong]),
    .s_app_ready     (out_ready[Pong])
  );

  logic register_select, register_ready;
  logic [31:0] local_data, register_data;

  assign register_select = cpu_valid_i && cpu_address_i[30];

  raw_link_registers registers (
    .clk,
    .rst             (cpu_rst_i),
    .cpu_valid_i     (register_select),
    .cpu_address_i   (cpu_address_i[4:2]),
    .cpu_write_i     (cpu_strobe_i != '0),
    .cpu_data_i,
    .cpu_ready_o     (register_ready),
    .cpu_data_o      (register_data),
    .m_app_head      (in_head),
    .m_app_head_valid(in_head_valid[Processor]),
    .m_app_head_ready(in_head_ready[Processor]),
    .m_app_data      (in_data),
    .m_app_keep      (in_keep),
    .m_app_last      (in_last),
    .m_app_valid     (in_valid[Processor]),
    .m_app_ready     (in_ready[Processor]),
    .s_app_head      (out_head[Processor]),
    .s_app_head_valid(out_head_valid[Processor]),
    .s_app_head_ready(out_head_ready[Processor]),
    .s_app_data      (out_data[Processor]),
    .s_app_keep      (out_keep[Processor]),
    .s_app_last      (out_last[Processor]),
    .s_app_valid     (out_valid[Processor]),
    .s_app_ready     (out_ready[Processor])
  );

  local_memory #(
    .Bytes(LocalBytes)
  ) memory (
    .clk,
    .cpu_select_i(cpu_valid_i && !cpu_address_i[30]),
    .cpu_address_i,
    .cpu_data_i,
    .cpu_strobe_i,
    .cpu_next_reads_i,
    .cpu_next_address_i,
    .cpu_data_o  (local_data),
    .load_valid_i,
    .load_address_i,
    .load_data_i
  );

  assign cpu_ready_o = cpu_address_i[30] ? register_ready : cpu_valid_i;
  assign cpu_data_o  = cpu_address_i[30] ? register_data : local_data;

endmodule
