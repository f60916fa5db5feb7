// SPDX-License-Identifier: Apache-2.0

// Ones' complement sum of a TCP header and its pseudo-header, without the payload's.
//
// Latency    5 clocks from s_valid to sum_valid_o.
// Throughput one header in 4 clocks.
// Paths      sum_* are registers; s_ready follows s_valid.
//
// s_* must be stable from s_valid to s_ready, which comes with the last of four rounds; a round adds
// four words. sum_o is valid for one clock, with sum_valid_o.
module tcp_header_sum
  import net_headers_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  ip_address_t s_source,
  input  tx_command_t s_command,
  input  logic        s_valid,
  output logic        s_ready,

  output sum_t        sum_o,
  output logic        sum_valid_o
);

  localparam sum_t OptionWord = {TcpOptionMss, 8'd4};

  logic [1:0] round_q;
  logic first_q, second_valid_q, last_q;
  sum_t [3:0] word;
  sum_t left_q, right_q;
  logic unused_command;

  // Protocol, TCP length but for the payload, and the option's first word are constants.
  always_comb begin
    unique case (round_q)
      2'd0: word = {s_source, s_command.tuple.remote_ip};
      2'd1: word = {s_command.tuple.local_port, s_command.tuple.remote_port, s_command.seq};
      2'd2: word = {s_command.ack, s_command.window, s_command.payload_length};
      2'd3: word = {
          s_command.mss == '0 ? 16'(IpProtocolTcp) + 16'(TcpHeaderBytes)
              : 16'(IpProtocolTcp) + 16'(TcpHeaderBytes + 4) + OptionWord,
          s_command.mss == '0 ? 4'd5 : 4'd6, 4'd0, s_command.flags,
          s_command.mss,
          16'd0
      };
    endcase
  end

  assign unused_command = &{1'b0, s_command.kind, s_command.status, s_command.write_seq};

  assign s_ready = round_q == 2'd3;

  always_ff @(posedge clk) begin
    if (s_valid) round_q <= round_q + 1'b1;

    left_q         <= ones_add16(word[3], word[2]);
    right_q        <= ones_add16(word[1], word[0]);
    first_q        <= round_q == 2'd0;
    last_q         <= round_q == 2'd3;
    second_valid_q <= s_valid;

    if (second_valid_q) sum_o <= ones_add16_3(first_q ? '0 : sum_o, left_q, right_q);
    sum_valid_o <= second_valid_q && last_q;

    if (rst) begin
      round_q        <= '0;
      second_valid_q <= 1'b0;
      sum_valid_o    <= 1'b0;
    end
  end

endmodule
