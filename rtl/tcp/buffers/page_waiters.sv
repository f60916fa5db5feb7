// SPDX-License-Identifier: Apache-2.0

// Connections that were refused pages and have nothing on its way whose acknowledgement would tell them
// when to ask again: each is here at most once, in the order of coming, and goes out when there are pages.
//
// Not all at once: one for each page that comes back, and one in TurnClocks, so that nobody waits for ever
// for what another one does not take. Whoever asks and is refused again comes back in behind the others.
// A bit for each connection says who is here; the ids are in far memory where they are many (spill_queue).
// An id may come out that belongs to another connection by now.
//
// Latency    6 clocks from push to m_valid, when empty, and until pages are there and it is time.
// Throughput a push or a pop in 2 clocks.
// Room       room_o falls so soon that Slack - 2 pushes may follow.
// Start      the bits are cleared for Connections clocks after reset; then init_done_o rises.
module page_waiters
  import line_memory_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Slack       = 20,
  parameter  int TurnClocks  = 256,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,
  output logic               init_done_o,

  input  logic [IdWidth-1:0] push_id,
  input  logic               push_valid,
  output logic               room_o,

  input  logic               pages_free_i,  // there is one at least
  input  logic               page_freed_i,  // one more

  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  output line_request_t      m_line,
  output logic               m_line_valid,
  input  logic               m_line_ready,
  input  line_response_t     s_line,
  input  logic               s_line_valid
);

  typedef logic [IdWidth-1:0] id_t;

  localparam int Depth = 2 ** $clog2(2 * Slack);
  localparam int TurnWidth = $clog2(TurnClocks);
  localparam logic [3:0] CreditMost = '1;

  typedef enum logic [1:0] {
    StClear,
    StIdle,
    StPush,  // the bit of the next one that comes has been read
    StPop    // the first one leaves
  } state_e;

  state_e state_q, state_d;
  id_t clear_q, write_id, pushed_id, head_id;
  logic waits, write, write_bit, append, take_push, remove;
  logic pushed_valid, head_valid, queue_room, due, turn;
  logic popped_q;  // a push is next
  logic [3:0] credit_q;  // pages that came back, and nobody has been told
  logic [TurnWidth-1:0] clock_q;
  logic unused_ready;
  logic [$clog2(Depth+1)-1:0] pushed_count;
  logic [$clog2(Connections+1)-1:0] unused_count;

  stream_fifo #(
    .T       (id_t),
    .Depth   (Depth),
    .BlockRam(0)
  ) pushes (
    .clk,
    .rst,
    .s_data (push_id),
    .s_valid(push_valid),
    .s_ready(unused_ready),
    .m_data (pushed_id),
    .m_valid(pushed_valid),
    .m_ready(take_push),
    .count_o(pushed_count)
  );

  ram_simple_dual_port #(
    .Width(1),
    .Depth(Connections)
  ) bits (
    .clk,
    .write_enable_i (write),
    .write_address_i(write_id),
    .write_data_i   (write_bit),
    .read_enable_i  (state_q == StIdle),
    .read_address_i (pushed_id),
    .read_data_o    (waits)
  );

  spill_queue #(
    .Width   (IdWidth),
    .Capacity(Connections)
  ) order (
    .clk,
    .rst,
    .push_data (pushed_id),
    .push_valid(append),
    .room_o    (queue_room),
    .m_data    (head_id),
    .m_valid   (head_valid),
    .m_ready   (remove),
    .count_o   (unused_count),
    .m_line,
    .m_line_valid,
    .m_line_ready,
    .s_line,
    .s_line_valid
  );

  assign due         = head_valid && pages_free_i && (credit_q != '0 || turn) && !m_valid;
  assign turn        = clock_q == '1;
  assign init_done_o = state_q != StClear;

  always_comb begin
    state_d   = state_q;
    write     = 1'b0;
    write_id  = pushed_id;
    write_bit = 1'b1;
    append    = 1'b0;
    take_push = 1'b0;
    remove    = 1'b0;

    unique case (state_q)
      StClear: begin
        write     = 1'b1;
        write_id  = clear_q;
        write_bit = 1'b0;
        if (clear_q == '1) state_d = StIdle;
      end
      StIdle: begin
        if (due && !(popped_q && pushed_valid && queue_room)) state_d = StPop;
        else if (pushed_valid && queue_room) state_d = StPush;
      end
      StPush: begin
        write     = 1'b1;
        append    = !waits;
        take_push = 1'b1;
        state_d   = StIdle;
      end
      StPop: begin
        write     = 1'b1;
        write_id  = head_id;
        write_bit = 1'b0;
        remove    = 1'b1;
        state_d   = StIdle;
      end
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    clear_q <= clear_q + 1'b1;
    room_o  <= pushed_count <= ($bits(pushed_count))'(Depth - Slack);
    if (state_q == StPush) popped_q <= 1'b0;
    if (state_q == StPop) popped_q <= 1'b1;

    if (!turn || state_q == StPop) clock_q <= clock_q + 1'b1;
    if (page_freed_i && state_q != StPop && credit_q != CreditMost) credit_q <= credit_q + 1'b1;
    if (!page_freed_i && state_q == StPop && credit_q != '0) credit_q <= credit_q - 1'b1;

    if (state_q == StPop) m_id <= head_id;
    m_valid <= state_q == StPop || (m_valid && !m_ready);

    if (rst) begin
      state_q  <= StClear;
      clear_q  <= '0;
      room_o   <= 1'b0;
      popped_q <= 1'b0;
      clock_q  <= '0;
      credit_q <= '0;
      m_valid  <= 1'b0;
    end
  end

endmodule
