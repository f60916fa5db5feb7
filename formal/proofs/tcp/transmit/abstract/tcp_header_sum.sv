// SPDX-License-Identifier: Apache-2.0

// Stands in for tcp_header_sum in proofs of its users: takes a header in one to four clocks, and
// gives a sum for each, in order, after an arbitrary latency. What it is, is not modelled.
module tcp_header_sum
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  ip_address_t s_source,
  input  tx_command_t s_command,
  input  logic        s_valid,
  output logic        s_ready,
  output sum_t        sum_o,
  output logic        sum_valid_o
);

  // No initial value and no change: arbitrary constants.
  logic [1:0] rounds_q;
  logic [2:0] latency_q;
  logic [1:0] round_q = '0;
  logic [7:0] taken_q = '0;

  assign s_ready = round_q == rounds_q;

  always_ff @(posedge clk) begin
    rounds_q  <= rounds_q;
    latency_q <= latency_q;
    taken_q   <= {taken_q[6:0], s_valid && s_ready};
    if (s_valid) round_q <= s_ready ? '0 : round_q + 1'b1;

    if (rst) begin
      round_q <= '0;
      taken_q <= '0;
    end
  end

  assign sum_o       = s_source[15:0] ^ s_command.window;
  assign sum_valid_o = taken_q[latency_q];

endmodule
