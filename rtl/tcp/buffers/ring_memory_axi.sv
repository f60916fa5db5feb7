// SPDX-License-Identifier: Apache-2.0

// Memory behind a ring_writer and a ring_reader that lies in DRAM: the same ports as ring_memory, and
// bursts on its other side (burst_memory_pkg; axi_burst_port puts them on AXI4).
//
// Latency    the memory's own, and at most 8 clocks here for a request that finds no other one before it,
//            and no write of the same block under way.
//            A run of requests goes out when it ends, or at the end of its block, but not in the two
//            clocks after its first one: then it is known whether it has to wait for a write.
// Throughput one word written and one word read a clock; requests that no other follows, one in 3.
// Paths      m_response_* are s_read_*; every other output follows registers alone. s_write_ready and
//            s_request_ready are registers.
//
// Words that follow each other become one burst, both ways, within an aligned block of BurstBytes
// (at most 4 KiB: bursts of AXI4 do not cross that). A request sees every write taken before it: a
// burst to read waits until the bursts to write in its block have been answered. s_written_i tells so,
// burst for burst in their order; s_read_* brings the words of all bursts to read in theirs, and is
// never refused.
module ring_memory_axi
  import burst_memory_pkg::*;
#(
  parameter  int          DataWidth    = 64,
  parameter  int          AddressWidth = 14,   // of words
  parameter  int          BaseMiB      = 0,    // where the first word lies
  parameter  int          BurstBytes   = 256,
  parameter  int          Writes       = 32,   // bursts to write; one less may be under way
  localparam int          Lanes        = DataWidth / 8
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [AddressWidth-1:0] s_write_address,
  input  logic [   DataWidth-1:0] s_write_data,
  input  logic [       Lanes-1:0] s_write_strobe,
  input  logic                    s_write_valid,
  output logic                    s_write_ready,

  input  logic [AddressWidth-1:0] s_request_address,
  input  logic                    s_request_valid,
  output logic                    s_request_ready,

  output logic [   DataWidth-1:0] m_response_data,
  output logic                    m_response_valid,

  output burst_t                  m_read_burst,
  output logic                    m_read_burst_valid,
  input  logic                    m_read_burst_ready,
  input  logic [   DataWidth-1:0] s_read_data,
  input  logic                    s_read_valid,

  output burst_t                  m_write_burst,
  output logic                    m_write_burst_valid,
  input  logic                    m_write_burst_ready,
  output logic [   DataWidth-1:0] m_write_data,
  output logic [       Lanes-1:0] m_write_strobe,
  output logic                    m_write_last,
  output logic                    m_write_valid,
  input  logic                    m_write_ready,
  input  logic                    s_written_i
);

  localparam int WordBits = $clog2(Lanes);
  localparam int MaxBeats = BurstBytes / Lanes;
  localparam int BeatBits = $clog2(MaxBeats);
  localparam int BlockWidth = AddressWidth - BeatBits;
  localparam int SlotWidth = $clog2(Writes);
  localparam int IdleClocks = 4;  // a burst to write waits so long for its next word
  localparam int Ahead = 4;  // addresses that go out before their words
  localparam int Taken = 3;  // words that still come when there is no room for more
  localparam int RunDepth = 4 + Taken;
  localparam int WordDepth = 2 * MaxBeats + 8 + Taken;

  if (2 ** $clog2(BurstBytes) != BurstBytes || BurstBytes > 4096) begin : gen_check_burst
    $error("BurstBytes must be a power of two, at most 4096.");
  end
  if (MaxBeats < 2 || MaxBeats > 256) begin : gen_check_beats
    $error("BurstBytes must be 2 to 256 words.");
  end
  if (AddressWidth <= BeatBits || AddressWidth + WordBits > 40) begin : gen_check_address
    $error("AddressWidth must cover more than a burst, and less than 2^40 bytes.");
  end
  if (2 ** $clog2(Writes) != Writes || Writes < 4) begin : gen_check_writes
    $error("Writes must be a power of two, at least 4.");
  end

  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [BlockWidth-1:0] block_t;
  typedef logic [BeatBits-1:0] beat_t;

  // A burst that grows: its first word, and how many words follow that one.
  typedef struct packed {
    address_t first;
    beat_t    more;
  } run_t;

  function automatic burst_t burst(input run_t run);
    return
    '{address: {20'(BaseMiB), 20'd0} + 40'({run.first, WordBits'(0)}), length: 8'(run.more)}
    ;
  endfunction

  // True when the word at that address is the one after a run, and not the first of a block.
  function automatic logic follows(input address_t after, input address_t address);
    return address == after && beat_t'(address) != '0;
  endfunction

  // ---- Writing. Words wait in a queue until their burst is known.

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [Lanes-1:0]     strobe;
  } word_t;

  // A word is taken without a look at it: there is room for what it may need. A clock later it goes
  // where it belongs, and nothing holds it up there.
  address_t after_taken_q, address_q;
  word_t word_q;
  logic room_q, taken_q, follows_q;
  logic waits_q;  // a word, for room

  run_t grown_q, ended, leaving;
  logic growing_q, write_extends, close, ended_ready;
  logic [$clog2(IdleClocks)-1:0] idle_q;
  logic leaving_valid, leaving_ready, word_valid, word_taken, unused_word_ready;
  word_t word;
  logic [$clog2(WordDepth+1)-1:0] word_count;
  logic [$clog2(RunDepth+1)-1:0] ended_count;

  // The blocks that are being written, in the order in which they will be answered.
  block_t blocks_q[Writes];
  logic [Writes-1:0] written_q;  // not yet
  logic [SlotWidth-1:0] first_slot_q, next_slot_q;
  logic [SlotWidth:0] slots_taken_q;
  logic begins;

  assign s_write_ready = room_q;
  assign write_extends = growing_q && follows_q;
  assign begins        = taken_q && !write_extends;
  assign close         = growing_q && ended_ready
      && (begins || (!taken_q && !waits_q && idle_q == '1)
          || grown_q.more == beat_t'(MaxBeats - 1));
  assign ended         = grown_q;

  always_ff @(posedge clk) begin
    room_q <= word_count <= ($bits(word_count))'(WordDepth - Taken)
        && ended_count <= ($bits(ended_count))'(RunDepth - Taken)
        && slots_taken_q <= (SlotWidth + 1)'(Writes - Taken - 1);
    taken_q <= s_write_valid && room_q;
    waits_q <= s_write_valid && !room_q;
    if (s_write_valid && room_q) after_taken_q <= s_write_address + 1'b1;
    address_q <= s_write_address;
    follows_q <= follows(after_taken_q, s_write_address);
    word_q    <= '{data: s_write_data, strobe: s_write_strobe};

    if (rst) begin
      room_q  <= 1'b0;
      taken_q <= 1'b0;
      waits_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (taken_q) begin
      grown_q <= write_extends ?
      '{first: grown_q.first, more: grown_q.more + 1'b1}
      :
      '{first: address_q, more: '0};
    end
    growing_q <= taken_q || (growing_q && !close);
    if (taken_q) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;

    slots_taken_q <= slots_taken_q + (SlotWidth + 1)'(begins) - (SlotWidth + 1)'(s_written_i);
    // One slot is free at all times, and may hold anything: this goes to hundreds of bits.
    blocks_q[next_slot_q] <= block_t'(address_q >> BeatBits);
    if (begins) begin
      written_q[next_slot_q] <= 1'b1;
      next_slot_q            <= next_slot_q + 1'b1;
    end
    if (s_written_i) begin
      written_q[first_slot_q] <= 1'b0;
      first_slot_q            <= first_slot_q + 1'b1;
    end

    if (rst) begin
      growing_q     <= 1'b0;
      written_q     <= '0;
      slots_taken_q <= '0;
      first_slot_q  <= '0;
      next_slot_q   <= '0;
    end
  end

  stream_fifo #(
    .T       (word_t),
    .Depth   (WordDepth),
    .BlockRam(WordDepth > 32 ? 2 : 0)
  ) words (
    .clk,
    .rst,
    .s_data (word_q),
    .s_valid(taken_q),
    .s_ready(unused_word_ready),
    .m_data (word),
    .m_valid(word_valid),
    .m_ready(word_taken),
    .count_o(word_count)
  );

  stream_fifo #(
    .T       (run_t),
    .Depth   (RunDepth),
    .BlockRam(0)
  ) runs (
    .clk,
    .rst,
    .s_data (ended),
    .s_valid(close),
    .s_ready(ended_ready),
    .m_data (leaving),
    .m_valid(leaving_valid),
    .m_ready(leaving_ready),
    .count_o(ended_count)
  );

  // Addresses go ahead of words, which are all here when a run has ended: between two bursts the bus
  // does not wait for the next address on its way to the memory.
  beat_t length, sent_q;
  logic length_ready, length_valid, last_goes;
  logic [$clog2(Ahead+1)-1:0] unused_length_count;

  stream_fifo #(
    .T       (beat_t),
    .Depth   (Ahead),
    .BlockRam(0)
  ) lengths (
    .clk,
    .rst,
    .s_data (leaving.more),
    .s_valid(leaving_valid && m_write_burst_ready),
    .s_ready(length_ready),
    .m_data (length),
    .m_valid(length_valid),
    .m_ready(last_goes),
    .count_o(unused_length_count)
  );

  assign m_write_burst       = burst(leaving);
  assign m_write_burst_valid = leaving_valid && length_ready;
  assign leaving_ready       = m_write_burst_ready && length_ready;
  assign m_write_data        = word.data;
  assign m_write_strobe      = word.strobe;
  assign m_write_last        = sent_q == length;
  assign m_write_valid       = length_valid && word_valid;
  assign word_taken          = length_valid && m_write_ready;
  assign last_goes           = m_write_valid && m_write_ready && m_write_last;

  always_ff @(posedge clk) begin
    if (m_write_valid && m_write_ready) sent_q <= m_write_last ? '0 : sent_q + 1'b1;

    if (rst) sent_q <= '0;
  end

  // ---- Reading. A run goes out when no request makes it longer, and nothing is written there.

  typedef struct packed {
    address_t address;
    logic     follows;  // the request before it
  } request_t;

  request_t request;
  address_t after_request_q;
  logic request_valid, request_ready;

  stream_register #(
    .T   (request_t),
    .Wide(1'b1)
  ) request_register (
    .clk,
    .rst,
    .s_data ('{address: s_request_address, follows: follows(after_request_q, s_request_address)}),
    .s_valid(s_request_valid),
    .s_ready(s_request_ready),
    .m_data (request),
    .m_valid(request_valid),
    .m_ready(request_ready)
  );

  always_ff @(posedge clk) begin
    if (s_request_valid && s_request_ready) after_request_q <= s_request_address + 1'b1;
  end

  run_t asked_q;
  logic asking_q, read_extends, starts, go, read_ready;
  logic [Writes-1:0] meets_q;  // of the blocks that are being written, as of a clock ago
  logic compared_q;  // with the run that is there now
  logic may_go_q;  // as it was found another clock ago

  assign read_extends  = asking_q && request.follows;
  assign go            = may_go_q && read_ready && !(request_valid && read_extends);
  assign request_ready = !asking_q || read_extends || (read_ready && may_go_q);
  assign starts        = request_valid && request_ready && !read_extends;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Writes; i++) begin
      meets_q[i] <= written_q[i] && blocks_q[i] == block_t'(asked_q.first >> BeatBits);
    end
    compared_q <= asking_q && !starts && !go;
    may_go_q   <= compared_q && meets_q == '0 && !go;
    if (request_valid && request_ready) begin
      asked_q  <= read_extends ? '{first: asked_q.first, more: asked_q.more + 1'b1}
                               : '{first: request.address, more: '0};
      asking_q <= 1'b1;
    end else if (go) begin
      asking_q <= 1'b0;
    end

    if (rst) begin
      asking_q   <= 1'b0;
      compared_q <= 1'b0;
      may_go_q   <= 1'b0;
    end
  end

  stream_register #(
    .T(burst_t)
  ) read_register (
    .clk,
    .rst,
    .s_data (burst(asked_q)),
    .s_valid(go),
    .s_ready(read_ready),
    .m_data (m_read_burst),
    .m_valid(m_read_burst_valid),
    .m_ready(m_read_burst_ready)
  );

  assign m_response_data  = s_read_data;
  assign m_response_valid = s_read_valid;

endmodule
