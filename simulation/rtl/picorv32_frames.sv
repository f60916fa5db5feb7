// SPDX-License-Identifier: Apache-2.0

// PicoRV32 with whole Ethernet frames, for a program that brings its own stack: what the raw link is
// compared with.
//
//   0x0000_0000  local memory
//   0x4000_0000  raw_link_registers: a frame is one of the raw link's without a header, its size and
//                its bytes; what else a head has is 0 and not looked at
//
// Each way frames wait whole, up to 16 KB of them. Input waits where there is no room. Frames that the
// MAC marks as bad come too: the simulated one has none. Padding is the program's part.
//
// The processor starts with run_i; before, load_* writes its memory, a word a clock.
module picorv32_frames
  import raw_link_pkg::*;
#(
  parameter  int MacWidth   = 8,
  parameter  int LocalBytes = 128 * 1024,
  localparam int MacLanes   = MacWidth / 8
) (
  input  logic                clk,
  input  logic                rst,

  input  logic [MacWidth-1:0] s_axis_rx_tdata,
  input  logic [MacLanes-1:0] s_axis_rx_tkeep,
  input  logic                s_axis_rx_tlast,
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

  output logic                trap_o
);

  localparam int DataWidth = 32;  // that of the processor
  localparam int Lanes = DataWidth / 8;
  localparam int BufferBytes = 16 * 1024;

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

  // ---- In: the raw link's other half of the buffer counts bytes --------------------------------

  logic [DataWidth-1:0] wide_data, in_data;
  logic [Lanes-1:0] wide_keep, in_keep;
  logic wide_last, wide_valid, wide_ready, in_last, in_valid, in_ready;
  raw_size_t in_size;
  delivery_t in_head;
  logic in_head_valid, in_head_ready;
  transmit_t frame_head, unused_head;
  logic unused_error, unused_head_ready, unused_drop;

  stream_widen #(
    .NarrowWidth(MacWidth),
    .WideWidth  (DataWidth)
  ) widen (
    .clk,
    .rst,
    .s_data (s_axis_rx_tdata),
    .s_keep (s_axis_rx_tkeep),
    .s_last (s_axis_rx_tlast),
    .s_error(1'b0),
    .s_valid(s_axis_rx_tvalid),
    .s_ready(s_axis_rx_tready),
    .m_data (wide_data),
    .m_keep (wide_keep),
    .m_last (wide_last),
    .m_error(unused_error),
    .m_valid(wide_valid),
    .m_ready(wide_ready)
  );

  raw_link_transmit_buffer #(
    .DataWidth  (DataWidth),
    .Apps       (1),
    .BufferBytes(BufferBytes)
  ) receive_buffer (
    .clk,
    .rst,
    .s_app_head          (frame_head),
    .s_app_head_valid    (1'b1),
    .s_app_head_ready    (unused_head_ready),
    .s_app_data          (wide_data),
    .s_app_keep          (wide_keep),
    .s_app_last          (wide_last),
    .s_app_valid         (wide_valid),
    .s_app_ready         (wide_ready),
    .m_head              (unused_head),
    .m_size              (in_size),
    .m_head_valid        (in_head_valid),
    .m_head_ready        (in_head_ready),
    .m_data              (in_data),
    .m_keep              (in_keep),
    .m_last              (in_last),
    .m_valid             (in_valid),
    .m_ready             (in_ready),
    .count_drop_tx_size_o(unused_drop)
  );

  assign frame_head = '{has_data: 1'b1, default: '0};
  assign in_head    = '{size: in_size, default: '0};

  // ---- Out -------------------------------------------------------------------------------------

  logic [DataWidth-1:0] out_data, stored_data;
  logic [Lanes-1:0] out_keep, stored_keep;
  logic out_last, out_valid, out_ready, stored_last, stored_valid, stored_ready;
  transmit_t unused_out_head;
  logic unused_out_head_valid, unused_dropped, unused_overflow;
  logic [$clog2(BufferBytes/Lanes+1)-1:0] unused_packets;

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (BufferBytes / Lanes)
  ) send_buffer (
    .clk,
    .rst,
    .s_data    (out_data),
    .s_keep    (out_keep),
    .s_last    (out_last),
    .s_error   (1'b0),
    .s_valid   (out_valid),
    .s_ready   (out_ready),
    .m_data    (stored_data),
    .m_keep    (stored_keep),
    .m_last    (stored_last),
    .m_valid   (stored_valid),
    .m_ready   (stored_ready),
    .packets_o (unused_packets),
    .dropped_o (unused_dropped),
    .overflow_o(unused_overflow)
  );

  stream_narrow #(
    .WideWidth  (DataWidth),
    .NarrowWidth(MacWidth)
  ) narrow (
    .clk,
    .rst,
    .s_data (stored_data),
    .s_keep (stored_keep),
    .s_last (stored_last),
    .s_valid(stored_valid),
    .s_ready(stored_ready),
    .m_data (m_axis_tx_tdata),
    .m_keep (m_axis_tx_tkeep),
    .m_last (m_axis_tx_tlast),
    .m_valid(m_axis_tx_tvalid),
    .m_ready(m_axis_tx_tready)
  );

  // ---- The processor's side --------------------------------------------------------------------

  logic register_ready;
  logic [31:0] local_data, register_data;

  raw_link_registers registers (
    .clk,
    .rst             (stopped),
    .cpu_valid_i     (valid && address[30]),
    .cpu_address_i   (address[4:2]),
    .cpu_write_i     (strobe != '0),
    .cpu_data_i      (write_data),
    .cpu_ready_o     (register_ready),
    .cpu_data_o      (register_data),
    .m_app_head      (in_head),
    .m_app_head_valid(in_head_valid),
    .m_app_head_ready(in_head_ready),
    .m_app_data      (in_data),
    .m_app_keep      (in_keep),
    .m_app_last      (in_last),
    .m_app_valid     (in_valid),
    .m_app_ready     (in_ready),
    .s_app_head      (unused_out_head),
    .s_app_head_valid(unused_out_head_valid),
    .s_app_head_ready(1'b1),
    .s_app_data      (out_data),
    .s_app_keep      (out_keep),
    .s_app_last      (out_last),
    .s_app_valid     (out_valid),
    .s_app_ready     (out_ready)
  );

  local_memory #(
    .Bytes(LocalBytes)
  ) memory (
    .clk,
    .cpu_select_i      (valid && !address[30]),
    .cpu_address_i     (address),
    .cpu_data_i        (write_data),
    .cpu_strobe_i      (strobe),
    .cpu_next_reads_i  (next_reads),
    .cpu_next_address_i(next_address),
    .cpu_data_o        (local_data),
    .load_valid_i,
    .load_address_i,
    .load_data_i
  );

  assign ready     = address[30] ? register_ready : valid;
  assign read_data = address[30] ? register_data : local_data;

endmodule
