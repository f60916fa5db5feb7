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
  parameter  bit Directed     = 1'b0,
  parameter  bit Registers    = 1'b0,
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
    .Registers  (Registers),
    .Distributed(1'b1)
  ) dut (
    .*,
    .peek_key_i  ('0),
    .peek_hit_o  (),
    .peek_value_o()
  );

  logic started = 1'b0;
  logic [KeyWidth-1:0] watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (!started) begin
      assume (rst);
    end else begin
      assume (watched == watched_q);
    end
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
    assign slot_entry[slot] = '{
            valid: dut.stash.valid_o[slot],
            key: dut.stash.key_o[slot],
            value: dut.stash.value_o[slot]
        };
  end

  function automatic logic [HashWidth-1:0] hash_of(input logic [KeyWidth-1:0] key,
                                                   input logic [HashKeyWidth-1:0] hash_key);
    for (int i = 0; i < HashWidth; i++) hash_of[i] = ^(key & hash_key[i+:KeyWidth]);
  endfunction

  // The watched key, by what the table says it does.
  logic present_q;
  logic [ValueWidth-1:0] value_q;
  logic at_end;  // an operation on the watched key is in its last stage

  assign at_end = dut.ends && dut.operation_d_q.key == watched;

  always_ff @(posedge clk) begin
    if (dut.insert && at_end) begin
      present_q <= 1'b1;
      value_q   <= s_free_value;
    end
    if (dut.removed && at_end) present_q <= 1'b0;

    if (rst) present_q <= 1'b0;
  end

  logic [CountWidth-1:0] entries;
  logic right_places, right_values, value_alone, value_free, keys_differ, ways_clear;
  logic [2**KeyWidth-1:0] seen;
  entry_t entry;
  logic [HashWidth-1:0] hash_entry;

  always_comb begin
    entries      = '0;
    right_places = 1'b1;  // each key where its hash says
    right_values = 1'b1;  // the watched key with its value
    value_alone  = 1'b1;  // no other key with this value
    value_free   = 1'b1;  // no key with the value that is offered as free
    keys_differ  = 1'b1;  // no key twice
    ways_clear   = 1'b1;  // as far as they have been swept
    seen         = '0;
    for (int place = 0; place < Ways * WayDepth + Slots; place++) begin
      entry = place < Ways * WayDepth ? way_entry[place/WayDepth][place%WayDepth] :
          slot_entry[place%Slots];
      if (entry.valid) begin
        entries += 1'b1;
        if (seen[entry.key]) keys_differ = 1'b0;
        seen[entry.key] = 1'b1;
        if (entry.value == s_free_value) value_free = 1'b0;
        if (entry.key == watched) begin
          if (entry.value != value_q) right_values = 1'b0;
        end else if (entry.value == value_q) value_alone = 1'b0;
        if (place < Ways * WayDepth) begin
          if (IndexWidth'(place) < dut.sweep_q) ways_clear = 1'b0;
          hash_entry = hash_of(entry.key, dut.hash_key_q);
          if (hash_entry[place/WayDepth*IndexWidth+:IndexWidth] != IndexWidth'(place))
            right_places = 1'b0;
        end
      end
    end
  end

  // What is promised.
  always_ff @(posedge clk) begin
    if (started && !rst && !dut.sweeping_q) begin
      // The user's part: a free value is nobody's.
      if (s_free_valid) assume (value_free);

      assert (seen[watched] == present_q);
      assert (right_places && keys_differ);
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

  logic [3:0] changing, answering;
  always_comb begin
    changing  = '0;
    answering = dut.answers.count_q;
    for (int stage = 0; stage < 3; stage++) begin
      if (valid[stage] && op[stage] != OpFind) changing += 1'b1;
      if (valid[stage] && (op[stage] == OpFind || op[stage] == OpInsert)) answering += 1'b1;
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
      assert (dut.outstanding_q == answering && answering <= 4'd8);
      // That of the queue of answers.
      assert (dut.answers.count_q <= 4'd8);
      assert (dut.answers.full_q == (dut.answers.count_q == 8));
      assert (dut.answers.m_valid == (dut.answers.count_q != '0));
    end
    if (started && !rst && !dut.sweeping_q) begin
      assert (entries_o == entries);
      // What changes the table is alone and the youngest.
      assert (changing == 4'(dut.exclusive_q));
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
      // The second clock of a change knows what was compared in the first.
      if (dut.change) assert (dut.finding == dut.finding_now);
      // What an operation has read is what is there.
      for (int way = 0; way < Ways; way++) begin
        if (valid[1]) begin
          assert (dut.entry_c[way] == way_entry[way][hash[1][way*IndexWidth+:IndexWidth]]);
        end
        if (valid[2]) begin
          assert (dut.vacant_d_q[way] ==
                  !way_entry[way][hash[2][way*IndexWidth+:IndexWidth]].valid);
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

    // For covers alone, to be quick: five keys with the same four places.
    if (Directed) begin
      assume (hash_key_i == '0 && watched == '0 && rst == !started);
      if (entries_o < 5) begin
        assume (s_valid && s_insert && s_key == KeyWidth'(entries_o));
        assume (s_free_valid && s_free_value == ValueWidth'(entries_o));
        assume (!s_remove_valid && m_ready);
      end
    end

    // A relocation that finds a place, one that exchanges, and what they moved found again.
    cover (started && !rst && dut.ends && dut.operation_d_q.op == OpMove && dut.finding.any_vacant);
    cover (started && !rst && dut.ends && dut.operation_d_q.op == OpMove
        && !dut.finding.any_vacant);
    cover (started && !rst && dut.valid_d_q && dut.operation_d_q.op == OpFind &&
           dut.stash_hit_d_q != '0);
    cover (started && !rst && dut.removed && dut.stash_hit_d_q != '0);
    cover (started && !rst && m_valid && m_result == LookupNoRoom && !m_ready);
  end

endmodule
