// SPDX-License-Identifier: Apache-2.0

// Takes TCP segments out of IP packets: what the header says goes to the engine, payload to a
// store-and-forward FIFO, and neither unless the whole segment is good.
//
//   byte  0       1       2       3
//       0 source port     destination port
//       4 sequence number
//       8 acknowledgement number
//      12 offset, reserved, flags   window        offset: header length in words, options included
//      16 checksum        urgent pointer
//      20 options, padded to a word               see tcp_options_parser
//
// Latency    from the last beat in to m_segment_valid 4 clocks at 64 bits, 5 up to 256, 6 at 512;
//            1 more with Half; with w words of options no less than w + 3. The payload's first beat follows the
//            segment by 8 clocks at most.
// Throughput 1 beat a clock; segments back to back, as long as they are taken. Options are read a
//            word a clock: the last beat of a segment with them waits until those of the segment
//            before it are read. So segments with w words of options come w + 1 clocks apart or
//            more, and with b SACK blocks b + 1 at least, as sack_splitter takes them. At 64 bits that is
//            never longer than Ethernet takes for the same frames, and up to w = 8 with one block
//            not longer than their beats; at 512 bits small segments back to back wait.
// Paths      s_ready is a register at 64 and 128 bits without Tap, else a function of registers, and so are
//            m_segment, m_segment_valid and m_payload_valid. m_segment_ready tells the queues before it to go on.
//
// s_* is an IPv4 packet from its header on, cut to its total length, whose header is good unless
// s_error says otherwise with the last beat. s_ip must be right with the last beat.
//
// m_segment comes for each good segment, in order. Exactly one payload packet comes, in the same
// order, for each one whose payload_length is not 0; before or after the segment, which never waits
// for it. The MSS, window scale and SACK permitted are those of a SYN, SACK blocks those of a segment
// with ACK and without SYN; else they are 0. Blocks from sack_count on mean nothing, and may change. Options that the
// engine is built without (tcp_pkg) are not there. The checksum is that of RFC 9293 section 3.1, over
// the pseudo-header, too.
//
// With Tap others may look on: of each packet, in order, kind_* tells as soon as it is known whether
// m_tap_* will have payload of it, good or bad; ended_* whether its header or frame is bad, summed_*
// whether its checksum is right.
//
// A bad packet is dropped and counted once: as a bad header (offset below 5 or beyond the packet,
// less than 20 bytes, more payload than the FIFO holds), or else as a bad checksum, or not at all if
// s_error says that it has been counted already.
module tcp_receive_parser
  import net_headers_pkg::*;
  import seq_pkg::*;
  import tcp_pkg::*;
#(
  parameter int DataWidth        = 64,
  parameter int PayloadFifoBeats = 512,
  parameter bit Half             = 1'b0,  // of the queues of segments and sums; not with Tap
  parameter bit Tap              = 1'b0   // see below; else the tap is quiet
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [  DataWidth-1:0] s_data,
  input  logic [DataWidth/8-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_error,
  input  logic                   s_valid,
  output logic                   s_ready,
  input  ip_receive_t            s_ip,

  output received_segment_t      m_segment,
  output logic                   m_segment_valid,
  input  logic                   m_segment_ready,

  output logic [  DataWidth-1:0] m_payload_data,
  output logic [DataWidth/8-1:0] m_payload_keep,
  output logic                   m_payload_last,
  output logic                   m_payload_valid,
  input  logic                   m_payload_ready,

  output logic [  DataWidth-1:0] m_tap_data,
  output logic [DataWidth/8-1:0] m_tap_keep,
  output logic                   m_tap_last,
  output logic                   m_tap_valid,
  input  logic                   m_tap_ready,
  output logic                   kind_payload_o,
  output logic                   kind_valid_o,
  output logic                   ended_bad_o,
  output logic                   ended_valid_o,
  output logic                   summed_good_o,
  output logic                   summed_valid_o,

  output logic                   count_tcp_segments_in_o,
  output logic                   count_drop_tcp_checksum_o,
  output logic                   count_drop_tcp_header_o
);

  if (!stream_pkg::supports(DataWidth) || DataWidth < 64) begin : gen_check_data_width
    $error("DataWidth must be 64, 128, 256 or 512.");
  end
  if (Half && Tap) begin : gen_check_half
    $error("Half and Tap do not go together.");
  end
  if (2 ** $clog2(PayloadFifoBeats) != PayloadFifoBeats) begin : gen_check_payload_fifo
    $error("PayloadFifoBeats must be a power of two.");
  end
  if (PayloadFifoBeats * DataWidth / 8 < EthernetMtu) begin : gen_check_payload_room
    $error("PayloadFifoBeats must hold a packet of 1,500 bytes.");
  end

  localparam int Lanes = DataWidth / 8;
  localparam int LaneBits = $clog2(Lanes);
  localparam int Words = DataWidth / 32;
  localparam int WordBits = $clog2(Words);

  // Positions count 32-bit words from the start of the IP packet. Both headers end before word 30.
  localparam int IndexWidth = 16 - LaneBits;  // counts a packet's beats
  localparam bit TcpInFirstBeat = Words > 5;  // where the IP header's length is read as it comes
  localparam int MaxPayload = PayloadFifoBeats * Lanes;
  localparam int IpHeaderBeats = 16 / Words;  // the longest's, rounded up
  // A beat may come in while the one before it waits. A first beat, too: so it must not have words of the TCP header.
  // Whoever looks on has room for sums of packets that have ended, and for one more.
  localparam bit TwoPlaces = !TcpInFirstBeat && !Tap;

  typedef logic [5:0] position_t;
  typedef logic [WordBits-1:0] word_lane_t;

  // The segment as it waits for its checksum.
  typedef struct packed {
    logic        error;
    logic        bad_header;
    logic        has_options;  // there will be a result of the options parser
    logic        has_sack;     // that may have blocks of SACK
    logic        has_payload;  // there are beats on the way to the payload FIFO
    tuple_t      tuple;
    seq_t        seq;
    seq_t        ack;
    tcp_flags_t  flags;
    logic [15:0] window;
    logic [15:0] payload_length;
    seq_t        urgent;
  } record_t;

  // The beat that has the word at a position.
  function automatic logic [IndexWidth-1:0] beat_of(input position_t position);
    return IndexWidth'(position >> WordBits);
  endfunction

  // ---- Input: position in the packet ----------------------------------------------------------

  logic beat;
  logic first_q;
  logic [IndexWidth-1:0] index_q, next_index_q;  // of this beat in its packet, and of the next
  logic [3:0] ip_words_d, ip_words_q, ip_words;  // ip_words: where it may matter in this beat

  assign beat       = s_valid && s_ready;
  assign ip_words_d = first_q ? s_data[3:0] : ip_words_q;
  assign ip_words   = TcpInFirstBeat ? ip_words_d : ip_words_q;

  always_ff @(posedge clk) begin
    if (beat) begin
      first_q    <= s_last;
      index_q    <= s_last ? '0 : next_index_q;
      next_index_q <= s_last ? IndexWidth'(1) : next_index_q + 1'b1;
      ip_words_q <= ip_words_d;
    end

    if (rst) begin
      first_q      <= 1'b1;
      index_q      <= '0;
      next_index_q <= IndexWidth'(1);
    end
  end

  // ---- Checksum -------------------------------------------------------------------------------

  // The IP header's two addresses are part of the pseudo-header, so they are summed where they are;
  // the rest of the IP header is left out, and protocol and TCP length are the seed.
  logic [Words-1:0] summed_first, summed_next, summed_q, summed;

  function automatic logic is_summed(input position_t position, input logic [3:0] header_words);
    return position == 6'd3 || position == 6'd4
        || (position >= 6'd5 && position >= position_t'(header_words));
  endfunction

  always_comb begin
    for (int i = 0; i < Words; i++) begin
      summed_first[i] = is_summed(position_t'(i), s_data[3:0]);
      summed_next[i] = 32'(index_q) + 1 >= IpHeaderBeats || is_summed(
          position_t'((32'(index_q[2:0]) + 1) * Words + i), ip_words_d);
    end
  end

  assign summed = first_q ? summed_first : summed_q;

  always_ff @(posedge clk) begin
    if (beat) summed_q <= summed_next;
  end

  logic [Lanes-1:0] summed_keep;
  logic [15:0] seed;
  logic sum_ones, sum_valid;

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      summed_keep[lane] = s_keep[lane] && summed[lane/4];
    end
  end

  assign seed = s_ip.total_length - (16'({s_ip.header_words, 2'b00}) - 16'(IpProtocolTcp));

  typedef struct packed {
    logic                 last;
    logic [15:0]          seed;
    logic [DataWidth-1:0] data;
  } summand_t;

  summand_t found, chosen;
  logic chosen_valid;

  always_comb begin
    found = '{last: s_last, seed: seed, data: '0};
    for (int lane = 0; lane < Lanes; lane++) begin
      if (summed_keep[lane]) found.data[8*lane+:8] = s_data[8*lane+:8];
    end
  end

  // For slow parts what is summed is chosen in one clock and added in the next. The queue of sums makes up for it.
  if (Half) begin : gen_chosen
    always_ff @(posedge clk) begin
      chosen       <= found;
      chosen_valid <= beat;

      if (rst) chosen_valid <= 1'b0;
    end
  end else begin : gen_chosen_at_once
    assign chosen       = found;
    assign chosen_valid = beat;
  end

  checksum_stream #(
    .DataWidth(DataWidth)
  ) checksum (
    .clk,
    .rst,
    .beat_i     (chosen_valid),
    .data_i     (chosen.data),
    .keep_i     ('1),
    .last_i     (chosen.last),
    .seed_i     (chosen.seed),
    .sum_o      (),
    .ones_o     (sum_ones),
    .sum_valid_o(sum_valid)
  );

  // ---- Header ---------------------------------------------------------------------------------

  // Turned by the length of the IP header, each word of the TCP header has a lane of its own; it is
  // there in one beat of the packet.
  logic [Words-1:0][31:0] turned;
  logic [14:0][31:0] header_q;  // the checksum in word 4 is not used
  logic [14:0] here_first, here_next_q, here;  // words that this beat has

  lane_rotate #(
    .Lanes      (Words),
    .LaneWidth  (32),
    .AmountWidth(WordBits)
  ) turn (
    .data_i  (s_data),
    .amount_i(word_lane_t'(-ip_words)),
    .data_o  (turned)
  );

  always_comb begin
    for (int i = 0; i < 15; i++) begin
      here_first[i] = TcpInFirstBeat && beat_of(position_t'(ip_words) + position_t'(i)) == '0;
    end
  end

  assign here = first_q ? here_first : here_next_q;

  // Loaded before it is known whether there is a beat, as so many bits would wait for that. Until the word
  // has come, whatever it says is not looked at.
  always_ff @(posedge clk) begin
    for (int i = 0; i < 15; i++) begin
      if (s_ready && here[i]) header_q[i] <= turned[i%Words];
      if (beat) begin
        here_next_q[i] <= next_index_q == beat_of(position_t'(ip_words_d) + position_t'(i));
      end
    end
  end

  // ---- A beat later: the header is complete with the packet's last beat --------------------------

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [Lanes-1:0]     keep;
    logic                 error;
    logic [3:0]           index;
    logic                 headers;   // index counts up to here: both headers end before it does
    logic [3:0]           ip_words;
    logic [15:0]          length;    // of the packet up to this beat
    ip_address_t          source;
  } beat_t;

  beat_t incoming, held;
  logic beat_valid, beat_taken, last;

  always_comb begin
    incoming.data     = s_data;
    incoming.keep     = s_keep;
    incoming.error    = s_error;
    incoming.index    = index_q[3:0];
    incoming.headers  = index_q < IndexWidth'(16);
    incoming.ip_words = ip_words_d;
    incoming.length   = {index_q, LaneBits'(0)}
        + 16'(stream_pkg::lanes_used(stream_pkg::lanes_t'(s_keep)));
    incoming.source   = s_ip.source;
  end

  // Whether the beat goes on is known late: in the wide register it turns one bit. What that depends on is a
  // register of its own beside it.
  if (TwoPlaces) begin : gen_two_places
    logic unused_valid, unused_ready;

    stream_register #(
      .T   (beat_t),
      .Wide(1'b1)
    ) beat_register (
      .clk,
      .rst,
      .s_data (incoming),
      .s_valid,
      .s_ready,
      .m_data (held),
      .m_valid(unused_valid),
      .m_ready(beat_taken)
    );

    stream_register #(
      .T(logic)
    ) last_register (
      .clk,
      .rst,
      .s_data (s_last),
      .s_valid,
      .s_ready(unused_ready),
      .m_data (last),
      .m_valid(beat_valid),
      .m_ready(beat_taken)
    );
  end else begin : gen_one_place
    assign s_ready = !beat_valid || beat_taken;

    always_ff @(posedge clk) begin
      if (s_ready) begin
        beat_valid <= s_valid;
        last       <= s_last;
        held       <= incoming;
      end

      if (rst) beat_valid <= 1'b0;
    end
  end

  tcp_header_t header;
  logic unused_header, unused_ip;
  position_t payload_position;
  logic [16:0] payload_length;
  logic too_short, too_long, offset_bad;

  assign header        = swap_bytes_20(header_q[4:0]);
  assign unused_header = &{1'b0, header.reserved, header.checksum};
  assign unused_ip     = &{1'b0, s_ip.destination, s_ip.protocol};

  // Where header words have not come, they are an earlier packet's, but then the packet is too short
  // whatever they say.
  assign payload_position = position_t'(held.ip_words) + position_t'(header.data_offset);
  assign payload_length   = 17'(held.length) - 17'({payload_position, 2'b00});
  assign too_short        = held.length < 16'({position_t'(held.ip_words) + 6'd5, 2'b00});
  // More payload than its FIFO could ever give; beside the subtraction. Both headers are shorter than it.
  assign too_long         = 17'(held.length) > 17'(MaxPayload + 32'({payload_position, 2'b00}));
  assign offset_bad       = header.data_offset < 4'd5;

  // ---- Payload: from the beat with its first byte on --------------------------------------------

  logic started_q, starts, in_payload, payload_ready;
  word_lane_t payload_lane;

  assign payload_lane = word_lane_t'(payload_position);
  // An offset of 5 or more reaches beyond the word that holds it: by the beat that it names, it is
  // this packet's.
  assign starts = !offset_bad && held.headers && held.index == 4'(beat_of(payload_position))
      && held.keep[{payload_lane, 2'b00}];
  assign in_payload = started_q || starts;

  always_ff @(posedge clk) begin
    if (beat_valid && beat_taken) started_q <= in_payload && !last;

    if (rst) started_q <= 1'b0;
  end

  // ---- The record waits for the sum --------------------------------------------------------------

  localparam int QueueDepth = 8;

  record_t record, record_q, waiting;
  logic record_needed, record_ready, record_valid_q, queue_ready;
  logic others_ready, waiting_valid, waiting_taken;
  logic options_ready, options_valid, options_taken;
  logic [15:0] mss;
  tcp_options_t segment_options;
  logic [2:0] sack_count;
  seq_range_t [SackBlocks-1:0] sack;
  logic [$clog2(QueueDepth+1)-1:0] unused_record_count;

  always_comb begin
    record.error       = held.error;
    record.bad_header  = too_short || too_long || offset_bad || payload_length[16];
    // Of a bad packet, too: whether it is one is known too late to hold up the input.
    record.has_options = header.data_offset > 4'd5;
    record.has_sack    = HasSack && record.has_options && header.flags.ack && !header.flags.syn;
    record.has_payload = in_payload;

    record.tuple.remote_ip   = held.source;
    record.tuple.remote_port = header.source_port;
    record.tuple.local_port  = header.destination_port;
    record.seq               = header.sequence_number;
    record.ack               = header.acknowledgment;
    record.flags             = header.flags;
    record.window            = header.window;
    record.urgent            = HasUrgent ? header.sequence_number + 32'(header.urgent_pointer) : '0;
    record.payload_length    = payload_length[15:0];
  end

  // Readiness does not ask what the beat is, which is known late: it waits for all who might have to
  // take it. Whether there are options is known early.
  assign record_needed = beat_valid && last;
  assign others_ready  = record_ready && (!last || !record.has_options || options_ready);
  assign beat_taken    = others_ready && payload_ready;

  // Whether the beat goes on is one bit here, and what it says is loaded while there is room for it.
  assign record_ready = !record_valid_q || queue_ready;

  always_ff @(posedge clk) begin
    if (record_ready) begin
      record_q       <= record;
      record_valid_q <= record_needed && beat_taken;
    end

    if (rst) record_valid_q <= 1'b0;
  end

  stream_fifo #(
    .T       (record_t),
    .Depth   (QueueDepth),
    .BlockRam(0),
    .Half    (Half)
  ) record_queue (
    .clk,
    .rst,
    .s_data (record_q),
    .s_valid(record_valid_q),
    .s_ready(queue_ready),
    .m_data (waiting),
    .m_valid(waiting_valid),
    .m_ready(waiting_taken),
    .count_o(unused_record_count)
  );

  tcp_options_parser options (
    .clk,
    .rst,
    .s_options   (header_q[14:5]),
    .s_words     (header.data_offset - 4'd5),
    .s_valid     (record_needed && beat_taken && record.has_options),
    .s_ready     (options_ready),
    .m_mss       (mss),
    .m_options   (segment_options),
    .m_sack_count(sack_count),
    .m_sack      (sack),
    .m_valid     (options_valid),
    .m_ready     (options_taken)
  );

  // A sum comes for each record, and for the one before the queue and two beats before that, so it always
  // finds room.
  logic sum_good, sum_waiting, unused_sum_ready;
  logic [$clog2(QueueDepth+3+1)-1:0] unused_sum_count;

  stream_fifo #(
    .T       (logic),
    .Depth   (QueueDepth + 3),
    .BlockRam(0),
    .Half    (Half),
    .Straight(1'b1)
  ) sum_queue (
    .clk,
    .rst,
    .s_data (sum_ones),
    .s_valid(sum_valid),
    .s_ready(unused_sum_ready),
    .m_data (sum_good),
    .m_valid(sum_waiting),
    .m_ready(waiting_taken),
    .count_o(unused_sum_count)
  );

  // ---- Verdict ----------------------------------------------------------------------------------

  // Options may be known after the sum. Payload does not wait for them.
  logic summed_up, known, good, verdict_valid, verdict_ready, verdict_given_q;

  assign summed_up = waiting_valid && sum_waiting;
  assign known     = summed_up && (!waiting.has_options || options_valid)
      && (!waiting.has_payload || verdict_ready || verdict_given_q);
  assign good      = !waiting.error && !waiting.bad_header && sum_good;

  assign verdict_valid   = summed_up && waiting.has_payload && !verdict_given_q;
  assign m_segment_valid = known && good;
  assign waiting_taken   = known && (!good || m_segment_ready);
  assign options_taken   = waiting_taken && waiting.has_options;

  always_comb begin
    m_segment                        = '0;
    m_segment.segment.tuple          = waiting.tuple;
    m_segment.segment.seq            = waiting.seq;
    m_segment.segment.ack            = waiting.ack;
    m_segment.segment.flags          = waiting.flags;
    m_segment.segment.window         = waiting.window;
    m_segment.segment.urgent         = waiting.urgent;
    m_segment.segment.payload_length = waiting.payload_length;
    m_segment.sack                   = HasSack ? sack : '0;
    if (waiting.has_options) begin
      m_segment.segment.options = segment_options;
      if (waiting.flags.syn) begin
        m_segment.segment.mss = mss;
      end else begin
        m_segment.segment.options.has_window_scale = 1'b0;
        m_segment.segment.options.window_scale     = '0;
        m_segment.segment.options.sack_permitted   = 1'b0;
      end
    end
    if (waiting.has_sack) m_segment.sack_count = sack_count;
    if (!HasSack) m_segment.segment.options.sack_permitted = 1'b0;
    if (!HasTimestamps) begin
      m_segment.segment.options.has_timestamps = 1'b0;
      m_segment.segment.options.ts_value       = '0;
      m_segment.segment.options.ts_echo        = '0;
    end
    if (!HasWindowScale) begin
      m_segment.segment.options.has_window_scale = 1'b0;
      m_segment.segment.options.window_scale     = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (waiting_taken) verdict_given_q <= 1'b0;
    else if (verdict_valid && verdict_ready) verdict_given_q <= 1'b1;

    count_tcp_segments_in_o   <= waiting_taken && good;
    count_drop_tcp_header_o   <= waiting_taken && !waiting.error && waiting.bad_header;
    count_drop_tcp_checksum_o <= waiting_taken && !waiting.error && !waiting.bad_header
        && !sum_good;

    if (rst) begin
      verdict_given_q           <= 1'b0;
      count_tcp_segments_in_o   <= 1'b0;
      count_drop_tcp_header_o   <= 1'b0;
      count_drop_tcp_checksum_o <= 1'b0;
    end
  end

  assign kind_payload_o = in_payload;
  assign kind_valid_o   = beat_valid && beat_taken && (in_payload ? !started_q : last);
  assign ended_bad_o    = record.error || record.bad_header;
  assign ended_valid_o  = record_needed && beat_taken;
  assign summed_good_o  = sum_ones;
  assign summed_valid_o = sum_valid;

  tcp_receive_payload #(
    .DataWidth(DataWidth),
    .FifoBeats(PayloadFifoBeats),
    .Tap      (Tap)
  ) payload (
    .clk,
    .rst,
    .s_skip         ({payload_lane, 2'b00}),
    .s_data         (held.data),
    .s_keep         (held.keep),
    .s_last         (last),
    .s_valid        (beat_valid && in_payload && others_ready),
    .s_ready        (payload_ready),
    .s_verdict_drop (!good),
    .s_verdict_valid(verdict_valid),
    .s_verdict_ready(verdict_ready),
    .m_tap_data,
    .m_tap_keep,
    .m_tap_last,
    .m_tap_valid,
    .m_tap_ready,
    .m_data         (m_payload_data),
    .m_keep         (m_payload_keep),
    .m_last         (m_payload_last),
    .m_valid        (m_payload_valid),
    .m_ready        (m_payload_ready)
  );

endmodule
