// SPDX-License-Identifier: Apache-2.0

// Protocol headers and constants, declared once.
//
// Every header struct is written in wire order: its first field is first on the wire, so its most
// significant byte is byte 0. Streams carry byte 0 in lane 0 (bits 7:0); swap_bytes_* converts.
package net_headers_pkg;

  localparam int IpAddressWidth = 32;

  typedef logic [47:0] mac_address_t;
  typedef logic [IpAddressWidth-1:0] ip_address_t;
  typedef logic [15:0] port_t;

  localparam mac_address_t BroadcastMac = '1;

  // One host can be at this address, and not here: not multicast, not broadcast, not of loopback, not
  // 0 (RFC 1122 section 3.2.1.3).
  function automatic logic is_host(input ip_address_t ip);
    return ip[31:28] != 4'hE && ip != '1 && ip != '0 && ip[31:24] != 8'd127;
  endfunction

  // Ethernet II (IEEE 802.3 clause 3).
  localparam int EthernetHeaderBytes = 14;
  localparam int EthernetMinBytes = 60;  // without FCS
  localparam int EthernetMtu = 1500;

  localparam logic [15:0] EtherTypeIpv4 = 16'h0800;
  localparam logic [15:0] EtherTypeArp = 16'h0806;

  typedef struct packed {
    mac_address_t destination;
    mac_address_t source;
    logic [15:0]  ether_type;
  } ethernet_header_t;

  // ARP for Ethernet and IPv4 (RFC 826).
  localparam int ArpBytes = 28;
  localparam logic [15:0] ArpRequest = 16'd1;
  localparam logic [15:0] ArpReply = 16'd2;

  typedef struct packed {
    logic [15:0]  hardware_type;
    logic [15:0]  protocol_type;
    logic [7:0]   hardware_length;
    logic [7:0]   protocol_length;
    logic [15:0]  operation;
    mac_address_t sender_mac;
    logic [31:0]  sender_ip;
    mac_address_t target_mac;
    logic [31:0]  target_ip;
  } arp_packet_t;

  // IPv4 (RFC 791).
  localparam int Ipv4HeaderBytes = 20;  // without options
  localparam logic [7:0] IpProtocolIcmp = 8'd1;
  localparam logic [7:0] IpProtocolTcp = 8'd6;

  typedef struct packed {
    logic [3:0]  version;
    logic [3:0]  header_words;
    logic [7:0]  dscp_ecn;
    logic [15:0] total_length;
    logic [15:0] identification;
    logic        reserved;
    logic        dont_fragment;
    logic        more_fragments;
    logic [12:0] fragment_offset;
    logic [7:0]  time_to_live;
    logic [7:0]  protocol;
    logic [15:0] checksum;
    logic [31:0] source;
    logic [31:0] destination;
  } ipv4_header_t;

  // What IPv4 tells the layers above about a received packet.
  typedef struct packed {
    ip_address_t source;
    ip_address_t destination;
    logic [3:0]  header_words;
    logic [15:0] total_length;   // header included, bytes
    logic [7:0]  protocol;
  } ip_receive_t;

  // What a layer above asks IPv4 to send: an L4 header (wire byte 0 in bits 7:0) and, when
  // payload_length is not 0, one payload packet of that many bytes on the stream beside it. With
  // late_checksum, which is for packets with payload, the TCP checksum follows by a stream of its own.
  localparam int MaxL4HeaderBytes = 60;

  typedef struct packed {
    ip_address_t                   destination;
    logic [5:0]                    dscp;            // RFC 2474
    logic [7:0]                    protocol;
    logic [15:0]                   payload_length;
    logic                          late_checksum;
    logic [5:0]                    header_length;
    logic [MaxL4HeaderBytes*8-1:0] header;
  } ip_transmit_t;

  // ICMP (RFC 792).
  localparam logic [7:0] IcmpEchoReply = 8'd0;
  localparam logic [7:0] IcmpUnreachable = 8'd3;
  localparam logic [7:0] IcmpEchoRequest = 8'd8;
  localparam logic [7:0] IcmpTimeExceeded = 8'd11;
  localparam logic [7:0] IcmpParameterProblem = 8'd12;
  localparam int IcmpHeaderBytes = 8;

  // Codes of IcmpUnreachable that mean something of their own (RFC 1122 section 4.2.3.9, RFC 1191).
  localparam logic [3:0] IcmpNoProtocol = 4'd2;
  localparam logic [3:0] IcmpNoPort = 4'd3;
  localparam logic [3:0] IcmpTooBig = 4'd4;

  typedef struct packed {
    logic [3:0] kind;  // IcmpUnreachable, IcmpTimeExceeded or IcmpParameterProblem
    logic [3:0] code;
  } icmp_reason_t;

  // An ICMP error about a TCP segment of ours, and what it quotes of that.
  typedef struct packed {
    ip_address_t  remote_ip;
    port_t        remote_port;
    port_t        local_port;
    logic [31:0]  seq;
    icmp_reason_t reason;
    logic [15:0]  mtu;    // IcmpTooBig: of the next hop; 0 from routers that do not tell
  } icmp_error_t;

  // TCP (RFC 9293 section 3.1).
  localparam int TcpHeaderBytes = 20;  // without options
  localparam int TcpChecksumAt = 16;

  typedef struct packed {
    logic cwr;
    logic ece;
    logic urg;
    logic ack;
    logic psh;
    logic rst;
    logic syn;
    logic fin;
  } tcp_flags_t;

  typedef struct packed {
    port_t       source_port;
    port_t       destination_port;
    logic [31:0] sequence_number;
    logic [31:0] acknowledgment;
    logic [3:0]  data_offset;
    logic [3:0]  reserved;
    tcp_flags_t  flags;
    logic [15:0] window;
    logic [15:0] checksum;
    logic [15:0] urgent_pointer;
  } tcp_header_t;

  localparam logic [7:0] TcpOptionEnd = 8'd0;
  localparam logic [7:0] TcpOptionNop = 8'd1;
  localparam logic [7:0] TcpOptionMss = 8'd2;
  localparam logic [7:0] TcpOptionWindowScale = 8'd3;  // RFC 7323
  localparam logic [7:0] TcpOptionSackPermitted = 8'd4;  // RFC 2018
  localparam logic [7:0] TcpOptionSack = 8'd5;
  localparam logic [7:0] TcpOptionTimestamps = 8'd8;  // RFC 7323
  localparam logic [15:0] TcpDefaultMss = 16'd536;  // RFC 9293 MUST-15

  function automatic logic [EthernetHeaderBytes*8-1:0] swap_bytes_ethernet(
      input logic [EthernetHeaderBytes*8-1:0] value);
    for (int i = 0; i < EthernetHeaderBytes; i++) begin
      swap_bytes_ethernet[i*8+:8] = value[(EthernetHeaderBytes-1-i)*8+:8];
    end
  endfunction

  function automatic logic [ArpBytes*8-1:0] swap_bytes_arp(input logic [ArpBytes*8-1:0] value);
    for (int i = 0; i < ArpBytes; i++) swap_bytes_arp[i*8+:8] = value[(ArpBytes-1-i)*8+:8];
  endfunction

  // 20 bytes: an IPv4 or TCP header without options.
  function automatic logic [159:0] swap_bytes_20(input logic [159:0] value);
    for (int i = 0; i < 20; i++) swap_bytes_20[i*8+:8] = value[(19-i)*8+:8];
  endfunction

endpackage
