// SPDX-License-Identifier: Apache-2.0

// Ones' complement arithmetic of the Internet checksum (RFC 1071, RFC 1624).
//
// A sum here is not inverted; the field on the wire is ~sum. Sums are equal modulo 65,535, and none
// of these functions returns 0 unless all of its operands are 0, so a sum is unique, too.
package checksum_pkg;

  typedef logic [15:0] sum_t;

  // a + b with end-around carry. Two 16-bit additions.
  function automatic sum_t ones_add16(input sum_t a, input sum_t b);
    logic [16:0] sum = 17'(a) + 17'(b);
    return sum[15:0] + 16'(sum[16]);
  endfunction

  // a + b + c at the cost of one look-up table more: a carry-save adder whose carries go around,
  // too.
  function automatic sum_t ones_add16_3(input sum_t a, input sum_t b, input sum_t c);
    sum_t sums = a ^ b ^ c;
    sum_t carries = (a & b) | (a & c) | (b & c);
    return ones_add16(sums, {carries[14:0], carries[15]});
  endfunction

  // Whether that is all ones, without the end-around carry: of what a right checksum is part of.
  function automatic logic is_ones16_3(input sum_t a, input sum_t b, input sum_t c);
    sum_t sums = a ^ b ^ c;
    sum_t carries = (a & b) | (a & c) | (b & c);
    logic [17:0] plain = 18'(sums) + 18'({carries, 1'b0});
    return plain[15:2] == '1 && (
        {plain[17:16], plain[1:0]} == 4'b0011 || {plain[17:16], plain[1:0]} == 4'b0110
        || {plain[17:16], plain[1:0]} == 4'b1001);
  endfunction

  function automatic sum_t fold32(input logic [31:0] sum);
    return ones_add16(sum[31:16], sum[15:0]);
  endfunction

  // The checksum field after one 16-bit word of what it covers has changed (RFC 1624, equation 3).
  function automatic sum_t update(input sum_t checksum, input sum_t old_word, input sum_t new_word);
    return ~ones_add16_3(~checksum, ~old_word, new_word);
  endfunction

  // Clocks through checksum_tree.
  function automatic int tree_latency(input int data_width);
    return ($clog2(data_width / 16) + 1) / 2;
  endfunction

endpackage
