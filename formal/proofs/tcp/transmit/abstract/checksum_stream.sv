// SPDX-License-Identifier: Apache-2.0

// Stands in for checksum_stream in proofs of its users: a sum comes for each packet, in order, after
// a latency that is arbitrary (0 to 7 clocks more than one) and the same for all. What it is, is not
// modelled.
module checksum_stream #(
  parameter int DataWidth = 64
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic                   beat_i,
  input  logic [  DataWidth-1:0] data_i,
  input  logic [DataWidth/8-1:0] keep_i,
  input  logic                   last_i,
  input  logic [           15:0] seed_i,
  output logic [           15:0] sum_o,
  output logic                   sum_valid_o
);

  // No initial value and no change: an arbitrary constant.
  logic [2:0] latency_q;
  logic [7:0] ended_q = '0;

  always_ff @(posedge clk) begin
    latency_q <= latency_q;
    ended_q   <= rst ? '0 : {ended_q[6:0], beat_i && last_i};
  end

  assign sum_o       = data_i[15:0] ^ 16'(keep_i) ^ seed_i;
  assign sum_valid_o = ended_q[latency_q];

endmodule
