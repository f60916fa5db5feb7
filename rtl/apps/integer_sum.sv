// SPDX-License-Identifier: Apache-2.0

// Adds integers that come, and leave, as decimal text: 64 bits with a sign.
//
//   set_i      the sum is value_i
//   begin_i    a number begins; then its bytes, at least 3 clocks apart; then add_i or subtract_i, at
//              least 3 clocks after the last byte
//   invalid_o  the number is none of 64 bits as Redis writes it: no blanks, no plus, no zero that
//              could be left out
//   overflow_o the sum has been out of range since set_i
//   convert_i  makes the text of the sum; converted_o stays high then until set_i or convert_i
//   text_i     gives it, a byte a clock: text_valid_o with text_byte_o, until text_busy_o falls
//
// Latency    66 clocks from convert_i to converted_o; 1 from text_i to text_busy_o.
module integer_sum #(
  parameter int ValueWidth = 21
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic                  set_i,
  input  logic [ValueWidth-1:0] value_i,

  input  logic                  begin_i,
  input  logic [           7:0] byte_i,
  input  logic                  byte_valid_i,
  input  logic                  add_i,
  input  logic                  subtract_i,

  output logic                  invalid_o,
  output logic                  overflow_o,
  output logic                  small_o,       // the sum is 0 to 15,
  output logic [           3:0] low_o,         // this

  input  logic                  convert_i,
  output logic                  converted_o,
  input  logic                  text_i,
  output logic [           7:0] text_byte_o,
  output logic                  text_valid_o,
  output logic                  text_busy_o
);

  localparam int Digits = 19;  // of 2^63

  // ---- The number that comes in

  logic [63:0] number_q, five_q;
  logic [3:0] digit_q;
  logic [4:0] digits_q;
  logic negative_q, wrong_q, digit_valid_q;
  logic is_digit;

  assign is_digit  = byte_i >= "0" && byte_i <= "9";
  assign invalid_o = wrong_q || digits_q == '0
                   || (number_q[63] && !(negative_q && number_q[62:0] == '0));

  always_ff @(posedge clk) begin
    digit_valid_q <= byte_valid_i && is_digit;
    digit_q       <= byte_i[3:0];
    five_q        <= number_q + (number_q << 2);
    if (digit_valid_q) number_q <= (five_q << 1) + 64'(digit_q);

    if (begin_i) begin
      number_q   <= '0;
      digits_q   <= '0;
      negative_q <= 1'b0;
      wrong_q    <= 1'b0;
    end else if (byte_valid_i) begin
      if (is_digit) begin
        // A zero in front of another digit, or behind a sign; one digit too many.
        if (digits_q != '0 && number_q == '0) wrong_q <= 1'b1;
        if (negative_q && digits_q == '0 && byte_i == "0") wrong_q <= 1'b1;
        if (digits_q == 5'(Digits)) wrong_q <= 1'b1;
        else digits_q <= digits_q + 1'b1;
      end else begin
        negative_q <= 1'b1;
        if (byte_i != "-" || digits_q != '0 || negative_q) wrong_q <= 1'b1;
      end
    end

    if (rst) digit_valid_q <= 1'b0;
  end

  // ---- The sum

  logic signed [64:0] sum_q;
  logic [64:0] operand, next_sum;
  logic minus;
  logic [63:0] magnitude_q;
  logic convert_q;

  assign minus    = negative_q ^ subtract_i;
  assign operand  = {1'b0, number_q} ^ {65{minus}};
  assign next_sum = sum_q + operand + 65'(minus);
  assign small_o  = sum_q[64:4] == '0;
  assign low_o    = sum_q[3:0];

  always_ff @(posedge clk) begin
    if (set_i) begin
      sum_q      <= 65'(value_i);
      overflow_o <= 1'b0;
    end else if (add_i || subtract_i) begin
      sum_q <= next_sum;
      if (next_sum[64] != next_sum[63]) overflow_o <= 1'b1;
    end
    magnitude_q <= sum_q[64] ? 64'(-sum_q) : sum_q[63:0];
    convert_q   <= convert_i;

    if (rst) convert_q <= 1'b0;
  end

  // ---- And its text

  logic converter_done;
  logic [Digits-1:0][7:0] text, shift_q;
  logic [4:0] left_q;
  logic sign_q;

  decimal_converter #(
    .Width (64),
    .Digits(Digits)
  ) converter (
    .clk,
    .rst,
    .value_i (magnitude_q),
    .start_i (convert_q),
    .done_o  (converter_done),
    .digits_o(text)
  );

  // The sign takes a place of its own; blanks in front of the digits are passed over.
  assign text_busy_o  = left_q != '0;
  assign text_byte_o  = sign_q ? "-" : shift_q[Digits-1];
  assign text_valid_o = text_busy_o && (sign_q || shift_q[Digits-1] != " ");

  always_ff @(posedge clk) begin
    if (set_i || convert_i) converted_o <= 1'b0;
    else if (converter_done) converted_o <= 1'b1;

    sign_q <= 1'b0;
    if (left_q != '0 && !sign_q) begin
      shift_q <= {shift_q[Digits-2:0], 8'h0};
      left_q  <= left_q - 1'b1;
    end
    if (text_i) begin
      shift_q <= text;
      sign_q  <= sum_q[64];
      left_q  <= 5'(Digits);
    end

    if (rst) begin
      converted_o <= 1'b0;
      left_q      <= '0;
    end
  end

endmodule
