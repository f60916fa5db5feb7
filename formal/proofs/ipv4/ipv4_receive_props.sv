// SPDX-License-Identifier: Apache-2.0

// ipv4_receive: a packet passes as good only if its header is, with its header's total length and
// with its bytes unchanged; each frame that was good so far either passes good or is counted under
// one cause, never both, and the cause is there. A header is good if its checksum is right, it is
// one of IPv4 that is no fragment, for this address alone, and from another that can be.
//
// Assumed: the rule of packets at the input, addresses that do not change, s_broadcast steady within
// a frame. Bounded; the header's sum is taken here in the same groups as there, the solver cannot
// see that the order of additions does not matter.
module ipv4_receive_props #(
  parameter  int DataWidth = 64,
  localparam int Lanes     = DataWidth / 8
) (
  input logic                 clk,
  input logic                 rst,
  input logic [         31:0] ip_i,
  input logic [         31:0] netmask_i,
  input logic [DataWidth-1:0] s_data,
  input logic [    Lanes-1:0] s_keep,
  input logic                 s_last,
  input logic                 s_error,
  input logic                 s_broadcast,
  input logic                 s_valid,
  input logic                 m_ready,
  input logic [          3:0] watched_beat   // an arbitrary constant
);

  logic s_ready, m_last, m_error, m_tcp_valid, m_icmp_valid;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;
  net_headers_pkg::ip_receive_t m_ip;
  logic count_drop_ip_version_o, count_drop_ip_header_o, count_drop_ip_checksum_o;
  logic count_drop_ip_length_o, count_drop_ip_fragment_o, count_drop_ip_address_o;
  logic count_drop_ip_protocol_o;

  ipv4_receive #(.DataWidth(DataWidth)) dut (.*);

  logic [159:0] header_q;
  logic started = 1'b0;
  logic [31:0] ip_q, netmask_q;
  logic [3:0] watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    ip_q      <= ip_i;
    netmask_q <= netmask_i;
    watched_q <= watched_beat;
    if (!started)
      assume (rst);
      else assume (ip_i == ip_q && netmask_i == netmask_q && watched_beat == watched_q);
    if (rst) assume (!s_valid);
  end

  logic s_first, m_tcp_first, m_icmp_first, accept, take;
  assign accept = s_valid && s_ready;
  assign take   = (m_tcp_valid || m_icmp_valid) && m_ready;

  packet_contract #(
    .DataWidth(DataWidth),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data(s_data),
    .keep(s_keep),
    .last(s_last),
    .error(s_error),
    .valid(s_valid),
    .ready(s_ready),
    .first_o(s_first)
  );

  packet_contract #(
    .DataWidth(DataWidth)
  ) tcp_contract (
    .clk,
    .rst,
    .data(m_data),
    .keep(m_keep),
    .last(m_last),
    .error(m_error),
    .valid(m_tcp_valid),
    .ready(m_ready),
    .first_o(m_tcp_first)
  );

  packet_contract #(
    .DataWidth(DataWidth)
  ) icmp_contract (
    .clk,
    .rst,
    .data(m_data),
    .keep(m_keep),
    .last(m_last),
    .error(m_error),
    .valid(m_icmp_valid),
    .ready(m_ready),
    .first_o(m_icmp_first)
  );

  // The reference: header bytes by their place, their sum, the frame's length.
  logic broadcast_q;
  logic [7:0] place_q;  // of the beat's first byte; stays beyond the longest header
  logic [3:0] words;
  logic [20:0] sum_q, sum;
  logic [20:0] folded;

  assign words = s_first ? s_data[3:0] : header_q[155:152];

  logic [Lanes/8-1:0][17:0] group;

  always_comb begin
    sum = s_first ? '0 : sum_q;
    for (int g = 0; g < Lanes / 8; g++) begin
      group[g] = '0;
      for (int lane = g * 8; lane < g * 8 + 8; lane += 2) begin
        // 20 bytes count whatever the header says: with fewer it is bad anyway.
        if (place_q + 8'(lane) < 8'd20 || place_q + 8'(lane) < {2'b00, words, 2'b00})
          group[g] += {2'd0, s_data[lane*8+:8], s_data[lane*8+8+:8]};
      end
      sum += {3'd0, group[g]};
    end
  end

  always_ff @(posedge clk) begin
    if (accept) begin
      sum_q       <= sum;
      broadcast_q <= s_broadcast;
      place_q     <= s_last ? '0 : (place_q < 8'd64 ? place_q + 8'(Lanes) : place_q);
      for (int i = 0; i < 20; i++) begin
        if (place_q == 8'(i / Lanes * Lanes)) header_q[(19-i)*8+:8] <= s_data[(i%Lanes)*8+:8];
      end
    end
    if (!s_first && s_valid && !rst) assume (s_broadcast == broadcast_q);

    if (rst) place_q <= '0;
  end

  assign folded = 21'(sum_q[15:0]) + 21'(sum_q[20:16]);

  // The fixed header has come in whole.
  logic header_whole_q;
  always_ff @(posedge clk) begin
    if (accept) header_whole_q <= (s_first ? 1'b0 : header_whole_q) || place_q + 8'(Lanes) >= 8'd20;
  end

  // Counts.
  logic [3:0] frames_q, drops_q, passed_q, drops, passed;
  logic [2:0] causes;
  logic passed_now_q;

  assign causes = 3'(count_drop_ip_version_o) + 3'(count_drop_ip_header_o)
      + 3'(count_drop_ip_checksum_o) + 3'(count_drop_ip_length_o) + 3'(count_drop_ip_fragment_o)
      + 3'(count_drop_ip_address_o) + 3'(count_drop_ip_protocol_o);
  assign drops  = drops_q + 4'(causes);
  assign passed = passed_q + 4'(passed_now_q);

  always_ff @(posedge clk) begin
    if (accept && s_last && !s_error) frames_q <= frames_q + 1'b1;
    drops_q      <= drops;
    passed_q     <= passed;
    passed_now_q <= take && m_last && !m_error;

    if (rst) begin
      frames_q     <= '0;
      drops_q      <= '0;
      passed_q     <= '0;
      passed_now_q <= 1'b0;
    end
  end

  // What is wrong with the frame that has ended, by cause; the counts come a clock later.
  logic [15:0] frame_bytes_q, frame_bytes;
  logic [6:0] wrong, wrong_q, counted;
  logic whole_q, odd_source;

  always_comb begin
    frame_bytes = s_first ? '0 : frame_bytes_q;
    for (int lane = 0; lane < Lanes; lane++) frame_bytes += 16'(s_keep[lane]);
  end

  assign counted = {
    count_drop_ip_protocol_o,
    count_drop_ip_address_o,
    count_drop_ip_fragment_o,
    count_drop_ip_length_o,
    count_drop_ip_checksum_o,
    count_drop_ip_header_o,
    count_drop_ip_version_o
  };
  assign wrong = {
    header_q[87:80] != 8'd6 && header_q[87:80] != 8'd1,
    header_q[31:0] != ip_i || broadcast_q || header_q[63:32] == ip_i || odd_source,
    header_q[109:96] != '0,
    frame_bytes_q < header_q[143:128],
    folded != 21'h00ffff,
    header_q[155:152] < 4'd5 || {10'd0, header_q[155:152], 2'b00} > header_q[143:128],
    header_q[159:156] != 4'd4
  };
  // Sources that nobody can have: of several, of nobody, of the loop, of all in this network.
  assign odd_source = header_q[63:61] == '1 || header_q[63:56] == 8'd0 || header_q[63:56] == 8'd127
      || (!netmask_i[1] && (header_q[63:32] & netmask_i) == (ip_i & netmask_i)
          && (header_q[63:32] | netmask_i) == '1);

  always_ff @(posedge clk) begin
    if (accept) frame_bytes_q <= frame_bytes;
    wrong_q <= wrong;
    whole_q <= header_whole_q;
  end

  // When a frame begins, those before it are settled.
  logic begun_q;
  logic [3:0] before_q;
  always_ff @(posedge clk) begin
    begun_q  <= accept && s_first && !rst;
    before_q <= frames_q;
  end

  // The frame at work: one of its beats, and how many bytes have left.
  logic [DataWidth-1:0] watched_data_q, kept;
  logic [3:0] in_beat_q, out_beat_q;
  logic [15:0] left_q, bytes;
  logic changed_q, changes;  // that beat left, but not as it was
  assign changes = out_beat_q == watched_beat && kept != '0;

  always_comb begin
    bytes = '0;
    for (int lane = 0; lane < Lanes; lane++) bytes += 16'(m_keep[lane]);
    for (int lane = 0; lane < Lanes; lane++)
    kept[lane*8+:8] = m_keep[lane] ? watched_data_q[lane*8+:8] ^ m_data[lane*8+:8] : '0;
  end

  always_ff @(posedge clk) begin
    if (accept) begin
      in_beat_q <= s_last ? '0 : in_beat_q + 1'b1;
      if (in_beat_q == watched_beat) watched_data_q <= s_data;
    end
    if (take) begin
      out_beat_q <= m_last ? '0 : out_beat_q + 1'b1;
      left_q     <= m_last ? '0 : left_q + 16'(Lanes);
      changed_q  <= !m_last && (changed_q || changes);
    end
    if (rst) begin
      in_beat_q  <= '0;
      out_beat_q <= '0;
      left_q     <= '0;
      changed_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (!(m_tcp_valid && m_icmp_valid));
      // A step towards the sum, for the solver's sake.
      if (!s_first || dut.ended_q)
        assert (sum_q == (dut.words_valid_q ? dut.header_sum : dut.header_sum_q));
      // Every frame passes as good or has one cause, and that at once.
      assert (causes <= 3'd1);
      assert (4'(frames_q - drops - passed) <= 4'd1);
      if (whole_q) assert ((counted & ~wrong_q) == '0);
      if (begun_q) assert (before_q == 4'(drops + passed));

      // What passes as good.
      if (take && m_last && !m_error) begin
        assert (header_whole_q && folded == 21'h00ffff);
        assert (header_q[159:156] == 4'd4 && header_q[155:152] >= 4'd5);
        assert ({10'd0, header_q[155:152], 2'b00} <= header_q[143:128]);
        assert (header_q[109:96] == '0);  // neither more fragments nor an offset
        assert (header_q[31:0] == ip_i && !broadcast_q && header_q[63:32] != ip_i && !odd_source);
        assert (header_q[143:128] == m_ip.total_length && header_q[63:32] == m_ip.source);
        assert (header_q[87:80] == (m_tcp_valid ? 8'd6 : 8'd1));
        assert (left_q + bytes == m_ip.total_length);
        assert (!changed_q && !changes);
      end
    end
  end

  always_ff @(posedge clk) begin
    cover (started && !rst && passed == 4'd1 && $past(m_icmp_valid));
    cover (started && !rst && passed == 4'd1 && $past(m_tcp_valid) && header_q[155:152] == 4'd6);
    cover (started && !rst && count_drop_ip_checksum_o && passed == 4'd1);
    cover (started && !rst && count_drop_ip_length_o);
    cover (started && !rst && count_drop_ip_protocol_o);
    cover (started && !rst && m_tcp_valid && m_last && m_error && drops_q == 4'd0);
  end

endmodule
