// SPDX-License-Identifier: Apache-2.0

// Where the pages of rings are: a page of memory for each place {id, page of its ring}. The table is in
// far memory, 16 places to a line; the places that were written or asked for last are in a cache on
// chip, which is direct-mapped.
//
// Latency    3 clocks from a question to its answer if the cache has it, 4 and the far memory's time if
//            not: others wait meanwhile.
// Throughput a question in 2 clocks, an update a clock.
// Paths      answers are registers; s_update_ready is a function of registers.
// Start      nothing to clear, here or in memory. Nobody asks for a place that was not written, and what
//            is written goes to the cache and to memory: so what the cache has of such a place is
//            never older than memory.
//
// s_lookup_valid stays until page_valid_o answers, in the clock after which it may ask the next
// question. page_place_o is the place that was asked for. An update goes before questions.
module page_table
  import line_memory_pkg::*;
  import page_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int RingPages   = 8,     // a power of two
  parameter  int Pages       = 64,    // a power of two
  parameter  int Entries     = 1024,  // of the cache, a power of two
  parameter  int Lookups     = 3,
  localparam int RingWidth   = $clog2(RingPages),
  localparam int PlaceWidth  = $clog2(Connections) + RingWidth,
  localparam int PageWidth   = $clog2(Pages)
) (
  input  logic                                clk,
  input  logic                                rst,

  input  logic [Lookups-1:0][PlaceWidth-1:0]  s_lookup_place,
  input  logic [Lookups-1:0]                  s_lookup_valid,
  output logic [ PageWidth-1:0]               page_o,
  output logic [PlaceWidth-1:0]               page_place_o,
  output logic [Lookups-1:0]                  page_valid_o,  // whose question it answers

  input  logic [PlaceWidth-1:0]               s_update_place,
  input  logic [ PageWidth-1:0]               s_update_page,
  input  logic                                s_update_valid,
  output logic                                s_update_ready,

  // Lines from 0 on.
  output line_request_t                       m_line,
  output logic                                m_line_valid,
  input  logic                                m_line_ready,
  // verilator lint_off UNUSEDSIGNAL
  input  line_response_t                      s_line,  // nothing is read but tag and pages
  // verilator lint_on UNUSEDSIGNAL
  input  logic                                s_line_valid
);

  if (RingPages < 2 || RingPages > RingPagesMost || 2 ** RingWidth != RingPages)
  begin : gen_check_ring
    $error("A ring must have 2, 4, 8 or 16 pages.");
  end
  if (2 ** $clog2(Entries) != Entries || Entries < 2 * RingPages) begin : gen_check_entries
    $error("Entries must be a power of two, at least twice the pages of a ring.");
  end

  localparam int IdWidth = PlaceWidth - RingWidth;
  localparam int IndexWidth = $clog2(Entries);
  localparam int HighWidth = IdWidth > IndexWidth ? IdWidth - IndexWidth : 1;
  localparam int EntryBits = 8 * PageEntryBytes;
  localparam int LinePlaces = LineBits / EntryBits;
  localparam int LinePlaceWidth = $clog2(LinePlaces);
  localparam int WriteTags = 4;
  localparam logic [LineTagWidth-1:0] ReadTag = LineTagWidth'(WriteTags);

  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [PageWidth-1:0] page_t;
  typedef logic [IndexWidth-1:0] index_t;

  // With the index, these tell the place.
  typedef struct packed {
    logic [HighWidth-1:0] id_high;
    logic [RingWidth-1:0] ring_page;
    page_t                page;
  } entry_t;

  // Pages of a ring are far from each other, and so are the first ones of connections.
  function automatic index_t index_of(input place_t place);
    return index_t'(place >> RingWidth) ^ {place[RingWidth-1:0], (IndexWidth - RingWidth)'(0)};
  endfunction

  function automatic entry_t entry_of(input place_t place, input page_t page);
    return
    '{
        id_high: HighWidth'(place >> (RingWidth + IndexWidth)),
        ring_page: place[RingWidth-1:0],
        page: page
    }
    ;
  endfunction

  typedef enum logic [1:0] {
    StIdle,
    StCompare,  // the cache's entry is there
    StAsk,      // it was another's: the line is asked for,
    StWait      // and on its way
  } state_e;

  state_e state_q, state_d;
  place_t place_q, chosen_place;
  logic [31:0] asked, updated;  // places
  logic [Lookups-1:0] chosen, chosen_q, asking;
  logic begin_lookup, hit, update, fill, ask, line_free;
  logic [WriteTags-1:0] tags_busy_q;
  logic [$clog2(WriteTags)-1:0] write_tag;
  entry_t found, written;
  page_t filled_page;
  line_request_t request;

  // ---- Who is next

  assign asked   = 32'(place_q);
  assign updated = 32'(s_update_place);

  assign asking = s_lookup_valid & ~page_valid_o;

  always_comb begin
    chosen = '0;
    chosen_place = s_lookup_place[0];
    for (int i = Lookups - 1; i >= 0; i--) begin
      if (asking[i]) begin
        chosen = Lookups'(1) << i;
        chosen_place = s_lookup_place[i];
      end
    end
  end

  assign s_update_ready = state_q == StIdle && line_free && tags_busy_q != '1;
  assign update         = s_update_valid && s_update_ready;
  assign begin_lookup   = state_q == StIdle && !s_update_valid && asking != '0;
  assign hit            = found == entry_of(place_q, found.page);
  assign ask            = state_q == StAsk && line_free;
  assign fill           = state_q == StWait && s_line_valid && s_line.tag == ReadTag;
  assign filled_page    = page_t'(s_line.data[asked[LinePlaceWidth-1:0]*EntryBits+:EntryBits]);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (begin_lookup) state_d = StCompare;
      StCompare: state_d = hit ? StIdle : StAsk;
      StAsk: if (ask) state_d = StWait;
      default: if (fill) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (begin_lookup) begin
      place_q  <= chosen_place;
      chosen_q <= chosen;
    end
    page_o       <= fill ? filled_page : found.page;
    page_place_o <= place_q;
    page_valid_o <= (state_q == StCompare && hit) || fill ? chosen_q : '0;

    if (rst) begin
      state_q      <= StIdle;
      page_valid_o <= '0;
    end
  end

  // ---- The cache

  assign written = fill ? entry_of(place_q, filled_page) : entry_of(s_update_place, s_update_page);

  ram_simple_dual_port #(
    .Width($bits(entry_t)),
    .Depth(Entries)
  ) cache (
    .clk,
    .write_enable_i (update || fill),
    .write_address_i(fill ? index_of(place_q) : index_of(s_update_place)),
    .write_data_i   (written),
    .read_enable_i  (begin_lookup),
    .read_address_i (index_of(chosen_place)),
    .read_data_o    (found)
  );

  // ---- Far memory: entries are written one by one

  always_comb begin
    write_tag = '0;
    for (int i = WriteTags - 1; i >= 0; i--)
    if (!tags_busy_q[i]) write_tag = ($bits(write_tag))'(i);
  end

  always_comb begin
    request = '0;
    if (state_q == StAsk) begin
      request.address = asked >> LinePlaceWidth;
      request.tag     = ReadTag;
    end else begin
      request.write   = 1'b1;
      request.address = updated >> LinePlaceWidth;
      request.tag     = LineTagWidth'(write_tag);
      request.strobe  = LineBytes'((1 << PageEntryBytes) - 1)
          << (updated[LinePlaceWidth-1:0] * PageEntryBytes);
      request.data    = {LinePlaces{EntryBits'(s_update_page)}};
    end
  end

  stream_register #(
    .T(line_request_t)
  ) line_register (
    .clk,
    .rst,
    .s_data (request),
    .s_valid(update || ask),
    .s_ready(line_free),
    .m_data (m_line),
    .m_valid(m_line_valid),
    .m_ready(m_line_ready)
  );

  always_ff @(posedge clk) begin
    for (int i = 0; i < WriteTags; i++) begin
      if (s_line_valid && s_line.tag == LineTagWidth'(i)) tags_busy_q[i] <= 1'b0;
      if (update && write_tag == ($bits(write_tag))'(i)) tags_busy_q[i] <= 1'b1;
    end

    if (rst) tags_busy_q <= '0;
  end

endmodule
