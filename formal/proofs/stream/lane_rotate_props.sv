// SPDX-License-Identifier: Apache-2.0

// lane_rotate: each lane goes up by amount_i * Step, and round; two of them, one for the low bits of
// the amount and one for the high ones, are one.
module lane_rotate_props #(
  parameter  int Lanes      = 8,
  localparam int LaneWidth  = 4,
  localparam int IndexWidth = $clog2(Lanes)
) (
  input logic                       clk,
  input logic [Lanes*LaneWidth-1:0] data,
  input logic [     IndexWidth-1:0] amount,
  input logic [     IndexWidth-1:0] lane     // any one
);

  logic [Lanes-1:0][LaneWidth-1:0] in, whole, half, staged;
  logic [IndexWidth-1:0] to;

  assign in = data;
  assign to = lane + amount;

  lane_rotate #(
    .Lanes      (Lanes),
    .LaneWidth  (LaneWidth),
    .AmountWidth(IndexWidth)
  ) at_once (
    .data_i  (data),
    .amount_i(amount),
    .data_o  (whole)
  );

  lane_rotate #(
    .Lanes      (Lanes),
    .LaneWidth  (LaneWidth),
    .AmountWidth(1)
  ) low (
    .data_i  (data),
    .amount_i(amount[0]),
    .data_o  (half)
  );

  lane_rotate #(
    .Lanes      (Lanes),
    .LaneWidth  (LaneWidth),
    .AmountWidth(IndexWidth - 1),
    .Step       (2)
  ) high (
    .data_i  (half),
    .amount_i(amount[IndexWidth-1:1]),
    .data_o  (staged)
  );

  always_ff @(posedge clk) begin
    moved : assert (whole[to] == in[lane]);
    stages : assert (staged == whole);

    cover (amount == '0 && whole == data && in[0] != in[1]);
    cover (amount == '1 && to < lane && in[0] != in[1]);
  end

endmodule
