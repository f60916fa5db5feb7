// SPDX-License-Identifier: Apache-2.0

// Keeps the totals that the HTTP page shows, from the counters that the engine's register file
// sends round, and adds up all drops once a round.
module statistics_collector
  import apps_pkg::*;
  import tcp_pkg::*;
  import toe_registers_pkg::*;
  import toehold_counters_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  input  logic [31:0]     now_us,
  input  logic            visit_valid_i,
  input  counter_e        visit_index_i,
  input  logic [31:0]     visit_total_i,
  input  toe_gauges_t     gauges_i,

  output app_statistics_t statistics_o
);

  logic [31:0] drops_q;          // of this round so far
  logic [GaugeWidth-1:0] connections;

  always_comb begin
    connections = '0;
    for (int state = 0; state < TcpStates; state++) connections += gauges_i[state];
  end

  always_ff @(posedge clk) begin
    statistics_o.uptime_us   <= now_us;
    statistics_o.connections <= 32'(connections);

    if (visit_valid_i) begin
      unique case (visit_index_i)
        CounterRxFrames: statistics_o.frames_in <= visit_total_i;
        CounterRxBytes: statistics_o.bytes_in <= visit_total_i;
        CounterTxFrames: statistics_o.frames_out <= visit_total_i;
        CounterTxBytes: statistics_o.bytes_out <= visit_total_i;
        CounterTcpSegmentsIn: statistics_o.segments_in <= visit_total_i;
        CounterTcpSegmentsOut: statistics_o.segments_out <= visit_total_i;
        CounterTcpRetransmittedSegments: statistics_o.retransmissions <= visit_total_i;
        CounterTcpAccepted: statistics_o.accepted <= visit_total_i;
        CounterTcpResetsIn: statistics_o.resets <= visit_total_i;
        default: ;
      endcase

      if (visit_index_i == CounterRxFrames) begin
        statistics_o.drops <= drops_q;
        drops_q            <= '0;
      end else if (CountsDrops[visit_index_i]) begin
        drops_q <= drops_q + visit_total_i;
      end
    end

    if (rst) begin
      statistics_o <= '0;
      drops_q      <= '0;
    end
  end

endmodule
