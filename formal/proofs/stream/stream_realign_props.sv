// SPDX-License-Identifier: Apache-2.0

// stream_realign: an arbitrary byte of an arbitrary packet comes out in its lane, or not if it is
// skipped; a packet ends where it should; what comes out is a packet stream that starts at s_lead.
module stream_realign_props #(
  parameter int DataWidth = 32
) (
  input logic                           clk,
  input logic                           rst,
  input logic [$clog2(DataWidth/8)-1:0] s_skip,
  input logic [$clog2(DataWidth/8)-1:0] s_lead,
  input logic [          DataWidth-1:0] s_data,
  input logic [        DataWidth/8-1:0] s_keep,
  input logic                           s_last,
  input logic                           s_valid,
  input logic                           m_ready,
  input logic [                    1:0] packet,
  input logic [                    4:0] index
);

  localparam int Lanes = DataWidth / 8;
  localparam int LaneBits = $clog2(Lanes);

  logic s_ready, m_last, m_valid;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;

  stream_realign #(.DataWidth(DataWidth)) dut (.*);

  logic s_first, m_first;

  packet_contract #(
    .DataWidth(DataWidth),
    .Assume   (1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data   (s_data),
    .keep   (s_keep),
    .last   (s_last),
    .error  (1'b0),
    .valid  (s_valid),
    .ready  (s_ready),
    .first_o(s_first)
  );

  stream_contract #(
    .Width (2 * LaneBits),
    .Assume(1'b1)
  ) s_amount_contract (
    .clk,
    .rst,
    .data ({s_skip, s_lead}),
    .valid(s_valid),
    .ready(s_ready)
  );

  packet_contract #(
    .DataWidth(DataWidth),
    .Leads    (1'b1)
  ) m_contract (
    .clk,
    .rst,
    .data   (m_data),
    .keep   (m_keep),
    .last   (m_last),
    .error  (1'b0),
    .valid  (m_valid),
    .ready  (m_ready),
    .first_o(m_first)
  );

  // What was asked for with the packet watched.
  logic [LaneBits-1:0] skip_q, lead_q;
  logic [4:0] moved;

  assign moved = index + 5'(lead_q) - 5'(skip_q);

  logic in_started, in_seen, in_ended, out_started, out_seen, out_ended;
  logic [4:0] in_start, in_end, out_start, out_end;
  logic [7:0] in_byte, out_byte;
  logic [1:0] in_packets, out_packets;

  packet_watch #(
    .DataWidth (DataWidth),
    .PacketBits(2),
    .ByteBits  (5)
  ) in_watch (
    .clk,
    .rst,
    .data     (s_data),
    .keep     (s_keep),
    .last     (s_last),
    .take     (s_valid && s_ready),
    .packet,
    .index,
    .started_o(in_started),
    .start_o  (in_start),
    .seen_o   (in_seen),
    .byte_o   (in_byte),
    .ended_o  (in_ended),
    .end_o    (in_end),
    .packets_o(in_packets)
  );

  packet_watch #(
    .DataWidth (DataWidth),
    .PacketBits(2),
    .ByteBits  (5)
  ) out_watch (
    .clk,
    .rst,
    .data     (m_data),
    .keep     (m_keep),
    .last     (m_last),
    .take     (m_valid && m_ready),
    .packet,
    .index    (moved),
    .started_o(out_started),
    .start_o  (out_start),
    .seen_o   (out_seen),
    .byte_o   (out_byte),
    .ended_o  (out_ended),
    .end_o    (out_end),
    .packets_o(out_packets)
  );

  logic started = 1'b0;
  logic [1:0] packet_q;
  logic [4:0] index_q;
  logic unused;
  assign unused = &{1'b0, in_start, m_first};

  always_ff @(posedge clk) begin
    started  <= 1'b1;
    packet_q <= packet;
    index_q  <= index;
    if (!started) assume (rst);
    if (started) assume (packet == packet_q && index == index_q);

    if (s_valid && s_ready && s_first && in_packets == packet) begin
      skip_q <= s_skip;
      lead_q <= s_lead;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // Something is left of every packet.
      if (s_valid && s_first) assume (s_keep[s_skip]);
      // Of bytes that are skipped there is nothing to follow.
      if (in_started) assume (index >= 5'(skip_q));

      if (out_started) assert (in_started && out_start == 5'(lead_q));
      if (out_seen) assert (in_seen && out_byte == in_byte);
      if (out_ended) begin
        assert (in_ended && out_end == in_end + 5'(lead_q) - 5'(skip_q));
        assert (out_seen == in_seen);
      end
      assert (out_packets <= in_packets);
    end

    // An extra beat; one beat less; a leftover that leaves while the next packet's first beat
    // enters.
    cover (started && !rst && out_seen && out_ended && lead_q > skip_q && in_end == 5'(Lanes)
        && out_end > 5'(Lanes));
    cover (started && !rst && out_seen && out_ended && lead_q < skip_q && in_end > 5'(Lanes)
        && out_end <= 5'(Lanes));
    cover (started && !rst && out_packets == 2'd1 && dut.flush_q && dut.take);
    cover (started && !rst && out_packets == 2'd2 && out_seen && packet == 2'd1
        && moved == 5'(2 * Lanes + 1));
  end

endmodule
