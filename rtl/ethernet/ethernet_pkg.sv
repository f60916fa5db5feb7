// SPDX-License-Identifier: Apache-2.0

// What the layers above hand to Ethernet for sending.
package ethernet_pkg;

  import net_headers_pkg::*;

  // The headers of an IPv4 packet with the longest L4 header.
  localparam int MaxUpperHeaderBytes = Ipv4HeaderBytes + MaxL4HeaderBytes;

  // A frame's beginning. `header` is what follows the Ethernet header, wire byte 0 in bits 7:0; its
  // first `length` bytes are sent, then, with has_payload, one packet of the stream beside it. The two
  // bytes at LateChecksumAt come by a stream of their own if late_checksum is set.
  localparam int LateChecksumAt = Ipv4HeaderBytes + TcpChecksumAt;

  typedef struct packed {
    mac_address_t                     destination;
    logic [15:0]                      ether_type;
    logic                             has_payload;
    logic                             late_checksum;
    logic [6:0]                       length;
    logic [MaxUpperHeaderBytes*8-1:0] header;
  } frame_header_t;

endpackage
