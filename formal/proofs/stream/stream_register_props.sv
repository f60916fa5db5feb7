// SPDX-License-Identifier: Apache-2.0

// stream_register: first in, first out; stable while stalled; holds two, and has full throughput, or
// holds one (Half).
module stream_register_props #(
  parameter bit Wide = 1'b0,
  parameter bit Half = 1'b0
) (
  input logic       clk,
  input logic       rst,
  input logic [7:0] s_data,
  input logic       s_valid,
  input logic       m_ready,
  input logic [7:0] watched_index
);

  logic s_ready, m_valid;
  logic [7:0] m_data;

  stream_register #(
    .T   (logic [7:0]),
    .Wide(Wide),
    .Half(Half)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  stream_contract #(
    .Width(8)
  ) m_contract (
    .clk,
    .rst,
    .data (m_data),
    .valid(m_valid),
    .ready(m_ready)
  );

  logic [7:0] in_count, out_count, watched;
  logic watched_seen;

  stream_order #(
    .Width    (8),
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

  // Where the transfer behind the one at the output is.
  logic [7:0] second;

  if (Half) begin : gen_one_place
    assign second = m_data;
  end else if (Wide) begin : gen_turns
    assign second = dut.gen_turns.place_q[!dut.gen_turns.read_q];
    always_ff @(posedge clk) begin
      // The places are filled and emptied in turn.
      if (started && !rst)
        assert ((dut.gen_turns.write_q == dut.gen_turns.read_q) == (m_valid != s_ready));
    end
  end else begin : gen_spare
    assign second = dut.gen_spare.spare_q;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (8'(in_count - out_count) == 8'(m_valid) + 8'(!s_ready && !Half));
      // The spare fills only behind a full output, and holds the next in turn.
      assert (m_valid || s_ready);
      if (!Half && !s_ready && watched_seen && 8'(out_count + 8'd1) == watched_index)
        assert (second == watched);
    end
    cover (started && !rst && out_count == 8'd4 && m_valid && m_ready && s_valid
        && (s_ready || Half));
    cover (started && !rst && !s_ready);
  end

endmodule
