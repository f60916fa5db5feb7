// SPDX-License-Identifier: Apache-2.0

// stream_narrow: any one byte of any one packet comes out where it was, the packet ends behind its last
// byte, and no narrow beat is empty; a clock without a beat is one in which nothing was there.
module stream_narrow_props #(
  parameter  int WideWidth   = 32,
  parameter  int NarrowWidth = 16,
  localparam int WideLanes   = WideWidth / 8,
  localparam int NarrowLanes = NarrowWidth / 8
) (
  input logic                 clk,
  input logic                 rst,
  input logic [WideWidth-1:0] s_data,
  input logic [WideLanes-1:0] s_keep,
  input logic                 s_last,
  input logic                 s_valid,
  input logic                 m_ready,
  // Any one byte, the same for ever.
  input logic [          2:0] packet,
  input logic [          5:0] index
);

  logic s_ready, m_last, m_valid;
  logic [NarrowWidth-1:0] m_data;
  logic [NarrowLanes-1:0] m_keep;

  stream_narrow #(
    .WideWidth  (WideWidth),
    .NarrowWidth(NarrowWidth)
  ) dut (
    .*
  );

  logic started = 1'b0;
  logic [8:0] byte_q;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    byte_q  <= {packet, index};
    if (!started) assume (rst);
    if (started) assume ({packet, index} == byte_q);
  end

  logic unused_s_first, unused_m_first;

  packet_contract #(
    .DataWidth(WideWidth),
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
    .first_o(unused_s_first)
  );

  packet_contract #(
    .DataWidth(NarrowWidth)
  ) m_contract (
    .clk,
    .rst,
    .data   (m_data),
    .keep   (m_keep),
    .last   (m_last),
    .error  (1'b0),
    .valid  (m_valid),
    .ready  (m_ready),
    .first_o(unused_m_first)
  );

  logic s_started, s_seen, s_ended, m_started, m_seen, m_ended;
  logic [5:0] s_start, s_end, m_start, m_end;
  logic [7:0] s_byte, m_byte;
  logic [2:0] s_packets, m_packets;

  packet_watch #(
    .DataWidth(WideWidth)
  ) s_watch (
    .clk,
    .rst,
    .data     (s_data),
    .keep     (s_keep),
    .last     (s_last),
    .take     (s_valid && s_ready),
    .packet,
    .index,
    .started_o(s_started),
    .start_o  (s_start),
    .seen_o   (s_seen),
    .byte_o   (s_byte),
    .ended_o  (s_ended),
    .end_o    (s_end),
    .packets_o(s_packets)
  );

  packet_watch #(
    .DataWidth(NarrowWidth)
  ) m_watch (
    .clk,
    .rst,
    .data     (m_data),
    .keep     (m_keep),
    .last     (m_last),
    .take     (m_valid && m_ready),
    .packet,
    .index,
    .started_o(m_started),
    .start_o  (m_start),
    .seen_o   (m_seen),
    .byte_o   (m_byte),
    .ended_o  (m_ended),
    .end_o    (m_end),
    .packets_o(m_packets)
  );

  // What is offered is there in the next clock, or something before it still is.
  logic offered_q;
  always_ff @(posedge clk) offered_q <= s_valid && !rst;

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      order : assert (s_packets - m_packets <= 3'd1);
      if (m_seen) same : assert (s_seen && m_byte == s_byte);
      if (m_started) start : assert (s_started && m_start == s_start);
      if (m_ended) whole : assert (s_ended && m_end == s_end && m_seen == s_seen);
      if (offered_q) no_gap : assert (m_valid);

      cover (m_ended && m_seen && packet == 3'd1 && m_end == 6'd7 && index == 6'd6);
      cover (s_packets == 3'd3 && s_valid && s_ready && m_valid && m_ready);
    end
  end

endmodule
