// SPDX-License-Identifier: Apache-2.0

// Keeps what applications send until the peer has acknowledged it.
//
//   s_write, s_data -> ring_writer -> ring_memory -> ring_reader --+-> m_read
//       |                  |                             ^         |
//       |                  +--> m_written     s_read ----+         |
//       |                                              |           |
//       +------------------------------------> transmit_window ----+
//
// s_write announces a packet of `length` bytes that follows on s_data and goes to `seq` in the ring
// of connection `id`; m_written reports it when its bytes can be read. A packet that is longer loses
// what is too much; of one that is shorter, m_written tells the bytes that were there, and none of one whose last
// beat has s_error.
// As many as Packets announcements may wait for the packets before them. With Messages so many packets may be
// announced and not reported, and neither their data nor a read of them waits for m_written to be taken: what takes
// it may itself wait for a read, where a segment is on its way before its payload is stored.
// s_read takes `length` bytes (at least 1) at `seq` as one packet on m_read.
// With Messages the newest packets are also kept in transmit_window, and what is read as it was written
// comes from there: a ring in DRAM is read for what is no longer among them. s_write_early says that
// the bytes may be read from the announcement on (m_written then tells none): from the window as
// they come, from the ring when they are stored. What asks for them comes at least a clock after
// s_write_valid.
// With PageBytes the rings' memory is Pages pages from a pool, taken when a packet is announced and given
// back by free_i (ring_pages; page_ledger has the rules).
// A byte with sequence number s lies at s modulo RingBytes. The caller sees that writes do not reach
// bytes that are still to be read.
//
// Latency    s_read to the first beat 6 clocks, 7 where this beat takes bytes of two words; one more
//            from 256 bits on. Last beat in to m_written 3 clocks, one more where it fills two words,
//            one more from 256 bits on. With Messages a read takes a clock more from the ring, and 4
//            clocks from the window to the first beat. With PageBytes an announcement is taken 1
//            clock later and one for each page that it maps, and a word waits 3 clocks and more where
//            it lies in another page than the one before.
// Throughput 1 beat a clock in and 1 beat a clock out at once.
// Paths      s_read_ready and the request to the memory follow s_read combinationally; every other
//            output follows registers alone, but for s_ready, which follows s_keep.
module transmit_buffer
  import burst_memory_pkg::*;
  import app_pkg::*;
  import seq_pkg::*;
  import line_memory_pkg::*;
  import page_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int RingBytes   = 2048,
  parameter  int InDram      = 0,     // 1: the rings lie in DRAM,
  parameter  int BaseMiB     = 0,     // from here on
  parameter  int Messages    = 0,     // kept beside the rings, a power of two; 0: none
  parameter  int Packets     = 4,     // between announcement and m_written, a power of two
  parameter  int PageBytes   = 0,     // of the rings' memory, taken on demand; 0: side by side
  parameter  int Pages       = 64,    // there are
  parameter  int FreeSlack   = 20,    // frees that still come when free_room_o falls
  localparam int IdWidth     = (Connections > 1) ? $clog2(Connections) : 1
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [    IdWidth-1:0] s_write_id,
  input  seq_t                   s_write_seq,
  input  logic [           15:0] s_write_length,
  input  session_t               s_write_session,
  input  logic                   s_write_early,
  input  logic                   s_write_there,   // with pages: its first page is there already
  input  logic                   s_write_valid,
  output logic                   s_write_ready,

  input  logic [  DataWidth-1:0] s_data,
  input  logic [DataWidth/8-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_error,
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic [    IdWidth-1:0] m_written_id,
  output logic [           15:0] m_written_length,
  output session_t               m_written_session,
  output logic                   m_written_valid,
  input  logic                   m_written_ready,

  input  logic [    IdWidth-1:0] s_read_id,
  input  seq_t                   s_read_seq,
  input  logic [           15:0] s_read_length,
  input  logic                   s_read_valid,
  output logic                   s_read_ready,

  output logic [  DataWidth-1:0] m_read_data,
  output logic [DataWidth/8-1:0] m_read_keep,
  output logic                   m_read_last,
  output logic                   m_read_valid,
  input  logic                   m_read_ready,

  // Nothing of this connection will be read any more.
  input  logic [    IdWidth-1:0] release_id_i,
  input  logic                   release_i,

  // Pages that hold nothing any more (page_ledger).
  input  logic [    IdWidth-1:0] free_id_i,
  input  page_range_t            free_range_i,
  input  logic                   free_i,
  input  logic                   read_begun_i,  // a read that s_read will bring was decided,
  input  logic                   read_done_i,   // and has been taken whole
  output logic                   free_room_o,
  output logic                   page_freed_o,
  output line_request_t [1:0]    m_page_line,
  output logic [1:0]             m_page_line_valid,
  input  logic [1:0]             m_page_line_ready,
  input  line_response_t         s_page_line,
  input  logic [1:0]             s_page_line_valid,

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
    logic [IdWidth-1:0] id;
    session_t           session;
    logic               early;
  } tag_t;

  tag_t new_tag, tag;

  // Words as writer and reader name them, and as the memory does.
  logic [AddressWidth-1:0] write_address, request_address;
  logic [MemoryWidth-1:0] memory_write_address, memory_request_address;
  logic [DataWidth-1:0] write_data, response_data;
  logic [Lanes-1:0] write_strobe;
  logic write_valid, write_ready, request_valid, request_ready, response_valid;
  logic memory_write_valid, memory_write_ready, memory_request_valid, memory_request_ready;

  // An announcement that may go on: its pages are there. A report that may leave.
  logic told_valid, told_ready, report_valid, report_ready;

  // What is read from the ring.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    seq_t               seq;
    logic [15:0]        length;
  } read_t;

  read_t ring_read;
  logic ring_read_valid, ring_read_ready;
  logic [DataWidth-1:0] ring_data;
  logic [Lanes-1:0] ring_keep;
  logic ring_last, ring_valid, ring_ready;
  logic unused_seq;

  // Announcements, and the one whose packet comes next.
  typedef struct packed {
    tag_t        tag;
    seq_t        seq;
    logic [15:0] length;
  } write_t;

  write_t new_write, waiting_write, next_write;
  logic announce, announce_ready, waiting, write, write_valid_next, write_ready_next, write_room;
  logic [$clog2(Packets+1)-1:0] unused_waiting_count;

  assign unused_seq       = &{1'b0, next_write.seq[31:OffsetWidth], ring_read.seq[31:OffsetWidth]};
  assign told_ready       = announce_ready && write_room;
  assign announce         = told_valid && told_ready;
  assign new_write        = '{tag: new_tag, seq: s_write_seq, length: s_write_length};
  assign next_write       = waiting ? waiting_write : new_write;
  assign write_valid_next = waiting || (told_valid && write_room);
  assign write            = write_valid_next && write_ready_next;

  stream_fifo #(
    .T       (write_t),
    .Depth   (Packets),
    .BlockRam(0)
  ) announcements (
    .clk,
    .rst,
    .s_data (new_write),
    .s_valid(told_valid && write_room && (waiting || !write_ready_next)),
    .s_ready(announce_ready),
    .m_data (waiting_write),
    .m_valid(waiting),
    .m_ready(write_ready_next),
    .count_o(unused_waiting_count)
  );

  // The packet was withdrawn: nothing of it counts.
  typedef struct packed {
    tag_t        tag;
    logic [15:0] length;
  } report_t;

  logic [15:0] done_length;
  logic withdrawn, withdrawn_ready, ended, done_valid, done_ready, data_ready;
  logic stored, report_waits, report_room;
  report_t new_report, waiting_report, report;
  logic [$clog2(Packets+1)-1:0] unused_withdrawn_count, unused_report_count;

  // A packet that is longer than it should be is stored before it ends.
  assign done_ready       = ended && report_room;
  assign stored           = done_valid && done_ready;
  assign s_ready          = data_ready && withdrawn_ready;
  assign new_report       = '{tag: tag, length: withdrawn || tag.early ? '0 : done_length};
  assign report           = report_waits ? waiting_report : new_report;
  assign m_written_length = report.length;
  assign report_valid     = report_waits || (done_valid && ended);

  stream_fifo #(
    .T       (logic),
    .Depth   (Packets),
    .BlockRam(0)
  ) withdrawals (
    .clk,
    .rst,
    .s_data (s_error),
    .s_valid(s_valid && s_ready && s_last),
    .s_ready(withdrawn_ready),
    .m_data (withdrawn),
    .m_valid(ended),
    .m_ready(stored),
    .count_o(unused_withdrawn_count)
  );

  // A report that is taken at once does not wait here. There is room for those of all packets.
  stream_fifo #(
    .T       (report_t),
    .Depth   (Packets),
    .BlockRam(0)
  ) reports (
    .clk,
    .rst,
    .s_data (new_report),
    .s_valid(stored && (report_waits || !report_ready)),
    .s_ready(report_room),
    .m_data (waiting_report),
    .m_valid(report_waits),
    .m_ready(report_ready),
    .count_o(unused_report_count)
  );

  assign new_tag           = '{
      id: s_write_id, session: s_write_session, early: s_write_early && Messages != 0
  };
  assign m_written_id      = report.tag.id;
  assign m_written_session = report.tag.session;

  ring_writer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .TagWidth   ($bits(tag_t))
  ) writer (
    .clk,
    .rst,
    .s_command_id    (next_write.tag.id),
    .s_command_offset(next_write.seq[OffsetWidth-1:0]),
    .s_command_skip  (16'd0),
    .s_command_length(next_write.length),
    .s_command_tag   (next_write.tag),
    .s_command_valid (write_valid_next),
    .s_command_ready (write_ready_next),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid         (s_valid && withdrawn_ready),
    .s_ready         (data_ready),
    .m_write_address (write_address),
    .m_write_data    (write_data),
    .m_write_strobe  (write_strobe),
    .m_write_valid   (write_valid),
    .m_write_ready   (write_ready),
    .m_done_length   (done_length),
    .m_done_tag      (tag),
    .m_done_valid    (done_valid),
    .m_done_ready    (done_ready)
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

  ring_reader #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .Window     (Window)
  ) reader (
    .clk,
    .rst,
    .s_command_id     (ring_read.id),
    .s_command_offset (ring_read.seq[OffsetWidth-1:0]),
    .s_command_length (ring_read.length),
    .s_command_valid  (ring_read_valid),
    .s_command_ready  (ring_read_ready),
    .m_request_address(request_address),
    .m_request_valid  (request_valid),
    .m_request_ready  (request_ready),
    .s_response_data  (response_data),
    .s_response_valid (response_valid),
    .m_data           (ring_data),
    .m_keep           (ring_keep),
    .m_last           (ring_last),
    .m_valid          (ring_valid),
    .m_ready          (ring_ready)
  );

  // ---- Where the rings' words lie ------------------------------------------------------------------

  if (PageBytes != 0) begin : gen_pages
    ring_pages #(
      .DataWidth  (DataWidth),
      .Connections(Connections),
      .RingBytes  (RingBytes),
      .PageBytes  (PageBytes),
      .Pages      (Pages),
      .Packets    (Packets),
      .Slack      (FreeSlack)
    ) pages (
      .clk,
      .rst,
      .s_write_id,
      .s_write_offset   (s_write_seq[OffsetWidth-1:0]),
      .s_write_length,
      .s_write_there,
      .s_write_valid,
      .s_write_ready,
      .m_write_valid    (told_valid),
      .m_write_ready    (told_ready),
      .s_written_length (m_written_length),
      .s_written_valid  (report_valid),
      .s_written_ready  (report_ready),
      .m_written_valid,
      .m_written_ready,
      .free_id_i,
      .free_range_i,
      .free_i,
      .read_begun_i,
      .read_done_i,
      .room_o           (free_room_o),
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
    assign unused_pages = &{1'b0, s_write_there, free_id_i, free_range_i, free_i, read_begun_i,
                            read_done_i, m_page_line_ready, s_page_line, s_page_line_valid};

    assign told_valid             = s_write_valid;
    assign s_write_ready          = told_ready;
    assign m_written_valid        = report_valid;
    assign report_ready           = m_written_ready;
    assign memory_write_address   = write_address;
    assign memory_write_valid     = write_valid;
    assign write_ready            = memory_write_ready;
    assign memory_request_address = request_address;
    assign memory_request_valid   = request_valid;
    assign request_ready          = memory_request_ready;
    assign free_room_o            = 1'b1;
    assign page_freed_o           = 1'b0;
    assign m_page_line            = '0;
    assign m_page_line_valid      = '0;
  end

  // ---- What is read comes from the window if it is there.

  if (Messages != 0) begin : gen_window
    localparam int SlotWidth = $clog2(Messages);
    localparam int Underway = 8;  // packets read from the ring at once

    typedef struct packed {
      read_t                read;
      logic                 hit;
      logic [SlotWidth-1:0] slot;
    } lookup_t;

    // Packets that are not reported yet, in order, and which of them are early and not stored.
    logic [IdWidth-1:0] write_id_q[Packets];
    logic [Packets-1:0] listed_q, early_q;
    logic [$clog2(Packets)-1:0] first_q, stored_q, next_q;  // to be reported, stored, announced
    logic announced, unstored, written;

    assign write_room = !listed_q[next_q];
    assign written    = m_written_valid && m_written_ready;

    always_comb begin
      announced = told_valid && s_write_early && s_write_id == s_read_id;
      unstored  = 1'b0;
      for (int i = 0; i < Packets; i++) begin
        if (early_q[i] && write_id_q[i] == s_read_id) unstored = 1'b1;
      end
    end

    always_ff @(posedge clk) begin
      if (written) begin
        listed_q[first_q] <= 1'b0;
        first_q           <= first_q + 1'b1;
      end
      if (stored) begin
        early_q[stored_q] <= 1'b0;
        stored_q          <= stored_q + 1'b1;
      end
      if (announce) begin
        listed_q[next_q]   <= 1'b1;
        early_q[next_q]    <= s_write_early;
        write_id_q[next_q] <= s_write_id;
        next_q             <= next_q + 1'b1;
      end

      if (rst) begin
        listed_q <= '0;
        early_q  <= '0;
        first_q  <= '0;
        stored_q <= '0;
        next_q   <= '0;
      end
    end

    // A read waits here for its turn: packets from both sides leave in the order of the reads.
    lookup_t lookup_q;
    logic lookup_valid_q, lookup_taken, hit, window_ready, window_active, window_read;
    logic [SlotWidth-1:0] slot;
    logic [$clog2(Underway+1)-1:0] underway_q;
    logic [DataWidth-1:0] window_data;
    logic [Lanes-1:0] window_keep;
    logic window_last, window_valid;

    assign ring_read       = lookup_q.read;
    assign ring_read_valid = lookup_valid_q && !lookup_q.hit && !window_active
        && underway_q != ($bits(underway_q))'(Underway);
    assign window_read     = lookup_valid_q && lookup_q.hit && window_ready && underway_q == '0;
    assign lookup_taken    = window_read || (ring_read_valid && ring_read_ready);
    assign s_read_ready    = (!lookup_valid_q || lookup_taken) && !announced && (hit || !unstored);

    always_ff @(posedge clk) begin
      if (s_read_valid && s_read_ready) begin
        lookup_q <= '{
            read: '{id: s_read_id, seq: s_read_seq, length: s_read_length},
            hit: hit,
            slot: slot
        };
      end
      lookup_valid_q <= (s_read_valid && s_read_ready) || (lookup_valid_q && !lookup_taken);
      underway_q <= underway_q + ($bits(underway_q))'(ring_read_valid && ring_read_ready)
          - ($bits(underway_q))'(ring_valid && ring_ready && ring_last);

      if (rst) begin
        lookup_valid_q <= 1'b0;
        underway_q     <= '0;
      end
    end

    transmit_window #(
      .DataWidth  (DataWidth),
      .Connections(Connections),
      .Messages   (Messages)
    ) window (
      .clk,
      .rst,
      .write_id_i    (next_write.tag.id),
      .write_seq_i   (next_write.seq),
      .write_length_i(next_write.length),
      .write_i       (write),
      .data_i        (s_data),
      .keep_i        (s_keep),
      .last_i        (s_last),
      .error_i       (s_error),
      .beat_i        (s_valid && s_ready),
      .release_id_i,
      .release_i,
      .read_id_i     (s_read_id),
      .read_seq_i    (s_read_seq),
      .read_length_i (s_read_length),
      .hit_o         (hit),
      .slot_o        (slot),
      .claim_slot_i  (lookup_q.slot),
      .claim_i       (lookup_valid_q && lookup_q.hit),
      .length_i      (lookup_q.read.length),
      .read_i        (window_read),
      .ready_o       (window_ready),
      .active_o      (window_active),
      .m_data        (window_data),
      .m_keep        (window_keep),
      .m_last        (window_last),
      .m_valid       (window_valid),
      .m_ready       (m_read_ready && window_active)
    );

    assign ring_ready   = m_read_ready && !window_active;
    assign m_read_data  = window_active ? window_data : ring_data;
    assign m_read_keep  = window_active ? window_keep : ring_keep;
    assign m_read_last  = window_active ? window_last : ring_last;
    assign m_read_valid = window_active ? window_valid : ring_valid;
  end else begin : gen_ring_only
    logic unused_early;
    assign unused_early = &{1'b0, release_id_i, release_i, write, announce};

    assign write_room      = 1'b1;
    assign ring_read       = '{id: s_read_id, seq: s_read_seq, length: s_read_length};
    assign ring_read_valid = s_read_valid;
    assign s_read_ready    = ring_read_ready;
    assign m_read_data     = ring_data;
    assign m_read_keep     = ring_keep;
    assign m_read_last     = ring_last;
    assign m_read_valid    = ring_valid;
    assign ring_ready      = m_read_ready;
  end

endmodule
