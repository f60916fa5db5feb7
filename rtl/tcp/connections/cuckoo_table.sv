// SPDX-License-Identifier: Apache-2.0

// Exact-match table in RAM: from a key to a value, with insertion, removal and relocation.
//
// A key may be in one of four ways, in each at the index that its own part of a keyed hash names, or
// in a small stash. Insertion takes a vacant place of the four, or else a slot of the stash; from
// there relocation finds it a place in the background, moving other keys to their other places
// (cuckoo hashing). A key is in exactly one place at the end of every clock and no lookup is under
// way while it changes place, so a key that was inserted is found until it is removed.
//
// Latency    4 clocks from s to m, with Registers 5 for a lookup that may insert; results in order.
// Throughput 1 lookup a clock. A lookup that may insert, a removal and a relocation each keep the
//            table for 4 clocks, 5 with Registers; relocations take at most every fourth clock.
// Order      a lookup sees every insertion asked for before it, and every removal that was accepted
//            in an earlier clock.
// Paths      s_ready, s_remove_ready and all m_* are registers.
// Start      after reset the ways are cleared, WayDepth clocks with s_ready low.
//
// Registers: what changes the table waits for a clock between the comparison and the change.
//
// s_insert asks for the key to be inserted with the value offered at s_free if it is not there yet:
// LookupNew says that this was done. LookupNoRoom: no value is offered, or all four places and the
// stash are taken by others. With a random hash_key_i and at most half of the ways' entries used,
// the latter needs at least nine keys with the same four places.
//
// With Peek a second reader looks on: a key at peek gets its answer 2 clocks later, at any time and in
// every clock. It may miss a key that changes place in these clocks; a hit was right when the RAM was
// read.
//
// hash_key_i is taken over while the table is empty and no later. It must not be 0.
module cuckoo_table
  import tcp_pkg::*;
#(
  parameter  int KeyWidth     = 64,
  parameter  int ValueWidth   = 6,
  parameter  int WayDepth     = 32,  // entries of each of the four ways, a power of two
  parameter  bit Peek         = 1'b0,
  parameter  bit Registers    = 1'b0,
  parameter  bit Distributed  = WayDepth < 32,  // ways in look-up tables instead of block RAM
  localparam int Ways         = 4,
  localparam int StashEntries = 4,
  localparam int IndexWidth   = $clog2(WayDepth),
  localparam int HashWidth    = Ways * IndexWidth,
  localparam int HashKeyWidth = KeyWidth + HashWidth - 1,
  localparam int CountWidth   = $clog2(Ways * WayDepth + StashEntries + 1)
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [HashKeyWidth-1:0] hash_key_i,

  input  logic [    KeyWidth-1:0] s_key,
  input  logic                    s_insert,
  input  logic                    s_valid,
  output logic                    s_ready,

  output lookup_e                 m_result,
  output logic [  ValueWidth-1:0] m_value,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Removes the key if it is there with this value.
  input  logic [    KeyWidth-1:0] s_remove_key,
  input  logic [  ValueWidth-1:0] s_remove_value,
  input  logic                    s_remove_valid,
  output logic                    s_remove_ready,

  // Values for keys to be inserted; taken by an insertion alone.
  input  logic [  ValueWidth-1:0] s_free_value,
  input  logic                    s_free_valid,
  output logic                    s_free_ready,

  // Peek; otherwise nothing is found.
  input  logic [    KeyWidth-1:0] peek_key_i,
  output logic                    peek_hit_o,
  output logic [  ValueWidth-1:0] peek_value_o,

  output logic [  CountWidth-1:0] entries_o
);

  localparam int WayWidth = $clog2(Ways);
  localparam int SlotWidth = $clog2(StashEntries);

  // Relocations after a change of the table. More than this many in a row find no place only when
  // keys of the stash share all their places; a removal may then give them one.
  localparam int MoveBudget = 64;
  localparam int BudgetWidth = $clog2(MoveBudget + 1);
  // Clocks from one relocation to the next.
  localparam int MovePause = 15;
  localparam int PauseWidth = $clog2(MovePause + 1);

  localparam int MaxOutstanding = 8;  // a power of two above the latency
  localparam int OutstandingWidth = $clog2(MaxOutstanding) + 1;

  if (WayDepth < 2 || WayDepth != 2 ** IndexWidth) begin : gen_check_way_depth
    $error("WayDepth must be a power of two and at least 2.");
  end

  typedef logic [KeyWidth-1:0] key_t;
  typedef logic [ValueWidth-1:0] value_t;
  typedef logic [IndexWidth-1:0] index_t;

  typedef struct packed {
    logic   valid;
    key_t   key;
    value_t value;
  } entry_t;

  typedef enum logic [1:0] {
    OpFind,
    OpInsert,
    OpRemove,
    OpMove     // the stash's slot into a way, or in exchange for what is there
  } op_e;

  typedef struct packed {
    op_e                  op;
    key_t                 key;
    value_t               value;  // OpRemove, OpMove
    logic [SlotWidth-1:0] slot;   // OpMove
  } operation_t;

  typedef struct packed {
    lookup_e result;
    value_t  value;
  } answer_t;

  // Lowest bit that is set, alone.
  function automatic logic [Ways-1:0] lowest(input logic [Ways-1:0] set);
    for (int i = 0; i < Ways; i++) lowest[i] = set[i] && (set & Ways'((1 << i) - 1)) == '0;
  endfunction

  // Start: clear the ways.
  logic   sweeping_q;
  index_t sweep_q;

  always_ff @(posedge clk) begin
    if (sweeping_q) begin
      sweep_q <= sweep_q + 1'b1;
      if (sweep_q == '1) sweeping_q <= 1'b0;
    end

    if (rst) begin
      sweeping_q <= 1'b1;
      sweep_q    <= '0;
    end
  end

  // Operations that change the table are alone in it: nothing enters until they are through.
  logic exclusive_q;

  // A removal or relocation that waits for its turn, which is next.
  operation_t side_q;
  logic       side_valid_q;

  // Stage a: choose the operation, hash its key.
  operation_t                  operation_a;
  logic accept, issue_side, issue;
  logic [    HashKeyWidth-1:0] hash_key_q;
  logic [       HashWidth-1:0] hash_a;
  logic [OutstandingWidth-1:0] outstanding_q;

  assign s_ready    = !sweeping_q && !exclusive_q && !side_valid_q &&
                      !outstanding_q[OutstandingWidth-1];
  assign accept     = s_valid && s_ready;
  assign issue_side = side_valid_q && !exclusive_q;
  assign issue      = accept || issue_side;

  always_comb begin
    operation_a = side_q;
    if (!side_valid_q) begin
      operation_a.op  = s_insert ? OpInsert : OpFind;
      operation_a.key = s_key;
    end
  end

  toeplitz_hash #(
    .DataWidth(KeyWidth),
    .HashWidth(HashWidth)
  ) hash (
    .key_i (hash_key_q),
    .data_i(operation_a.key),
    .hash_o(hash_a)
  );

  // Stage b: the RAM. Stage c: compare.
  operation_t operation_b_q, operation_c_q, operation_d_q;
  logic [HashWidth-1:0] hash_b_q, hash_c_q, hash_d_q;
  logic valid_b_q, valid_c_q, valid_d_q;

  logic   [       Ways-1:0] way_write;
  entry_t                   write_entry;
  entry_t                   entry_c[Ways];

  for (genvar way = 0; way < Ways; way++) begin : gen_way
    index_t write_index;
    assign write_index = sweeping_q ? sweep_q : hash_d_q[way*IndexWidth+:IndexWidth];

    if (Distributed) begin : gen_distributed
      // Fast: read in b, behind the register of the hash.
      entry_t entry_b;

      ram_distributed #(
        .Width($bits(entry_t)),
        .Depth(WayDepth)
      ) ram (
        .clk,
        .write_enable_i (way_write[way]),
        .write_address_i(write_index),
        .write_data_i   (write_entry),
        .read_address_i (hash_b_q[way*IndexWidth+:IndexWidth]),
        .read_data_o    (entry_b)
      );

      always_ff @(posedge clk) entry_c[way] <= entry_b;
    end else begin : gen_block
      // Slow behind its clock edge, but registers the address itself.
      ram_simple_dual_port #(
        .Width      ($bits(entry_t)),
        .Depth      (WayDepth),
        .ReadLatency(2)
      ) ram (
        .clk,
        .write_enable_i (way_write[way]),
        .write_address_i(write_index),
        .write_data_i   (write_entry),
        .read_enable_i  (issue),
        .read_address_i (hash_a[way*IndexWidth+:IndexWidth]),
        .read_data_o    (entry_c[way])
      );
    end
  end

  logic [StashEntries-1:0] stash_write, stash_match_c, stash_valid;
  entry_t                    stash_entry;
  key_t                      stash_key  [StashEntries];
  value_t                    stash_value[StashEntries];

  cuckoo_stash #(
    .KeyWidth  (KeyWidth),
    .ValueWidth(ValueWidth),
    .Entries   (StashEntries)
  ) stash (
    .clk,
    .rst,
    .write_enable_i(stash_write),
    .write_valid_i (stash_entry.valid),
    .write_key_i   (stash_entry.key),
    .write_value_i (stash_entry.value),
    .match_key_i   (operation_c_q.key),
    .match_o       (stash_match_c),
    .valid_o       (stash_valid),
    .key_o         (stash_key),
    .value_o       (stash_value)
  );

  logic [Ways-1:0] way_hit_d_q, vacant_d_q;
  logic   [StashEntries-1:0] stash_hit_d_q;
  value_t                    way_value_d_q  [Ways];
  value_t                    stash_value_d_q[StashEntries];
  logic   [    WayWidth-1:0] move_way_q;
  entry_t                    victim_d_q;

  // What changes the table stays in d for a second clock, with Registers; nothing is behind it.
  logic changes, hold;

  always_ff @(posedge clk) begin
    operation_b_q <= operation_a;
    operation_c_q <= operation_b_q;
    hash_b_q      <= hash_a;
    hash_c_q      <= hash_b_q;

    if (!hold) begin
      operation_d_q <= operation_c_q;
      hash_d_q      <= hash_c_q;

      for (int way = 0; way < Ways; way++) begin
        way_hit_d_q[way]   <= entry_c[way].valid && entry_c[way].key == operation_c_q.key &&
                              (operation_c_q.op != OpRemove ||
                               entry_c[way].value == operation_c_q.value);
        vacant_d_q[way]    <= !entry_c[way].valid;
        way_value_d_q[way] <= entry_c[way].value;
      end
      for (int slot = 0; slot < StashEntries; slot++) begin
        stash_hit_d_q[slot]   <= stash_match_c[slot] &&
                                 (operation_c_q.op != OpRemove ||
                                  stash_value[slot] == operation_c_q.value);
        stash_value_d_q[slot] <= stash_value[slot];
      end
      victim_d_q <= entry_c[move_way_q];
    end

    valid_b_q <= issue;
    valid_c_q <= valid_b_q;
    valid_d_q <= valid_c_q || hold;

    if (rst) begin
      valid_b_q <= 1'b0;
      valid_c_q <= 1'b0;
      valid_d_q <= 1'b0;
    end
  end

  // Stage d: answer, and change the table.
  logic hit, insert, removed, change, ends;
  answer_t answer;

  // What follows from the comparison, for a change.
  typedef struct packed {
    logic                    hit;
    logic                    any_vacant;
    logic                    room;         // for what is to be inserted
    logic [Ways-1:0]         vacant_way;   // the lowest
    logic [StashEntries-1:0] vacant_slot;
  } finding_t;

  finding_t finding_now, finding;

  assign hit = (way_hit_d_q != '0) || (stash_hit_d_q != '0);
  assign finding_now = '{
      hit: hit,
      any_vacant: vacant_d_q != '0,
      room: (vacant_d_q != '0 || stash_valid != '1) && !hit && operation_d_q.op == OpInsert,
      vacant_way: lowest(vacant_d_q),
      vacant_slot: lowest(~stash_valid)
  };

  assign changes = valid_d_q && operation_d_q.op != OpFind;

  if (Registers) begin : gen_second_clock
    logic second_q;
    finding_t finding_q;

    assign hold    = changes && !second_q;
    assign finding = finding_q;

    always_ff @(posedge clk) begin
      second_q  <= hold;
      finding_q <= finding_now;

      if (rst) second_q <= 1'b0;
    end
  end else begin : gen_at_once
    assign hold    = 1'b0;
    assign finding = finding_now;
  end

  assign ends         = valid_d_q && !hold;
  assign change       = changes && !hold;
  assign insert       = change && finding.room && s_free_valid;
  assign removed      = change && operation_d_q.op == OpRemove && finding.hit;
  assign s_free_ready = insert;

  always_comb begin
    answer.result = LookupMiss;
    if (hit) answer.result = LookupHit;
    else if (operation_d_q.op == OpInsert) answer.result = insert ? LookupNew : LookupNoRoom;

    answer.value = hit ? '0 : s_free_value;
    for (int way = 0; way < Ways; way++) begin
      if (way_hit_d_q[way]) answer.value |= way_value_d_q[way];
    end
    for (int slot = 0; slot < StashEntries; slot++) begin
      if (stash_hit_d_q[slot]) answer.value |= stash_value_d_q[slot];
    end
  end

  always_comb begin
    way_write   = '0;
    write_entry = '{valid: 1'b1, key: operation_d_q.key, value: operation_d_q.value};
    stash_write = '0;
    stash_entry = write_entry;

    unique case (operation_d_q.op)
      OpInsert: begin
        write_entry.value = s_free_value;
        stash_entry.value = s_free_value;
        if (insert) begin
          way_write = finding.vacant_way;
          if (!finding.any_vacant) stash_write = finding.vacant_slot;
        end
      end

      OpRemove: begin
        write_entry.valid = 1'b0;
        stash_entry.valid = 1'b0;
        if (change) begin
          way_write   = way_hit_d_q;
          stash_write = stash_hit_d_q;
        end
      end

      OpMove: begin
        stash_entry = victim_d_q;
        stash_entry.valid = !finding.any_vacant;
        if (change) begin
          way_write = finding.any_vacant ? finding.vacant_way : Ways'(1) << move_way_q;
          stash_write[operation_d_q.slot] = 1'b1;
        end
      end

      default: ;  // OpFind
    endcase

    if (sweeping_q) begin
      way_write   = '1;
      write_entry = '0;
    end
  end

  // What waits for its turn: a removal, or else the relocation of one entry of the stash.
  logic [  SlotWidth-1:0] move_slot_q;
  logic [BudgetWidth-1:0] move_budget_q;
  logic [ PauseWidth-1:0] move_pause_q;
  logic take_remove, take_move;

  assign s_remove_ready = !sweeping_q && !side_valid_q;
  assign take_remove = s_remove_valid && s_remove_ready;
  // Not while an operation is under way that may change the slot.
  assign take_move = stash_valid[move_slot_q] && !side_valid_q && !exclusive_q && !take_remove &&
                     move_budget_q != '0 && move_pause_q == '0;

  always_ff @(posedge clk) begin
    if (take_remove) begin
      side_q.op    <= OpRemove;
      side_q.key   <= s_remove_key;
      side_q.value <= s_remove_value;
    end else if (take_move) begin
      side_q.op    <= OpMove;
      side_q.key   <= stash_key[move_slot_q];
      side_q.value <= stash_value[move_slot_q];
      side_q.slot  <= move_slot_q;
    end

    if (take_remove || take_move) side_valid_q <= 1'b1;
    else if (issue_side) side_valid_q <= 1'b0;

    if (issue_side || (accept && s_insert)) exclusive_q <= 1'b1;
    else if (change) exclusive_q <= 1'b0;

    if (move_pause_q != '0) move_pause_q <= move_pause_q - 1'b1;
    if (take_move) move_pause_q <= PauseWidth'(MovePause);
    if (!take_move) move_slot_q <= move_slot_q + 1'b1;

    if (change && operation_d_q.op == OpMove) begin
      move_budget_q <= move_budget_q - 1'b1;
      move_way_q    <= move_way_q + 1'b1;
    end
    if (insert || removed) move_budget_q <= BudgetWidth'(MoveBudget);

    if (rst) begin
      side_valid_q  <= 1'b0;
      exclusive_q   <= 1'b0;
      move_budget_q <= '0;
      move_pause_q  <= '0;
      move_slot_q   <= '0;
      move_way_q    <= '0;
    end
  end

  // The second reader: hash and RAM, compare, choose.
  if (Peek) begin : gen_peek
    logic [HashWidth-1:0] peek_hash;
    key_t peek_key_q;
    logic [Ways-1:0] peek_way_q;
    logic [StashEntries-1:0] peek_slot_q;
    entry_t peek_entry[Ways];
    value_t peek_way_value_q[Ways], peek_slot_value_q[StashEntries];

    toeplitz_hash #(
      .DataWidth(KeyWidth),
      .HashWidth(HashWidth)
    ) hash_of_peek (
      .key_i (hash_key_q),
      .data_i(peek_key_i),
      .hash_o(peek_hash)
    );

    for (genvar way = 0; way < Ways; way++) begin : gen_way
      index_t write_index;
      assign write_index = sweeping_q ? sweep_q : hash_d_q[way*IndexWidth+:IndexWidth];

      // What is written while it is read: a key on its way to another place, which does not count.
      logic collides_q;

      ram_simple_dual_port #(
        .Width($bits(entry_t)),
        .Depth(WayDepth)
      ) ram (
        .clk,
        .write_enable_i (way_write[way]),
        .write_address_i(write_index),
        .write_data_i   (write_entry),
        .read_enable_i  (1'b1),
        .read_address_i (peek_hash[way*IndexWidth+:IndexWidth]),
        .read_data_o    (peek_entry[way])
      );

      always_ff @(posedge clk) begin
        collides_q <= way_write[way] && write_index == peek_hash[way*IndexWidth+:IndexWidth];
        peek_way_q[way] <= !collides_q && peek_entry[way].valid
            && peek_entry[way].key == peek_key_q;
        peek_way_value_q[way] <= peek_entry[way].value;
      end
    end

    always_ff @(posedge clk) begin
      peek_key_q <= peek_key_i;
      for (int slot = 0; slot < StashEntries; slot++) begin
        peek_slot_q[slot]       <= stash_valid[slot] && stash_key[slot] == peek_key_q;
        peek_slot_value_q[slot] <= stash_value[slot];
      end
    end

    always_comb begin
      peek_hit_o   = peek_way_q != '0 || peek_slot_q != '0;
      peek_value_o = '0;
      for (int way = 0; way < Ways; way++)
      if (peek_way_q[way]) peek_value_o |= peek_way_value_q[way];
      for (int slot = 0; slot < StashEntries; slot++) begin
        if (peek_slot_q[slot]) peek_value_o |= peek_slot_value_q[slot];
      end
    end
  end else begin : gen_no_peek
    logic unused_peek;
    assign unused_peek  = ^peek_key_i;
    assign peek_hit_o   = 1'b0;
    assign peek_value_o = '0;
  end

  // A lookup enters only when the queue of answers is sure to have room.
  answer_t m_answer;
  logic    unused_ready;
  logic    [OutstandingWidth-1:0] unused_count;

  always_ff @(posedge clk) begin
    outstanding_q <= outstanding_q + OutstandingWidth'(accept) -
                     OutstandingWidth'(m_valid && m_ready);

    if (rst) outstanding_q <= '0;
  end

  stream_fifo #(
    .T       (answer_t),
    .Depth   (MaxOutstanding),
    .BlockRam(0)
  ) answers (
    .clk,
    .rst,
    .s_data (answer),
    .s_valid(ends && (operation_d_q.op == OpFind || operation_d_q.op == OpInsert)),
    .s_ready(unused_ready),
    .m_data (m_answer),
    .m_valid,
    .m_ready,
    .count_o(unused_count)
  );

  assign m_result = m_answer.result;
  assign m_value  = m_answer.value;

  always_ff @(posedge clk) begin
    entries_o <= entries_o + CountWidth'(insert) - CountWidth'(removed);
    if (entries_o == '0 && !exclusive_q && !issue) hash_key_q <= hash_key_i;

    if (rst) entries_o <= '0;
  end

endmodule
