// SPDX-License-Identifier: Apache-2.0

// Makes a record of each SACK block of a segment and one of the segment itself, so that whoever takes
// them looks at one block at a time, and knows them all when the segment comes.
//
//   n blocks   blocks [n-1] to [0] with sack_only, then the segment
//
// A record with sack_only has the segment's tuple, seq, ack, flags, window and options, but no
// payload, FIN or PSH. s_received.sack_count is 0 of a SYN and of a segment without ACK.
//
// Latency    1 clock.
// Throughput one record a clock, with Registers one in 2 clocks.
// Paths      m_valid is a register, m_segment a choice of two, with Registers a register. s_ready is a
//            function of registers and of s_received.
module sack_splitter
  import tcp_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input  logic              clk,
  input  logic              rst,

  input  received_segment_t s_received,  // sack and sack_only of the segment do not matter
  input  logic              s_valid,
  output logic              s_ready,

  output tcp_segment_t      m_segment,
  output logic              m_valid,
  input  logic              m_ready
);

  logic [2:0] sent_q;  // records of this segment that have gone
  logic [1:0] index;   // of the block that goes next
  logic last, record_ready;
  tcp_segment_t record;

  assign last    = !HasSack || sent_q == s_received.sack_count;
  assign index   = 2'(s_received.sack_count - 3'd1 - sent_q);
  assign s_ready = record_ready && last;

  always_comb begin
    record           = s_received.segment;
    record.sack      = s_received.sack[index];
    record.sack_only = !last;
    if (!last) begin
      record.payload_length = '0;
      record.flags.fin      = 1'b0;
      record.flags.psh      = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (s_valid && record_ready) sent_q <= last ? '0 : sent_q + 1'b1;

    if (rst) sent_q <= '0;
  end

  stream_register #(
    .T   (tcp_segment_t),
    .Wide(1'b1),
    .Half(Registers)
  ) segment_register (
    .clk,
    .rst,
    .s_data (record),
    .s_valid(s_valid),
    .s_ready(record_ready),
    .m_data (m_segment),
    .m_valid(m_valid),
    .m_ready(m_ready)
  );

endmodule
