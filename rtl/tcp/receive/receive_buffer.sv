// SPDX-License-Identifier: Apache-2.0

// Keeps what connections have received until their applications take it.
//
//                 s_payload -> ring_writer -> ring_memory -> ring_reader -> m_app
//                                  ^                             ^
//                 s_command -------+--> offer: query, grant -----+----> m_delivered
//
// Commands are executed strictly in order:
//   RxDrop     discards the next payload packet.
//   RxWrite    drops `skip` bytes of the next payload packet, stores `length` bytes at `seq`, and
//              discards the rest.
//   RxDeliver  offers `length` bytes at `seq` to the application. m_query asks, s_grant_length
//              answers (0: not now); Y, the lesser of grant and length, bytes go out as one packet,
//              with m_app_session and m_app_app beside it; then m_delivered tells the engine Y. With
//              length 0, or a grant of 0, m_delivered alone.
//   RxFree     gives pages back, where there are some.
// A byte with sequence number s lies at s modulo RingBytes in the ring of its connection.
//
// With PageBytes the rings' memory is Pages pages from a pool (ring_pages). A command brings pages along:
// those of its ring that get memory before it writes (takes_pages), or those that go back. It is for the
// caller to take no more than the pool has, counting a page as one that is there when page_freed_o has
// said so, and each once, and to give back what is taken and neither to be read nor offered.
//
// An offer sees every byte of the writes before it and goes on while later ones are made. It is for
// the caller to see that later writes do not reach the bytes of an open offer. Queries do not wait for
// the grants and the data of those before them; grants come in the order of the queries, and packets in that of the
// grants. An RxDeliver more than Offers would wait, and all behind it: callers keep to so many. Data never waits for
// reports to be taken: what takes them may itself wait for this data, where an application sends it on.
//
// Latency    RxDeliver to m_query 2 clocks when the writes before it are done; grant to the first
//            beat 7 clocks, 8 where this beat takes bytes of two words, one more from 256 bits on;
//            last beat to m_delivered 1 clock. With PageBytes a write that takes pages begins 1 clock
//            later and one for each, and a word waits 3 clocks and more where it lies in another page
//            than the one before.
// Throughput 1 beat a clock in and 1 beat a clock out at once.
// Paths      s_command_ready follows s_command, s_command_valid, s_payload_valid and s_payload_last;
//            every other output follows registers alone.
module receive_buffer
  import burst_memory_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import page_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int RingBytes   = 2048,
  parameter  int InDram      = 0,     // 1: the rings lie in DRAM,
  parameter  int BaseMiB     = 0,     // from here on
  parameter  int Offers      = 4,     // RxDeliver that may be open at once
  parameter  int PageBytes   = 0,     // of the rings' memory, taken on demand; 0: side by side
  parameter  int Pages       = 64,    // there are
  localparam int IdWidth     = (Connections > 1) ? $clog2(Connections) : 1
) (
  input  logic                       clk,
  input  logic                       rst,

  input  rx_command_t                s_command,
  input  logic [        IdWidth-1:0] s_command_id,
  input  logic                       s_command_valid,
  output logic                       s_command_ready,

  input  logic [      DataWidth-1:0] s_payload_data,
  input  logic [    DataWidth/8-1:0] s_payload_keep,
  input  logic                       s_payload_last,
  input  logic                       s_payload_valid,
  output logic                       s_payload_ready,

  output app_offer_t                 m_query,
  output logic                       m_query_valid,
  input  logic                       m_query_ready,

  input  logic [               15:0] s_grant_length,
  input  logic                       s_grant_valid,
  output logic                       s_grant_ready,

  output logic [      DataWidth-1:0] m_app_data,
  output logic [    DataWidth/8-1:0] m_app_keep,
  output logic                       m_app_last,
  output session_t                   m_app_session,
  output app_id_t                    m_app_app,
  output logic                       m_app_valid,
  input  logic                       m_app_ready,

  output logic [        IdWidth-1:0] m_delivered_id,
  output logic [GenerationWidth-1:0] m_delivered_generation,
  output logic [               15:0] m_delivered_length,
  output logic                       m_delivered_valid,
  input  logic                       m_delivered_ready,

  // A page is in the pool again; lines of the table of pages, and of the pool: where PageBytes.
  output logic                       page_freed_o,
  output line_request_t [1:0]        m_page_line,
  output logic [1:0]                 m_page_line_valid,
  input  logic [1:0]                 m_page_line_ready,
  input  line_response_t             s_page_line,
  input  logic [1:0]                 s_page_line_valid,

  // DRAM, where InDram.
  output burst_t  m_ring_read_burst,
  output logic  m_ring_read_valid,
  input logic  m_ring_read_ready,
  input logic [DataWidth-1:0] s_ring_data,
  input logic  s_ring_valid,
  output burst_t  m_ring_write_burst,
  output logic  m_ring_write_valid,
  input logic  m_ring_write_ready,
  output logic [DataWidth-1:0] m_ring_data,
  output logic [DataWidth/8-1:0] m_ring_strobe,
  output logic  m_ring_last,
  output logic  m_ring_valid,
  input logic  m_ring_ready,
  input logic  ring_written_i
);

  localparam int Lanes = DataWidth / 8;
  localparam int OffsetWidth = $clog2(RingBytes);
  localparam int AddressWidth = $clog2(Connections) + $clog2(RingBytes / Lanes);
  localparam int MemoryWidth = PageBytes != 0 ? $clog2(
      Pages
  ) + $clog2(
      PageBytes / Lanes
  ) : AddressWidth;
  // Covers the memory's latency.
  localparam int Window = InDram != 0 ? 128 : 8;

  typedef struct packed {
    logic [IdWidth-1:0]     id;
    app_id_t                app;
    session_t               session;
    logic [OffsetWidth-1:0] offset;
    logic [15:0]            length;
  } offer_t;

  // ---- Commands in order -------------------------------------------------------------------------

  // Writes that have been begun and not finished, at most what the writer holds. An RxDeliver waits
  // in `arrived` for those that came before it.
  localparam int PendingWidth = 4;

  typedef logic [PendingWidth-1:0] pending_t;

  pending_t pending_q, awaited_q;
  logic arrived_q;
  offer_t arrived_offer_q;
  logic is_deliver, is_free, write_command_valid, write_command_ready, write, written;
  logic may_write, may_free;  // the pages that the command takes, or gives back, let it go on
  logic offer_in_valid, offer_in_ready, offer_valid, offer_taken;
  offer_t offer;
  logic [$clog2(Offers+1)-1:0] unused_offer_count;

  assign is_deliver          = s_command.kind == RxDeliver;
  assign is_free             = PageBytes != 0 && s_command.kind == RxFree;
  assign write_command_valid = s_command_valid && !is_deliver && !is_free && may_write && may_free;
  assign write               = write_command_valid && write_command_ready;
  assign s_command_ready     = may_free && (is_free || (is_deliver ? !arrived_q
                                                        : may_write && write_command_ready));

  assign offer_in_valid = arrived_q && awaited_q == '0;

  always_ff @(posedge clk) begin
    pending_q <= pending_q + pending_t'(write) - pending_t'(written);

    if (s_command_valid && s_command_ready && is_deliver) begin
      arrived_q       <= 1'b1;
      awaited_q       <= pending_q - pending_t'(written);
      arrived_offer_q <= '{
          id: s_command_id,
          app: s_command.app,
          session: s_command.session,
          offset: s_command.seq[OffsetWidth-1:0],
          length: s_command.length
      };
    end else begin
      if (offer_in_valid && offer_in_ready) arrived_q <= 1'b0;
      if (awaited_q != '0) awaited_q <= awaited_q - pending_t'(written);
    end

    if (rst) begin
      pending_q <= '0;
      arrived_q <= 1'b0;
    end
  end

  stream_fifo #(
    .T       (offer_t),
    .Depth   (Offers),
    .BlockRam(0)
  ) offer_queue (
    .clk,
    .rst,
    .s_data (arrived_offer_q),
    .s_valid(offer_in_valid),
    .s_ready(offer_in_ready),
    .m_data (offer),
    .m_valid(offer_valid),
    .m_ready(offer_taken),
    .count_o(unused_offer_count)
  );

  // ---- Memory ------------------------------------------------------------------------------------

  // Words as writer and reader name them, and as the memory does.
  logic [AddressWidth-1:0] write_address, request_address;
  logic [MemoryWidth-1:0] memory_write_address, memory_request_address;
  logic memory_write_valid, memory_write_ready, memory_request_valid, memory_request_ready;
  logic [DataWidth-1:0] write_data, response_data;
  logic [Lanes-1:0] write_strobe;
  logic write_valid, write_ready, request_valid, request_ready, response_valid;
  logic [15:0] unused_done_length;
  logic unused_done_tag;

  ring_writer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes)
  ) writer (
    .clk,
    .rst,
    .s_command_id    (s_command_id),
    .s_command_offset(s_command.seq[OffsetWidth-1:0]),
    .s_command_skip  (s_command.skip),
    .s_command_length(s_command.kind == RxWrite ? s_command.length : '0),
    .s_command_tag   (1'b0),
    .s_command_valid (write_command_valid),
    .s_command_ready (write_command_ready),
    .s_data          (s_payload_data),
    .s_keep          (s_payload_keep),
    .s_last          (s_payload_last),
    .s_valid         (s_payload_valid),
    .s_ready         (s_payload_ready),
    .m_write_address (write_address),
    .m_write_data    (write_data),
    .m_write_strobe  (write_strobe),
    .m_write_valid   (write_valid),
    .m_write_ready   (write_ready),
    .m_done_length   (unused_done_length),
    .m_done_tag      (unused_done_tag),
    .m_done_valid    (written),
    .m_done_ready    (1'b1)
  );

  ring_store #(
    .DataWidth   (DataWidth),
    .AddressWidth(MemoryWidth),
    .InDram      (InDram),
    .BaseMiB     (BaseMiB)
  ) memory (
    .clk,
    .rst,
    .s_write_address  (memory_write_address),
    .s_write_data     (write_data),
    .s_write_strobe   (write_strobe),
    .s_write_valid    (memory_write_valid),
    .s_write_ready    (memory_write_ready),
    .s_request_address(memory_request_address),
    .s_request_valid  (memory_request_valid),
    .s_request_ready  (memory_request_ready),
    .m_response_data  (response_data),
    .m_response_valid (response_valid),
    .m_ring_read_burst,
    .m_ring_read_valid,
    .m_ring_read_ready,
    .s_ring_data,
    .s_ring_valid,
    .m_ring_write_burst,
    .m_ring_write_valid,
    .m_ring_write_ready,
    .m_ring_data,
    .m_ring_strobe,
    .m_ring_last,
    .m_ring_valid,
    .m_ring_ready,
    .ring_written_i
  );

  // ---- Where the rings' words lie ------------------------------------------------------------------

  if (PageBytes != 0) begin : gen_pages
    // What a write takes is announced to the pages as if it were filled at once: nothing of it comes
    // back by itself.
    localparam int ByteWidth = $clog2(PageBytes);

    logic takes, taken, frees, frees_room, announced_q, pages_reported;
    logic [15:0] taken_bytes, announced_bytes_q;

    assign takes       = s_command.takes_pages && s_command.pages.count != '0;
    assign frees       = !s_command.takes_pages && s_command.pages.count != '0;
    assign may_free    = !frees || frees_room;
    assign may_write   = !takes || taken;
    assign taken_bytes = 16'(17'(s_command.pages.count) << ByteWidth) - 1'b1;  // 2^16 is too much

    always_ff @(posedge clk) begin
      if (!announced_q && write && takes) begin
        announced_q       <= 1'b1;
        announced_bytes_q <= taken_bytes;
      end else if (pages_reported) begin
        announced_q <= 1'b0;
      end

      if (rst) announced_q <= 1'b0;
    end

    ring_pages #(
      .DataWidth  (DataWidth),
      .Connections(Connections),
      .RingBytes  (RingBytes),
      .PageBytes  (PageBytes),
      .Pages      (Pages),
      .Packets    (2),
      .Frees      (8),
      .Slack      (2)
    ) ring_pages (
      .clk,
      .rst,
      .s_write_id       (s_command_id),
      .s_write_offset   (OffsetWidth'(s_command.pages.first) << ByteWidth),
      .s_write_length   (taken_bytes),
      .s_write_there    (1'b0),
      .s_write_valid    (s_command_valid && takes && !announced_q),
      .s_write_ready    (),
      .m_write_valid    (taken),
      .m_write_ready    (write_command_ready),
      .s_written_length (announced_bytes_q),
      .s_written_valid  (announced_q),
      .s_written_ready  (pages_reported),
      .m_written_valid  (),
      .m_written_ready  (1'b1),
      .free_id_i        (s_command_id),
      .free_range_i     (s_command.pages),
      .free_i           (s_command_valid && s_command_ready && frees),
      .read_begun_i     (write),
      .read_done_i      (written),
      .room_o           (frees_room),
      .freed_o          (page_freed_o),
      .s_write_address  (write_address),
      .s_word_valid     (write_valid),
      .s_word_ready     (write_ready),
      .m_write_address  (memory_write_address),
      .m_word_valid     (memory_write_valid),
      .m_word_ready     (memory_write_ready),
      .s_request_address(request_address),
      .s_request_valid  (request_valid),
      .s_request_ready  (request_ready),
      .m_request_address(memory_request_address),
      .m_request_valid  (memory_request_valid),
      .m_request_ready  (memory_request_ready),
      .m_line           (m_page_line),
      .m_line_valid     (m_page_line_valid),
      .m_line_ready     (m_page_line_ready),
      .s_line           (s_page_line),
      .s_line_valid     (s_page_line_valid)
    );
  end else begin : gen_side_by_side
    logic unused_pages;
    assign unused_pages = &{1'b0, s_command.takes_pages, s_command.pages, m_page_line_ready,
                            s_page_line, s_page_line_valid};

    assign may_write              = 1'b1;
    assign may_free               = 1'b1;
    assign memory_write_address   = write_address;
    assign memory_write_valid     = write_valid;
    assign write_ready            = memory_write_ready;
    assign memory_request_address = request_address;
    assign memory_request_valid   = request_valid;
    assign request_ready          = memory_request_ready;
    assign page_freed_o           = 1'b0;
    assign m_page_line            = '0;
    assign m_page_line_valid      = '0;
  end

  // ---- Offers: query and grant -------------------------------------------------------------------

  // What is to be read, and what to say when it has been: also the order of all deliveries.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    app_id_t            app;
    session_t           session;
    logic [15:0]        length;
    logic               empty;    // length is 0
  } outcome_t;

  typedef struct packed {
    logic [IdWidth-1:0]     id;
    logic [OffsetWidth-1:0] offset;
    logic [15:0]            length;
  } read_t;

  offer_t asked;
  logic offer_empty, asked_valid, asked_ready, asked_empty, empty, grant;
  logic [15:0] length;  // that goes out
  read_t read;
  logic read_command_valid, read_command_ready;
  outcome_t new_outcome, outcome;
  logic read_valid, read_ready, outcome_in_valid, outcome_in_ready, outcome_valid, outcome_taken;
  logic [$clog2(Offers+1)-1:0] unused_outcome_count, unused_asked_count;

  // An offer of nothing passes without a query.
  assign m_query = '{
      tentative: 1'b0, partial: 1'b0, app: offer.app, session: offer.session, length: offer.length
  };
  assign offer_empty   = offer.length == '0;
  assign m_query_valid = offer_valid && asked_ready && !offer_empty;
  assign offer_taken   = offer_valid && asked_ready && (offer_empty || m_query_ready);

  stream_fifo #(
    .T       (logic [$bits(offer_t):0]),
    .Depth   (Offers),
    .BlockRam(0)
  ) asked_queue (
    .clk,
    .rst,
    .s_data ({offer_empty, offer}),
    .s_valid(offer_taken),
    .s_ready(asked_ready),
    .m_data ({asked_empty, asked}),
    .m_valid(asked_valid),
    .m_ready(outcome_in_valid && outcome_in_ready),
    .count_o(unused_asked_count)
  );

  assign length           = (s_grant_length < asked.length) ? s_grant_length : asked.length;
  assign s_grant_ready    = asked_valid && !asked_empty && outcome_in_ready && read_ready;
  assign grant            = s_grant_valid && s_grant_ready;
  assign empty            = asked_empty || s_grant_length == '0;
  assign read_valid       = grant && !empty;
  assign outcome_in_valid = grant || (asked_valid && asked_empty);
  assign new_outcome      = '{
          id: asked.id,
          app: asked.app,
          session: asked.session,
          length: length,
          empty: empty
      };

  // Outcomes and reports that have not been taken: an outcome finds room for its report, so nothing waits for
  // that when its data ends.
  logic [$clog2(Offers+1)-1:0] held_q;
  logic outcome_in, delivered;

  assign outcome_in = outcome_in_valid && outcome_in_ready;
  assign delivered  = m_delivered_valid && m_delivered_ready;

  always_ff @(posedge clk) begin
    if (outcome_in && !delivered) begin
      held_q           <= held_q + 1'b1;
      outcome_in_ready <= 32'(held_q) != Offers - 1;
    end else if (delivered && !outcome_in) begin
      held_q           <= held_q - 1'b1;
      outcome_in_ready <= 1'b1;
    end

    if (rst) begin
      held_q           <= '0;
      outcome_in_ready <= 1'b1;
    end
  end

  outcome_t next_outcome;
  logic next_outcome_valid, next_outcome_ready, unused_outcome_ready, unused_report_ready;

  stream_fifo #(
    .T       (outcome_t),
    .Depth   (Offers),
    .BlockRam(0)
  ) outcome_queue (
    .clk,
    .rst,
    .s_data (new_outcome),
    .s_valid(outcome_in),
    .s_ready(unused_outcome_ready),
    .m_data (next_outcome),
    .m_valid(next_outcome_valid),
    .m_ready(next_outcome_ready),
    .count_o(unused_outcome_count)
  );

  // That its data ends is known late, and turns one bit here.
  stream_register #(
    .T   (outcome_t),
    .Wide(1'b1)
  ) outcome_register (
    .clk,
    .rst,
    .s_data (next_outcome),
    .s_valid(next_outcome_valid),
    .s_ready(next_outcome_ready),
    .m_data (outcome),
    .m_valid(outcome_valid),
    .m_ready(outcome_taken)
  );

  // ---- Data to the application, then the report to the engine ------------------------------------

  logic stream_valid, stream_ready;
  logic [$clog2(Offers+1)-1:0] unused_report_count;

  assign m_app_valid   = stream_valid && outcome_valid && !outcome.empty;
  assign stream_ready  = m_app_ready && outcome_valid && !outcome.empty;
  assign m_app_session = outcome.session;
  assign m_app_app     = outcome.app;
  assign outcome_taken = outcome_valid
      && (outcome.empty || (stream_valid && stream_ready && m_app_last));

  stream_register #(
    .T(read_t)
  ) read_register (
    .clk,
    .rst,
    .s_data ('{id: asked.id, offset: asked.offset, length: length}),
    .s_valid(read_valid),
    .s_ready(read_ready),
    .m_data (read),
    .m_valid(read_command_valid),
    .m_ready(read_command_ready)
  );

  ring_reader #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .Window     (Window)
  ) reader (
    .clk,
    .rst,
    .s_command_id     (read.id),
    .s_command_offset (read.offset),
    .s_command_length (read.length),
    .s_command_valid  (read_command_valid),
    .s_command_ready  (read_command_ready),
    .m_request_address(request_address),
    .m_request_valid  (request_valid),
    .m_request_ready  (request_ready),
    .s_response_data  (response_data),
    .s_response_valid (response_valid),
    .m_data           (m_app_data),
    .m_keep           (m_app_keep),
    .m_last           (m_app_last),
    .m_valid          (stream_valid),
    .m_ready          (stream_ready)
  );

  typedef struct packed {
    logic [IdWidth-1:0]         id;
    logic [GenerationWidth-1:0] generation;
    logic [15:0]                length;
  } report_t;

  report_t report;

  stream_fifo #(
    .T       (report_t),
    .Depth   (Offers),
    .BlockRam(0)
  ) reports (
    .clk,
    .rst,
    .s_data ('{
        id: outcome.id, generation: outcome.session.generation, length: outcome.length
    }),
    .s_valid(outcome_taken),
    .s_ready(unused_report_ready),
    .m_data (report),
    .m_valid(m_delivered_valid),
    .m_ready(m_delivered_ready),
    .count_o(unused_report_count)
  );

  assign m_delivered_id         = report.id;
  assign m_delivered_generation = report.generation;
  assign m_delivered_length     = report.length;

endmodule
