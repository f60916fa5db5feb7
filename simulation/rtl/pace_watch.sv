// SPDX-License-Identifier: Apache-2.0

// The same for the calendar of connections that are paced: each of its lists is a class of entries, all
// due at the time that the list stands for.
module pace_watch
  import tcp_pkg::*;
#(
  parameter int PlaceWidth = 8,
  parameter int SlotsLog2  = 5
) (
  input logic                  clk,

  input logic [          31:0] now_us,
  input logic [          31:0] stands_i,  // the time at which the wheel of the list stands
  input logic                  armed_i,
  input logic [PlaceWidth-1:0] armed_place_i,
  input logic                  expired_i,
  input logic [PlaceWidth-1:0] expired_place_i
);

  import "DPI-C" function void toehold_timer_armed(
    input int timer_class,
    input int wait_us
  );
  import "DPI-C" function void toehold_timer_expired(input int timer_class);

  localparam logic [PlaceWidth-SlotsLog2-1:0] NoWait = 6;

  // The list comes up after one turn of the wheel or more.
  logic [PlaceWidth-SlotsLog2-1:0] level;
  logic [SlotsLog2-1:0] turns_less_one;
  logic [31:0] due_us, left_us;

  assign level = armed_place_i[PlaceWidth-1:SlotsLog2];
  assign turns_less_one = armed_place_i[SlotsLog2-1:0] - SlotsLog2'(stands_i >> {level, 1'b0})
      - 1'b1;
  assign due_us = stands_i + ((32'(turns_less_one) + 32'd1) << {level, 1'b0});
  assign left_us = due_us - now_us;

  always_ff @(posedge clk) begin
    if (armed_i) begin
      toehold_timer_armed(TimerClasses + 32'(armed_place_i),
                          level == NoWait || left_us[31] ? 0 : left_us);
    end
    if (expired_i) toehold_timer_expired(TimerClasses + 32'(expired_place_i));
  end

endmodule

bind pace_calendar pace_watch #(
  .PlaceWidth(PlaceWidth),
  .SlotsLog2 (SlotsLog2)
) pace_watch (
  .clk,
  .now_us,
  .stands_i       (stands_for_push.memory[place_3_q[PlaceWidth-1:SlotsLog2]]),
  .armed_i        (valid_3_q && !rst),
  .armed_place_i  (place_3_q),
  .expired_i      (m_valid && m_ready && !rst),
  .expired_place_i(turned_place)
);
