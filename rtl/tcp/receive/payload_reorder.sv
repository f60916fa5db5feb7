// SPDX-License-Identifier: Apache-2.0

// Keeps the payload of segments that overtake each other: packets come in the order of reception and
// leave in the order in which their tags are asked for.
//
//   s_segment ---> gate, next tag ---> m_segment, its tag ---> lookup, pipeline (any order)
//                      ^                                                |
//   s_data ---> ring of packets in block RAM ---> m_data          s_tag <+
//
// A segment with payload gets the next tag on its way through the gate; the packets get theirs as
// they come, so the n-th packet is that of the n-th such segment. Every tag must be asked for once.
// A packet leaves as soon as it is asked for, even while it still comes in. Its place in the ring is
// free when all packets before it have left, too.
//
// The gate is what keeps the ring from locking up: a segment passes when its packet has begun, or is
// next and has its place. So the packet of any tag that can be asked for will be there without the
// help of tags that are asked for later.
//
// Latency    to m 3 clocks from a packet's tag, and 4 at least from its first beat in. Segments pass
//            combinationally.
// Throughput 1 beat a clock in and out, packets back to back.
// Paths      s_ready and m_* of the payload are functions of registers; s_segment_ready follows
//            m_segment_ready and m_segment_valid follows s_segment_valid.
//
// Packets have PacketBeats beats at most. Segments before the packet itself may take up to Packets
// places in the ring; beyond that, or when there might be no room for a largest packet, s_ready falls
// between packets.
module payload_reorder
  import tcp_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Packets     = 64,     // in the ring at once; a power of two
  parameter  int Depth       = 16384,  // beats of the ring; a power of two
  parameter  int PacketBeats = 192,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                       clk,
  input  logic                       rst,

  input  logic                       s_segment_payload,  // it has some
  input  logic                       s_segment_valid,
  output logic                       s_segment_ready,
  output logic [PayloadTagWidth-1:0] m_segment_tag,
  output logic                       m_segment_valid,
  input  logic                       m_segment_ready,

  input  logic [      DataWidth-1:0] s_data,
  input  logic [          Lanes-1:0] s_keep,
  input  logic                       s_last,
  input  logic                       s_valid,
  output logic                       s_ready,

  // The packet to leave next.
  input  logic [PayloadTagWidth-1:0] s_tag,
  input  logic                       s_tag_valid,
  output logic                       s_tag_ready,

  output logic [      DataWidth-1:0] m_data,
  output logic [          Lanes-1:0] m_keep,
  output logic                       m_last,
  output logic                       m_valid,
  input  logic                       m_ready
);

  localparam int AddressWidth = $clog2(Depth);
  localparam int SlotWidth = $clog2(Packets);
  localparam int LaneWidth = $clog2(Lanes);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end
  if (Packets < 2 || Packets != 2 ** SlotWidth || SlotWidth >= PayloadTagWidth)
  begin : gen_check_packets
    $error("Packets must be a power of two from 2 to 2^(PayloadTagWidth - 1).");
  end
  if (Depth < 2 * PacketBeats || Depth != 2 ** AddressWidth) begin : gen_check_depth
    $error("Depth must be a power of two and hold two of the largest packets.");
  end

  // A beat as the memory has it; keep as the index of the last lane, which is as good and smaller.
  typedef struct packed {
    logic                 last;
    logic [LaneWidth-1:0] last_lane;
    logic [DataWidth-1:0] data;
  } word_t;

  typedef logic [SlotWidth-1:0] slot_t;
  // One bit more than the place tells full from empty.
  typedef logic [SlotWidth:0] tag_t;
  typedef logic [AddressWidth:0] pointer_t;

  // Tags, modulo 2 * Packets: head_q <= the packets in the ring < arrived_q. Beats likewise.
  tag_t head_q, arrived_q, given_q;
  pointer_t free_q, write_q;  // where the packet head_q begins, and where the next beat goes
  logic first_q;              // the next beat is a packet's first
  logic room_q;               // for one more packet
  logic promised;             // a segment has passed whose packet is to come

  // ---- Gate --------------------------------------------------------------------------------------

  tag_t lead;  // packets that have begun and whose segment has not passed
  logic pass;

  assign lead     = arrived_q - given_q;
  assign promised = lead == '1;
  assign pass     = !s_segment_payload || (lead != '0 && !promised)
      || (lead == '0 && first_q && room_q);

  assign m_segment_tag   = PayloadTagWidth'(given_q);
  assign m_segment_valid = s_segment_valid && pass;
  assign s_segment_ready = m_segment_ready && pass;

  // ---- In ----------------------------------------------------------------------------------------

  logic beat, begins;
  word_t write_word;
  slot_t write_slot;

  // What was promised to the segment holds for the packet.
  assign s_ready    = !first_q || room_q || promised;
  assign beat       = s_valid && s_ready;
  assign begins     = beat && first_q;
  assign write_slot = first_q ? arrived_q[SlotWidth-1:0] : SlotWidth'(arrived_q - 1'b1);

  // What there will be in the next clock, if nothing is freed: what passed the gate relies on it.
  // Whether there is a beat is known late.
  logic room_now, room_after_beat;
  tag_t packets;
  pointer_t beats;

  assign packets         = arrived_q - head_q;
  assign beats           = write_q - free_q;
  assign room_now        = packets < tag_t'(Packets) && beats <= pointer_t'(Depth - PacketBeats);
  assign room_after_beat = packets < tag_t'(first_q ? Packets - 1 : Packets)
      && beats < pointer_t'(Depth - PacketBeats);

  assign write_word.data      = s_data;
  assign write_word.last      = s_last;
  assign write_word.last_lane =
      LaneWidth'(stream_pkg::lanes_used(stream_pkg::lanes_t'(s_keep)) - 1'b1);

  // Where packets begin and end, for the one that leaves, and where they end, for the one to be freed.
  slot_t read_slot, head_slot;
  pointer_t tag_start, read_end, head_end;

  ram_distributed #(
    .Width(AddressWidth + 1),
    .Depth(Packets)
  ) starts (
    .clk,
    .write_enable_i (begins),
    .write_address_i(write_slot),
    .write_data_i   (write_q),
    .read_address_i (s_tag[SlotWidth-1:0]),
    .read_data_o    (tag_start)
  );

  ram_distributed #(
    .Width(AddressWidth + 1),
    .Depth(Packets)
  ) read_ends (
    .clk,
    .write_enable_i (beat && s_last),
    .write_address_i(write_slot),
    .write_data_i   (write_q + 1'b1),
    .read_address_i (read_slot),
    .read_data_o    (read_end)
  );

  ram_distributed #(
    .Width(AddressWidth + 1),
    .Depth(Packets)
  ) head_ends (
    .clk,
    .write_enable_i (beat && s_last),
    .write_address_i(write_slot),
    .write_data_i   (write_q + 1'b1),
    .read_address_i (head_slot),
    .read_data_o    (head_end)
  );

  // ---- Out ---------------------------------------------------------------------------------------

  logic reading_q;  // a packet is on its way out
  tag_t read_tag_q;
  pointer_t read_q;
  logic whole, fetch, fetch_last, tag_taken;
  logic ram_load, ram_valid_q, output_load;
  word_t read_word;

  assign read_slot  = read_tag_q[SlotWidth-1:0];
  assign whole      = first_q || read_tag_q != arrived_q - 1'b1;
  assign fetch      = reading_q && read_q != write_q && ram_load;
  assign fetch_last = fetch && whole && read_q + 1'b1 == read_end;

  // What has begun.
  assign s_tag_ready = (!reading_q || fetch_last) && s_tag[SlotWidth:0] != arrived_q;
  assign tag_taken   = s_tag_valid && s_tag_ready;

  if (PayloadTagWidth > SlotWidth + 1) begin : gen_unused_tag
    logic [PayloadTagWidth-1:SlotWidth+1] unused_tag;
    assign unused_tag = s_tag[PayloadTagWidth-1:SlotWidth+1];
  end

  ram_simple_dual_port #(
    .Width($bits(word_t)),
    .Depth(Depth)
  ) ring (
    .clk,
    .write_enable_i (beat),
    .write_address_i(write_q[AddressWidth-1:0]),
    .write_data_i   (write_word),
    .read_enable_i  (fetch),
    .read_address_i (read_q[AddressWidth-1:0]),
    .read_data_o    (read_word)
  );

  // The RAM's output, then a register, each with its own valid.
  assign output_load = m_ready || !m_valid;
  assign ram_load    = output_load || !ram_valid_q;

  always_ff @(posedge clk) begin
    if (tag_taken) begin
      read_tag_q <= s_tag[SlotWidth:0];
      read_q     <= tag_start;
      reading_q  <= 1'b1;
    end else if (fetch) begin
      read_q    <= read_q + 1'b1;
      reading_q <= !fetch_last;
    end

    if (ram_load) ram_valid_q <= fetch;
    if (output_load) begin
      m_valid <= ram_valid_q;
      m_data  <= read_word.data;
      m_last  <= read_word.last;
      m_keep  <= Lanes'(stream_pkg::lanes_below(
          stream_pkg::lane_count_t'(read_word.last_lane) + 1'b1
      ));
    end

    if (rst) begin
      reading_q   <= 1'b0;
      ram_valid_q <= 1'b0;
      m_valid     <= 1'b0;
    end
  end

  // ---- What has left is freed in order -------------------------------------------------------------

  logic [Packets-1:0] left_q;
  logic head_leaves;

  assign head_slot   = head_q[SlotWidth-1:0];
  assign head_leaves = head_q != arrived_q && left_q[head_slot];

  always_ff @(posedge clk) begin
    if (fetch_last) left_q[read_slot] <= 1'b1;
    if (head_leaves) begin
      left_q[head_slot] <= 1'b0;
      head_q            <= head_q + 1'b1;
      free_q            <= head_end;
    end

    if (beat) begin
      write_q <= write_q + 1'b1;
      first_q <= s_last;
    end
    if (begins) arrived_q <= arrived_q + 1'b1;
    if (m_segment_valid && m_segment_ready && s_segment_payload) given_q <= given_q + 1'b1;

    room_q <= beat ? room_after_beat : room_now;

    if (rst) begin
      left_q    <= '0;
      head_q    <= '0;
      arrived_q <= '0;
      given_q   <= '0;
      free_q    <= '0;
      write_q   <= '0;
      first_q   <= 1'b1;
      room_q    <= 1'b0;
    end
  end

endmodule
