// SPDX-License-Identifier: Apache-2.0

// What enters a shift register is low, and so is what leaves it, but for what may be in it at the start:
// it takes induction as many good clocks as there are stages to say so.
module late_fault_props #(
  parameter int Stages = 6,
  parameter int Place  = 0,  // the stage that is high at the start, counted from the end; 0: none
  parameter int Ends   = 0   // the clock in which assumptions contradict each other; 0: none
) (
  input logic clk,
  input logic enters
);

  logic [Stages-1:0] stages_q = Place == 0 ? '0 : Stages'(1) << (Place - 1);
  logic [       3:0] age_q = '0;

  always_ff @(posedge clk) begin
    stages_q <= {enters, stages_q[Stages-1:1]};
    if (age_q != '1) age_q <= age_q + 1'b1;
    assume (!enters);
    assume (Ends == 0 || enters || age_q != 4'(Ends));
    assert (!stages_q[0]);
  end

endmodule
