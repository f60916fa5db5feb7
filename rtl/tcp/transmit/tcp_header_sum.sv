// SPDX-License-Identifier: Apache-2.0

// Ones' complement sum of a TCP header with its options and its pseudo-header, without the payload's.
//
// Latency    5 clocks from s_valid to sum_valid_o, and one for each pair of the options; one more with Registers.
// Throughput one header in 4 clocks, and one more for each pair.
// Paths      sum_* are registers; s_ready follows s_valid; pair_* are functions of s_* and registers.
//
// s_* must be stable from s_valid to s_ready, which comes with the last round; a round adds four
// words of 16 bits. Four rounds are for the header and what options have besides pairs, then comes
// one for each pair: time stamps, SACK blocks. Those go out, too, for whoever builds the header.
// sum_o is valid for one clock, with sum_valid_o.
//
// Registers: one between the choice of a round's words and their sums.
module tcp_header_sum
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
  import tx_options_pkg::*;
#(
  parameter bit Registers = 1'b0
) (
  input  logic        clk,
  input  logic        rst,

  input  ip_address_t s_source,
  input  tx_command_t s_command,
  input  logic        s_valid,
  output logic        s_ready,

  output pair_t       pair_o,
  output logic        pair_valid_o,

  output sum_t        sum_o,
  output logic        sum_valid_o
);

  // Rounds 0 to 3, then 4 for time stamps, 5 and up for blocks. Each has a bit, as it chooses a word of
  // so many bits.
  localparam int Last = 3, Timestamps = 4, Blocks = 5, Rounds = Blocks + SackBlocks;
  typedef logic [Rounds-1:0] round_t;

  localparam sum_t [Shapes-1:0] ShapeSums = shape_sums();

  typedef struct packed {
    logic valid;
    logic first;
    logic last;
  } round_flags_t;

  round_t round_q, final_q;
  round_flags_t chosen_flags, flags_q;  // of the words chosen, and of the sums of two
  pair_t [Rounds-1:0] summands;  // of each round
  sum_t [3:0] word, chosen;
  pair_t pair;
  sum_t left_q, right_q;
  logic unused_command;

  // Known by the fourth round, two clocks or more after s_valid. What they are before does no harm:
  // final_q is never an earlier round.
  option_shape_t shape_q;
  option_words_t words_q;
  sum_t shape_sum_q;

  always_ff @(posedge clk) begin
    shape_q     <= option_shape(s_command);
    words_q     <= option_words(shape_q);
    shape_sum_q <= ShapeSums[shape_q];
    if (shape_q.blocks != '0) final_q <= round_t'(1) << (Blocks - 1 + 32'(shape_q.blocks));
    else final_q <= round_t'(1) << (shape_q.timestamps ? Timestamps : Last);
  end

  always_comb begin
    summands[0] = {s_source, s_command.tuple.remote_ip};
    summands[1] = {s_command.tuple.local_port, s_command.tuple.remote_port, s_command.seq};
    summands[2] = {s_command.ack, s_command.window, s_command.payload_length};
    summands[3] = {
      shape_sum_q,
      4'd5 + words_q, 4'd0, s_command.flags,
      s_command.mss,
      shape_q.window_scale ? {8'd3, 4'd0, s_command.options.window_scale} : 16'd0
    };
    summands[Timestamps] = {s_command.options.ts_value, s_command.options.ts_echo};
    for (int i = 0; i < SackBlocks; i++) summands[Blocks+i] = s_command.sack[i];

    word = '0;
    pair = '0;
    for (int i = 0; i < Rounds; i++) begin
      word |= summands[i] & {64{round_q[i]}};
      if (i >= Timestamps) pair |= summands[i] & {64{round_q[i]}};
    end
  end

  assign unused_command = &{1'b0, s_command.kind, s_command.status, s_command.write_seq};

  assign s_ready      = (round_q & final_q) != '0;
  assign pair_o       = pair;
  assign pair_valid_o = s_valid && round_q[Rounds-1:Timestamps] != '0;

  round_flags_t flags;

  assign flags = '{valid: s_valid, first: round_q[0], last: s_ready};

  if (Registers) begin : gen_register
    always_ff @(posedge clk) begin
      chosen       <= word;
      chosen_flags <= flags;
      if (rst) chosen_flags.valid <= 1'b0;
    end
  end else begin : gen_at_once
    assign chosen       = word;
    assign chosen_flags = flags;
  end

  always_ff @(posedge clk) begin
    if (s_valid) begin
      round_q <= round_q << 1;
      if (round_q[Last] && !shape_q.timestamps) round_q <= round_t'(1) << Blocks;
      if (s_ready) round_q <= round_t'(1);
    end

    left_q  <= ones_add16(chosen[3], chosen[2]);
    right_q <= ones_add16(chosen[1], chosen[0]);
    flags_q <= chosen_flags;

    if (flags_q.valid) sum_o <= ones_add16_3(flags_q.first ? '0 : sum_o, left_q, right_q);
    sum_valid_o <= flags_q.valid && flags_q.last;

    if (rst) begin
      round_q       <= round_t'(1);
      flags_q.valid <= 1'b0;
      sum_valid_o   <= 1'b0;
    end
  end

endmodule
