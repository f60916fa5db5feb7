// SPDX-License-Identifier: Apache-2.0

// seq_pkg: of two numbers less than 2^31 apart it says which one comes first, wherever the sequence
// space begins again.
module seq_pkg_props (
  input logic        clk,
  input logic [31:0] start,
  input logic [31:0] distance
);

  import seq_pkg::*;

  seq_t behind;
  logic wraps;
  assign behind = start + distance;
  assign wraps  = behind < start;

  always_ff @(posedge clk) begin
    assume (distance < 32'h8000_0000);

    first : assert (seq_lt(start, behind) == (distance != '0));
    second : assert (!seq_lt(behind, start));
    equal : assert (seq_le(start, behind) && seq_le(behind, start) == (distance == '0));
    ahead : assert (!is_negative(distance) && is_positive(distance) == (distance != '0));
    back : assert (is_negative(start - behind) == (distance != '0));
    neither : assert (!is_positive(start - behind));

    cover (wraps && seq_lt(start, behind));
    cover (!wraps && distance == 32'h7fff_ffff && seq_lt(start, behind));
    cover (distance == '0 && seq_le(start, behind));
  end

endmodule
