// SPDX-License-Identifier: Apache-2.0

// Where the key-value store keeps which key: a table of slots with the keys and the lengths of their
// values.
//
// A key may be in either of two buckets of Ways slots each; a new one goes where more are vacant. It
// stays in its slot until it is removed, and is found until then. A key for which both buckets are
// full is refused (neither found_o nor room_o), and nothing that is there is touched.
//
//   key_clear_i, then key_valid_i for each byte, then find_i once, in clocks of their own
//   done_o          high from the answer to the next find_i, key_clear_i or flush_i
//   store_i         the key, found or with room, is in slot_o now, with a value of so many bytes
//   remove_i        the key, found, is in it no more
//
// store_i and remove_i come after done_o, one of them and once, and end the answer. The two buckets come from
// a hash that begins with HashKey: who does not know it cannot choose keys that collide.
//
// Latency    2 Ways + 7 clocks from find_i to done_o; flush_i, and reset, take a clock for each slot
//            (ready_o is low; nothing is to be asked meanwhile).
// Throughput one key at a time, a byte a clock.
module key_value_table #(
  parameter  int          MaxKey      = 32,
  parameter  int          Entries     = 256,
  parameter  int          Ways        = 4,
  parameter  int          LengthWidth = 7,             // of a value
  parameter  logic [31:0] HashKey     = 32'h7f4a_7c15,
  localparam int          SlotWidth   = $clog2(Entries),
  localparam int          CountWidth  = $clog2(Entries + 1)
) (
  input  logic                   clk,
  input  logic                   rst,

  output logic                   ready_o,
  output logic [ CountWidth-1:0] count_o,   // keys

  input  logic                   key_clear_i,
  input  logic [            7:0] key_byte_i,
  input  logic                   key_valid_i,  // MaxKey times at most

  input  logic                   find_i,
  output logic                   done_o,
  output logic                   found_o,
  output logic                   room_o,          // not found, and there is a slot for it
  output logic [  SlotWidth-1:0] slot_o,
  output logic [LengthWidth-1:0] value_length_o,  // if found

  input  logic                   store_i,
  input  logic [LengthWidth-1:0] store_length_i,
  input  logic                   remove_i,
  input  logic                   flush_i          // forget all
);

  localparam int Buckets = Entries / Ways;
  localparam int BucketWidth = $clog2(Buckets);
  localparam int WayWidth = $clog2(Ways);
  localparam int KeyWidth = $clog2(MaxKey + 1);

  if (MaxKey < 1 || MaxKey > 64) begin : gen_check_key
    $error("MaxKey must be 1 to 64 bytes.");
  end
  if (Ways < 2 || 2 ** WayWidth != Ways) begin : gen_check_ways
    $error("Ways must be a power of two, at least 2.");
  end
  if (Buckets < 2 || Buckets > 65536 || Ways * 2 ** BucketWidth != Entries) begin : gen_check
    $error("Entries must be a power of two, from 2 to 65536 times Ways.");
  end

  typedef logic [SlotWidth-1:0] slot_t;

  typedef struct packed {
    logic                   valid;
    logic [LengthWidth-1:0] value_length;
    logic [KeyWidth-1:0]    key_length;
    logic [MaxKey*8-1:0]    key;
  } entry_t;

  typedef enum logic [2:0] {
    StClear,
    StIdle,
    StMix0,    // the hash is being finished
    StMix1,
    StRead,    // slots of both buckets, one after the other
    StDrain,   // the last of them are on the way
    StChoose
  } state_e;

  state_e state_q, state_d;

  // ---- The key and its hash

  logic [MaxKey*8-1:0] key_q;
  logic [KeyWidth-1:0] key_length_q;
  // The bits between and above those of the two buckets are not needed.
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] hash;
  // verilator lint_on UNUSEDSIGNAL

  byte_hash #(
    .HashKey(HashKey)
  ) key_hash (
    .clk,
    .clear_i (key_clear_i),
    .byte_i  (key_byte_i),
    .valid_i (key_valid_i),
    .finish_i(find_i),
    .hash_o  (hash)
  );

  always_ff @(posedge clk) begin
    if (key_clear_i) begin
      key_q        <= '0;
      key_length_q <= '0;
    end else if (key_valid_i) begin
      key_q        <= (MaxKey * 8)'({key_q, key_byte_i});
      key_length_q <= key_length_q + 1'b1;
    end
  end

  // ---- Slots

  entry_t entry, new_entry;
  slot_t read_slot, clear_q, write_slot;
  logic read, write, last_read;
  logic second_q, second_1_q, second_2_q;  // the bucket that is read, and of the entry on the way
  logic [WayWidth-1:0] way_q, way_1_q, way_2_q;
  logic valid_1_q, valid_2_q;
  logic [BucketWidth-1:0] bucket;

  assign bucket      = second_q ? hash[16+:BucketWidth] : hash[BucketWidth-1:0];
  assign read        = state_q == StRead;
  assign read_slot = {bucket, way_q};
  assign last_read   = second_q && way_q == '1;
  assign write       = store_i || remove_i || state_q == StClear;
  assign write_slot  = state_q == StClear ? clear_q : slot_o;

  always_comb begin
    new_entry = '{
        valid: 1'b1,
        value_length: store_length_i,
        key_length: key_length_q,
        key: key_q
    };
    if (!store_i) new_entry = '0;
  end

  ram_simple_dual_port #(
    .Width      ($bits(entry_t)),
    .Depth      (Entries),
    .ReadLatency(2)
  ) entries (
    .clk,
    .write_enable_i (write),
    .write_address_i(write_slot),
    .write_data_i   (new_entry),
    .read_enable_i  (read),
    .read_address_i (read_slot),
    .read_data_o    (entry)
  );

  // What the scan has seen: the key; and in each bucket how many slots are vacant, and one of them.
  logic [1:0][WayWidth:0] vacant_q;
  logic [1:0][WayWidth-1:0] vacant_way_q;
  logic match, better_second;
  slot_t found_slot_q;

  assign match = entry.valid && entry.key_length == key_length_q && entry.key == key_q;
  assign better_second = vacant_q[1] > vacant_q[0];

  always_ff @(posedge clk) begin
    second_1_q <= second_q;
    second_2_q <= second_1_q;
    way_1_q    <= way_q;
    way_2_q    <= way_1_q;
    valid_1_q  <= read;
    valid_2_q  <= valid_1_q;

    if (read) {second_q, way_q} <= {second_q, way_q} + 1'b1;

    if (valid_2_q && match) begin
      found_o        <= 1'b1;
      found_slot_q   <= {second_2_q ? hash[16+:BucketWidth] : hash[BucketWidth-1:0], way_2_q};
      value_length_o <= entry.value_length;
    end
    if (valid_2_q && !entry.valid) begin
      vacant_q[second_2_q]     <= vacant_q[second_2_q] + 1'b1;
      vacant_way_q[second_2_q] <= way_2_q;
    end
    if (state_q == StIdle && find_i) begin
      found_o  <= 1'b0;
      vacant_q <= '0;
      second_q <= 1'b0;
      way_q    <= '0;
    end

    if (state_q == StChoose) begin
      room_o <= !found_o && vacant_q != '0;
      if (found_o) slot_o <= found_slot_q;
      else if (better_second) slot_o <= {hash[16+:BucketWidth], vacant_way_q[1]};
      else slot_o <= {hash[BucketWidth-1:0], vacant_way_q[0]};
    end

    done_o <= (done_o || state_q == StChoose) && !find_i && !key_clear_i && !flush_i && !store_i
              && !remove_i;

    if (rst) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
      done_o    <= 1'b0;
    end
  end

  // ---- Control

  assign ready_o = state_q != StClear;

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StClear: if (clear_q == '1) state_d = StIdle;
      StIdle: begin
        if (flush_i) state_d = StClear;
        else if (find_i) state_d = StMix0;
      end
      StMix0: state_d = StMix1;
      StMix1: state_d = StRead;
      StRead: if (last_read) state_d = StDrain;
      StDrain: if (!valid_1_q && !valid_2_q) state_d = StChoose;
      StChoose: state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    clear_q <= state_q == StClear ? clear_q + 1'b1 : '0;

    if (state_q == StClear) count_o <= '0;
    else if (store_i && !found_o) count_o <= count_o + 1'b1;
    else if (remove_i) count_o <= count_o - 1'b1;

    if (rst) begin
      state_q <= StClear;
      clear_q <= '0;
    end
  end

endmodule
