// SPDX-License-Identifier: Apache-2.0

// Merges N valid/ready streams into one, transfer by transfer.
//
// Latency    0: data and valid pass combinationally.
// Throughput 1 transfer a clock.
// Paths      s_valid to m_valid, m_data and s_ready; m_ready to s_ready. Put a stream_register
//            behind it where that is too long.
//
// A transfer that is offered and not taken stays the one offered. RoundRobin: see arbiter.
module stream_arbiter #(
  parameter  type T          = logic [31:0],
  parameter  int  N          = 2,
  parameter  bit  RoundRobin = 1'b1,
  localparam int  IndexWidth = (N > 1) ? $clog2(N) : 1
) (
  input  logic                  clk,
  input  logic                  rst,

  input  T                      s_data [N],
  input  logic [         N-1:0] s_valid,
  output logic [         N-1:0] s_ready,

  output T                      m_data,
  output logic [IndexWidth-1:0] m_index,    // where m_data comes from
  output logic                  m_valid,
  input  logic                  m_ready
);

  localparam int Width = $bits(T);

  logic [N-1:0] grant;
  logic [Width-1:0] chosen;

  arbiter #(
    .N         (N),
    .RoundRobin(RoundRobin)
  ) choice (
    .clk,
    .rst,
    .request_i(s_valid),
    .done_i   (m_valid && m_ready),
    .grant_o  (grant)
  );

  assign m_valid = |s_valid;
  assign s_ready = m_ready ? grant : '0;
  assign m_data  = T'(chosen);

  always_comb begin
    chosen  = '0;
    m_index = '0;
    for (int i = 0; i < N; i++) begin
      if (grant[i]) begin
        chosen |= Width'(s_data[i]);
        m_index |= IndexWidth'(i);
      end
    end
  end

endmodule
