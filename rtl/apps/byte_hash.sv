// SPDX-License-Identifier: Apache-2.0

// Hash of a message that comes byte by byte, for tables (Jenkins's one-at-a-time hash). It begins with
// HashKey: who does not know that cannot tell which messages have the same hash.
//
//   clear_i, then valid_i for each byte, then finish_i; hash_o is whole 3 clocks later
//
// Throughput a byte a clock.
module byte_hash #(
  parameter logic [31:0] HashKey = 32'h7f4a_7c15
) (
  input  logic        clk,
  input  logic        clear_i,
  input  logic [ 7:0] byte_i,
  input  logic        valid_i,
  input  logic        finish_i,
  output logic [31:0] hash_o
);

  logic [31:0] added, spread, folded;
  logic finish_q, finish_2_q;

  assign added  = hash_o + 32'(byte_i);
  assign spread = added + (added << 10);
  assign folded = hash_o + (hash_o << 3);

  always_ff @(posedge clk) begin
    finish_q   <= finish_i;
    finish_2_q <= finish_q;
    if (clear_i) hash_o <= HashKey;
    else if (valid_i) hash_o <= spread ^ (spread >> 6);
    else if (finish_q) hash_o <= folded ^ (folded >> 11);
    else if (finish_2_q) hash_o <= hash_o + (hash_o << 15);
  end

endmodule
