// SPDX-License-Identifier: Apache-2.0

// checksum_pkg: every sum is the plain sum modulo 65,535 and is 0 only if all operands are; an
// update of one word gives the checksum of the words with the new one.
module checksum_pkg_props (
  input logic        clk,
  input logic [15:0] a,
  input logic [15:0] b,
  input logic [15:0] c
);

  import checksum_pkg::*;

  // One subtraction for each time 65,535 fits: the remainder, with 65,535 for a sum that is not 0.
  function automatic logic [15:0] reduce(input logic [17:0] sum);
    logic [17:0] rest = sum;
    for (int i = 0; i < 3; i++) if (rest > 18'd65535) rest -= 18'd65535;
    return rest[15:0];
  endfunction

  sum_t ab, abc, folded, checksum, updated;
  assign ab       = ones_add16(a, b);
  assign abc      = ones_add16_3(a, b, c);
  assign folded   = fold32({a, b});
  // The checksum of the words a and b, then of c and b.
  assign checksum = ~ab;
  assign updated  = update(checksum, a, c);

  always_ff @(posedge clk) begin
    assert (ab == reduce(18'(a) + 18'(b)));
    assert (folded == ab);
    assert (abc == reduce(18'(a) + 18'(b) + 18'(c)));
    assert (is_ones16_3(a, b, c) == (abc == '1));
    assert ((ab == '0) == (a == '0 && b == '0));
    assert ((abc == '0) == (a == '0 && b == '0 && c == '0));
    // RFC 1624, equation 3: right except that all words zero cannot be told from 65,535.
    if (c != '0 || b != '0) assert (updated == ~ones_add16(c, b));
    cover (abc == 16'hffff && a != '0 && b != '0 && c != '0);
    cover (updated == 16'h1234 && a != c);
  end

endmodule
