// SPDX-License-Identifier: Apache-2.0

// raw_link_system with PicoRV32, whose program is application 0 of the raw link.
//
// The processor starts with run_i; before, load_* writes its memory, a word a clock.
module picorv32_raw_link
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

  input  logic                run_i,
  input  logic                load_valid_i,
  input  logic [        31:0] load_address_i,
  input  logic [        31:0] load_data_i,

  output logic                trap_o,
  output raw_link_counters_t  counts_o
);

  logic stopped, valid, ready, next_reads;
  logic [31:0] address, next_address, write_data, read_data;
  logic [3:0] strobe;

  assign stopped = rst || !run_i;

  small_processor #(
    .LocalBytes(LocalBytes)
  ) processor (
    .clk,
    .rst           (stopped),
    .irq_i         (1'b0),
    .trap_o,
    .valid_o       (valid),
    .address_o     (address),
    .data_o        (write_data),
    .strobe_o      (strobe),
    .ready_i       (ready),
    .data_i        (read_data),
    .next_reads_o  (next_reads),
    .next_address_o(next_address)
  );

  raw_link_system #(
    .MacWidth  (MacWidth),
    .LocalBytes(LocalBytes)
  ) system (
    .clk,
    .rst,
    .mac_i,
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
    .cpu_rst_i         (stopped),
    .cpu_valid_i       (valid),
    .cpu_address_i     (address),
    .cpu_data_i        (write_data),
    .cpu_strobe_i      (strobe),
    .cpu_next_reads_i  (next_reads),
    .cpu_next_address_i(next_address),
    .cpu_ready_o       (ready),
    .cpu_data_o        (read_data),
    .load_valid_i,
    .load_address_i,
    .load_data_i,
    .counts_o
  );

endmodule
