// SPDX-License-Identifier: Apache-2.0

// connection_opener: each command is offered to the lookup, at the address that it names, until there
// is an outcome; with the port that it names once, else with ports from 49152 to 65535, each the one
// after the former, PortTries at most. Nothing begins without room, and nothing new before the
// outcome.
//
// Assumed: commands follow the rule of streams; a hash comes once for each time it was taken; each
// offer that was taken has one outcome, and another try only where the offer allowed it.
module connection_opener_props
  import net_headers_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter int PortTries = 3
) (
  input logic         clk,
  input logic         rst,
  input ip_address_t  ip,
  input logic         room,
  input app_command_t s_command,
  input logic         s_valid,
  input logic         m_hash_ready,
  input logic [13:0]  hash,
  input logic         hash_valid,
  input logic         m_ready,
  input logic         retry,
  input logic         done
);

  logic s_ready, m_hash_valid, m_insert, m_may_retry, m_valid;
  tuple_t offer;
  app_id_t app;
  logic [7:0] tag;

  connection_opener #(
    .PortTries(PortTries)
  ) dut (
    .clk,
    .rst,
    .ip_i        (ip),
    .broadcast_ip_i('1),  // as for is_host: no other address is taken away
    .room_i      (room),
    .s_command,
    .s_valid,
    .s_ready,
    .tuple_o     (offer),
    .app_o       (app),
    .tag_o       (tag),
    .m_hash_valid,
    .m_hash_ready,
    .hash_i      (hash),
    .hash_valid_i(hash_valid),
    .m_insert,
    .m_may_retry,
    .m_valid,
    .m_ready,
    .retry_i     (retry),
    .done_i      (done)
  );

  logic started = 1'b0;
  ip_address_t ip_q;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    ip_q    <= ip;
    if (!started) assume (rst);
    if (started) assume (ip == ip_q);
  end

  stream_contract #(
    .Width ($bits(app_command_t)),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data (s_command),
    .valid(s_valid),
    .ready(s_ready)
  );
  stream_contract #(
    .Width($bits(tuple_t))
  ) m_hash_contract (
    .clk,
    .rst,
    .data (offer),
    .valid(m_hash_valid),
    .ready(m_hash_ready)
  );
  stream_contract #(
    .Width($bits({offer, app, tag, m_insert, m_may_retry}))
  ) m_contract (
    .clk,
    .rst,
    .data ({offer, app, tag, m_insert, m_may_retry}),
    .valid(m_valid),
    .ready(m_ready)
  );

  // What has happened to the command at work.
  app_command_t command_q;
  logic busy_q, room_q, hashing_q, hashed_q, waiting_q, may_retry_q;
  logic [15:0] offers_q;
  port_t last_port_q;

  logic hash_taken, offered;
  assign hash_taken = m_hash_valid && m_hash_ready;
  assign offered = m_valid && m_ready;

  always_ff @(posedge clk) begin
    assume (!hash_valid || hashing_q);
    assume (!(retry || done) || waiting_q);
    assume (!(retry && done));
    assume (!retry || may_retry_q);

    if (room && busy_q) room_q <= 1'b1;
    if (hash_taken) hashing_q <= 1'b1;
    if (hash_valid) begin
      hashing_q <= 1'b0;
      hashed_q  <= 1'b1;
    end
    if (offered) begin
      waiting_q   <= 1'b1;
      may_retry_q <= m_may_retry;
      offers_q    <= offers_q + 1'b1;
      last_port_q <= offer.local_port;
    end
    if (retry || done) waiting_q <= 1'b0;
    if (done) busy_q <= 1'b0;
    if (s_valid && s_ready) begin
      command_q <= s_command;
      busy_q    <= 1'b1;
      room_q    <= 1'b0;
      hashed_q  <= 1'b0;
      offers_q  <= '0;
    end

    if (rst) begin
      busy_q    <= 1'b0;
      hashing_q <= 1'b0;
      waiting_q <= 1'b0;
    end
  end

  logic chosen;
  assign chosen = command_q.local_port == '0;

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (s_ready == !busy_q);
      // One thing at a time, and room before the first.
      assert (2'(m_hash_valid) + 2'(hashing_q) + 2'(m_valid) + 2'(waiting_q) <= 2'd1);
      if (m_hash_valid || hashing_q || m_valid || waiting_q) assert (busy_q && room_q);
      // The hash, for a port to choose alone, with the command's address.
      if (m_hash_valid)
        assert (chosen && !hashed_q && offers_q == '0 && offer.local_port == '0
                && offer.remote_ip == command_q.remote_ip
                && offer.remote_port == command_q.remote_port);
      if (m_valid) begin
        assert (offer.remote_ip == command_q.remote_ip);
        assert (offer.remote_port == command_q.remote_port);
        assert (app == command_q.app && tag == command_q.tag);
        assert (m_insert == (is_host(
            command_q.remote_ip
        ) && command_q.remote_ip != ip && command_q.remote_port != '0));
        assert (m_may_retry == (chosen && offers_q != 16'(PortTries - 1)));
        assert (offers_q < (chosen ? 16'(PortTries) : 16'd1));
        if (chosen) begin
          assert (hashed_q && offer.local_port >= 16'd49152);
          if (offers_q != '0) assert (offer.local_port == {2'b11, last_port_q[13:0] + 1'b1});
        end else begin
          assert (offer.local_port == command_q.local_port);
        end
      end

      // Of the state, for the induction.
      assert (busy_q == (dut.state_q != 3'd0));
      assert (m_hash_valid == (dut.state_q == 3'd2));
      assert (hashing_q == (dut.state_q == 3'd3));
      assert (m_valid == (dut.state_q == 3'd4));
      assert (waiting_q == (dut.state_q == 3'd5));
      if (busy_q) begin
        assert (dut.remote_ip_q == command_q.remote_ip);
        assert (dut.remote_port_q == command_q.remote_port);
        assert (app == command_q.app && tag == command_q.tag);
      end
      if (dut.state_q == 3'd1) begin
        assert (offers_q == '0 && !hashed_q && dut.local_port_q == command_q.local_port);
      end
      if (dut.state_q >= 3'd2) begin
        assert (room_q);
        assert (dut.choose_q == chosen);
        assert (m_insert == (is_host(
            command_q.remote_ip
        ) && command_q.remote_ip != ip && command_q.remote_port != '0));
      end
      if (hashing_q) assert (chosen && offers_q == '0 && !hashed_q);
      if (m_valid) assert (16'(dut.tries_left_q) == 16'(PortTries - 1) - offers_q);
      if (hashing_q || m_hash_valid) assert (16'(dut.tries_left_q) == 16'(PortTries - 1));
      if (waiting_q) begin
        assert (last_port_q == dut.local_port_q);
        assert (may_retry_q == m_may_retry);
        assert (offers_q != '0 && 16'(dut.tries_left_q) == 16'(PortTries) - offers_q);
        assert (offers_q <= (chosen ? 16'(PortTries) : 16'd1));
        if (chosen) assert (hashed_q && last_port_q >= 16'd49152);
      end
    end
  end

  always_ff @(posedge clk) begin
    cover (!rst && done && chosen && offers_q == 16'(PortTries));
    cover (!rst && done && !chosen && m_insert);
    cover (!rst && done && !m_insert);
    cover (!rst && offered && offers_q == 16'd1 && offer.local_port == 16'd49152);
    cover (!rst && s_valid && s_ready && dut.offered_q == 14'(PortTries));
  end

endmodule
