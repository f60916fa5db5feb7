// SPDX-License-Identifier: Apache-2.0

// The buckets of tuple_index in far memory: reads them for lookups and for movers, and writes
// entries. A bucket is one line. Which ones have ever been written is known on chip, a bit each, so
// memory needs no clearing, and an empty bucket costs no read.
//
// Latency    2 clocks from a request to m_line, and 2 from the response to what was found.
// Throughput one request in 2 clocks.
// Order      a request sees all writes whose requests were taken before it.
// Start      after reset the bits are cleared, 64 a clock, until init_done_o.
module tuple_buckets
  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import tuple_index_pkg::*;
#(
  parameter  int Slots       = 32,
  parameter  int BucketWidth = 18,
  parameter  int Movers      = 4,
  localparam int SlotWidth   = $clog2(Slots),
  localparam int MoverWidth  = Movers > 1 ? $clog2(Movers) : 1
) (
  input  logic                   clk,
  input  logic                   rst,
  output logic                   init_done_o,

  // For lookups, at most one for each slot: its bucket is searched for its tuple.
  input  logic [  SlotWidth-1:0] s_read_slot,
  input  logic [BucketWidth-1:0] s_read_bucket,
  input  logic                   s_read_valid,
  output logic [  SlotWidth-1:0] asked_slot_o,
  input  tuple_t                 asked_tuple_i,
  output logic [  SlotWidth-1:0] m_found_slot,
  output finding_t               m_found,
  output logic                   m_found_valid,
  input  logic                   m_found_ready,

  // For movers: one read of each at a time, and writes of one entry.
  input  logic                   s_move_write,
  input  logic [ MoverWidth-1:0] s_move_mover,
  input  logic [BucketWidth-1:0] s_move_bucket,
  input  place_t                 s_move_place,
  input  bucket_entry_t          s_move_entry,
  input  logic                   s_move_valid,
  output logic                   s_move_ready,
  output bucket_t                move_bucket_o,
  output logic [ MoverWidth-1:0] move_mover_o,
  output logic                   move_valid_o,

  output line_request_t          m_line,
  output logic                   m_line_valid,
  input  logic                   m_line_ready,
  // A bucket has some spare bits, and a write's response no data.
  // verilator lint_off UNUSEDSIGNAL
  input  line_response_t         s_line,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                   s_line_valid,

  output logic                   read_o  // a bucket is asked for a lookup
);

  localparam int WordWidth = BucketWidth < 6 ? BucketWidth : 6;
  localparam int WordBits = 2 ** WordWidth;
  localparam int Words = 2 ** (BucketWidth - WordWidth);
  localparam int WordIndexWidth = Words > 1 ? $clog2(Words) : 1;
  localparam int WriteTags = 8;

  if (BucketWidth < 1 || BucketWidth > 32) begin : gen_check_bucket_width
    $error("BucketWidth must be 1 to 32.");
  end
  if (SlotWidth > LineTagWidth - 1) begin : gen_check_slots
    $error("Slots must leave a bit of the line memory's tag.");
  end
  if (MoverWidth > LineTagWidth - 2) begin : gen_check_movers
    $error("Movers must leave two bits of the line memory's tag.");
  end

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [BucketWidth-1:0] bucket_index_t;
  typedef logic [WordIndexWidth-1:0] word_index_t;

  // Tags: a slot's number; 2'b10 and a mover's number for its read; 2'b11 on top for writes.
  localparam logic [1:0] TagMoverRead = 2'b10, TagMoverWrite = 2'b11;

  typedef struct packed {
    slot_t         slot;
    bucket_index_t bucket;
  } read_t;

  // ---- Whose turn it is ------------------------------------------------------------------------------

  read_t queued;
  logic queued_valid, queued_taken, take, take_move;

  stream_fifo #(
    .T       (read_t),
    .Depth   (Slots),
    .BlockRam(0)
  ) reads (
    .clk,
    .rst,
    .s_data ('{slot: s_read_slot, bucket: s_read_bucket}),
    .s_valid(s_read_valid),
    .s_ready(),
    .m_data (queued),
    .m_valid(queued_valid),
    .m_ready(queued_taken),
    .count_o()
  );

  // A request waits one clock for its bit.
  logic checking_q, checked, lookup_turn_q;
  logic for_lookup_q, write_q;
  slot_t slot_q;
  logic [MoverWidth-1:0] mover_q;
  bucket_index_t bucket_q;
  place_t place_q;
  bucket_entry_t entry_q;

  assign take         = init_done_o && !checking_q;
  assign take_move    = s_move_valid && !(lookup_turn_q && queued_valid);
  assign s_move_ready = take && take_move;
  assign queued_taken = take && !take_move;

  always_ff @(posedge clk) begin
    if (take) begin
      checking_q    <= take_move || queued_valid;
      lookup_turn_q <= take_move;
      for_lookup_q  <= !take_move;
      write_q       <= take_move && s_move_write;
      slot_q        <= queued.slot;
      mover_q       <= s_move_mover;
      bucket_q      <= take_move ? s_move_bucket : queued.bucket;
      place_q       <= s_move_place;
      entry_q       <= s_move_entry;
    end else if (checked) begin
      checking_q <= 1'b0;
    end

    if (rst) begin
      checking_q    <= 1'b0;
      lookup_turn_q <= 1'b0;
    end
  end

  // ---- Which buckets have been written -----------------------------------------------------------------

  word_index_t sweep_q;
  logic [WordBits-1:0] word, written_word;
  logic written, mark;
  bucket_index_t next_bucket;

  function automatic word_index_t word_of(input bucket_index_t bucket);
    return word_index_t'(bucket >> WordWidth);
  endfunction

  assign next_bucket  = take_move ? s_move_bucket : queued.bucket;
  assign written      = word[bucket_q[WordWidth-1:0]];
  assign written_word = word | (WordBits'(1) << bucket_q[WordWidth-1:0]);
  assign mark         = checked && write_q && !written;

  ram_simple_dual_port #(
    .Width(WordBits),
    .Depth(Words)
  ) bits (
    .clk,
    .write_enable_i (mark || !init_done_o),
    .write_address_i(init_done_o ? word_of(bucket_q) : sweep_q),
    .write_data_i   (init_done_o ? written_word : '0),
    .read_enable_i  (take),
    .read_address_i (word_of(next_bucket)),
    .read_data_o    (word)
  );

  always_ff @(posedge clk) begin
    if (!init_done_o) begin
      sweep_q     <= sweep_q + 1'b1;
      init_done_o <= sweep_q == word_index_t'(Words - 1);
    end

    if (rst) begin
      sweep_q     <= '0;
      init_done_o <= 1'b0;
    end
  end

  // ---- Requests ------------------------------------------------------------------------------------------

  logic line_free, tag_free, asks, finding_free, mover_free, response_q;
  logic [WriteTags-1:0] tags_busy_q;
  logic [2:0] write_tag;
  line_request_t request;

  always_comb begin
    write_tag = '0;
    for (int i = WriteTags - 1; i >= 0; i--) if (!tags_busy_q[i]) write_tag = 3'(i);
  end

  assign tag_free = !write_q || tags_busy_q != '1;
  assign asks     = write_q || written;
  // What is known to be empty is answered at once.
  assign checked  = checking_q && (asks ? line_free && tag_free
      : for_lookup_q ? finding_free : mover_free);
  assign read_o   = checked && asks && for_lookup_q;

  always_comb begin
    request         = '0;
    request.write   = write_q;
    request.address = 32'(bucket_q);
    request.tag     = for_lookup_q ? LineTagWidth'(slot_q)
        : write_q ? {TagMoverWrite, (LineTagWidth - 2)'(write_tag)}
        : {TagMoverRead, (LineTagWidth - 2)'(mover_q)};
    for (int i = 0; i < BucketEntries; i++) begin
      if (place_q == place_t'(i)) begin
        request.data[i*8*EntryBytes+:8*EntryBytes] = entry_q;
        request.strobe[i*EntryBytes+:EntryBytes]   = '1;
      end
    end
    if (!written) request.strobe = '1;
  end

  stream_register #(
    .T(line_request_t)
  ) line_register (
    .clk,
    .rst,
    .s_data (request),
    .s_valid(checked && asks),
    .s_ready(line_free),
    .m_data (m_line),
    .m_valid(m_line_valid),
    .m_ready(m_line_ready)
  );

  // ---- Responses -----------------------------------------------------------------------------------------

  logic write_done;
  slot_t response_slot_q;
  logic [MoverWidth-1:0] response_mover_q;
  bucket_t bucket_data_q;
  finding_t found, searched;
  logic search_q;

  assign write_done = s_line_valid && s_line.tag[LineTagWidth-1-:2] == TagMoverWrite;

  always_ff @(posedge clk) begin
    response_q      <= s_line_valid && s_line.tag[LineTagWidth-1-:2] == TagMoverRead;
    search_q        <= s_line_valid && !s_line.tag[LineTagWidth-1];
    response_slot_q  <= s_line.tag[SlotWidth-1:0];
    response_mover_q <= s_line.tag[MoverWidth-1:0];
    if (s_line_valid) bucket_data_q <= s_line.data;

    for (int i = 0; i < WriteTags; i++) begin
      if (write_done && s_line.tag[2:0] == 3'(i)) tags_busy_q[i] <= 1'b0;
      if (checked && write_q && write_tag == 3'(i)) tags_busy_q[i] <= 1'b1;
    end

    if (rst) begin
      response_q  <= 1'b0;
      search_q    <= 1'b0;
      tags_busy_q <= '0;
    end
  end

  // A mover keeps what it gets; empty buckets it gets in their turn.
  logic empty_for_mover;
  assign empty_for_mover = checked && !asks && !for_lookup_q;
  assign mover_free      = !response_q;
  assign move_valid_o    = response_q || empty_for_mover;
  assign move_mover_o    = response_q ? response_mover_q : mover_q;
  assign move_bucket_o   = response_q ? bucket_data_q : '0;

  assign asked_slot_o = response_slot_q;

  always_comb begin
    found = '0;
    for (int i = 0; i < BucketEntries; i++) begin
      if (bucket_data_q.entry[i].valid && bucket_data_q.entry[i].tuple == asked_tuple_i) begin
        found.found = 1'b1;
        found.id |= bucket_data_q.entry[i].id;
      end
    end
  end

  typedef struct packed {
    slot_t    slot;
    finding_t found;
  } result_t;

  result_t result;

  assign finding_free  = !search_q;
  assign searched      = search_q ? found : '0;
  assign m_found_slot  = result.slot;
  assign m_found       = result.found;

  stream_fifo #(
    .T       (result_t),
    .Depth   (Slots),
    .BlockRam(0)
  ) results (
    .clk,
    .rst,
    .s_data ('{slot: search_q ? response_slot_q : slot_q, found: searched}),
    .s_valid(search_q || (checked && !asks && for_lookup_q)),
    .s_ready(),
    .m_data (result),
    .m_valid(m_found_valid),
    .m_ready(m_found_ready),
    .count_o()
  );

endmodule
