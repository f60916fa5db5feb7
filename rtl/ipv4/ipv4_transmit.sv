// SPDX-License-Identifier: Apache-2.0

// Puts IPv4 headers before what the layers above send, and finds the neighbour it goes to.
//
// Latency    2 clocks from s_packet_valid to m_frame_valid, 7 with Registers; payload passes combinationally.
// Throughput one packet a clock from 256 bits on, below one in 3 clocks, which small frames take longer
//            than (in 7 with Registers); 5 clocks behind one whose next hop is not known. 1 beat of payload a
//            clock. The next packet's header is made while the payload of the one before goes out. Packets in
//            each clock for ever would keep the neighbour table from learning: the gaps between a line's
//            frames are enough for it.
// Paths      m_frame* are registers, neighbour_mac_i, hit_i, and a level or two of logic behind them, with
//            Registers of registers alone; below 256 bits s_packet_ready and lookup_o are functions of registers, from there on they
//            follow m_frame_ready and hit_i; with Registers lookup_ip_o and what is missed are registers,
//            m_frame_ready goes to three bits, and s_packet_valid to the choice of the next source alone. Data
//            go through a multiplexer, m_ready through a gate to s_ready.
//
// The sources take turns packet by packet. A destination in our subnet is its own next hop, for all
// others it is the gateway. Where the next hop's address is not known a packet without payload is
// handed back by missed_o, for neighbour_wait. One with payload is dropped, its payload taken and thrown
// away, and count_drop_arp_miss_o raised; so is one whose next hop is a gateway that is not set. Sending
// never waits for receiving.
//
// With Registers, below 256 bits alone, a source is chosen a clock before its packet is taken, or while the one
// before is at work; the next hop is found a clock after that. The answer to a lookup comes 3 clocks after it and
// goes to a register first, as the neighbour table may be far away. Where payload goes is told a clock behind the
// frame. What is missed has been there for 4 clocks, and stays for one behind missed_o.
//
// Every packet has "don't fragment" set, and the next identification number.
module ipv4_transmit
  import net_headers_pkg::*;
  import ethernet_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Sources     = 2,
  parameter  bit Registers   = 1'b0,
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

  // Of packets with late_checksum, in order. All are of one source.
  input  logic [         15:0] s_checksum,
  input  logic                 s_checksum_valid,
  output logic                 s_checksum_ready,

  // To arp: the answer comes one clock after lookup_o, 3 with Registers, and stays until the next.
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

  output logic [         15:0] m_checksum,
  output logic                 m_checksum_valid,
  input  logic                 m_checksum_ready,

  // A packet whose next hop is not known.
  output ip_transmit_t         missed_packet_o,
  output ip_address_t          missed_next_hop_o,
  output logic                 missed_o,

  output logic                 count_drop_arp_miss_o
);

  // What is left of a packet, and what is known of it.
  typedef struct packed {
    logic [SourceWidth-1:0]        source;
    logic [MaxL4HeaderBytes*8-1:0] upper_header;
    logic [5:0]                    upper_length;
    logic [6:0]                    header_length;
    logic [7:0]                    protocol;
    logic [5:0]                    dscp;
    ip_address_t                   destination;
    ip_address_t                   next_hop;
    logic [15:0]                   total_length;
    logic [15:0]                   identification;
    logic                          has_payload;
    logic                          late_checksum;
  } work_t;

  // First the neighbour is looked up and the header summed, then the frame is offered, or the packet
  // dropped. On narrow paths it stays in one place for both, which is empty for a clock behind it: so
  // the sources do not wait to hear of the neighbour.
  localparam bit Overlap = DataWidth >= 256;

  if (Overlap && Registers) begin : gen_check_registers
    $error("Registers need packets one by one: DataWidth must be below 256.");
  end

  logic lookup_valid_q, offer_valid_q;
  logic accept, free, moves, answered, done, unknown;
  // Behind a miss, so that the next unknown neighbour can be asked for, too.
  logic [1:0] pause_q;
  logic paused_q;
  work_t new_work, lookup_q, offered;
  logic hit;  // of what is offered
  mac_address_t neighbour_mac;

  if (Overlap) begin : gen_overlap
    work_t offered_q;

    always_ff @(posedge clk) if (moves) offered_q <= lookup_q;

    assign moves         = lookup_valid_q && (!offer_valid_q || (done && hit)) && !paused_q;
    assign free          = !lookup_valid_q || moves;
    assign answered      = moves;
    assign hit           = hit_i;
    assign neighbour_mac = neighbour_mac_i;
    assign offered       = offered_q;

    always_ff @(posedge clk) begin
      if (free) lookup_q <= new_work;
      if (free) lookup_valid_q <= accept;
      if (rst) lookup_valid_q <= 1'b0;
    end
  end else begin : gen_one_place
    logic busy_q;

    assign moves   = lookup_valid_q && !paused_q;
    assign free    = !busy_q;
    assign offered = lookup_q;

    always_ff @(posedge clk) begin
      busy_q <= accept || (busy_q && !done);
      if (rst) busy_q <= 1'b0;
    end

    if (Registers) begin : gen_registers
      logic chosen_q;         // its next hop is being found
      logic [2:0] asked_q;
      logic hit_q;
      mac_address_t mac_q;

      assign answered      = asked_q[2];
      assign hit           = hit_q;
      assign neighbour_mac = mac_q;

      always_ff @(posedge clk) begin
        if (free) lookup_q <= new_work;
        if (chosen_q) begin
          lookup_q.next_hop     <= next_hop_of(lookup_q.destination);
          lookup_q.total_length <= lookup_q.total_length + 16'(lookup_q.header_length);
          lookup_q.has_payload  <= lookup_q.total_length != '0;
        end
        chosen_q       <= accept;
        lookup_valid_q <= chosen_q || (lookup_valid_q && !moves);
        asked_q        <= {asked_q[1:0], moves};
        hit_q          <= hit_i;
        mac_q          <= neighbour_mac_i;

        if (rst) begin
          chosen_q       <= 1'b0;
          lookup_valid_q <= 1'b0;
          asked_q        <= '0;
        end
      end
    end else begin : gen_at_once
      assign answered      = moves;
      assign hit           = hit_i;
      assign neighbour_mac = neighbour_mac_i;

      always_ff @(posedge clk) begin
        if (free) lookup_q <= new_work;
        lookup_valid_q <= accept || (lookup_valid_q && !moves);
        if (rst) lookup_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (answered) offer_valid_q <= 1'b1;
    else if (done) offer_valid_q <= 1'b0;
    pause_q  <= {pause_q[0], unknown};
    paused_q <= |pause_q || unknown;

    if (rst) begin
      pause_q       <= '0;
      paused_q      <= 1'b0;
      offer_valid_q <= 1'b0;
    end
  end

  // Choose a source.

  logic [Sources-1:0] grant, turn;
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

  if (Registers) begin : gen_choose_ahead
    logic [Sources-1:0] turn_q;  // it offers something, which stays until it is taken

    always_ff @(posedge clk) begin
      turn_q <= accept ? '0 : grant;
      if (rst) turn_q <= '0;
    end

    assign turn   = turn_q;
    assign accept = free && |turn_q;
  end else begin : gen_choose
    assign turn   = grant;
    assign accept = free && |s_packet_valid;
  end

  assign s_packet_ready = free ? turn : '0;

  function automatic ip_address_t next_hop_of(input ip_address_t destination);
    return ((destination ^ ip_i) & netmask_i) == '0 ? destination : gateway_i;
  endfunction

  always_comb begin
    packet   = '0;
    next_hop = '0;
    source   = '0;
    for (int i = 0; i < Sources; i++) begin
      if (turn[i]) begin
        packet |= s_packet[i];
        next_hop |= Registers ? '0 : next_hop_of(s_packet[i].destination);
        source |= SourceWidth'(i);
      end
    end
  end

  logic [15:0] next_id_q, total_length;

  // With Registers the headers are added a clock later.
  assign total_length = packet.payload_length
      + (Registers ? '0 : 16'(Ipv4HeaderBytes) + 16'(packet.header_length));

  assign new_work = '{
          source: source,
          upper_header: packet.header,
          upper_length: packet.header_length,
          header_length: 7'(Ipv4HeaderBytes) + 7'(packet.header_length),
          protocol: packet.protocol,
          dscp: packet.dscp,
          destination: packet.destination,
          next_hop: next_hop,
          total_length: total_length,
          identification: next_id_q,
          has_payload: packet.payload_length != '0,
          late_checksum: packet.late_checksum
      };

  // Header checksum. start_q is the sum of what does not depend on what is sent.

  logic [15:0] addresses_q, constant_q, start_q;
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

    if (accept) begin
      start_q   <= checksum_pkg::ones_add16(constant_q, next_id_q);
      next_id_q <= next_id_q + 1'b1;
    end
    if (moves) begin
      sum_q <= 19'(start_q) + 19'(lookup_q.destination[31:16])
          + 19'(lookup_q.destination[15:0]) + 19'(lookup_q.total_length)
          + 19'({lookup_q.dscp, 2'b00}) + 19'(lookup_q.protocol);
    end

    if (rst) next_id_q <= '0;
  end

  assign lookup_o    = moves;
  assign lookup_ip_o = lookup_q.next_hop;

  // Nobody waits for an answer of the neighbour table: the next lookup is made when this packet leaves.

  logic may_wait_q;  // of what is offered

  always_ff @(posedge clk) begin
    if (moves) may_wait_q <= !lookup_q.has_payload && lookup_q.next_hop != '0;
  end

  assign missed_o = unknown && may_wait_q;

  assign missed_next_hop_o = offered.next_hop;
  assign missed_packet_o   = '{
      destination: offered.destination,
      dscp: offered.dscp,
      protocol: offered.protocol,
      payload_length: '0,
      late_checksum: 1'b0,
      header_length: offered.upper_length,
      header: offered.upper_header
  };

  // The frame, and where its payload goes.

  typedef struct packed {
    logic                   drop;
    logic [SourceWidth-1:0] source;
  } route_t;

  route_t route;
  logic route_told, route_valid, route_done;
  logic payload_routes_ready, checksum_routes_ready, routes_ready;
  logic [2:0] unused_route_count;
  ipv4_header_t header;

  always_comb begin
    header = '{
        version: 4'd4,
        header_words: 4'd5,
        dscp_ecn: {offered.dscp, 2'b00},
        total_length: offered.total_length,
        identification: offered.identification,
        reserved: 1'b0,
        dont_fragment: 1'b1,
        more_fragments: 1'b0,
        fragment_offset: '0,
        time_to_live: time_to_live_i,
        protocol: offered.protocol,
        checksum: checksum,
        source: ip_i,
        destination: offered.destination
    };
    m_frame = '{
        destination: neighbour_mac,
        ether_type: EtherTypeIpv4,
        has_payload: offered.has_payload,
        late_checksum: offered.late_checksum,
        length: offered.header_length,
        header: {offered.upper_header, swap_bytes_20(header)}
    };
  end

  assign routes_ready  = payload_routes_ready && checksum_routes_ready;
  assign m_frame_valid = offer_valid_q && hit && routes_ready;
  assign unknown       = offer_valid_q && routes_ready && !hit;
  assign done          = unknown || (m_frame_valid && m_frame_ready);

  always_ff @(posedge clk) begin
    count_drop_arp_miss_o <= unknown && !may_wait_q;

    if (rst) count_drop_arp_miss_o <= 1'b0;
  end

  // What is offered, and the answer, stay for a clock behind it with Registers.
  if (Registers) begin : gen_tell_later
    logic done_q;

    always_ff @(posedge clk) begin
      done_q <= done;
      if (rst) done_q <= 1'b0;
    end

    assign route_told = done_q;
  end else begin : gen_tell
    assign route_told = done;
  end

  stream_fifo #(
    .T       (route_t),
    .Depth   (4),
    .BlockRam(0)
  ) routes (
    .clk,
    .rst,
    .s_data ('{drop: !hit, source: offered.source}),
    .s_valid(route_told && offered.has_payload),
    .s_ready(payload_routes_ready),
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

  // So do late checksums.

  localparam int ChecksumRoutes = Overlap ? 8 : 4;

  logic checksum_dropped, checksum_route_valid;
  logic [$clog2(ChecksumRoutes+1)-1:0] unused_checksum_count;

  stream_fifo #(
    .T       (logic),
    .Depth   (ChecksumRoutes),
    .BlockRam(0)
  ) checksum_routes (
    .clk,
    .rst,
    .s_data (!hit_i),
    .s_valid(route_told && offered.late_checksum),
    .s_ready(checksum_routes_ready),
    .m_data (checksum_dropped),
    .m_valid(checksum_route_valid),
    .m_ready(s_checksum_valid && s_checksum_ready),
    .count_o(unused_checksum_count)
  );

  assign m_checksum       = s_checksum;
  assign m_checksum_valid = s_checksum_valid && checksum_route_valid && !checksum_dropped;
  assign s_checksum_ready = checksum_route_valid && (m_checksum_ready || checksum_dropped);

endmodule
