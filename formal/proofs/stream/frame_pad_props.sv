// SPDX-License-Identifier: Apache-2.0

// frame_pad: an arbitrary byte of an arbitrary packet comes out in its place; packets shorter than
// MinBytes end at MinBytes, with zeros behind their own bytes, all others where they ended.
module frame_pad_props #(
  parameter int DataWidth = 32,
  parameter int MinBytes  = 7
) (
  input logic                   clk,
  input logic                   rst,
  input logic [  DataWidth-1:0] s_data,
  input logic [DataWidth/8-1:0] s_keep,
  input logic                   s_last,
  input logic                   s_valid,
  input logic                   m_ready,
  input logic [            1:0] packet,
  input logic [            4:0] index
);

  localparam int Lanes = DataWidth / 8;

  logic s_ready, m_last, m_valid;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;

  frame_pad #(
    .DataWidth(DataWidth),
    .MinBytes (MinBytes)
  ) dut (
    .*
  );

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

  packet_contract #(
    .DataWidth(DataWidth)
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
    .index,
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
  assign unused = &{1'b0, in_started, in_start, s_first, out_started, out_start, m_first};

  always_ff @(posedge clk) begin
    started  <= 1'b1;
    packet_q <= packet;
    index_q  <= index;
    if (!started) assume (rst);
    if (started) assume (packet == packet_q && index == index_q);
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (out_seen && in_seen) assert (out_byte == in_byte);
      if (out_seen && !in_seen) assert (in_ended && index < 5'(MinBytes) && out_byte == '0);
      if (out_ended) begin
        assert (in_ended);
        assert (out_end == (in_end < 5'(MinBytes) ? 5'(MinBytes) : in_end));
        assert (out_seen == (index < out_end));
      end
      assert (out_packets <= in_packets);
      for (int lane = 0; lane < Lanes; lane++) begin
        if (m_valid && !m_keep[lane]) assert (m_data[lane*8+:8] == '0);
      end
    end

    cover (started && !rst && out_ended && in_end == 5'd1 && packet == 2'd1 && out_seen
        && !in_seen);
    cover (started && !rst && out_ended && in_end == 5'(MinBytes + 1) && packet == 2'd1);
  end

endmodule
