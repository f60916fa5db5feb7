// SPDX-License-Identifier: Apache-2.0

// packet_arbiter: packets of contract in, packets of contract out, each whole and from one source;
// beats pass unchanged; one that asks sees at most N - 1 packets of others end (round robin).
module packet_arbiter_props #(
  parameter int N          = 3,
  parameter bit RoundRobin = 1'b1
) (
  input logic                 clk,
  input logic                 rst,
  input logic [         15:0] s_data [N],
  input logic [          1:0] s_keep [N],
  input logic [        N-1:0] s_last,
  input logic [        N-1:0] s_error,
  input logic [        N-1:0] s_valid,
  input logic                 m_ready,
  input logic [$clog2(N)-1:0] watched
);

  localparam int IndexWidth = $clog2(N);

  logic [N-1:0] s_ready;
  logic m_valid, m_last, m_error;
  logic [15:0] m_data;
  logic [1:0] m_keep;
  logic [IndexWidth-1:0] m_index;

  packet_arbiter #(
    .DataWidth (16),
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

  logic [N-1:0] s_first;
  for (genvar i = 0; i < N; i++) begin : gen_source
    packet_contract #(
      .DataWidth(16),
      .Assume   (1'b1)
    ) s_contract (
      .clk,
      .rst,
      .data   (s_data[i]),
      .keep   (s_keep[i]),
      .last   (s_last[i]),
      .error  (s_error[i]),
      .valid  (s_valid[i]),
      .ready  (s_ready[i]),
      .first_o(s_first[i])
    );
  end

  logic m_first;
  packet_contract #(
    .DataWidth(16)
  ) m_contract (
    .clk,
    .rst,
    .data   (m_data),
    .keep   (m_keep),
    .last   (m_last),
    .error  (m_error),
    .valid  (m_valid),
    .ready  (m_ready),
    .first_o(m_first)
  );

  logic [IndexWidth-1:0] source_q;  // of the packet that is passing
  logic [3:0] others_q = '0;  // packets of others that ended while the one watched asked
  logic ends;
  assign ends = m_valid && m_ready && m_last;

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) source_q <= m_index;
    if (rst || !s_valid[watched] || m_index == watched) others_q <= '0;
    else if (ends && others_q != '1) others_q <= others_q + 1'b1;
  end

  logic [3:0] begin_at, distance, owner_distance;
  always_comb begin
    begin_at = 4'(N);
    for (int i = N - 1; i >= 0; i--) if (dut.choice.behind_q[i]) begin_at = 4'(i);
    if (begin_at == 4'(N)) begin_at = '0;
    distance       = (4'(watched) + 4'(N) - begin_at) % 4'(N);
    owner_distance = (4'(m_index) + 4'(N) - begin_at) % 4'(N);
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (s_ready == (m_ready ? dut.grant : '0));
      if (m_valid) begin
        assert (dut.grant == N'(1) << m_index);
        assert (s_valid[m_index]);
        assert ({m_data, m_keep, m_last, m_error}
            == {s_data[m_index], s_keep[m_index], s_last[m_index], s_error[m_index]});
        if (!m_first) assert (m_index == source_q);
      end
      // Everybody else is at the beginning of a packet.
      for (int i = 0; i < N; i++) begin
        assert (s_first[i] || (!m_first && source_q == IndexWidth'(i)));
      end
      if (!m_first) begin
        assert (int'(source_q) < N && !s_first[source_q]);
        assert (dut.choice.owner_q == N'(1) << source_q);
      end
      if (RoundRobin && s_valid[watched]) begin
        assert (others_q < 4'(N));
        assert (others_q + distance < 4'(N));
        // An owner farther away was chosen before the one watched asked.
        if (dut.choice.owner_q != '0 && m_index != watched && others_q != '0)
          assert (owner_distance < distance);
      end

      assert ((dut.choice.owner_q & (dut.choice.owner_q - 1'b1)) == '0);
      assert (((~dut.choice.behind_q) & (~dut.choice.behind_q + 1'b1)) == '0);
      if (m_first && dut.choice.owner_q != '0) assert ((dut.choice.owner_q & s_valid) != '0);
    end
    cover (started && !rst && !m_first && !m_valid && s_valid != '0);  // waits for a pausing owner
    cover (started && !rst && m_valid && others_q == 4'd2 && m_index == watched);
  end

endmodule
