// SPDX-License-Identifier: Apache-2.0

// Ones' complement sum of each packet that passes by (Internet checksum, not inverted).
//
// Latency    checksum_pkg::tree_latency(DataWidth) + 2 clocks from the last beat to sum_valid_o:
//            3 at 64 bits, 5 at 512.
// Throughput 1 beat a clock, packets back to back; never stalls what it watches.
//
// beat_i is valid && ready of the stream watched. Kept lanes may start and end anywhere in any
// beat; an even lane is the high byte of a word, an odd lane the low byte, so a packet that starts
// in an odd lane is summed with its bytes exchanged, as RFC 1071 has it. seed_i, sampled with the
// last beat, is added: a pseudo-header, or what the covered part does not contain. sum_o is valid
// for one clock, with sum_valid_o; ones_o, a register too, says that it is all ones. A packet has at most
// 131,072 bytes.
module checksum_stream #(
  parameter int DataWidth = 64
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic                   beat_i,
  input  logic [  DataWidth-1:0] data_i,
  input  logic [DataWidth/8-1:0] keep_i,
  input  logic                   last_i,
  input  logic [           15:0] seed_i,

  output logic [           15:0] sum_o,
  output logic                   ones_o,
  output logic                   sum_valid_o
);

  localparam int TreeLatency = checksum_pkg::tree_latency(DataWidth);
  localparam int SumWidth = 16 + $clog2(DataWidth / 16);

  logic [SumWidth-1:0] beat_sum;

  checksum_tree #(
    .DataWidth(DataWidth)
  ) tree (
    .clk,
    .data_i,
    .keep_i,
    .sum_o (beat_sum)
  );

  // What goes along with the tree. Bit 0 has just entered.
  logic [TreeLatency-1:0] beat_q, last_q;
  logic [TreeLatency-1:0][15:0] seed_q;

  always_ff @(posedge clk) begin
    beat_q <= TreeLatency'({beat_q, beat_i});
    last_q <= TreeLatency'({last_q, last_i});
    seed_q <= (TreeLatency * 16)'({seed_q, seed_i});

    if (rst) beat_q <= '0;
  end

  logic in_packet_q;  // the accumulator holds beats of the packet that goes on
  logic total_valid_q;
  logic [31:0] total_q;
  logic [15:0] total_seed_q;

  always_ff @(posedge clk) begin
    if (beat_q[TreeLatency-1]) begin
      total_q      <= (in_packet_q ? total_q : '0) + 32'(beat_sum);
      total_seed_q <= seed_q[TreeLatency-1];
      in_packet_q  <= !last_q[TreeLatency-1];
    end
    total_valid_q <= beat_q[TreeLatency-1] && last_q[TreeLatency-1];

    sum_o       <= checksum_pkg::ones_add16_3(total_q[31:16], total_q[15:0], total_seed_q);
    ones_o      <= checksum_pkg::is_ones16_3(total_q[31:16], total_q[15:0], total_seed_q);
    sum_valid_o <= total_valid_q;

    if (rst) begin
      in_packet_q   <= 1'b0;
      total_valid_q <= 1'b0;
      sum_valid_o   <= 1'b0;
    end
  end

endmodule
