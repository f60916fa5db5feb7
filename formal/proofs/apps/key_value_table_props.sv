// SPDX-License-Identifier: Apache-2.0

// key_value_table: a key that was stored is found until it is removed or all are forgotten, in the same
// slot, with the length that was stored last, and that slot is given to no other key; a key that was not
// stored is not found; count_o is the number of keys.
//
// Proven for one key that the solver chooses, among others, from a table that is empty. The user keeps
// to the contract in the module's header: assumed.
module key_value_table_props #(
  parameter int MaxKey  = 1,
  parameter int Entries = 4,
  parameter int Ways    = 2
) (
  input logic       clk,
  input logic       rst,
  input logic       key_clear,
  input logic [7:0] key_byte,
  input logic       key_valid,
  input logic       find,
  input logic       store,
  input logic [1:0] store_length,
  input logic       remove,
  input logic       flush,
  input logic [7:0] watched        // an arbitrary constant
);

  localparam int SlotWidth = $clog2(Entries);

  logic ready, done, found, room;
  logic [$clog2(Entries+1)-1:0] count;
  logic [SlotWidth-1:0] slot;
  logic [1:0] value_length;

  key_value_table #(
    .MaxKey     (MaxKey),
    .Entries    (Entries),
    .Ways       (Ways),
    .LengthWidth(2)
  ) dut (
    .clk,
    .rst,
    .ready_o       (ready),
    .count_o       (count),
    .key_clear_i   (key_clear),
    .key_byte_i    (key_byte),
    .key_valid_i   (key_valid),
    .find_i        (find),
    .done_o        (done),
    .found_o       (found),
    .room_o        (room),
    .slot_o        (slot),
    .value_length_o(value_length),
    .store_i       (store),
    .store_length_i(store_length),
    .remove_i      (remove),
    .flush_i       (flush)
  );

  // ---- The user

  logic started = 1'b0;
  logic [7:0] watched_q, key_q;
  logic has_byte_q;
  logic fresh_q;  // cleared since the last question
  logic asked_q;  // an answer is awaited
  logic quiet;

  assign quiet = ready && !asked_q;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (started)
      assume (watched == watched_q);
      else assume (rst);

    if (find) asked_q <= 1'b1;
    else if (done) asked_q <= 1'b0;
    if (key_clear) has_byte_q <= 1'b0;
    else if (key_valid) has_byte_q <= 1'b1;
    if (key_valid) key_q <= key_byte;
    if (key_clear) fresh_q <= 1'b1;
    else if (find) fresh_q <= 1'b0;

    if (rst) begin
      fresh_q    <= 1'b0;
      asked_q    <= 1'b0;
      has_byte_q <= 1'b0;
    end
  end

  always_comb begin
    assume ($onehot0({key_clear, key_valid, find, store, remove, flush}));
    if (rst || !quiet && !done) assume (!{key_clear, key_valid, find, store, remove, flush});
    if (key_valid || find) assume (fresh_q);
    // One byte at most; the empty key is a key, too, and not the watched one.
    if (key_valid) assume (!has_byte_q);
    if (store) assume (done && (found || room));
    if (remove) assume (done && found);
  end

  // ---- What the table has to know

  logic present_q, is_watched;
  logic [1:0] length_q;
  logic [SlotWidth-1:0] slot_q;
  logic [$clog2(Entries+1)-1:0] keys_q;

  assign is_watched = has_byte_q && key_q == watched;

  always_ff @(posedge clk) begin
    if (store && is_watched) begin
      present_q <= 1'b1;
      length_q  <= store_length;
      slot_q    <= slot;
    end
    if (remove && is_watched) present_q <= 1'b0;
    if (store && !found) keys_q <= keys_q + 1'b1;
    if (remove) keys_q <= keys_q - 1'b1;
    if (rst || flush) begin
      present_q <= 1'b0;
      keys_q    <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (done && is_watched) begin
        assert (found == present_q);
        if (present_q) assert (slot == slot_q && value_length == length_q);
      end
      // Nobody else's slot.
      if (done && !is_watched && (found || room) && present_q) assert (slot != slot_q);
      if (done) assert (!(found && room));
      if (quiet && !flush && !$past(flush)) assert (count == keys_q);
      assert (keys_q <= ($clog2(Entries + 1))'(Entries));
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      cover (done && is_watched && present_q && length_q != '0);
      cover (done && !is_watched && present_q && found);
      cover (done && !is_watched && present_q && room);
      cover (done && is_watched && !present_q && keys_q != '0);
      cover (remove && is_watched);
      cover (flush && present_q);
    end
  end

endmodule
