// SPDX-License-Identifier: Apache-2.0

// How many connections are in each state now, from the state before and after each event.
//
// Latency    2 clocks, one to find which counts change.
module state_gauges
  import tcp_pkg::*;
#(
  parameter int Width = 24
) (
  input  logic                        clk,
  input  logic                        rst,

  input  logic                        valid_i,
  input  tcp_state_e                  before_i,
  input  tcp_state_e                  after_i,

  output logic [TcpStates-1:0][Width-1:0] count_o   // of TcpClosed: always 0
);

  for (genvar state = 0; state < TcpStates; state++) begin : gen_state
    logic enters_q, leaves_q;

    always_ff @(posedge clk) begin
      enters_q <= valid_i && after_i == tcp_state_e'(state) && before_i != after_i
          && state != int'(TcpClosed);
      leaves_q <= valid_i && before_i == tcp_state_e'(state) && before_i != after_i
          && state != int'(TcpClosed);
      if (enters_q) count_o[state] <= count_o[state] + 1'b1;
      if (leaves_q) count_o[state] <= count_o[state] - 1'b1;

      if (rst) begin
        enters_q       <= 1'b0;
        leaves_q       <= 1'b0;
        count_o[state] <= '0;
      end
    end
  end

endmodule
