// SPDX-License-Identifier: Apache-2.0

// Event queue in front of an application that may not listen: the engine side never waits.
//
// Order is kept, and an event comes out only after the application has taken the received packets
// that went before it (packets_in_i counts them going into a queue, packets_out_i coming out).
// When the queue is half full, EventAcked is left out, for the next status tells the same, and so is
// EventNotice, which asks for nothing; when it is full, everything is, and lost_o pulses.
module guard_events
  import app_pkg::*;
#(
  parameter int Depth = 256
) (
  input  logic        clk,
  input  logic        rst,

  input  logic [15:0] packets_in_i,
  input  logic [15:0] packets_out_i,

  input  app_event_t  s_event,
  input  logic        s_event_valid,
  output logic        s_event_ready,

  output app_event_t  m_event,
  output logic        m_event_valid,
  input  logic        m_event_ready,

  output logic        lost_o
);

  typedef struct packed {
    app_event_t  message;
    logic [15:0] packets;  // that go before it
  } entry_t;

  entry_t head;
  logic half_full, spare, push, room, head_valid;
  logic [15:0] packets_q;  // of the head
  logic none_ahead_q;  // of the packets before that
  logic [1:0] step_q;  // packets_q and none_ahead_q are of this head
  logic open_q;  // it may leave
  logic [$clog2(Depth+1)-1:0] count;
  logic [15:0] ahead;

  assign half_full = count >= ($clog2(Depth + 1))'(Depth / 2);
  assign spare     = s_event.kind == EventAcked || s_event.kind == EventNotice;
  assign push      = s_event_valid && !(half_full && spare);

  stream_fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) queue (
    .clk,
    .rst,
    .s_data ('{message: s_event, packets: packets_in_i}),
    .s_valid(push),
    .s_ready(room),
    .m_data (head),
    .m_valid(head_valid),
    .m_ready(m_event_valid && m_event_ready),
    .count_o(count)
  );

  assign s_event_ready = 1'b1;

  // Not more than 2^15 packets can be ahead; with none at all in the queue, the numbers may be as
  // old as they like. The queue's output is slow, so it is registered and judged in two steps.
  assign ahead         = packets_q - packets_out_i;
  assign m_event       = head.message;
  assign m_event_valid = head_valid && open_q;

  always_ff @(posedge clk) begin
    lost_o       <= push && !room;
    packets_q    <= head.packets;
    none_ahead_q <= ahead == '0 || ahead[15] || packets_in_i == packets_out_i;
    if (m_event_valid && m_event_ready) begin
      step_q <= '0;
      open_q <= 1'b0;
    end else begin
      step_q <= {step_q[0], head_valid};
      if (step_q[1] && none_ahead_q) open_q <= 1'b1;
    end

    if (rst) begin
      step_q <= '0;
      open_q <= 1'b0;
      lost_o <= 1'b0;
    end
  end

endmodule
