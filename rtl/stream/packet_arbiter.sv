// SPDX-License-Identifier: Apache-2.0

// Merges N packet streams into one, packet by packet.
//
// Latency    0: everything passes combinationally.
// Throughput 1 beat a clock, no clock lost between packets.
// Paths      s_valid to m_* and s_ready; m_ready to s_ready. Put a stream_register behind it where
//            that is too long.
//
// The grant is held from the first beat offered to the last beat taken, also while its owner
// pauses. RoundRobin: see arbiter.
module packet_arbiter #(
  parameter  int DataWidth  = 64,
  parameter  int N          = 2,
  parameter  bit RoundRobin = 1'b1,
  localparam int Lanes      = DataWidth / 8,
  localparam int IndexWidth = (N > 1) ? $clog2(N) : 1
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [ DataWidth-1:0] s_data [N],
  input  logic [     Lanes-1:0] s_keep [N],
  input  logic [         N-1:0] s_last,
  input  logic [         N-1:0] s_error,
  input  logic [         N-1:0] s_valid,
  output logic [         N-1:0] s_ready,

  output logic [ DataWidth-1:0] m_data,
  output logic [     Lanes-1:0] m_keep,
  output logic                  m_last,
  output logic                  m_error,
  output logic [IndexWidth-1:0] m_index,    // where the packet comes from
  output logic                  m_valid,
  input  logic                  m_ready
);

  logic [N-1:0] grant;

  arbiter #(
    .N         (N),
    .RoundRobin(RoundRobin)
  ) choice (
    .clk,
    .rst,
    .request_i(s_valid),
    .done_i   (m_valid && m_ready && m_last),
    .grant_o  (grant)
  );

  assign m_valid = |(s_valid & grant);
  assign m_last  = |(s_last & grant);
  assign m_error = |(s_error & grant);
  assign s_ready = m_ready ? grant : '0;

  always_comb begin
    m_data  = '0;
    m_keep  = '0;
    m_index = '0;
    for (int i = 0; i < N; i++) begin
      if (grant[i]) begin
        m_data |= s_data[i];
        m_keep |= s_keep[i];
        m_index |= IndexWidth'(i);
      end
    end
  end

endmodule
