// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue whose ends are on chip and whose middle is in far memory, for queues of
// hundreds of thousands of ids.
//
//   push --> [ packer ] --> [ lines ] --> far memory --> [ unpacker ] --> [ head ] --> m
//      |                        +------------------------------^            ^
//      +--------------------------------------------------------------------+  while it is short
//
// Memory is written and read in whole lines, and only by a queue that is longer than the head and a
// few lines. A short one is a FIFO on chip.
//
// Latency    1 clock from push to m when empty (2 when the head is in block RAM).
// Throughput one push and one pop a clock from the head. Beyond it a line of 512 / Width entries in
//            the time of one read and as many clocks.
// Room       room_o falls while there are places on chip for one line's worth of pushes more; at least
//            so many may still come. It rises again when memory has taken lines.
// Capacity   Capacity entries (the user's care), without those on chip.
// Start      nothing to clear, here or in memory.
module spill_queue
  import line_memory_pkg::*;
#(
  parameter  int Width      = 20,
  parameter  int Capacity   = 65536,
  localparam int CountWidth = $clog2(Capacity + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [     Width-1:0] push_data,
  input  logic                  push_valid,
  output logic                  room_o,

  output logic [     Width-1:0] m_data,
  output logic                  m_valid,
  input  logic                  m_ready,

  output logic [CountWidth-1:0] count_o,

  // Lines from 0 on.
  output line_request_t         m_line,
  output logic                  m_line_valid,
  input  logic                  m_line_ready,
  // verilator lint_off UNUSEDSIGNAL
  input  line_response_t        s_line,  // nothing is read but tag and entries
  // verilator lint_on UNUSEDSIGNAL
  input  logic                  s_line_valid
);

  localparam int Entries = LineBits / Width;  // of a line
  localparam int HeadDepth = 4 * Entries;
  localparam int TailLines = 4;
  localparam int Lines = (Capacity + Entries - 1) / Entries;
  localparam int FillWidth = $clog2(Entries + 1);
  localparam int HeadWidth = $clog2(HeadDepth + 1);
  localparam int TailWidth = $clog2(TailLines + 1);
  localparam int LineWidth = (Lines > 1) ? $clog2(Lines) : 1;
  localparam int LinesWidth = $clog2(Lines + 1);
  localparam int WriteTags = 4;
  localparam logic [LineTagWidth-1:0] ReadTag = LineTagWidth'(WriteTags);

  if (Width < 1 || Width > 64) begin : gen_check_width
    $error("Width must be 1 to 64.");
  end

  typedef logic [Entries-1:0][Width-1:0] entries_t;
  typedef logic [LineWidth-1:0] line_t;

  function automatic line_t next_line(input line_t line);
    return line == line_t'(Lines - 1) ? '0 : line + 1'b1;
  endfunction

  // ---- Push: straight to the head, or into a line ----------------------------------------------------

  logic [CountWidth-1:0] beyond_q;  // entries behind those in the head
  logic [HeadWidth-1:0] head_count;
  logic head_ready, direct, pack, line_done, take_part;
  entries_t packer_q, packed_line, tail_line;
  logic [FillWidth-1:0] fill_q;
  logic tail_valid, tail_taken;
  logic [TailWidth-1:0] tail_count;

  assign direct    = push_valid && beyond_q == '0 && head_ready;
  assign pack      = push_valid && !direct;
  assign line_done = pack && fill_q == FillWidth'(Entries - 1);

  always_comb begin
    packed_line = packer_q;
    for (int i = 0; i < Entries; i++) if (fill_q == FillWidth'(i)) packed_line[i] = push_data;
  end

  always_ff @(posedge clk) begin
    if (pack) packer_q <= packed_line;
    if (line_done || take_part) fill_q <= '0;
    else if (pack) fill_q <= fill_q + 1'b1;
    room_o <= tail_count <= TailWidth'(TailLines - 2);

    if (rst) begin
      fill_q <= '0;
      room_o <= 1'b0;
    end
  end

  stream_fifo #(
    .T       (entries_t),
    .Depth   (TailLines),
    .BlockRam(0)
  ) tail (
    .clk,
    .rst,
    .s_data (packed_line),
    .s_valid(line_done),
    .s_ready(),
    .m_data (tail_line),
    .m_valid(tail_valid),
    .m_ready(tail_taken),
    .count_o(tail_count)
  );

  // ---- What goes to memory, and what comes back ---------------------------------------------------------

  logic [LinesWidth-1:0] stored_q;  // lines in memory
  line_t write_line_q, read_line_q;
  logic reading_q, read_wanted, write_wanted, read, write, read_done, line_free;
  logic head_room, take_tail;
  logic [WriteTags-1:0] tags_busy_q;
  logic [1:0] write_tag;
  logic [FillWidth-1:0] unpack_left_q;
  entries_t unpacker_q;
  line_request_t request;

  always_comb begin
    write_tag = '0;
    for (int i = WriteTags - 1; i >= 0; i--) if (!tags_busy_q[i]) write_tag = 2'(i);
  end

  // The unpacker begins a line when the head has room for all of it.
  assign head_room    = unpack_left_q == '0 && !reading_q
      && head_count <= HeadWidth'(HeadDepth - Entries);
  assign read_wanted  = head_room && stored_q != '0;
  assign take_tail    = head_room && stored_q == '0 && tail_valid;
  assign take_part    = head_room && stored_q == '0 && !tail_valid && fill_q != '0 && !pack;
  assign write_wanted = tail_count >= TailWidth'(2) && tail_valid && !take_tail
      && tags_busy_q != '1;
  // Writing is what makes room.
  assign write        = write_wanted && line_free;
  assign read         = read_wanted && !write_wanted && line_free;
  assign tail_taken   = take_tail || write;
  assign read_done    = s_line_valid && s_line.tag == ReadTag;

  always_comb begin
    request         = '0;
    request.write   = write_wanted;
    request.address = write_wanted ? 32'(write_line_q) : 32'(read_line_q);
    request.tag     = write_wanted ? LineTagWidth'(write_tag) : ReadTag;
    request.strobe  = '1;
    request.data    = LineBits'(tail_line);
  end

  stream_register #(
    .T(line_request_t)
  ) line_register (
    .clk,
    .rst,
    .s_data (request),
    .s_valid(read || write),
    .s_ready(line_free),
    .m_data (m_line),
    .m_valid(m_line_valid),
    .m_ready(m_line_ready)
  );

  logic unpack;
  assign unpack = unpack_left_q != '0;

  always_ff @(posedge clk) begin
    if (write) write_line_q <= next_line(write_line_q);
    if (read) read_line_q <= next_line(read_line_q);
    stored_q  <= stored_q + LinesWidth'(write) - LinesWidth'(read);
    reading_q <= (reading_q && !read_done) || read;

    for (int i = 0; i < WriteTags; i++) begin
      if (s_line_valid && s_line.tag == LineTagWidth'(i)) tags_busy_q[i] <= 1'b0;
      if (write && write_tag == 2'(i)) tags_busy_q[i] <= 1'b1;
    end

    if (read_done) begin
      unpacker_q    <= entries_t'(s_line.data[Entries*Width-1:0]);
      unpack_left_q <= FillWidth'(Entries);
    end else if (take_tail) begin
      unpacker_q    <= tail_line;
      unpack_left_q <= FillWidth'(Entries);
    end else if (take_part) begin
      unpacker_q    <= packer_q;
      unpack_left_q <= fill_q;
    end else if (unpack) begin
      unpacker_q    <= unpacker_q >> Width;
      unpack_left_q <= unpack_left_q - 1'b1;
    end

    beyond_q <= beyond_q + CountWidth'(pack) - CountWidth'(unpack);
    count_o  <= count_o + CountWidth'(push_valid) - CountWidth'(m_valid && m_ready);

    if (rst) begin
      write_line_q  <= '0;
      read_line_q   <= '0;
      stored_q      <= '0;
      reading_q     <= 1'b0;
      tags_busy_q   <= '0;
      unpack_left_q <= '0;
      beyond_q      <= '0;
      count_o       <= '0;
    end
  end

  // ---- Head ------------------------------------------------------------------------------------------------

  stream_fifo #(
    .T    (logic [Width-1:0]),
    .Depth(HeadDepth)
  ) head (
    .clk,
    .rst,
    .s_data (unpack ? unpacker_q[0] : push_data),
    .s_valid(unpack || direct),
    .s_ready(head_ready),
    .m_data,
    .m_valid,
    .m_ready,
    .count_o(head_count)
  );

endmodule
