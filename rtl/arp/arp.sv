// SPDX-License-Identifier: Apache-2.0

// ARP (RFC 826): answers for our address, asks for others', and remembers the answers.
//
// Latency    lookup: hit_o and mac_o 1 clock after lookup_i, 3 with Registers (see arp_cache). An answer is offered 3
//            clocks after the last beat of the request.
// Throughput one lookup a clock.
// Paths      the lookup's are those of arp_cache; m_frame follows m_frame_ready by registers.
//
// A lookup that finds nothing, or an entry that is due for renewal, sends a request (see
// arp_request_limiter for how often). Nobody waits for the answer; learnt_o tells of it. Address 0 is never asked for: it
// stands for a gateway that is not set.
module arp
  import net_headers_pkg::*;
  import ethernet_pkg::*;
  import arp_pkg::*;
#(
  parameter  int DataWidth = 64,
  parameter  int Entries   = 16,
  parameter  bit Registers = 1'b0,  // of arp_cache
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [         31:0] now_us,
  input  mac_address_t         mac_i,
  input  ip_address_t          ip_i,
  input  ip_address_t          netmask_i,
  input  logic [         15:0] ageing_s_i,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,
  input  logic                 s_valid,
  output logic                 s_ready,

  input  logic                 lookup_i,
  input  ip_address_t          lookup_ip_i,
  output logic                 hit_o,
  output mac_address_t         mac_o,

  // Whose address is being learnt: a lookup 8 clocks later finds it.
  output ip_address_t          learnt_ip_o,
  output logic                 learnt_o,

  output frame_header_t        m_frame,
  output logic                 m_frame_valid,
  input  logic                 m_frame_ready,

  output logic                 count_arp_requests_in_o,
  output logic                 count_arp_replies_in_o,
  output logic                 count_arp_requests_out_o,
  output logic                 count_arp_replies_out_o,
  output logic                 count_drop_arp_malformed_o,
  output logic                 count_drop_arp_not_for_us_o
);

  arp_learn_t learn;
  logic learn_valid, learn_ready;
  neighbour_t reply;
  logic reply_valid, reply_ready;

  arp_receive #(
    .DataWidth(DataWidth)
  ) receive (
    .clk,
    .rst,
    .ip_i,
    .netmask_i,
    .s_data,
    .s_keep,
    .s_last,
    .s_error,
    .s_valid,
    .s_ready,
    .m_learn      (learn),
    .m_learn_valid(learn_valid),
    .m_learn_ready(learn_ready),
    .m_reply      (reply),
    .m_reply_valid(reply_valid),
    .m_reply_ready(reply_ready),
    .count_arp_requests_in_o,
    .count_arp_replies_in_o,
    .count_drop_arp_malformed_o,
    .count_drop_arp_not_for_us_o
  );

  logic refresh;

  arp_cache #(
    .Entries  (Entries),
    .Registers(Registers)
  ) cache (
    .clk,
    .rst,
    .now_us,
    .ageing_s_i,
    .lookup_i,
    .lookup_ip_i,
    .hit_o,
    .mac_o,
    .refresh_o    (refresh),
    .s_learn      (learn),
    .s_learn_valid(learn_valid),
    .s_learn_ready(learn_ready),
    .learnt_ip_o,
    .learnt_o
  );

  // The answer comes with the last of these.
  localparam int AnswerClocks = Registers ? 3 : 1;

  logic [AnswerClocks-1:0] looked_up_q;
  ip_address_t looked_up_ip_q;

  always_ff @(posedge clk) begin
    looked_up_q <= AnswerClocks'({looked_up_q, lookup_i && lookup_ip_i != '0});
    if (lookup_i) looked_up_ip_q <= lookup_ip_i;

    if (rst) looked_up_q <= '0;
  end

  ip_address_t request;
  logic request_valid, request_ready;

  arp_request_limiter limiter (
    .clk,
    .rst,
    .now_us,
    .ask_i          (looked_up_q[AnswerClocks-1] && (!hit_o || refresh)),
    .ask_ip_i       (looked_up_ip_q),
    .m_request      (request),
    .m_request_valid(request_valid),
    .m_request_ready(request_ready)
  );

  // Answers and requests in turn. A request goes to all, and does not know its target's address.

  neighbour_t targets[2];
  neighbour_t target;
  logic is_request;

  assign targets[0] = reply;
  assign targets[1] = '{ip: request, mac: '0};

  stream_arbiter #(
    .T(neighbour_t),
    .N(2)
  ) choice (
    .clk,
    .rst,
    .s_data (targets),
    .s_valid({request_valid, reply_valid}),
    .s_ready({request_ready, reply_ready}),
    .m_data (target),
    .m_index(is_request),
    .m_valid(m_frame_valid),
    .m_ready(m_frame_ready)
  );

  arp_packet_t packet;

  assign packet = '{
      hardware_type: 16'd1,
      protocol_type: EtherTypeIpv4,
      hardware_length: 8'd6,
      protocol_length: 8'd4,
      operation: is_request ? ArpRequest : ArpReply,
      sender_mac: mac_i,
      sender_ip: ip_i,
      target_mac: target.mac,
      target_ip: target.ip
  };

  assign m_frame = '{
      destination: is_request ? BroadcastMac : target.mac,
      ether_type: EtherTypeArp,
      has_payload: 1'b0,
      late_checksum: 1'b0,
      length: 7'(ArpBytes),
      header: (MaxUpperHeaderBytes * 8)'(swap_bytes_arp(packet))
  };

  always_ff @(posedge clk) begin
    count_arp_replies_out_o  <= m_frame_valid && m_frame_ready && !is_request;
    count_arp_requests_out_o <= m_frame_valid && m_frame_ready && is_request;

    if (rst) begin
      count_arp_replies_out_o  <= 1'b0;
      count_arp_requests_out_o <= 1'b0;
    end
  end

endmodule
