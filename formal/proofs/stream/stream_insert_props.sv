// SPDX-License-Identifier: Apache-2.0

// stream_insert: takes from one at a time, the one that it shows; an offer stays; while both ask they
// take turns, so that neither sees more than one transfer of the other; what asks alone is shown at
// once, or a clock later if it is the rare one; who is ready does not depend on who asks.
module stream_insert_props (
  input logic       clk,
  input logic       rst,
  input logic [3:0] s_data,
  input logic       s_valid,
  input logic [3:0] s_rare_data,
  input logic       s_rare_valid,
  input logic       m_ready
);

  logic s_ready, s_rare_ready, m_valid;
  logic [3:0] m_data;

  stream_insert #(.T(logic [3:0])) dut (.*);

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  stream_contract #(
    .Width (4),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data (s_data),
    .valid(s_valid),
    .ready(s_ready)
  );

  stream_contract #(
    .Width (4),
    .Assume(1'b1)
  ) s_rare_contract (
    .clk,
    .rst,
    .data (s_rare_data),
    .valid(s_rare_valid),
    .ready(s_rare_ready)
  );

  stream_contract #(
    .Width(4)
  ) m_contract (
    .clk,
    .rst,
    .data (m_data),
    .valid(m_valid),
    .ready(m_ready)
  );

  // Transfers of the other since one began to ask, and whether it asked a clock ago, too.
  logic [1:0] others_q, rare_others_q;
  logic rare_asked_q;

  always_ff @(posedge clk) begin
    if (!s_valid || s_ready) others_q <= '0;
    else if (s_rare_valid && s_rare_ready) others_q <= others_q + 1'b1;
    if (!s_rare_valid || s_rare_ready) rare_others_q <= '0;
    else if (s_valid && s_ready) rare_others_q <= rare_others_q + 1'b1;
    rare_asked_q <= s_rare_valid && !s_rare_ready;

    if (rst) begin
      others_q      <= '0;
      rare_others_q <= '0;
      rare_asked_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      one : assert (!(s_ready && s_rare_ready));
      ready : assert ((s_ready || s_rare_ready) == m_ready);
      if (m_valid && m_ready) begin
        if (s_ready)
          main :
          assert (s_valid && m_data == s_data);
          else rare : assert (s_rare_valid && m_data == s_rare_data);
      end
      if (s_valid) shown : assert (m_valid);
      if (rare_asked_q) rare_shown : assert (m_valid);
      if (m_valid) asked : assert (s_valid || s_rare_valid);
      turn : assert (others_q <= 2'd1);
      rare_turn : assert (rare_others_q <= 2'd1);

      // For the induction: its turn only while it asks, and after one of the other.
      if (dut.rare_q) assert (s_rare_valid && others_q == 2'd0 && rare_asked_q);
      if (!dut.rare_q) assert (rare_others_q == 2'd0);

      cover (s_valid && s_ready && rare_others_q == 2'd0 && s_rare_valid);
      cover (others_q == 2'd1 && !s_ready);
      cover (rare_others_q == 2'd1 && s_rare_ready && s_valid);
    end
  end

endmodule
