// SPDX-License-Identifier: Apache-2.0

// Tells the simulator of every entry that goes into or comes out of the timer queues, so that it
// knows when the engine will next do anything by itself and can pass over the time until then.
//
// Bound to timer_queues below: the RTL does not know of it. The functions are in
// simulation/engine/deadlines.cpp. An entry that went in is due wait_us after the time of that
// clock; entries of a class come out in the order in which they went in.
module timer_watch
  import tcp_pkg::*;
#(
  localparam int ClassWidth = $clog2(TimerClasses)
) (
  input logic                  clk,

  input logic                  armed_i,
  input logic [ClassWidth-1:0] armed_class_i,
  input logic                  expired_i,
  input logic [ClassWidth-1:0] expired_class_i
);

  import "DPI-C" function void toehold_timer_armed(
    input int timer_class,
    input int wait_us
  );
  import "DPI-C" function void toehold_timer_expired(input int timer_class);

  always_ff @(posedge clk) begin
    if (armed_i) begin
      toehold_timer_armed(32'(armed_class_i), 1 << (32'(armed_class_i) + TimerClassMinLog2));
    end
    if (expired_i) toehold_timer_expired(32'(expired_class_i));
  end

endmodule

bind timer_queues timer_watch timer_watch (
  .clk,
  .armed_i        (arm_valid && init_done_o && !rst),
  .armed_class_i  (arm_class),
  .expired_i      (take && !rst),
  .expired_class_i(visit_f_q.timer_class)
);
