// SPDX-License-Identifier: Apache-2.0

// guard_receive: whatever the application does, each query of the engine gets one grant within
// Patience + 1 clocks (with Straight Patience), of no more than was offered, and each packet that was
// granted is taken without a pause. The application has one query at a time, for one grant; a packet
// follows only if that was in time, holds what was granted, and is at the application before another
// query.
//
// Assumed of the engine: one query at a time, for one byte at least, that waits for its packet; a
// packet only if it was granted, as long as granted. Nothing is assumed of the application. That
// the queue keeps what is put in is proven with stream_fifo; here, that each beat is in it until the
// application takes it, or goes past it while it is empty.
module guard_receive_props
  import app_pkg::*;
#(
  parameter int Patience = 4,
  parameter bit Straight = 1'b0
) (
  input logic        clk,
  input logic        rst,
  input app_offer_t  s_query,
  input logic        s_query_valid,
  input logic        m_grant_ready,
  input session_t    s_rx_session,
  input logic [15:0] s_rx_data,
  input logic [ 1:0] s_rx_keep,
  input logic        s_rx_last,
  input logic        s_rx_error,
  input logic        s_rx_valid,
  input logic        m_query_ready,
  input logic [15:0] s_grant_length,
  input logic        s_grant_valid,
  input logic        m_rx_ready
);

  localparam int QueueBytes = 8;
  localparam int Longest = Patience + 1 - int'(Straight);  // that the engine waits
  localparam logic [1:0] Idle = 2'd0, Asked = 2'd1, Granted = 2'd2;

  logic [15:0] packets_in, packets_out, m_grant_length, m_rx_data;
  logic s_query_ready, m_grant_valid, s_rx_ready, m_query_valid, s_grant_ready;
  logic [1:0] m_rx_keep;
  logic m_rx_last, m_rx_error, m_rx_valid;
  app_offer_t m_query;
  session_t m_rx_session;

  guard_receive #(
    .DataWidth (16),
    .QueueBytes(QueueBytes),
    .Patience  (Patience),
    .Straight  (Straight)
  ) dut (
    .packets_in_o (packets_in),
    .packets_out_o(packets_out),
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  stream_contract #(
    .Width ($bits(app_offer_t)),
    .Assume(1'b1)
  ) s_query_contract (
    .clk,
    .rst,
    .data (s_query),
    .valid(s_query_valid),
    .ready(s_query_ready)
  );
  stream_contract #(
    .Width($bits(app_offer_t))
  ) m_query_contract (
    .clk,
    .rst,
    .data (m_query),
    .valid(m_query_valid),
    .ready(m_query_ready)
  );
  stream_contract #(
    .Width(16)
  ) m_grant_contract (
    .clk,
    .rst,
    .data (m_grant_length),
    .valid(m_grant_valid),
    .ready(m_grant_ready)
  );

  stream_contract #(
    .Width($bits(session_t) + 20)
  ) m_rx_contract (
    .clk,
    .rst,
    .data ({m_rx_session, m_rx_data, m_rx_keep, m_rx_last, m_rx_error}),
    .valid(m_rx_valid),
    .ready(m_rx_ready)
  );

  // The engine's query: what was offered, and what is left of the packet that was granted.
  logic [1:0] engine_q;
  app_offer_t offered_q, offered;
  logic passing;  // the query is shown while it comes
  logic [2:0] held_q;  // beats
  logic [15:0] left_q;
  logic [7:0] waits_q;

  assign passing = Straight && s_query_valid && s_query_ready;
  assign offered = passing ? s_query : offered_q;

  always_ff @(posedge clk) begin
    if (s_query_valid) assume (engine_q == Idle && s_query.length != '0);
    if (s_rx_valid) begin
      assume (engine_q == Granted);
      assume (s_rx_last == (left_q <= 16'd2));
      assume (s_rx_keep == (left_q == 16'd1 ? 2'b01 : 2'b11));
    end

    if (s_query_valid && s_query_ready) begin
      engine_q  <= Asked;
      offered_q <= s_query;
    end
    waits_q <= engine_q == Asked && !m_grant_valid ? waits_q + 1'b1 : '0;
    if (m_grant_valid && m_grant_ready) begin
      engine_q <= m_grant_length == '0 ? Idle : Granted;
      left_q   <= m_grant_length;
    end
    if (s_rx_valid && s_rx_ready) begin
      left_q <= left_q - 16'd2;
      if (s_rx_last) engine_q <= Idle;
    end
    held_q <= held_q + 3'(s_rx_valid && s_rx_ready) - 3'(m_rx_valid && m_rx_ready);

    if (rst) begin
      held_q   <= '0;
      engine_q <= Idle;
      waits_q  <= '0;
    end
  end

  // The application: what it was shown, and whether it owes a grant; a grant in time is one for the
  // query that the engine still waits for.
  logic owes_q, in_time_q, void_q;
  logic [15:0] shown_q, given_q;
  logic granted;
  logic answered_q;  // the engine did not take this grant when it was given
  logic in_time_now;
  logic [15:0] given_now;
  assign granted     = s_grant_valid && s_grant_ready;
  assign in_time_now = granted && !void_q && engine_q == Asked
      && (Straight ? !answered_q : !m_grant_valid);
  assign given_now   = s_grant_length < shown_q ? s_grant_length : shown_q;

  always_ff @(posedge clk) begin
    if (s_query_valid && s_query_ready) in_time_q <= 1'b0;
    if (m_query_valid && m_query_ready) begin
      owes_q  <= 1'b1;
      shown_q <= m_query.length;
    end
    if (granted) begin
      owes_q <= 1'b0;
      void_q <= 1'b0;
    end
    if (in_time_now) begin
      in_time_q <= 1'b1;
      given_q   <= given_now;
    end
    // The engine was answered in its place.
    if (m_grant_valid && (m_query_valid || owes_q) && !granted) void_q <= 1'b1;

    answered_q <= m_grant_valid && !m_grant_ready;

    if (rst) begin
      owes_q     <= 1'b0;
      void_q     <= 1'b0;
      in_time_q  <= 1'b0;
      answered_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // The engine's side.
      assert (waits_q <= 8'(Longest));
      if (m_grant_valid) begin
        assert (engine_q == Asked && m_grant_length <= offered_q.length);
        if (Straight && in_time_now)
          assert (m_grant_length == given_now);
          else assert (m_grant_length == (in_time_q ? given_q : '0));
      end
      if (engine_q == Granted) assert (s_rx_ready);

      // The application's side.
      assert (s_grant_ready == owes_q);
      if (m_query_valid) assert (!owes_q && m_query.length != '0);
      if (m_query_valid && !void_q) begin
        assert (engine_q == Asked || passing);
        assert (m_query.length <= offered.length);
        assert (m_query.session == offered.session && m_query.app == offered.app);
      end
      if (engine_q == Granted) assert (!m_query_valid && !owes_q);

      // Of the state, for the induction.
      assert (dut.packets.count_q <= 3'd4 && dut.packets.count_q >= 3'(dut.first_valid));
      assert (dut.packets.count_q == held_q);
      assert (dut.packets.full_q == (dut.packets.count_q == 3'd4));
      assert (engine_q != 2'd3);
      assert ((engine_q == Idle) == (dut.state_q == 2'd0));
      assert ((engine_q == Granted) == (dut.state_q == 2'd3));
      if (owes_q) assert (shown_q == m_query.length && m_query.length != '0);
      if (dut.state_q == 2'd1) begin
        assert (m_query_valid || owes_q);
        assert (dut.grant_q == '0 && !in_time_q && !void_q);
        assert (m_query.length <= offered_q.length);
        assert (m_query.session == offered_q.session && m_query.app == offered_q.app);
        assert (32'(m_query.length) <= 32'(dut.room));
        assert (32'(waits_q) + 32'(dut.patience_q) == 32'(Patience));
      end else if (dut.asked_q || owes_q) begin
        assert (void_q || m_grant_valid);
        assert (!in_time_q || void_q);
      end
      if (void_q) assert (m_query_valid || owes_q);
      if (dut.state_q == 2'd2) begin
        assert (32'(m_grant_length) <= 32'(dut.room));
        if (m_grant_length != '0) assert (in_time_q && !m_query_valid && !owes_q);
      end
      if (engine_q == Granted) assert (left_q != '0 && 32'(left_q) <= 32'(dut.room));
    end
  end

  always_ff @(posedge clk) begin
    cover (started && !rst && s_rx_valid && s_rx_last && left_q == 16'd2
           && dut.packets.count_q == 3'd3);
    cover (started && !rst && granted && void_q);
    cover (started && !rst && m_grant_valid && m_grant_ready && m_grant_length == '0 && owes_q);
    cover (started && !rst && m_query_valid && m_query.length < offered.length
           && packets_in != packets_out);
    cover (started && !rst && waits_q == 8'(Longest));
    cover (started && !rst && granted && !void_q && $past(granted && void_q, 4));
    // What goes past the queue: to the application at once, and one that it takes later.
    if (Straight) begin
      cover (started && !rst && m_rx_valid && m_rx_ready && held_q == '0 && s_rx_last);
      cover (started && !rst && m_rx_valid && !m_rx_ready && held_q == '0);
      cover (started && !rst && in_time_now && !m_grant_ready && given_now != '0);
    end
  end

endmodule
