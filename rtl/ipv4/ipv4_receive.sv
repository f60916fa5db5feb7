// SPDX-License-Identifier: Apache-2.0

// Checks received IPv4 packets on their way to TCP and ICMP, and cuts off the Ethernet padding.
//
// Latency    1 clock, 2 at 512 bits. The last beat leaves when the frame has ended, and at the earliest
//            2 clocks after the header's last byte came in: that matters to packets of one or two
//            beats.
// Throughput 1 beat a clock; below 512 bits packets that end with their header's last beat take 1
//            clock more.
// Paths      s_ready follows m_ready. m_*_valid follows s_valid and s_data for the first beat at
//            64 bits (the protocol is in the second), and registers otherwise.
//
// Wire format (20 bytes, then up to 40 of options, header_words * 4 in all):
//   0  version (4 bits), header_words (4 bits)      8  time to live
//   1  DSCP, ECN                                    9  protocol
//   2  total_length                                10  header checksum
//   4  identification                              12  source
//   6  flags (3 bits), fragment_offset (13 bits)   16  destination
//
// The packet is not realigned: m_data has the header's first byte in lane 0. m_ip belongs to it:
// header_words and total_length are right from the first beat on, all fields from the beat with
// byte 19, and they stay up to the last one. A packet that must be dropped when its first bytes
// have left already has m_error with m_last. Of packets that are neither TCP nor ICMP nothing
// leaves.
//
// Each packet without s_error that does not leave whole and good raises one count_drop_ip_*_o.
module ipv4_receive
  import net_headers_pkg::*;
#(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  ip_address_t          ip_i,
  input  ip_address_t          netmask_i,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,      // with s_last: bad, and counted already
  input  logic                 s_broadcast,  // the frame was sent to all
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_error,
  output ip_receive_t          m_ip,
  output logic                 m_tcp_valid,
  output logic                 m_icmp_valid,
  input  logic                 m_ready,                  // what is neither waits for it, too

  output logic                 count_drop_ip_version_o,
  output logic                 count_drop_ip_header_o,
  output logic                 count_drop_ip_checksum_o,
  output logic                 count_drop_ip_length_o,
  output logic                 count_drop_ip_fragment_o,
  output logic                 count_drop_ip_address_o,
  output logic                 count_drop_ip_protocol_o
);

  if (!stream_pkg::supports(DataWidth) || DataWidth < 64) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 64 to 512.");
  end

  localparam int LaneBits = $clog2(Lanes);
  localparam int ProtocolByte = 9;
  // At 64 bits the first beat waits for the second, which says where it goes.
  localparam bit PeekProtocol = Lanes <= ProtocolByte;
  // At 512 bits a header comes in one beat, and packets in each clock. It is judged on its way to the
  // output beat, from a place before it.
  localparam bit Whole = Lanes >= 60;
  // Below 256 bits no packet ends in its first beat.
  localparam bit FirstInside = Lanes < Ipv4HeaderBytes;

  logic accept, leave, finish;

  // The beat that is taken next.

  typedef struct packed {
    logic                 broadcast;
    logic                 error;
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t s_beat, beat;
  logic beat_valid, beat_ready;

  assign s_beat = '{
      broadcast: s_broadcast, error: s_error, last: s_last, keep: s_keep, data: s_data
  };
  assign accept = beat_valid && beat_ready;

  // Where in the header this beat is; beyond the longest header the counter stays.

  localparam int HeaderBeats = (60 + Lanes - 1) / Lanes;
  localparam int BeatWidth = $clog2(HeaderBeats + 1);

  logic [BeatWidth-1:0] beat_d, beat_q;
  logic first;

  assign first = beat_q == '0;

  always_comb begin
    beat_d = beat_q;
    if (accept) begin
      if (beat.last) beat_d = '0;
      else if (beat_q != BeatWidth'(HeaderBeats)) beat_d = beat_q + 1'b1;
    end
    if (rst) beat_d = '0;
  end

  always_ff @(posedge clk) beat_q <= beat_d;

  // The header's fields, in wire order.

  ipv4_header_t header_d, header_q;
  logic broadcast_q;

  always_comb begin
    header_d = header_q;
    for (int i = 0; i < Ipv4HeaderBytes; i++) begin
      if (beat_q == BeatWidth'(i / Lanes)) begin
        header_d[(Ipv4HeaderBytes-1-i)*8+:8] = beat.data[(i%Lanes)*8+:8];
      end
    end
  end

  always_ff @(posedge clk) begin
    // What is taken without a beat there is replaced by the beat that comes.
    if (beat_ready) header_q <= header_d;
    if (accept) broadcast_q <= beat.broadcast;
  end

  assign m_ip = '{
          source: header_q.source,
          destination: header_q.destination,
          header_words: header_q.header_words,
          total_length: header_q.total_length,
          protocol: header_q.protocol
      };

  // Header checksum. The halves of each word are added in one clock, the words of a beat and the sum
  // so far in the next. The sum of at most 30 halves has 21 bits; it is right if the upper and the
  // lower 16 bits add up to all ones, hence if they are complements.

  localparam int Words = DataWidth / 32;

  logic [Words-1:0] belongs;  // which words of this beat are the header's
  logic [Words-1:0][16:0] word, word_q;
  logic words_valid, words_valid_q, words_first_q;
  logic [20:0] header_sum, header_sum_q;

  function automatic logic [Words-1:0] words_of_header(input logic [BeatWidth-1:0] at,
                                                       input logic [3:0] header_words);
    for (int i = 0; i < Words; i++) begin
      // The first five belong to every header.
      logic [7:0] index;
      index = 8'(at) * 8'(Words) + 8'(i);
      words_of_header[i] = index < 8'd5 || index < 8'(header_words);
    end
  endfunction

  if (FirstInside) begin : gen_belongs_ahead
    // A first beat belongs to every header, and with it the header's length is known: for each
    // further beat it is worked out in the clock before.
    logic [Words-1:0] belongs_q;

    always_ff @(posedge clk) begin
      belongs_q <= words_of_header(beat_d, header_d.header_words);
    end

    assign belongs = belongs_q;
  end else begin : gen_belongs
    assign belongs = words_of_header(
        Whole ? '0 : beat_q, Whole || first ? s_data[3:0] : header_q.header_words
    );
  end

  always_comb begin
    for (int i = 0; i < Words; i++) begin
      word[i] = {1'b0, s_data[i*32+:8], s_data[i*32+8+:8]}
          + {1'b0, s_data[i*32+16+:8], s_data[i*32+24+:8]};
      if (!belongs[i]) word[i] = '0;
    end
  end

  assign words_valid = |belongs;

  always_comb begin
    header_sum = (Whole || words_first_q) ? '0 : header_sum_q;
    for (int i = 0; i < Words; i++) header_sum += 21'(word_q[i]);
  end

  if (Whole) begin : gen_ahead
    beat_t beat_held_q;
    logic beat_held_valid_q;
    logic unused_words;

    assign beat         = beat_held_q;
    assign beat_valid   = beat_held_valid_q;
    assign s_ready      = !beat_held_valid_q || beat_ready;
    assign unused_words = &{words_valid, words_first_q};

    always_ff @(posedge clk) begin
      if (s_ready) begin
        beat_held_q       <= s_beat;
        beat_held_valid_q <= s_valid;
        word_q            <= word;
      end
      if (accept && first) header_sum_q <= header_sum;

      if (rst) beat_held_valid_q <= 1'b0;
    end

    assign words_first_q = 1'b1;
    assign words_valid_q = 1'b0;
  end else begin : gen_beside
    assign beat       = s_beat;
    assign beat_valid = s_valid;
    assign s_ready    = beat_ready;

    always_ff @(posedge clk) begin
      word_q        <= word;
      words_first_q <= first;
      words_valid_q <= accept && words_valid;
      if (words_valid_q) header_sum_q <= header_sum;

      if (rst) words_valid_q <= 1'b0;
    end
  end

  // What the header says about the packet's fate: known with the sum, which is one clock behind
  // header_q unless the header comes in one beat.

  ipv4_header_t judged;
  logic judged_broadcast;

  assign judged           = Whole ? header_d : header_q;
  assign judged_broadcast = Whole ? beat.broadcast : broadcast_q;

  logic unused_fields;
  assign unused_fields = ^{
      judged.dscp_ecn, judged.identification, judged.reserved, judged.dont_fragment,
      judged.time_to_live, judged.checksum
  };

  logic bad_version_q, bad_header_q, fragment_q, wrong_address_q, other_protocol_q;
  logic source_local, source_broadcast, source_impossible, bad_checksum;

  // RFC 1122 section 3.2.1.3: addresses that nobody can have sent from.
  assign source_local      = ((judged.source ^ ip_i) & netmask_i) == '0;
  assign source_broadcast  = source_local && &(judged.source | netmask_i) && !netmask_i[1];
  assign source_impossible = judged.source[31:29] == 3'b111  // multicast and above
      || judged.source[31:24] == 8'd0 || judged.source[31:24] == 8'd127
      || judged.source == ip_i;

  always_ff @(posedge clk) begin
    if (!Whole || (accept && first)) begin
      bad_version_q    <= judged.version != 4'd4;
      bad_header_q     <= judged.header_words < 4'd5
        || 16'({judged.header_words, 2'b00}) > judged.total_length;
      fragment_q       <= judged.more_fragments || judged.fragment_offset != '0;
      // RFC 1122 section 3.3.6 and RFC 9293 MUST-57: what was sent to all is not for one address.
      wrong_address_q  <= judged_broadcast || judged.destination != ip_i || source_broadcast
        || source_impossible;
      other_protocol_q <= judged.protocol != IpProtocolTcp && judged.protocol != IpProtocolIcmp;
    end
  end

  assign bad_checksum = header_sum_q[15:0] != ~16'(header_sum_q[20:16]);

  // Where the packet ends. What is left of total_length before this beat:

  logic [15:0] length, to_go, to_go_q;
  logic ends, refuse, too_short;
  logic [Lanes-1:0] end_keep, last_keep;

  assign length    = {beat.data[23:16], beat.data[31:24]};
  assign to_go     = first ? length : to_go_q;
  assign ends      = FirstInside ? !first && to_go_q <= 16'(Lanes) : to_go <= 16'(Lanes);
  assign end_keep  = ends ? last_keep : '1;
  assign refuse    = first && length < 16'(Ipv4HeaderBytes);
  assign too_short = !ends || (last_keep & ~beat.keep) != '0;

  // The lanes of the last beat.
  if (FirstInside) begin : gen_last_keep_ahead
    logic [Lanes-1:0] last_keep_q;

    always_ff @(posedge clk) begin
      // Lane 0 always, and all when nothing is over.
      if (first) last_keep_q <= lanes_of_last(length[LaneBits-1:0]);
    end

    assign last_keep = last_keep_q;
  end else begin : gen_last_keep
    assign last_keep = lanes_of_last(to_go[LaneBits-1:0]);
  end

  function automatic logic [Lanes-1:0] lanes_of_last(input logic [LaneBits-1:0] over);
    return Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'({over == '0, over})));
  endfunction

  // The output beat. The packet's last one waits for the frame's end and for the verdict.

  logic held_valid_q, held_last_q;
  logic [DataWidth-1:0] held_data_q;
  logic [Lanes-1:0] held_keep_q;
  logic done_q;  // the packet has ended or is refused; its frame goes on
  logic ended_q, error_q, short_q;
  logic complete, bad, store;
  logic room, load;

  // The output beat is free, or it leaves if a beat comes: whoever waits for one to see its protocol
  // need not tell the beat to come.
  assign complete   = ended_q && !words_valid_q;
  assign room       = !held_valid_q || (m_ready && (!held_last_q || complete));
  assign finish     = complete && room;
  assign beat_ready = ended_q ? finish : done_q || room;
  assign load       = !held_valid_q || leave;
  assign store      = accept && !done_q && !refuse;

  always_ff @(posedge clk) begin
    if (leave) held_valid_q <= 1'b0;
    if (store) held_valid_q <= 1'b1;
    if (load) begin
      held_last_q <= beat.last || ends;
      held_data_q <= beat.data;
      held_keep_q <= beat.keep & end_keep;
    end

    if (finish) ended_q <= 1'b0;
    if (accept) begin
      to_go_q <= to_go - 16'(Lanes);
      ended_q <= beat.last;
      error_q <= beat.error;
      short_q <= store && too_short;
      done_q  <= !beat.last && (done_q || refuse || ends);
    end

    if (rst) begin
      held_valid_q <= 1'b0;
      ended_q      <= 1'b0;
      done_q       <= 1'b0;
    end
  end

  // Who gets it. A frame that ends before it says so was bad already.

  logic known, may_leave;
  logic [7:0] protocol;

  if (PeekProtocol) begin : gen_peek
    localparam int Lane = ProtocolByte % Lanes;
    logic held_first_q, peek;
    always_ff @(posedge clk) if (load) held_first_q <= first;
    assign peek     = held_first_q && !ended_q;
    assign known    = !peek || beat_valid;
    // A packet that ends before that byte goes nowhere: what is in a lane without keep may change.
    assign protocol = !peek ? header_q.protocol : beat.keep[Lane] ? beat.data[Lane*8+:8] : '0;
  end else begin : gen_no_peek
    assign known    = 1'b1;
    assign protocol = header_q.protocol;
  end

  assign may_leave    = held_valid_q && known && (!held_last_q || complete);
  assign m_tcp_valid  = may_leave && protocol == IpProtocolTcp;
  assign m_icmp_valid = may_leave && protocol == IpProtocolIcmp;

  assign leave = may_leave && m_ready;

  assign bad = bad_version_q || bad_header_q || bad_checksum || short_q || fragment_q
      || wrong_address_q;

  assign m_data  = held_data_q;
  assign m_keep  = held_keep_q;
  assign m_last  = held_last_q;
  assign m_error = held_last_q && (error_q || bad);

  // The first cause that applies.

  logic judge_1, judge_2, judge_3, judge_4, judge_5, judge_6, judge_7;

  assign judge_1 = finish && !error_q;
  assign judge_2 = judge_1 && !bad_version_q;
  assign judge_3 = judge_2 && !bad_header_q;
  assign judge_4 = judge_3 && !bad_checksum;
  assign judge_5 = judge_4 && !short_q;
  assign judge_6 = judge_5 && !fragment_q;
  assign judge_7 = judge_6 && !wrong_address_q;

  always_ff @(posedge clk) begin
    count_drop_ip_version_o  <= judge_1 && bad_version_q;
    count_drop_ip_header_o   <= judge_2 && bad_header_q;
    count_drop_ip_checksum_o <= judge_3 && bad_checksum;
    count_drop_ip_length_o   <= judge_4 && short_q;
    count_drop_ip_fragment_o <= judge_5 && fragment_q;
    count_drop_ip_address_o  <= judge_6 && wrong_address_q;
    count_drop_ip_protocol_o <= judge_7 && other_protocol_q;

    if (rst) begin
      count_drop_ip_version_o  <= 1'b0;
      count_drop_ip_header_o   <= 1'b0;
      count_drop_ip_checksum_o <= 1'b0;
      count_drop_ip_length_o   <= 1'b0;
      count_drop_ip_fragment_o <= 1'b0;
      count_drop_ip_address_o  <= 1'b0;
      count_drop_ip_protocol_o <= 1'b0;
    end
  end

endmodule
