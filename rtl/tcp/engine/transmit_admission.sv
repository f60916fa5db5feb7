// SPDX-License-Identifier: Apache-2.0

// The application's way to send: request, status, payload.
//
// Each request goes to the pipeline as an event, its status comes back either at once or through the
// segment builder (s_late_*, when a retransmission may still read the ring), and with TxOk the
// transmit buffer is told where the payload goes no later than the application is told to send it.
// Up to Requests are under way between the pipeline and the application's taking the status. They may be
// answered in any order; the transmit buffer and the application are told in the order of the requests.
//
// A further request of a connection waits until the former one has been told and the pipeline knows
// that its payload is written (written_i), since that moves the place where the next one goes; and
// those behind it wait, too. Requests of others do not wait for payload, but for places: Writes may be
// asked for, or granted and not written.
//
// A request that takes less than it names (partial) gets as much as there is room for. With TxOk a
// status's space is the number of bytes to send.
//
// With PageBytes as many pages as a request may need are reserved for it, or as there are: m_request_pages
// says how many, and that few are left. It is for the pipeline to grant no more than goes into these and
// the one that is there. No request waits for pages, and none for another's. Who takes less than it names
// gets no more than half of what is left. What a request did not need is free again with its status, and a
// page that was in use when page_freed_i says so: whatever is granted finds its pages.
//
// What is granted early may be read before the transmit buffer is told of it, where statuses of earlier
// requests are late: read_waits_o says so of read_length_i bytes at read_seq_i of read_id_i.
//
// Latency    a request goes to the pipeline 1 clock after it comes; an answer goes on after 1 clock.
// Throughput a request in 2 clocks.
// Paths      m_status_valid follows m_write_ready, and read_waits_o read_*_i; all else are functions of
//            registers.
module transmit_admission
  import app_pkg::*;
  import page_pkg::*;
  import seq_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Requests    = 2,  // a power of two
  parameter  int Writes      = 4,
  parameter  int RingBytes   = 2048,
  parameter  int PageBytes   = 0,  // 0: rings have memory of their own
  parameter  int Pages       = 64,
  localparam int IdWidth     = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int CountWidth  = $clog2(Pages + 1)
) (
  input  logic               clk,
  input  logic               rst,

  input  app_offer_t         s_request,
  input  logic               s_request_valid,
  output logic               s_request_ready,

  output app_offer_t         m_request,
  output page_offer_t        m_request_pages,
  output logic               m_request_valid,
  input  logic               m_request_ready,

  // From the pipeline's actions; always taken.
  input  logic               status_valid_i,
  input  tx_status_t         status_i,
  input  seq_t               status_write_seq_i,
  input  logic               status_write_there_i,
  input  logic               status_write_early_i,

  // From the segment builder.
  input  tx_status_t         s_late_status,
  input  seq_t               s_late_write_seq,
  input  logic               s_late_write_there,
  input  logic               s_late_valid,
  output logic               s_late_ready,

  // EvTxWritten goes into the pipeline.
  input  logic               written_i,

  output tx_status_t         m_status,
  output logic               m_status_valid,
  input  logic               m_status_ready,

  output session_t           m_write_session,
  output seq_t               m_write_seq,
  output logic [       15:0] m_write_length,
  output logic               m_write_there,   // the page of its first byte is in use
  output logic               m_write_early,   // the segment that reads it is on its way
  output logic               m_write_valid,
  input  logic               m_write_ready,

  input  logic                  page_freed_i,
  output logic [CountWidth-1:0] pages_free_o,   // and not reserved
  output logic [CountWidth-1:0] pages_least_o,  // there ever were

  input  logic [IdWidth-1:0] read_id_i,
  input  seq_t               read_seq_i,
  input  logic [       15:0] read_length_i,
  output logic               read_waits_o
);

  if (Requests < 2 || 2 ** $clog2(Requests) != Requests) begin : gen_check_requests
    $error("Requests must be a power of two, at least 2.");
  end

  typedef logic [IdWidth-1:0] id_t;
  typedef logic [$clog2(Requests)-1:0] place_t;
  typedef logic [$clog2(Writes+1)-1:0] count_t;

  // ---- The next request: it waits for its connection's former payload, a place and the pipeline ----

  app_offer_t request_q, request_d;
  logic pending_q, pending, waits, place_free, request_valid_q, ask;

  // ---- Those under way, in a ring: asked, told to the transmit buffer, told to the application ------

  app_offer_t offer_q[Requests];
  tx_status_t status_q[Requests];
  seq_t write_seq_q[Requests];
  logic [Requests-1:0] open_q;      // asked, and the application has not been told
  logic [Requests-1:0] answered_q;
  logic [Requests-1:0] there_q;
  logic [Requests-1:0] early_q;
  logic [Requests-1:0] passed_q;    // the transmit buffer has been told, if it was to be
  logic [Requests-1:0] hit, hit_late;
  place_t in_q, write_q, tell_q;
  count_t owed_q;  // may be granted, or have been and are not written
  logic write_known, write_granted, write_passes, granted, tell;
  logic refused_q, refused_late_q;  // in the clock before

  // Connections whose payload is on its way to the ring, oldest first.
  id_t writing_id_q[Writes];
  logic [Writes-1:0] writing_q, kept;

  // While a request waits no other goes before it, so all that it waits for only ends: one clock late is
  // on the safe side. Of a place that has just become free, too.
  always_comb begin
    request_d = pending_q ? request_q : s_request;
    waits     = owed_q >= count_t'(Writes);
    for (int i = 0; i < Requests; i++) begin
      if (open_q[i] && id_t'(offer_q[i].session.id) == id_t'(request_d.session.id)) waits = 1'b1;
    end
    for (int i = 0; i < Writes; i++) begin
      if (writing_q[i] && writing_id_q[i] == id_t'(request_d.session.id)) waits = 1'b1;
    end
  end

  assign pending    = pending_q ? !ask : s_request_valid;
  assign place_free = !open_q[ask?in_q+1'b1 : in_q];

  assign s_request_ready = !pending_q;
  assign m_request       = request_q;
  assign m_request_valid = request_valid_q;
  assign ask             = m_request_valid && m_request_ready;
  assign s_late_ready    = 1'b1;

  // No two of them are of one connection.
  always_comb begin
    for (int i = 0; i < Requests; i++) begin
      logic unanswered;
      id_t id;
      unanswered  = open_q[i] && !answered_q[i];
      id          = id_t'(offer_q[i].session.id);
      hit[i]      = unanswered && status_valid_i && id == id_t'(status_i.session.id);
      hit_late[i] = unanswered && s_late_valid && id == id_t'(s_late_status.session.id);
    end
  end

  assign write_known   = open_q[write_q] && answered_q[write_q] && !passed_q[write_q];
  assign write_granted = status_q[write_q].error == TxOk;
  assign write_passes  = write_known && (!write_granted || m_write_ready);
  assign granted       = m_write_valid && m_write_ready;

  // What is to be sent of what was asked for.
  function automatic logic [15:0] granted_length(input logic [15:0] asked,
                                                 input logic [31:0] space);
    return space < 32'(asked) ? space[15:0] : asked;
  endfunction

  assign m_write_session = '{
      generation: offer_q[write_q].session.generation,
      id: SessionIdWidth'(id_t'(offer_q[write_q].session.id))
  };
  assign m_write_seq     = write_seq_q[write_q];
  assign m_write_length  = granted_length(offer_q[write_q].length, status_q[write_q].space);
  assign m_write_there   = there_q[write_q];
  assign m_write_early   = early_q[write_q];
  assign m_write_valid   = write_known && write_granted;

  // The name that was asked for, even if there can be no such connection. What is sent early while it
  // comes would come before it is asked for.
  always_comb begin
    m_status         = status_q[tell_q];
    m_status.session = offer_q[tell_q].session;
    if (status_q[tell_q].error == TxOk)
      m_status.space = 32'(granted_length(offer_q[tell_q].length, status_q[tell_q].space));
  end

  assign m_status_valid = open_q[tell_q] && answered_q[tell_q] && (passed_q[tell_q]
      || (write_q == tell_q && write_passes && !(write_granted && early_q[tell_q])));
  assign tell           = m_status_valid && m_status_ready;

  always_ff @(posedge clk) begin
    request_q       <= request_d;
    pending_q       <= pending;
    request_valid_q <= pending && !waits && place_free;

    for (int i = 0; i < Requests; i++) begin
      if (ask && in_q == place_t'(i)) begin
        offer_q[i]    <= request_q;
        open_q[i]     <= 1'b1;
        answered_q[i] <= 1'b0;
        passed_q[i]   <= 1'b0;
      end
      if (hit[i] || hit_late[i]) begin
        answered_q[i]  <= 1'b1;
        status_q[i]    <= hit[i] ? status_i : s_late_status;
        write_seq_q[i] <= hit[i] ? status_write_seq_i : s_late_write_seq;
        there_q[i]     <= hit[i] ? status_write_there_i : s_late_write_there;
        early_q[i]     <= hit[i] && status_write_early_i;
      end
      if (write_passes && write_q == place_t'(i)) passed_q[i] <= 1'b1;
      if (tell && tell_q == place_t'(i)) open_q[i] <= 1'b0;
    end

    if (ask) in_q <= in_q + 1'b1;
    if (write_passes) write_q <= write_q + 1'b1;
    if (tell) tell_q <= tell_q + 1'b1;
    refused_q      <= |hit && status_i.error != TxOk;
    refused_late_q <= |hit_late && s_late_status.error != TxOk;
    owed_q         <= owed_q + count_t'(ask) - count_t'(written_i) - count_t'(refused_q)
        - count_t'(refused_late_q);

    if (rst) begin
      pending_q       <= 1'b0;
      request_valid_q <= 1'b0;
      open_q          <= '0;
      in_q            <= '0;
      write_q         <= '0;
      tell_q          <= '0;
      owed_q          <= '0;
      refused_q       <= 1'b0;
      refused_late_q  <= 1'b0;
    end
  end

  assign kept = written_i ? writing_q >> 1 : writing_q;

  always_ff @(posedge clk) begin
    writing_q <= granted ? {kept[Writes-2:0], 1'b1} : kept;
    for (int i = 0; i < Writes; i++) begin
      if (written_i) writing_id_q[i] <= writing_id_q[(i+1)%Writes];
      if (granted && !kept[i]) writing_id_q[i] <= id_t'(m_write_session.id);
    end

    if (rst) writing_q <= '0;
  end

  // ---- Pages --------------------------------------------------------------------------------------

  if (PageBytes != 0) begin : gen_pages
    localparam int ByteWidth = $clog2(PageBytes);
    localparam int RingPages = RingBytes / PageBytes;
    localparam int Few = Pages / 4;
    localparam int Scarce = Pages / 16;

    typedef logic [CountWidth-1:0] pages_t;

    // That so many bytes may lie in, wherever they begin. No ring holds more than its pages.
    function automatic pages_t most_pages(input logic [15:0] length);
      logic [16:0] pages;
      pages = ((17'(length) + 17'(PageBytes - 2)) >> ByteWidth) + 1'b1;
      return length == '0 ? '0 : pages > 17'(RingPages) ? pages_t'(RingPages) : pages_t'(pages);
    endfunction

    pages_t reserved_q[Requests];
    pages_t most, left, asked, used, unused;
    page_offer_t pages_q;
    logic few;
    logic [16:0] end_in_page;

    assign most            = most_pages(request_d.length);
    assign few             = pages_free_o < pages_t'(Few);
    // Where few are left the pipeline grants no more than goes out at once, so half of them is not kept.
    assign left            = request_d.partial && !few ? pages_free_o - (pages_free_o >> 1)
        : pages_free_o;
    assign asked           = ask ? pages_t'(pages_q.count) : '0;
    assign m_request_pages = pages_q;

    assign end_in_page     = 17'(m_write_seq[ByteWidth-1:0]) + 17'(m_write_length)
        + 17'(PageBytes - 1);
    assign used            = pages_t'(17'(end_in_page >> ByteWidth)) - pages_t'(m_write_there);
    assign unused          = reserved_q[write_q] - (write_granted ? used : '0);

    // A request is not asked in the clock before another one is there: what it took has been counted.
    always_ff @(posedge clk) begin
      if (!request_valid_q) begin
        pages_q <= '{
            scarce: pages_free_o < pages_t'(Scarce),
            few: few,
            count: ($bits(pages_q.count))'(most < left ? most : left)
        };
      end
      if (ask) reserved_q[in_q] <= asked;
      pages_free_o <= pages_free_o - asked + (write_passes ? unused : '0) + pages_t'(page_freed_i);
      if (pages_free_o < pages_least_o) pages_least_o <= pages_free_o;

      if (rst) begin
        pages_free_o  <= pages_t'(Pages);
        pages_least_o <= pages_t'(Pages);
      end
    end
  end else begin : gen_no_pages
    assign m_request_pages = '0;
    assign pages_free_o    = '0;
    assign pages_least_o   = '0;

    logic unused_freed;
    assign unused_freed = page_freed_i;
  end

  // What ends before those bytes may be a segment that was decided sooner, and must not wait: a late
  // status that the announcement waits for can stand behind it.
  always_comb begin
    read_waits_o = 1'b0;
    for (int i = 0; i < Requests; i++) begin
      if (open_q[i] && answered_q[i] && early_q[i] && !passed_q[i]
          && id_t'(offer_q[i].session.id) == read_id_i
          && write_seq_q[i] - read_seq_i < 32'(read_length_i))
        read_waits_o = 1'b1;
    end
  end

endmodule
