// SPDX-License-Identifier: Apache-2.0

// cuckoo_table at a size at which every key can collide with every other: an arbitrary key is in
// exactly one place from its insertion to its removal and in none otherwise, whatever is inserted,
// removed, relocated and looked up meanwhile and whatever the hash key; every lookup finds it as it
// is, with its value; and no other key has that value.
module cuckoo_table_props
  import tcp_pkg::*;
#(
  parameter  int KeyWidth     = 3,
  parameter  int ValueWidth   = 3,
  parameter  int WayDepth     = 2,
  localparam int HashWidth    = 4 * $clog2(WayDepth),
  localparam int HashKeyWidth = KeyWidth + HashWidth - 1
) (
  input logic                    clk,
  input logic                    rst,
  input logic [HashKeyWidth-1:0] hash_key_i,
  input logic [    KeyWidth-1:0] s_key,
  input logic                    s_insert,
  input logic                    s_valid,
  input logic                    m_ready,
  input logic [    KeyWidth-1:0] s_remove_key,
  input logic [  ValueWidth-1:0] s_remove_value,
  input logic                    s_remove_valid,
  input logic [  ValueWidth-1:0] s_free_value,
  input logic                    s_free_valid,
  input logic [    KeyWidth-1:0] watched       // an arbitrary constant
);

  localparam int Ways = 4;
  localparam int Slots = 4;
  localparam int IndexWidth = $clog2(WayDepth);
  localparam int CountWidth = $clog2(Ways * WayDepth + Slots + 1);

  localparam logic [1:0] OpFind = 2'd0, OpInsert = 2'd1, OpRemove = 2'd2, OpMove = 2'd3;

  logic s_ready, m_valid, s_remove_ready, s_free_ready;
  lookup_e m_result;
  logic [ValueWidth-1:0] m_value;
  logic [CountWidth-1:0] entries_o;

  cuckoo_table #(
    .KeyWidth   (KeyWidth),
    .ValueWidth (ValueWidth),
    .WayDepth   (WayDepth),
    .Distributed(1'b1)
  ) dut (.*);

  logic started = 1'b0;
  logic [KeyWidth-1:0] watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (!started) assume (rst);
    else assume (watched == watched_q);
  end

  // The table, place by place.
  typedef struct packed {
    logic                  valid;
    logic [KeyWidth-1:0]   key;
    logic [ValueWidth-1:0] value;
  } entry_t;

  entry_t way_entry[Ways][WayDepth];
  entry_t slot_entry[Slots];

  for (genvar way = 0; way < Ways; way++) begin : gen_way
    for (genvar index = 0; index < WayDepth; index++) begin : gen_entry
      assign way_entry[way][index] = dut.gen_way[way].gen_distributed.ram.memory[index];
    end
  end
  for (genvar slot = 0; slot < Slots; slot++) begin : gen_slot
    assign slot_entry[slot] = '{valid: dut.stash.valid_o[slot], key: dut.stash.key_o[slot],
                                value: dut.stash.value_o[slot]};
  end

  function automatic logic [HashWidth-1:0] hash_of(input logic [KeyWidth-1:0] key,
                                                   input logic [HashKeyWidth-1:0] hash_key);
    for (int i = 0; i < HashWidth; i++) hash_of[i] = ^(key & hash_key[i+:KeyWidth]);
  endfunction

  // The watched key, by what the table says it does.
  logic present_q;
  logic [ValueWidth-1:0] value_q;
  logic at_end;  // an operation on the watched key is in its last stage

  assign at_end = dut.valid_d_q && dut.operation_d_q.key == watched;

  always_ff @(posedge clk) begin
    if (dut.insert && at_end) begin
      present_q <= 1'b1;
      value_q   <= s_free_value;
    end
    if (dut.removed && at_end) present_q <= 1'b0;

    if (rst) present_q <= 1'b0;
  end

  int copies, entries;
  logic right_places, right_values, value_alone, value_free, ways_clear;
  logic [HashWidth-1:0] watched_hash;

  assign watched_hash = hash_of(watched, dut.hash_key_q);

  always_comb begin
    copies       = 0;
    entries      = 0;
    right_places = 1'b1;
    right_values = 1'b1;
    value_alone  = 1'b1;
    value_free   = 1'b1;
    ways_clear   = 1'b1;
    for (int way = 0; way < Ways; way++) begin
      for (int index = 0; index < WayDepth; index++) begin
        if (way_entry[way][index].valid) begin
          entries++;
          if (way_entry[way][index].key == watched) begin
            copies++;
            if (watched_hash[way*IndexWidth+:IndexWidth] != IndexWidth'(index)) right_places = 1'b0;
            if (way_entry[way][index].value != value_q) right_values = 1'b0;
          end else if (way_entry[way][index].value == value_q) value_alone = 1'b0;
          if (way_entry[way][index].value == s_free_value) value_free = 1'b0;
          if (IndexWidth'(index) < dut.sweep_q) ways_clear = 1'b0;
        end
      end
    end
    for (int slot = 0; slot < Slots; slot++) begin
      if (slot_entry[slot].valid) begin
        entries++;
        if (slot_entry[slot].key == watched) begin
          copies++;
          if (slot_entry[slot].value != value_q) right_values = 1'b0;
        end else if (slot_entry[slot].value == value_q) value_alone = 1'b0;
        if (slot_entry[slot].value == s_free_value) value_free = 1'b0;
      end
    end
  end

  // What is promised.
  always_ff @(posedge clk) begin
    if (started && !rst && !dut.sweeping_q) begin
      // The user's part: a free value is nobody's.
      if (s_free_valid) assume (value_free);

      assert (copies == int'(present_q));
      assert (right_places);
      if (present_q) assert (right_values && value_alone);
      if (at_end && (dut.operation_d_q.op == OpFind || dut.operation_d_q.op == OpInsert)) begin
        assert ((dut.answer.result == LookupHit) == present_q);
        if (present_q) assert (dut.answer.value == value_q);
        if (dut.answer.result == LookupNew) assert (dut.answer.value == s_free_value);
        if (dut.operation_d_q.op == OpFind) assert (dut.answer.result != LookupNew);
      end
      // A removal of what is there removes it; nothing else does.
      if (present_q && at_end && dut.operation_d_q.op == OpRemove)
        assert (dut.removed == (dut.operation_d_q.value == value_q));
      // An answer always finds room.
      if (dut.answers.s_valid) assert (dut.answers.s_ready);
    end
  end

  stream_contract #(
    .Width(ValueWidth + 2)
  ) m_contract (
    .clk,
    .rst,
    .data ({m_result, m_value}),
    .valid(m_valid),
    .ready(m_ready)
  );

  // What makes it so, for induction.
  logic [1:0] op[3];
  logic [KeyWidth-1:0] key[3];
  logic [ValueWidth-1:0] value[3];
  logic [1:0] slot[3];
  logic [HashWidth-1:0] hash[3];
  logic valid[3];

  assign op    = '{dut.operation_b_q.op, dut.operation_c_q.op, dut.operation_d_q.op};
  assign key   = '{dut.operation_b_q.key, dut.operation_c_q.key, dut.operation_d_q.key};
  assign value = '{dut.operation_b_q.value, dut.operation_c_q.value, dut.operation_d_q.value};
  assign slot  = '{dut.operation_b_q.slot, dut.operation_c_q.slot, dut.operation_d_q.slot};
  assign hash  = '{dut.hash_b_q, dut.hash_c_q, dut.hash_d_q};
  assign valid = '{dut.valid_b_q, dut.valid_c_q, dut.valid_d_q};

  int changing, answering;
  always_comb begin
    changing  = 0;
    answering = int'(dut.answers.count_q);
    for (int stage = 0; stage < 3; stage++) begin
      if (valid[stage] && op[stage] != OpFind) changing++;
      if (valid[stage] && (op[stage] == OpFind || op[stage] == OpInsert)) answering++;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst && dut.sweeping_q) begin
      assert (ways_clear);
      assert (dut.stash.valid_o == '0 && entries_o == '0 && !present_q);
      assert (!dut.side_valid_q && !dut.exclusive_q);
      assert (!valid[0] && !valid[1] && !valid[2]);
    end
    if (started && !rst) begin
      assert (int'(dut.outstanding_q) == answering && answering <= 8);
      // That of the queue of answers.
      assert (dut.answers.full_q == (dut.answers.count_q == 8));
      assert (dut.answers.m_valid == (dut.answers.count_q != '0));
    end
    if (started && !rst && !dut.sweeping_q) begin
      assert (int'(entries_o) == entries);
      // What changes the table is alone and the youngest.
      assert (changing == int'(dut.exclusive_q));
      if (valid[1] && op[1] != OpFind) assert (!valid[0]);
      if (valid[2] && op[2] != OpFind) assert (!valid[0] && !valid[1]);
      for (int stage = 0; stage < 3; stage++) begin
        if (valid[stage]) begin
          // A lookup in the empty table may be older than the hash key.
          if (entries_o != '0 || op[stage] != OpFind)
            assert (hash[stage] == hash_of(key[stage], dut.hash_key_q));
          if (op[stage] == OpMove)
            assert (slot_entry[slot[stage]] == {1'b1, key[stage], value[stage]});
          if (dut.side_valid_q && dut.side_q.op == OpMove)
            assert (op[stage] == OpFind || op[stage] == OpInsert);
        end
      end
      if (dut.side_valid_q) begin
        assert (dut.side_q.op == OpMove || dut.side_q.op == OpRemove);
        if (dut.side_q.op == OpMove)
          assert (slot_entry[dut.side_q.slot] == {1'b1, dut.side_q.key, dut.side_q.value});
      end
      // What an operation has read is what is there.
      for (int way = 0; way < Ways; way++) begin
        if (valid[1]) begin
          assert (dut.entry_c[way] == way_entry[way][hash[1][way*IndexWidth+:IndexWidth]]);
        end
        if (valid[2]) begin
          assert (dut.vacant_d_q[way] == !way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].valid);
          assert (dut.way_value_d_q[way] ==
                  way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].value);
          assert (dut.way_hit_d_q[way] ==
                  (way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].valid &&
                   way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].key == key[2] &&
                   (op[2] != OpRemove ||
                    way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].value == value[2])));
        end
        if (valid[2] && op[2] == OpMove && 32'(dut.move_way_q) == way)
          assert (dut.victim_d_q == way_entry[way][hash[2][way*IndexWidth+:IndexWidth]]);
      end
      for (int i = 0; i < Slots; i++) begin
        if (valid[2]) begin
          assert (dut.stash_value_d_q[i] == slot_entry[i].value);
          assert (dut.stash_hit_d_q[i] ==
                  (slot_entry[i].valid && slot_entry[i].key == key[2] &&
                   (op[2] != OpRemove || slot_entry[i].value == value[2])));
        end
      end
    end

    // A relocation that finds a place, one that exchanges, and what they moved found again.
    cover (started && !rst && dut.valid_d_q && dut.operation_d_q.op == OpMove && dut.any_vacant);
    cover (started && !rst && dut.valid_d_q && dut.operation_d_q.op == OpMove && !dut.any_vacant);
    cover (started && !rst && dut.valid_d_q && dut.operation_d_q.op == OpFind &&
           dut.stash_hit_d_q != '0);
    cover (started && !rst && dut.removed && entries == 5);
    cover (started && !rst && m_valid && m_result == LookupNoRoom && dut.outstanding_q == 8);
  end

endmodule
