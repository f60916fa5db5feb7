// SPDX-License-Identifier: Apache-2.0

// Reads packets from byte rings: the counterpart of ring_writer.
//
// A command makes one packet of the `length` bytes from byte `offset` of the id's ring on, around
// its end where it has to be, with its first byte in lane 0. length is at least 1.
//
// Latency    the memory's own plus 3 clocks from the command to the first beat, one more where this
//            beat takes bytes of two words, one more from 256 bits on.
// Throughput 1 beat a clock, packets back to back, as long as Window covers the memory's latency
//            plus 3; a packet that lies across one word more than it has beats takes one clock more.
// Paths      m_* are registers; m_request_* follow the command combinationally where a packet
//            begins, and s_command_ready follows m_request_ready.
//
// At most Window requests are without their response, and responses are never refused.
module ring_reader #(
  parameter  int DataWidth    = 64,
  parameter  int Connections  = 64,
  parameter  int RingBytes    = 2048,
  parameter  int Window       = 8,
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth  = $clog2(RingBytes),
  localparam int AddressWidth = $clog2(Connections) + $clog2(RingBytes / Lanes)
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [     IdWidth-1:0] s_command_id,
  input  logic [ OffsetWidth-1:0] s_command_offset,
  input  logic [            15:0] s_command_length,
  input  logic                    s_command_valid,
  output logic                    s_command_ready,

  output logic [AddressWidth-1:0] m_request_address,
  output logic                    m_request_valid,
  input  logic                    m_request_ready,

  input  logic [   DataWidth-1:0] s_response_data,
  input  logic                    s_response_valid,

  output logic [   DataWidth-1:0] m_data,
  output logic [       Lanes-1:0] m_keep,
  output logic                    m_last,
  output logic                    m_valid,
  input  logic                    m_ready
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
  if (Window < 4) begin : gen_check_window
    $error("Window must be at least 4.");
  end

  localparam int LaneBits = $clog2(Lanes);
  localparam int WordBits = OffsetWidth - LaneBits;

  // One for each word asked for: what of it belongs to the packet.
  typedef struct packed {
    logic                last;
    logic [LaneBits-1:0] skip;       // lanes before the packet, in its first word
    logic [LaneBits-1:0] last_lane;  // in its last word
  } slice_t;

  // Requests. The first word's goes out with the command, the others follow from registers.

  logic busy_q;
  logic [IdWidth-1:0] id_q;
  logic [WordBits-1:0] word_q;
  logic [16:LaneBits] words_left_q;  // after the one to be requested now
  logic [LaneBits-1:0] skip_q, last_lane_q;

  logic [16:0] last_byte;  // counted from the first word's lane 0
  logic [LaneBits:0] short_end;  // behind a packet that is not longer than a word
  logic in_one_word;  // known without the sum of all bits
  logic [IdWidth-1:0] id;
  logic [WordBits-1:0] word;
  logic [16:LaneBits] words_left;
  slice_t slice, slice_q;
  logic slice_ready, slice_valid_q, queue_ready, request;

  assign last_byte = 17'(s_command_length) + 17'(s_command_offset[LaneBits-1:0]) - 17'd1;

  assign short_end = (LaneBits + 1)'(s_command_length[LaneBits-1:0])
      + (LaneBits + 1)'(s_command_offset[LaneBits-1:0]);
  assign in_one_word = s_command_length[15:LaneBits] == '0
      ? short_end <= (LaneBits + 1)'(Lanes)
      : s_command_length == 16'(Lanes) && s_command_offset[LaneBits-1:0] == '0;

  assign id         = busy_q ? id_q : s_command_id;
  assign word       = busy_q ? word_q : s_command_offset[OffsetWidth-1:LaneBits];
  assign words_left = busy_q ? words_left_q : last_byte[16:LaneBits];
  assign slice      = '{
      last: busy_q ? words_left_q == '0 : in_one_word,
      skip: busy_q ? skip_q : s_command_offset[LaneBits-1:0],
      last_lane: busy_q ? last_lane_q : last_byte[LaneBits-1:0]
  };

  assign m_request_address = AddressWidth'({id, word});
  assign m_request_valid   = (busy_q || s_command_valid) && slice_ready;
  assign request           = m_request_valid && m_request_ready;
  assign s_command_ready   = !busy_q && slice_ready && m_request_ready;

  always_ff @(posedge clk) begin
    if (request) begin
      busy_q       <= !slice.last;
      word_q       <= word + 1'b1;
      words_left_q <= words_left - 1'b1;
    end
    // What stays the same is loaded before it is known whether the request is taken.
    if (!busy_q) begin
      id_q        <= s_command_id;
      skip_q      <= s_command_offset[LaneBits-1:0];
      last_lane_q <= last_byte[LaneBits-1:0];
    end

    if (rst) busy_q <= 1'b0;
  end

  // A word has a place in both queues from its request on, so its response always finds room. Of the
  // slices' places one is in front of the queue: whether a request is taken is known late, and is one bit there.

  assign slice_ready = !slice_valid_q || queue_ready;

  always_ff @(posedge clk) begin
    if (slice_ready) begin
      slice_q       <= slice;
      slice_valid_q <= request;
    end

    if (rst) slice_valid_q <= 1'b0;
  end

  slice_t wanted;
  logic [DataWidth-1:0] word_data;
  logic slice_valid, word_valid, word_taken, realign_ready, unused_word_ready;
  logic [$clog2(Window+1)-1:0] unused_word_count;
  logic [$clog2(Window)-1:0] unused_slice_count;

  stream_fifo #(
    .T       (slice_t),
    .Depth   (Window - 1),
    .BlockRam(0),
    .Straight(1'b0)         // no word comes in the two clocks after its request
  ) slice_queue (
    .clk,
    .rst,
    .s_data (slice_q),
    .s_valid(slice_valid_q),
    .s_ready(queue_ready),
    .m_data (wanted),
    .m_valid(slice_valid),
    .m_ready(word_taken),
    .count_o(unused_slice_count)
  );

  stream_fifo #(
    .T       (logic [DataWidth-1:0]),
    .Depth   (Window),
    .BlockRam(Window > 32 ? 2 : 0)
  ) word_queue (
    .clk,
    .rst,
    .s_data (s_response_data),
    .s_valid(s_response_valid),
    .s_ready(unused_word_ready),
    .m_data (word_data),
    .m_valid(word_valid),
    .m_ready(word_taken),
    .count_o(unused_word_count)
  );

  assign word_taken = word_valid && slice_valid && realign_ready;

  stream_realign #(
    .DataWidth(DataWidth)
  ) realign (
    .clk,
    .rst,
    .s_skip (wanted.skip),
    .s_lead ('0),
    .s_data (word_data),
    .s_keep (wanted.last ? Lanes'(stream_pkg::lanes_below(
        stream_pkg::lane_count_t'(wanted.last_lane) + 1'b1)) : '1),
    .s_last (wanted.last),
    .s_valid(word_valid && slice_valid),
    .s_ready(realign_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

endmodule
