// SPDX-License-Identifier: Apache-2.0

// byte_hash for the proof of key_value_table: the last byte itself, spread over both buckets. Any two
// keys of a byte have the same pair of buckets, one in common, or none.
module byte_hash #(
  parameter logic [31:0] HashKey = 32'h0
) (
  input  logic        clk,
  input  logic        clear_i,
  input  logic [ 7:0] byte_i,
  input  logic        valid_i,
  input  logic        finish_i,
  output logic [31:0] hash_o
);

  logic unused_finish;
  assign unused_finish = finish_i;

  always_ff @(posedge clk) begin
    if (clear_i) hash_o <= HashKey & 32'h0;
    else if (valid_i) hash_o <= {12'h0, byte_i[7:4], 12'h0, byte_i[3:0]};
  end

endmodule
