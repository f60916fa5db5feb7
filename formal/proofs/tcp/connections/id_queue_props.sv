// SPDX-License-Identifier: Apache-2.0

// id_queue: an id comes out once for each time it went in (or was there at reset), and every id that
// is in the queue is offered in the end: there is an offer whenever the queue is not empty.
module id_queue_props #(
  parameter int Connections = 4,
  parameter bit FullAtReset = 1'b0
) (
  input logic                           clk,
  input logic                           rst,
  input logic [$clog2(Connections)-1:0] push_id,
  input logic                           push_valid,
  input logic                           m_ready
);

  localparam int IdWidth = $clog2(Connections);

  logic [IdWidth-1:0] m_id;
  logic m_valid;
  logic [IdWidth:0] count_o;

  id_queue #(
    .Connections(Connections),
    .FullAtReset(FullAtReset)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // The ids that are in the queue.
  logic [Connections-1:0] inside_q;

  always_ff @(posedge clk) begin
    if (push_valid) inside_q[push_id] <= 1'b1;
    if (m_valid && m_ready) inside_q[m_id] <= 1'b0;

    if (rst) inside_q <= FullAtReset ? '1 : '0;
  end

  // What the queue holds, for induction: no id twice, as there are as many ids as entries.
  logic [Connections-1:0] held;
  logic [IdWidth:0] waiting;
  logic [IdWidth-1:0] place;
  int inside_count;
  logic [IdWidth:0] fresh;  // the ids from this one on have not been used yet

  assign waiting = dut.fifo.count_q - (IdWidth + 1)'(dut.fifo.m_valid);

  always_comb begin
    held = '0;
    if (dut.fifo.m_valid) held[dut.fifo.m_data] = 1'b1;
    for (int i = 0; i < Connections; i++) begin
      place = dut.fifo.read_q + IdWidth'(i);
      if (i < int'(waiting)) held[dut.fifo.gen_distributed.ram.memory[place]] = 1'b1;
      if (i >= int'(fresh)) held[i] = 1'b1;
    end
    inside_count = 0;
    for (int i = 0; i < Connections; i++) inside_count += int'(inside_q[i]);
  end

  if (FullAtReset) begin : gen_fresh
    assign fresh = dut.gen_full.fresh_q;
    always_ff @(posedge clk) begin
      if (started && !rst) begin
        assert (fresh <= (IdWidth + 1)'(Connections));
        assert (32'(dut.fifo.count_q) + Connections - 32'(fresh) == inside_count);
      end
    end
  end else begin : gen_not_fresh
    assign fresh = (IdWidth + 1)'(Connections);
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (push_valid) assume (!inside_q[push_id]);

      assert (32'(count_o) == inside_count);
      assert (m_valid == (count_o != '0));
      if (m_valid) assert (inside_q[m_id]);

      assert (held == inside_q);
      assert (dut.fifo.m_valid == (dut.fifo.count_q != '0));
      assert (dut.fifo.full_q == (dut.fifo.count_q == (IdWidth + 1)'(Connections)));
      assert (IdWidth'(dut.fifo.write_q - dut.fifo.read_q) == IdWidth'(waiting));
    end

    cover (started && !rst && inside_q == '0 && $past(inside_q) != '0);
    cover (started && !rst && inside_q == '1 && $past(inside_q) != '1);
    cover (started && !rst && m_valid && m_ready && push_valid && m_id == '1 && push_id == '0);
  end

endmodule
