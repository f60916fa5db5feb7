// SPDX-License-Identifier: Apache-2.0

// session_queue: a session that is pushed comes out afterwards, once for all pushes of its id since it
// came out last, with the newest generation; nothing else comes out, ids come out in the order in
// which they went in, and the queue of ids never overflows.
//
// Proven for one of two ids that the solver chooses. Assumed: the rule of streams at the input, ids
// that exist.
module session_queue_props
  import app_pkg::*;
(
  input logic     clk,
  input logic     rst,
  input session_t s_session,
  input logic     s_valid,
  input logic     m_ready,
  input logic     watched     // an arbitrary constant
);

  logic s_ready, m_valid;
  session_t m_session;

  session_queue #(
    .Connections(2)
  ) dut (
    .clk,
    .rst,
    .s_session,
    .s_valid,
    .s_ready,
    .m_session,
    .m_valid,
    .m_ready
  );

  logic started = 1'b0;
  logic watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (started)
      assume (watched == watched_q);
      else assume (rst);
    assume (s_session.id < 20'd2);
  end

  stream_contract #(
    .Width ($bits(session_t)),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data (s_session),
    .valid(s_valid),
    .ready(s_ready)
  );
  stream_contract #(
    .Width($bits(session_t))
  ) m_contract (
    .clk,
    .rst,
    .data (m_session),
    .valid(m_valid),
    .ready(m_ready)
  );

  // Pushed, and not at the output since: of the id watched and of the other.
  logic pending_q, other_pending_q;
  logic [GenerationWidth-1:0] newest_q;
  logic before_q;  // the id watched went in before the other
  logic push, other_push, held_q, appears, other_appears;

  assign push = s_valid && s_ready && s_session.id == 20'(watched);
  assign other_push = s_valid && s_ready && s_session.id == 20'(!watched);
  assign appears = m_valid && !held_q && m_session.id == 20'(watched);
  assign other_appears = m_valid && !held_q && m_session.id == 20'(!watched);

  logic [3:0] waits_q;  // how long it has waited while it could have come out
  logic [1:0] rounds_q;  // how often it has come out

  always_ff @(posedge clk) begin
    held_q <= m_valid && !m_ready;
    if (push) begin
      pending_q <= 1'b1;
      newest_q  <= s_session.generation;
      if (!pending_q) before_q <= !other_pending_q;
    end
    if (other_push) other_pending_q <= 1'b1;
    if (appears) begin
      pending_q <= 1'b0;
      if (rounds_q != '1) rounds_q <= rounds_q + 1'b1;
    end
    if (other_appears) begin
      other_pending_q <= 1'b0;
      before_q        <= 1'b1;
    end
    waits_q <= pending_q && !appears && m_ready ? waits_q + 1'b1 : '0;

    if (rst) begin
      held_q          <= 1'b0;
      pending_q       <= 1'b0;
      other_pending_q <= 1'b0;
      rounds_q        <= '0;
      waits_q         <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_valid) assert (m_session.id < 20'd2);
      if (appears) assert (pending_q && !push && m_session.generation == newest_q);
      if (appears && other_pending_q) assert (before_q);
      if (other_appears) assert (other_pending_q && !(pending_q && before_q));
      // It comes out while others go in, too: pushes and pops take turns.
      assert (waits_q < 4'd10);
      if (dut.append) assert (dut.unused_ready);
    end
  end

  always_ff @(posedge clk) begin
    cover (started && !rst && appears && other_pending_q && rounds_q == 2'd1);
    cover (started && !rst && other_appears && pending_q && rounds_q == 2'd1);
    cover (started && !rst && push && pending_q && s_session.generation != newest_q);
    cover (started && !rst && push && m_valid && !m_ready && other_pending_q);
    cover (started && !rst && waits_q == 4'd6);
  end

endmodule
