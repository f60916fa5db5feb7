// SPDX-License-Identifier: Apache-2.0

// crossing_order, between two FIFOs that take any time: whenever one of the second comes out, all of
// the first that had gone in before it are out; what is offered is not withdrawn; and both streams
// come to their ends.
//
// The two clocks are one here: the module compares counts that come out of FIFOs, which is where the
// clocks part (stream_async_fifo_props). The FIFOs are counts: that of the first lets go when it
// likes, that of the second hides what it has for two clocks at most.
module crossing_order_props (
  input logic clk,
  input logic rst,
  input logic first_in,      // one of the first goes in
  input logic second_in,     // one of the second goes in, if there is room
  input logic first_shown,   // the FIFO of the first shows what it has
  input logic second_shown,
  input logic first_ready,   // the consumers
  input logic second_ready
);

  localparam int CountWidth = 4;
  localparam int Room = 2 ** (CountWidth - 2) - 1;

  typedef logic [CountWidth-1:0] count_t;

  // The FIFO of the first: how many are inside. That of the second: their counts, and how many of the
  // first had truly gone in.
  logic [2:0] held_q = '0;
  logic [6:0] first_in_q = '0, first_out_q = '0;
  count_t counts_q[2];
  logic [6:0] truths_q[2];
  logic [1:0] waiting_q = '0;
  logic first_shown_q = 1'b0, second_shown_q = 1'b0;

  logic first_take, first_valid_raw, first_ready_raw, first_valid, open, second_valid, second_take;
  count_t count;

  assign first_take = first_in && held_q < 3'(Room);
  assign first_valid_raw = held_q != '0 && first_shown_q;
  assign second_valid = waiting_q != '0 && second_shown_q && open;
  assign second_take = second_in && waiting_q != 2'd2;

  crossing_order #(
    .CountWidth(CountWidth)
  ) dut (
    .s_clk          (clk),
    .s_rst          (rst),
    .s_first_i      (first_take),
    .s_count_o      (count),
    .m_clk          (clk),
    .m_rst          (rst),
    .m_first_valid_i(first_valid_raw),
    .m_first_end_i  (1'b1),
    .m_first_ready_o(first_ready_raw),
    .m_first_valid_o(first_valid),
    .m_first_ready_i(first_ready),
    .m_waiting_i    (waiting_q != '0 && second_shown_q),
    .m_count_i      (counts_q[0]),
    .m_open_o       (open)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  logic hidden_q = 1'b0;
  always_ff @(posedge clk) begin
    hidden_q <= !rst && waiting_q != '0 && !second_shown_q;
    if (hidden_q && waiting_q != '0 && !second_shown_q) assume (second_shown);
  end

  logic first_out, second_out;
  assign first_out = first_valid_raw && first_ready_raw;
  assign second_out = second_valid && second_ready;

  always_ff @(posedge clk) begin
    // What a FIFO shows it goes on showing, until it is taken.
    first_shown_q  <= first_shown || (first_shown_q && held_q != '0 && !first_out);
    second_shown_q <= second_shown || (second_shown_q && waiting_q != '0 && !second_out);
    held_q <= held_q + 3'(first_take) - 3'(first_out);
    first_in_q <= first_in_q + 7'(first_take);
    first_out_q <= first_out_q + 7'(first_out);
    assume (first_in_q != '1);
    waiting_q <= waiting_q + 2'(second_take) - 2'(second_out);
    if (second_out) begin
      counts_q[0] <= counts_q[1];
      truths_q[0] <= truths_q[1];
    end
    if (second_take) begin
      counts_q[1'(waiting_q - 2'(second_out))] <= count;
      truths_q[1'(waiting_q - 2'(second_out))] <= first_in_q + 7'(first_take);
    end

    if (rst) begin
      first_shown_q  <= 1'b0;
      second_shown_q <= 1'b0;
      held_q         <= '0;
      first_in_q     <= '0;
      first_out_q    <= '0;
      waiting_q      <= '0;
    end
  end

  logic first_stalled_q = 1'b0, second_stalled_q = 1'b0, both_wait_q = 1'b0;
  always_ff @(posedge clk) begin
    both_wait_q <= !rst && waiting_q != '0 && second_shown_q && !open && dut.gen_count.hold_q;
    first_stalled_q  <= !rst && first_valid && !first_ready;
    second_stalled_q <= !rst && second_valid && !second_ready;
    if (started && !rst) begin
      assert (first_out == (first_valid && first_ready));
      if (first_stalled_q) assert (first_valid);
      if (second_stalled_q) assert (second_valid);
      if (second_valid) assert (first_out_q >= truths_q[0]);
      // If the second waits for the first, the first waits for the second no longer than a clock.
      if (both_wait_q) assert (!dut.gen_count.hold_q);
    end
    cover (started && !rst && waiting_q == 2'd2 && second_shown_q && !open);
    cover (started && !rst && second_out && first_out_q > truths_q[0] + 7'd2);
    cover (started && !rst && dut.gen_count.hold_q && second_out);
    cover (started && !rst && first_in_q == 7'd18 && second_out && first_out_q == truths_q[0]);
  end

endmodule
