// SPDX-License-Identifier: Apache-2.0

// connection_sequencer: every event reads the state that the event before it of the same connection wrote, and
// has one write and one set of actions of its own, in order, whatever events come.
//
// Proven for one connection that the solver chooses among all, by what the ports show: the decide
// functions are stand-ins that count (abstract/decide_pkgs.sv), the n-th event of the connection
// finds the count at 2 (n - 1) and leaves 2 n, modulo 16.
//
// Assumed of the state memory: its part of state_memory_contract, which state_cache_props proves, but
// that a state stays (tcp_engine and connection_memory keep it in a register); the other's part is
// proven here. Nothing is assumed of the events.
module connection_sequencer_props
  import tcp_pkg::*;
  import toe_config_pkg::tcp_settings_t;
#(
  parameter  int Connections   = 4,
  // Its contract, clocks: between two events, from an accepted event to the write of its connection's
  // state, and to its actions.
  localparam int Interval      = toe_config_pkg::OneEventClocks,
  localparam int CommitLatency = Interval - 1,
  localparam int Latency       = Interval + 1,
  localparam int IdWidth       = $clog2(Connections)
) (
  input logic               clk,
  input tcp_event_t         s_event,
  input logic [IdWidth-1:0] s_id,
  input logic               s_valid,
  input logic [IdWidth-1:0] chosen,     // an arbitrary constant
  input connection_t        read_connection
);

  logic rst = 1'b1, started = 1'b0;
  logic [IdWidth-1:0] chosen_q;
  always_ff @(posedge clk) begin
    rst      <= 1'b0;
    started  <= 1'b1;
    chosen_q <= chosen;
    if (started) assume (chosen == chosen_q);
  end

  logic s_ready, read_enable, write_enable, actions_valid;
  logic [IdWidth-1:0] read_id, write_id, actions_id;
  connection_t write_connection;
  tcp_actions_t actions;
  tcp_state_e state_before, state_after;

  connection_sequencer #(
    .Connections(Connections)
  ) dut (
    .clk,
    .rst,
    .settings_i        ('0),
    .s_event,
    .s_id,
    .s_valid,
    .s_ready,
    .read_enable_o     (read_enable),
    .read_id_o         (read_id),
    .read_connection_i (read_connection),
    .write_enable_o    (write_enable),
    .write_id_o        (write_id),
    .write_connection_o(write_connection),
    .actions_valid_o   (actions_valid),
    .actions_id_o      (actions_id),
    .actions_o         (actions),
    .actions_segment_o (),
    .state_before_o    (state_before),
    .state_after_o     (state_after)
  );

  // The memory.
  logic names, due, writes_chosen;
  mark_pkg::number_t expected;
  assign writes_chosen = write_enable && write_id == chosen;

  state_memory_contract #(
    .AssumeMemory(1'b1),
    .IdWidth     (IdWidth),
    .DecideClocks(CommitLatency - 2),
    .ReadLatency (4),
    .KeepClocks  (Interval - 3)
  ) contract (
    .clk,
    .rst,
    .chosen_i      (chosen),
    .take_i        (read_enable),
    .named_i       (names),
    .id_i          (read_id),
    .write_i       (write_enable),
    .write_id_i    (write_id),
    .write_number_i(mark_pkg::number_of(write_connection)),
    .due_o         (due),
    .number_o      (expected),
    .fits_i        (read_connection == mark_pkg::at(expected))
  );

  // What was accepted in the last clocks; [0] is the latest.
  typedef struct packed {
    logic               valid;
    logic               own;    // is an event of that connection
    logic [IdWidth-1:0] id;
    logic [3:0]         mark;
  } sent_t;
  sent_t sent_q[Latency];

  // Whatever it gave four clocks after an event, it keeps until the next one is taken.
  logic keeps;
  connection_t read_before_q;
  always_comb begin
    keeps = 1'b0;
    for (int i = 4; i < Interval; i++) if (sent_q[i].valid) keeps = 1'b1;
  end
  always_ff @(posedge clk) begin
    read_before_q <= read_connection;
    if (!rst && keeps) assume (read_connection == read_before_q);
  end

  assign names = (s_event.kind != EvSegment && s_event.kind != EvSack && s_event.kind != EvIcmp)
      || s_event.lookup == LookupHit || s_event.lookup == LookupNew;

  always_ff @(posedge clk) begin
    sent_q[0] <= '{
        valid: s_valid && s_ready,
        own: names && s_event.session_in_range,
        id: s_id,
        mark: s_event.length[3:0]
    };
    for (int i = 1; i < Latency; i++) sent_q[i] <= sent_q[i-1];
    if (rst) for (int i = 0; i < Latency; i++) sent_q[i].valid <= 1'b0;
  end

  function automatic logic of_chosen(input sent_t sent);
    return sent.valid && sent.own && sent.id == chosen;
  endfunction

  sent_t committed, done;
  connection_t written_q;
  assign committed = sent_q[CommitLatency-1];
  assign done = sent_q[Latency-1];

  logic recent;  // the last event is too young for another
  logic [3:0] between;  // events of the chosen connection: committed, actions not out
  always_comb begin
    recent = 1'b0;
    for (int i = 0; i < Interval - 1; i++) if (sent_q[i].valid) recent = 1'b1;
    between = '0;
    for (int i = CommitLatency; i < Latency; i++) between += 4'(of_chosen(sent_q[i]));
  end

  // Events of the chosen connection of which state is written, and of which actions are out.
  logic [3:0] committed_q, done_q;
  always_ff @(posedge clk) begin
    written_q <= write_connection;
    if (of_chosen(committed)) committed_q <= committed_q + 1'b1;
    if (of_chosen(done)) done_q <= done_q + 1'b1;
    if (rst) begin
      committed_q <= '0;
      done_q      <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst && started) begin
      // Waits for the last event, whatever it was of, and not longer than the interval.
      assert (s_ready == !recent);

      // One write for each event of a connection, and one for nothing else.
      assert (write_enable == (committed.valid && committed.own));
      if (write_enable) assert (write_id == committed.id);
      for (int i = CommitLatency; i < CommitLatency + 2; i++)
      if (sent_q[i].valid) assert (write_connection == written_q);

      // The newest state each time: the n-th event writes 2 n.
      if (writes_chosen)
        assert (mark_pkg::number_of(write_connection) == 4'd2 * (committed_q + 4'd1));
      assert (contract.number_q == 4'd2 * committed_q);
      assert (committed_q == done_q + between);

      // Every event has its actions, in order, put together from what belongs to it.
      assert (actions_valid == done.valid);
      if (actions_valid) begin
        assert (actions_id == done.id && actions.tx.seq == 32'(done.id));
        assert (actions.bytes_in[3:0] == done.mark);
        assert (actions.tx_valid);
        if (!done.own) assert (state_before == TcpClosed && state_after == TcpClosed);
        if (of_chosen(done)) begin
          assert (actions.bytes_out[3:0] == 4'd2 * (done_q + 4'd1));
          assert (state_before == tcp_state_e'(4'd2 * done_q));
          assert (state_after == tcp_state_e'(4'd2 * done_q + 4'd2));
        end
      end
    end
  end

  // Events of the chosen connection one after the other, and with one of another between.
  for (genvar distance = Interval; distance <= 2 * Interval; distance += Interval) begin : gen_cover
    always_ff @(posedge clk)
      cover (!rst && writes_chosen && committed_q == 4'd1 && $past(
          writes_chosen, distance
      ));
  end
  always_ff @(posedge clk) begin
    cover (!rst && s_valid && !s_ready && $past(s_valid && !s_ready, 2));
    cover (!rst && writes_chosen && $past(write_enable && !writes_chosen, Interval));
    cover (!rst && actions_valid && done.id == chosen && !done.own);
    cover (!rst && actions_valid && read_enable);
  end

endmodule
