// SPDX-License-Identifier: Apache-2.0

// guard_transmit_pair: requests and statuses pass in order, and for each TxOk the engine gets one packet
// of the length that was announced, in order and in time, whatever the application does. One that
// keeps its word is never aborted, and its bytes are what the engine gets. What holds for a single
// packet is the matter of guard_transmit_props.
module guard_transmit_pair_props
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
  input logic        m_abort_ready,
  input logic        honest            // the application keeps its word, and sends at once
);

  logic s_tx_request_ready, m_tx_status_valid, s_tx_ready, m_tx_request_valid, s_tx_status_ready;
  logic [15:0] m_tx_data;
  logic [1:0] m_tx_keep;
  logic m_tx_last, m_tx_valid, m_abort_valid;
  tx_status_t m_tx_status;
  app_offer_t m_tx_request;
  app_command_t m_abort;

  guard_transmit_pair #(
    .DataWidth(16),
    .Patience (Patience)
  ) dut (
    .*
  );

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

  // Sessions are numbered in the order of the requests; lengths follow from the number.
  function automatic logic [15:0] length_of(input logic [3:0] number);
    return 16'd1 + 16'(number[1:0]);
  endfunction

  logic started = 1'b0;
  logic honest_q;
  logic [3:0] requested, asked, answered, told;  // counts of transfers on the four channels
  // Of packets: granted by the engine, told to the application and not begun by it, at the engine.
  logic [3:0] granted_number[4];
  logic [3:0] granted, gone_out, gone_in, told_ok;
  logic [15:0] sent, given, idle;
  logic [3:0] out_number, in_number;
  logic sound;

  assign out_number = granted_number[gone_out[1:0]];
  assign in_number  = granted_number[gone_in[1:0]];
  assign sound      = s_tx_last == (16'(given + 16'd2) >= length_of(in_number))
      && s_tx_keep == (length_of(in_number) - given == 16'd1 ? 2'b01 : 2'b11);

  always_ff @(posedge clk) begin
    started  <= 1'b1;
    honest_q <= honest;
    if (!started) assume (rst);
    else begin
      assume (!rst);
      assume (honest == honest_q);
    end
    assume (s_tx_request.session.id[3:0] == requested && s_tx_request.length == length_of(requested));
    assume (s_tx_status.session.id[3:0] == answered);
    if (s_tx_status_valid) assume (answered != asked);
    // No beat before the application has been told; the honest one sends what was announced, at once.
    if (s_tx_valid) assume (gone_in != told_ok);
    if (honest) begin
      assume (s_tx_valid == (gone_in != told_ok));
      if (s_tx_valid) assume (sound);
      assume (m_tx_status_ready);
    end

    if (s_tx_request_valid && s_tx_request_ready) requested <= requested + 1'b1;
    if (m_tx_request_valid && m_tx_request_ready) asked <= asked + 1'b1;
    if (s_tx_status_valid && s_tx_status_ready) begin
      answered <= answered + 1'b1;
      if (s_tx_status.error == TxOk) begin
        granted_number[granted[1:0]] <= answered;
        granted <= granted + 1'b1;
      end
    end
    if (m_tx_status_valid && m_tx_status_ready) begin
      told <= told + 1'b1;
      if (m_tx_status.error == TxOk) told_ok <= told_ok + 1'b1;
    end
    if (m_tx_valid && m_tx_ready) begin
      sent <= m_tx_last ? '0 : sent + 16'd2;
      idle <= m_tx_last ? '0 : idle;
      if (m_tx_last) gone_out <= gone_out + 1'b1;
    end else if (m_tx_ready && gone_out != granted) idle <= idle + 1'b1;
    if (s_tx_valid && s_tx_ready) begin
      given <= s_tx_last ? '0 : given + 16'd2;
      if (s_tx_last) gone_in <= gone_in + 1'b1;
    end

    if (rst) begin
      requested <= '0;
      asked     <= '0;
      answered  <= '0;
      told      <= '0;
      granted   <= '0;
      gone_out  <= '0;
      gone_in   <= '0;
      told_ok   <= '0;
      sent      <= '0;
      given     <= '0;
      idle      <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // In order, and none ahead of what it depends on.
      if (m_tx_request_valid) begin
        assert (asked != requested && m_tx_request.session.id[3:0] == asked);
        assert (m_tx_request.length == length_of(asked));
      end
      if (m_tx_status_valid) assert (told != answered && m_tx_status.session.id[3:0] == told);
      assert (4'(requested - told) <= 4'd2);
      // One packet of the announced length for each TxOk.
      if (m_tx_valid) begin
        assert (gone_out != granted);
        assert (m_tx_last == (16'(sent + 16'd2) >= length_of(out_number)));
        assert (m_tx_keep == (length_of(out_number) - sent == 16'd1 ? 2'b01 : 2'b11));
        if (s_tx_valid && s_tx_ready && gone_in == gone_out) assert (m_tx_data == s_tx_data);
        // Of no other packet of the application: zeros, if its turn has not come.
        if (gone_in != gone_out) assert (m_tx_data == '0);
      end
      assert (idle <= 16'(Patience + 1) + (sent >> 1));
      if (honest) begin
        assert (!m_abort_valid);
        // Its beats go straight to the engine, each to its own packet.
        if (m_tx_valid) assert (s_tx_valid && gone_in == gone_out && m_tx_data == s_tx_data);
      end
    end

    // A packet right behind another.
    cover (started && !rst && honest && m_tx_valid && m_tx_ready && gone_out == 4'd1 && sent == '0
           && idle == '0 && $past(m_tx_valid && m_tx_ready && m_tx_last));
    // The second is filled up because the application does not end the first.
    cover (started && !rst && m_tx_valid && m_tx_ready && m_tx_last && gone_out == 4'd1
           && gone_in == '0);
    cover (started && !rst && m_abort_valid && m_abort_ready && gone_out == 4'd2);
    cover (started && !rst && m_tx_status_valid && m_tx_status_ready && told == 4'd2);
  end

endmodule
