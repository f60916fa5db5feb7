// SPDX-License-Identifier: Apache-2.0

// chain_table at a size at which all its states are few: an arbitrary key is in exactly one list from its
// insertion to its removal and in none otherwise, whatever is inserted, removed and looked up meanwhile and
// whatever the hash key; every lookup finds it as it is, with its value.
module chain_table_props
  import tcp_pkg::*;
#(
  parameter  int KeyWidth     = 2,
  parameter  int HashBits     = 1,
  localparam int ValueWidth   = 1,
  localparam int HashKeyWidth = KeyWidth + ValueWidth - 1
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

  // state_e of the table.
  localparam logic [3:0] StClear = 0, StIdle = 1, StHash = 2, StFirst = 3, StFirstOut = 4,
      StProbe = 5, StProbeOut = 6, StCompare = 7, StDecide = 8, StInsert = 9, StLink = 10,
      StUnlink = 11, StRemoved = 12;

  logic s_ready, m_valid, s_remove_ready, s_free_ready;
  lookup_e m_result;
  logic [ValueWidth-1:0] m_value;
  logic [ValueWidth:0] entries_o;

  chain_table #(
    .KeyWidth  (KeyWidth),
    .ValueWidth(ValueWidth),
    .HashBits  (HashBits)
  ) dut (
    .*
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

  // Whoever offers something goes on until it is taken.
  logic offered_q, removal_q, free_q;
  logic [KeyWidth:0] offer_q;
  logic [KeyWidth+ValueWidth-1:0] remove_q;
  logic [ValueWidth-1:0] free_value_q;

  always_ff @(posedge clk) begin
    offered_q    <= s_valid && !s_ready && !rst;
    removal_q    <= s_remove_valid && !s_remove_ready && !rst;
    free_q       <= s_free_valid && !s_free_ready && !rst;
    offer_q      <= {s_key, s_insert};
    remove_q     <= {s_remove_key, s_remove_value};
    free_value_q <= s_free_value;

    if (started && !rst) begin
      if (offered_q) assume (s_valid && {s_key, s_insert} == offer_q);
      if (removal_q) assume (s_remove_valid && {s_remove_key, s_remove_value} == remove_q);
      if (free_q) assume (s_free_valid && s_free_value == free_value_q);
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

  function automatic logic hash_of(input logic [KeyWidth-1:0] key, input logic [31:0] bits);
    return ^(key & dut.hash_key_q[KeyWidth-1:0] & ~({KeyWidth{1'b1}} << bits));
  endfunction

  // The two lists, and the two values.
  typedef struct packed {
    logic                  valid;
    logic [ValueWidth-1:0] value;
  } pointer_t;

  pointer_t first[2], behind[2];
  logic [KeyWidth-1:0] key_of[2];
  logic in_front[2], in_use[2];

  for (genvar i = 0; i < 2; i++) begin : gen_value
    assign first[i]    = dut.pointers.memory[i];
    assign behind[i]   = dut.pointers.memory[2+i];
    assign key_of[i]   = dut.keys.memory[i];
    assign in_front[i] = (first[0].valid && first[0].value == 1'(i)) ||
                         (first[1].valid && first[1].value == 1'(i));
    assign in_use[i]   = in_front[i] || (in_front[1-i] && behind[1-i].valid);
  end

  // The watched key, by what the table says it does.
  logic present_q, value_q;

  always_ff @(posedge clk) begin
    if (dut.state_q == StLink && s_key == watched) begin
      present_q <= 1'b1;
      value_q   <= dut.pointer_q.value;
    end
    if (dut.state_q == StUnlink && s_remove_key == watched) present_q <= 1'b0;

    if (rst) present_q <= 1'b0;
  end

  // An operation is under way: what it looks for, where it is, and what it has passed.
  logic [KeyWidth-1:0] key;
  logic removing, hash, walking, there, passed;

  assign removing = dut.removing_q;
  assign key      = removing ? s_remove_key : s_key;
  assign hash     = hash_of(key, KeyWidth);
  assign walking  = dut.state_q >= StProbe && dut.state_q <= StUnlink;
  // place_q is that of the list, or that behind a value that has been compared.
  assign passed   = dut.place_q.follows;

  function automatic logic is_it(input logic value);
    return key_of[value] == key && (!removing || value == s_remove_value);
  endfunction

  // pointer_q is what stands in its place.
  assign there = dut.pointer_q == (passed ? behind[dut.place_q.index] : first[dut.place_q.index]);

  always_ff @(posedge clk) begin
    if (started && !rst && dut.state_q != StClear) begin
      // The user's part: a free value is nobody's.
      if (s_free_valid) assume (!in_use[s_free_value] || dut.state_q == StRemoved);

      // What the table is.
      assert (!(first[0].valid && first[1].valid && first[0].value == first[1].value));
      assert (!(in_use[0] && in_use[1] && key_of[0] == key_of[1]));
      assert (32'(entries_o) == 32'(in_use[0]) + 32'(in_use[1])
          + (dut.state_q == StLink ? 32'd1 : 32'd0));
      for (int i = 0; i < 2; i++) begin
        if (first[i].valid) assert (hash_of(key_of[first[i].value], KeyWidth) == 1'(i));
        if (in_front[i] && behind[i].valid) begin
          assert (behind[i].value == 1'(1 - i) && !in_front[1-i] && !behind[1-i].valid);
          assert (hash_of(key_of[i], KeyWidth) == hash_of(key_of[1-i], KeyWidth));
        end
      end
      assert (present_q == ((in_use[0] && key_of[0] == watched) ||
                            (in_use[1] && key_of[1] == watched)));
      if (present_q) assert (in_use[value_q] && key_of[value_q] == watched);
      if (in_use[0] || in_use[1]) assert (!dut.empty_q || dut.state_q != StIdle);
    end
    if (started && !rst && dut.state_q == StClear) begin
      assert (!present_q && entries_o == '0 && !m_valid);
      if (dut.hash_q) assert (!first[0].valid);
    end
    if (started && !rst) begin
      assert (dut.state_q <= StRemoved);
      if (dut.state_q != StHash && dut.state_q != StFirst) assert (dut.ahead_q == '0);
      assert (s_remove_ready == (dut.state_q == StRemoved));
    end

    // What it says of the watched key.
    if (started && !rst && !removing && s_key == watched) begin
      if (dut.state_q == StProbe && !dut.pointer_q.valid) assert (!present_q);
      if (dut.state_q == StDecide && dut.match_q)
        assert (present_q && value_q == dut.pointer_q.value);
    end
    if (started && !rst && removing && s_remove_key == watched) begin
      if (dut.state_q == StProbe && !dut.pointer_q.valid)
        assert (!(present_q && value_q == s_remove_value));
      if (dut.state_q == StUnlink) assert (present_q && value_q == s_remove_value);
    end

    // What makes it so, for induction.
    if (started && !rst && dut.state_q > StIdle && dut.state_q < StRemoved) begin
      assert (removing ? s_remove_valid : s_valid && !m_valid);
      if (dut.state_q == StHash) begin
        assert (32'(dut.step_q) < KeyWidth / HashBits);
        assert (dut.hash_q == hash_of(key, 32'(dut.step_q) * HashBits));
        assert (dut.key_part_q == key[dut.step_q*HashBits+:HashBits]);
        assert (dut.ahead_q == dut.step_q + 1'b1);
      end else begin
        assert (dut.hash_q == hash);
      end
      if (dut.state_q == StFirstOut || walking && !passed && dut.state_q != StLink
          && dut.state_q != StInsert)
        assert (dut.place_q == {1'b0, hash});
      if (dut.state_q == StFirstOut) assert (dut.read_pointer == first[hash]);
    end
    if (started && !rst && walking && dut.state_q != StInsert && dut.state_q != StLink) begin
      assert (there);
      assert (dut.first_q == first[hash]);
      if (passed) begin
        assert (!is_it(dut.place_q.index) && first[hash].valid);
        if (first[hash].value != dut.place_q.index)
          assert (behind[first[hash].value] == {1'b1, dut.place_q.index} && !is_it(
              first[hash].value
          ));
      end
      if (dut.state_q != StProbe) assert (dut.pointer_q.valid);
      if (dut.state_q == StProbeOut)
        assert (dut.read_key == key_of[dut.pointer_q.value] &&
                dut.read_pointer == behind[dut.pointer_q.value]);
      if (dut.state_q > StProbeOut) assert (dut.follows_q == behind[dut.pointer_q.value]);
      if (dut.state_q == StCompare) assert (dut.key_q == key_of[dut.pointer_q.value]);
      if (dut.state_q == StDecide) assert (dut.match_q == is_it(dut.pointer_q.value));
      if (dut.state_q == StUnlink) assert (removing && is_it(dut.pointer_q.value));
    end
    if (started && !rst && (dut.state_q == StInsert || dut.state_q == StLink)) begin
      assert (!removing && s_insert && dut.pointer_q.valid && dut.first_q == first[hash]);
      assert (!in_use[dut.pointer_q.value]);
      for (int i = 0; i < 2; i++) assert (!(in_use[i] && key_of[i] == s_key));
      if (dut.state_q == StInsert)
        assert (s_free_valid && s_free_value == dut.pointer_q.value);
        else
          assert (key_of[dut.pointer_q.value] == s_key &&
                behind[dut.pointer_q.value] == dut.first_q);
    end

    // One list with both, of which the first and the second leaves; a removal while an answer waits.
    cover (started && !rst && dut.state_q == StUnlink && !passed && dut.follows_q.valid);
    cover (started && !rst && dut.state_q == StUnlink && passed);
    cover (started && !rst && dut.state_q == StUnlink && m_valid && !m_ready);
    cover (started && !rst && m_valid && m_result == LookupNoRoom);
    cover (started && !rst && m_valid && m_result == LookupHit && m_value == 1'b1);
  end

endmodule
