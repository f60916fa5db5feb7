// SPDX-License-Identifier: Apache-2.0

// All counters of toe_counters_pkg, 32 bits each, in one RAM.
//
//   counters_i --> pending, a few bits each --(one a clock, in turn)--> + --> RAM
//                                                                      ^       |
//                                                                      +-------+
//
// Increments collect in small counters that cannot overflow until their turn comes; each turn adds
// what has collected to the total. So a counter costs six flip-flops and a word of RAM instead of
// thirty-two flip-flops and a share of the read multiplexer.
//
// Throughput  every increment of every clock is counted, once.
// Latency     a total is at most Counters + 3 clocks old; a read takes up to Counters + 4.
// Broadcast   the totals go round on visit_*, one each clock: who shows them to people may listen
//             there instead of reading.
// Reset       all totals are zero; reads wait until the RAM has been cleared.
// Cuts        every path.
module toe_counter_bank
  import toe_counters_pkg::*;
  import toehold_counters_pkg::*;
(
  input logic clk,
  input logic rst,

  input toe_counters_t counters_i,

  // A read: a pulse and an index; some clocks later, an acknowledgement with the total, or zero for
  // an index past the last counter. No second read before that.
  input  logic        read_i,
  input  logic [ 6:0] read_index_i,
  output logic        read_valid_o,
  output logic [31:0] read_total_o,

  output logic        visit_valid_o,
  output counter_e    visit_index_o,
  output logic [31:0] visit_total_o
);

  // A turn comes every Counters clocks, and brings at most one event or one byte increment each.
  localparam int EventWidth = $clog2(Counters + 1);
  localparam int BytesWidth = ByteIncrementWidth + EventWidth;
  localparam logic [Counters-1:0] CountsBytes = counts_bytes();
  localparam logic [CounterIndexWidth-1:0] LastIndex = CounterIndexWidth'(Counters - 1);

  typedef logic [CounterIndexWidth-1:0] index_t;

  // Registered once, since the pulses come from all over the engine, and so is the reset, which goes to all of it:
  // it clears many bits here. What came with its last clock is in counters_q then, and is not counted.
  toe_counters_t counters_q;
  amounts_t      amounts_now;
  logic          reset_q;

  always_ff @(posedge clk) begin
    counters_q <= counters_i;
    reset_q    <= rst;
  end

  assign amounts_now = amounts(counters_q);

  // Stage 0: whose turn it is. The first round after reset writes zeros.
  index_t turn_q;
  logic   clearing_q;

  always_ff @(posedge clk) begin
    turn_q <= turn_q + 1'b1;
    if (turn_q == LastIndex) begin
      turn_q     <= '0;
      clearing_q <= 1'b0;
    end

    if (reset_q) begin
      turn_q     <= '0;
      clearing_q <= 1'b1;
    end
  end

  // What has collected since the last turn.
  logic [Counters-1:0][BytesWidth-1:0] pending;

  for (genvar i = 0; i < Counters; i++) begin : gen_pending
    localparam int PendingWidth = CountsBytes[i] ? BytesWidth : EventWidth;
    localparam int AmountWidth = CountsBytes[i] ? ByteIncrementWidth : 1;

    logic [PendingWidth-1:0] pending_q;
    logic [AmountWidth-1:0] amount;

    assign amount = amounts_now[i][AmountWidth-1:0];

    always_ff @(posedge clk) begin
      if (turn_q == index_t'(i)) pending_q <= PendingWidth'(amount);
      else if (amount != '0) pending_q <= pending_q + PendingWidth'(amount);
      if (reset_q) pending_q <= '0;
    end

    assign pending[i] = BytesWidth'(pending_q);
  end

  // Stages 1 and 2: the RAM is read; its output register is the second.
  index_t turn_1_q, turn_2_q;
  logic clearing_1_q, clearing_2_q;
  logic [BytesWidth-1:0] amount_1_q, amount_2_q;
  logic [31:0] total_2;

  always_ff @(posedge clk) begin
    turn_1_q     <= turn_q;
    turn_2_q     <= turn_1_q;
    clearing_1_q <= clearing_q;
    clearing_2_q <= clearing_1_q;
    amount_1_q   <= pending[turn_q];
    amount_2_q   <= amount_1_q;
  end

  // Stage 3: the new total, on its way to the RAM, to the reader and to the listeners.
  index_t      turn_3_q;
  logic [31:0] total_3_q;
  logic valid_1_q, valid_2_q, valid_3_q;
  logic clear_3_q;

  always_ff @(posedge clk) begin
    turn_3_q  <= turn_2_q;
    total_3_q <= (clearing_2_q ? '0 : total_2) + 32'(amount_2_q);
    clear_3_q <= clearing_2_q;

    valid_1_q <= !reset_q;
    valid_2_q <= valid_1_q;
    valid_3_q <= valid_2_q;

    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
      valid_3_q <= 1'b0;
    end
  end

  ram_simple_dual_port #(
    .Width(32),
    .Depth(Counters),
    .ReadLatency(2)
  ) total_ram (
    .clk,
    .write_enable_i (valid_3_q),
    .write_address_i(turn_3_q),
    .write_data_i   (total_3_q),
    .read_enable_i  (1'b1),
    .read_address_i (turn_q),
    .read_data_o    (total_2)
  );

  assign visit_valid_o = valid_3_q && !clear_3_q;
  assign visit_index_o = counter_e'(turn_3_q);
  assign visit_total_o = total_3_q;

  // A read waits for the next turn of its counter; what is past the last is answered at once.
  logic       waiting_q;
  logic [6:0] wanted_q;
  logic found, past_last;

  assign found     = visit_valid_o && 7'(visit_index_o) == wanted_q;
  assign past_last = wanted_q > 7'(Counters - 1);

  always_ff @(posedge clk) begin
    read_valid_o <= 1'b0;
    if (read_i) begin
      waiting_q <= 1'b1;
      wanted_q  <= read_index_i;
    end else if (waiting_q && (found || past_last)) begin
      waiting_q    <= 1'b0;
      read_valid_o <= 1'b1;
      read_total_o <= past_last ? '0 : visit_total_o;
    end

    if (rst) begin
      waiting_q    <= 1'b0;
      read_valid_o <= 1'b0;
    end
  end

endmodule
