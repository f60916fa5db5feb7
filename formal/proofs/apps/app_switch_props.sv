// SPDX-License-Identifier: Apache-2.0

// app_switch: grants in the order of the queries, each from the application that was asked; packets
// in the order of the grants to those who gave them; statuses in the order of the requests; packets
// to send in the order of their TxOk, from those who got them. Everything carries the number of the
// application that it comes from, and reaches the one whose number it carries; a command waits for
// the ends of the packets given before it, and a query for the grants that others owe.
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

  localparam int Outstanding = 2;

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
    .Applications(2),
    .Outstanding (Outstanding)
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

  // ---- What the engine has seen: applications (one-hot, none: nobody has the number), in order

  typedef logic [1:0] select_t;

  select_t asked, granted, requested, sending;
  logic asked_valid, granted_valid, requested_valid, sending_valid;
  logic grant, status, end_in, end_out;
  logic [3:0] room;

  assign grant   = m_grant_valid && m_grant_ready;
  assign status  = s_tx_status_valid && s_tx_status_ready;
  assign end_in  = |(s_tx_valid & s_tx_ready & s_tx_last);
  assign end_out = m_tx_valid && m_tx_ready && m_tx_last;

  stream_fifo #(
    .T    (select_t),
    .Depth(Outstanding)
  ) asked_seen (
    .clk,
    .rst,
    .s_data ({s_query.app == 4'd1, s_query.app == 4'd0}),
    .s_valid(s_query_valid && s_query_ready),
    .s_ready(room[0]),
    .m_data (asked),
    .m_valid(asked_valid),
    .m_ready(grant),
    .count_o()
  );
  stream_fifo #(
    .T    (select_t),
    .Depth(Outstanding)
  ) granted_seen (
    .clk,
    .rst,
    .s_data (asked),
    .s_valid(grant && m_grant_length != '0),
    .s_ready(room[1]),
    .m_data (granted),
    .m_valid(granted_valid),
    .m_ready(s_rx_valid && s_rx_ready && s_rx_last),
    .count_o()
  );
  stream_fifo #(
    .T    (select_t),
    .Depth(Outstanding)
  ) requested_seen (
    .clk,
    .rst,
    .s_data ({m_tx_request.session.id[0], !m_tx_request.session.id[0]}),
    .s_valid(m_tx_request_valid && m_tx_request_ready),
    .s_ready(room[2]),
    .m_data (requested),
    .m_valid(requested_valid),
    .m_ready(status),
    .count_o()
  );
  // Until the end of the packet has left: two may be in the register.
  stream_fifo #(
    .T    (select_t),
    .Depth(Outstanding + 2)
  ) sending_seen (
    .clk,
    .rst,
    .s_data (requested),
    .s_valid(status && s_tx_status.error == TxOk),
    .s_ready(room[3]),
    .m_data (sending),
    .m_valid(sending_valid),
    .m_ready(end_out),
    .count_o()
  );

  // Ends that were given before a command and have not left.
  logic [1:0] ends = '0, ends_next;
  logic query_shown = 1'b0;

  assign ends_next = ends + 2'(end_in) - 2'(end_out);

  always_ff @(posedge clk) begin
    ends        <= rst ? '0 : ends_next;
    query_shown <= !rst && m_query_valid != '0 && !s_query_ready;
  end

  for (genvar k = 0; k < 2; k++) begin : gen_before
    logic waits = 1'b0;
    logic [1:0] left;

    always_ff @(posedge clk) begin
      waits <= !rst && s_command_valid[k] && !s_command_ready[k];
      if (!waits) left <= ends_next;
      else if (left != '0) left <= left - 2'(end_out);

      if (started && !rst) begin
        if (s_command_valid[k] && s_command_ready[k]) assert (waits && left == '0);

        assert (dut.gen_after_data[k].counted_q == waits);
        if (waits) begin
          assert (s_command_valid[k]);
          assert (dut.gen_after_data[k].left_q == left && left <= ends);
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // Numbers tell where a message comes from.
      if (m_command_valid) assert (m_command.app == 4'(m_command.tag[0]));
      if (m_tx_request_valid) assert (m_tx_request.app == 4'(m_tx_request.session.id[0]));
      if (m_tx_valid) assert (sending_valid && m_tx_data[0] == sending[1]);

      // And where it goes.
      for (int k = 0; k < 2; k++) begin
        if (m_event_valid[k]) assert (m_event.app == 4'(k));
        if (m_query_valid[k]) assert (m_query.app == 4'(k));
        if (m_rx_valid[k]) assert (granted_valid && granted == 2'b01 << k);
        if (m_tx_status_valid[k]) assert (requested_valid && requested == 2'b01 << k);
      end
      assert ((room | ~{status && s_tx_status.error == TxOk,
                        m_tx_request_valid && m_tx_request_ready, grant && m_grant_length != '0,
                        s_query_valid && s_query_ready}) == '1);

      // One grant for each query, from the one that was asked.
      if (m_grant_valid) assert (asked_valid);
      if (m_grant_valid && m_grant_length != '0) assert ((asked & s_grant_valid) != '0);
      if (s_grant_ready != '0) begin
        assert (asked_valid && m_grant_ready && s_grant_ready == asked);
        assert (m_grant_length == s_grant_length[asked[1]]);
        assert (m_grant_valid == s_grant_valid[asked[1]]);
      end
      if (s_rx_ready) assert (granted_valid);
      // A query passes only behind the events.
      if (m_query_valid != '0 && !query_shown) assert (!s_event_valid && !dut.event_held);
      // and behind the grants of other applications.
      if (m_query_valid != '0 && asked_valid) assert (asked == m_query_valid);

      if (s_tx_status_ready) assert (requested_valid);

      // Ties to the state, for induction.
      assert (dut.command_arbiter.owner_q == '0);
      assert (dut.request_arbiter.owner_q != 2'b11);
      assert ((dut.request_arbiter.owner_q & ~s_tx_request_valid) == '0);
      if (query_shown) assert (dut.query_shown_q && s_query_valid && dut.asked_ready);
      if (query_shown && asked_valid) assert (dut.asked_q == dut.asked);
      if (dut.query_shown_q) assert (query_shown);
      assert (asked_seen.count_q <= 2'(Outstanding) && granted_seen.count_q <= 2'(Outstanding));
      assert (requested_seen.count_q <= 2'(Outstanding));
      assert (dut.asked_queue.count_q == asked_seen.count_q);
      assert (dut.receivers.count_q == granted_seen.count_q);
      assert (dut.requesters.count_q == requested_seen.count_q);
      assert (ends <= 2'd2 && dut.senders.count_q <= 2'(Outstanding));
      assert (sending_seen.count_q == 3'(dut.senders.count_q) + 3'(ends));
      for (int i = 0; i < Outstanding; i++) begin
        if (i < int'(asked_seen.count_q)) begin
          assert (dut.asked_queue.place_q[i] == asked_seen.place_q[i]);
          assert (asked_seen.place_q[i] != 2'b11 && asked_seen.place_q[i] == dut.asked_q);
        end
        if (i < int'(granted_seen.count_q)) begin
          assert (dut.receivers.place_q[i] == granted_seen.place_q[i]);
          // A packet that follows a grant of an unknown number cannot be.
          assert (^granted_seen.place_q[i]);
        end
        if (i < int'(requested_seen.count_q)) begin
          assert (dut.requesters.place_q[i] == requested_seen.place_q[i]);
          assert (^requested_seen.place_q[i]);
        end
        if (i < int'(dut.senders.count_q)) begin
          assert (dut.senders.place_q[i] == sending_seen.place_q[2'(i)+ends]);
        end
      end
      assert (dut.ends_q == ends);
      assert (ends == 2'(m_tx_valid && m_tx_last) + 2'(dut.data_register.gen_spare.spare_valid_q
                                                       && dut.data_register.gen_spare.spare_q[18]));
      for (int i = 0; i < Outstanding + 2; i++) begin
        if (i < int'(sending_seen.count_q)) assert (^sending_seen.place_q[i]);
      end
      if (dut.data_register.gen_spare.spare_valid_q) begin
        assert (m_tx_valid);
        assert (3'(m_tx_last) < sending_seen.count_q);
        assert (dut.data_register.gen_spare.spare_q[0] == sending_seen.place_q[m_tx_last][1]);
      end
      if (dut.command_register.gen_spare.spare_valid_q) begin
        assert (m_command_valid);
        assert (dut.command_register.gen_spare.spare_q.app
                == 4'(dut.command_register.gen_spare.spare_q.tag[0]));
      end
      if (dut.event_register.gen_spare.spare_valid_q) assert (dut.event_held);
    end

    // A grant, and a request, while a packet passes.
    cover (started && !rst && grant && m_grant_length != '0 && granted_valid && sending_valid);
    cover (started && !rst && m_tx_request_valid && m_tx_request_ready && m_tx_valid && !m_tx_last);
    // A command while data keeps coming.
    cover (started && !rst && s_command_ready[1] && ends != '0 && $past(ends != '0));
    cover (started && !rst && end_out && sending[1] && s_command_valid[1] && !s_command_ready[1]);
    cover (started && !rst && s_rx_valid && s_rx_ready && s_rx_last && granted[0]);
    cover (started && !rst && m_grant_valid && asked == '0);
    cover (started && !rst && asked_seen.count_q == 2'd2);
  end

endmodule
