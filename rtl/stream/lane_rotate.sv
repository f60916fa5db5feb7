// SPDX-License-Identifier: Apache-2.0

// Rotates the lanes of a beat upwards: lane i goes to lane (i + amount) modulo Lanes.
//
// Combinational. One level of 2:1 multiplexers for each bit of amount_i. Step is the weight of bit
// 0 of amount_i, so that two of these, with a register between, make a rotator of two stages.
module lane_rotate #(
  parameter int Lanes       = 8,
  parameter int LaneWidth   = 8,
  parameter int AmountWidth = 3,
  parameter int Step        = 1
) (
  input  logic [Lanes*LaneWidth-1:0] data_i,
  input  logic [    AmountWidth-1:0] amount_i,
  output logic [Lanes*LaneWidth-1:0] data_o
);

  logic [AmountWidth:0][Lanes*LaneWidth-1:0] level;

  assign level[0] = data_i;
  assign data_o   = level[AmountWidth];

  for (genvar b = 0; b < AmountWidth; b++) begin : gen_level
    localparam int Bits = (Step * LaneWidth) << b;
    assign level[b+1] = amount_i[b]
        ? {level[b][Lanes*LaneWidth-Bits-1:0], level[b][Lanes*LaneWidth-1:Lanes*LaneWidth-Bits]}
        : level[b];
  end

endmodule
