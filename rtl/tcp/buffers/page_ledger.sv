// SPDX-License-Identifier: Apache-2.0

// Whose page is whose: gives each page of a ring that a packet will be written to a page of memory from
// the pool, before the packet is announced to the writer, and brings pages back to the pool.
//
// s_write announces a packet of `length` bytes (at least 1) at `offset` of the ring of connection `id`:
// its pages are mapped, but for the first one where `there` says that it is already. Then it goes on
// (m_write_valid; its fields pass beside). s_written reports the bytes that have come of the packets
// announced, in their order; what was mapped behind them goes back.
// free_i says that a range of a ring's pages holds nothing any more. They go back when every packet
// that was to be read by then has been read (read_begun_i, in the clock of free_i at the latest, and
// read_done_i), so what is still on its way out does not change. A packet of the same connection that
// comes in a later clock is not announced before that.
//
// It is for the caller to announce no more than the pool has pages for, counting a page as one that is
// there when freed_o has said so, and to free what is mapped, each page once, after the packets in it
// have been reported.
//
// Latency    an announcement goes on after 1 clock and one for each page that it maps. A page goes back
//            2 clocks after the table has told which it is.
// Throughput a page mapped a clock; a page brought back in 4 clocks and what the table takes.
// Room       room_o falls while there are places for less than Slack frees.
// Paths      s_write_ready follows m_write_ready, m_written_valid s_written_*; m_update_valid follows
//            s_page_valid and s_page_ready m_update_ready. The rest are functions of registers.
module page_ledger
  import page_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int RingBytes   = 2048,
  parameter  int PageBytes   = 256,
  parameter  int Pages       = 64,
  parameter  int Packets     = 4,    // announced and not reported
  parameter  int Frees       = 32,   // that wait, a power of two
  parameter  int Slack       = 20,
  localparam int IdWidth     = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth = $clog2(RingBytes),
  localparam int RingWidth   = $clog2(RingBytes / PageBytes),
  localparam int PlaceWidth  = $clog2(Connections) + RingWidth,
  localparam int PageWidth   = $clog2(Pages)
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [    IdWidth-1:0] s_write_id,
  input  logic [OffsetWidth-1:0] s_write_offset,
  input  logic [           15:0] s_write_length,
  input  logic                   s_write_there,
  input  logic                   s_write_valid,
  output logic                   s_write_ready,
  output logic                   m_write_valid,
  input  logic                   m_write_ready,

  input  logic [           15:0] s_written_length,
  input  logic                   s_written_valid,
  output logic                   s_written_ready,
  output logic                   m_written_valid,
  input  logic                   m_written_ready,

  input  logic [    IdWidth-1:0] free_id_i,
  input  page_range_t            free_range_i,
  input  logic                   free_i,
  input  logic                   read_begun_i,
  input  logic                   read_done_i,
  output logic                   room_o,

  // The pool.
  input  logic [  PageWidth-1:0] s_page,
  input  logic                   s_page_valid,
  output logic                   s_page_ready,
  output logic [  PageWidth-1:0] freed_page_o,
  output logic                   freed_o,
  input  logic                   pool_room_i,

  // The table.
  output logic [ PlaceWidth-1:0] m_update_place,
  output logic [  PageWidth-1:0] m_update_page,
  output logic                   m_update_valid,
  input  logic                   m_update_ready,
  output logic [ PlaceWidth-1:0] m_lookup_place,
  output logic                   m_lookup_valid,
  input  logic [  PageWidth-1:0] s_lookup_page,
  input  logic                   s_lookup_valid
);

  if (2 ** $clog2(
          PageBytes
      ) != PageBytes || PageBytes * RingPagesMost < RingBytes ||
          2 * PageBytes > RingBytes) begin : gen_check_page
    $error(
        "PageBytes must be a power of two, a 16th of RingBytes at least and half of it at most."
    );
  end
  if (2 ** $clog2(Frees) != Frees || Frees <= Slack) begin : gen_check_frees
    $error("Frees must be a power of two, more than Slack.");
  end

  localparam int ByteWidth = $clog2(PageBytes);
  localparam int FreeWidth = $clog2(Frees);

  typedef logic [IdWidth-1:0] id_t;
  typedef logic [RingWidth-1:0] ring_page_t;
  typedef logic [16:0] position_t;  // from the begin of the ring, packets go past its end
  typedef logic [7:0] segments_t;  // counts of packets to be read; differences are below 128

  // Pages up to a position, one that it lies within included.
  function automatic logic [16:0] pages_to(input position_t position);
    return (position + position_t'(PageBytes - 1)) >> ByteWidth;
  endfunction

  function automatic logic [PlaceWidth-1:0] place_of(input id_t id, input ring_page_t page);
    return PlaceWidth'({id, page});
  endfunction

  // ---- Announcements: each page that is not there gets one ------------------------------------------

  // What an announcement mapped and its report may give back.
  typedef struct packed {
    id_t                    id;
    logic [OffsetWidth-1:0] offset;
    logic [15:0]            length;
  } span_t;

  logic claiming_q, claim, claimed, pending, span_ready, span_valid, span_taken;
  ring_page_t claim_page_q;
  logic [16:0] claim_left_q, first_page;
  span_t span;
  logic [$clog2(Packets+1)-1:0] unused_span_count;

  assign first_page     = 17'(s_write_offset >> ByteWidth);
  assign claim          = s_write_valid && !claiming_q && !pending && span_ready;
  assign claimed        = claiming_q && claim_left_q == '0;
  assign m_write_valid  = claimed;
  assign s_write_ready  = claimed && m_write_ready;

  assign m_update_place = place_of(s_write_id, claim_page_q);
  assign m_update_page  = s_page;
  assign m_update_valid = claiming_q && !claimed && s_page_valid;
  assign s_page_ready   = claiming_q && !claimed && m_update_ready;

  always_ff @(posedge clk) begin
    if (claim) begin
      claiming_q   <= 1'b1;
      claim_page_q <= ring_page_t'(first_page + 17'(s_write_there));
      claim_left_q <= pages_to(17'(s_write_offset) + 17'(s_write_length)) - first_page
          - 17'(s_write_there);
    end else if (m_update_valid && m_update_ready) begin
      claim_page_q <= claim_page_q + 1'b1;
      claim_left_q <= claim_left_q - 1'b1;
    end else if (s_write_ready) begin
      claiming_q <= 1'b0;
    end

    if (rst) claiming_q <= 1'b0;
  end

  stream_fifo #(
    .T       (span_t),
    .Depth   (Packets),
    .BlockRam(0)
  ) spans (
    .clk,
    .rst,
    .s_data ('{id: s_write_id, offset: s_write_offset, length: s_write_length}),
    .s_valid(s_write_valid && s_write_ready),
    .s_ready(span_ready),
    .m_data (span),
    .m_valid(span_valid),
    .m_ready(span_taken),
    .count_o(unused_span_count)
  );

  // ---- Reports: what was mapped and not written ------------------------------------------------------

  logic tail_q, tail_done, tail_free, tail_wanted;
  id_t tail_id_q;
  ring_page_t tail_page_q;
  logic [16:0] tail_count_q, written_pages, tail_count;

  assign written_pages   = pages_to(17'(span.offset) + 17'(s_written_length));
  assign tail_count      = pages_to(17'(span.offset) + 17'(span.length)) - written_pages;
  assign tail_wanted     = tail_count != '0;
  assign tail_free       = !tail_wanted || !tail_q;
  assign m_written_valid = s_written_valid && span_valid && tail_free;
  assign s_written_ready = m_written_ready && span_valid && tail_free;
  assign span_taken      = s_written_valid && s_written_ready;

  always_ff @(posedge clk) begin
    tail_q <= (tail_q && !tail_done) || (span_taken && tail_wanted);
    if (span_taken && tail_wanted) begin
      tail_id_q    <= span.id;
      tail_page_q  <= ring_page_t'(written_pages);
      tail_count_q <= tail_count;
    end

    if (rst) tail_q <= 1'b0;
  end

  // ---- Frees, in order, each behind what was to be read ------------------------------------------------

  id_t free_id_q[Frees];
  page_range_t free_range_q[Frees];
  segments_t free_mark_q[Frees];
  logic [Frees-1:0] waiting_q;
  logic [FreeWidth-1:0] head_q, next_q;
  logic [FreeWidth:0] waiting_count_q;
  segments_t begun_q, done_q, ahead;
  logic push, pop, ripe_q;

  assign push = free_i && free_range_i.count != '0;
  // Those that are still to be read before the first one: negative or 0 when it may go.
  assign ahead = free_mark_q[head_q] - done_q;

  always_comb begin
    pending = tail_q && tail_id_q == s_write_id;
    for (int i = 0; i < Frees; i++) begin
      if (waiting_q[i] && free_id_q[i] == s_write_id) pending = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (push) begin
      free_id_q[next_q]    <= free_id_i;
      free_range_q[next_q] <= free_range_i;
      free_mark_q[next_q]  <= begun_q + segments_t'(read_begun_i);
      waiting_q[next_q]    <= 1'b1;
      next_q               <= next_q + 1'b1;
    end
    if (pop) begin
      waiting_q[head_q] <= 1'b0;
      head_q            <= head_q + 1'b1;
    end
    begun_q         <= begun_q + segments_t'(read_begun_i);
    done_q          <= done_q + segments_t'(read_done_i);
    waiting_count_q <= waiting_count_q + (FreeWidth + 1)'(push) - (FreeWidth + 1)'(pop);
    room_o          <= waiting_count_q < (FreeWidth + 1)'(Frees - Slack);
    ripe_q          <= waiting_q[head_q] && !pop && (ahead == '0 || ahead[7]);

    if (rst) begin
      waiting_q       <= '0;
      head_q          <= '0;
      next_q          <= '0;
      begun_q         <= '0;
      done_q          <= '0;
      waiting_count_q <= '0;
      room_o          <= 1'b0;
      ripe_q          <= 1'b0;
    end
  end

  // ---- Back to the pool, one by one -------------------------------------------------------------------

  logic working_q, work_tail_q, last;
  id_t work_id_q;
  ring_page_t work_page_q;
  logic [16:0] work_left_q;

  assign m_lookup_place = place_of(work_id_q, work_page_q);
  assign m_lookup_valid = working_q && work_left_q != '0 && pool_room_i;
  assign last           = working_q && work_left_q == '0;
  assign pop            = last && !work_tail_q;
  assign tail_done      = last && work_tail_q;

  always_ff @(posedge clk) begin
    freed_o <= s_lookup_valid;
    if (s_lookup_valid) begin
      freed_page_o <= s_lookup_page;
      work_page_q  <= work_page_q + 1'b1;
      work_left_q  <= work_left_q - 1'b1;
    end else if (last) begin
      working_q <= 1'b0;
    end else if (!working_q && (tail_q || ripe_q)) begin
      working_q   <= 1'b1;
      work_tail_q <= tail_q;
      work_id_q   <= tail_q ? tail_id_q : free_id_q[head_q];
      work_page_q <= tail_q ? tail_page_q : ring_page_t'(free_range_q[head_q].first);
      work_left_q <= tail_q ? tail_count_q : 17'(free_range_q[head_q].count);
    end

    if (rst) begin
      freed_o   <= 1'b0;
      working_q <= 1'b0;
    end
  end

endmodule
