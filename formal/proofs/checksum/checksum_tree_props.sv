// SPDX-License-Identifier: Apache-2.0

// checksum_tree: the sum of the words of the beat that entered tree_latency clocks before.
module checksum_tree_props #(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8,
  localparam int SumWidth  = 16 + $clog2(DataWidth / 16)
) (
  input logic                 clk,
  input logic [DataWidth-1:0] data_i,
  input logic [    Lanes-1:0] keep_i
);

  localparam int Latency = checksum_pkg::tree_latency(DataWidth);

  logic [SumWidth-1:0] sum_o;

  checksum_tree #(.DataWidth(DataWidth)) dut (.*);

  // The reference adds byte after byte.
  logic [SumWidth-1:0] sum, expected;
  logic [Latency:1][SumWidth-1:0] sum_q;
  logic [Latency:1] known_q = '0;

  always_comb begin
    sum = '0;
    for (int lane = 0; lane < Lanes; lane++) begin
      if (keep_i[lane]) begin
        sum += (lane % 2 == 0) ? {SumWidth'(data_i[lane*8+:8]) << 8} : SumWidth'(data_i[lane*8+:8]);
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int n = 1; n <= Latency; n++) begin
      sum_q[n]   <= (n == 1) ? sum : sum_q[(n>1)?n-1 : 1];
      known_q[n] <= (n == 1) ? 1'b1 : known_q[(n>1)?n-1 : 1];
    end
  end

  assign expected = sum_q[Latency];

  always_ff @(posedge clk) begin
    if (known_q[Latency]) assert (sum_o == expected);
    cover (known_q[Latency] && sum_o == SumWidth'(DataWidth / 16 * 65535));
  end

endmodule
