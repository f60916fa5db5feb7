// SPDX-License-Identifier: Apache-2.0

// Full-throughput register stage ("skid buffer") for any valid/ready stream.
//
// Latency 1 clock, 1 transfer a clock. Cuts every path: s_ready and m_valid are
// both registers. Holds at most two transfers.
module stream_register #(
  parameter type T = logic [31:0]
) (
  input  logic clk,
  input  logic rst,

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  // The spare holds the one transfer that arrives while the output is stalled.
  T     spare_q;
  logic spare_valid_q;

  assign s_ready = !spare_valid_q;

  always_ff @(posedge clk) begin
    if (m_ready || !m_valid) begin
      m_data        <= spare_valid_q ? spare_q : s_data;
      m_valid       <= spare_valid_q || s_valid;
      spare_valid_q <= 1'b0;
    end else if (s_valid && s_ready) begin
      spare_q       <= s_data;
      spare_valid_q <= 1'b1;
    end

    if (rst) begin
      m_valid       <= 1'b0;
      spare_valid_q <= 1'b0;
    end
  end

endmodule
