// SPDX-License-Identifier: Apache-2.0

// Takes received ARP packets apart: what there is to learn, and who wants an answer (RFC 826).
//
// Latency    3 clocks from the last beat in to m_learn and m_reply.
// Throughput one packet at a time; s_ready falls after the last beat until both are taken.
// Paths      m_* are registers; s_ready is one, too.
//
// Wire format (28 bytes; Ethernet padding follows):
//   0  hardware_type (1)      6  operation        14  sender_ip       24  target_ip
//   2  protocol_type (0x800)  8  sender_mac       18  target_mac
//   4  hardware_length (6), protocol_length (4)
//
// Learning is offered for every sane packet: m_learn.insert says whether a new entry may be made
// (the packet was for us) or only a known one brought up to date (announcements and others' talk).
// A probe (sender_ip 0, RFC 5227) for our address is answered, and nothing learnt from it.
// Each packet without s_error raises exactly one count_*_o.
module arp_receive
  import net_headers_pkg::*;
  import arp_pkg::*;
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
  input  logic                 s_error,  // with s_last: bad, and counted already
  input  logic                 s_valid,
  output logic                 s_ready,

  output arp_learn_t           m_learn,
  output logic                 m_learn_valid,
  input  logic                 m_learn_ready,

  output neighbour_t           m_reply,        // who asked for our address
  output logic                 m_reply_valid,
  input  logic                 m_reply_ready,

  output logic                 count_arp_requests_in_o,
  output logic                 count_arp_replies_in_o,
  output logic                 count_drop_arp_malformed_o,
  output logic                 count_drop_arp_not_for_us_o
);

  if (!stream_pkg::supports(DataWidth) || DataWidth < 64) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 64 to 512.");
  end

  localparam int Beats = (ArpBytes + Lanes - 1) / Lanes;
  localparam int BeatWidth = $clog2(Beats + 1);
  localparam int FinalLane = (ArpBytes - 1) % Lanes;

  typedef enum logic [1:0] {
    StCapture,  // a packet comes in
    StCheck,    // its fields are compared
    StDecide,   // what they mean
    StDeliver   // until both outputs are taken
  } state_e;

  state_e state_q, state_d;
  logic [BeatWidth-1:0] beat_q;  // stays at Beats beyond the packet
  logic whole_q;  // its last byte has come
  arp_packet_t packet_q;

  logic accept;
  assign s_ready = state_q == StCapture;
  assign accept  = s_valid && s_ready;

  always_ff @(posedge clk) begin
    for (int i = 0; i < ArpBytes; i++) begin
      if (accept && beat_q == BeatWidth'(i / Lanes)) begin
        packet_q[(ArpBytes-1-i)*8+:8] <= s_data[(i%Lanes)*8+:8];
      end
    end
    if (accept) begin
      if (beat_q == BeatWidth'(Beats - 1)) whole_q <= s_keep[FinalLane];
      else if (beat_q == '0) whole_q <= 1'b0;
      if (s_last) beat_q <= '0;
      else if (beat_q != BeatWidth'(Beats)) beat_q <= beat_q + 1'b1;
    end

    if (rst) beat_q <= '0;
  end

  // StCheck: one comparison each.

  logic form_ok_q, mac_ok_q, ip_known_q, ip_ok_q, request_q, reply_q, for_us_q;
  logic sender_local, unused_target_mac;

  assign sender_local      = ((packet_q.sender_ip ^ ip_i) & netmask_i) == '0;
  assign unused_target_mac = ^packet_q.target_mac;

  always_ff @(posedge clk) begin
    form_ok_q  <= packet_q.hardware_type == 16'd1 && packet_q.protocol_type == EtherTypeIpv4
        && packet_q.hardware_length == 8'd6 && packet_q.protocol_length == 8'd4 && whole_q;
    mac_ok_q   <= !packet_q.sender_mac[40] && packet_q.sender_mac != '0;  // not a group, not zero
    ip_known_q <= packet_q.sender_ip != '0;
    // Not ours, no multicast or above, not the subnet's broadcast address.
    ip_ok_q    <= packet_q.sender_ip != ip_i && packet_q.sender_ip[31:29] != 3'b111
        && !(sender_local && &(packet_q.sender_ip | netmask_i) && !netmask_i[1]);
    request_q  <= packet_q.operation == ArpRequest;
    reply_q    <= packet_q.operation == ArpReply;
    for_us_q   <= packet_q.target_ip == ip_i;
  end

  // StDecide: the outputs.

  logic sane, learn, answer;

  assign sane   = form_ok_q && mac_ok_q && ip_ok_q && (request_q || (reply_q && ip_known_q));
  assign learn  = sane && ip_known_q;
  assign answer = sane && request_q && for_us_q;

  assign m_learn.neighbour = '{ip: packet_q.sender_ip, mac: packet_q.sender_mac};
  assign m_reply           = m_learn.neighbour;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StCapture: if (accept && s_last && !s_error) state_d = StCheck;
      StCheck:   state_d = StDecide;
      StDecide:  state_d = StDeliver;
      StDeliver: begin
        if ((m_learn_ready || !m_learn_valid) && (m_reply_ready || !m_reply_valid)) begin
          state_d = StCapture;
        end
      end
      default:   state_d = StCapture;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;

    if (m_learn_ready) m_learn_valid <= 1'b0;
    if (m_reply_ready) m_reply_valid <= 1'b0;
    if (state_q == StDecide) begin
      m_learn_valid  <= learn;
      m_learn.insert <= for_us_q;
      m_reply_valid  <= answer;
    end

    count_arp_requests_in_o     <= state_q == StDecide && answer;
    count_arp_replies_in_o      <= state_q == StDecide && sane && reply_q && for_us_q;
    count_drop_arp_not_for_us_o <= state_q == StDecide && sane && !for_us_q;
    count_drop_arp_malformed_o  <= state_q == StDecide && !sane;

    if (rst) begin
      state_q                     <= StCapture;
      m_learn_valid               <= 1'b0;
      m_reply_valid               <= 1'b0;
      count_arp_requests_in_o     <= 1'b0;
      count_arp_replies_in_o      <= 1'b0;
      count_drop_arp_not_for_us_o <= 1'b0;
      count_drop_arp_malformed_o  <= 1'b0;
    end
  end

endmodule
