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

  localparam int Width = Lanes * LaneWidth;
  localparam int Unit = Step * LaneWidth;

  always_comb begin
    data_o = data_i;
    for (int b = 0; b < AmountWidth; b++) begin
      if (amount_i[b]) begin
        data_o = (data_o << (Unit << b)) | (data_o >> (Width - (Unit << b)));
      end
    end
  end

endmodule
