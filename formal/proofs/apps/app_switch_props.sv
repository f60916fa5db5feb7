// SPDX-License-Identifier: Apache-2.0

// app_switch: one grant for each query, from the application that was asked; one packet for each
// grant and for each TxOk; everything carries the number of the application that it comes from, and
// reaches the one whose number it carries; a command waits for the same application's data.
//
// Where a message comes from shows in a bit that the environment sets to the application's number:
// the lowest of a command's tag, of a request's session, and of each byte to send.
module app_switch_props
  import app_pkg::*;
(
  input logic               clk,
  input logic               rst,

  input logic               m_command_ready,
  input app_event_t         s_event,
  input logic               s_event_valid,
  input app_offer_t         s_query,
  input logic               s_query_valid,
  input logic               m_grant_ready,
  input session_t           s_rx_session,
  input logic [15:0]        s_rx_data,
  input logic [1:0]         s_rx_keep,
  input logic               s_rx_last,
  input logic               s_rx_error,
  input logic               s_rx_valid,
  input logic               m_tx_request_ready,
  input tx_status_t         s_tx_status,
  input logic               s_tx_status_valid,
  input logic               m_tx_ready,

  input app_command_t [1:0] s_command,
  input logic [1:0]         s_command_valid,
  input logic [1:0]         m_event_ready,
  input logic [1:0]         m_query_ready,
  input logic [1:0][15:0]   s_grant_length,
  input logic [1:0]         s_grant_valid,
  input logic [1:0]         m_rx_ready,
  input app_offer_t [1:0]   s_tx_request,
  input logic [1:0]         s_tx_request_valid,
  input logic [1:0]         m_tx_status_ready,
  input logic [1:0][15:0]   s_tx_data,
  input logic [1:0][1:0]    s_tx_keep,
  input logic [1:0]         s_tx_last,
  input logic [1:0]         s_tx_error,
  input logic [1:0]         s_tx_valid
);

  app_command_t m_command;
  logic m_command_valid, s_event_ready, s_query_ready, m_grant_valid, s_rx_ready;
  logic [15:0] m_grant_length, m_rx_data, m_tx_data;
  app_offer_t m_tx_request, m_query;
  logic m_tx_request_valid, s_tx_status_ready, m_tx_last, m_tx_valid, m_rx_last;
  logic m_tx_error, m_rx_error;
  logic [1:0] m_tx_keep, m_rx_keep;
  logic [1:0] s_command_ready, m_event_valid, m_query_valid, s_grant_ready, m_rx_valid;
  logic [1:0] s_tx_request_ready, m_tx_status_valid, s_tx_ready;
  app_event_t m_event;
  session_t m_rx_session;
  tx_status_t m_tx_status;

  app_switch #(
    .DataWidth   (16),
    .Applications(2)
  ) dut (
    .*
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // ---- The environment: valid stays, and so does what is beside it.

  stream_contract #(
    .Width($bits(app_event_t)),
    .Assume(1'b1)
  ) event_in (
    .clk,
    .rst,
    .data(s_event),
    .valid(s_event_valid),
    .ready(s_event_ready)
  );
  stream_contract #(
    .Width($bits(app_offer_t)),
    .Assume(1'b1)
  ) query_in (
    .clk,
    .rst,
    .data(s_query),
    .valid(s_query_valid),
    .ready(s_query_ready)
  );
  stream_contract #(
    .Width($bits(tx_status_t)),
    .Assume(1'b1)
  ) status_in (
    .clk,
    .rst,
    .data(s_tx_status),
    .valid(s_tx_status_valid),
    .ready(s_tx_status_ready)
  );
  for (genvar k = 0; k < 2; k++) begin : gen_application
    stream_contract #(
      .Width($bits(app_command_t)),
      .Assume(1'b1)
    ) command_in (
      .clk,
      .rst,
      .data(s_command[k]),
      .valid(s_command_valid[k]),
      .ready(s_command_ready[k])
    );
    stream_contract #(
      .Width(16),
      .Assume(1'b1)
    ) grant_in (
      .clk,
      .rst,
      .data(s_grant_length[k]),
      .valid(s_grant_valid[k]),
      .ready(s_grant_ready[k])
    );
    stream_contract #(
      .Width($bits(app_offer_t)),
      .Assume(1'b1)
    ) request_in (
      .clk,
      .rst,
      .data(s_tx_request[k]),
      .valid(s_tx_request_valid[k]),
      .ready(s_tx_request_ready[k])
    );
    always_ff @(posedge clk) begin
      assume (s_command[k].tag[0] == 1'(k));
      assume (s_tx_request[k].session.id[0] == 1'(k));
      assume (s_tx_data[k][0] == 1'(k));
    end
  end

  // ---- The switch keeps the same rules.

  stream_contract #(
    .Width($bits(app_command_t))
  ) command_out (
    .clk,
    .rst,
    .data(m_command),
    .valid(m_command_valid),
    .ready(m_command_ready)
  );
  stream_contract #(
    .Width(16)
  ) grant_out (
    .clk,
    .rst,
    .data(m_grant_length),
    .valid(m_grant_valid),
    .ready(m_grant_ready)
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
  for (genvar k = 0; k < 2; k++) begin : gen_out
    stream_contract #(
      .Width($bits(app_event_t))
    ) event_out (
      .clk,
      .rst,
      .data(m_event),
      .valid(m_event_valid[k]),
      .ready(m_event_ready[k])
    );
    stream_contract #(
      .Width($bits(app_offer_t))
    ) query_out (
      .clk,
      .rst,
      .data(m_query),
      .valid(m_query_valid[k]),
      .ready(m_query_ready[k])
    );
  end

  // ---- What the engine has seen

  typedef enum logic [1:0] {
    None,
    Asked,
    Granted
  } receive_e;
  typedef enum logic [1:0] {
    Free,
    Requested,
    Sending
  } send_e;

  receive_e receive = None;
  logic asked_app;  // of the query
  logic asked_known;
  send_e send = Free;
  logic send_app;

  always_ff @(posedge clk) begin
    if (s_query_valid && s_query_ready) begin
      receive     <= Asked;
      asked_app   <= s_query.app[0];
      asked_known <= s_query.app < 4'd2;
    end
    if (m_grant_valid && m_grant_ready) receive <= m_grant_length == '0 ? None : Granted;
    if (s_rx_valid && s_rx_ready && s_rx_last) receive <= None;

    if (m_tx_request_valid && m_tx_request_ready) begin
      send     <= Requested;
      send_app <= m_tx_request.app[0];
    end
    if (s_tx_status_valid && s_tx_status_ready) begin
      send <= s_tx_status.error == TxOk ? Sending : Free;
    end
    if (m_tx_valid && m_tx_ready && m_tx_last) send <= Free;

    if (rst) begin
      receive <= None;
      send    <= Free;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // Numbers tell where a message comes from.
      if (m_command_valid) assert (m_command.app == 4'(m_command.tag[0]));
      if (m_tx_request_valid) assert (m_tx_request.app == 4'(m_tx_request.session.id[0]));
      if (m_tx_valid) assert (m_tx_data[0] == send_app);

      // And where it goes.
      for (int k = 0; k < 2; k++) begin
        if (m_event_valid[k]) assert (m_event.app == 4'(k));
        if (m_query_valid[k]) assert (m_query.app == 4'(k));
        if (m_rx_valid[k]) assert (receive == Granted && asked_known && asked_app == 1'(k));
        if (m_tx_status_valid[k]) assert (send == Requested && send_app == 1'(k));
        if (s_tx_ready[k]) assert (send == Sending && send_app == 1'(k));
      end

      // One grant for each query, from the one that was asked; then its packet, then the next query.
      if (s_query_ready) assert (receive == None);
      if (m_grant_valid) assert (receive == Asked);
      if (m_grant_valid && m_grant_length != '0) assert (asked_known && s_grant_valid[asked_app]);
      if (s_grant_ready != '0) begin
        assert (receive == Asked && m_grant_ready && s_grant_ready == 2'b01 << asked_app);
        assert (m_grant_length == s_grant_length[asked_app]);
        assert (m_grant_valid == s_grant_valid[asked_app]);
      end
      if (s_rx_ready) assert (receive == Granted);
      // A query passes only behind the events.
      if ($past(started && !rst && m_query_valid == '0) && m_query_valid != '0) begin
        assert (!$past(s_event_valid) && !$past(dut.event_held));
      end

      // One request at a time, to the end of its packet.
      if (m_tx_request_valid) assert (send == Free);
      if (s_tx_status_ready) assert (send == Requested);
      if (m_tx_valid) assert (send == Sending);
      // Commands wait for the data before them.
      if (send == Sending) assert (!s_command_ready[send_app]);

      // Ties to the state, for induction.
      assert (2'(receive) != 2'd3 && 2'(send) != 2'd3);
      assert (dut.request_arbiter.owner_q == '0 && dut.command_arbiter.owner_q == '0);
      assert ((receive == Asked) == (dut.receive_q == 2'd2));
      assert ((receive == Granted) == (dut.receive_q == 2'd3));
      if (receive != None) begin
        assert (dut.receiver_q == (asked_known ? 2'b01 << asked_app : 2'b00));
      end
      if (dut.receive_q == 2'd1) begin
        assert (s_query_valid);
        assert (dut.receiver_q == {s_query.app == 4'd1, s_query.app == 4'd0});
      end
      // A packet that follows a grant of an unknown number cannot be.
      assert (!(receive == Granted && !asked_known));
      assert ((send == Requested) == (dut.send_q == 3'd2));
      assert ((send == Sending) == (dut.send_q == 3'd3 || dut.send_q == 3'd4));
      assert (dut.send_q <= 3'd4);
      if (dut.send_q != 3'd0) begin
        assert (dut.sender_q == 2'b01 << m_tx_request.session.id[0]);
        assert (m_tx_request.app == 4'(m_tx_request.session.id[0]));
      end
      if (send != Free) assert (send_app == m_tx_request.app[0]);
      if (dut.data_register.gen_spare.spare_valid_q) begin
        assert (m_tx_valid && dut.data_register.gen_spare.spare_q[0] == send_app && !m_tx_last);
        assert (dut.data_register.gen_spare.spare_q[18] == (dut.send_q == 3'd4));
      end else if (m_tx_valid) begin
        assert (m_tx_last == (dut.send_q == 3'd4));
      end
      if (dut.send_q == 3'd4) assert (m_tx_valid);
      if (dut.command_register.gen_spare.spare_valid_q) begin
        assert (m_command_valid);
        assert (dut.command_register.gen_spare.spare_q.app
                == 4'(dut.command_register.gen_spare.spare_q.tag[0]));
      end
      if (dut.event_register.gen_spare.spare_valid_q) assert (dut.event_held);
    end

    cover (started && !rst && m_grant_valid && m_grant_ready && m_grant_length != '0 && asked_app
           && $past(
        send == Sending
    ));
    cover (started && !rst && m_tx_valid && m_tx_ready && m_tx_last && send_app
           && s_command_valid[1] && !s_command_ready[1]);
    cover (started && !rst && s_rx_valid && s_rx_ready && s_rx_last && !asked_app);
    cover (started && !rst && m_grant_valid && !asked_known);
  end

endmodule
