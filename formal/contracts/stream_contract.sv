// SPDX-License-Identifier: Apache-2.0

// The rule of every valid/ready stream: what is offered and not taken stays offered, unchanged.
//
// Assume = 1 imposes it on the inputs of the module under proof, Assume = 0 demands it of its
// outputs. Tie off what a stream lacks; bits that the rule does not cover go in as zero.
module stream_contract #(
  parameter int Width  = 1,
  parameter bit Assume = 1'b0
) (
  input logic             clk,
  input logic             rst,
  input logic [Width-1:0] data,
  input logic             valid,
  input logic             ready
);

  logic stalled_q = 1'b0;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk) begin
    stalled_q <= valid && !ready && !rst;
    data_q    <= data;
  end

  always_ff @(posedge clk) begin
    if (stalled_q && !rst) begin
      if (Assume) begin
        assume (valid && data == data_q);
      end else begin
        assert (valid && data == data_q);
      end
    end
  end

endmodule
