// SPDX-License-Identifier: Apache-2.0

// stream_fifo: first in, first out; stable while stalled; count_o exact; takes Depth transfers, no
// more (with Half beside the output stage, which count_o leaves out); full throughput when empty and when full.
module stream_fifo_props #(
  parameter int Depth    = 4,
  parameter int BlockRam = 0,
  parameter bit Half     = 1'b0,
  parameter bit Straight = BlockRam != 1 && !Half
) (
  input logic       clk,
  input logic       rst,
  input logic [3:0] s_data,
  input logic       s_valid,
  input logic       m_ready,
  input logic [7:0] watched_index
);

  localparam int CountWidth = $clog2(Depth + 1);

  logic s_ready, m_valid;
  logic [3:0] m_data;
  logic [CountWidth-1:0] count_o;

  stream_fifo #(
    .T       (logic [3:0]),
    .Depth   (Depth),
    .BlockRam(BlockRam),
    .Half    (Half),
    .Straight(Straight)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  stream_contract #(
    .Width(4)
  ) m_contract (
    .clk,
    .rst,
    .data (m_data),
    .valid(m_valid),
    .ready(m_ready)
  );

  logic [7:0] in_count, out_count, ahead;
  logic [3:0] watched, stored;
  logic watched_seen;

  stream_order #(
    .Width    (4),
    .CountBits(8)
  ) order (
    .clk,
    .rst,
    .watched_index,
    .in_take       (s_valid && s_ready),
    .in_data       (s_data),
    .out_valid     (m_valid),
    .out_take      (m_valid && m_ready),
    .out_data      (m_data),
    .in_count_o    (in_count),
    .out_count_o   (out_count),
    .watched_seen_o (watched_seen),
    .watched_o     (watched)
  );

  // What count_o says is held, and what the memory holds.
  logic [7:0] held, kept;
  assign held = in_count - out_count - (Half ? 8'(m_valid) : 8'd0);
  assign kept = 8'(count_o) - (Half ? 8'd0 : 8'(m_valid) + 8'(dut.ahead_q));

  // Where the transfer watched is while it waits in the memory.
  logic [7:0] place;
  assign ahead = watched_index - out_count;
  assign place = (8'(dut.read_q) + 8'(Depth) + ahead - 8'(m_valid) - 8'(dut.ahead_q)) % 8'(Depth);

  if (BlockRam != 0) begin : gen_block
    assign stored = dut.gen_block.ram.memory[place[$clog2(Depth)-1:0]];
  end else begin : gen_distributed
    assign stored = dut.gen_distributed.ram.memory[place[$clog2(Depth)-1:0]];
  end

  // Running at full speed while full (and while empty) for some clocks.
  logic [2:0] full_speed_q = '0, streak_q = '0;
  always_ff @(posedge clk) begin
    if (rst || !(s_valid && s_ready && m_valid && m_ready)) streak_q <= '0;
    else if (streak_q != '1) streak_q <= streak_q + 1'b1;
    if (rst || count_o < CountWidth'(Depth - 1) || !m_ready) full_speed_q <= '0;
    else if (full_speed_q != '1) full_speed_q <= full_speed_q + 1'b1;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (8'(count_o) == held);
      assert (count_o <= CountWidth'(Depth));
      assert (s_ready == (count_o != CountWidth'(Depth)));
      assert (BlockRam != 0 || !Straight || Half || m_valid == (count_o != '0));

      // What ties the memory to the order.
      assert (Half || count_o >= CountWidth'(m_valid) + CountWidth'(dut.ahead_q));
      assert (dut.read_q < Depth && dut.write_q < Depth);
      assert (8'(dut.write_q) == (8'(dut.read_q) + kept) % 8'(Depth));
      if (watched_seen && watched_index >= out_count && !(m_valid && ahead == '0))
        assert (stored == watched);
      // What the RAM shows follows the output stage.
      if (dut.ahead_q && watched_seen && watched_index >= out_count && ahead == 8'(m_valid))
        assert (dut.stored_data == watched);
    end
    // Full speed while nearly empty and while full; with Half that is no two clocks in a row.
    if (Half) begin
      assert (streak_q <= 3'd1);
      cover (started && !rst && out_count == 8'd3 && count_o == CountWidth'(1) && m_valid);
      cover (started && !rst && in_count - out_count == 8'(Depth) + 8'd1);
    end else begin
      cover (started && !rst && streak_q == 3'd5 && count_o == CountWidth'(Straight ? 1 : 2));
      cover (started && !rst && full_speed_q == 3'd4 && streak_q == 3'd3);
    end
    cover (started && !rst && count_o == CountWidth'(Depth) && out_count == 8'd2);
  end

endmodule
