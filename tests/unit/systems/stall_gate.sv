// SPDX-License-Identifier: Apache-2.0

// A place where a stream can be stopped: nothing begins to pass while open_i is low. What has been shown stays.
module stall_gate (
  input logic clk,
  input logic rst,

  input logic open_i,

  input  logic s_valid,
  output logic s_ready,
  output logic m_valid,
  input  logic m_ready
);

  logic shown_q;

  assign m_valid = s_valid && (open_i || shown_q);
  assign s_ready = m_ready && (open_i || shown_q);

  always_ff @(posedge clk) begin
    shown_q <= m_valid && !m_ready;

    if (rst) shown_q <= 1'b0;
  end

endmodule
