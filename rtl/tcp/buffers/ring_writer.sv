// SPDX-License-Identifier: Apache-2.0

// Stores packets in byte rings: one ring of RingBytes for each id, side by side in one memory.
//
// A command takes the next packet: its first `skip` bytes are dropped, the `length` bytes behind
// them are stored from byte `offset` of the id's ring on, around its end where it has to be, and
// what is left of the packet is dropped. A packet may be shorter than its command says: what there
// is of it is stored. Length 0 drops the whole packet.
//
// Latency    2 clocks from a beat to its word, one more from 256 bits on and where it shares the
//            word with the next beat; 3 (4) from the last beat to m_done, likewise.
// Throughput 1 beat a clock, packets back to back; a packet that lies across one word more than it
//            has beats takes one clock more.
// Paths      m_write_valid and m_done_* are functions of registers. s_ready follows s_keep where
//            the stored bytes begin, s_command_ready follows s_valid and s_last, and nothing else
//            combinationally.
//
// m_done comes once for each command, in order, when the last word has been handed over: a request
// to the memory made from then on sees the bytes. m_done_length is the number of bytes stored;
// m_done_tag is the command's.
module ring_writer #(
  parameter  int DataWidth    = 64,
  parameter  int Connections  = 64,
  parameter  int RingBytes    = 2048,
  parameter  int TagWidth     = 1,
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth  = $clog2(RingBytes),
  localparam int AddressWidth = $clog2(Connections) + $clog2(RingBytes / Lanes)
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [     IdWidth-1:0] s_command_id,
  input  logic [ OffsetWidth-1:0] s_command_offset,
  input  logic [            15:0] s_command_skip,
  input  logic [            15:0] s_command_length,
  input  logic [    TagWidth-1:0] s_command_tag,
  input  logic                    s_command_valid,
  output logic                    s_command_ready,

  input  logic [   DataWidth-1:0] s_data,
  input  logic [       Lanes-1:0] s_keep,
  input  logic                    s_last,
  input  logic                    s_valid,
  output logic                    s_ready,

  output logic [AddressWidth-1:0] m_write_address,
  output logic [   DataWidth-1:0] m_write_data,
  output logic [       Lanes-1:0] m_write_strobe,
  output logic                    m_write_valid,
  input  logic                    m_write_ready,

  output logic [            15:0] m_done_length,
  output logic [    TagWidth-1:0] m_done_tag,
  output logic                    m_done_valid,
  input  logic                    m_done_ready
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end
  if (2 ** $clog2(RingBytes) != RingBytes) begin : gen_check_ring_bytes
    $error("RingBytes must be a power of two.");
  end
  if (RingBytes < 2 * Lanes || RingBytes > 1048576) begin : gen_check_ring_size
    $error("RingBytes must be at least two words, at most 1 MiB.");
  end
  if (2 ** $clog2(Connections) != Connections || Connections < 1) begin : gen_check_connections
    $error("Connections must be a power of two.");
  end

  localparam int LaneBits = $clog2(Lanes);
  localparam int WordBits = OffsetWidth - LaneBits;
  localparam int QueueDepth = 4;  // packets between trimming and memory

  typedef struct packed {
    logic [IdWidth-1:0]  id;
    logic [WordBits-1:0] word;
  } place_t;

  typedef struct packed {
    logic                empty;  // nothing of the packet is stored
    logic [15:0]         length;
    logic [TagWidth-1:0] tag;
  } result_t;

  // The command in work. Both counts go down as beats come in.

  logic active_q;
  logic started_q;  // a beat of this packet has gone to the realigner
  logic ended_q;    // all that is to be stored has
  logic skipping_q;  // skip_beats_q is not 0
  logic [15:LaneBits] skip_beats_q;
  logic [16:0] left_q;  // bytes of the beats to be stored, the skipped ones in the first included
  logic short_q;  // left_q is no more than a beat
  logic [LaneBits-1:0] skip_lanes_q;
  logic [LaneBits-1:0] lead_q;
  // Bytes of this packet that have gone to the realigner, less the skipped ones of the first beat, so
  // below 0 before it: whole beats, and lanes, which stay as they are.
  logic [15:LaneBits] beats_q;
  logic [LaneBits-1:0] beat_lanes_q;
  logic [TagWidth-1:0] tag_q;
  place_t place_q;

  // Trim the packet to the beats that are to be stored.

  logic wanted, first_beat, result_needed;
  logic realign_valid, realign_ready, place_ready, result_ready;
  logic beat, trimmed_last;
  logic [Lanes-1:0] trimmed_keep;
  logic [15:0] stored;
  result_t result;

  // A packet that ends within the bytes to be skipped has nothing to store.
  assign wanted = !skipping_q && !ended_q && (started_q || s_keep[skip_lanes_q]);

  assign trimmed_keep = short_q
      ? s_keep & Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(left_q))) : s_keep;
  assign trimmed_last = s_last || short_q;
  assign first_beat   = wanted && !started_q;

  // The result is known with the last beat stored, or at the end of a packet that has none.
  assign result_needed = wanted ? trimmed_last : s_last && !started_q;

  assign s_ready = active_q && result_ready && place_ready && (!wanted || realign_ready);
  assign beat    = s_valid && s_ready;

  assign realign_valid = s_valid && active_q && result_ready && place_ready && wanted;

  assign stored = {beats_q, beat_lanes_q}
      + 16'(stream_pkg::lanes_used(stream_pkg::lanes_t'(trimmed_keep)));
  assign result = '{empty: !wanted, length: wanted ? stored : '0, tag: tag_q};

  logic [16:0] command_left;
  assign command_left = 17'(s_command_length) + 17'(s_command_skip[LaneBits-1:0]);

  // The next command comes with the last beat. Whether that is stored is known late, so nobody asks:
  // where the beat has to wait for the realigner if it is, the command waits if it is not, too.
  assign s_command_ready = !active_q
      || (s_valid && s_last && result_ready && place_ready && realign_ready);

  always_ff @(posedge clk) begin
    if (s_command_valid && s_command_ready) begin
      active_q     <= 1'b1;
      started_q    <= 1'b0;
      ended_q      <= s_command_length == '0;
      skipping_q   <= s_command_skip[15:LaneBits] != '0;
      skip_beats_q <= s_command_skip[15:LaneBits];
      skip_lanes_q <= s_command_skip[LaneBits-1:0];
      left_q       <= command_left;
      short_q      <= command_left <= 17'(Lanes);
      lead_q       <= s_command_offset[LaneBits-1:0];
      beats_q      <= s_command_skip[LaneBits-1:0] != '0 ? '1 : '0;
      beat_lanes_q <= -s_command_skip[LaneBits-1:0];
      tag_q        <= s_command_tag;
      place_q      <= '{id: s_command_id, word: s_command_offset[OffsetWidth-1:LaneBits]};
    end else if (beat) begin
      active_q <= !s_last;
      skipping_q   <= skip_beats_q[15:LaneBits+1] != '0;
      if (skipping_q) skip_beats_q <= skip_beats_q - 1'b1;
      if (wanted) begin
        started_q            <= 1'b1;
        ended_q              <= trimmed_last;
        beats_q              <= beats_q + 1'b1;
        left_q[16:LaneBits]  <= left_q[16:LaneBits] - 1'b1;
        short_q              <= left_q <= 17'(2 * Lanes);
      end
    end

    if (rst) active_q <= 1'b0;
  end

  // Move the bytes to the lanes that they have in the ring.

  logic [DataWidth-1:0] word_data;
  logic [Lanes-1:0] word_keep;
  logic word_last, word_valid, word_ready;

  stream_realign #(
    .DataWidth(DataWidth)
  ) realign (
    .clk,
    .rst,
    .s_skip (skip_lanes_q),
    .s_lead (lead_q),
    .s_data,
    .s_keep (trimmed_keep),
    .s_last (trimmed_last),
    .s_valid(realign_valid),
    .s_ready(realign_ready),
    .m_data (word_data),
    .m_keep (word_keep),
    .m_last (word_last),
    .m_valid(word_valid),
    .m_ready(word_ready)
  );

  // Where its first word goes, and what to report, wait for the packet at the other end.

  place_t place;
  result_t done, next_done;
  logic next_done_valid, next_done_ready;
  logic place_valid, place_taken, done_valid, done_taken;
  logic [$clog2(QueueDepth+1)-1:0] unused_place_count, unused_result_count;

  stream_fifo #(
    .T       (place_t),
    .Depth   (QueueDepth),
    .BlockRam(0),
    .Straight(1'b0)
  ) place_queue (
    .clk,
    .rst,
    .s_data (place_q),
    .s_valid(beat && first_beat),
    .s_ready(place_ready),
    .m_data (place),
    .m_valid(place_valid),
    .m_ready(place_taken),
    .count_o(unused_place_count)
  );

  stream_fifo #(
    .T       (result_t),
    .Depth   (QueueDepth),
    .BlockRam(0)
  ) result_queue (
    .clk,
    .rst,
    .s_data (result),
    .s_valid(beat && result_needed),
    .s_ready(result_ready),
    .m_data (next_done),
    .m_valid(next_done_valid),
    .m_ready(next_done_ready),
    .count_o(unused_result_count)
  );

  // Whether a word is the last is known late, so taking a result turns one bit.
  stream_register #(
    .T   (result_t),
    .Wide(1'b1)
  ) done_register (
    .clk,
    .rst,
    .s_data (next_done),
    .s_valid(next_done_valid),
    .s_ready(next_done_ready),
    .m_data (done),
    .m_valid(done_valid),
    .m_ready(done_taken)
  );

  // Words go to consecutive places of the ring. The last one takes the result along, so it waits
  // while the result before it has not been taken.

  logic inner_q;  // not the packet's first word
  logic [WordBits-1:0] word_q, word;
  logic report_free, write_possible, write_last;

  assign write_possible = word_valid && place_valid
      && (!word_last || (report_free && done_valid && !done.empty));

  assign word            = inner_q ? word_q : place.word;
  assign m_write_address = AddressWidth'({place.id, word});
  assign m_write_data    = word_data;
  assign m_write_strobe  = word_keep;
  assign m_write_valid   = write_possible;
  assign word_ready      = write_possible && m_write_ready;
  assign write_last      = word_valid && word_ready && word_last;
  assign place_taken     = write_last;
  assign done_taken      = write_last || (done_valid && done.empty && report_free);

  always_ff @(posedge clk) begin
    if (word_ready) begin
      inner_q <= !word_last;
      word_q  <= word + 1'b1;
    end

    if (rst) inner_q <= 1'b0;
  end

  result_t report;
  logic unused_empty;

  stream_register #(
    .T(result_t)
  ) report_register (
    .clk,
    .rst,
    .s_data (done),
    .s_valid(done_taken),
    .s_ready(report_free),
    .m_data (report),
    .m_valid(m_done_valid),
    .m_ready(m_done_ready)
  );

  assign unused_empty  = report.empty;
  assign m_done_length = report.length;
  assign m_done_tag    = report.tag;

endmodule
