// SPDX-License-Identifier: Apache-2.0

// transmit_admission: every request goes to the pipeline once, unchanged and in order, and gets one
// status, in that order, whatever the order of the answers; with TxOk the transmit buffer is told no later
// than the application, what there is room for of what was asked. No request of a connection
// reaches the pipeline while an earlier one of it has no status, or its payload is on its way to the ring;
// no more than Writes may be granted and not written; no other request waits without need. What is
// granted early cannot be read before the transmit buffer is told of it.
//
// Assumed: requests follow the rule of streams; the pipeline and the segment builder together
// answer each request once, after they took it; payloads are written in the order in which they were
// granted.
module transmit_admission_props
  import app_pkg::*;
  import seq_pkg::*;
(
  input logic       clk,
  input logic       rst,
  input app_offer_t s_request,
  input logic       s_request_valid,
  input logic       m_request_ready,
  input logic       status_valid,
  input tx_status_t status,
  input seq_t       status_write_seq,
  input logic       status_write_early,
  input tx_status_t late_status,
  input seq_t       late_write_seq,
  input logic       late_valid,
  input logic       written,
  input logic       m_status_ready,
  input logic       m_write_ready,
  input logic [1:0] read_id,
  input seq_t       read_seq,
  input logic [15:0] read_length
);

  localparam int Requests = 2;
  localparam int Writes = 3;
  localparam int Most = 8;  // a run is short

  typedef logic [1:0] id_t;  // of Connections
  typedef logic [$clog2(Most)-1:0] number_t;

  logic s_request_ready, m_request_valid, late_ready, m_status_valid, m_write_valid;
  app_offer_t m_request;
  tx_status_t m_status;
  session_t m_write_session;
  seq_t m_write_seq;
  logic [15:0] m_write_length;
  logic m_write_early, read_waits;

  transmit_admission #(
    .Connections(4),
    .Requests   (Requests),
    .Writes     (Writes)
  ) dut (
    .clk,
    .rst,
    .s_request,
    .s_request_valid,
    .s_request_ready,
    .m_request,
    .m_request_pages   (),
    .m_request_valid,
    .m_request_ready,
    .status_valid_i    (status_valid),
    .status_i          (status),
    .status_write_seq_i(status_write_seq),
    .status_write_there_i(1'b0),
    .status_write_early_i(status_write_early),
    .s_late_status     (late_status),
    .s_late_write_seq  (late_write_seq),
    .s_late_write_there(1'b0),
    .s_late_valid      (late_valid),
    .s_late_ready      (late_ready),
    .written_i         (written),
    .m_status,
    .m_status_valid,
    .m_status_ready,
    .m_write_session,
    .m_write_seq,
    .m_write_length,
    .m_write_there     (),
    .m_write_early,
    .page_freed_i      (1'b0),
    .pages_free_o      (),
    .pages_least_o     (),
    .m_write_valid,
    .m_write_ready,
    .read_id_i         (read_id),
    .read_seq_i        (read_seq),
    .read_length_i     (read_length),
    .read_waits_o      (read_waits)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
  end

  stream_contract #(
    .Width ($bits(app_offer_t)),
    .Assume(1'b1)
  ) s_request_contract (
    .clk,
    .rst,
    .data (s_request),
    .valid(s_request_valid),
    .ready(s_request_ready)
  );
  stream_contract #(
    .Width($bits(app_offer_t))
  ) m_request_contract (
    .clk,
    .rst,
    .data (m_request),
    .valid(m_request_valid),
    .ready(m_request_ready)
  );
  stream_contract #(
    .Width($bits(tx_status_t))
  ) m_status_contract (
    .clk,
    .rst,
    .data (m_status),
    .valid(m_status_valid),
    .ready(m_status_ready)
  );
  stream_contract #(
    .Width($bits(session_t) + $bits(seq_t) + 17)
  ) m_write_contract (
    .clk,
    .rst,
    .data ({m_write_session, m_write_seq, m_write_length, m_write_early}),
    .valid(m_write_valid),
    .ready(m_write_ready)
  );

  // ---- What has been asked, and how far each has come ---------------------------------------------

  app_offer_t taken_q[Most];
  tx_status_t answer_q[Most];
  seq_t write_seq_q[Most];
  logic [Most-1:0] answered_q = '0, early_q = '0, told_q = '0, done_q = '0, written_q = '0;
  // Taken, at the pipeline, and with a status.
  number_t takes_q = '0, asks_q = '0, statuses_q = '0;
  number_t now, late;  // the one that is answered
  logic now_found, late_found, grants, told;

  function automatic id_t id_of(input app_offer_t offer);
    return id_t'(offer.session.id);
  endfunction

  // Of those without an answer no two are of one connection: see below.
  always_comb begin
    {now_found, now, late_found, late} = '0;
    for (int i = 0; i < Most; i++) begin
      if (i < int'(asks_q) && !answered_q[i]) begin
        if (id_of(taken_q[i]) == id_t'(status.session.id)) {now_found, now} = {1'b1, number_t'(i)};
        if (id_of(taken_q[i]) == id_t'(late_status.session.id))
          {late_found, late} = {1'b1, number_t'(i)};
      end
    end
  end

  // The next one to be told to the transmit buffer, and written.
  number_t next_write, next_written;
  logic write_due, written_due, blocked;
  logic [3:0] owed;

  always_comb begin
    {write_due, next_write, written_due, next_written} = '0;
    owed = '0;
    for (int i = Most - 1; i >= 0; i--) begin
      if (i < int'(asks_q)) begin
        if (!done_q[i]) {write_due, next_write} = {1'b1, number_t'(i)};
        if (told_q[i] && !written_q[i]) {written_due, next_written} = {1'b1, number_t'(i)};
        owed += 4'((!answered_q[i] || answer_q[i].error == TxOk) && !written_q[i]);
      end
    end
    write_due = write_due && answered_q[next_write] && answer_q[next_write].error == TxOk;
    blocked   = owed >= 4'(Writes) || number_t'(asks_q - statuses_q) == number_t'(Requests);
    for (int i = 0; i < Most; i++) begin
      if (i < int'(asks_q) && id_of(
              taken_q[i]
          ) == id_of(
              taken_q[asks_q]
          ) && (i >= int'(statuses_q) || (told_q[i] && !written_q[i])))
        blocked = 1'b1;
    end
  end

  assign told   = m_write_valid && m_write_ready;
  assign grants = answer_q[statuses_q].error == TxOk;

  // What is refused, or the application's before it, passes the transmit buffer by.
  always_ff @(posedge clk) begin
    if (s_request_valid && s_request_ready) begin
      taken_q[takes_q] <= s_request;
      takes_q          <= takes_q + 1'b1;
    end
    if (m_request_valid && m_request_ready) asks_q <= asks_q + 1'b1;
    if (status_valid) begin
      answered_q[now]  <= 1'b1;
      answer_q[now]    <= status;
      write_seq_q[now] <= status_write_seq;
      early_q[now]     <= status_write_early;
      if (status.error != TxOk) done_q[now] <= 1'b1;
    end
    if (late_valid) begin
      answered_q[late]  <= 1'b1;
      answer_q[late]    <= late_status;
      write_seq_q[late] <= late_write_seq;
      if (late_status.error != TxOk) done_q[late] <= 1'b1;
    end
    if (told) {done_q[next_write], told_q[next_write]} <= '1;
    if (written) written_q[next_written] <= 1'b1;
    if (m_status_valid && m_status_ready) statuses_q <= statuses_q + 1'b1;

    if (rst) begin
      {takes_q, asks_q, statuses_q}           <= '0;
      {answered_q, told_q, done_q, written_q} <= '0;
    end
  end

  // It would read what is granted early and not announced.
  logic read_unknown;

  always_comb begin
    read_unknown = 1'b0;
    for (int i = 0; i < Most; i++) begin
      if (i < int'(asks_q) && answered_q[i] && early_q[i] && !told_q[i] && id_of(
              taken_q[i]
          ) == read_id && write_seq_q[i] - read_seq < 32'(read_length))
        read_unknown = 1'b1;
    end
  end

  logic free_q;  // nothing stood in a request's way a clock ago
  logic [1:0] refused_q;  // in the clock before: those still counted as owed
  always_ff @(posedge clk) begin
    refused_q <= 2'(status_valid && status.error != TxOk)
        + 2'(late_valid && late_status.error != TxOk);
    free_q <= takes_q != asks_q && !blocked && owed + 4'(refused_q) < 4'(Writes)
        && !(m_request_valid && m_request_ready) && !rst;
  end

  always_ff @(posedge clk) begin
    if (started) begin
      assume (takes_q != '1);
      if (status_valid) begin
        assume (now_found);
        assume (!status_write_early || status.error == TxOk);
      end
      if (late_valid) assume (late_found);
      if (status_valid && late_valid) assume (now != late);
      if (written) assume (written_due);
    end else begin
      assume (!written && !status_valid && !late_valid);
    end
  end

  always_ff @(posedge clk) begin
    if (started) begin
      assert (number_t'(takes_q - asks_q) <= number_t'(1));
      assert (s_request_ready == (takes_q == asks_q));
      // To the pipeline, in order; a clock later than it could at the latest, or two behind a refusal.
      if (m_request_valid)
        assert (takes_q != asks_q && !blocked && m_request == taken_q[asks_q]);
        else assert (!free_q);
      assert (owed <= 4'(Writes));
      // The transmit buffer is told of what is granted, and of nothing else, once and in order.
      if (m_write_valid) begin
        assert (write_due && m_write_session.generation == taken_q[next_write].session.generation);
        assert (m_write_session.id == SessionIdWidth'(id_of(taken_q[next_write])));
        assert (m_write_length <= taken_q[next_write].length);
        assert (32'(m_write_length) <= answer_q[next_write].space);
        assert (m_write_length == taken_q[next_write].length
                || 32'(m_write_length) == answer_q[next_write].space);
        assert (m_write_seq == write_seq_q[next_write] && m_write_early == early_q[next_write]);
      end
      // The application with it, or then.
      if (m_status_valid) begin
        assert (statuses_q != asks_q && answered_q[statuses_q]);
        assert (!grants || told_q[statuses_q]
                || (told && next_write == statuses_q && !early_q[statuses_q]));
        assert (m_status.session == taken_q[statuses_q].session);
        assert (m_status.app == answer_q[statuses_q].app);
        assert (m_status.error == answer_q[statuses_q].error);
        if (!grants) assert (m_status.space == answer_q[statuses_q].space);
        if (told && next_write == statuses_q) assert (m_status.space == 32'(m_write_length));
      end else if (statuses_q != asks_q && answered_q[statuses_q]) begin
        assert (grants && (!told_q[statuses_q] || early_q[statuses_q]));
      end
      // A segment that is on its way does not overtake the announcement of its payload, and no other
      // waits.
      assert (read_waits == read_unknown);
      // The builder is never held up.
      assert (late_ready);
    end
  end

  always_ff @(posedge clk) begin
    cover (started && told && written);
    cover (started && m_status_valid && m_status_ready && told && !m_write_early);
    cover (started && m_write_valid && m_write_early && statuses_q == number_t'(1));
    // The second is answered first.
    cover (started && late_valid && answered_q[1] && !answered_q[0] && statuses_q == '0);
    cover (started && statuses_q == number_t'(2) && answered_q[1] && grants);
    cover (started && m_write_valid && m_write_length < taken_q[next_write].length);
    cover (started && m_request_valid && asks_q == number_t'(1) && written_q[0] && id_of(
        taken_q[0]
    ) == id_of(
        taken_q[1]
    ));
    cover (started && m_status_valid && m_status.error == TxNoSpace);
    cover (started && read_waits && read_seq != write_seq_q[0]);
    cover (started && early_q[0] && !told_q[0] && asks_q != '0 && !read_waits && id_of(
        taken_q[0]
    ) == read_id && read_length != '0);
  end

endmodule
