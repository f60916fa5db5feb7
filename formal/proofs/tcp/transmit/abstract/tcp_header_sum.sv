// SPDX-License-Identifier: Apache-2.0

// Stand-in for the proof of segment_builder: the "sum" of a header is the lower half of its
// acknowledgement, by which the command is known again. Taken in two clocks and one more for each
// pair of options, there after two more, after three with Registers.
module tcp_header_sum
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
  import tx_options_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input  logic        clk,
  input  logic        rst,
  input  ip_address_t s_source,
  input  tx_command_t s_command,
  input  logic        s_valid,
  output logic        s_ready,
  output pair_t       pair_o,
  output logic        pair_valid_o,
  output sum_t        sum_o,
  output logic        sum_valid_o
);

  logic [2:0] round_q, pairs, block;
  logic [1:0] done_q;
  sum_t [1:0] mark_q;
  option_shape_t shape;

  assign shape        = option_shape(s_command);
  assign pairs        = option_pairs(shape);
  assign block        = round_q - 3'd1 - 3'(shape.timestamps);
  assign s_ready      = round_q == pairs + 3'd1;
  assign pair_valid_o = s_valid && round_q != '0 && !s_ready;
  assign pair_o       = (shape.timestamps && round_q == 3'd1)
      ? {s_command.options.ts_value, s_command.options.ts_echo} : s_command.sack[block[1:0]];

  always_ff @(posedge clk) begin
    if (s_valid) round_q <= s_ready ? '0 : round_q + 1'b1;
    done_q      <= {done_q[0], s_valid && s_ready};
    mark_q      <= {mark_q[0], s_command.ack[15:0]};
    sum_valid_o <= done_q[Registers];
    sum_o       <= mark_q[Registers];

    if (rst) begin
      round_q     <= '0;
      done_q      <= '0;
      sum_valid_o <= 1'b0;
    end
  end

endmodule
