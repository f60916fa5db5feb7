// SPDX-License-Identifier: Apache-2.0

// Binary to decimal, one bit a clock: each digit is doubled, and one that would pass 9 carries into
// the next (it gets 3 added first).
//
// Latency    Width + 1 clocks from start_i to done_o.
// Throughput one number at a time; start_i begins anew whenever it comes.
//
// digits_o are ASCII, the first digit in the most significant byte, leading zeros as spaces. They
// hold from done_o to the next start_i.
module decimal_converter #(
  parameter int Width  = 32,
  parameter int Digits = 10
) (
  input  logic                     clk,
  input  logic                     rst,

  input  logic [        Width-1:0] value_i,
  input  logic                     start_i,
  output logic                     done_o,
  output logic [Digits-1:0][7:0]   digits_o
);

  logic [Width-1:0] value_q;
  logic [Digits-1:0][3:0] digits_q;
  logic [$clog2(Width+1)-1:0] left_q;

  function automatic logic [Digits-1:0][3:0] adjusted(input logic [Digits-1:0][3:0] digits);
    for (int i = 0; i < Digits; i++) begin
      adjusted[i] = digits[i] >= 4'd5 ? digits[i] + 4'd3 : digits[i];
    end
  endfunction

  always_comb begin
    logic leading;
    leading = 1'b1;
    for (int i = Digits - 1; i >= 0; i--) begin
      if (digits_q[i] != '0 || i == 0) leading = 1'b0;
      digits_o[i] = leading ? " " : {4'h3, digits_q[i]};
    end
  end

  always_ff @(posedge clk) begin
    done_o <= left_q == 1;
    if (left_q != '0) begin
      {digits_q, value_q} <= {adjusted(digits_q), value_q} << 1;
      left_q              <= left_q - 1'b1;
    end
    if (start_i) begin
      value_q  <= value_i;
      digits_q <= '0;
      left_q   <= ($clog2(Width + 1))'(Width);
      done_o   <= 1'b0;
    end

    if (rst) begin
      left_q <= '0;
      done_o <= 1'b0;
    end
  end

endmodule
