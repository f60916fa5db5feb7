// SPDX-License-Identifier: Apache-2.0

// Rings whose pages come from a common pool: stands between what announces packets and the ring_writer,
// and between ring_writer and ring_reader and their memory.
//
//   s_write ----> page_ledger ---> m_write       s_write_address --> page_translator --> m_write_address
//                  |  ^    |                     s_request_address > page_translator --> m_request_address
//        page_pool +--+    +-----> page_table <------------+
//
// What the announcements, reports and frees mean is in page_ledger; the words are those of
// ring_memory's channels, with addresses in {id, offset} on one side and of the pool's memory on the
// other.
//
// Latency    that of page_ledger for announcements, of page_translator for words.
// Throughput 1 word a clock each way within a page.
// Paths      words pass combinationally, as page_translator says.
module ring_pages
  import line_memory_pkg::*;
  import page_pkg::*;
#(
  parameter  int DataWidth     = 64,
  parameter  int Connections   = 64,
  parameter  int RingBytes     = 2048,
  parameter  int PageBytes     = 256,
  parameter  int Pages         = 64,    // of the pool, a power of two
  parameter  int Packets       = 4,
  parameter  int Frees         = 32,
  parameter  int Slack         = 20,
  parameter  int CacheEntries  = 4096,  // places that are found on chip
  localparam int Lanes         = DataWidth / 8,
  localparam int IdWidth       = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth   = $clog2(RingBytes),
  localparam int WordWidth     = $clog2(PageBytes / Lanes),
  localparam int PlaceWidth    = $clog2(Connections) + $clog2(RingBytes / PageBytes),
  localparam int PageWidth     = $clog2(Pages),
  localparam int RingAddress   = PlaceWidth + WordWidth,
  localparam int MemoryAddress = PageWidth + WordWidth
) (
  input  logic                     clk,
  input  logic                     rst,

  input  logic [      IdWidth-1:0] s_write_id,
  input  logic [  OffsetWidth-1:0] s_write_offset,
  input  logic [             15:0] s_write_length,
  input  logic                     s_write_there,
  input  logic                     s_write_valid,
  output logic                     s_write_ready,
  output logic                     m_write_valid,
  input  logic                     m_write_ready,

  input  logic [             15:0] s_written_length,
  input  logic                     s_written_valid,
  output logic                     s_written_ready,
  output logic                     m_written_valid,
  input  logic                     m_written_ready,

  input  logic [      IdWidth-1:0] free_id_i,
  input  page_range_t              free_range_i,
  input  logic                     free_i,
  input  logic                     read_begun_i,
  input  logic                     read_done_i,
  output logic                     room_o,
  output logic                     freed_o,

  input  logic [  RingAddress-1:0] s_write_address,
  input  logic                     s_word_valid,
  output logic                     s_word_ready,
  output logic [MemoryAddress-1:0] m_write_address,
  output logic                     m_word_valid,
  input  logic                     m_word_ready,

  input  logic [  RingAddress-1:0] s_request_address,
  input  logic                     s_request_valid,
  output logic                     s_request_ready,
  output logic [MemoryAddress-1:0] m_request_address,
  output logic                     m_request_valid,
  input  logic                     m_request_ready,

  // Lines of the table, and of the pool.
  output line_request_t [1:0]      m_line,
  output logic [1:0]               m_line_valid,
  input  logic [1:0]               m_line_ready,
  input  line_response_t           s_line,
  input  logic [1:0]               s_line_valid
);

  if (2 ** $clog2(Pages) != Pages || Pages < 4 * RingBytes / PageBytes) begin : gen_check_pages
    $error("The pool must have a power of two of pages, at least as many as four rings.");
  end

  if (Pages > 2 ** PlaceWidth) begin : gen_check_pages_most
    $error("The pool must not have more pages than all rings together.");
  end

  localparam int Places = 2 ** PlaceWidth;
  localparam int Reader = 0, Writer = 1, Ledger = 2;  // who asks the table, in this order
  localparam int Lookups = 3;

  logic [Lookups-1:0][PlaceWidth-1:0] lookup_place;
  logic [Lookups-1:0] lookup_valid, page_valid;
  logic [PageWidth-1:0] page, update_page, pool_page, freed_page;
  logic [PlaceWidth-1:0] page_place, update_place;
  logic update_valid, update_ready, update;
  logic pool_valid, pool_taken, pool_room;

  assign update = update_valid && update_ready;

  page_ledger #(
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .PageBytes  (PageBytes),
    .Pages      (Pages),
    .Packets    (Packets),
    .Frees      (Frees),
    .Slack      (Slack)
  ) ledger (
    .clk,
    .rst,
    .s_write_id,
    .s_write_offset,
    .s_write_length,
    .s_write_there,
    .s_write_valid,
    .s_write_ready,
    .m_write_valid,
    .m_write_ready,
    .s_written_length,
    .s_written_valid,
    .s_written_ready,
    .m_written_valid,
    .m_written_ready,
    .free_id_i,
    .free_range_i,
    .free_i,
    .read_begun_i,
    .read_done_i,
    .room_o,
    .s_page        (pool_page),
    .s_page_valid  (pool_valid),
    .s_page_ready  (pool_taken),
    .freed_page_o  (freed_page),
    .freed_o,
    .pool_room_i   (pool_room),
    .m_update_place(update_place),
    .m_update_page (update_page),
    .m_update_valid(update_valid),
    .m_update_ready(update_ready),
    .m_lookup_place(lookup_place[Ledger]),
    .m_lookup_valid(lookup_valid[Ledger]),
    .s_lookup_page (page),
    .s_lookup_valid(page_valid[Ledger])
  );

  page_pool #(
    .Pages(Pages)
  ) pool (
    .clk,
    .rst,
    .push_page   (freed_page),
    .push_valid  (freed_o),
    .room_o      (pool_room),
    .m_page      (pool_page),
    .m_valid     (pool_valid),
    .m_ready     (pool_taken),
    .m_line      (m_line[1]),
    .m_line_valid(m_line_valid[1]),
    .m_line_ready(m_line_ready[1]),
    .s_line,
    .s_line_valid(s_line_valid[1])
  );

  page_table #(
    .Connections(Connections),
    .RingPages  (RingBytes / PageBytes),
    .Pages      (Pages),
    .Entries    (CacheEntries < Places ? CacheEntries : Places),
    .Lookups    (Lookups)
  ) places (
    .clk,
    .rst,
    .s_lookup_place(lookup_place),
    .s_lookup_valid(lookup_valid),
    .page_o        (page),
    .page_place_o  (page_place),
    .page_valid_o  (page_valid),
    .s_update_place(update_place),
    .s_update_page (update_page),
    .s_update_valid(update_valid),
    .s_update_ready(update_ready),
    .m_line        (m_line[0]),
    .m_line_valid  (m_line_valid[0]),
    .m_line_ready  (m_line_ready[0]),
    .s_line,
    .s_line_valid  (s_line_valid[0])
  );

  page_translator #(
    .PlaceWidth(PlaceWidth),
    .PageWidth (PageWidth),
    .WordWidth (WordWidth)
  ) write_translator (
    .clk,
    .rst,
    .s_address     (s_write_address),
    .s_valid       (s_word_valid),
    .s_ready       (s_word_ready),
    .m_address     (m_write_address),
    .m_valid       (m_word_valid),
    .m_ready       (m_word_ready),
    .m_lookup_place(lookup_place[Writer]),
    .m_lookup_valid(lookup_valid[Writer]),
    .s_page        (page),
    .s_page_place  (page_place),
    .s_page_valid  (page_valid[Writer]),
    .update_place_i(update_place),
    .update_i      (update)
  );

  page_translator #(
    .PlaceWidth(PlaceWidth),
    .PageWidth (PageWidth),
    .WordWidth (WordWidth)
  ) read_translator (
    .clk,
    .rst,
    .s_address     (s_request_address),
    .s_valid       (s_request_valid),
    .s_ready       (s_request_ready),
    .m_address     (m_request_address),
    .m_valid       (m_request_valid),
    .m_ready       (m_request_ready),
    .m_lookup_place(lookup_place[Reader]),
    .m_lookup_valid(lookup_valid[Reader]),
    .s_page        (page),
    .s_page_place  (page_place),
    .s_page_valid  (page_valid[Reader]),
    .update_place_i(update_place),
    .update_i      (update)
  );

endmodule
