// SPDX-License-Identifier: Apache-2.0

// guard_transmit: whatever the application does, after TxOk the engine gets one packet of exactly
// the length that was announced, and waits for it no longer than Patience clocks and one for each
// beat; a session whose application broke its word is aborted once, and none else is.
module guard_transmit_props
  import app_pkg::*;
#(
  parameter int Patience = 2
) (
  input logic        clk,
  input logic        rst,
  input app_offer_t  s_tx_request,
  input logic        s_tx_request_valid,
  input logic        m_tx_status_ready,
  input logic [15:0] s_tx_data,
  input logic [1:0]  s_tx_keep,
  input logic        s_tx_last,
  input logic        s_tx_valid,
  input logic        m_tx_request_ready,
  input tx_status_t  s_tx_status,
  input logic        s_tx_status_valid,
  input logic        m_tx_ready,
  input logic        m_abort_ready
);

  logic s_tx_request_ready, m_tx_status_valid, s_tx_ready, m_tx_request_valid, s_tx_status_ready;
  logic [15:0] m_tx_data;
  logic [1:0] m_tx_keep;
  logic m_tx_last, m_tx_valid, m_abort_valid;
  tx_status_t m_tx_status;
  app_offer_t m_tx_request;
  app_command_t m_abort;

  guard_transmit #(
    .DataWidth(16),
    .Patience (Patience)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
    assume (s_tx_request.length != '0 && s_tx_request.length < 16'd64);
  end

  stream_contract #(
    .Width($bits(app_offer_t))
  ) request_out (
    .clk,
    .rst,
    .data(m_tx_request),
    .valid(m_tx_request_valid),
    .ready(m_tx_request_ready)
  );
  stream_contract #(
    .Width($bits(tx_status_t))
  ) status_out (
    .clk,
    .rst,
    .data(m_tx_status),
    .valid(m_tx_status_valid),
    .ready(m_tx_status_ready)
  );
  stream_contract #(
    .Width($bits(app_command_t))
  ) abort_out (
    .clk,
    .rst,
    .data(m_abort),
    .valid(m_abort_valid),
    .ready(m_abort_ready)
  );

  typedef enum logic [1:0] {
    Free,
    Requested,
    Sending
  } send_e;

  send_e send = Free;
  logic [15:0] sent, idle;
  logic broken = 1'b0;  // the application has broken its word in this packet
  logic aborted = 1'b0;
  logic [15:0] given;  // bytes of the application's packet
  logic given_all;
  logic expected;  // the application's beat is what was announced

  assign expected = s_tx_last == (16'(sent + 16'd2) >= m_tx_request.length)
      && s_tx_keep == (m_tx_request.length - sent == 16'd1 ? 2'b01 : 2'b11);

  always_ff @(posedge clk) begin
    if (m_tx_request_valid && m_tx_request_ready) send <= Requested;
    if (s_tx_status_valid && s_tx_status_ready) begin
      send    <= s_tx_status.error == TxOk ? Sending : Free;
      sent    <= '0;
      idle    <= '0;
      broken  <= 1'b0;
      aborted <= 1'b0;
    end
    if (send == Sending && m_tx_ready && !m_tx_valid) idle <= idle + 1'b1;
    if (m_tx_valid && m_tx_ready) begin
      sent <= sent + 16'd2;
      if (m_tx_last) send <= Free;
      if (!s_tx_ready || !expected) broken <= 1'b1;
    end
    if (m_abort_valid && m_abort_ready) aborted <= 1'b1;
    if (rst) send <= Free;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // One packet of the announced length for each TxOk.
      if (m_tx_valid) begin
        assert (send == Sending);
        assert (m_tx_last == (16'(sent + 16'd2) >= m_tx_request.length));
        assert (m_tx_keep == (m_tx_request.length - sent == 16'd1 ? 2'b01 : 2'b11));
        if (s_tx_ready)
          assert (m_tx_data == s_tx_data);
          else if (send == Sending && m_tx_ready) assert (m_tx_data == '0);
      end
      if (m_tx_request_valid) assert (send == Free);
      // In time.
      if (send == Sending) assert (idle <= 16'(Patience + 1) + (sent >> 1));
      // An abort for a broken word, once.
      if (m_abort_valid) begin
        assert (send == Free && broken && !aborted);
        assert (m_abort.op == CommandAbort && m_abort.session == m_tx_request.session);
      end
      if (s_tx_request_ready) assert (!m_abort_valid && send == Free);

      // Ties to the state, for induction.
      assert (2'(send) != 2'd3);
      assert ((send == Requested) == (dut.state_q == 3'd2));
      assert ((send == Sending) == (dut.state_q == 3'd3 || dut.state_q == 3'd4));
      if (dut.state_q != 3'd0) begin
        assert (m_tx_request.length != '0 && m_tx_request.length < 16'd64);
      end
      if (send == Sending) begin
        assert (sent < m_tx_request.length && !sent[0] && sent < 16'd64);
        assert (dut.left_q == m_tx_request.length - sent);
        assert (!aborted);
        if (dut.state_q == 3'd3) assert (broken == dut.broken_q);
        if (dut.state_q == 3'd3)
          assert (idle + 16'(dut.patience_q) <= 16'(Patience) + (sent >> 1));
          else assert (idle <= 16'(Patience + 1) + (sent >> 1));
        assert (32'(dut.patience_q) <= 32'(Patience));
      end
      if (dut.state_q == 3'd5) assert (broken && !aborted);
      if (dut.state_q == 3'd2) assert (!m_tx_status_valid);
      if (dut.state_q == 3'd0 || dut.state_q == 3'd1) assert (!m_tx_status_valid);
    end

    cover (started && !rst && m_tx_valid && m_tx_ready && m_tx_last && !broken && sent == 16'd4
           && s_tx_ready && expected);
    cover (started && !rst && m_abort_valid && m_abort_ready);
    cover (started && !rst && dut.state_q == 3'd6 && s_tx_valid && s_tx_last);
    cover (started && !rst && s_tx_request_ready && aborted && s_tx_request_valid);
  end

endmodule
