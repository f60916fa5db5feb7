// SPDX-License-Identifier: Apache-2.0

// segment_builder: every segment commanded is read once and leaves once, in the order of the
// commands, with the header commanded, with as many bytes of payload as commanded, and its checksum,
// with it or for one with payload behind it, has the sums of its own header and payload; releases and statuses leave in their order, and not before the
// payload of all segments commanded earlier has been read.
//
// Bounded: the queues do not fill in that time, and no sum of a later payload waits behind a segment
// without one. The two sums are stand-ins (abstract/) that give a mark of the header and of the
// payload. That payload leaves as it came in is proven with packet_fifo. Assumed: commands follow
// the rule of streams; the transmit buffer answers reads in order, each with the length asked for;
// segments have at most two beats, and each field of a command has only its lowest bits: wide fields
// that are handed on make the run that can be looked at short. Options are a SYN's, or time stamps
// and up to two blocks of SACK; where they must stand is written down here once more.
module segment_builder_props
  import app_pkg::*;
  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  localparam int Reads = 4  // asked for and not answered, at most
) (
  input logic        clk,
  input tx_command_t command_any,
  input logic [ 1:0] s_command_id,
  input logic        s_command_valid,
  input logic        read_ready_any,
  input logic        s_read_valid,
  input logic        m_ip_packet_ready,
  input logic        m_payload_ready,
  input logic        m_checksum_ready,
  input logic        m_release_ready,
  input logic        m_status_ready,
  input logic [ 2:0] watched             // an arbitrary constant
);

  tx_command_t s_command;
  always_comb begin
    s_command = '0;
    s_command.kind = command_any.kind;
    s_command.tuple.remote_ip = 32'(command_any.tuple.remote_ip[1:0]);
    s_command.tuple.remote_port = 16'(command_any.tuple.remote_port[0]);
    s_command.tuple.local_port = 16'(command_any.tuple.local_port[0]);
    s_command.seq = 32'(command_any.seq[2:0]);
    s_command.ack = 32'(command_any.ack[2:0]);
    s_command.flags = command_any.flags;
    s_command.window = 16'(command_any.window[0]);
    s_command.dscp = 6'(command_any.dscp[0]);
    s_command.mss = 16'(command_any.mss[0]);
    s_command.options.has_timestamps = command_any.options.has_timestamps;
    s_command.options.ts_value = 32'(command_any.options.ts_value[0]);
    s_command.options.ts_echo = 32'(command_any.options.ts_echo[0]);
    s_command.options.sack_permitted = command_any.options.sack_permitted;
    s_command.options.has_window_scale = command_any.options.has_window_scale;
    s_command.options.window_scale = 4'(command_any.options.window_scale[0]);
    s_command.sack_count = {1'b0, command_any.sack_count[1:0]};
    s_command.sack[0].left = 32'(command_any.sack[0].left[0]);
    s_command.sack[1].right = 32'(command_any.sack[1].right[0]);
    s_command.payload_length = 16'(command_any.payload_length[4:0]);
    s_command.status.space = 32'(command_any.status.space[1:0]);
    s_command.status.session.id = 20'(command_any.status.session.id[0]);
    s_command.write_seq = 32'(command_any.write_seq[0]);
  end

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic s_command_ready, m_read_valid, m_read_ready, s_read_last, s_read_ready;
  logic m_checksum_valid, m_ip_packet_valid, m_release_valid, m_status_valid, counted;
  logic [1:0] m_read_id, m_release_id, m_status_id;
  seq_t m_read_seq, m_status_write_seq;
  logic [15:0] m_read_length;
  logic [63:0] s_read_data;
  ip_transmit_t m_ip_packet;
  logic [15:0] m_checksum;
  tx_status_t m_status;

  segment_builder #(
    .DataWidth       (64),
    .Connections     (4),
    .PayloadFifoBeats(256)
  ) dut (
    .clk,
    .rst,
    .ip_i                    ('0),
    .s_command,
    .s_command_id,
    .s_command_valid,
    .s_command_ready,
    .m_read_id,
    .m_read_seq,
    .m_read_length,
    .m_read_valid,
    .m_read_ready,
    .s_read_data,
    .s_read_keep             ('1),
    .s_read_last,
    .s_read_valid,
    .s_read_ready,
    .m_ip_packet,
    .m_ip_packet_valid,
    .m_ip_packet_ready,
    .m_payload_data          (),
    .m_payload_keep          (),
    .m_payload_last          (),
    .m_payload_valid         (),
    .m_payload_ready,
    .m_checksum,
    .m_checksum_valid,
    .m_checksum_ready,
    .m_release_id,
    .m_release_valid,
    .m_release_ready,
    .m_status,
    .m_status_id,
    .m_status_write_seq,
    .m_status_write_there(),
    .m_status_valid,
    .m_status_ready,
    .count_tcp_segments_out_o(counted)
  );

  stream_contract #(
    .Width ($bits(tx_command_t) + 2),
    .Assume(1'b1)
  ) s_command_contract (
    .clk,
    .rst,
    .data ({s_command, s_command_id}),
    .valid(s_command_valid),
    .ready(s_command_ready)
  );
  stream_contract #(
    .Width($bits(ip_transmit_t))
  ) m_ip_packet_contract (
    .clk,
    .rst,
    .data (m_ip_packet),
    .valid(m_ip_packet_valid),
    .ready(m_ip_packet_ready)
  );
  stream_contract #(
    .Width(16)
  ) m_checksum_contract (
    .clk,
    .rst,
    .data (m_checksum),
    .valid(m_checksum_valid),
    .ready(m_checksum_ready)
  );
  stream_contract #(
    .Width(50)
  ) m_read_contract (
    .clk,
    .rst,
    .data ({m_read_id, m_read_seq, m_read_length}),
    .valid(m_read_valid),
    .ready(m_read_ready)
  );

  // The transmit buffer: answers in order. The mark of a payload is where it begins.
  typedef struct packed {
    logic [15:0] mark;
    logic        two_beats;
  } read_t;
  read_t reads_q[Reads];
  logic [2:0] count_q;
  logic second_q, read_taken, read_ends;
  logic [2:0] ended_q;  // payload packets read to their end

  assign m_read_ready = read_ready_any && count_q != 3'(Reads);
  assign read_taken   = m_read_valid && m_read_ready;
  assign s_read_last  = second_q || !reads_q[0].two_beats;
  assign s_read_data  = 64'(second_q ? 16'd0 : reads_q[0].mark);
  assign read_ends    = s_read_valid && s_read_ready && s_read_last;

  always_ff @(posedge clk) begin
    if (read_ends) for (int i = 1; i < Reads; i++) reads_q[i-1] <= reads_q[i];
    if (read_taken)
      reads_q[2'(count_q-3'(read_ends))] <= '{
          mark: m_read_seq[15:0],
          two_beats: m_read_length > 16'd8
      };
    count_q <= count_q + 3'(read_taken) - 3'(read_ends);
    ended_q <= ended_q + 3'(read_ends);
    if (s_read_valid && s_read_ready) second_q <= !s_read_last;
    if (rst) begin
      count_q  <= '0;
      second_q <= 1'b0;
      ended_q  <= '0;
    end
    if (s_read_valid) assume (!rst && count_q != '0);
    if (s_command_valid) begin
      assume (s_command.payload_length <= 16'd16);
      assume (s_command.sack_count <= 3'd2);
      assume (s_command.kind == TxSegment || s_command.kind == TxRelease
              || s_command.kind == TxStatus);
    end
  end

  // Commands.
  logic is_segment, has_payload, taken, seen_q;
  assign is_segment  = s_command.kind == TxSegment;
  assign has_payload = is_segment && s_command.payload_length != '0;
  assign taken       = s_command_valid && s_command_ready && !rst;
  always_ff @(posedge clk) seen_q <= s_command_valid && !s_command_ready && !rst;

  // What each segment must look like.
  logic [15:0] checksum;
  tcp_header_t header;
  logic [7:0][31:0] words;  // of options
  logic [3:0] word_count;
  logic [415:0] expected, got;
  assign checksum = ~checksum_pkg::ones_add16(s_command.ack[15:0],
                                              has_payload ? s_command.seq[15:0] : 16'd0);
  assign header = '{
      source_port: s_command.tuple.local_port,
      destination_port: s_command.tuple.remote_port,
      sequence_number: s_command.seq,
      acknowledgment: s_command.ack,
      data_offset: 4'd5 + word_count,
      reserved: '0,
      flags: s_command.flags,
      window: s_command.window,
      checksum: has_payload ? 16'd0 : checksum,
      urgent_pointer: '0
  };

  // The options one after the other; for the sum of their lengths a count.
  always_comb begin
    words = '0;
    word_count = '0;
    if (s_command.mss != '0) begin
      words[0] = {16'h0204, s_command.mss};
      word_count = 4'd1;
    end
    if (s_command.options.has_timestamps) begin
      words[word_count[2:0]] = s_command.mss != '0 && s_command.options.sack_permitted
          ? 32'h0402080a : 32'h0101080a;
      words[word_count[2:0]+3'd1] = s_command.options.ts_value;
      words[word_count[2:0]+3'd2] = s_command.options.ts_echo;
      word_count += 4'd3;
    end
    if (s_command.mss != '0) begin
      if (s_command.options.sack_permitted && !s_command.options.has_timestamps) begin
        words[word_count[2:0]] = 32'h01010402;
        word_count += 4'd1;
      end
      if (s_command.options.has_window_scale) begin
        words[word_count[2:0]] = {24'h010303, 4'd0, s_command.options.window_scale};
        word_count += 4'd1;
      end
    end else if (s_command.sack_count != '0) begin
      words[word_count[2:0]] = {24'h010105, s_command.sack_count == 3'd1 ? 8'h0a : 8'h12};
      word_count += 4'd1;
      for (int i = 0; i < 2; i++) begin
        if (3'(i) < s_command.sack_count) begin
          words[word_count[2:0]] = s_command.sack[i].left;
          words[word_count[2:0]+3'd1] = s_command.sack[i].right;
          word_count += 4'd2;
        end
      end
    end

    expected = 416'(swap_bytes_20(header));
    for (int i = 0; i < 8; i++) begin
      for (int lane = 0; lane < 4; lane++) begin
        expected[160+32*i+8*lane+:8] = words[i][8*(3-lane)+:8];
      end
    end
    // Behind the header's end anything may stand.
    got = m_ip_packet.header[415:0];
    for (int i = 0; i < 8; i++) begin
      if (6'(20 + 4 * i) >= m_ip_packet.header_length) got[160+32*i+:32] = '0;
    end
  end

  logic [2:0]
      checksums_in,
      checksums_out,
      segments_in,
      segments_out,
      reads_in,
      reads_out,
      others_in,
      others_out;
  logic segment_seen, checksum_seen, read_seen, other_seen;

  stream_order #(
    .Width    (416 + 32 + 16 + 7),
    .CountBits(3)
  ) segments (
    .clk,
    .rst,
    .watched_index (watched),
    .in_take       (taken && is_segment),
    .in_data       ({s_command.tuple.remote_ip, s_command.payload_length, has_payload,
                     {4'd5 + word_count, 2'b00}, expected}),
    .out_valid     (m_ip_packet_valid),
    .out_take      (m_ip_packet_valid && m_ip_packet_ready),
    .out_data      ({m_ip_packet.destination, m_ip_packet.payload_length,
                     m_ip_packet.late_checksum, m_ip_packet.header_length, got}),
    .in_count_o    (segments_in),
    .out_count_o   (segments_out),
    .watched_seen_o(segment_seen),
    .watched_o     ()
  );

  stream_order #(
    .Width    (16),
    .CountBits(3)
  ) checksums (
    .clk,
    .rst,
    .watched_index (watched),
    .in_take       (taken && has_payload),
    .in_data       (checksum),
    .out_valid     (m_checksum_valid),
    .out_take      (m_checksum_valid && m_checksum_ready),
    .out_data      (m_checksum),
    .in_count_o    (checksums_in),
    .out_count_o   (checksums_out),
    .watched_seen_o(checksum_seen),
    .watched_o     ()
  );

  // Reads may go out before their command is taken, as soon as it is there.
  stream_order #(
    .Width    (50),
    .CountBits(3)
  ) reads (
    .clk,
    .rst,
    .watched_index (watched),
    .in_take       (s_command_valid && has_payload && !seen_q && !rst),
    .in_data       ({s_command_id, s_command.seq, s_command.payload_length}),
    .out_valid     (m_read_valid),
    .out_take      (read_taken),
    .out_data      ({m_read_id, m_read_seq, m_read_length}),
    .in_count_o    (reads_in),
    .out_count_o   (reads_out),
    .watched_seen_o(read_seen),
    .watched_o     ()
  );

  logic other_valid, other_taken;
  tx_status_t no_status;
  assign no_status   = '0;
  assign other_valid = m_release_valid || m_status_valid;
  assign other_taken = (m_release_valid && m_release_ready) || (m_status_valid && m_status_ready);

  stream_order #(
    .Width    (3 + $bits(tx_status_t) + 32),
    .CountBits(3)
  ) others (
    .clk,
    .rst,
    .watched_index (watched),
    .in_take       (taken && !is_segment),
    .in_data       (s_command.kind == TxRelease ? {1'b0, s_command_id, no_status, 32'd0}
                    : {1'b1, s_command_id, s_command.status, s_command.write_seq}),
    .out_valid     (other_valid),
    .out_take      (other_taken),
    .out_data      (m_release_valid ? {1'b0, m_release_id, no_status, 32'd0}
                    : {1'b1, m_status_id, m_status, m_status_write_seq}),
    .in_count_o    (others_in),
    .out_count_o   (others_out),
    .watched_seen_o(other_seen),
    .watched_o     ()
  );

  // Segments with payload before the release or status watched.
  logic [2:0] payloads_q, payloads_before_q;
  always_ff @(posedge clk) begin
    if (taken && has_payload) payloads_q <= payloads_q + 1'b1;
    if (taken && !is_segment && others_in == watched) payloads_before_q <= payloads_q;
    if (rst) payloads_q <= '0;
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      assert (!(m_release_valid && m_status_valid));
      if (m_ip_packet_valid) assert (m_ip_packet.protocol == 8'd6);
      if (other_valid && other_seen && others_out == watched) assert (ended_q >= payloads_before_q);
      assert (3'(counted) <= segments_in);
    end
  end

  always_ff @(posedge clk) begin
    cover (!rst && segments_out == 3'd2 && ended_q == 3'd2 && checksums_out == 3'd2);
    cover (!rst && segments_out == 3'd2 && ended_q == 3'd0 && checksums_in == 3'd2);
    cover (!rst && m_release_valid && ended_q == 3'd1 && segments_out == 3'd1);
    cover (!rst && m_status_valid && segments_in == 3'd2 && others_in == 3'd2);
    cover (!rst && m_ip_packet_valid && m_ip_packet.header_length == 6'd24 && segments_out == 3'd1);
    cover (!rst && m_ip_packet_valid && m_ip_packet.header_length == 6'd52 && segments_out == 3'd1);
    cover (!rst && m_ip_packet_valid && m_ip_packet.header_length == 6'd40
        && m_ip_packet.header[167:160] == 8'd2);
  end

endmodule
