// SPDX-License-Identifier: Apache-2.0

// stream_async_fifo between two clocks of which nothing is known: first in, first out; stable while
// stalled; never more than Depth and one inside; what goes to the other clock changes by one bit at a
// time. A step of the proof is a moment in which either clock, or both, may have an edge.
module stream_async_fifo_props #(
  parameter int Depth = 4
) (
  input logic       s_clk,
  input logic       m_clk,
  input logic       s_rst,
  input logic       m_rst,
  input logic [1:0] s_data,
  input logic       s_valid,
  input logic       m_ready,
  input logic [3:0] watched_index
);

  localparam int PointerWidth = $clog2(Depth) + 1;

  logic s_ready, m_valid;
  logic [1:0] m_data;

  stream_async_fifo #(
    .T    (logic [1:0]),
    .Depth(Depth)
  ) dut (
    .*
  );

  // Both are in reset together for three edges of either, and never again.
  logic [1:0] s_edges = '0, m_edges = '0;
  logic s_started = 1'b0, m_started = 1'b0, released;
  assign released = s_edges == 2'd3 && m_edges == 2'd3;
  always_ff @(posedge s_clk) begin
    if (s_edges != 2'd3) s_edges <= s_edges + 1'b1;
    assume (s_rst == !released);
    s_started <= released;
  end
  always_ff @(posedge m_clk) begin
    if (m_edges != 2'd3) m_edges <= m_edges + 1'b1;
    assume (m_rst == !released);
    m_started <= released;
  end

  // What goes in, by number; the transfer watched.
  logic [3:0] in_count = '0, out_count = '0;
  logic [1:0] watched;
  always_ff @(posedge s_clk) begin
    if (!s_rst && s_valid && s_ready) begin
      assume (in_count != '1);
      in_count <= in_count + 1'b1;
      if (in_count == watched_index) watched <= s_data;
    end
  end

  // An arbitrary number: an input that stays as it was at the first edge.
  logic [3:0] index_q;
  always_ff @(posedge s_clk) if (s_edges == '0) index_q <= watched_index;
  always_comb if (s_edges != '0) assume (watched_index == index_q);

  logic stalled_q = 1'b0;
  logic [1:0] stalled_data_q;
  always_ff @(posedge m_clk) begin
    stalled_q      <= !m_rst && m_valid && !m_ready;
    stalled_data_q <= m_data;
    if (!m_rst && m_valid && m_ready) out_count <= out_count + 1'b1;
    if (!m_rst) begin
      assert (!m_valid || out_count < in_count);
      if (m_valid && out_count == watched_index) assert (m_data == watched);
    end
    cover (m_started && m_valid && m_ready && out_count == 4'(Depth + 2));
  end

  // One bit at a time.
  logic [PointerWidth-1:0] write_gray_q = '0, read_gray_q = '0;
  always_ff @(posedge s_clk) begin
    write_gray_q <= dut.write_gray_q;
    if (s_started) assert (in_count - out_count <= 4'(Depth + 1));
    cover (s_started && !s_ready && in_count - out_count == 4'(Depth + 1));
    cover (s_started && s_ready && in_count == 4'(2 * Depth + 2));
  end
  always_ff @(posedge m_clk) begin
    read_gray_q <= dut.read_gray_q;
  end

  always_comb begin
    if (stalled_q) assert (m_valid && m_data == stalled_data_q);
    if (s_started) assert ($onehot0(dut.write_gray_q ^ write_gray_q));
    if (m_started) assert ($onehot0(dut.read_gray_q ^ read_gray_q));
  end

  // What holds at any moment, for the induction: the pointers and their copies on the other side
  // follow each other around, and the transfer watched is where its number says.
  typedef logic [PointerWidth-1:0] pointer_t;

  function automatic pointer_t from_gray(input pointer_t gray);
    pointer_t number = '0;
    for (int b = PointerWidth - 1; b >= 0; b--) number[b] = ^(gray >> b);
    return number;
  endfunction

  pointer_t seen_write[2], seen_read[2];
  logic [7:0] lap;
  pointer_t spread;
  logic [3:0] ahead;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      seen_write[i] = from_gray(dut.write_synchronizer.stage_q[i]);
      seen_read[i]  = from_gray(dut.read_synchronizer.stage_q[i]);
    end
    spread = dut.write_q - seen_read[1];
    // In integers, so that none of the steps goes backwards.
    lap = 8'(pointer_t'(seen_read[0] - seen_read[1])) + 8'(pointer_t'(dut.read_q - seen_read[0]))
        + 8'(pointer_t'(seen_write[1] - dut.read_q)) + 8'(pointer_t'(seen_write[0] - seen_write[1]))
        + 8'(pointer_t'(dut.write_q - seen_write[0]));
    ahead = watched_index - out_count;
  end

  always_comb begin
    if (s_edges != '0 && m_edges != '0) begin
      assert (lap == 8'(spread) && spread <= pointer_t'(Depth));
      assert (dut.full_q || spread < pointer_t'(Depth));
      assert (dut.write_gray_q == (dut.write_q ^ (dut.write_q >> 1)));
      assert (dut.read_gray_q == (dut.read_q ^ (dut.read_q >> 1)));
      assert (pointer_t'(in_count) == dut.write_q);
      assert (pointer_t'(out_count) + pointer_t'(m_valid) == dut.read_q);
      assert (in_count - out_count - 4'(m_valid) == 4'(pointer_t'(dut.write_q - dut.read_q)));
      assert (5'(out_count) + 5'(m_valid) <= 5'(in_count));
      if (watched_index < in_count && watched_index >= out_count && !(m_valid && ahead == '0))
        assert (dut.ram.memory[watched_index[PointerWidth-2:0]] == watched);
      if (m_valid && ahead == '0) assert (m_data == watched);
    end
    // In reset, each side by itself.
    if (!released) begin
      assert (!s_started && !m_started && !stalled_q && in_count == '0 && out_count == '0);
      if (s_edges != '0)
        assert (dut.full_q && {dut.write_q, dut.write_gray_q, dut.read_synchronizer.stage_q} == '0);
      if (m_edges != '0)
        assert ({m_valid, dut.read_q, dut.read_gray_q, dut.write_synchronizer.stage_q} == '0);
    end
  end

endmodule
