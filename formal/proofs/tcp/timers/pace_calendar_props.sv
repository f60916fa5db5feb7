// SPDX-License-Identifier: Apache-2.0

// pace_calendar with two connections and two wheels of eight lists, from the end of its start: an id comes
// out once for each time that it went in, is offered until it is taken, and not before the list of its
// time is due, however the time jumps.
module pace_calendar_props #(
  parameter  int Connections = 2,
  parameter  int Levels      = 2,
  parameter  int SlotsLog2   = 3,
  localparam int IdWidth     = $clog2(Connections),
  localparam int WaitWidth   = SlotsLog2 + 2 * (Levels - 1)
) (
  input logic                 clk,
  input logic [         31:0] now_us,
  input logic [  IdWidth-1:0] push_id,
  input logic [WaitWidth-1:0] push_wait_us,
  input logic                 push_valid,
  input logic                 m_ready,
  input logic [  IdWidth-1:0] watched       // an arbitrary constant
);

  logic rst, init_done_o, m_valid;
  logic [IdWidth-1:0] m_id;

  assign rst = 1'b0;

  pace_calendar #(
    .Connections(Connections),
    .Levels     (Levels),
    .SlotsLog2  (SlotsLog2)
  ) dut (
    .*
  );

  localparam int Places = 2 ** ($clog2(Levels + 1) + SlotsLog2);

  // The start has ended: its sweep leaves all lists empty, and the wheels at the time.
  logic started = 1'b0;
  logic [IdWidth-1:0] watched_q;
  logic [31:0] now_q;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    now_q     <= now_us;
    if (!started) begin
      assume (dut.init_done_o && dut.state_q == 3'd0 && dut.level_q == '0);
      assume (!dut.valid_1_q && !dut.valid_2_q && !dut.valid_3_q && !push_valid);
      for (int i = 0; i < Places; i++) begin
        assume (!dut.heads_for_push.memory[i][IdWidth]);
        assume (!dut.heads_for_scan.memory[i][IdWidth]);
      end
      assume (dut.stands_for_push.memory[0] == now_us);
      assume (dut.stands_for_scan.memory[0] == now_us);
      assume (dut.stands_for_push.memory[1] == (now_us & ~32'd3));
      assume (dut.stands_for_scan.memory[1] == (now_us & ~32'd3));
    end else begin
      assume (watched == watched_q);
      assume (now_us - now_q < 32'd256);
    end
  end

  // Who is inside; of the one that is watched, when its list is due, and whether it goes into a wheel that
  // is so far behind that its time is beyond it.
  logic [Connections-1:0] inside_q;
  logic [31:0] due, due_q;
  logic no_wait_q, beyond_q, out;

  assign due = now_us + 32'(push_wait_us);
  assign out = m_valid && m_ready;

  always_ff @(posedge clk) begin
    if (push_valid) inside_q[push_id] <= 1'b1;
    if (out) inside_q[m_id] <= 1'b0;
    if (push_valid && push_id == watched) begin
      due_q     <= push_wait_us < WaitWidth'(2 ** SlotsLog2) ? due : due & ~32'd3;
      no_wait_q <= push_wait_us == '0;
    end
    if (dut.valid_2_q && dut.entry_2_q.id == watched)
      beyond_q <= dut.ahead_2_q > (dut.entry_2_q.level == '0 ? 32'd8 : 32'd32);

    if (!started) inside_q <= '0;
  end

  logic offered_q;
  logic [IdWidth-1:0] offered_id_q;

  always_ff @(posedge clk) begin
    offered_q    <= m_valid && !m_ready;
    offered_id_q <= m_id;
    if (started) begin
      if (push_valid) assume (!inside_q[push_id]);

      if (m_valid) assert (inside_q[m_id]);
      if (m_valid && m_id == watched && !no_wait_q && !beyond_q)
        assert (!(32'(now_us - due_q) >> 31));
      if (offered_q) assert (m_valid && m_id == offered_id_q);
    end

    cover (started && out && m_id == watched && !no_wait_q && due_q == now_us);
    cover (started && out && m_id == watched && no_wait_q);
    cover (started && inside_q == '1 && out && dut.follower.last == 1'b0);
    cover (started && out && m_id == watched && beyond_q);
  end

endmodule
