// SPDX-License-Identifier: Apache-2.0

// Ones' complement sum of a TCP header with its options and its pseudo-header, without the payload's:
// that of tcp_header_sum, for paths on which small segments follow each other in each clock.
//
// Latency    5 clocks from s_valid to sum_valid_o.
// Throughput one header a clock, never stalls.
// Paths      sum_* are registers.
//
// sum_o is valid for one clock, with sum_valid_o.
module tcp_header_tree
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
  import tx_options_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  ip_address_t s_source,
  input  tx_command_t s_command,
  input  logic        s_valid,

  output sum_t        sum_o,
  output logic        sum_valid_o
);

  localparam int Words = 32;
  localparam sum_t [Shapes-1:0] ShapeSums = shape_sums();

  // All that is known from the shape alone is the seed; the words may be in any order.
  option_shape_t shape;
  sum_t [Words-1:0] words, swapped;
  logic unused_command;

  assign shape = option_shape(s_command);
  assign words = (Words * 16)'({
      s_source,
      s_command.tuple.remote_ip,
      s_command.tuple.local_port,
      s_command.tuple.remote_port,
      s_command.seq,
      s_command.ack,
      4'd5 + option_words(shape), 4'd0, s_command.flags,
      s_command.window,
      s_command.payload_length,
      s_command.mss,
      shape.window_scale ? {8'd3, 4'd0, s_command.options.window_scale} : 16'd0,
      option_values(s_command)
  });

  always_comb begin
    for (int i = 0; i < Words; i++) swapped[i] = {words[i][7:0], words[i][15:8]};
  end

  assign unused_command = &{1'b0, s_command.kind, s_command.status, s_command.write_seq,
                            s_command.dscp};

  checksum_stream #(
    .DataWidth(16 * Words)
  ) sum (
    .clk,
    .rst,
    .beat_i     (s_valid),
    .data_i     (swapped),
    .keep_i     ('1),
    .last_i     (1'b1),
    .seed_i     (ShapeSums[shape]),
    .sum_o,
    .ones_o     (),
    .sum_valid_o
  );

endmodule
