// SPDX-License-Identifier: Apache-2.0

// Whether segments wait for the line: then connections take turns, and acknowledgements go with data.
//
// Segments are counted from the pipeline's action to their packet's way to IP. A few small ones are no
// backlog: they only cover the clocks from a connection's turn to its segment. The line is busy while
// they are bytes enough for these clocks.
//
// Latency    3 clocks: one finds how large a segment is, one counts it, and one compares. 2 to backlog_o
//            from one that leaves, as connections share less evenly if that is counted a clock later
//            (of eight that send all they can, one or two got 30 % more). 1 from queued_i.
module transmit_backlog
  import tcp_pkg::*;
#(
  parameter int Depth      = 64,   // segments between the two, at most
  parameter int Queued     = 4,    // before the builder, from which on there is a backlog
  parameter int Large      = 3,    // of LargeBytes and more, likewise
  parameter int LargeBytes = 512,
  parameter int BusyBytes  = 128,  // with headers, from which on the line is busy
  parameter int CountWidth = 6
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [          15:0] push_length_i,  // payload of a segment that is to be built
  input  logic                  push_i,
  input  logic                  pop_i,          // the oldest has been handed on
  input  logic [CountWidth-1:0] queued_i,       // of them, before the builder

  output logic                  backlog_o,
  output logic                  line_busy_o
);

  localparam line_blocks_t LargeBlocks = line_blocks(16'(LargeBytes));
  localparam int BusyBlocks = (BusyBytes + LineBlockBytes - 1) / LineBlockBytes;

  line_blocks_t push_blocks_q, pop_blocks, pop_blocks_q;
  logic push_q, push_large_q, pop_q, pop_large, unused_ready, unused_valid;
  logic [$clog2(Depth+1)-1:0] large_q, unused_count;
  logic [$clog2(Depth)+$bits(line_blocks_t)-1:0] blocks_q;

  assign pop_large = pop_blocks >= LargeBlocks;

  always_ff @(posedge clk) begin
    push_q        <= push_i;
    push_blocks_q <= line_blocks(push_length_i);
    push_large_q  <= line_blocks(push_length_i) >= LargeBlocks;
    pop_q         <= pop_i;
    pop_blocks_q  <= pop_blocks;

    if (rst) begin
      push_q <= 1'b0;
      pop_q  <= 1'b0;
    end
  end

  stream_fifo #(
    .T       (line_blocks_t),
    .Depth   (Depth),
    .BlockRam(0)
  ) sizes (
    .clk,
    .rst,
    .s_data (push_blocks_q),
    .s_valid(push_q),
    .s_ready(unused_ready),
    .m_data (pop_blocks),
    .m_valid(unused_valid),
    .m_ready(pop_i),
    .count_o(unused_count)
  );

  always_ff @(posedge clk) begin
    large_q <= large_q + ($bits(large_q))'(push_q && push_large_q)
        - ($bits(large_q))'(pop_i && pop_large);
    blocks_q <= blocks_q + (push_q ? ($bits(blocks_q))'(push_blocks_q) : '0)
        - (pop_q ? ($bits(blocks_q))'(pop_blocks_q) : '0);
    line_busy_o <= blocks_q >= ($bits(blocks_q))'(BusyBlocks);
    backlog_o <= queued_i >= CountWidth'(Queued) || large_q >= ($bits(large_q))'(Large);

    if (rst) begin
      large_q     <= '0;
      blocks_q    <= '0;
      backlog_o   <= 1'b0;
      line_busy_o <= 1'b0;
    end
  end

endmodule
