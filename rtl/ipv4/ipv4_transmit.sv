// SPDX-License-Identifier: Apache-2.0

// Puts IPv4 headers before what the layers above send, and finds the neighbour it goes to.
//
// Latency    3 clocks from s_packet_valid to m_frame_valid; payload passes combinationally.
// Throughput one packet in 3 clocks, 1 beat of payload a clock. The next packet's header is made
//            while the payload of the one before goes out.
// Paths      s_packet_ready and m_frame are registers and a level or two of logic behind them; data
//            go through a multiplexer, m_ready through a gate to s_ready.
//
// The sources take turns packet by packet. A destination in our subnet is its own next hop, for all
// others it is the gateway. Where the next hop's address is not known a packet without payload is
// handed back by missed_o, for neighbour_wait. One with payload is dropped, its payload taken and thrown
// away, and count_drop_arp_miss_o raised; so is one whose next hop is a gateway that is not set. Sending
// never waits for receiving.
//
// Every packet has "don't fragment" set, and the next identification number.
module ipv4_transmit
  import net_headers_pkg::*;
  import ethernet_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Sources     = 2,
  localparam int Lanes       = DataWidth / 8,
  localparam int SourceWidth = (Sources > 1) ? $clog2(Sources) : 1
) (
  input  logic                 clk,
  input  logic                 rst,

  input  ip_address_t          ip_i,
  input  ip_address_t          netmask_i,
  input  ip_address_t          gateway_i,
  input  logic [          7:0] time_to_live_i,

  input  ip_transmit_t         s_packet       [Sources],
  input  logic [  Sources-1:0] s_packet_valid,
  output logic [  Sources-1:0] s_packet_ready,

  input  logic [DataWidth-1:0] s_data         [Sources],
  input  logic [    Lanes-1:0] s_keep         [Sources],
  input  logic [  Sources-1:0] s_last,
  input  logic [  Sources-1:0] s_valid,
  output logic [  Sources-1:0] s_ready,

  // To arp: the answer comes one clock after lookup_o.
  output logic                 lookup_o,
  output ip_address_t          lookup_ip_o,
  input  logic                 hit_i,
  input  mac_address_t         neighbour_mac_i,

  output frame_header_t        m_frame,
  output logic                 m_frame_valid,
  input  logic                 m_frame_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready,

  // A packet whose next hop is not known.
  output ip_transmit_t         missed_packet_o,
  output ip_address_t          missed_next_hop_o,
  output logic                 missed_o,

  output logic                 count_drop_arp_miss_o
);

  typedef enum logic [1:0] {
    StIdle,
    StLookup,  // the neighbour is looked up, the header summed
    StAnswer,  // the answer is there
    StOffer    // the frame is offered, or the packet dropped
  } state_e;

  state_e state_q, state_d;
  logic accept, done;

  // Choose a source.

  logic [Sources-1:0] grant;
  logic [SourceWidth-1:0] source;
  ip_transmit_t packet;
  ip_address_t next_hop;

  arbiter #(
    .N(Sources)
  ) choice (
    .clk,
    .rst,
    .request_i(s_packet_valid),
    .done_i   (accept),
    .grant_o  (grant)
  );

  assign accept         = (state_q == StIdle || done) && |s_packet_valid;
  assign s_packet_ready = (state_q == StIdle || done) ? grant : '0;

  always_comb begin
    packet   = '0;
    next_hop = '0;
    source   = '0;
    for (int i = 0; i < Sources; i++) begin
      if (grant[i]) begin
        packet |= s_packet[i];
        next_hop |= ((s_packet[i].destination ^ ip_i) & netmask_i) == '0
            ? s_packet[i].destination : gateway_i;
        source |= SourceWidth'(i);
      end
    end
  end

  logic [SourceWidth-1:0] source_q;
  logic [MaxL4HeaderBytes*8-1:0] upper_header_q;
  logic [5:0] upper_length_q;
  logic [6:0] header_length_q;
  logic [7:0] protocol_q;
  logic [5:0] dscp_q;
  ip_address_t destination_q;
  ip_address_t next_hop_q;
  logic [15:0] total_length_q, identification_q;
  logic has_payload_q;

  // Header checksum. start_q is the sum of what does not depend on the packet and of the next
  // identification number; it follows next_id_q by one clock, and packets are three apart.

  logic [15:0] next_id_q, addresses_q, constant_q, start_q, packet_start_q;
  logic [18:0] sum_q;
  logic [16:0] folded;
  logic [15:0] checksum;

  // The carry is added to the last three bits alone: after a carry the others are zero, and no more
  // than 6 is left.
  assign folded   = 17'(sum_q[15:0]) + 17'(sum_q[18:16]);
  assign checksum = ~{folded[15:3], folded[2:0] + 3'(folded[16])};

  always_ff @(posedge clk) begin
    addresses_q <= checksum_pkg::ones_add16(ip_i[31:16], ip_i[15:0]);
    constant_q  <= checksum_pkg::ones_add16_3(
        16'h4500 + 16'h4000, {time_to_live_i, 8'h00}, addresses_q
    );
    start_q <= checksum_pkg::ones_add16(constant_q, next_id_q);

    if (accept) begin
      source_q         <= source;
      upper_header_q   <= packet.header;
      upper_length_q   <= packet.header_length;
      header_length_q  <= 7'(Ipv4HeaderBytes) + 7'(packet.header_length);
      protocol_q       <= packet.protocol;
      dscp_q           <= packet.dscp;
      destination_q    <= packet.destination;
      next_hop_q       <= next_hop;
      has_payload_q    <= packet.payload_length != '0;
      total_length_q   <= 16'(Ipv4HeaderBytes) + 16'(packet.header_length) + packet.payload_length;
      identification_q <= next_id_q;
      packet_start_q   <= start_q;
      next_id_q        <= next_id_q + 1'b1;
    end
    if (state_q == StLookup) begin
      sum_q <= 19'(packet_start_q) + 19'(destination_q[31:16])
          + 19'(destination_q[15:0]) + 19'(total_length_q) + 19'({dscp_q, 2'b00})
          + 19'(protocol_q);
    end

    if (rst) begin
      next_id_q <= '0;
      start_q   <= constant_q;
    end
  end

  assign lookup_o    = state_q == StLookup;
  assign lookup_ip_o = next_hop_q;

  // What the neighbour table says, or that it says nothing.

  mac_address_t neighbour_mac_q;
  logic hit_q, may_wait_q;

  always_ff @(posedge clk) begin
    if (state_q == StAnswer) begin
      hit_q           <= hit_i;
      may_wait_q      <= !has_payload_q && next_hop_q != '0;
      neighbour_mac_q <= neighbour_mac_i;
    end
  end

  assign missed_o          = done && !hit_q && may_wait_q;
  assign missed_next_hop_o = next_hop_q;
  assign missed_packet_o   = '{
      destination: destination_q,
      dscp: dscp_q,
      protocol: protocol_q,
      payload_length: '0,
      header_length: upper_length_q,
      header: upper_header_q
  };

  // The frame, and where its payload goes.

  typedef struct packed {
    logic                   drop;
    logic [SourceWidth-1:0] source;
  } route_t;

  route_t route;
  logic route_valid, route_done, routes_ready;
  logic [2:0] unused_route_count;
  ipv4_header_t header;

  always_comb begin
    header = '{
        version: 4'd4,
        header_words: 4'd5,
        dscp_ecn: {dscp_q, 2'b00},
        total_length: total_length_q,
        identification: identification_q,
        reserved: 1'b0,
        dont_fragment: 1'b1,
        more_fragments: 1'b0,
        fragment_offset: '0,
        time_to_live: time_to_live_i,
        protocol: protocol_q,
        checksum: checksum,
        source: ip_i,
        destination: destination_q
    };
    m_frame = '{
        destination: neighbour_mac_q,
        ether_type: EtherTypeIpv4,
        has_payload: has_payload_q,
        length: header_length_q,
        header: {upper_header_q, swap_bytes_20(header)}
    };
  end

  assign m_frame_valid = state_q == StOffer && hit_q && routes_ready;
  assign done          = state_q == StOffer && routes_ready && (m_frame_ready || !hit_q);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:   if (accept) state_d = StLookup;
      StLookup: state_d = StAnswer;
      StAnswer: state_d = StOffer;
      StOffer:  if (done) state_d = accept ? StLookup : StIdle;
      default:  state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q               <= state_d;
    count_drop_arp_miss_o <= done && !hit_q && !may_wait_q;

    if (rst) begin
      state_q               <= StIdle;
      count_drop_arp_miss_o <= 1'b0;
    end
  end

  stream_fifo #(
    .T       (route_t),
    .Depth   (4),
    .BlockRam(0)
  ) routes (
    .clk,
    .rst,
    .s_data ('{drop: !hit_q, source: source_q}),
    .s_valid(done && has_payload_q),
    .s_ready(routes_ready),
    .m_data (route),
    .m_valid(route_valid),
    .m_ready(route_done),
    .count_o(unused_route_count)
  );

  // Payload follows in the same order.

  logic [Sources-1:0] selected;

  always_comb begin
    selected = '0;
    m_data   = '0;
    m_keep   = '0;
    for (int i = 0; i < Sources; i++) begin
      if (route_valid && route.source == SourceWidth'(i)) begin
        selected[i] = 1'b1;
        m_data |= s_data[i];
        m_keep |= s_keep[i];
      end
    end
  end

  assign m_last     = |(s_last & selected);
  assign m_valid    = |(s_valid & selected) && !route.drop;
  assign s_ready    = (m_ready || route.drop) ? selected : '0;
  assign route_done = |(s_valid & s_ready & s_last);

endmodule
