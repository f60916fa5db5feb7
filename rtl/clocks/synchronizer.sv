// SPDX-License-Identifier: Apache-2.0

// Takes bits of another clock, of which at most one changes at a time (a Gray code, or one bit).
//
// Latency    Stages clocks, one more or less.
// Paths      the input goes to registers alone. It must be a register of the other clock; constrain
//            the way here to less than a period of either clock (README).
module synchronizer #(
  parameter int Width  = 1,
  parameter int Stages = 2
) (
  input  logic             clk,
  input  logic             rst,

  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Stages < 2) begin : gen_check_stages
    $error("Stages must be at least 2, so that a register that hesitates has time to settle.");
  end

  (* ASYNC_REG = "TRUE" *)
  logic [Stages-1:0][Width-1:0] stage_q;

  assign data_o = stage_q[Stages-1];

  always_ff @(posedge clk) begin
    stage_q <= {stage_q[Stages-2:0], data_i};

    if (rst) stage_q <= '0;
  end

endmodule
