// SPDX-License-Identifier: Apache-2.0

// An IPv4 host on Ethernet without its transport layer: ARP, IPv4, ICMP.
//
// Latency    s_rx to m_tcp: 3 clocks behind the beat that completes an output beat, one more for a
//            tail that does not fit its frame's last beat; at least 4 clocks from the header's last
//            byte to m_tcp_last. s_ip_packet to m_tx: 6 clocks at 64 bits, 11 with Registers.
// Throughput 1 beat a clock each way.
// Paths      m_tx_* are registers. s_rx_ready follows m_tcp_ready; s_rx_* reach m_tcp_valid for a
//            packet's first beat at 64 bits. s_ip_payload_ready follows registers.
//
// m_tcp: IP packets with protocol TCP, for us, from their header on, without Ethernet padding;
// m_tcp_error at m_tcp_last: drop it, it has been counted. m_tcp_ip as ipv4_receive says.
// s_ip: an L4 header, and as many payload bytes as it says on s_ip_payload, and if it says so its checksum
// on s_ip_checksum, in the same order.
// m_icmp_error: ICMP errors about TCP segments that came from here; while one waits, receiving does.
// Sending never waits for receiving. Each frame that is received ends in one counter of counts_o,
// or on m_tcp without error, or on m_icmp_error; fields of counts_o that belong to others are zero.
module ip_endpoint
  import net_headers_pkg::*;
  import ethernet_pkg::*;
  import toe_counters_pkg::*;
#(
  parameter  int DataWidth  = 64,
  parameter  int ArpEntries = 16,
  parameter  int Mtu        = EthernetMtu,
  parameter  bit Registers  = 1'b0,         // for parts that need them
  localparam int Lanes      = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [         31:0] now_us,
  input  logic                 enable_i,        // otherwise received frames vanish
  input  mac_address_t         mac_i,
  input  ip_address_t          ip_i,
  input  ip_address_t          netmask_i,
  input  ip_address_t          gateway_i,       // 0: none
  input  logic [          7:0] time_to_live_i,
  input  logic [         15:0] arp_ageing_s_i,  // 0: never

  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready,

  output logic [DataWidth-1:0] m_tcp_data,
  output logic [    Lanes-1:0] m_tcp_keep,
  output logic                 m_tcp_last,
  output logic                 m_tcp_error,
  output ip_receive_t          m_tcp_ip,
  output logic                 m_tcp_valid,
  input  logic                 m_tcp_ready,

  output icmp_error_t          m_icmp_error,
  output logic                 m_icmp_error_valid,
  input  logic                 m_icmp_error_ready,

  input  ip_transmit_t         s_ip_packet,
  input  logic                 s_ip_valid,
  output logic                 s_ip_ready,

  input  logic [DataWidth-1:0] s_ip_payload_data,
  input  logic [    Lanes-1:0] s_ip_payload_keep,
  input  logic                 s_ip_payload_last,
  input  logic                 s_ip_payload_valid,
  output logic                 s_ip_payload_ready,

  input  logic [         15:0] s_ip_checksum,
  input  logic                 s_ip_checksum_valid,
  output logic                 s_ip_checksum_ready,

  output toe_counters_t        counts_o
);

  // Packets are sent one by one; wider frames come too fast for more clocks between them.
  localparam bit OneByOne = Registers && DataWidth < 256;

  // Receiving: Ethernet tells ARP from IPv4, IPv4 tells TCP from ICMP.

  // Registers behind each of the two keep readiness from going through both at once.
  typedef struct packed {
    logic                 broadcast;
    logic                 arp;
    logic                 error;
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } frame_beat_t;

  frame_beat_t frame_in, frame;
  logic frame_in_valid, frame_in_ready, frame_valid, frame_ready;
  logic arp_ready, ipv4_ready;

  logic drop_fcs, drop_runt, drop_giant, drop_mac_address, drop_ethertype;
  logic rx_frames, tx_frames;
  logic [15:0] rx_bytes, tx_bytes;

  ethernet_receive #(
    .DataWidth(DataWidth),
    .Mtu      (Mtu)
  ) ethernet_in (
    .clk,
    .rst,
    .enable_i,
    .mac_i,
    .s_data                  (s_rx_data),
    .s_keep                  (s_rx_keep),
    .s_last                  (s_rx_last),
    .s_error                 (s_rx_error),
    .s_valid                 (s_rx_valid),
    .s_ready                 (s_rx_ready),
    .m_data                  (frame_in.data),
    .m_keep                  (frame_in.keep),
    .m_last                  (frame_in.last),
    .m_error                 (frame_in.error),
    .m_arp                   (frame_in.arp),
    .m_broadcast             (frame_in.broadcast),
    .m_valid                 (frame_in_valid),
    .m_ready                 (frame_in_ready),
    .count_rx_frames_o       (rx_frames),
    .count_rx_bytes_o        (rx_bytes),
    .count_drop_fcs_o        (drop_fcs),
    .count_drop_runt_o       (drop_runt),
    .count_drop_giant_o      (drop_giant),
    .count_drop_mac_address_o(drop_mac_address),
    .count_drop_ethertype_o  (drop_ethertype)
  );

  stream_register #(
    .T   (frame_beat_t),
    .Wide(1'b1)
  ) frame_register (
    .clk,
    .rst,
    .s_data (frame_in),
    .s_valid(frame_in_valid),
    .s_ready(frame_in_ready),
    .m_data (frame),
    .m_valid(frame_valid),
    .m_ready(frame_ready)
  );

  assign frame_ready = frame.arp ? arp_ready : ipv4_ready;

  logic [DataWidth-1:0] packet_data;
  logic [Lanes-1:0] packet_keep;
  logic packet_last, packet_error, tcp_in_valid, icmp_in_valid;
  logic packet_in_ready, icmp_ready;
  ip_receive_t packet_ip;

  logic drop_ip_version, drop_ip_header, drop_ip_checksum, drop_ip_length, drop_ip_fragment;
  logic drop_ip_address, drop_ip_protocol;

  ipv4_receive #(
    .DataWidth(DataWidth)
  ) ipv4_in (
    .clk,
    .rst,
    .ip_i,
    .netmask_i,
    .s_data                  (frame.data),
    .s_keep                  (frame.keep),
    .s_last                  (frame.last),
    .s_error                 (frame.error),
    .s_broadcast             (frame.broadcast),
    .s_valid                 (frame_valid && !frame.arp),
    .s_ready                 (ipv4_ready),
    .m_data                  (packet_data),
    .m_keep                  (packet_keep),
    .m_last                  (packet_last),
    .m_error                 (packet_error),
    .m_ip                    (packet_ip),
    .m_tcp_valid             (tcp_in_valid),
    .m_icmp_valid            (icmp_in_valid),
    .m_ready                 (packet_in_ready),
    .count_drop_ip_version_o (drop_ip_version),
    .count_drop_ip_header_o  (drop_ip_header),
    .count_drop_ip_checksum_o(drop_ip_checksum),
    .count_drop_ip_length_o  (drop_ip_length),
    .count_drop_ip_fragment_o(drop_ip_fragment),
    .count_drop_ip_address_o (drop_ip_address),
    .count_drop_ip_protocol_o(drop_ip_protocol)
  );

  typedef struct packed {
    ip_receive_t          ip;
    logic                 error;
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } packet_beat_t;

  packet_beat_t packet_in, packet;
  logic packet_valid, packet_ready, packet_is_icmp;

  assign packet_in = '{
          ip: packet_ip,
          error: packet_error,
          last: packet_last,
          keep: packet_keep,
          data: packet_data
      };

  stream_register #(
    .T   (packet_beat_t),
    .Wide(1'b1)
  ) packet_register (
    .clk,
    .rst,
    .s_data (packet_in),
    .s_valid(tcp_in_valid || icmp_in_valid),
    .s_ready(packet_in_ready),
    .m_data (packet),
    .m_valid(packet_valid),
    .m_ready(packet_ready)
  );

  // Whose packet it is leads far: a register beside it, in step with the two places.
  logic unused_whose_ready, unused_whose_valid;

  stream_register #(
    .T(logic)
  ) whose_register (
    .clk,
    .rst,
    .s_data (icmp_in_valid),
    .s_valid(tcp_in_valid || icmp_in_valid),
    .s_ready(unused_whose_ready),
    .m_data (packet_is_icmp),
    .m_valid(unused_whose_valid),
    .m_ready(packet_ready)
  );

  assign packet_ready = packet_is_icmp ? icmp_ready : m_tcp_ready;
  assign m_tcp_data   = packet.data;
  assign m_tcp_keep   = packet.keep;
  assign m_tcp_last   = packet.last;
  assign m_tcp_error  = packet.error;
  assign m_tcp_ip     = packet.ip;
  assign m_tcp_valid  = packet_valid && !packet_is_icmp;

  // Sending: source 0 is TCP, source 1 ICMP; then ARP's frames join.

  localparam int FromTcp = 0;
  localparam int FromIcmp = 1;
  localparam int FromWait = 2;
  localparam int Sources = 3;

  ip_transmit_t packets[Sources];
  logic [Sources-1:0] packets_valid, packets_ready;
  logic [DataWidth-1:0] payload_data[Sources];
  logic [Lanes-1:0] payload_keep[Sources];
  logic [Sources-1:0] payload_last, payload_valid, payload_ready;

  logic icmp_echo_in, icmp_echo_out, drop_icmp_checksum, drop_icmp_type, drop_icmp_length;

  icmp #(
    .DataWidth(DataWidth),
    .Mtu      (Mtu)
  ) icmp (
    .clk,
    .rst,
    .ip_i,
    .s_data                    (packet.data),
    .s_keep                    (packet.keep),
    .s_last                    (packet.last),
    .s_error                   (packet.error),
    .s_ip                      (packet.ip),
    .s_valid                   (packet_valid && packet_is_icmp),
    .s_ready                   (icmp_ready),
    .m_packet                  (packets[FromIcmp]),
    .m_packet_valid            (packets_valid[FromIcmp]),
    .m_packet_ready            (packets_ready[FromIcmp]),
    .m_data                    (payload_data[FromIcmp]),
    .m_keep                    (payload_keep[FromIcmp]),
    .m_last                    (payload_last[FromIcmp]),
    .m_valid                   (payload_valid[FromIcmp]),
    .m_ready                   (payload_ready[FromIcmp]),
    .m_icmp_error              (m_icmp_error),
    .m_icmp_error_valid        (m_icmp_error_valid),
    .m_icmp_error_ready        (m_icmp_error_ready),
    .count_icmp_echo_in_o      (icmp_echo_in),
    .count_icmp_echo_out_o     (icmp_echo_out),
    .count_drop_icmp_checksum_o(drop_icmp_checksum),
    .count_drop_icmp_type_o    (drop_icmp_type),
    .count_drop_icmp_length_o  (drop_icmp_length)
  );

  assign packets[FromTcp]       = s_ip_packet;
  assign packets_valid[FromTcp] = s_ip_valid;
  assign s_ip_ready             = packets_ready[FromTcp];
  assign payload_data[FromTcp]  = s_ip_payload_data;
  assign payload_keep[FromTcp]  = s_ip_payload_keep;
  assign payload_last[FromTcp]  = s_ip_payload_last;
  assign payload_valid[FromTcp] = s_ip_payload_valid;
  assign s_ip_payload_ready     = payload_ready[FromTcp];

  // What waits for ARP has no payload.
  logic unused_ready;

  assign payload_data[FromWait]  = '0;
  assign payload_keep[FromWait]  = '0;
  assign payload_last[FromWait]  = 1'b0;
  assign payload_valid[FromWait] = 1'b0;
  assign unused_ready            = payload_ready[FromWait];

  logic lookup, hit;
  ip_address_t lookup_ip;
  mac_address_t neighbour_mac;
  ip_transmit_t missed_packet;
  ip_address_t missed_next_hop, learnt_ip;
  logic missed, learnt;
  logic drop_at_once, drop_waiting;

  neighbour_wait #(
    .Registers(Registers)
  ) waiting (
    .clk,
    .rst,
    .now_us,
    .missed_packet_i      (missed_packet),
    .missed_next_hop_i    (missed_next_hop),
    .missed_i             (missed),
    .learnt_ip_i          (learnt_ip),
    .learnt_i             (learnt),
    .m_packet             (packets[FromWait]),
    .m_packet_valid       (packets_valid[FromWait]),
    .m_packet_ready       (packets_ready[FromWait]),
    .count_drop_arp_miss_o(drop_waiting)
  );

  frame_header_t ip_frame, arp_frame;
  logic ip_frame_valid, ip_frame_ready, arp_frame_valid, arp_frame_ready;
  logic [DataWidth-1:0] out_data;
  logic [Lanes-1:0] out_keep;
  logic out_last, out_valid, out_ready;
  logic [15:0] chosen_checksum, out_checksum;
  logic chosen_checksum_valid, chosen_checksum_ready, out_checksum_valid, out_checksum_ready;

  // Payload of the source whose packet it is.
  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } payload_beat_t;

  payload_beat_t chosen;
  logic chosen_valid, chosen_ready;

  ipv4_transmit #(
    .DataWidth(DataWidth),
    .Sources  (Sources),
    .Registers(OneByOne)
  ) ipv4_out (
    .clk,
    .rst,
    .ip_i,
    .netmask_i,
    .gateway_i,
    .time_to_live_i,
    .s_packet             (packets),
    .s_packet_valid       (packets_valid),
    .s_packet_ready       (packets_ready),
    .s_data               (payload_data),
    .s_keep               (payload_keep),
    .s_last               (payload_last),
    .s_valid              (payload_valid),
    .s_ready              (payload_ready),
    .s_checksum           (s_ip_checksum),
    .s_checksum_valid     (s_ip_checksum_valid),
    .s_checksum_ready     (s_ip_checksum_ready),
    .lookup_o             (lookup),
    .lookup_ip_o          (lookup_ip),
    .hit_i                (hit),
    .neighbour_mac_i      (neighbour_mac),
    .m_frame              (ip_frame),
    .m_frame_valid        (ip_frame_valid),
    .m_frame_ready        (ip_frame_ready),
    .m_data               (chosen.data),
    .m_keep               (chosen.keep),
    .m_last               (chosen.last),
    .m_valid              (chosen_valid),
    .m_ready              (chosen_ready),
    .m_checksum           (chosen_checksum),
    .m_checksum_valid     (chosen_checksum_valid),
    .m_checksum_ready     (chosen_checksum_ready),
    .missed_packet_o      (missed_packet),
    .missed_next_hop_o    (missed_next_hop),
    .missed_o             (missed),
    .count_drop_arp_miss_o(drop_at_once)
  );

  stream_stage #(
    .T     (payload_beat_t),
    .Places(Registers ? 2 : 0)
  ) payload_stage (
    .clk,
    .rst,
    .s_data (chosen),
    .s_valid(chosen_valid),
    .s_ready(chosen_ready),
    .m_data ({out_last, out_keep, out_data}),
    .m_valid(out_valid),
    .m_ready(out_ready)
  );

  stream_stage #(
    .T     (logic [15:0]),
    .Places(Registers ? 2 : 0)
  ) checksum_stage (
    .clk,
    .rst,
    .s_data (chosen_checksum),
    .s_valid(chosen_checksum_valid),
    .s_ready(chosen_checksum_ready),
    .m_data (out_checksum),
    .m_valid(out_checksum_valid),
    .m_ready(out_checksum_ready)
  );

  logic arp_requests_in, arp_replies_in, arp_requests_out, arp_replies_out;
  logic drop_arp_malformed, drop_arp_not_for_us;

  arp #(
    .DataWidth(DataWidth),
    .Entries  (ArpEntries),
    .Registers(OneByOne)
  ) resolution (
    .clk,
    .rst,
    .now_us,
    .mac_i,
    .ip_i,
    .netmask_i,
    .ageing_s_i                 (arp_ageing_s_i),
    .s_data                     (frame.data),
    .s_keep                     (frame.keep),
    .s_last                     (frame.last),
    .s_error                    (frame.error),
    .s_valid                    (frame_valid && frame.arp),
    .s_ready                    (arp_ready),
    .lookup_i                   (lookup),
    .lookup_ip_i                (lookup_ip),
    .hit_o                      (hit),
    .mac_o                      (neighbour_mac),
    .learnt_ip_o                (learnt_ip),
    .learnt_o                   (learnt),
    .m_frame                    (arp_frame),
    .m_frame_valid              (arp_frame_valid),
    .m_frame_ready              (arp_frame_ready),
    .count_arp_requests_in_o    (arp_requests_in),
    .count_arp_replies_in_o     (arp_replies_in),
    .count_arp_requests_out_o   (arp_requests_out),
    .count_arp_replies_out_o    (arp_replies_out),
    .count_drop_arp_malformed_o (drop_arp_malformed),
    .count_drop_arp_not_for_us_o(drop_arp_not_for_us)
  );

  // Of arp's own answers and questions one has been chosen when it is compared with ip's frames.
  frame_header_t arp_choice, arp_offer;
  logic arp_choice_valid, arp_choice_ready;

  stream_stage #(
    .T     (frame_header_t),
    .Places(Registers ? 1 : 0)
  ) arp_stage (
    .clk,
    .rst,
    .s_data (arp_frame),
    .s_valid(arp_frame_valid),
    .s_ready(arp_frame_ready),
    .m_data (arp_choice),
    .m_valid(arp_choice_valid),
    .m_ready(arp_choice_ready)
  );

  // What lies behind an ARP packet's bytes is not sent: it is what the others' header has there, so that
  // hundreds of bits need no choice.
  always_comb begin
    arp_offer = arp_choice;
    arp_offer.header[MaxUpperHeaderBytes*8-1:ArpBytes*8] =
        ip_frame.header[MaxUpperHeaderBytes*8-1:ArpBytes*8];
  end

  frame_header_t frame_out;
  logic frame_out_valid, frame_out_ready;

  stream_insert #(
    .T(frame_header_t)
  ) frame_choice (
    .clk,
    .rst,
    .s_data      (ip_frame),
    .s_valid     (ip_frame_valid),
    .s_ready     (ip_frame_ready),
    .s_rare_data (arp_offer),
    .s_rare_valid(arp_choice_valid),
    .s_rare_ready(arp_choice_ready),
    .m_data      (frame_out),
    .m_valid     (frame_out_valid),
    .m_ready     (frame_out_ready)
  );

  ethernet_transmit #(
    .DataWidth(DataWidth)
  ) ethernet_out (
    .clk,
    .rst,
    .mac_i,
    .s_frame          (frame_out),
    .s_frame_valid    (frame_out_valid),
    .s_frame_ready    (frame_out_ready),
    .s_checksum       (out_checksum),
    .s_checksum_valid (out_checksum_valid),
    .s_checksum_ready (out_checksum_ready),
    .s_data           (out_data),
    .s_keep           (out_keep),
    .s_last           (out_last),
    .s_valid          (out_valid),
    .s_ready          (out_ready),
    .m_data           (m_tx_data),
    .m_keep           (m_tx_keep),
    .m_last           (m_tx_last),
    .m_valid          (m_tx_valid),
    .m_ready          (m_tx_ready),
    .count_tx_frames_o(tx_frames),
    .count_tx_bytes_o (tx_bytes)
  );

  always_comb begin
    counts_o = '0;

    counts_o.rx_frames        = rx_frames;
    counts_o.rx_bytes         = rx_bytes;
    counts_o.tx_frames        = tx_frames;
    counts_o.tx_bytes         = tx_bytes;
    counts_o.drop_fcs         = drop_fcs;
    counts_o.drop_runt        = drop_runt;
    counts_o.drop_giant       = drop_giant;
    counts_o.drop_mac_address = drop_mac_address;
    counts_o.drop_ethertype   = drop_ethertype;

    counts_o.arp_requests_in     = arp_requests_in;
    counts_o.arp_replies_in      = arp_replies_in;
    counts_o.arp_requests_out    = arp_requests_out;
    counts_o.arp_replies_out     = arp_replies_out;
    counts_o.drop_arp_malformed  = drop_arp_malformed;
    counts_o.drop_arp_not_for_us = drop_arp_not_for_us;
    counts_o.drop_arp_miss       = drop_at_once || drop_waiting;

    counts_o.drop_ip_version  = drop_ip_version;
    counts_o.drop_ip_header   = drop_ip_header;
    counts_o.drop_ip_checksum = drop_ip_checksum;
    counts_o.drop_ip_length   = drop_ip_length;
    counts_o.drop_ip_fragment = drop_ip_fragment;
    counts_o.drop_ip_address  = drop_ip_address;
    counts_o.drop_ip_protocol = drop_ip_protocol;

    counts_o.icmp_echo_in       = icmp_echo_in;
    counts_o.icmp_echo_out      = icmp_echo_out;
    counts_o.drop_icmp_checksum = drop_icmp_checksum;
    counts_o.drop_icmp_type     = drop_icmp_type;
    counts_o.drop_icmp_length   = drop_icmp_length;
  end

endmodule
