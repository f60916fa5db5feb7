// SPDX-License-Identifier: Apache-2.0

// transmit_admission with pages: the pool has a page for each that a packet which is announced maps,
// whatever was granted, in part, late or not at all. No request waits for pages: it goes on with what there
// is, and says how much that is. Those that are not in use and not reserved are counted as free.
//
// Assumed: what transmit_admission_props assumes; no more is granted than goes into the pages that were
// offered and the one that is there; pages come back that were mapped.
module transmit_pages_props
  import app_pkg::*;
  import page_pkg::*;
  import seq_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic [3:0]  length,
  input logic        id,
  input logic        partial,
  input logic        s_request_valid,
  input logic        m_request_ready,
  input logic        status_valid,
  input logic        status_late,
  input logic        status_last,   // of the two that have no answer, the one that was asked last
  input logic        granted,
  input logic [3:0]  space,
  input logic [31:0] write_seq,
  input logic        there,
  input logic        written,
  input logic        m_status_ready,
  input logic        m_write_ready,
  input logic        page_freed
);

  localparam int Pages = 4;

  typedef logic [2:0] number_t;

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
  end

  app_offer_t s_request, m_request;
  tx_status_t status, m_status;
  logic s_request_ready, m_request_valid, late_ready, m_status_valid, m_write_valid;
  logic m_write_there, m_write_early, read_waits;
  page_offer_t m_pages;
  logic [2:0] pages_free, pages_least;
  session_t m_write_session;
  seq_t m_write_seq;
  logic [15:0] m_write_length;

  transmit_admission #(
    .Connections(2),
    .Requests   (2),
    .Writes     (2),
    .RingBytes  (8),
    .PageBytes  (2),
    .Pages      (Pages)
  ) dut (
    .clk,
    .rst,
    .s_request,
    .s_request_valid,
    .s_request_ready,
    .m_request,
    .m_request_pages     (m_pages),
    .m_request_valid,
    .m_request_ready,
    .status_valid_i      (status_valid && !status_late),
    .status_i            (status),
    .status_write_seq_i  (write_seq),
    .status_write_there_i(there),
    .status_write_early_i(1'b0),
    .s_late_status       (status),
    .s_late_write_seq    (write_seq),
    .s_late_write_there  (there),
    .s_late_valid        (status_valid && status_late),
    .s_late_ready        (late_ready),
    .written_i           (written),
    .m_status,
    .m_status_valid,
    .m_status_ready,
    .m_write_session,
    .m_write_seq,
    .m_write_length,
    .m_write_there,
    .m_write_early,
    .m_write_valid,
    .m_write_ready,
    .page_freed_i        (page_freed),
    .pages_free_o        (pages_free),
    .pages_least_o       (pages_least),
    .read_id_i           (1'b0),
    .read_seq_i          ('0),
    .read_length_i       ('0),
    .read_waits_o        (read_waits)
  );

  // Asked and not answered, oldest first; asked and not told; announced and not written; mapped.
  logic [1:0] waiting_q = '0, waiting_id_q = '0;
  logic [3:0] waiting_length_q[2], waiting_pages_q[2];
  logic [3:0] granted_length, granted_pages;  // of the one that is answered
  logic asked, answered, told, announced, place;
  number_t open_q = '0, unwritten_q = '0, mapped_q = '0, used, idle_q = '0;

  assign place     = status_last && waiting_q[1];
  assign asked     = started && m_request_valid && m_request_ready;
  assign answered  = started && status_valid;
  assign told      = started && m_status_valid && m_status_ready;
  assign announced = started && m_write_valid && m_write_ready;
  assign used      = number_t'((17'(m_write_seq[0]) + 17'(m_write_length) + 17'd1) >> 1)
      - number_t'(m_write_there);

  always_comb begin
    s_request                = '0;
    s_request.session.id[0]  = id;
    s_request.length         = 16'(length);
    s_request.partial        = partial;
    status                   = '0;
    status.session.id[0]     = waiting_id_q[place];
    status.error             = granted ? TxOk : TxNoSpace;
    status.space             = 32'(space);
  end

  assign granted_length = space < waiting_length_q[place] ? space : waiting_length_q[place];
  assign granted_pages  = 4'((5'(write_seq[0]) + 5'(granted_length) + 5'd1) >> 1) - 4'(there);

  stream_contract #(
    .Width($bits(page_offer_t) + $bits(app_offer_t))
  ) m_request_contract (
    .clk,
    .rst,
    .data ({m_pages, m_request}),
    .valid(m_request_valid),
    .ready(m_request_ready)
  );

  logic held_q = 1'b0, freed_q = 1'b0;
  always_ff @(posedge clk) begin
    held_q  <= started && s_request_valid && !s_request_ready;
    freed_q <= started && (freed_q || page_freed);
    if (held_q) assume (s_request_valid && $stable(s_request));
    assume (!status_valid || waiting_q[0]);
    // A ring holds its pages but for one.
    if (granted) assume (space != '0 && space <= 4'd6 && waiting_length_q[place] != '0);
    if (granted) assume (granted_pages <= waiting_pages_q[place]);
    if (there) assume (write_seq[0]);
    assume (!written || unwritten_q != '0);
    assume (!page_freed || mapped_q != '0);
    assume (started || (!status_valid && !written && !page_freed));
  end

  always_ff @(posedge clk) begin
    if (answered) begin
      waiting_q <= waiting_q >> 1;
      if (!place) waiting_id_q <= waiting_id_q >> 1;
      if (!place) waiting_length_q[0] <= waiting_length_q[1];
      if (!place) waiting_pages_q[0] <= waiting_pages_q[1];
    end
    if (asked) begin
      if (waiting_q == '0 || (answered && !waiting_q[1])) begin
        waiting_q           <= 2'b01;
        waiting_id_q[0]     <= m_request.session.id[0];
        waiting_length_q[0] <= m_request.length[3:0];
        waiting_pages_q[0]  <= m_pages.count[3:0];
      end else begin
        waiting_q           <= 2'b11;
        waiting_id_q[1]     <= m_request.session.id[0];
        waiting_length_q[1] <= m_request.length[3:0];
        waiting_pages_q[1]  <= m_pages.count[3:0];
      end
    end
    open_q      <= open_q + number_t'(asked) - number_t'(told);
    unwritten_q <= unwritten_q + number_t'(announced) - number_t'(written);
    mapped_q    <= mapped_q + (announced ? used : '0) - number_t'(page_freed);
    idle_q      <= started && s_request_valid && open_q == '0 && unwritten_q == '0 && !asked
        && idle_q != '1 ? idle_q + 1'b1 : '0;
  end

  always_ff @(posedge clk) begin
    if (started) begin
      if (announced) assert (4'(mapped_q) + 4'(used) <= 4'(Pages));
      // Whatever the pool has.
      assert (m_request_valid || idle_q < number_t'(4));
      // What is offered is there, and all that may be needed if that is; to whoever takes less, half.
      if (m_request_valid) begin
        assert (4'(m_pages.count) + 4'(mapped_q) <= 4'(Pages));
        assert (4'(m_pages.count) <= 4'(m_request.length[3:1]) + 4'd1);
        if (m_request.partial) assert (m_pages.count <= 5'(Pages / 2));
        if (m_request.length == '0) assert (m_pages.count == '0);
        if (m_pages.few) assert (m_pages.count == '0 || freed_q);
      end
      if (open_q == '0) assert (pages_free == 3'(Pages) - mapped_q);
      assert (pages_free <= 3'(Pages) - mapped_q && pages_least <= 3'(Pages));
    end

    cover (started && announced && mapped_q == number_t'(3));
    // All of them, after one was in use.
    cover (started && asked && m_request.length == 16'd7 && m_pages.count == 5'd4 && freed_q);
    cover (started && told && m_status.error == TxNoSpace && open_q == number_t'(2));
    cover (started && announced && m_write_there && used == '0);
    // It goes on though there is no page.
    cover (started && asked && m_pages.few && m_pages.count == '0 && mapped_q == number_t'(4));
    cover (started && asked && m_request.partial && m_pages.count == 5'd1
           && m_request.length == 16'd7);
  end

endmodule
