// SPDX-License-Identifier: Apache-2.0

// Who joins the transmit queue, and when: at once, or where a segment has just gone out and pacing is on,
// after the time that the segment takes at the connection's pace.
//
//   push --+-- not paced -------------------------------------+--> m, to the transmit queue
//          +-- pace_interval --+-- no wait -------------------+
//                              +-- pace_calendar, its time ---+
//
// Latency    none if it is not paced, which goes first; else 5 clocks and the wait.
// Throughput one a clock in, and out but for what comes from the calendar: one in three clocks.
module transmit_pacer
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       31:0] now_us,
  output logic               init_done_o,

  input  logic [IdWidth-1:0] push_id,
  input  pace_t              push_pace,
  input  logic [       15:0] push_length,  // of the segment
  input  logic               push_valid,

  output logic [IdWidth-1:0] m_id,
  output logic               m_valid
);

  localparam int Levels = 6;
  localparam int SlotsLog2 = 5;
  localparam int WaitWidth = SlotsLog2 + 2 * (Levels - 1);

  logic [IdWidth-1:0] timed_id, due_id;
  logic [WaitWidth-1:0] wait_us;
  logic timed_valid, due_valid, at_once, no_wait;

  pace_interval #(
    .Tag      (logic [IdWidth-1:0]),
    .WaitWidth(WaitWidth)
  ) interval (
    .clk,
    .rst,
    .s_tag       (push_id),
    .s_srtt_us   (push_pace.srtt),
    .s_cwnd      (push_pace.cwnd),
    .s_length    (push_length),
    .s_slow_start(push_pace.slow_start),
    .s_valid     (push_valid && push_pace.valid),
    .m_tag       (timed_id),
    .m_wait_us   (wait_us),
    .m_valid     (timed_valid)
  );

  assign at_once = push_valid && !push_pace.valid;
  assign no_wait = timed_valid && wait_us == '0 && !at_once;

  pace_calendar #(
    .Connections(Connections),
    .Levels     (Levels),
    .SlotsLog2  (SlotsLog2)
  ) calendar (
    .clk,
    .rst,
    .now_us,
    .init_done_o,
    .push_id     (timed_id),
    .push_wait_us(wait_us),
    .push_valid  (timed_valid && !no_wait),
    .m_id        (due_id),
    .m_valid     (due_valid),
    .m_ready     (!at_once && !no_wait)
  );

  assign m_id    = at_once ? push_id : no_wait ? timed_id : due_id;
  assign m_valid = at_once || no_wait || due_valid;

endmodule
