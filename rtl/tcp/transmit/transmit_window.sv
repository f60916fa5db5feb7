// SPDX-License-Identifier: Apache-2.0

// Keeps the newest messages of the application on chip, so that sending one for the first time does
// not read its ring.
//
//   write_i ----> one slot for each message, in turn ----> hit_o, slot_o
//   beat_i -----> RAM -----> output register ---+
//      \----------------------------------------+----> m
//
// Each message that is announced (write_i) takes the next slot, whatever was in it, and fills it with
// the beats that follow. A read hits if it begins where a message that is there begins, and is no
// longer. It may begin before the message has come: each beat is handed on as soon as it is there,
// and straight from the input if the reader has caught up.
//
// A message has no slot if it is longer than one, or if what is in its slot is being read. One that is
// not as announced, or withdrawn, is forgotten; a read that has begun ends all the same, with bytes
// that mean nothing. release_i forgets the messages of a connection, whose id may be given out again.
// No slot outlives as many announcements as there are slots, so sequence numbers cannot come around.
//
// Latency    read_i to the first beat 3 clocks; a beat that is waited for passes in its clock.
// Throughput 1 beat a clock, and one clock between packets.
// Paths      hit_o and slot_o follow s_read combinationally, m_data, m_keep, m_last and m_valid the
//            input. The input is never stalled.
//
// The caller gives read_i with a hit of the clock before, while claim_i held it; see
// transmit_buffer.
module transmit_window
  import seq_pkg::*;
#(
  parameter  int DataWidth    = 64,
  parameter  int Connections  = 64,
  parameter  int Messages     = 16,    // a power of two
  parameter  int MessageBytes = 2048,  // a power of two
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int SlotWidth    = $clog2(Messages)
) (
  input  logic                 clk,
  input  logic                 rst,

  // A message is announced; then its beats.
  input  logic [  IdWidth-1:0] write_id_i,
  input  seq_t                 write_seq_i,
  input  logic [         15:0] write_length_i,
  input  logic                 write_i,
  input  logic [DataWidth-1:0] data_i,
  input  logic [    Lanes-1:0] keep_i,
  input  logic                 last_i,
  input  logic                 error_i,
  input  logic                 beat_i,

  input  logic [  IdWidth-1:0] release_id_i,
  input  logic                 release_i,

  // Is it there?
  input  logic [  IdWidth-1:0] read_id_i,
  input  seq_t                 read_seq_i,
  input  logic [         15:0] read_length_i,
  output logic                 hit_o,
  output logic [SlotWidth-1:0] slot_o,

  // The slot of a read that waits.
  input  logic [SlotWidth-1:0] claim_slot_i,
  input  logic                 claim_i,

  // Read the slot claimed.
  input  logic [         15:0] length_i,
  input  logic                 read_i,
  output logic                 ready_o,   // for read_i
  output logic                 active_o,  // a packet is being read

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready
);

  if (Messages < 2 || 2 ** SlotWidth != Messages) begin : gen_check_messages
    $error("Messages must be a power of two, at least 2.");
  end
  if (2 ** $clog2(MessageBytes) != MessageBytes || MessageBytes < 2 * Lanes) begin : gen_check_bytes
    $error("MessageBytes must be a power of two, at least two beats.");
  end

  localparam int LaneBits = $clog2(Lanes);
  localparam int LengthWidth = $clog2(MessageBytes + 1);
  localparam int BeatWidth = $clog2(MessageBytes / Lanes);

  typedef logic [BeatWidth-1:0] beat_t;  // number of a beat
  typedef logic [Lanes-1:0] keep_t;

  // Of the last beat, by the bytes beyond whole beats.
  function automatic keep_t last_keep(input logic [LaneBits-1:0] tail);
    return tail == '0 ? '1 : keep_t'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(tail)));
  endfunction

  // ---- Slots

  typedef struct packed {
    logic [IdWidth-1:0]     id;
    seq_t                   seq;
    logic [LengthWidth-1:0] length;
  } message_t;

  message_t message_q[Messages];
  logic [Messages-1:0] known_q;
  logic [SlotWidth-1:0] next_q;  // for the next message
  logic [SlotWidth-1:0] read_slot_q;
  logic unread_q;  // of the packet being read there are beats left

  // The message that comes in.
  logic [SlotWidth-1:0] fill_slot_q;
  logic filling_q;
  beat_t fill_beat_q, fill_last_q;
  keep_t fill_keep_q;
  logic fill_full_q;  // it has as many beats as announced
  logic store, stored_whole, taken, fits;

  assign fits  = write_length_i <= 16'(MessageBytes);
  assign taken = (claim_i && claim_slot_i == next_q) || (unread_q && read_slot_q == next_q);
  assign store = filling_q && beat_i && !fill_full_q;
  assign stored_whole = store && !error_i && fill_beat_q == fill_last_q && keep_i == fill_keep_q;

  always_ff @(posedge clk) begin
    if (release_i) begin
      for (int i = 0; i < Messages; i++) begin
        if (message_q[i].id == release_id_i) known_q[i] <= 1'b0;
      end
    end
    if (filling_q && beat_i && last_i) begin
      filling_q <= 1'b0;
      if (!stored_whole) known_q[fill_slot_q] <= 1'b0;
    end
    if (store) begin
      fill_beat_q <= fill_beat_q + 1'b1;
      fill_full_q <= fill_beat_q == fill_last_q;
    end
    if (write_i) begin
      next_q      <= next_q + 1'b1;
      fill_slot_q <= next_q;
      filling_q   <= fits && !taken;
      fill_beat_q <= '0;
      fill_full_q <= 1'b0;
      fill_last_q <= beat_t'((write_length_i - 1'b1) >> LaneBits);
      fill_keep_q <= last_keep(LaneBits'(write_length_i));
      if (!taken) begin
        known_q[next_q]   <= fits;
        message_q[next_q] <= '{
            id: write_id_i,
            seq: write_seq_i,
            length: LengthWidth'(write_length_i)
        };
      end
    end

    if (rst) begin
      known_q   <= '0;
      filling_q <= 1'b0;
      next_q    <= '0;
    end
  end

  // ---- Looking up

  logic [LengthWidth-1:0] found_length;
  logic found;

  always_comb begin
    found        = 1'b0;
    slot_o       = '0;
    found_length = '0;
    for (int i = 0; i < Messages; i++) begin
      if (known_q[i] && message_q[i].id == read_id_i && message_q[i].seq == read_seq_i) begin
        found = 1'b1;
        slot_o |= SlotWidth'(i);
        found_length |= message_q[i].length;
      end
    end
  end

  // Not if it goes in this clock.
  assign hit_o = found && read_length_i <= 16'(found_length) && !(write_i && next_q == slot_o);

  // ---- Reading: RAM, then a register, or straight from the input

  beat_t beat_q, last_q;
  keep_t keep_q;
  logic waits, fetch, pass, ends, ram_valid_q, ram_last_q, held_valid_q, held_last_q, load;
  logic [DataWidth-1:0] ram_data, held_q;
  keep_t keep, ram_keep_q, held_keep_q;

  // The beat is not in the RAM yet.
  assign waits = filling_q && fill_slot_q == read_slot_q && beat_q == fill_beat_q && !fill_full_q;
  assign load  = !held_valid_q || m_ready;
  assign fetch = unread_q && !waits && (!ram_valid_q || load);
  assign pass  = unread_q && waits && beat_i && !ram_valid_q && !held_valid_q;
  assign ends  = beat_q == last_q;
  assign keep  = ends ? keep_q : '1;

  ram_simple_dual_port #(
    .Width(DataWidth),
    .Depth(Messages * MessageBytes / Lanes)
  ) ram (
    .clk,
    .write_enable_i (store),
    .write_address_i({fill_slot_q, fill_beat_q}),
    .write_data_i   (data_i),
    .read_enable_i  (fetch),
    .read_address_i ({read_slot_q, beat_q}),
    .read_data_o    (ram_data)
  );

  assign ready_o  = !unread_q;
  assign active_o = unread_q || ram_valid_q || held_valid_q;

  assign m_valid = held_valid_q || pass;
  assign m_data  = held_valid_q ? held_q : data_i;
  assign m_keep  = held_valid_q ? held_keep_q : keep;
  assign m_last  = held_valid_q ? held_last_q : ends;

  always_ff @(posedge clk) begin
    if (read_i) begin
      read_slot_q <= claim_slot_i;
      unread_q    <= 1'b1;
      beat_q      <= '0;
      last_q      <= beat_t'((length_i - 1'b1) >> LaneBits);
      keep_q      <= last_keep(LaneBits'(length_i));
    end else if (fetch || pass) begin
      beat_q   <= beat_q + 1'b1;
      unread_q <= !ends;
    end

    if (!ram_valid_q || load) begin
      ram_valid_q <= fetch;
      ram_last_q  <= ends;
      ram_keep_q  <= keep;
    end
    if (load) begin
      held_valid_q <= ram_valid_q || (pass && !m_ready);
      held_q       <= ram_valid_q ? ram_data : data_i;
      held_last_q  <= ram_valid_q ? ram_last_q : ends;
      held_keep_q  <= ram_valid_q ? ram_keep_q : keep;
    end

    if (rst) begin
      unread_q     <= 1'b0;
      ram_valid_q  <= 1'b0;
      held_valid_q <= 1'b0;
    end
  end

endmodule
