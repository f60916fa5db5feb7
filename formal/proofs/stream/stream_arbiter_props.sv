// SPDX-License-Identifier: Apache-2.0

// stream_arbiter: takes from one at a time, the one that it shows; an offer stays; nobody that asks
// sees more than N - 1 transfers of others (round robin), or of higher indices (priority).
module stream_arbiter_props #(
  parameter int N          = 3,
  parameter bit RoundRobin = 1'b1
) (
  input logic                 clk,
  input logic                 rst,
  input logic [          3:0] s_data [N],
  input logic [        N-1:0] s_valid,
  input logic                 m_ready,
  input logic [$clog2(N)-1:0] watched
);

  localparam int IndexWidth = $clog2(N);

  logic [N-1:0] s_ready;
  logic m_valid;
  logic [3:0] m_data;
  logic [IndexWidth-1:0] m_index;

  stream_arbiter #(
    .T         (logic [3:0]),
    .N         (N),
    .RoundRobin(RoundRobin)
  ) dut (
    .*
  );

  logic started = 1'b0;
  logic [IndexWidth-1:0] watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (!started) assume (rst);
    if (started) assume (watched == watched_q);
    assume (int'(watched) < N);
  end

  for (genvar i = 0; i < N; i++) begin : gen_source
    stream_contract #(
      .Width (4),
      .Assume(1'b1)
    ) s_contract (
      .clk,
      .rst,
      .data (s_data[i]),
      .valid(s_valid[i]),
      .ready(s_ready[i])
    );
  end

  stream_contract #(
    .Width(4 + IndexWidth)
  ) m_contract (
    .clk,
    .rst,
    .data ({m_index, m_data}),
    .valid(m_valid),
    .ready(m_ready)
  );

  // Transfers of others since the one watched began to ask.
  logic [3:0] others_q = '0;
  logic asks, served, other_served;
  assign asks         = s_valid[watched];
  assign served       = s_ready[watched];
  assign other_served = m_valid && m_ready && m_index != watched;

  always_ff @(posedge clk) begin
    if (rst || !asks || served) others_q <= '0;
    else if (other_served && others_q != '1) others_q <= others_q + 1'b1;
  end

  // Where round robin begins its search, and how far the one watched is from there.
  logic [3:0] begin_at, distance, owner_distance;
  always_comb begin
    begin_at = 4'(N);
    for (int i = N - 1; i >= 0; i--) if (dut.choice.behind_q[i]) begin_at = 4'(i);
    if (begin_at == 4'(N)) begin_at = '0;
    distance       = (4'(watched) + 4'(N) - begin_at) % 4'(N);
    owner_distance = (4'(m_index) + 4'(N) - begin_at) % 4'(N);
  end

  logic idle_before_q = 1'b1;  // no offer is pending: the choice is free
  always_ff @(posedge clk) idle_before_q <= rst || !m_valid || m_ready;

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (m_valid == (s_valid != '0));
      assert (s_ready == ((m_valid && m_ready) ? N'(1) << m_index : '0));
      if (m_valid) begin
        assert (int'(m_index) < N && s_valid[m_index]);
        assert (m_data == s_data[m_index]);
      end
      if (!RoundRobin && idle_before_q && m_valid) begin
        assert ((s_valid & ((N'(1) << m_index) - 1'b1)) == '0);
      end
      if (RoundRobin && asks) begin
        assert (others_q < 4'(N));
        assert (others_q + distance < 4'(N));
        // An owner farther away was chosen before the one watched asked.
        if (dut.choice.owner_q != '0 && m_index != watched && others_q != '0)
          assert (owner_distance < distance);
      end

      // What the arbiter remembers: an owner only while its offer is pending, and a set "all
      // behind".
      assert ((dut.choice.owner_q != '0) == !idle_before_q);
      assert ((dut.choice.owner_q & (dut.choice.owner_q - 1'b1)) == '0);
      if (dut.choice.owner_q != '0) assert ((dut.choice.owner_q & s_valid) != '0);
      assert (((~dut.choice.behind_q) & (~dut.choice.behind_q + 1'b1)) == '0);
    end
    if (RoundRobin) cover (started && !rst && &s_valid && m_index == 2 && m_ready);
    cover (started && !rst && asks && !served && others_q == 4'd2);
  end

endmodule
