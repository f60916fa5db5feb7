// SPDX-License-Identifier: Apache-2.0

// transmit_admission: every request goes to the pipeline once, unchanged, and gets one status; with
// TxOk the transmit buffer is told no later than the application. No request of a connection reaches
// the pipeline while an earlier payload of it is on its way to the ring, and no other request waits
// without need.
//
// Assumed: requests follow the rule of streams; the pipeline and the segment builder together
// answer each request once, after they took it, and grant only to the connection that asked;
// payloads are written in the order in which they were granted.
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
  input logic       m_write_ready
);

  localparam int Writes = 4;  // granted and not yet written, at once

  logic s_request_ready, m_request_valid, late_ready, m_status_valid, m_write_valid;
  app_offer_t m_request;
  tx_status_t m_status;
  session_t m_write_session;
  seq_t m_write_seq;
  logic [15:0] m_write_length;
  logic m_write_early;

  transmit_admission dut (
    .clk,
    .rst,
    .s_request,
    .s_request_valid,
    .s_request_ready,
    .m_request,
    .m_request_valid,
    .m_request_ready,
    .status_valid_i    (status_valid),
    .status_i          (status),
    .status_write_seq_i(status_write_seq),
    .status_write_early_i(status_write_early),
    .s_late_status     (late_status),
    .s_late_write_seq  (late_write_seq),
    .s_late_valid      (late_valid),
    .s_late_ready      (late_ready),
    .written_i         (written),
    .m_status,
    .m_status_valid,
    .m_status_ready,
    .m_write_session,
    .m_write_seq,
    .m_write_length,
    .m_write_early,
    .m_write_valid,
    .m_write_ready
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
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

  // The request at work, and how far it has come.
  logic taken_q, asked_q, answered_q, told_q;
  app_offer_t request_q;
  tx_status_t answer_q;
  seq_t write_seq_q;
  logic write_early_q;
  logic answers, grants, told;

  assign answers = status_valid || late_valid;
  assign grants = answered_q && answer_q.error == TxOk;
  assign told = m_write_valid && m_write_ready;

  always_ff @(posedge clk) begin
    if (s_request_valid && s_request_ready) begin
      taken_q    <= 1'b1;
      asked_q    <= 1'b0;
      answered_q <= 1'b0;
      told_q     <= 1'b0;
      request_q  <= s_request;
    end
    if (m_request_valid && m_request_ready) asked_q <= 1'b1;
    if (answers) begin
      answered_q  <= 1'b1;
      answer_q    <= late_valid ? late_status : status;
      write_seq_q <= late_valid ? late_write_seq : status_write_seq;
      write_early_q <= !late_valid && status_write_early;
    end
    if (told) told_q <= 1'b1;
    if (m_status_valid && m_status_ready) taken_q <= 1'b0;

    if (rst) taken_q <= 1'b0;
  end

  // Connections that were granted a payload which is not yet in the ring, oldest first.
  logic [SessionIdWidth-1:0] writing_q[Writes];
  logic [2:0] writes_q;
  logic waits;

  always_ff @(posedge clk) begin
    writes_q <= writes_q - 3'(written) + 3'(told);
    for (int i = 0; i < Writes - 1; i++) if (written) writing_q[i] <= writing_q[i+1];
    if (told) writing_q[2'(writes_q-3'(written))] <= request_q.session.id;
    if (rst) writes_q <= '0;
  end

  always_comb begin
    waits = writes_q == 3'(Writes);
    for (int i = 0; i < Writes; i++)
    if (i < int'(writes_q) && writing_q[i] == request_q.session.id) waits = 1'b1;
  end

  logic free_q;  // nothing stood in the request's way a clock ago
  always_ff @(posedge clk) free_q <= taken_q && !asked_q && !waits && !rst;

  always_ff @(posedge clk) begin
    if (!rst && started) begin
      assume (!(status_valid && late_valid));
      if (answers) assume (taken_q && asked_q && !answered_q);
      if (status_valid && status.error == TxOk) assume (status.session == request_q.session);
      if (late_valid)
        assume (late_status.error == TxOk && late_status.session == request_q.session);
      if (written) assume (writes_q != '0);
    end
    if (rst) assume (!written && !answers);
  end

  always_ff @(posedge clk) begin
    if (!rst && started) begin
      // One at a time.
      if (s_request_ready)
        assert (!taken_q);
        else assert (taken_q);
      // To the pipeline, if nothing of this connection is on its way; a clock later at the latest.
      if (m_request_valid)
        assert (taken_q && !asked_q && !waits && m_request == request_q);
        else assert (!free_q || asked_q);
      // The transmit buffer is told of what is granted, and of nothing else, once.
      assert (m_write_valid == (taken_q && grants && !told_q));
      if (m_write_valid) begin
        assert (m_write_session == request_q.session && m_write_length == request_q.length);
        assert (m_write_seq == write_seq_q && m_write_early == write_early_q);
        assert (writes_q != 3'(Writes));
      end
      // And the application with it, or then.
      assert (m_status_valid == (taken_q && answered_q
                                 && (!grants || told_q || (told && !write_early_q))));
      if (m_status_valid) begin
        assert (m_status.session == request_q.session);
        assert (m_status.app == answer_q.app && m_status.error == answer_q.error);
        assert (m_status.space == answer_q.space);
      end
      // The builder is never held up.
      assert (late_ready);

      // Of the state, for the induction.
      if (taken_q) begin
        assert (m_request == request_q);
        if (answered_q) assert (dut.status_q == answer_q && m_write_seq == write_seq_q);
        if (answered_q) assert (m_write_early == write_early_q);
        assert ((dut.state_q == 3'd1) == !asked_q);
        assert ((dut.state_q == 3'd2) == (asked_q && !answered_q));
        assert (asked_q || !answered_q);
        assert (grants || !told_q);
        if (grants) assert (answer_q.session == request_q.session);
      end
      if (taken_q && !told_q && asked_q) begin
        assert (writes_q != 3'(Writes));
        for (int i = 0; i < Writes; i++)
        if (i < int'(writes_q)) assert (writing_q[i] != request_q.session.id);
      end
      assert (writes_q <= 3'(Writes));
      assert (dut.writing_q == Writes'((5'd1 << writes_q) - 5'd1));
      for (int i = 0; i < Writes; i++)
      if (i < int'(writes_q)) assert (dut.writing_id_q[i] == writing_q[i]);
    end
  end

  always_ff @(posedge clk) begin
    cover (!rst && started && told && written && writes_q == 3'd1);
    cover (!rst && started && m_status_valid && m_status_ready && writes_q == 3'd2);
    cover (!rst && started && told && m_status_valid && m_status_ready);
    cover (!rst && started && m_request_valid && $past(taken_q && waits && writes_q == 3'd1, 2));
    cover (!rst && started && m_request_valid && $past(
        taken_q && writes_q == 3'd2, 2
    ) && writes_q == 3'd1);
    cover (!rst && started && m_status_valid && m_status.error == TxNoSpace && writes_q == 3'd1);
    cover (!rst && started && late_valid && writes_q == 3'd1);
  end

endmodule
