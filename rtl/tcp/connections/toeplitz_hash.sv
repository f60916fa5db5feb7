// SPDX-License-Identifier: Apache-2.0

// Keyed hash for tables: bit i of the hash is the parity of the data masked by the key from its bit
// i on (a Toeplitz matrix over GF(2)). With a random key two different inputs get the same value in
// any n bits of the hash with probability 2^-n, so whoever does not know the key cannot choose
// inputs that collide.
//
// Combinational: about log4(2 DataWidth) levels of four-input tables.
module toeplitz_hash #(
  parameter  int DataWidth = 64,
  parameter  int HashWidth = 20,
  localparam int KeyWidth  = DataWidth + HashWidth - 1
) (
  input  logic [ KeyWidth-1:0] key_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [HashWidth-1:0] hash_o
);

  for (genvar bit_index = 0; bit_index < HashWidth; bit_index++) begin : gen_bit
    assign hash_o[bit_index] = ^(data_i & key_i[bit_index+:DataWidth]);
  end

endmodule
