// SPDX-License-Identifier: Apache-2.0

// Makes TCP segments: reads their payload, and has the checksum ready when the header leaves.
//
//   s_command --+--> m_read (to transmit_buffer)
//               +--> header sum ----------------------+
//               +--> commands in order ---------------+--> m_ip_packet, m_release, m_status
//   s_read_data ---> payload sum ---------------------+
//               \--> payload FIFO ----------------------> m_payload
//
//   byte  0       1       2       3
//       0 local port      remote port
//       4 seq
//       8 ack
//      12 5 or 6, 0, flags   window
//      16 checksum        0
//      20 2       4       mss           if mss is not 0
//
// TxSegment  becomes one m_ip_packet, and if payload_length is not 0 one packet of m_payload, which
//            may be valid before m_ip_packet is.
// TxRelease  becomes one m_release, TxStatus one m_status, when the payload of all segments before
//            it has been read.
// All in the order of the commands.
//
// Latency    last payload beat in to m_ip_packet 5 clocks at 64 bits, 7 at 512; without payload
//            7 clocks from the command.
// Throughput a command in 4 clocks, and payload 1 beat a clock; the payload of the next segments is
//            read while those before it are sent, as far as PayloadFifoBeats reach: take at least
//            twice the largest segment.
// Paths      m_ip_packet_* and m_payload_* are registers. m_read_* follow s_command combinationally;
//            s_command_ready follows s_command's kind and m_read_ready.
module segment_builder
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
#(
  parameter  int DataWidth        = 64,
  parameter  int Connections      = 64,
  parameter  int PayloadFifoBeats = 4096 * 8 / DataWidth,
  localparam int IdWidth          = (Connections > 1) ? $clog2(Connections) : 1
) (
  input  logic                   clk,
  input  logic                   rst,
  input  ip_address_t            ip_i,

  input  tx_command_t            s_command,
  input  logic [    IdWidth-1:0] s_command_id,
  input  logic                   s_command_valid,
  output logic                   s_command_ready,

  output logic [    IdWidth-1:0] m_read_id,
  output seq_t                   m_read_seq,
  output logic [           15:0] m_read_length,
  output logic                   m_read_valid,
  input  logic                   m_read_ready,

  input  logic [  DataWidth-1:0] s_read_data,
  input  logic [DataWidth/8-1:0] s_read_keep,
  input  logic                   s_read_last,
  input  logic                   s_read_valid,
  output logic                   s_read_ready,

  output ip_transmit_t           m_ip_packet,
  output logic                   m_ip_packet_valid,
  input  logic                   m_ip_packet_ready,

  output logic [  DataWidth-1:0] m_payload_data,
  output logic [DataWidth/8-1:0] m_payload_keep,
  output logic                   m_payload_last,
  output logic                   m_payload_valid,
  input  logic                   m_payload_ready,

  output logic [    IdWidth-1:0] m_release_id,
  output logic                   m_release_valid,
  input  logic                   m_release_ready,

  output tx_status_t             m_status,
  output logic [    IdWidth-1:0] m_status_id,
  output seq_t                   m_status_write_seq,
  output logic                   m_status_valid,
  input  logic                   m_status_ready,

  output logic                   count_tcp_segments_out_o
);

  if (2 ** $clog2(PayloadFifoBeats) != PayloadFifoBeats
      || PayloadFifoBeats * DataWidth / 8 < EthernetMtu) begin : gen_check_payload_fifo
    $error("PayloadFifoBeats must be a power of two that holds the largest segment.");
  end

  localparam int QueueDepth = 8;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic               has_payload;
    logic               has_option;
    tx_command_t        command;
  } entry_t;

  // ---- Commands come in --------------------------------------------------------------------------

  // A segment stays at the input for the rounds of its header sum; its read goes out before.
  logic is_segment, has_payload, read_done_q;
  logic segment_valid, segment_ready, segment_possible, queue_ready;
  logic entry_in_valid, entry_valid, entry_taken;
  entry_t new_entry, entry;
  logic [$clog2(QueueDepth+1)-1:0] unused_entry_count;

  assign is_segment  = s_command.kind == TxSegment;
  assign has_payload = s_command.payload_length != '0;

  assign m_read_id     = s_command_id;
  assign m_read_seq    = s_command.seq;
  assign m_read_length = s_command.payload_length;
  assign m_read_valid  = s_command_valid && is_segment && has_payload && queue_ready && !read_done_q;

  assign segment_possible = queue_ready && (!has_payload || read_done_q || m_read_ready);
  assign segment_valid    = s_command_valid && is_segment && segment_possible;
  assign s_command_ready  = is_segment ? segment_possible && segment_ready : queue_ready;

  assign new_entry      = '{
      id: s_command_id,
      has_payload: has_payload,
      has_option: s_command.mss != '0,
      command: s_command
  };
  assign entry_in_valid = s_command_valid && s_command_ready;

  always_ff @(posedge clk) begin
    if (entry_in_valid) read_done_q <= 1'b0;
    else if (m_read_valid && m_read_ready) read_done_q <= 1'b1;

    if (rst) read_done_q <= 1'b0;
  end

  stream_fifo #(
    .T       (entry_t),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) entry_queue (
    .clk,
    .rst,
    .s_data (new_entry),
    .s_valid(entry_in_valid),
    .s_ready(queue_ready),
    .m_data (entry),
    .m_valid(entry_valid),
    .m_ready(entry_taken),
    .count_o(unused_entry_count)
  );

  // ---- Sums --------------------------------------------------------------------------------------

  // Neither sum can be refused. Each belongs to a command that is in the queue by then, and leaves
  // it with the command.
  sum_t header_sum_now, header_sum, payload_sum_now, payload_sum;
  logic header_sum_now_valid, header_sum_valid, payload_sum_now_valid, payload_sum_valid;
  logic header_sum_taken, payload_sum_taken, payload_beat;
  logic unused_header_sum_ready, unused_payload_sum_ready;
  logic [$clog2(QueueDepth+1)-1:0] unused_header_sum_count, unused_payload_sum_count;

  tcp_header_sum header_summer (
    .clk,
    .rst,
    .s_source   (ip_i),
    .s_command,
    .s_valid    (segment_valid),
    .s_ready    (segment_ready),
    .sum_o      (header_sum_now),
    .sum_valid_o(header_sum_now_valid)
  );

  stream_fifo #(
    .T       (sum_t),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) header_sum_queue (
    .clk,
    .rst,
    .s_data (header_sum_now),
    .s_valid(header_sum_now_valid),
    .s_ready(unused_header_sum_ready),
    .m_data (header_sum),
    .m_valid(header_sum_valid),
    .m_ready(header_sum_taken),
    .count_o(unused_header_sum_count)
  );

  assign payload_beat = s_read_valid && s_read_ready;

  checksum_stream #(
    .DataWidth(DataWidth)
  ) payload_summer (
    .clk,
    .rst,
    .beat_i     (payload_beat),
    .data_i     (s_read_data),
    .keep_i     (s_read_keep),
    .last_i     (s_read_last),
    .seed_i     (16'd0),
    .sum_o      (payload_sum_now),
    .sum_valid_o(payload_sum_now_valid)
  );

  stream_fifo #(
    .T       (sum_t),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) payload_sum_queue (
    .clk,
    .rst,
    .s_data (payload_sum_now),
    .s_valid(payload_sum_now_valid),
    .s_ready(unused_payload_sum_ready),
    .m_data (payload_sum),
    .m_valid(payload_sum_valid),
    .m_ready(payload_sum_taken),
    .count_o(unused_payload_sum_count)
  );

  logic [$clog2(PayloadFifoBeats+1)-1:0] unused_packets;
  logic unused_dropped, unused_overflow;

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (PayloadFifoBeats)
  ) payload_fifo (
    .clk,
    .rst,
    .s_data    (s_read_data),
    .s_keep    (s_read_keep),
    .s_last    (s_read_last),
    .s_error   (1'b0),
    .s_valid   (s_read_valid),
    .s_ready   (s_read_ready),
    .m_data    (m_payload_data),
    .m_keep    (m_payload_keep),
    .m_last    (m_payload_last),
    .m_valid   (m_payload_valid),
    .m_ready   (m_payload_ready),
    .packets_o (unused_packets),
    .dropped_o (unused_dropped),
    .overflow_o(unused_overflow)
  );

  // ---- Commands go out ---------------------------------------------------------------------------

  logic join_valid, join_ready;
  sum_t checksum;
  tcp_header_t header;
  logic [31:0] option;
  ip_transmit_t ip_packet;

  assign join_valid = entry_valid && entry.command.kind == TxSegment && header_sum_valid
      && (!entry.has_payload || payload_sum_valid);
  assign join_ready = !m_ip_packet_valid || m_ip_packet_ready;

  assign header_sum_taken  = join_valid && join_ready;
  assign payload_sum_taken = join_valid && join_ready && entry.has_payload;

  assign checksum = ~ones_add16(header_sum, entry.has_payload ? payload_sum : '0);

  assign header = '{
      source_port: entry.command.tuple.local_port,
      destination_port: entry.command.tuple.remote_port,
      sequence_number: entry.command.seq,
      acknowledgment: entry.command.ack,
      data_offset: entry.has_option ? 4'd6 : 4'd5,
      reserved: '0,
      flags: entry.command.flags,
      window: entry.command.window,
      checksum: checksum,
      urgent_pointer: '0
  };
  assign option = {entry.command.mss[7:0], entry.command.mss[15:8], 8'd4, TcpOptionMss};

  assign ip_packet = '{
      destination: entry.command.tuple.remote_ip,
      protocol: IpProtocolTcp,
      payload_length: entry.command.payload_length,
      header_length: entry.has_option ? 6'(TcpHeaderBytes + 4) : 6'(TcpHeaderBytes),
      header: (MaxL4HeaderBytes*8)'({option, swap_bytes_20(header)})
  };

  always_ff @(posedge clk) begin
    if (join_ready) begin
      m_ip_packet       <= ip_packet;
      m_ip_packet_valid <= join_valid;
    end
    count_tcp_segments_out_o <= join_valid && join_ready;

    if (rst) begin
      m_ip_packet_valid        <= 1'b0;
      count_tcp_segments_out_o <= 1'b0;
    end
  end

  // At the head of the queue every segment before has its payload sum, so it has been read.
  assign m_release_id    = entry.id;
  assign m_release_valid = entry_valid && entry.command.kind == TxRelease;

  assign m_status           = entry.command.status;
  assign m_status_id        = entry.id;
  assign m_status_write_seq = entry.command.write_seq;
  assign m_status_valid     = entry_valid && entry.command.kind == TxStatus;

  always_comb begin
    unique case (entry.command.kind)
      TxRelease: entry_taken = m_release_valid && m_release_ready;
      TxStatus:  entry_taken = m_status_valid && m_status_ready;
      default:   entry_taken = join_valid && join_ready;
    endcase
  end

endmodule
