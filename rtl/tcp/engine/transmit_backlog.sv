// SPDX-License-Identifier: Apache-2.0

// Whether segments wait for the line: then connections take turns, and acknowledgements go with data.
//
// Segments are counted from the pipeline's action to their packet's way to IP. A few small ones are no
// backlog: they only cover the clocks from a connection's turn to its segment.
//
// Latency    1 clock.
module transmit_backlog #(
  parameter int Depth      = 64,   // segments between the two, at most
  parameter int Queued     = 4,    // before the builder, from which on there is a backlog
  parameter int Large      = 3,    // of LargeBytes and more, likewise
  parameter int LargeBytes = 512,
  parameter int CountWidth = 6
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [          15:0] push_length_i,  // payload of a segment that is to be built
  input  logic                  push_i,
  input  logic                  pop_i,          // the oldest has been handed on
  input  logic [CountWidth-1:0] queued_i,       // of them, before the builder

  output logic                  backlog_o
);

  logic push_large, pop_large, unused_ready, unused_valid;
  logic [$clog2(Depth+1)-1:0] large_q, unused_count;

  assign push_large = push_length_i >= 16'(LargeBytes);

  stream_fifo #(
    .T       (logic),
    .Depth   (Depth),
    .BlockRam(0)
  ) sizes (
    .clk,
    .rst,
    .s_data (push_large),
    .s_valid(push_i),
    .s_ready(unused_ready),
    .m_data (pop_large),
    .m_valid(unused_valid),
    .m_ready(pop_i),
    .count_o(unused_count)
  );

  always_ff @(posedge clk) begin
    large_q <= large_q + ($bits(large_q))'(push_i && push_large)
        - ($bits(large_q))'(pop_i && pop_large);
    backlog_o <= queued_i >= CountWidth'(Queued) || large_q >= ($bits(large_q))'(Large);

    if (rst) begin
      large_q   <= '0;
      backlog_o <= 1'b0;
    end
  end

endmodule
