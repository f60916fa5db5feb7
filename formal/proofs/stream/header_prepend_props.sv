// SPDX-License-Identifier: Apache-2.0

// header_prepend: an arbitrary byte of an arbitrary frame is the header's, or the payload's behind
// it, or of the field that comes later; a frame ends where its payload does, or its header when it has
// none; frames keep to the contract of packets.
module header_prepend_props #(
  parameter int DataWidth      = 16,
  parameter int MaxHeaderBytes = 5,
  parameter int FieldAt        = 0
) (
  input logic                                clk,
  input logic                                rst,
  input logic [        MaxHeaderBytes*8-1:0] s_header,
  input logic [$clog2(MaxHeaderBytes+1)-1:0] s_header_length,
  input logic                                s_has_payload,
  input logic                                s_header_late,
  input logic                                s_header_valid,
  input logic [                        15:0] s_field,
  input logic                                s_field_valid,
  input logic [               DataWidth-1:0] s_data,
  input logic [             DataWidth/8-1:0] s_keep,
  input logic                                s_last,
  input logic                                s_valid,
  input logic                                m_ready,
  input logic [                         1:0] frame,
  input logic [                         4:0] index
);

  localparam int Lanes = DataWidth / 8;
  localparam int LengthWidth = $clog2(MaxHeaderBytes + 1);

  logic s_header_ready, s_field_ready, s_ready, m_last, m_valid;
  logic [DataWidth-1:0] m_data;
  logic [Lanes-1:0] m_keep;

  header_prepend #(
    .DataWidth     (DataWidth),
    .MaxHeaderBytes(MaxHeaderBytes),
    .FieldAt       (FieldAt)
  ) dut (
    .*
  );

  logic s_first, m_first;

  stream_contract #(
    .Width (MaxHeaderBytes * 8 + LengthWidth + 2),
    .Assume(1'b1)
  ) s_header_contract (
    .clk,
    .rst,
    .data ({s_header_late, s_has_payload, s_header_length, s_header}),
    .valid(s_header_valid),
    .ready(s_header_ready)
  );

  stream_contract #(
    .Width (16),
    .Assume(1'b1)
  ) s_field_contract (
    .clk,
    .rst,
    .data (s_field),
    .valid(s_field_valid),
    .ready(s_field_ready)
  );

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

  // The header of the frame watched, and which payload and which field are its own.
  logic [1:0] headers_q = '0, payloads_promised_q = '0, payload_q;
  logic [1:0] late_q = '0, fields_q = '0, field_number_q;
  logic header_seen_q = 1'b0, has_payload_q, header_late_q, field_seen_q = 1'b0;
  logic [15:0] field_q;
  logic [LengthWidth-1:0] length_q;
  logic [MaxHeaderBytes*8-1:0] header_q;
  logic header_take;

  assign header_take = s_header_valid && s_header_ready;

  always_ff @(posedge clk) begin
    if (header_take) begin
      headers_q           <= headers_q + 1'b1;
      payloads_promised_q <= payloads_promised_q + 2'(s_has_payload);
      late_q              <= late_q + 2'(s_header_late);
      if (headers_q == frame) begin
        header_seen_q <= 1'b1;
        payload_q     <= payloads_promised_q;
        has_payload_q <= s_has_payload;
        header_late_q <= s_header_late;
        field_number_q <= late_q;
        length_q      <= s_header_length;
        header_q      <= s_header;
      end
    end

    // A field is taken after its header.
    if (s_field_valid && s_field_ready) begin
      fields_q <= fields_q + 1'b1;
      if (header_seen_q && header_late_q && fields_q == field_number_q) begin
        field_seen_q <= 1'b1;
        field_q      <= s_field;
      end
    end

    if (rst) begin
      headers_q           <= '0;
      payloads_promised_q <= '0;
      header_seen_q       <= 1'b0;
      late_q              <= '0;
      fields_q            <= '0;
      field_seen_q        <= 1'b0;
    end
  end

  logic in_field;
  assign in_field = header_late_q && (index == 5'(FieldAt) || index == 5'(FieldAt + 1));

  logic in_started, in_seen, in_ended, out_started, out_seen, out_ended;
  logic [4:0] in_start, in_end, out_start, out_end, in_header;
  logic [7:0] in_byte, out_byte;
  logic [1:0] in_packets, out_packets;

  // A payload enters after its header, so that payload_q and length_q are known in time.
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
    .packet   (header_seen_q && has_payload_q ? payload_q : 2'd3),
    .index    (index - 5'(length_q)),
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
    .packet   (frame),
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
  logic [1:0] frame_q;
  logic [4:0] index_q;
  logic unused;
  assign unused    = &{1'b0, in_started, in_start, in_packets, out_start, s_first, m_first};
  assign in_header = 5'(length_q);

  always_ff @(posedge clk) begin
    started <= 1'b1;
    frame_q <= frame;
    index_q <= index;
    if (!started) assume (rst);
    if (started) assume (frame == frame_q && index == index_q && frame != 2'd3);
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (s_header_valid) begin
        assume (s_header_length != '0 && s_header_length <= LengthWidth'(MaxHeaderBytes));
      end
      if (s_header_valid && s_header_late) assume (s_header_length >= LengthWidth'(FieldAt + 2));
      assume (headers_q != 2'd3);

      assert (out_packets <= headers_q);
      if (out_started) assert (header_seen_q);
      assert (fields_q <= late_q);
      if (out_seen && index < in_header && !in_field) begin
        assert (out_byte == 8'(header_q >> {index, 3'd0}));
      end
      if (out_seen && in_field && field_seen_q) begin
        assert (out_byte == (index == 5'(FieldAt) ? field_q[15:8] : field_q[7:0]));
      end
      // With the header's last beat, at the latest.
      if (out_ended && header_late_q) assert (field_seen_q);
      if (out_seen && index >= in_header) begin
        assert (has_payload_q && in_seen && out_byte == in_byte);
      end
      if (out_ended) begin
        assert (out_end == (has_payload_q ? in_header + in_end : in_header));
        assert (!has_payload_q || in_ended);
        assert (out_seen == (index < out_end));
      end
    end

    cover (started && !rst && out_ended && out_seen && frame == 2'd1 && has_payload_q
        && length_q == LengthWidth'(3) && out_end == 5'd6 && index == 5'd4);
    cover (started && !rst && out_ended && frame == 2'd1 && !has_payload_q);
    cover (started && !rst && out_seen && in_field && field_seen_q && frame == 2'd1
        && field_number_q == 2'd1 && has_payload_q);
  end

endmodule
