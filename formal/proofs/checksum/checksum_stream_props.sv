// SPDX-License-Identifier: Apache-2.0

// checksum_stream: behind each packet, in its clock, the ones' complement sum of its bytes and its
// seed; in no other clock, and nothing of one packet in the next.
module checksum_stream_props #(
  parameter  int DataWidth = 32,
  localparam int Lanes     = DataWidth / 8
) (
  input logic                 clk,
  input logic                 rst,
  input logic                 beat_i,
  input logic [DataWidth-1:0] data_i,
  input logic [    Lanes-1:0] keep_i,
  input logic                 last_i,
  input logic [         15:0] seed_i
);

  localparam int Latency = checksum_pkg::tree_latency(DataWidth) + 2;

  logic [15:0] sum_o;
  logic sum_valid_o, ones_o;

  checksum_stream #(.DataWidth(DataWidth)) dut (.*);

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // The plain sum of a packet so far, word after word, and what is expected `Latency` clocks later.
  logic [19:0] sum, sum_q, total;
  logic [Latency-1:0] due_q;
  logic [Latency-1:0][19:0] total_q;
  logic [1:0] beats_q;
  logic again_q;  // a packet has ended before

  always_comb begin
    sum = sum_q;
    for (int lane = 0; lane < Lanes; lane += 2) begin
      sum += {
        4'b0, keep_i[lane] ? data_i[8*lane+:8] : 8'b0, keep_i[lane+1] ? data_i[8*(lane+1)+:8] : 8'b0
      };
    end
    total = sum + 20'(seed_i);
  end

  always_ff @(posedge clk) begin
    if (beat_i) begin
      sum_q   <= last_i ? '0 : sum;
      beats_q <= last_i ? '0 : beats_q + 1'b1;
      if (last_i) again_q <= 1'b1;
    end
    due_q   <= Latency'({due_q, beat_i && last_i});
    total_q <= (Latency * 20)'({total_q, total});
    if (rst) begin
      sum_q   <= '0;
      beats_q <= '0;
      due_q   <= '0;
      again_q <= 1'b0;
    end
  end

  // Modulo 65,535, where only a sum of nothing is 0.
  function automatic logic [15:0] fold(input logic [19:0] plain);
    logic [16:0] once = 17'(plain[15:0]) + 17'(plain[19:16]);
    return once[15:0] + 16'(once[16]);
  endfunction

  always_ff @(posedge clk) begin
    // Few beats: the sum has four bits to spare.
    assume (beats_q != 2'd2 || last_i || !beat_i);
    if (started && !rst) begin
      when : assert (sum_valid_o == due_q[Latency-1]);
      if (sum_valid_o) what : assert (sum_o == fold(total_q[Latency-1]));
      if (sum_valid_o) ones : assert (ones_o == (sum_o == '1));
    end
    cover (started && !rst && sum_valid_o && again_q && ones_o && due_q[0]);
    cover (started && !rst && sum_valid_o && total_q[Latency-1] > 20'h4_0000);
  end

endmodule
