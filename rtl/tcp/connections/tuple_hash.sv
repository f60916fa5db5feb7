// SPDX-License-Identifier: Apache-2.0

// Keyed hash of a tuple for tables that get very full: toeplitz_hash, and behind it eight rounds of a
// mixing that is not linear.
//
// The first is what keeps a peer who does not know the key from aiming at a place. But it is linear,
// and what clients use is not random: a block of addresses times a block of ports may share a few bits
// of a linear hash and leave half of a table empty. The mixing is a permutation (the rounds of the
// Simon cipher with 64 bits, without a key), so it loses nothing, and spreads such blocks as well as
// random tuples.
//
// Latency    3 clocks.
// Throughput one a clock.
module tuple_hash
  import tcp_pkg::*;
(
  input  logic         clk,

  input  logic [127:0] key_i,
  input  tuple_t       tuple_i,
  output logic [ 63:0] hash_o
);

  localparam int RoundsPerClock = 4;

  function automatic logic [31:0] turn_left(input logic [31:0] word, input int by);
    return (word << by) | (word >> (32 - by));
  endfunction

  function automatic logic [63:0] mix(input logic [63:0] value);
    logic [31:0] x = value[63:32];
    logic [31:0] y = value[31:0];
    logic [31:0] next;
    for (int i = 0; i < RoundsPerClock; i++) begin
      next = y ^ (turn_left(x, 1) & turn_left(x, 8)) ^ turn_left(x, 2) ^ 32'hfffffffc ^ 32'(i & 1);
      y = x;
      x = next;
    end
    return {x, y};
  endfunction

  logic [63:0] hash, hash_q, half_q;
  logic unused_key;

  assign unused_key = key_i[127];

  toeplitz_hash #(
    .DataWidth(64),
    .HashWidth(64)
  ) toeplitz (
    .key_i (key_i[126:0]),
    .data_i(tuple_i),
    .hash_o(hash)
  );

  always_ff @(posedge clk) begin
    hash_q <= hash;
    half_q <= mix(hash_q);
    hash_o <= mix(half_q);
  end

endmodule
