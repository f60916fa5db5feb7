// SPDX-License-Identifier: Apache-2.0

// Adds the 16-bit words of a beat: pipelined tree, two levels of adders to a stage.
//
// Latency    checksum_pkg::tree_latency(DataWidth) clocks: 1 at 64 bits, 3 at 512.
// Throughput 1 beat a clock, never stalls.
//
// A word is an even lane (high byte) and the odd lane above it; lanes that are not kept count as
// zero. sum_o is the plain total, not folded.
module checksum_tree #(
  parameter  int DataWidth = 64,
  localparam int Words     = DataWidth / 16,
  localparam int Levels    = $clog2(Words),
  localparam int SumWidth  = 16 + Levels
) (
  input  logic                   clk,

  input  logic [  DataWidth-1:0] data_i,
  input  logic [DataWidth/8-1:0] keep_i,
  output logic [   SumWidth-1:0] sum_o
);

  if (DataWidth < 32 || DataWidth > 512 || 2 ** Levels != Words) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 32 to 512.");
  end

  // level[n] has Words >> n sums of 16 + n bits.
  for (genvar n = 0; n <= Levels; n++) begin : gen_level
    localparam int Count = Words >> n;
    // The inputs are not registered, then every second level is, and the last one.
    localparam bit Registered = n > 0 && (n % 2 == 0 || n == Levels);

    logic [Count-1:0][16+n-1:0] next, total;

    for (genvar i = 0; i < Count; i++) begin : gen_sum
      if (n == 0) begin : gen_word
        assign next[i][15:8] = keep_i[2*i] ? data_i[16*i+:8] : '0;
        assign next[i][7:0]  = keep_i[2*i+1] ? data_i[16*i+8+:8] : '0;
      end else begin : gen_add
        assign next[i] = (16 + n)'(gen_level[n-1].total[2*i])
            + (16 + n)'(gen_level[n-1].total[2*i+1]);
      end
    end

    if (Registered) begin : gen_register
      always_ff @(posedge clk) total <= next;
    end else begin : gen_wire
      assign total = next;
    end
  end

  assign sum_o = gen_level[Levels].total;

endmodule
