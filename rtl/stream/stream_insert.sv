// SPDX-License-Identifier: Apache-2.0

// Lets the transfers of a rare stream into another one, of which most have to be quick.
//
// Latency    0 for s, 1 clock for s_rare: data and valid pass combinationally.
// Throughput 1 transfer a clock of s. Between two of s there is at most one of s_rare, which sees at
//            most one of s go before it; one of s_rare in 2 clocks at best.
// Paths      s_ready and s_rare_ready follow m_ready and one register; m_valid and m_data follow s_valid
//            and both data. Whose turn it is, is decided a clock ahead: stream_arbiter decides in the same
//            clock, so that there both s_ready follow both s_valid.
module stream_insert #(
  parameter type T = logic [31:0]
) (
  input  logic clk,
  input  logic rst,

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  input  T     s_rare_data,
  input  logic s_rare_valid,
  output logic s_rare_ready,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  logic rare_q;  // its turn: it offers something, which stays until it is taken

  assign m_data       = rare_q ? s_rare_data : s_data;
  assign m_valid      = rare_q || s_valid;
  assign s_ready      = m_ready && !rare_q;
  assign s_rare_ready = m_ready && rare_q;

  always_ff @(posedge clk) begin
    if (rare_q) rare_q <= !m_ready;
    else rare_q <= s_rare_valid && (m_ready || !s_valid);

    if (rst) rare_q <= 1'b0;
  end

endmodule
