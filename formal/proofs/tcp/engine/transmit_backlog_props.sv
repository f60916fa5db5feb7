// SPDX-License-Identifier: Apache-2.0

// transmit_backlog: three clocks later the line is busy if and only if the segments that are between
// have as many bytes, and there is a backlog if enough of them are large, two clocks after one has left;
// of those before the builder a clock later.
//
// Assumed: no more than Depth segments are between, and one leaves when it has got as far as its entry.
module transmit_backlog_props
  import tcp_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic [15:0] push_length_i,
  input logic        push_i,
  input logic        pop_i,
  input logic [ 5:0] queued_i
);

  localparam int Depth = 2;
  localparam int Queued = 4;
  localparam int Large = 2;
  localparam int LargeBytes = 512;
  localparam int BusyBytes = 1000;

  logic backlog_o, line_busy_o;

  transmit_backlog #(
    .Depth     (Depth),
    .Queued    (Queued),
    .Large     (Large),
    .LargeBytes(LargeBytes),
    .BusyBytes (BusyBytes)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // The segments that are between, the oldest first: each has a block with its headers and one for every
  // 64 bytes of payload.
  logic [Depth-1:0][15:0] lengths_q;
  logic [1:0] count_q;
  logic [31:0] blocks, large_count;

  always_comb begin
    blocks      = '0;
    large_count = '0;
    for (int i = 0; i < Depth; i++) begin
      if (i < int'(count_q)) begin
        blocks += 32'(lengths_q[i]) / 64 + 1;
        if (i > 0 || !pop_i) large_count += 32'(lengths_q[i] / 64 >= 16'(LargeBytes / 64));
      end
    end
  end

  always_ff @(posedge clk) begin
    if (pop_i) lengths_q <= lengths_q >> 16;
    if (push_i) lengths_q[1'(count_q-2'(pop_i))] <= push_length_i;
    count_q <= count_q + 2'(push_i) - 2'(pop_i);

    if (rst) count_q <= '0;
  end

  // Each is counted, and then compared.
  logic busy_1_q, busy_2_q, large_1_q, large_2_q, queued_q;

  always_ff @(posedge clk) begin
    busy_1_q  <= blocks >= (BusyBytes + 63) / 64;
    busy_2_q  <= busy_1_q;
    large_1_q <= large_count >= Large;
    large_2_q <= large_1_q;
    queued_q  <= queued_i >= 6'(Queued);

    if (rst) begin
      busy_1_q  <= 1'b0;
      busy_2_q  <= 1'b0;
      large_1_q <= 1'b0;
      large_2_q <= 1'b0;
      queued_q  <= 1'b0;
    end
  end

  logic busy_before_q, backlog_before_q;

  always_ff @(posedge clk) begin
    busy_before_q    <= line_busy_o;
    backlog_before_q <= backlog_o;
    if (started && !rst) begin
      if (push_i) assume (count_q < 2'(Depth) && push_length_i <= 16'd9216);
      if (pop_i) assume (dut.unused_valid);

      assert (line_busy_o == busy_2_q);
      assert (backlog_o == (large_2_q || queued_q));
    end

    cover (started && !rst && line_busy_o && !backlog_o);
    cover (started && !rst && large_2_q && !queued_q && backlog_o);
    cover (started && !rst && queued_q && !large_2_q && backlog_o && !line_busy_o);
    cover (started && !rst && !line_busy_o && busy_before_q && !backlog_o && backlog_before_q);
    cover (started && !rst && count_q == 2'(Depth));
    cover (started && !rst && push_i && pop_i && count_q != '0);
  end

endmodule
