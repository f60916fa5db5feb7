// SPDX-License-Identifier: Apache-2.0

// Reads ICMP errors (RFC 792) about TCP segments that came from here, as their messages pass by.
//
// Latency    2 clocks from a message's last beat to error_o and is_error_o, which stay until first_i.
// Throughput 1 beat a clock; never stalls what it watches.
//
// Wire format: type (1 byte: 3, 11 or 12), code (1), checksum (2), unused (2), MTU of the next hop (2,
// type 3 code 4 alone), the packet's IP header, at least 8 bytes of what followed: ports (2 and 2) and
// sequence number (4). Our IP headers have no options, so one that is longer is not ours, and all
// stands where it must. is_error_o says nothing of the checksum, nor that the message has the
// QuoteBytes that are read.
module icmp_error_parser
  import net_headers_pkg::*;
#(
  parameter  int DataWidth  = 64,
  localparam int QuoteBytes = IcmpHeaderBytes + Ipv4HeaderBytes + 8
) (
  input  logic                 clk,

  input  ip_address_t          ip_i,

  // beat_i is valid && ready of the stream watched; lane 0 of a message's first beat is its type. first_i
  // may rise, and data_i have anything, when the message before is no longer looked at.
  input  logic                 beat_i,
  input  logic [DataWidth-1:0] data_i,
  input  logic                 first_i,

  output icmp_error_t          error_o,
  output logic                 is_error_o
);

  localparam int Words = DataWidth / 32;
  localparam int QuoteWords = QuoteBytes / 4;
  localparam int Beats = (QuoteWords + Words - 1) / Words;
  localparam int IndexWidth = $clog2(Beats + 1);

  function automatic logic [31:0] wire_order(input logic [31:0] lanes);
    return {lanes[7:0], lanes[15:8], lanes[23:16], lanes[31:24]};
  endfunction

  // Each word in the beat that has it, in the order of the wire. It is loaded while that beat is the next
  // one, whether there is one or not: that comes late, and the index alone has to know.
  logic [IndexWidth-1:0] index, index_q;
  logic [31:0] word_q[QuoteWords];

  assign index = first_i ? '0 : index_q;

  always_ff @(posedge clk) begin
    if (beat_i && index != IndexWidth'(Beats)) index_q <= index + 1'b1;
    for (int i = 0; i < QuoteWords; i++) begin
      if (index == IndexWidth'(i / Words)) word_q[i] <= wire_order(data_i[i%Words*32+:32]);
    end
  end

  // The IP header that is quoted.
  ipv4_header_t quoted;
  logic unused_quoted;
  logic [7:0] kind, code;
  logic known, ours;

  assign quoted = {word_q[2], word_q[3], word_q[4], word_q[5], word_q[6]};
  assign unused_quoted = &{
    1'b0, quoted.dscp_ecn, quoted.total_length, quoted.identification, quoted.reserved,
    quoted.dont_fragment, quoted.more_fragments, quoted.time_to_live, quoted.checksum,
    word_q[0][15:0], word_q[1][31:16]
  };

  assign kind = word_q[0][31:24];
  assign code = word_q[0][23:16];
  assign known = code[7:4] == '0
      && (kind == IcmpUnreachable || kind == IcmpTimeExceeded || kind == IcmpParameterProblem);
  assign ours = quoted.version == 4'd4 && quoted.header_words == 4'd5
      && quoted.protocol == IpProtocolTcp && quoted.fragment_offset == '0
      && quoted.source == ip_i;

  always_ff @(posedge clk) is_error_o <= known && ours;

  assign error_o = '{
          remote_ip: quoted.destination,
          remote_port: word_q[7][15:0],
          local_port: word_q[7][31:16],
          seq: word_q[8],
          reason: '{kind: kind[3:0], code: code[3:0]},
          mtu: word_q[1][15:0]
      };

endmodule
