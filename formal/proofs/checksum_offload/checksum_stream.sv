// SPDX-License-Identifier: Apache-2.0

// Stands in for the module of that name: exclusive or instead of ones' complement addition, at the
// same latency. Solvers do not get through two orders of additions; that the bytes of a job, each
// once and in its place, arrive here is as well seen by this.
module checksum_stream #(
  parameter int DataWidth = 64
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic                   beat_i,
  input  logic [  DataWidth-1:0] data_i,
  input  logic [DataWidth/8-1:0] keep_i,
  input  logic                   last_i,
  input  logic [           15:0] seed_i,
  output logic [           15:0] sum_o,
  output logic                   ones_o,
  output logic                   sum_valid_o
);

  localparam int Delay = checksum_pkg::tree_latency(DataWidth) + 1;

  logic [15:0] words, sum_q;
  logic [Delay-1:0] ends_q;
  logic [Delay-1:0][15:0] sums_q;

  always_comb begin
    words = '0;
    for (int lane = 0; lane < DataWidth / 8; lane++) begin
      if (keep_i[lane]) words ^= lane % 2 == 0 ? {data_i[8*lane+:8], 8'b0} : 16'(data_i[8*lane+:8]);
    end
  end

  always_ff @(posedge clk) begin
    if (beat_i) sum_q <= last_i ? '0 : sum_q ^ words;
    ends_q      <= Delay'({ends_q, beat_i && last_i});
    sums_q      <= (Delay * 16)'({sums_q, sum_q ^ words ^ seed_i});
    sum_o       <= sums_q[Delay-1];
    sum_valid_o <= ends_q[Delay-1];

    if (rst) begin
      sum_q       <= '0;
      ends_q      <= '0;
      sum_valid_o <= 1'b0;
    end
  end

  assign ones_o = sum_o == '1;

endmodule
