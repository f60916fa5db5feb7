// SPDX-License-Identifier: Apache-2.0

// command_dispatcher with its listen_table: every command either goes on, unchanged, to the side that
// it is for, or gets exactly one result, and the result is what a table of ports must say. Proven for one arbitrary port: who
// listens there, what commands about it are answered, what the lookup says, and how many ports are
// listened to.
//
// Assumed: commands follow the rule of streams. The takers may stall as they like.
module command_dispatcher_props
  import app_pkg::*;
  import net_headers_pkg::*;
#(
  parameter int ListenPorts = 3
) (
  input logic         clk,
  input logic         rst,
  input app_command_t s_command,
  input logic         s_valid,
  input logic         m_ready,
  input logic         m_open_ready,
  input logic         m_result_ready,
  input port_t        lookup_port,
  input port_t        watched          // an arbitrary constant
);

  logic s_ready, m_valid, m_open_valid, m_result_valid, listening;
  app_command_t m_command;
  app_event_t m_result;
  app_id_t app;
  logic [15:0] ports;

  command_dispatcher #(
    .ListenPorts(ListenPorts)
  ) dut (
    .clk,
    .rst,
    .s_command,
    .s_valid,
    .s_ready,
    .m_command,
    .m_valid,
    .m_ready,
    .m_open_valid,
    .m_open_ready,
    .m_result,
    .m_result_valid,
    .m_result_ready,
    .lookup_port_i(lookup_port),
    .listening_o  (listening),
    .app_o        (app),
    .ports_o      (ports)
  );

  logic started = 1'b0;
  port_t watched_q;
  always_ff @(posedge clk) begin
    started   <= 1'b1;
    watched_q <= watched;
    if (!started) assume (rst);
    if (started) assume (watched == watched_q);
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
    .Width($bits(app_command_t))
  ) m_contract (
    .clk,
    .rst,
    .data (m_command),
    .valid(m_valid),
    .ready(m_ready)
  );
  stream_contract #(
    .Width($bits(app_command_t))
  ) m_open_contract (
    .clk,
    .rst,
    .data (m_command),
    .valid(m_open_valid),
    .ready(m_open_ready)
  );
  stream_contract #(
    .Width($bits(app_event_t))
  ) m_result_contract (
    .clk,
    .rst,
    .data (m_result),
    .valid(m_result_valid),
    .ready(m_result_ready)
  );

  logic about_port, taken, answered;
  assign about_port = s_command.op == CommandListen || s_command.op == CommandUnlisten;
  assign taken = s_valid && s_ready;
  assign answered = m_result_valid && m_result_ready;

  // What must be: who listens at the port watched, and how many ports are listened to.
  logic listens_q;
  app_id_t owner_q;
  logic [15:0] ports_q;
  app_result_e expected;

  always_comb begin
    if (s_command.op == CommandListen) begin
      expected = listens_q ? ResultInUse : ports_q == 16'(ListenPorts) ? ResultNoRoom : ResultOk;
    end else begin
      expected = listens_q && owner_q == s_command.app ? ResultOk : ResultNoConnection;
    end
  end

  always_ff @(posedge clk) begin
    if (answered && m_result.result == ResultOk) begin
      ports_q <= s_command.op == CommandListen ? ports_q + 1'b1 : ports_q - 1'b1;
      if (s_command.local_port == watched) begin
        listens_q <= s_command.op == CommandListen;
        owner_q   <= s_command.app;
      end
    end
    if (rst) begin
      ports_q   <= '0;
      listens_q <= 1'b0;
    end
  end

  // The table may be one command ahead of what has been answered.
  logic changed;
  assign changed = m_result_valid && m_result.result == ResultOk && s_command.local_port == watched;

  logic looked_q;  // the lookup of the last clock was about the port watched
  logic listens_seen_q;
  app_id_t owner_seen_q;
  logic [2:0] waits_q;  // clocks that the command has waited for its result
  // The table's own state.
  logic [15:0] used;
  logic used_watched;

  always_ff @(posedge clk) begin
    looked_q       <= lookup_port == watched && !rst;
    listens_seen_q <= changed ? s_command.op == CommandListen : listens_q;
    owner_seen_q   <= changed ? s_command.app : owner_q;
    waits_q        <= s_valid && about_port && !m_result_valid && !rst ? waits_q + 1'b1 : '0;
  end

  always_comb begin
    used = '0;
    used_watched = 1'b0;
    for (int i = 0; i < ListenPorts; i++) begin
      used += 16'(dut.listen_table.used_q[i]);
      if (dut.listen_table.used_q[i] && dut.listen_table.port_q[i] == watched) used_watched = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      // On or answered, once; nothing of its own making.
      assert (m_valid == (s_valid && !about_port && s_command.op != CommandOpen));
      assert (m_open_valid == (s_valid && s_command.op == CommandOpen));
      if (m_valid || m_open_valid) assert (m_command == s_command);
      if (m_result_valid) assert (s_valid && about_port);
      assert (taken == (m_valid && m_ready || m_open_valid && m_open_ready || answered));

      // The result, after 3 clocks.
      assert (waits_q <= 3'd3);
      if (m_result_valid) begin
        assert (m_result.kind == EventResult && m_result.tag == s_command.tag
                && m_result.app == s_command.app);
        assert (m_result.result == ResultOk || m_result.result == ResultInUse
                || m_result.result == ResultNoRoom || m_result.result == ResultNoConnection);
        if (s_command.local_port == watched) assert (m_result.result == expected);
      end
      // The number of ports, a clock later.
      if (!dut.changed_q)
        assert (ports_q == ports);
        else assert (ports_q == (dut.fewer_q ? ports - 1'b1 : ports + 1'b1));
      assert (ports <= 16'(ListenPorts));
      assert (ports_q <= 16'(ListenPorts));

      // The lookup.
      if (looked_q) begin
        assert (listening == listens_seen_q);
        if (listening) assert (app == owner_seen_q);
      end

      // Of the state, for the induction.
      assert (dut.asked_q == (dut.listen_table.state_q != 2'd0));
      if (dut.asked_q) begin
        assert (s_valid && about_port);
        assert (dut.listen_table.listen_q == (s_command.op == CommandListen));
        assert (dut.listen_table.command_port_q == s_command.local_port);
        assert (dut.listen_table.command_app_q == s_command.app);
        assert (waits_q == 3'(dut.listen_table.state_q) || m_result_valid);
      end
      for (int i = 0; i < ListenPorts; i++) begin
        for (int j = 0; j < i; j++)
        assert (!(dut.listen_table.used_q[i] && dut.listen_table.used_q[j]
                    && dut.listen_table.port_q[i] == dut.listen_table.port_q[j]));
        // Only a change whose result has not been taken is ahead of the count.
        if (dut.listen_table.state_q == 2'd2) begin
          assert (dut.listen_table.same_port_q[i] == (dut.listen_table.used_q[i]
                  && dut.listen_table.port_q[i] == s_command.local_port));
          assert (dut.listen_table.same_app_q[i] == (dut.listen_table.same_port_q[i]
                  && dut.listen_table.app_q[i] == s_command.app));
        end
        if (dut.listen_table.used_q[i] && dut.listen_table.port_q[i] == watched)
          assert (changed ? s_command.op == CommandListen && dut.listen_table.app_q[i]
                  == s_command.app : listens_q && dut.listen_table.app_q[i] == owner_q);
      end
      if (m_result_valid && m_result.result == ResultOk)
        assert (used == (s_command.op == CommandListen ? ports_q + 1'b1 : ports_q - 1'b1));
        else assert (used == ports_q);
      assert (used_watched == (changed ? s_command.op == CommandListen : listens_q));
    end
  end

  for (genvar result = 0; result < 4; result++) begin : gen_cover
    always_ff @(posedge clk)
      cover (!rst && answered && s_command.local_port == watched
             && m_result.result == app_result_e'(result));
  end
  always_ff @(posedge clk) begin
    cover (!rst && m_valid && !m_ready && ports == 16'(ListenPorts));
    cover (!rst && m_open_valid && m_open_ready && ports == 16'(ListenPorts));
    cover (!rst && looked_q && listening && !changed);
    cover (!rst && looked_q && !listening && ports == 16'(ListenPorts));
  end

endmodule
