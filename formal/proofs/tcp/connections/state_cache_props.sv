// SPDX-License-Identifier: Apache-2.0

// state_cache: to the pipeline it is one memory. Each event of a connection reads the state that was
// written last, and events of a connection stay in order, whatever hits, waits, leaves and comes
// back; none is lost and none made up.
//
// By induction, for one connection that the solver chooses. Of its two neighbours their parts of the contracts
// are assumed, which connection_pipeline_props and state_mover_props prove, and the cache's own parts are
// proven here: state_memory_contract, state_mover_contract. Beside these the neighbours are free, and so are
// events. The list of free places is a stand-in (abstract/id_queue.sv).
module state_cache_props
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import state_codec_pkg::*;
#(
  parameter  int Connections   = 16,
  parameter  int Entries       = 4,
  parameter  int Ways          = 2,
  parameter  int Misses        = 2,
  parameter  int Parked        = 4,
  parameter  int Policy        = 0,
  parameter  int DecideClocks  = 4,
  localparam int CommitLatency = DecideClocks + 2,
  localparam int IdWidth       = $clog2(Connections),
  localparam int SlotWidth     = $clog2(Entries),
  localparam int WayWidth      = $clog2(Ways),
  localparam int SetWidth      = SlotWidth - WayWidth,
  localparam int TagWidth      = IdWidth - SetWidth,
  localparam int MissWidth     = $clog2(Misses),
  localparam int PlaceWidth    = $clog2(Parked)
) (
  input logic               clk,
  // The next event: of a connection or of none.
  input logic               s_valid,
  input logic [IdWidth-1:0] s_id,
  input logic               named,
  input number_t            mark,     // of the chosen connection's: counts them
  // The pipeline: whether it takes an event, whether it writes that of CommitLatency clocks ago, and what.
  input logic               m_ready,
  input logic               write_enable,
  input number_t            left,
  // What the stand-in for state_mover does.
  input logic [12:0]        choice,
  // An arbitrary constant: the connection.
  input logic [IdWidth-1:0] chosen
);

  logic rst = 1'b1;
  logic [IdWidth-1:0] chosen_q;
  always_ff @(posedge clk) begin
    rst      <= 1'b0;
    chosen_q <= chosen;
    if (!rst) assume (chosen == chosen_q);
  end

  tcp_event_t s_event, m_event;
  logic [IdWidth-1:0] m_id;
  logic s_ready, m_valid, accepted;
  connection_t read_connection;
  line_response_t response;

  always_comb begin
    s_event = '0;
    s_event.kind = EvSegment;
    s_event.lookup = named ? LookupHit : LookupMiss;
    s_event.length = 16'(mark);
    response = '0;
    response.data = LineBits'(choice);
  end

  state_cache #(
    .Connections  (Connections),
    .Entries      (Entries),
    .Ways         (Ways),
    .Policy       (Policy),
    .Misses       (Misses),
    .Parked       (Parked),
    .CommitLatency(CommitLatency)
  ) dut (
    .clk,
    .rst,
    .init_done_o       (),
    .s_event,
    .s_id,
    .s_valid,
    .s_ready,
    .m_event,
    .m_id,
    .m_valid,
    .m_ready,
    .read_enable_i     (accepted),
    .read_connection_o (read_connection),
    .write_enable_i    (write_enable),
    .write_connection_i(at(left)),
    .m_request         (),
    .m_request_valid   (),
    .m_request_ready   (1'b0),
    .s_response        (response),
    .s_response_valid  (1'b0),
    .counts_o          (),
    .parked_o          (),
    .parked_most_o     (),
    .lines_most_o      ()
  );

  // ---------------------------------------------------------------- the pipeline

  logic due;
  number_t expected;
  logic [IdWidth-1:0] write_id;

  assign accepted = m_valid && m_ready;
  // The cache is not told whose state it is: that of the event.
  assign write_id = contract.event_q[CommitLatency-1].id;

  state_memory_contract #(
    .AssumePipeline(1'b1),
    .IdWidth       (IdWidth),
    .DecideClocks  (DecideClocks)
  ) contract (
    .clk,
    .rst,
    .chosen_i      (chosen),
    .take_i        (accepted),
    .named_i       (names_connection(m_event)),
    .id_i          (m_id),
    .write_i       (write_enable),
    .write_id_i    (write_id),
    .write_number_i(left),
    .due_o         (due),
    .number_o      (expected),
    .fits_i        (is_at(read_connection, expected))
  );

  // ---------------------------------------------------------------- the connection

  // As the contract has them.
  localparam logic [1:0] Away = 2'd0, Fetched = 2'd1, Cached = 2'd2, Leaving = 2'd3;

  logic [1:0] where;
  number_t number;  // what was written last
  logic changed;    // since it was filled
  logic sent, taken, written, begins;
  number_t sent_q, taken_q;

  state_mover_contract #(
    .AssumeMover(1'b1),
    .IdWidth    (IdWidth),
    .SlotWidth  (SlotWidth),
    .Misses     (Misses)
  ) moves (
    .clk,
    .rst,
    .chosen_i        (chosen),
    .begin_i         (begins),
    .begin_ready_i   (dut.mover_ready),
    .begin_miss_i    (dut.begin_miss),
    .begin_id_i      (dut.found.id),
    .begin_slot_i    (dut.begin_slot),
    .victim_id_i     (dut.victim_id),
    .victim_valid_i  (dut.victim_valid),
    .id_i            (dut.busy_id),
    .vacate_i        (dut.vacate),
    .vacate_slot_i   (dut.vacate_slot),
    .vacate_fits_i   (is_at(dut.read.connection, number)),
    .vacate_changed_i(dut.read.changed),
    .fill_i          (dut.fill),
    .fill_ready_i    (dut.fill_now),
    .fill_miss_i     (dut.fill_miss),
    .fill_fits_i     (is_at(dut.filling.connection, number)),
    .settled_i       (dut.settled),
    .written_i       (written),
    .written_number_i(left),
    .number_o        (number)
  );

  assign where   = 2'(moves.where_q);
  assign changed = moves.changed_q;

  assign sent    = s_valid && s_ready && named && s_id == chosen;
  assign taken   = accepted && names_connection(m_event) && m_id == chosen;
  assign written = write_enable && write_id == chosen;
  assign begins  = dut.begin_valid && dut.mover_ready;

  always_ff @(posedge clk) begin
    if (sent) sent_q <= sent_q + 1'b1;
    if (taken) taken_q <= taken_q + 1'b1;
    if (rst) begin
      sent_q    <= '0;
      taken_q   <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (sent) assume (mark == sent_q);
    end
  end

  // ---------------------------------------------------------------- events that wait

  typedef logic [PlaceWidth-1:0] place_t;

  place_t [Misses-1:0][Parked-1:0] place_q;  // of each list's events, the oldest first
  logic [Misses-1:0][PlaceWidth:0] count_q;
  logic [MissWidth-1:0] into, from;
  logic push, pop;

  assign push = dut.park_valid || dut.begin_valid;
  assign pop  = dut.misses.pop;
  assign into = dut.misses.pushed;
  assign from = dut.misses.chosen_q;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Misses; i++) begin
      automatic logic pushes = push && into == MissWidth'(i);
      automatic logic pops = pop && from == MissWidth'(i);
      automatic logic [PlaceWidth:0] rest = count_q[i] - (PlaceWidth + 1)'(pops);
      if (pops) place_q[i] <= place_q[i] >> PlaceWidth;
      if (pushes) begin
        for (int k = 0; k < Parked; k++)
        if (rest == (PlaceWidth + 1)'(k)) place_q[i][k] <= dut.misses.place;
      end
      count_q[i] <= rest + (PlaceWidth + 1)'(pushes);
    end
    if (rst) count_q <= '0;
  end

  logic [Parked-1:0] used;
  logic [PlaceWidth+MissWidth:0] all;

  always_comb begin
    used = '0;
    all = '0;
    for (int i = 0; i < Misses; i++) begin
      all += (PlaceWidth + MissWidth + 1)'(count_q[i]);
      for (int k = 0; k < Parked; k++)
      if ((PlaceWidth + 1)'(k) < count_q[i]) used[place_q[i][k]] = 1'b1;
    end
  end

  // ---------------------------------------------------------------- events on their way

  typedef struct packed {
    logic                 valid;
    logic [IdWidth-1:0]   id;
    logic [SlotWidth-1:0] slot;
  } live_t;

  localparam int Live = CommitLatency + 2;

  // The newest first: two places before the pipeline, and the pipeline.
  live_t live[Live];
  logic [1:0] held;  // in the two places
  logic older;

  assign older = dut.output_register.gen_turns.read_q;
  assign held  = {dut.offered_valid && !dut.next_ready, dut.offered_valid};

  always_comb begin
    for (int i = 0; i < 2; i++)
    live[i] = '{
        valid: held[1-i] && dut.output_register.gen_turns.place_q[older^1'(1-i)].named,
        id: dut.output_register.gen_turns.place_q[older^1'(1-i)].id,
        slot: dut.output_register.gen_turns.place_q[older^1'(1-i)].slot
    };
    for (int i = 0; i < CommitLatency; i++)
    live[2+i] = '{valid: dut.named_q[i], id: contract.event_q[i].id, slot: dut.slot_q[i]};
  end

  // ---------------------------------------------------------------- what is proven

  localparam logic [2:0] Sweep = 3'd0, Run = 3'd1, Choose = 3'd2, Begin = 3'd3, Again = 3'd4,
      Again2 = 3'd5;

  typedef struct packed {
    logic                valid;
    logic [TagWidth-1:0] tag;
  } tag_t;

  typedef tag_t [Ways-1:0] row_t;

  row_t row[2**SetWidth];
  row_t own_row;
  logic [2:0] state, job;
  logic [Ways-1:0] holds;
  logic [Misses-1:0] fetching;  // it
  logic [SlotWidth-1:0] slot;  // of the chosen connection, if it has one

  for (genvar i = 0; i < 2 ** SetWidth; i++) begin : gen_row
    assign row[i] = dut.lookup.tag_ram.memory[i];
  end

  assign state   = 3'(dut.lookup.state_q);
  assign job     = 3'(moves.job_q);
  assign own_row = row[chosen[SetWidth-1:0]];

  always_comb begin
    for (int i = 0; i < Misses; i++)
    fetching[i] = dut.busy[i] && !dut.misses.filled_q[i] && dut.busy_id[i] == chosen;
    slot = '0;
    for (int i = 0; i < Ways; i++) begin
      holds[i] = own_row[i] == {1'b1, chosen[IdWidth-1:SetWidth]};
      if (holds[i]) slot = {chosen[SetWidth-1:0], WayWidth'(i)};
    end
  end

  // A slot is that of an id.
  function automatic logic has(input logic [SlotWidth-1:0] of_slot, input logic [IdWidth-1:0] id);
    return of_slot[SlotWidth-1:WayWidth] == id[SetWidth-1:0]
        && row[of_slot[SlotWidth-1:WayWidth]][of_slot[WayWidth-1:0]]
            == {1'b1, id[IdWidth-1:SetWidth]};
  endfunction

  function automatic number_t mark_of(input tcp_event_t ev);
    return number_t'(ev.length);
  endfunction

  always_ff @(posedge clk) begin
    if (!rst) begin
      automatic number_t next = taken_q;
      automatic logic [3:0] count = '0;

      // What this is about, beside the contract: in order, none of them lost, none made up.
      if (taken) in_order : assert (taken_q != sent_q && mark_of(m_event) == taken_q);

      // Both neighbours mean the same state.
      assert (contract.number_q == number);
      // An entry is in use as long as its miss is not over.
      if (begins) assert (!dut.busy[dut.begin_miss]);
      assert (((moves.coming_q | moves.open_q) & ~dut.busy) == '0);
      assert (dut.begin_valid == begins);

      // After reset no set holds anything.
      assert (state <= Again2);
      if (state == Sweep) begin
        assert (where == Away && dut.busy == '0 && !dut.lookup.first_valid_q);
        assert (!dut.lookup.second_valid_q && !dut.lookup.third_valid_q && sent_q == taken_q);
        assert (!dut.offered_valid && dut.next_ready && dut.named_q == '0 && job == 3'd0);
        for (int i = 0; i < 2 ** SetWidth; i++)
        for (int k = 0; k < Ways; k++)
        if (SetWidth'(i) < dut.lookup.sweep_q) assert (!row[i][k].valid);
      end else assert ((holds & (holds - 1'b1)) == '0);
      if (state != Sweep) assert ((holds != '0) == (where == Fetched || where == Cached));

      // The tags that travel with events are those of now.
      if (state == Run || state == Choose || state == Begin) begin
        if (dut.lookup.third_valid_q)
          assert (dut.lookup.third_places_q == row[dut.lookup.third_q.id[SetWidth-1:0]]);
        if (dut.lookup.second_valid_q)
          assert (dut.lookup.places_q == row[dut.lookup.second_q.id[SetWidth-1:0]]);
        if (dut.lookup.first_valid_q)
          assert (dut.lookup.places == row[dut.lookup.first_q.id[SetWidth-1:0]]);
      end else assert (!dut.lookup.third_valid_q);
      if (state == Again2 && dut.lookup.second_valid_q)
        assert (dut.lookup.places == row[dut.lookup.second_q.id[SetWidth-1:0]]);
      if (dut.lookup.third_valid_q) begin
        assert (dut.lookup.third_named_q == names_connection(dut.lookup.third_q.ev));
        for (int i = 0; i < Ways; i++)
        assert (dut.lookup.hits_q[i] == (dut.lookup.third_places_q[i]
                                         == {1'b1, dut.lookup.third_q.id[IdWidth-1:SetWidth]}));
        for (int i = 0; i < Misses; i++)
        if (dut.parking[i])
          assert (dut.lookup.match_q[i] == (dut.busy_id[i] == dut.lookup.third_q.id));
      end
      if (state == Choose || state == Begin)
        assert (dut.lookup.third_valid_q && dut.lookup.third_named_q && dut.lookup.hits_q == '0);

      // A miss has a place of its own, and an event that waits until its state is there.
      for (int i = 0; i < Misses; i++) begin
        if (dut.busy[i]) begin
          assert (has(dut.busy_slot[i], dut.busy_id[i]));
          if (dut.busy_id[i] == chosen)
            assert (where == (dut.misses.filled_q[i] ? Cached : Fetched));
          for (int k = 0; k < i; k++) assert (!dut.busy[k] || dut.busy_slot[k] != dut.busy_slot[i]);
          if (dut.busy_slot[i][SlotWidth-1:WayWidth] == dut.lookup.third_set) begin
            if (state == Choose || state == Begin)
              assert (dut.lookup.pending_q[dut.busy_slot[i][WayWidth-1:0]]);
            if (state == Begin) assert (dut.busy_slot[i][WayWidth-1:0] != dut.lookup.victim_q);
          end
          if (!dut.misses.filled_q[i]) begin
            assert (count_q[i] != '0);
            assert (moves.coming_q[i]);
            for (int k = 0; k < Live; k++)
            assert (!live[k].valid || live[k].slot != dut.busy_slot[i]);
          end
        end else assert (count_q[i] == '0);
        if (!dut.busy[i] || dut.misses.filled_q[i]) assert (!moves.coming_q[i]);
      end
      if (where == Fetched) assert (fetching != '0);
      assert (!dut.misses.vacant_valid_q || !dut.busy[dut.misses.vacant_q]);

      // The mover's job; the one that leaves is still in its place.
      assert (job <= 3'd4 && (where != Leaving || (job >= 3'd1 && job <= 3'd3)));
      if (job >= 3'd1 && job <= 3'd3) begin
        assert (dut.busy[moves.job_miss_q] && !dut.misses.filled_q[moves.job_miss_q]);
        assert (!moves.vacated_q[moves.job_miss_q] && moves.coming_q[moves.job_miss_q]);
        assert (dut.busy_slot[moves.job_miss_q] == moves.job_slot_q);
      end
      if (job != 3'd0) assert (dut.busy[moves.job_miss_q] && moves.open_q[moves.job_miss_q]);
      if (where == Leaving) begin
        if (job == 3'd1)
          assert (is_at(
              word_at(moves.job_slot_q), number
          ) && changed_at(
              moves.job_slot_q
          ) == changed);
        if (job == 3'd2)
          assert (is_at(
              dut.states.read_data_q[0+:$bits(connection_t)], number
          ) && dut.states.read_data_q[$bits(
              connection_t
          )] == changed);
      end
      if (where == Cached) assert (is_at(word_at(slot), number) && changed_at(slot) == changed);
      if (contract.fetches_q[0])
        assert (is_at(dut.states.read_data_q[0+:$bits(connection_t)], contract.fetched_q[0]));

      // Events that may still write are remembered, and in the places of their connections.
      assert (dut.next_ready || dut.offered_valid);
      assert (dut.output_register.gen_turns.write_q == (older ^ (held == 2'b01)));
      for (int i = 0; i < 2; i++)
      if (held[i])
        assert (dut.output_register.gen_turns.place_q[older^1'(i)].named == names_connection(
            dut.output_register.gen_turns.place_q[older^1'(i)].ev
        ));
      for (int i = 0; i < CommitLatency; i++) assert (dut.named_q[i] == contract.event_q[i].valid);
      for (int i = 0; i < Live; i++) begin
        if (live[i].valid) begin
          assert (has(live[i].slot, live[i].id));
          assert (dut.recent_q[count] == live[i].slot);
          count += 4'd1;
        end
      end
      assert (4'(dut.live_q) == count);

      // Lists: each place is in one of them, or free, and leads to the next.
      assert ($countones(used) == 32'(all) && dut.misses.places.free_q == ~used);
      for (int i = 0; i < Misses; i++) begin
        assert (dut.misses.count_q[i] == count_q[i] && count_q[i] <= (PlaceWidth + 1)'(Parked));
        for (int k = 0; k < Parked; k++) begin
          if ((PlaceWidth + 1)'(k) < count_q[i]) begin
            assert (names_connection(dut.misses.events.memory[place_q[i][k]]));
            if (k == 0) assert (dut.misses.head_q[i] == place_q[i][k]);
            if ((PlaceWidth + 1)'(k + 1) == count_q[i])
              assert (dut.misses.tail_q[i] == place_q[i][k]);
              else assert (dut.misses.links.memory[place_q[i][k]] == place_q[i][k+1]);
          end
        end
      end
      assert (2'(dut.misses.state_q) <= 2'd2);
      if (2'(dut.misses.state_q) != 2'd0)
        assert (dut.busy[from] && dut.misses.filled_q[from] && count_q[from] != '0);
      if (dut.replayed_valid)
        assert (mark_of(
            dut.replayed.ev
        ) == mark_of(
            dut.misses.events.memory[place_q[from][0]]
        ) && names_connection(
            dut.replayed.ev
        ));

      // The chosen connection's events, the oldest first.
      for (int i = 0; i < 2; i++) begin
        if (live[1-i].valid && live[1-i].id == chosen) begin
          assert (mark_of(dut.output_register.gen_turns.place_q[older^1'(i)].ev) == next);
          next += 4'd1;
        end
      end
      for (int i = 0; i < Misses; i++) begin
        if (dut.busy[i] && dut.busy_id[i] == chosen) begin
          for (int k = 0; k < Parked; k++) begin
            if ((PlaceWidth + 1)'(k) < count_q[i]) begin
              assert (mark_of(dut.misses.events.memory[place_q[i][k]]) == next);
              next += 4'd1;
            end
          end
        end
      end
      if (own(dut.lookup.third_valid_q, dut.lookup.third_q.ev, dut.lookup.third_q.id)) begin
        assert (mark_of(dut.lookup.third_q.ev) == next);
        next += 4'd1;
      end
      if (own(dut.lookup.second_valid_q, dut.lookup.second_q.ev, dut.lookup.second_q.id)) begin
        assert (mark_of(dut.lookup.second_q.ev) == next);
        next += 4'd1;
      end
      if (own(dut.lookup.first_valid_q, dut.lookup.first_q.ev, dut.lookup.first_q.id)) begin
        assert (mark_of(dut.lookup.first_q.ev) == next);
        next += 4'd1;
      end
      assert (next == sent_q);
    end
  end

  function automatic logic own(input logic valid, input tcp_event_t ev,
                               input logic [IdWidth-1:0] id);
    return valid && names_connection(ev) && id == chosen;
  endfunction

  function automatic connection_t word_at(input logic [SlotWidth-1:0] of_slot);
    return dut.states.memory[of_slot][0+:$bits(connection_t)];
  endfunction

  function automatic logic changed_at(input logic [SlotWidth-1:0] of_slot);
    return dut.states.memory[of_slot][$bits(connection_t)];
  endfunction

  // ---------------------------------------------------------------- ways that it takes

  logic left_q, merged_q, overtaken_q;

  always_ff @(posedge clk) begin
    if (where == Leaving) left_q <= 1'b1;
    if (dut.park_valid && dut.found.id == chosen) merged_q <= 1'b1;
    if (accepted && m_id != chosen && where == Fetched) overtaken_q <= 1'b1;
    if (rst) {left_q, merged_q, overtaken_q} <= '0;
  end

  always_ff @(posedge clk) begin
    if (!rst && due) begin
      hit : cover (taken_q == 4'd2 && !left_q && !merged_q);
      merged : cover (taken_q == 4'd2 && merged_q);
      overtaken : cover (overtaken_q);
    end
  end

endmodule
