// SPDX-License-Identifier: Apache-2.0

// toe_counter_bank: the total of any one counter is the sum of all its increments, each total goes
// round in time, and every read is answered with the total, in time.
module toe_counter_bank_props
  import toe_counters_pkg::*;
  import toehold_counters_pkg::*;
(
  input logic          clk,
  input logic          rst,
  input toe_counters_t counters_i,
  input logic          read_i,
  input logic [6:0]    read_index_i,
  // Any one counter, the same for ever.
  input logic [CounterIndexWidth-1:0] watched
);

  logic read_valid, visit_valid;
  logic [31:0] read_total, visit_total;
  counter_e visit_index;

  toe_counter_bank dut (
    .clk,
    .rst,
    .counters_i,
    .read_i,
    .read_index_i,
    .read_valid_o (read_valid),
    .read_total_o (read_total),
    .visit_valid_o(visit_valid),
    .visit_index_o(visit_index),
    .visit_total_o(visit_total)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  always_ff @(posedge clk) begin
    assume (watched < CounterIndexWidth'(Counters));
    if (started) assume (watched == $past(watched));
  end

  // The sum of all increments, as the bank sees them, and as it was when the turn now in stage 3
  // began.
  amounts_t counted_q;
  logic [31:0] sum_q, sum_1_q, sum_2_q, sum_3_q;

  always_ff @(posedge clk) begin
    counted_q <= amounts(counters_i);
    sum_q     <= sum_q + 32'(counted_q[watched]);
    sum_1_q   <= sum_q;
    sum_2_q   <= sum_1_q;
    sum_3_q   <= sum_2_q;
    if (rst) begin
      counted_q <= '0;
      sum_q     <= '0;
    end
  end

  // Clocks since the last turn, and since a read that is not answered yet.
  logic [4:0] silent_q, waited_q;
  logic       asked_q;
  logic [6:0] asked_index_q;

  always_ff @(posedge clk) begin
    silent_q <= silent_q + 1'b1;
    waited_q <= waited_q + 1'b1;
    if (visit_valid && visit_index == counter_e'(watched)) silent_q <= '0;
    if (read_i) begin
      asked_q       <= 1'b1;
      asked_index_q <= read_index_i;
      waited_q      <= '0;
    end else if (read_valid) begin
      asked_q <= 1'b0;
    end
    if (rst) begin
      silent_q <= '0;
      asked_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assume (!(read_i && asked_q));

      if (visit_valid && visit_index == counter_e'(watched)) assert (visit_total == sum_3_q);

      // Right after reset the round that clears the RAM comes first.
      assert (silent_q < 5'(2 * Counters + 4));
      if (asked_q) assert (waited_q < 5'(2 * Counters + 5));

      if (read_valid) begin
        assert (asked_q);
        if (asked_index_q >= 7'(Counters))
          assert (read_total == '0);
          else if (asked_index_q == 7'(watched)) begin
            assert ($past(visit_valid) && $past(visit_index) == counter_e'(watched));
            assert (read_total == $past(visit_total));
          end
      end

      cover (visit_valid && visit_total > 32'd8 && read_valid && read_total > 32'd4);
      cover (read_valid && asked_index_q > 7'd100);
    end
  end

endmodule
