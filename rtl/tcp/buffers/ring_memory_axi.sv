// SPDX-License-Identifier: Apache-2.0

// Memory behind a ring_writer and a ring_reader that lies in DRAM: the same ports as ring_memory, and
// bursts on its other side (burst_memory_pkg; axi_burst_port puts them on AXI4).
//
// Latency    the memory's own, and at most 6 clocks here if no write of the same block is under way.
//            A run of requests goes out when it ends, or at the end of its block, but not in the clock
//            after its first one: then it is known whether it has to wait for a write.
// Throughput one word written and one word read a clock; requests that no other follows, one in 2.
// Paths      s_request_ready and s_write_ready follow the address combinationally. m_response_* are
//            s_read_*.
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
  parameter  int          Writes       = 32,   // bursts to write under way
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
  localparam int WordDepth = 2 * MaxBeats + 8;

  if (2 ** $clog2(BurstBytes) != BurstBytes || BurstBytes > 4096) begin : gen_check_burst
    $error("BurstBytes must be a power of two, at most 4096.");
  end
  if (MaxBeats < 2 || MaxBeats > 256) begin : gen_check_beats
    $error("BurstBytes must be 2 to 256 words.");
  end
  if (AddressWidth <= BeatBits || AddressWidth + WordBits > 40) begin : gen_check_address
    $error("AddressWidth must cover more than a burst, and less than 2^40 bytes.");
  end
  if (2 ** $clog2(Writes) != Writes || Writes < 2) begin : gen_check_writes
    $error("Writes must be a power of two, at least 2.");
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

  run_t grown_q, ended, leaving;
  address_t after_grown_q;
  logic growing_q, write_extends, close, ended_ready, word_ready, write;
  logic [$clog2(IdleClocks)-1:0] idle_q;
  logic leaving_valid, leaving_ready, word_valid, word_taken;
  word_t word;
  logic [$clog2(WordDepth+1)-1:0] unused_word_count;
  logic [$clog2(4+1)-1:0] unused_ended_count;

  // The blocks that are being written, in the order in which they will be answered.
  block_t blocks_q[Writes];
  logic [Writes-1:0] written_q;  // not yet
  logic [SlotWidth-1:0] first_slot_q, next_slot_q;
  logic [SlotWidth:0] slots_taken_q;
  logic slot_free, begins;

  assign slot_free     = !slots_taken_q[SlotWidth];
  assign write_extends = growing_q && follows(after_grown_q, s_write_address);
  assign s_write_ready = word_ready
      && (write_extends || ((!growing_q || ended_ready) && slot_free));
  assign write         = s_write_valid && s_write_ready;
  assign close         = growing_q && ended_ready
      && ((s_write_valid && !write_extends) || (!s_write_valid && idle_q == '1)
          || grown_q.more == beat_t'(MaxBeats - 1));
  assign ended         = grown_q;
  assign begins        = write && !write_extends;

  always_ff @(posedge clk) begin
    if (write) begin
      after_grown_q <= s_write_address + 1'b1;
      grown_q <= write_extends ?
      '{first: grown_q.first, more: grown_q.more + 1'b1}
      :
      '{first: s_write_address, more: '0};
    end
    growing_q <= write || (growing_q && !close);
    if (write) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;

    slots_taken_q <= slots_taken_q + (SlotWidth + 1)'(begins) - (SlotWidth + 1)'(s_written_i);
    // A slot that is free may hold anything: whether a block begins is known late, and goes to hundreds
    // of bits.
    if (slot_free) blocks_q[next_slot_q] <= block_t'(s_write_address >> BeatBits);
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
    .s_data ('{data: s_write_data, strobe: s_write_strobe}),
    .s_valid(s_write_valid && s_write_ready),
    .s_ready(word_ready),
    .m_data (word),
    .m_valid(word_valid),
    .m_ready(word_taken),
    .count_o(unused_word_count)
  );

  stream_fifo #(
    .T       (run_t),
    .Depth   (4),
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
    .count_o(unused_ended_count)
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

  run_t asked_q;
  address_t after_asked_q;
  logic asking_q, read_extends, collides, go, read_ready;
  logic may_go_q;  // as it was found a clock ago, when the run was there already

  always_comb begin
    collides = 1'b0;
    for (int i = 0; i < Writes; i++) begin
      collides |= written_q[i] && blocks_q[i] == block_t'(asked_q.first >> BeatBits);
    end
  end

  assign read_extends    = asking_q && follows(after_asked_q, s_request_address);
  assign go              = may_go_q && read_ready && !(s_request_valid && read_extends);
  assign s_request_ready = !asking_q || read_extends || (read_ready && may_go_q);

  always_ff @(posedge clk) begin
    may_go_q <= asking_q && !collides && !go;
    if (s_request_valid && s_request_ready) begin
      after_asked_q <= s_request_address + 1'b1;
      asked_q  <= read_extends ? '{first: asked_q.first, more: asked_q.more + 1'b1}
                               : '{first: s_request_address, more: '0};
      asking_q <= 1'b1;
    end else if (go) begin
      asking_q <= 1'b0;
    end

    if (rst) begin
      asking_q <= 1'b0;
      may_go_q <= 1'b0;
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
