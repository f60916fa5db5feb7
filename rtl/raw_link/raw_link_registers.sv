// SPDX-License-Identifier: Apache-2.0

// An application of the raw link that a small processor is, by five registers of 32 bits.
//
// Latency    0: an access is answered in its clock, unless it waits for the raw link.
// Throughput a word of data a clock each way.
// Paths      cpu_* reaches m_app_*_ready and s_app_*; those of the raw link reach cpu_ready_o.
//
//   offset  name        access
//   0x00    status      read: bit 0, a head waits; bit 1, a word of data waits. Never waits
//   0x04    head        read: takes the head of the next frame, waits until there is one
//   0x08    data        read: takes the next four bytes of its data, the first in [7:0], and waits
//                       for them; 0 when all have been taken. What the last word has too much of is
//                       not defined
//   0x0c    send        write: gives the head of a frame, waits until it is taken
//   0x10    send_data   write: gives the next four bytes of its data, waits until they are taken;
//                       does nothing when size bytes have been given
//
// A head, as it is read and as it is written:
//
//   [13:0]  size of the data in bytes
//   [25:14] handle of the connection
//   [27:26] UIApp
//   [28]    Last
//   [29]    First                 (read)
//   [30]    it has a connection   (read); without, nothing can be sent back
//   [31]    ask for an acknowledgement (write; read as 0)
//
// Data is taken and given whole: size bytes of each frame. A head is not taken while data of the
// frame before is left: such an access waits for good, as a processor does not do two at once.
module raw_link_registers
  import raw_link_pkg::*;
#(
  localparam int DataWidth = 32,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 cpu_valid_i,    // held, with what belongs to it, until cpu_ready_o
  input  logic [          4:2] cpu_address_i,
  input  logic                 cpu_write_i,
  input  logic [         31:0] cpu_data_i,
  output logic                 cpu_ready_o,
  output logic [         31:0] cpu_data_o,

  input  delivery_t            m_app_head,
  input  logic                 m_app_head_valid,
  output logic                 m_app_head_ready,
  input  logic [DataWidth-1:0] m_app_data,
  input  logic [    Lanes-1:0] m_app_keep,
  input  logic                 m_app_last,
  input  logic                 m_app_valid,
  output logic                 m_app_ready,

  output transmit_t            s_app_head,
  output logic                 s_app_head_valid,
  input  logic                 s_app_head_ready,
  output logic [DataWidth-1:0] s_app_data,
  output logic [    Lanes-1:0] s_app_keep,
  output logic                 s_app_last,
  output logic                 s_app_valid,
  input  logic                 s_app_ready
);

  typedef enum logic [2:0] {
    Status   = 3'd0,
    Head     = 3'd1,
    Data     = 3'd2,
    Send     = 3'd3,
    SendData = 3'd4
  } register_e;

  logic reads, writes;
  logic receiving_q;  // data of the frame whose head was taken is left
  raw_size_t left_q;  // bytes still to be given
  raw_size_t send_size;

  assign reads            = cpu_valid_i && !cpu_write_i;
  assign writes           = cpu_valid_i && cpu_write_i;
  assign send_size        = cpu_data_i[13:0];

  assign m_app_head_ready = reads && cpu_address_i == Head;
  assign m_app_ready      = reads && cpu_address_i == Data && receiving_q;

  assign s_app_head_valid = writes && cpu_address_i == Send;
  assign s_app_head = '{
      handle: cpu_data_i[25:14],
      ui_app: cpu_data_i[27:26],
      ack: cpu_data_i[31],
      last: cpu_data_i[28],
      has_data: send_size != '0
  };
  assign s_app_valid      = writes && cpu_address_i == SendData && left_q != '0;
  assign s_app_data       = cpu_data_i;
  assign s_app_last       = left_q <= raw_size_t'(Lanes);
  assign s_app_keep =
      s_app_last ? Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(left_q))) : '1;

  always_comb begin
    cpu_ready_o = cpu_valid_i;
    cpu_data_o  = {30'b0, m_app_valid, m_app_head_valid};
    unique case (cpu_address_i)
      Head: begin
        if (reads) cpu_ready_o = m_app_head_valid;
        cpu_data_o = {
          1'b0,
          m_app_head.connected,
          m_app_head.first,
          m_app_head.last,
          m_app_head.ui_app,
          m_app_head.handle,
          m_app_head.size
        };
      end
      Data: begin
        if (reads) cpu_ready_o = m_app_valid || !receiving_q;
        cpu_data_o = receiving_q ? m_app_data : '0;
      end
      Send:     if (writes) cpu_ready_o = s_app_head_ready;
      SendData: if (writes) cpu_ready_o = s_app_ready || left_q == '0;
      default:  ;
    endcase
  end

  always_ff @(posedge clk) begin
    if (m_app_head_valid && m_app_head_ready) receiving_q <= m_app_head.size != '0;
    if (m_app_valid && m_app_ready && m_app_last) receiving_q <= 1'b0;
    if (s_app_head_valid && s_app_head_ready) left_q <= send_size;
    if (s_app_valid && s_app_ready) left_q <= s_app_last ? '0 : left_q - raw_size_t'(Lanes);

    if (rst) begin
      receiving_q <= 1'b0;
      left_q      <= '0;
    end
  end

  // verilator lint_off UNUSEDSIGNAL
  logic unused;  // the processor knows the size; only what is delivered comes here
  assign unused = &{m_app_keep, m_app_head.deliver, cpu_data_i};
  // verilator lint_on UNUSEDSIGNAL

endmodule
