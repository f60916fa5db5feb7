// SPDX-License-Identifier: Apache-2.0

// Makes TCP segments: reads their payload, and sends their headers ahead of it.
//
//   s_command --+--> m_read (to transmit_buffer)
//               +--> header sum --+-------------------+
//               |                 +--> option pairs --+
//               +--> commands in order ---------------+--> m_ip_packet, m_release, m_status
//                                                     |
//   s_read_data ---> payload sum ---------------------+--> m_checksum
//               \--> payload FIFO ----------------------> m_payload
//
//   byte  0       1       2       3
//       0 local port      remote port
//       4 seq
//       8 ack
//      12 offset, 0, flags   window
//      16 checksum        0
//      20 options                       see tx_options_pkg
//
// With an mss the options are those of a SYN: MSS, and if the command has them, SACK permitted, time
// stamps, window scale. Without one they are time stamps and sack_count blocks, if there are any;
// sack_count is at most 4, with time stamps 3.
//
// TxSegment  becomes one m_ip_packet, and if payload_length is not 0 one packet of m_payload, which
//            may be valid before m_ip_packet is, and one m_checksum behind it; the header says
//            late_checksum then, and need not wait for the payload.
// TxRelease  becomes one m_release, TxStatus one m_status, when the payload of all segments before
//            it has been read.
// All in the order of the commands.
//
// Latency    1 clock from a command to its read; last payload beat in to m_checksum 5 clocks at 64
//            bits, 7 at 512, to m_payload 3; 7 clocks from the command to m_ip_packet, and below 256
//            bits with p pairs of options (time stamps, each SACK block) 7 + p, from p = 3 on 5 + 2 p.
// Throughput a command a clock from 256 bits on; below one in 4 clocks, one more for each pair. Payload
//            1 beat a clock; the payload of the next segments is read while those before it are
//            sent, as far as PayloadFifoBeats reach: take at least twice the largest segment.
// Paths      m_read_*, m_ip_packet_*, m_payload_* and m_checksum* are registers. s_command_ready follows
//            s_command.
module segment_builder
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import checksum_pkg::*;
  import tx_options_pkg::*;
#(
  parameter  int DataWidth        = 64,
  parameter  int Connections      = 64,
  parameter  int PayloadFifoBeats = 4096 * 8 / DataWidth,
  // A command in 3 clocks is enough, and a read in 2; the read takes a clock more, m_ip_packet 3.
  parameter  bit Half             = 1'b0,
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

  output logic [           15:0] m_checksum,
  output logic                   m_checksum_valid,
  input  logic                   m_checksum_ready,

  output logic [    IdWidth-1:0] m_release_id,
  output logic                   m_release_valid,
  input  logic                   m_release_ready,

  output tx_status_t             m_status,
  output logic [    IdWidth-1:0] m_status_id,
  output seq_t                   m_status_write_seq,
  output logic                   m_status_write_there,
  output logic                   m_status_valid,
  input  logic                   m_status_ready,

  output logic                   count_tcp_segments_out_o
);

  if (2 ** $clog2(PayloadFifoBeats) != PayloadFifoBeats) begin : gen_check_payload_fifo
    $error("PayloadFifoBeats must be a power of two.");
  end
  if (PayloadFifoBeats * DataWidth / 8 < EthernetMtu) begin : gen_check_payload_room
    $error("PayloadFifoBeats must hold a packet of 1,500 bytes.");
  end
  if ($bits(tx_status_t) > $bits(tuple_t)) begin : gen_check_status
    $error("A status must fit into the place of a tuple.");
  end

  // A frame of 64 bytes takes less than four clocks from 256 bits on. More commands wait for their
  // payload, then, each about 16 clocks.
  localparam bit Wide = DataWidth >= 256;
  localparam int QueueDepth = Wide ? 16 : 8;
  localparam int EntryDepth = QueueDepth - 32'(Half);  // then it holds one beside

  // What is left of a command to wait for its sums. Its pairs wait beside.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    tx_kind_e           kind;
    logic               has_payload;
    option_shape_t      shape;
    tuple_t             tuple;           // TxStatus: the status
    seq_t               seq;             // TxStatus: write_seq
    seq_t               ack;             // TxStatus: write_there
    tcp_flags_t         flags;
    logic [15:0]        window;
    logic [5:0]         dscp;
    logic [15:0]        mss;
    logic [3:0]         window_scale;
    logic [15:0]        payload_length;
  } entry_t;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    seq_t               seq;
    logic [15:0]        length;
  } read_t;

  // ---- Commands come in --------------------------------------------------------------------------

  // A segment stays at the input for the rounds of its header sum; its read goes out before.
  logic is_segment, has_payload, read_done_q;
  logic segment_valid, segment_ready, segment_possible, queue_ready;
  logic pairs_room;  // for one pair, with Half for two
  logic is_status;
  logic entry_in_valid, entry_valid, entry_taken;
  entry_t new_entry, entry;
  logic [$clog2(EntryDepth+1)-1:0] unused_entry_count;

  assign is_segment  = s_command.kind == TxSegment;
  assign is_status   = s_command.kind == TxStatus;
  assign has_payload = s_command.payload_length != '0;

  read_t read;
  logic read_valid, read_ready;

  assign read_valid = s_command_valid && is_segment && has_payload && queue_ready && !read_done_q;

  stream_register #(
    .T   (read_t),
    .Half(Half)
  ) read_register (
    .clk,
    .rst,
    .s_data ('{id: s_command_id, seq: s_command.seq, length: s_command.payload_length}),
    .s_valid(read_valid),
    .s_ready(read_ready),
    .m_data (read),
    .m_valid(m_read_valid),
    .m_ready(m_read_ready)
  );

  assign m_read_id     = read.id;
  assign m_read_seq    = read.seq;
  assign m_read_length = read.length;

  if (Half) begin : gen_possible_register
    // Found a clock ahead, of a command that is there: only it fills the queues.
    logic possible_q;

    assign segment_possible = possible_q;

    always_ff @(posedge clk) begin
      possible_q <= s_command_valid && !entry_in_valid && queue_ready && pairs_room
          && (!has_payload || read_done_q || read_ready);

      if (rst) possible_q <= 1'b0;
    end
  end else begin : gen_possible
    assign segment_possible = queue_ready && pairs_room
        && (!has_payload || read_done_q || read_ready);
  end

  assign segment_valid    = s_command_valid && is_segment && segment_possible;
  assign s_command_ready  = is_segment ? segment_possible && segment_ready : queue_ready;

  assign new_entry      = '{
      id: s_command_id,
      kind: s_command.kind,
      has_payload: has_payload,
      shape: option_shape(s_command),
      tuple: is_status ? $bits(tuple_t)'(s_command.status) : s_command.tuple,
      seq: is_status ? s_command.write_seq : s_command.seq,
      ack: is_status ? seq_t'(s_command.write_there) : s_command.ack,
      flags: s_command.flags,
      window: s_command.window,
      dscp: s_command.dscp,
      mss: s_command.mss,
      window_scale: s_command.options.window_scale,
      payload_length: s_command.payload_length
  };
  assign entry_in_valid = s_command_valid && s_command_ready;

  always_ff @(posedge clk) begin
    if (entry_in_valid) read_done_q <= 1'b0;
    else if (read_valid && read_ready) read_done_q <= 1'b1;

    if (rst) read_done_q <= 1'b0;
  end

  stream_fifo #(
    .T       (entry_t),
    .Depth   (EntryDepth),
    .BlockRam(0),
    .Half    (Half)
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

  // Neither sum can be refused. Each belongs to a command that is in the queue by then; a payload's
  // may also wait, after its command has left, for the checksums before it.
  localparam int PayloadSums = 2 * QueueDepth;

  sum_t header_sum_now, header_sum, payload_sum_now, payload_sum;
  logic header_sum_now_valid, header_sum_valid, payload_sum_now_valid, payload_sum_valid;
  logic header_sum_taken, payload_sum_taken, payload_beat;
  logic unused_header_sum_ready, unused_payload_sum_ready;
  logic [$clog2(QueueDepth+1)-1:0] unused_header_sum_count;
  logic [$clog2(PayloadSums+1)-1:0] unused_payload_sum_count;
  pair_t [MaxPairs-1:0] pairs;  // of options, of the command at the head of the queue
  logic pairs_complete;

  if (Wide) begin : gen_whole_headers
    logic [$clog2(QueueDepth+1)-1:0] unused_pairs_count;

    assign segment_ready = 1'b1;

    tcp_header_tree header_summer (
      .clk,
      .rst,
      .s_source   (ip_i),
      .s_command,
      .s_valid    (segment_valid),
      .sum_o      (header_sum_now),
      .sum_valid_o(header_sum_now_valid)
    );

    stream_fifo #(
      .T       (pair_t [MaxPairs-1:0]),
      .Depth   (QueueDepth),
      .BlockRam(0)
    ) pairs_queue (
      .clk,
      .rst,
      .s_data (option_values(s_command)),
      .s_valid(entry_in_valid),
      .s_ready(pairs_room),
      .m_data (pairs),
      .m_valid(pairs_complete),
      .m_ready(entry_taken),
      .count_o(unused_pairs_count)
    );
  end else begin : gen_rounds
    localparam int PairsDepth = 16;

    pair_t new_pair, pair;
    logic new_pair_valid, pair_valid, pair_wanted;
    logic [$clog2(PairsDepth+1)-1:0] pair_count;

    logic pair_ready;

    assign pairs_room = Half ? pair_count < ($bits(pair_count))'(PairsDepth - 1) : pair_ready;

    tcp_header_sum #(
      .Registers(Half)
    ) header_summer (
      .clk,
      .rst,
      .s_source    (ip_i),
      .s_command,
      .s_valid     (segment_valid),
      .s_ready     (segment_ready),
      .pair_o      (new_pair),
      .pair_valid_o(new_pair_valid),
      .sum_o       (header_sum_now),
      .sum_valid_o (header_sum_now_valid)
    );

    // A command does not go on while there is no room for a pair. Four commands find room at least,
    // so one that waits follows one that is in the queue as a whole, and leaves.
    stream_fifo #(
      .T       (pair_t),
      .Depth   (PairsDepth),
      .BlockRam(0)
    ) pair_queue (
      .clk,
      .rst,
      .s_data (new_pair),
      .s_valid(new_pair_valid),
      .s_ready(pair_ready),
      .m_data (pair),
      .m_valid(pair_valid),
      .m_ready(pair_wanted),
      .count_o(pair_count)
    );

    // The pairs of the command at the head are collected while it waits for its sums.
    pair_t [MaxPairs-1:0] pairs_q;
    logic [2:0] collected_q;

    assign pairs          = pairs_q;
    assign pairs_complete = collected_q == option_pairs(entry.shape);
    assign pair_wanted    = entry_valid && entry.kind == TxSegment && !pairs_complete;

    always_ff @(posedge clk) begin
      if (entry_taken) collected_q <= '0;
      else if (pair_wanted && pair_valid) collected_q <= collected_q + 1'b1;

      for (int i = 0; i < MaxPairs; i++) begin
        if (collected_q == 3'(i)) pairs_q[i] <= pair;
      end

      if (rst) collected_q <= '0;
    end
  end

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
    .ones_o     (),
    .sum_valid_o(payload_sum_now_valid)
  );

  stream_fifo #(
    .T       (sum_t),
    .Depth   (PayloadSums),
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

  logic join_possible, join_ready, joins;  // a header leaves
  logic checksum_room, checksum_wanted, checksum_ready;
  sum_t header_part;
  logic [$clog2(QueueDepth+1)-1:0] unused_checksum_count;
  tcp_header_t header;
  option_words_t words;
  logic [MaxOptionWords-1:0][31:0] option;
  ip_transmit_t ip_packet;

  assign join_possible = entry_valid && entry.kind == TxSegment && pairs_complete
      && header_sum_valid && checksum_room && join_ready;

  if (Half) begin : gen_join_register
    // Found a clock ahead, as whoever takes headers may be far away: what is possible stays so until it
    // is done.
    logic joins_q;

    assign joins = joins_q;

    always_ff @(posedge clk) begin
      joins_q <= join_possible && !joins_q;

      if (rst) joins_q <= 1'b0;
    end
  end else begin : gen_join
    assign joins = join_possible;
  end

  assign header_sum_taken = joins;

  assign words    = option_words(entry.shape);
  assign option   = lay_out_options(entry.shape, entry.mss, entry.window_scale, pairs);

  assign header = '{
      source_port: entry.tuple.local_port,
      destination_port: entry.tuple.remote_port,
      sequence_number: entry.seq,
      acknowledgment: entry.ack,
      data_offset: 4'd5 + words,
      reserved: '0,
      flags: entry.flags,
      window: entry.window,
      checksum: entry.has_payload ? '0 : ~header_sum,
      urgent_pointer: '0
  };

  always_comb begin
    ip_packet = '{
        destination: entry.tuple.remote_ip,
        dscp: entry.dscp,
        protocol: IpProtocolTcp,
        payload_length: entry.payload_length,
        late_checksum: entry.has_payload,
        header_length: 6'(TcpHeaderBytes) + {words, 2'b00},
        header: (MaxL4HeaderBytes * 8)'(swap_bytes_20(header))
    };
    for (int i = 0; i < MaxOptionWords; i++) begin
      for (int lane = 0; lane < 4; lane++) begin
        ip_packet.header[(TcpHeaderBytes+4*i+lane)*8+:8] = option[i][(3-lane)*8+:8];
      end
    end
  end

  stream_register #(
    .T   (ip_transmit_t),
    .Wide(1'b1),
    .Half(!Wide)  // no frame is shorter than two clocks
  ) packet_register (
    .clk,
    .rst,
    .s_data (ip_packet),
    .s_valid(joins),
    .s_ready(join_ready),
    .m_data (m_ip_packet),
    .m_valid(m_ip_packet_valid),
    .m_ready(m_ip_packet_ready)
  );

  // Headers that have left, and wait for the sum of their payload.
  stream_fifo #(
    .T       (sum_t),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) checksum_queue (
    .clk,
    .rst,
    .s_data (header_sum),
    .s_valid(joins && entry.has_payload),
    .s_ready(checksum_room),
    .m_data (header_part),
    .m_valid(checksum_wanted),
    .m_ready(payload_sum_taken),
    .count_o(unused_checksum_count)
  );

  assign payload_sum_taken = checksum_wanted && payload_sum_valid && checksum_ready;

  stream_register #(
    .T(sum_t)
  ) checksum_register (
    .clk,
    .rst,
    .s_data (~ones_add16(header_part, payload_sum)),
    .s_valid(checksum_wanted && payload_sum_valid),
    .s_ready(checksum_ready),
    .m_data (m_checksum),
    .m_valid(m_checksum_valid),
    .m_ready(m_checksum_ready)
  );

  always_ff @(posedge clk) begin
    count_tcp_segments_out_o <= joins;

    if (rst) count_tcp_segments_out_o <= 1'b0;
  end

  // Behind segments whose payload has been read.
  assign m_release_id    = entry.id;
  assign m_release_valid = entry_valid && entry.kind == TxRelease && !checksum_wanted;

  assign m_status           = $bits(tx_status_t)'(entry.tuple);
  assign m_status_id        = entry.id;
  assign m_status_write_seq = entry.seq;
  assign m_status_write_there = entry.ack[0];
  assign m_status_valid     = entry_valid && entry.kind == TxStatus && !checksum_wanted;

  always_comb begin
    unique case (entry.kind)
      TxRelease: entry_taken = m_release_valid && m_release_ready;
      TxStatus:  entry_taken = m_status_valid && m_status_ready;
      default:   entry_taken = joins;
    endcase
  end

endmodule
