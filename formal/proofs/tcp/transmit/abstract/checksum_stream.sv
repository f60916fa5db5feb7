// SPDX-License-Identifier: Apache-2.0

// Stand-in for the proof of segment_builder: the "sum" of a packet is the first word of its first
// beat, by which the packet is known again. It comes two clocks after the last beat.
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

  logic first_q, done_q;
  logic [15:0] mark_q;

  always_ff @(posedge clk) begin
    if (beat_i && first_q) mark_q <= data_i[15:0];
    if (beat_i) first_q <= last_i;
    done_q      <= beat_i && last_i;
    sum_valid_o <= done_q;
    sum_o       <= mark_q;

    if (rst) begin
      first_q     <= 1'b1;
      done_q      <= 1'b0;
      sum_valid_o <= 1'b0;
    end
  end

  assign ones_o = sum_o == '1;

endmodule
