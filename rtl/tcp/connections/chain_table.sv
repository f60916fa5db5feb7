// SPDX-License-Identifier: Apache-2.0

// Exact-match table in RAM for one operation at a time: from a key to a value, with insertion and removal.
//
//   hash -> pointer -> { key, pointer } of a value -> { key, pointer } of another -> ...
//
// Keys with the same hash are in a list. A pointer is the value of the first one of a list or of the next
// one, or none; keys are kept by their value, which is nobody else's. So there is always room for a key
// that has a value, nothing is ever moved, and one comparison does for all places. It is a third of a
// cuckoo_table, for engines whose segments are far apart.
//
// Latency    KeyWidth / HashBits + 4 clocks from s_valid to m_valid if the list is empty, 3 more if its first
//            key is the one, 4 more for each other that is looked at before; an insertion 2 more. There
//            are as many lists as values, and with a random hash_key_i they are short.
// Throughput one operation at a time; removals go before lookups, and while an answer waits.
// Order      that of the operations.
// Paths      s_ready follows m_ready; m_* and s_remove_ready are registers. What a key is looked up by has to
//            stay until the answer is taken: it is not copied.
// Start      after reset the pointers are cleared, a clock for each value.
//
// s_insert asks for the key to be inserted with the value offered at s_free if it is not there yet:
// LookupNew says that this was done, LookupNoRoom that no value is offered.
//
// hash_key_i is taken over while the table is empty and no later. It must not be 0.
module chain_table
  import tcp_pkg::*;
#(
  parameter  int KeyWidth     = 64,
  parameter  int ValueWidth   = 6,
  parameter  int HashBits     = 16,  // of a key that are hashed in a clock, a divisor of KeyWidth
  localparam int HashKeyWidth = KeyWidth + ValueWidth - 1
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [HashKeyWidth-1:0] hash_key_i,

  // Taken with its answer.
  input  logic [    KeyWidth-1:0] s_key,
  input  logic                    s_insert,
  input  logic                    s_valid,
  output logic                    s_ready,

  output lookup_e                 m_result,
  output logic [  ValueWidth-1:0] m_value,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Removes the key if it is there with this value; taken when that is done.
  input  logic [    KeyWidth-1:0] s_remove_key,
  input  logic [  ValueWidth-1:0] s_remove_value,
  input  logic                    s_remove_valid,
  output logic                    s_remove_ready,

  // Values for keys to be inserted; taken by an insertion alone.
  input  logic [  ValueWidth-1:0] s_free_value,
  input  logic                    s_free_valid,
  output logic                    s_free_ready,

  output logic [    ValueWidth:0] entries_o
);

  localparam int Values = 2 ** ValueWidth;
  localparam int Steps = KeyWidth / HashBits;
  localparam int StepWidth = Steps > 1 ? $clog2(Steps) : 1;

  if (HashBits < 1 || KeyWidth % HashBits != 0) begin : gen_check_hash_bits
    $error("HashBits must divide KeyWidth.");
  end
  if (ValueWidth < 1) begin : gen_check_value_width
    $error("ValueWidth must be at least 1.");
  end

  typedef logic [KeyWidth-1:0] key_t;
  typedef logic [ValueWidth-1:0] value_t;

  typedef struct packed {
    logic   valid;
    value_t value;
  } pointer_t;

  // Where a pointer is: to the first of the list of a hash, or to what follows a value.
  typedef struct packed {
    logic   follows;
    value_t index;
  } place_t;

  typedef enum logic [3:0] {
    StClear,    // the lists
    StIdle,
    StHash,
    StFirst,    // the list's pointer is read,
    StFirstOut, // and there
    StProbe,    // it leads to a key, which is read with what follows,
    StProbeOut, // and there,
    StCompare,  // and compared
    StDecide,
    StInsert,   // in front of the list: what follows the new one,
    StLink,     // and what leads to it
    StUnlink,
    StRemoved
  } state_e;

  state_e state_q;
  logic removing_q, empty_q;
  logic [HashKeyWidth-1:0] hash_key_q;
  logic [StepWidth-1:0] step_q;
  value_t hash_q, hash_part;
  place_t place_q;       // of the pointer at work
  pointer_t pointer_q;
  pointer_t first_q;     // that of the list
  pointer_t follows_q;   // the one behind the key at work
  key_t key, key_q;
  logic match_q;

  assign key = removing_q ? s_remove_key : s_key;

  // Bit i of the hash is the parity of the key masked by hash_key_q from its bit i on (toeplitz_hash). Keys come from
  // far away, so the part of a step is taken a clock ahead, the first one while it is decided whose.
  logic hash_removal;
  logic [StepWidth-1:0] ahead_q;
  logic [HashBits-1:0] key_part_q;
  logic [HashBits+ValueWidth-2:0] hash_key_part;

  assign hash_removal = state_q == StIdle ? s_remove_valid : removing_q;

  always_ff @(posedge clk) begin
    key_part_q <= hash_removal ? s_remove_key[ahead_q*HashBits+:HashBits]
                               : s_key[ahead_q*HashBits+:HashBits];
  end

  assign hash_key_part = hash_key_q[step_q*HashBits+:HashBits+ValueWidth-1];

  always_comb begin
    for (int i = 0; i < ValueWidth; i++) hash_part[i] = ^(key_part_q & hash_key_part[i+:HashBits]);
  end

  // Pointers, and keys by value.
  place_t read_place, write_place;
  pointer_t read_pointer, write_pointer;
  logic write_valid;
  key_t read_key;

  assign read_place = state_q == StFirst ?
      '{follows: 1'b0, index: hash_q} :
      '{follows: 1'b1, index: pointer_q.value};

  always_comb begin
    write_valid   = 1'b1;
    write_place   = place_q;
    write_pointer = follows_q;
    unique case (state_q)
      StClear: begin
        write_place   = '{follows: 1'b0, index: hash_q};
        write_pointer = '0;
      end
      StInsert: begin
        write_place   = '{follows: 1'b1, index: pointer_q.value};
        write_pointer = first_q;
      end
      StLink: begin
        write_place   = '{follows: 1'b0, index: hash_q};
        write_pointer = pointer_q;
      end
      StUnlink: ;
      default: write_valid = 1'b0;
    endcase
  end

  ram_simple_dual_port #(
    .Width($bits(pointer_t)),
    .Depth(2 * Values)
  ) pointers (
    .clk,
    .write_enable_i (write_valid),
    .write_address_i(write_place),
    .write_data_i   (write_pointer),
    .read_enable_i  (1'b1),
    .read_address_i (read_place),
    .read_data_o    (read_pointer)
  );

  ram_simple_dual_port #(
    .Width(KeyWidth),
    .Depth(Values)
  ) keys (
    .clk,
    .write_enable_i (state_q == StInsert),
    .write_address_i(pointer_q.value),
    .write_data_i   (s_key),
    .read_enable_i  (1'b1),
    .read_address_i (pointer_q.value),
    .read_data_o    (read_key)
  );

  assign s_ready      = m_valid && m_ready;
  assign s_free_ready = state_q == StInsert;

  always_ff @(posedge clk) begin
    if (m_ready) m_valid <= 1'b0;
    s_remove_ready <= 1'b0;

    unique case (state_q)
      StClear: begin
        hash_q <= hash_q + 1'b1;
        if (hash_q == '1) state_q <= StIdle;
      end

      StIdle: begin
        removing_q <= s_remove_valid;
        hash_q     <= '0;
        step_q     <= '0;
        if (empty_q) hash_key_q <= hash_key_i;
        if (s_remove_valid || (s_valid && !m_valid)) begin
          ahead_q <= StepWidth'(1);
          state_q <= StHash;
        end
      end

      StHash: begin
        hash_q <= hash_q ^ hash_part;
        step_q  <= step_q + 1'b1;
        ahead_q <= ahead_q + 1'b1;
        if (step_q == StepWidth'(Steps - 1)) state_q <= StFirst;
      end

      StFirst: begin
        ahead_q <= '0;
        place_q <= read_place;
        state_q <= StFirstOut;
      end

      StFirstOut: begin
        pointer_q <= read_pointer;
        first_q   <= read_pointer;
        state_q   <= StProbe;
      end

      StProbe: begin
        state_q <= StProbeOut;
        if (!pointer_q.valid) begin
          pointer_q <= '{valid: 1'b1, value: s_free_value};
          if (removing_q) begin
            state_q        <= StRemoved;
            s_remove_ready <= 1'b1;
          end else if (s_insert && s_free_valid) begin
            state_q <= StInsert;
          end else begin
            m_result <= LookupMiss;
            if (s_insert) m_result <= LookupNoRoom;
            m_valid <= 1'b1;
            state_q <= StIdle;
          end
        end
      end

      StProbeOut: begin
        key_q     <= read_key;
        follows_q <= read_pointer;
        state_q   <= StCompare;
      end

      StCompare: begin
        match_q <= key_q == key && (!removing_q || pointer_q.value == s_remove_value);
        state_q <= StDecide;
      end

      StDecide: begin
        if (!match_q) begin
          place_q   <= '{follows: 1'b1, index: pointer_q.value};
          pointer_q <= follows_q;
          state_q   <= StProbe;
        end else if (removing_q) begin
          state_q <= StUnlink;
        end else begin
          m_result <= LookupHit;
          m_value  <= pointer_q.value;
          m_valid  <= 1'b1;
          state_q  <= StIdle;
        end
      end

      StInsert: state_q <= StLink;

      StLink: begin
        m_result <= LookupNew;
        m_value  <= pointer_q.value;
        m_valid  <= 1'b1;
        state_q  <= StIdle;
      end

      StUnlink: begin
        s_remove_ready <= 1'b1;
        state_q        <= StRemoved;
      end

      StRemoved: state_q <= StIdle;

      default: state_q <= StIdle;
    endcase

    if (rst) begin
      state_q        <= StClear;
      hash_q         <= '0;
      ahead_q        <= '0;
      m_valid        <= 1'b0;
      s_remove_ready <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (state_q == StInsert) entries_o <= entries_o + 1'b1;
    if (state_q == StUnlink) entries_o <= entries_o - 1'b1;
    empty_q <= entries_o == '0;

    if (rst) entries_o <= '0;
  end

endmodule
