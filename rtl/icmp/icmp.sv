// SPDX-License-Identifier: Apache-2.0

// Answers ICMP echo requests of any length up to the MTU (RFC 792, RFC 1122 section 3.2.2.6), and hands
// on errors about TCP segments that came from here (icmp_error_parser).
//
// Latency    store and forward: 9 clocks at 64 bits and 12 at 512 from the last beat in to m_packet_valid
//            or m_icmp_error_valid, one more where the realigner makes a beat more of the end.
// Throughput one message at a time comes in, at 1 beat a clock; two of the longest, or several
//            short ones, wait for their turn to leave, and two errors. s_ready falls when there is no
//            more room.
// Paths      s_ready is a function of registers, s_keep and s_ip; m_* are registers.
//
// Wire format: type (1 byte: 8 request, 0 reply), code (1: 0), checksum (2), identifier (2),
// sequence number (2), data. The reply is the request with another type and the checksum to match.
//
// s_ip goes with s_data as ipv4_receive has it: header_words is right from the first beat on, all
// of it at the last. Each packet without s_error raises count_icmp_echo_in_o, when it will be
// answered, or one of the count_drop_icmp_*_o, or appears on m_icmp_error.
module icmp
  import net_headers_pkg::*;
#(
  parameter  int DataWidth = 64,
  parameter  int Mtu       = EthernetMtu,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  ip_address_t          ip_i,

  input  logic [DataWidth-1:0] s_data,   // lane 0 of the first beat: the IP header's first byte
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,  // with s_last: bad, and counted already
  input  ip_receive_t          s_ip,
  input  logic                 s_valid,
  output logic                 s_ready,

  output ip_transmit_t         m_packet,
  output logic                 m_packet_valid,
  input  logic                 m_packet_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready,

  output icmp_error_t          m_icmp_error,
  output logic                 m_icmp_error_valid,
  input  logic                 m_icmp_error_ready,

  output logic                 count_icmp_echo_in_o,
  output logic                 count_icmp_echo_out_o,
  output logic                 count_drop_icmp_checksum_o,
  output logic                 count_drop_icmp_type_o,
  output logic                 count_drop_icmp_length_o
);

  localparam int LaneBits = $clog2(Lanes);
  localparam int MaxBeats = (Mtu + Lanes - 1) / Lanes;
  localparam int Depth = 2 ** $clog2(2 * MaxBeats);

  typedef struct packed {
    ip_address_t peer;
    logic [15:0] length;
  } reply_t;

  // From its last beat in to the verdict a packet has the block for itself.

  logic closed_q, empty_q, error_q, too_short_q, quote_short_q;
  logic [15:0] length_q;
  ip_address_t peer_q;
  logic resolve, unused_ip;

  assign unused_ip = ^{s_ip.destination, s_ip.protocol};

  // Skip the IP header: whole beats here, the rest in the realigner. A packet that ends with its
  // header never gets there.

  logic [5:0] header_bytes;
  logic [2:0] skip_beats, to_skip, to_skip_q;
  logic [LaneBits-1:0] skip_lanes;
  logic first_q, started_q, skipping, starting, empty, accept, to_realign;
  logic realign_ready;

  assign header_bytes = {s_ip.header_words, 2'b00};
  assign skip_beats   = 3'(header_bytes >> LaneBits);
  assign skip_lanes   = LaneBits'(header_bytes);

  assign to_skip    = first_q ? skip_beats : to_skip_q;
  assign skipping   = to_skip != '0;
  assign starting   = !skipping && !started_q;
  assign empty      = skipping || (starting && !s_keep[skip_lanes]);
  assign to_realign = s_valid && !closed_q && !empty;
  assign accept     = s_valid && s_ready;
  assign s_ready    = !closed_q && realign_ready;  // what skips the realigner waits for it, too

  always_ff @(posedge clk) begin
    if (resolve) closed_q <= 1'b0;
    if (accept) begin
      first_q   <= s_last;
      started_q <= !s_last && !skipping;
      to_skip_q <= skipping ? to_skip - 1'b1 : '0;
      closed_q  <= s_last;
      empty_q   <= empty;
      error_q   <= s_error;
      length_q  <= s_ip.total_length - 16'(header_bytes);
      peer_q    <= s_ip.source;
    end
    too_short_q <= length_q < 16'(IcmpHeaderBytes);
    quote_short_q <= length_q < 16'(IcmpHeaderBytes + Ipv4HeaderBytes + 8);

    if (rst) begin
      first_q   <= 1'b1;
      started_q <= 1'b0;
      closed_q  <= 1'b0;
    end
  end

  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t message;
  logic message_valid, load;

  stream_realign #(
    .DataWidth(DataWidth)
  ) realign (
    .clk,
    .rst,
    .s_skip (skip_lanes),
    .s_lead ('0),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid(to_realign),
    .s_ready(realign_ready),
    .m_data (message.data),
    .m_keep (message.keep),
    .m_last (message.last),
    .m_valid(message_valid),
    .m_ready(load)
  );

  // A register in front of all that looks at a beat. It is empty for a clock behind a message, when
  // nothing can follow yet: so whether it loads does not wait for the verdict.

  beat_t beat_q;
  logic valid_q, ends, store_ready;

  assign load = !valid_q || (!beat_q.last && store_ready);

  always_ff @(posedge clk) begin
    if (load) beat_q <= message;
    valid_q <= load ? message_valid : !ends;

    if (rst) valid_q <= 1'b0;
  end

  // Sum it up. The last beat waits for room before it is summed, then for the sum, for room where its reply
  // or error goes, and a clock for what they mean (decided_q): room that is there stays until this packet
  // takes it. So decided_q says that the last beat is there, too, and is taken.

  logic summed_q, sum_valid, sum_known_q, sum_ok, sum_ok_q, decided_q;
  logic beat, passes, store, replies_ready, errors_ready, room;

  checksum_stream #(
    .DataWidth(DataWidth)
  ) checksum (
    .clk,
    .rst,
    .beat_i     (beat),
    .data_i     (beat_q.data),
    .keep_i     (beat_q.keep),
    .last_i     (beat_q.last),
    .seed_i     ('0),
    .sum_o      (),
    .ones_o     (sum_ok),
    .sum_valid_o(sum_valid)
  );

  assign beat   = valid_q && !summed_q && store_ready;
  assign room   = replies_ready && errors_ready;
  assign passes = valid_q && !beat_q.last;
  assign store  = decided_q || passes;
  assign ends   = decided_q;

  always_ff @(posedge clk) begin
    if (beat && beat_q.last) summed_q <= 1'b1;
    if (sum_valid) begin
      sum_known_q <= 1'b1;
      sum_ok_q    <= sum_ok;
    end
    decided_q <= sum_known_q && room;
    if (ends) begin
      summed_q    <= 1'b0;
      sum_known_q <= 1'b0;
      decided_q   <= 1'b0;
    end

    if (rst) begin
      summed_q    <= 1'b0;
      sum_known_q <= 1'b0;
      decided_q   <= 1'b0;
    end
  end

  // Make it the reply.

  logic reply_first_q, request_q, request;
  logic [15:0] reply_checksum;
  logic [DataWidth-1:0] reply_data;

  // The type's word falls from 0x0800 to 0, so the checksum rises by as much (RFC 1141). Written so
  // it is never 0: for a message of zeros alone 0 would be wrong, where all ones are always right.
  assign reply_checksum = checksum_pkg::ones_add16(
      {beat_q.data[23:16], beat_q.data[31:24]}, {IcmpEchoRequest, 8'd0}
  );
  assign request = reply_first_q ? beat_q.data[15:0] == {8'd0, IcmpEchoRequest} : request_q;

  always_comb begin
    reply_data = beat_q.data;
    if (reply_first_q) begin
      reply_data[7:0]   = IcmpEchoReply;
      reply_data[31:16] = {reply_checksum[7:0], reply_checksum[15:8]};
    end
  end

  always_ff @(posedge clk) begin
    if (ends) reply_first_q <= 1'b1;
    else if (passes && store_ready) reply_first_q <= 1'b0;
    request_q <= request;

    if (rst) reply_first_q <= 1'b1;
  end

  // Or an error. The sum takes longer than the parser does.

  icmp_error_t error;
  logic is_error;

  icmp_error_parser #(
    .DataWidth(DataWidth)
  ) errors (
    .clk,
    .ip_i,
    .beat_i    (beat),
    .data_i    (beat_q.data),
    .first_i   (reply_first_q),
    .error_o   (error),
    .is_error_o(is_error)
  );

  // The verdict: the first cause that applies.

  logic judge, whole, good, good_q, tell, tell_q;

  assign resolve = closed_q && (empty_q || ends);
  assign judge   = resolve && !error_q;
  assign whole   = judge && !empty_q && !too_short_q;
  assign good    = ends && good_q;
  assign tell    = ends && tell_q;

  always_ff @(posedge clk) begin
    good_q <= sum_ok_q && !error_q && !too_short_q && request_q;
    tell_q <= sum_ok_q && !error_q && !quote_short_q && is_error;
  end

  stream_register #(
    .T(icmp_error_t)
  ) error_register (
    .clk,
    .rst,
    .s_data (error),
    .s_valid(tell),
    .s_ready(errors_ready),
    .m_data (m_icmp_error),
    .m_valid(m_icmp_error_valid),
    .m_ready(m_icmp_error_ready)
  );

  logic [$clog2(Depth+1)-1:0] unused_packets;
  logic unused_dropped, unused_overflow;
  logic [3:0] unused_replies;
  reply_t reply;

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (Depth)
  ) replies_data (
    .clk,
    .rst,
    .s_data    (reply_data),
    .s_keep    (beat_q.keep),
    .s_last    (decided_q),
    .s_error   (!good_q),
    .s_valid   (store),
    .s_ready   (store_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready,
    .packets_o (unused_packets),
    .dropped_o (unused_dropped),
    .overflow_o(unused_overflow)
  );

  stream_fifo #(
    .T    (reply_t),
    .Depth(8)
  ) replies (
    .clk,
    .rst,
    .s_data ('{peer: peer_q, length: length_q}),
    .s_valid(good),
    .s_ready(replies_ready),
    .m_data (reply),
    .m_valid(m_packet_valid),
    .m_ready(m_packet_ready),
    .count_o(unused_replies)
  );

  // The ICMP header travels with the data.
  assign m_packet = '{
          destination: reply.peer,
          dscp: '0,
          protocol: IpProtocolIcmp,
          payload_length: reply.length,
          late_checksum: 1'b0,
          header_length: '0,
          header: '0
      };

  always_ff @(posedge clk) begin
    count_icmp_echo_in_o       <= good;
    count_icmp_echo_out_o      <= m_packet_valid && m_packet_ready;
    count_drop_icmp_length_o   <= judge && (empty_q || too_short_q);
    count_drop_icmp_checksum_o <= whole && !sum_ok_q;
    count_drop_icmp_type_o     <= whole && sum_ok_q && !request_q && !tell_q;

    if (rst) begin
      count_icmp_echo_in_o       <= 1'b0;
      count_icmp_echo_out_o      <= 1'b0;
      count_drop_icmp_length_o   <= 1'b0;
      count_drop_icmp_checksum_o <= 1'b0;
      count_drop_icmp_type_o     <= 1'b0;
    end
  end

endmodule
