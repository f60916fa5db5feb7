// SPDX-License-Identifier: Apache-2.0

// ipv4_transmit: the checksum of every header is right, the header says what was asked for, the
// next hop follows the netmask, identification counts packets, and each packet becomes one frame or
// one miss, with its payload sent or thrown away whole; without payload it is handed back as it came.
//
// Bounded: the queue of routes does not fill in that time. Assumed: packets follow the rule of
// streams, the addresses are set before reset ends and stay. One source: how sources take turns is
// proven with arbiter.
module ipv4_transmit_props #(
  parameter  bit Sums      = 1'b0,  // check the header's checksum too, for one address of ours
  parameter  int DataWidth = 64,    // from 256 bits on there are two packets at work
  parameter  bit Registers = 1'b0,
  localparam int Lanes     = DataWidth / 8
) (
  input logic                          clk,
  input logic                          rst,
  input logic                   [31:0] ip_i,
  input logic                   [31:0] netmask_i,
  input logic                   [31:0] gateway_i,
  input logic                   [ 7:0] time_to_live_i,
  input net_headers_pkg::ip_transmit_t packet,
  input logic                          packet_valid,
  input logic                          hit,
  input logic                          m_frame_ready,
  input logic                          m_ready,
  input logic          [DataWidth-1:0] data,
  input logic              [Lanes-1:0] keep,
  input logic                          last,
  input logic                          valid,
  input logic                   [15:0] checksum,
  input logic                          checksum_valid,
  input logic                          m_checksum_ready
);

  import net_headers_pkg::*;

  ip_transmit_t s_packet[1];
  logic [DataWidth-1:0] s_data[1];
  logic [Lanes-1:0] s_keep[1];
  logic packet_ready, ready, checksum_ready, m_checksum_valid;
  logic [15:0] m_checksum;
  logic lookup_o, m_frame_valid, m_last, m_valid, missed_o, count_drop_arp_miss_o;
  ip_transmit_t missed_packet_o;
  logic [31:0] missed_next_hop_o;
  logic [31:0] lookup_ip_o;
  ethernet_pkg::frame_header_t m_frame;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;

  assign s_packet[0] = packet;
  assign s_data[0]   = data;
  assign s_keep[0]   = keep;

  // The answer to a lookup comes a clock later, or 3, and stays.
  logic hit_q, answer;
  logic [1:0] asked_q;
  assign answer = Registers ? asked_q[1] : lookup_o;
  always_ff @(posedge clk) begin
    asked_q <= rst ? '0 : {asked_q[0], lookup_o};
    if (answer) hit_q <= hit;
  end

  ipv4_transmit #(
    .DataWidth(DataWidth),
    .Sources  (1),
    .Registers(Registers)
  ) dut (
    .clk,
    .rst,
    .ip_i,
    .netmask_i,
    .gateway_i,
    .time_to_live_i,
    .s_packet,
    .s_packet_valid (packet_valid),
    .s_packet_ready (packet_ready),
    .s_data,
    .s_keep,
    .s_last         (last),
    .s_valid        (valid),
    .s_ready        (ready),
    .s_checksum     (checksum),
    .s_checksum_valid(checksum_valid),
    .s_checksum_ready(checksum_ready),
    .lookup_o,
    .lookup_ip_o,
    .hit_i          (hit_q),
    .neighbour_mac_i(48'h0200000a0b0c),
    .m_frame,
    .m_frame_valid,
    .m_frame_ready,
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready,
    .m_checksum,
    .m_checksum_valid,
    .m_checksum_ready,
    .missed_packet_o,
    .missed_next_hop_o,
    .missed_o,
    .count_drop_arp_miss_o
  );

  // Addresses are set before reset ends and stay.
  logic [1:0] age_q = '0;
  logic [31:0] ip_q, netmask_q, gateway_q;
  logic [7:0] time_to_live_q;
  always_ff @(posedge clk) begin
    age_q     <= age_q + 2'(age_q != '1);
    ip_q      <= ip_i;
    netmask_q <= netmask_i;
    gateway_q <= gateway_i;
    time_to_live_q <= time_to_live_i;
    if (age_q != '0)
      assume (ip_i == ip_q && netmask_i == netmask_q && gateway_i == gateway_q
        && time_to_live_i == time_to_live_q);
    if (age_q != '1) assume (rst);
    if (Sums) assume (ip_i == 32'hc000_02fe);
    if (packet.payload_length == '0) assume (!packet.late_checksum);
  end

  stream_contract #(
    .Width ($bits(ip_transmit_t)),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data(packet),
    .valid(packet_valid),
    .ready(packet_ready)
  );

  stream_contract #(
    .Width($bits(ethernet_pkg::frame_header_t))
  ) m_contract (
    .clk,
    .rst,
    .data(m_frame),
    .valid(m_frame_valid),
    .ready(m_frame_ready)
  );

  // The packets that are being worked on, the oldest first, which is the one that leaves.
  ip_transmit_t packet_q, behind_q, newest;
  logic [1:0] busy_q, left;
  logic accept, leaves, misses, drops, dropped_q;
  logic [15:0] ids_q;
  logic [2:0] owed_q;  // packets with payload that have left, payload has not
  logic [7:0] drops_q;  // of those, the oldest first: payload is thrown away
  ipv4_header_t header;
  logic [19:0] sum;

  assign accept = packet_valid && packet_ready;
  assign leaves = (m_frame_valid && m_frame_ready) || misses;
  assign misses = dut.offer_valid_q && !hit_q && dut.routes_ready;
  assign drops = misses && (packet_q.payload_length != '0 || dut.offered.next_hop == '0);
  assign left   = busy_q - 2'(leaves);
  assign newest = busy_q == 2'd2 ? behind_q : packet_q;
  assign header = swap_bytes_20(m_frame.header[159:0]);

  // The same of late checksums.
  logic [2:0] checksums_owed_q;
  logic [7:0] checksum_drops_q;
  logic owes_checksum, pays_checksum;
  assign owes_checksum = leaves && packet_q.late_checksum;
  assign pays_checksum = checksum_valid && checksum_ready;

  // What was handed back a clock ago, and what was shown then.
  logic missed_q;
  ip_transmit_t shown_packet_q;
  logic [31:0] shown_next_hop_q;
  always_ff @(posedge clk) begin
    missed_q         <= !rst && misses && !drops;
    shown_packet_q   <= missed_packet_o;
    shown_next_hop_q <= missed_next_hop_o;
  end

  logic owes, pays;
  assign owes = leaves && packet_q.payload_length != '0;
  assign pays = valid && ready && last;

  // In the order in which they are added there, which makes it easy for the solver.
  always_comb begin
    sum = 20'(header.source[31:16]) + 20'(header.source[15:0]) + 20'h4500 + 20'h04000
        + 20'(header.dscp_ecn);
    sum += {4'd0, header.time_to_live, 8'd0} + 20'(header.identification);
    sum += 20'(header.destination[31:16]) + 20'(header.destination[15:0]);
    sum += 20'(header.total_length) + 20'(header.protocol) + 20'(header.checksum);
  end

  always_ff @(posedge clk) begin
    if (leaves) packet_q <= behind_q;
    if (accept && left == '0) packet_q <= packet;
    if (accept && left != '0) behind_q <= packet;
    busy_q <= left + 2'(accept);

    if (accept) ids_q <= ids_q + 1'b1;
    dropped_q <= drops;
    if (owes && !pays) begin
      owed_q <= owed_q + 1'b1;
      drops_q[owed_q] <= misses;
    end
    if (pays) begin
      owed_q <= owed_q - 3'(!owes);
      drops_q <= drops_q >> 1;
      if (owes) drops_q[owed_q-3'd1] <= misses;
    end

    if (owes_checksum && !pays_checksum) begin
      checksums_owed_q <= checksums_owed_q + 1'b1;
      checksum_drops_q[checksums_owed_q] <= misses;
    end
    if (pays_checksum) begin
      checksums_owed_q <= checksums_owed_q - 3'(!owes_checksum);
      checksum_drops_q <= checksum_drops_q >> 1;
      if (owes_checksum) checksum_drops_q[checksums_owed_q-3'd1] <= misses;
    end

    if (rst) begin
      checksums_owed_q <= '0;
      busy_q   <= '0;
      ids_q    <= '0;
      dropped_q <= 1'b0;
      owed_q   <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (age_q == '1 && !rst) begin
      // Wire format.
      if (m_frame_valid) begin
        if (Sums) assert (20'(sum[15:0]) + 20'(sum[19:16]) == 20'h0ffff);
        // What the sum leaves out is zero or as it says.
        assert (m_frame.header[63:48] == 16'h0040 && m_frame.header[7:0] == 8'h45);
        assert (header.version == 4'd4 && header.header_words == 4'd5 && header.dont_fragment);
        assert (header.total_length
            == 16'(packet_q.payload_length + 16'(packet_q.header_length) + 16'd20));
        assert (header.source == ip_i && header.destination == packet_q.destination
            && header.protocol == packet_q.protocol
            && header.dscp_ecn == {packet_q.dscp, 2'b00} && header.time_to_live == time_to_live_i);
        assert (m_frame.header[639:160] == packet_q.header);
        assert (m_frame.length == 7'(packet_q.header_length) + 7'd20);
        assert (m_frame.has_payload == (packet_q.payload_length != '0));
        assert (m_frame.late_checksum == packet_q.late_checksum);
      end
      if (lookup_o) begin
        if ((newest.destination & netmask_i) == (ip_i & netmask_i))
          assert (lookup_ip_o == newest.destination);
          else assert (lookup_ip_o == gateway_i);
      end

      // One packet, one end.
      if (leaves) assert (busy_q != '0);
      if (accept) assert (left <= (DataWidth >= 256 ? 2'd1 : 2'd0));
      if (m_frame_valid) assert (busy_q != '0 && !leaves || m_frame_ready);
      assert (count_drop_arp_miss_o == dropped_q);
      assert (missed_o == (misses && !drops));
      // With Registers it has been there for a clock, and stays for one more.
      if (Registers && (missed_o || missed_q))
        assert ({missed_packet_o, missed_next_hop_o} == {shown_packet_q, shown_next_hop_q});
      if (missed_o) begin
        assert (missed_packet_o == packet_q);
        if ((packet_q.destination & netmask_i) == (ip_i & netmask_i))
          assert (missed_next_hop_o == packet_q.destination);
          else assert (missed_next_hop_o == gateway_i);
      end
      if (m_frame_valid) assert (hit_q && header.identification == ids_q - 16'(busy_q));

      // Payload: to the frame, or nowhere, as the packet before said.
      if (m_valid) assert (valid && m_data == data && m_keep == keep && m_last == last);
      if (valid && ready) assert (owed_q != '0 && m_valid == (m_ready && !drops_q[0]));
      if (owed_q == '0) assert (!m_valid && !ready);

      // So late checksums.
      if (m_checksum_valid) assert (checksum_valid && m_checksum == checksum);
      if (pays_checksum) begin
        assert (checksums_owed_q != '0
            && m_checksum_valid == (m_checksum_ready && !checksum_drops_q[0]));
      end
      if (checksums_owed_q == '0) assert (!m_checksum_valid && !checksum_ready);
    end
  end

  always_ff @(posedge clk) begin
    cover (age_q == '1 && !rst && m_frame_valid && header.checksum == 16'h0001);
    cover (age_q == '1 && !rst && count_drop_arp_miss_o && accept);
    cover (age_q == '1 && !rst && missed_o && missed_next_hop_o == gateway_i);
    cover (age_q == '1 && !rst && drops && gateway_i == '0 && packet_q.payload_length == '0);
    cover (age_q == '1 && !rst && m_frame_valid && dut.folded[16]);
    cover (age_q == '1 && !rst && pays && owed_q == 3'd2 && drops_q[1:0] == 2'b01);
    cover (age_q == '1 && !rst && pays_checksum && checksums_owed_q == 3'd2
        && checksum_drops_q[1:0] == 2'b01);
    cover (age_q == '1 && !rst && m_valid && !m_ready && header.identification == 16'd1);
  end

endmodule
