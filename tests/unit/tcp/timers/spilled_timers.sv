// SPDX-License-Identifier: Apache-2.0

// timer_queues with timer_spill in front, as the engine has them.
module spilled_timers
  import line_memory_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 256,
  parameter  int Depth       = 16,
  parameter  int Slack       = 20,
  localparam int IdWidth     = $clog2(Connections),
  localparam int ClassWidth  = $clog2(TimerClasses)
) (
  input  logic                  clk,
  input  logic                  rst,
  input  timer_us_t             now_us,
  output logic                  init_done_o,
  input  logic [   IdWidth-1:0] arm_id,
  input  logic [ClassWidth-1:0] arm_class,
  input  logic                  arm_valid,
  output logic                  room_o,
  output logic [   IdWidth-1:0] m_id,
  output logic [ClassWidth-1:0] m_class,
  output logic                  m_valid,
  input  logic                  m_ready,
  output line_request_t         m_line,
  output logic                  m_line_valid,
  input  logic                  m_line_ready,
  input  line_response_t        s_line,
  input  logic                  s_line_valid
);

  logic [IdWidth-1:0] arriving_id;
  logic [ClassWidth-1:0] arriving_class;
  timer_us_t arriving_us;
  logic arriving_valid;

  timer_spill #(
    .Connections(Connections),
    .Depth      (Depth),
    .Slack      (Slack)
  ) spill (
    .clk,
    .rst,
    .now_us,
    .arm_id,
    .arm_class,
    .arm_valid,
    .room_o,
    .m_id       (arriving_id),
    .m_class    (arriving_class),
    .m_us       (arriving_us),
    .m_valid    (arriving_valid),
    .taken_class(m_class),
    .taken_valid(m_valid && m_ready),
    .m_line,
    .m_line_valid,
    .m_line_ready,
    .s_line,
    .s_line_valid
  );

  timer_queues #(
    .Connections(Connections),
    .Depth      (Depth)
  ) queues (
    .clk,
    .rst,
    .now_us,
    .init_done_o,
    .arm_id   (arriving_id),
    .arm_class(arriving_class),
    .arm_us   (arriving_us),
    .arm_valid(arriving_valid),
    .m_id,
    .m_class,
    .m_valid,
    .m_ready
  );

endmodule
