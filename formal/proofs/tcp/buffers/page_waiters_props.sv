// SPDX-License-Identifier: Apache-2.0

// page_waiters: of a connection that is watched, an id comes out only if one went in since the last one came
// out; one that went in and has not come out is kept, once, and connections leave in the order in which they
// began to wait. Nobody is told while there is no page.
module page_waiters_props
  import line_memory_pkg::*;
#(
  parameter  int Connections = 4,
  parameter  int Slack       = 4,
  localparam int IdWidth     = $clog2(Connections)
) (
  input logic               clk,
  input logic               rst,
  input logic [IdWidth-1:0] push_id,
  input logic               push_valid,
  input logic               pages_free_i,
  input logic               page_freed_i,
  input logic               m_ready,
  input line_response_t     s_line,
  input logic [IdWidth-1:0] watched
);

  logic init_done, room, m_valid;
  logic [IdWidth-1:0] m_id;
  line_request_t line;
  logic line_valid;

  page_waiters #(
    .Connections(Connections),
    .Slack      (Slack),
    .TurnClocks (4)
  ) dut (
    .clk,
    .rst,
    .init_done_o (init_done),
    .push_id,
    .push_valid,
    .room_o      (room),
    .pages_free_i,
    .page_freed_i,
    .m_id,
    .m_valid,
    .m_ready,
    .m_line      (line),
    .m_line_valid(line_valid),
    .m_line_ready(1'b0),
    .s_line,
    .s_line_valid(1'b0)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started)
      assume (rst);
      else assume (watched == $past(watched));
  end

  // Pushes come when all is clear, while there is room, and Slack - 2 more.
  logic [$clog2(Slack+1)-1:0] late_q;

  always_ff @(posedge clk) begin
    if (room) late_q <= '0;
    else if (push_valid) late_q <= late_q + 1'b1;
    if (rst) late_q <= '0;
    if (push_valid) assume (init_done && !rst && (room || late_q < ($bits(late_q))'(Slack - 2)));
  end

  // What is in the two queues, of the connection that is watched.
  localparam int Places = 8;

  logic coming, going, pushed;
  int coming_count, going_count;
  logic [2:0] place;
  logic [IdWidth-1:0] stored;
  logic bit_now;

  always_comb begin
    coming_count = 0;
    going_count  = 0;
    for (int i = 0; i < Places; i++) begin
      place = dut.pushes.read_q + 3'(i);
      stored = dut.pushes.gen_distributed.ram.memory[place];
      if (i < int'(dut.pushed_count) - int'(dut.pushes.m_valid) && stored == watched)
        coming_count++;
    end
    if (dut.pushes.m_valid && dut.pushes.m_data == watched) coming_count++;
    for (int i = 0; i < Connections; i++) begin
      if (i < int'(dut.order.count_o) && dut.order.entries_q[i] == watched) going_count++;
    end
  end

  logic [Connections-1:0] bits_seen, dut_bits;

  always_comb begin
    bits_seen = '0;
    for (int i = 0; i < Connections; i++) begin
      if (i < int'(dut.order.count_o)) bits_seen[dut.order.entries_q[i]] = 1'b1;
      dut_bits[i] = dut.bits.memory[i];
    end
  end

  assign coming  = coming_count != 0;
  assign going   = going_count != 0;
  assign pushed  = push_valid && push_id == watched;
  assign bit_now = dut.bits.memory[watched];

  // It went in, and has not come out. States are 2, StPush, and 3, StPop.
  logic waits_q, offered;
  assign offered = m_valid && m_id == watched;

  always_ff @(posedge clk) begin
    if (dut.state_q == 2'd3 && dut.head_id == watched) waits_q <= coming || pushed;
    else if (pushed) waits_q <= 1'b1;
    if (rst) waits_q <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (started && !rst && init_done) begin
      assert (waits_q == (coming || going));
      assert (going_count <= 1);
      if (push_valid) assert (dut.unused_ready);  // no push is lost
      // For induction: the queues are as they can be.
      assert (dut.pushes.m_valid == (dut.pushed_count != '0));
      assert (dut.pushes.full_q == (32'(dut.pushed_count) == Places));
      assert (3'(dut.pushes.write_q - dut.pushes.read_q) ==
              3'(dut.pushed_count - 4'(dut.pushes.m_valid)));
      assert (32'(dut.pushed_count) <= Places - Slack + 2 + 32'(late_q));
      assert (room || 32'(late_q) <= Slack - 2);
      assert (bits_seen == dut_bits);
      assert ($countones(bits_seen) == 32'(dut.order.count_o));
      assert (bit_now == going);
      if (dut.state_q == 2'd2) begin
        assert (dut.pushed_valid);
        assert (dut.waits == dut_bits[dut.pushed_id]);
      end
      if (dut.state_q == 2'd3) assert (dut.head_valid && !m_valid);
    end
    // While the bits are cleared nothing waits.
    if (started && !rst && !init_done) begin
      assert (dut.pushed_count == '0 && !dut.pushes.m_valid && !dut.pushes.full_q);
      assert (dut.pushes.write_q == dut.pushes.read_q);
      assert (dut.order.count_o == '0 && !waits_q && !m_valid && late_q == '0);
      for (int i = 0; i < Connections; i++) if (i < int'(dut.clear_q)) assert (!dut_bits[i]);
    end
    if (started && !rst && $past(!rst)) begin
      // An offer stays.
      if ($past(m_valid && !m_ready)) assert (m_valid && m_id == $past(m_id));
      // It is of one that waited, when there were pages.
      if (offered && !$past(m_valid)) assert ($past(waits_q) && $past(pages_free_i, 2));
    end
    cover (started && !rst && offered && going);
    cover (started && !rst && offered && m_ready && $past(m_valid && m_id != watched, 4));
    cover (started && !rst && coming_count == 2 && going);
    cover (started && !rst && !room && init_done && $past(room));
  end

endmodule
