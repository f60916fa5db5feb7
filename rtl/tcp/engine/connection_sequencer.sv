// SPDX-License-Identifier: Apache-2.0

// The connection pipeline's work, one event at a time: fetch, decide, commit. The only writer of
// connection state, as connection_pipeline is, for parts with less room and longer wires.
//
//   accept | address | read | load | mark | compare | find | judge | plan | update | weigh | portion
//          | conclude, ask | output | commit, tell | act | actions
//
// A bar is a register, and the next event is accepted beside act. The connection is in two registers,
// the memory's as it was, and one as the event changes it; between steps only what the next ones need is
// kept. So a step more is a clock more and few registers, and nothing is ever forwarded: what is read
// was written.
//
// The event, the connection as it was and what was found stand still for many steps. Later ones have them
// from a register behind the first: it takes half of the way, in a clock in which nobody waits for them.
//
// What stands still can be worked out again and again: in a part most registers load in every clock, and
// are right from their step on, as nothing before them changes until all is done. Only what reads its own
// result, and what is read after that, waits for its step. A simulator works each step out once.
//
// Latency    OneEventClocks + 1 from an accepted event to its actions; one less than OneEventClocks
//            to the write of its connection's state.
// Throughput one event in OneEventClocks clocks.
// Ready      a register. There is no stall inside: whoever offers events makes sure that everything they
//            may cause has room (see event_arbiter).
module connection_sequencer
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import toe_config_pkg::OneEventClocks;
#(
  parameter  int          Connections = 64,
  parameter  tcp_limits_t Limits      = '{
      tx_ring_bytes: 2048, tx_page_bits: 0, rx_window: 2048, rx_page_bits: 0, rx_scale: 0,
      mss: 1460, store_direct: 0, early_bytes: 0
  },
  localparam int          IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  tcp_settings_t      settings_i,

  input  tcp_event_t         s_event,
  input  logic [IdWidth-1:0] s_id,
  input  logic               s_valid,
  output logic               s_ready,

  // State memory: data four clocks after read_enable_o, and until the next read. What is written is
  // kept for two clocks longer.
  output logic               read_enable_o,
  output logic [IdWidth-1:0] read_id_o,
  input  connection_t        read_connection_i,
  output logic               write_enable_o,
  output logic [IdWidth-1:0] write_id_o,
  output connection_t        write_connection_o,

  // What follows, for one clock each.
  output logic               actions_valid_o,
  output logic [IdWidth-1:0] actions_id_o,
  output tcp_actions_t       actions_o,
  output logic               actions_segment_o,  // the event was EvSegment
  output tcp_state_e         state_before_o,
  output tcp_state_e         state_after_o
);

  import app_pkg::SessionIdWidth;
  import tcp_compare_pkg::*;
  import tcp_plan_pkg::*;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_act_pkg::*;
  import tcp_receive_pages_pkg::used_with;
  import connection_steps_pkg::*;

  if (KeepsGaps && Gaps < 2) begin : gen_check_gaps
    $error("TOEHOLD_GAPS must be 0 or at least 2.");
  end
  if (HasSack && !KeepsGaps) begin : gen_check_sack
    $error("TOEHOLD_SACK needs gaps to remember: TOEHOLD_GAPS must not be 0.");
  end

  // The clocks after the one in which an event is accepted. The next one is accepted beside Act at the
  // earliest, when the state has been written.
  typedef enum int {
    Address,
    Read,
    Load,
    Mark,
    Compare,
    Find,
    Judge,
    Plan,
    Update,
    Weigh,
    Portion,
    Conclude,
    Output,
    Commit,
    Act
  } step_e;

  localparam int Steps = int'(Act) + 1;

  if (OneEventClocks != Steps) begin : gen_check_clocks
    $error("OneEventClocks is not the number of steps.");
  end

  // The state's fields that are in use.
  localparam connection_t Used = used_with(Limits);

  logic [Steps-1:0] step_q;  // one-hot, but for Act beside another
  logic busy_q;

  tcp_event_t ev_q;
  logic [IdWidth-1:0] id_q;
  connection_t fetched, connection_q;
  tcp_words_t words_q;
  tcp_marks_t marks_q;
  tcp_differences_t differences_q;
  tcp_sums_t sums_q;
  judgement_t judgement_q;
  tcp_plan_t plan_q;
  tcp_outlook_t outlook_q;
  tcp_weights_t weights_q;
  portion_t portion_q;
  tcp_decision_t decision_q;
  tcp_answer_t answer_q;
  tcp_terms_t asked_q, terms_q;
  tcp_told_t told_q;

  assign s_ready = !busy_q;
  assign read_enable_o = s_valid && s_ready;
  assign read_id_o = s_id;

  always_ff @(posedge clk) begin
    step_q <= {step_q[Steps-2:0], read_enable_o};
    if (read_enable_o) busy_q <= 1'b1;
    else if (step_q[Commit]) busy_q <= 1'b0;
    // Whatever is offered, so that a register says when to load hundreds of bits.
    if (!busy_q) begin
      ev_q <= s_event;
      id_q <= s_id;
    end

    if (rst) begin
      step_q <= '0;
      busy_q <= 1'b0;
    end
  end

  // On their way: for Compare and Find, for Judge to Update, and for what follows.
  tcp_event_t find_ev_q, judge_ev_q, output_ev_q;
  connection_t find_fetched_q, judge_fetched_q;
  tcp_differences_t judge_differences_q, judge_differences;
  tcp_verdict_t update_verdict_q, output_verdict_q, asked_verdict;
  judgement_t update_judgement, lower_judgement, upper_judgement;
  tcp_outlook_t outlook_on_q, outlook, portion_outlook;

  // Whether a connection begins, whether it is its update, and whether it changes, leads to all of its
  // bits, and they are all over the part: each half has registers of its own. They are equal, which
  // synthesis is not to make one of.
  (* keep *)
  logic lower_begins_q, lower_updates_q, lower_changes_q;
  (* keep *)
  logic upper_begins_q, upper_updates_q, upper_changes_q;
  // The same for the timer's wait, of which the classes are needed elsewhere than the deadline, and for
  // what an application is told.
  (* keep *)
  logic [31:0] classed_wait_q;
  (* keep *)
  app_pkg::app_event_e asked_kind_q;

  always_ff @(posedge clk) begin
    lower_begins_q      <= judgement_q.verdict.create;
    upper_begins_q      <= judgement_q.verdict.create;
    lower_updates_q     <= step_q[Plan];
    upper_updates_q     <= step_q[Plan];
    lower_changes_q     <= step_q[Plan] || step_q[Conclude];
    upper_changes_q     <= step_q[Plan] || step_q[Conclude];
    find_ev_q           <= ev_q;
    judge_ev_q          <= find_ev_q;
    output_ev_q         <= judge_ev_q;
    find_fetched_q      <= fetched;
    judge_fetched_q     <= find_fetched_q;
    judge_differences_q <= differences_q;
    update_verdict_q    <= judgement_q.verdict;
    output_verdict_q    <= update_verdict_q;
    outlook_on_q        <= outlook_q;
    classed_wait_q      <= outlook_q.wait_us;
    asked_kind_q        <= update_verdict_q.tell_kind;
  end

  // The checks are a step younger than the rest. The preparation is asked for by Plan and Update alone.
  always_comb begin
    judge_differences = judge_differences_q;
    judge_differences.checks = differences_q.checks;
    update_judgement = '{verdict: update_verdict_q, preparation: judgement_q.preparation};
    lower_judgement = update_judgement;
    lower_judgement.verdict.create = lower_begins_q;
    upper_judgement = update_judgement;
    upper_judgement.verdict.create = upper_begins_q;
  end

  tcp_settings_t settings;
  settings_classes_t classes_q;

  // Whether a step's result is loaded: at its time or, with no enable for thousands of flip-flops, always.
  function automatic logic loads(input logic its_time);
`ifdef SYNTHESIS
    return 1'b1;
`else
    return its_time;
`endif
  endfunction

  assign settings = settings_in_use(settings_i);

  always_ff @(posedge clk) classes_q <= classes_of_settings(settings_i);

  // The steps, each a function that a simulator enters when its time has come.
  function automatic tcp_differences_t compare(input connection_t connection, input tcp_event_t ev,
                                               input tcp_marks_t marks,
                                               input tcp_settings_t chosen);
    // verilator no_inline_task
    return tcp_compare(connection, ev, marks, Limits, chosen);
  endfunction

  function automatic findings_t find(input connection_t connection, input tcp_event_t ev,
                                     input tcp_differences_t d, input tcp_settings_t chosen);
    // verilator no_inline_task
    return step_find(connection, ev, d, Limits, chosen);
  endfunction

  function automatic judgement_t judge(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_sums_t sums, input tcp_settings_t chosen, input settings_classes_t classes);
    // verilator no_inline_task
    return step_judge(connection, ev, d, sums, Limits, chosen, classes);
  endfunction

  function automatic tcp_plan_t plan(input connection_t connection, input tcp_event_t ev,
                                     input tcp_differences_t d, input judgement_t j,
                                     input tcp_settings_t chosen);
    // verilator no_inline_task
    return tcp_plan(connection, ev, d, j.verdict, j.preparation, Limits, chosen);
  endfunction

  function automatic connection_t update(input connection_t connection, input tcp_event_t ev,
                                         input tcp_differences_t d, input judgement_t j,
                                         input tcp_plan_t planned, input tcp_settings_t chosen);
    // verilator no_inline_task
    return step_update(connection, ev, d, j, planned, Limits, chosen);
  endfunction

  function automatic tcp_outlook_t look_out(input connection_t connection, input tcp_event_t ev,
                                            input tcp_differences_t d, input judgement_t j,
                                            input tcp_plan_t planned, input tcp_settings_t chosen);
    // verilator no_inline_task
    return tcp_look_out(connection, ev, d, j.verdict, j.preparation, planned, Limits, chosen);
  endfunction

  function automatic tcp_weights_t weigh(input connection_t connection, input tcp_event_t ev,
                                         input tcp_verdict_t v, input tcp_outlook_t o);
    // verilator no_inline_task
    return tcp_weigh(connection, ev, v, o);
  endfunction

  function automatic portion_t portion(input connection_t connection, input tcp_event_t ev,
                                       input tcp_verdict_t v, input tcp_outlook_t o);
    // verilator no_inline_task
    return tcp_portion(connection, ev, v, o);
  endfunction

  function automatic tcp_decision_t conclude(input connection_t connection, input tcp_event_t ev,
                                             input tcp_verdict_t v, input tcp_outlook_t o,
                                             input portion_t p);
    // verilator no_inline_task
    return tcp_conclude(connection, ev, v, o, p);
  endfunction

  function automatic connection_t complete(input connection_t connection, input tcp_event_t ev,
                                           input tcp_outlook_t o, input portion_t p,
                                           input tcp_decision_t decision);
    // verilator no_inline_task
    return step_output(connection, ev, o, p, decision, Limits);
  endfunction

  // The connection: as it was, as update leaves it, and complete.
  localparam int Bits = $bits(connection_t);
  localparam int Upper = Bits / 2;


  assign fetched = connection_t'(read_connection_i & Used);

  always_ff @(posedge clk) begin
    // Whoever changes more comes first: the others' bits do not depend on whose step it is.
    if (lower_changes_q) begin
      if (lower_updates_q)
        connection_q[Upper-1:0] <= Upper'(update(
            judge_fetched_q, judge_ev_q, judge_differences_q, lower_judgement, plan_q, settings
        ));
      else
        connection_q[Upper-1:0] <= Upper'(complete(
            connection_q, output_ev_q, outlook, portion_q, decision_q
        ));
    end
    if (upper_changes_q) begin
      if (upper_updates_q)
        connection_q[Bits-1:Upper] <= (Bits - Upper)'(update(
            judge_fetched_q, judge_ev_q, judge_differences_q, upper_judgement, plan_q, settings
        ) >> Upper);
      else
        connection_q[Bits-1:Upper] <= (Bits - Upper)'(complete(
            connection_q, output_ev_q, outlook, portion_q, decision_q
        ) >> Upper);
    end
  end

  always_comb begin
    outlook = outlook_on_q;
    outlook.weights = weights_q;
    portion_outlook = outlook;
    portion_outlook.wait_us = classed_wait_q;
    asked_verdict = output_verdict_q;
    asked_verdict.tell_kind = asked_kind_q;
  end

  always_ff @(posedge clk) begin
    if (loads(step_q[Load])) words_q <= tcp_read(ev_q);
    if (loads(step_q[Mark])) marks_q <= tcp_mark(fetched, ev_q, words_q);
    if (loads(step_q[Compare]))
      differences_q <= compare(find_fetched_q, find_ev_q, marks_q, settings);
    if (loads(step_q[Find]))
      {differences_q.checks, sums_q} <= find(find_fetched_q, find_ev_q, differences_q, settings);
    if (loads(step_q[Judge]))
      judgement_q <= judge(
          judge_fetched_q, judge_ev_q, judge_differences, sums_q, settings, classes_q
      );
    if (loads(step_q[Plan]))
      plan_q <= plan(judge_fetched_q, judge_ev_q, judge_differences_q, judgement_q, settings);
    if (loads(step_q[Update]))
      outlook_q <= look_out(
          judge_fetched_q, judge_ev_q, judge_differences_q, update_judgement, plan_q, settings
      );
    if (loads(step_q[Weigh]))
      weights_q <= weigh(connection_q, output_ev_q, output_verdict_q, outlook_q);
    if (loads(step_q[Portion]))
      portion_q <= portion(connection_q, output_ev_q, output_verdict_q, portion_outlook);
    if (step_q[Conclude])
      decision_q <= conclude(connection_q, output_ev_q, output_verdict_q, outlook, portion_q);
    // Chosen from all of the connection, as update leaves it, beside Portion and Conclude; then it takes half
    // of the way.
    if (loads(step_q[Portion])) answer_q <= tcp_query(connection_q, output_ev_q);
    if (loads(step_q[Conclude])) asked_q <= tcp_ask(connection_q, answer_q, asked_verdict, outlook);
    terms_q <= asked_q;
  end

  // Commit.
  assign write_enable_o = step_q[Commit] && output_verdict_q.is_event_of;
  assign write_id_o = id_q;
  assign write_connection_o = connection_q;

  // Act, on the state that was committed: what is summed for messages first.
  always_ff @(posedge clk) begin
    if (loads(step_q[Commit]))
      told_q <= tcp_tell(connection_q, output_ev_q, output_verdict_q, terms_q, Limits);
  end

  always_ff @(posedge clk) begin
    actions_valid_o <= step_q[Act];
    if (loads(step_q[Act])) begin
      actions_id_o      <= id_q;
      actions_o         <= tcp_act(connection_q, SessionIdWidth'(id_q), output_ev_q,
                                   output_verdict_q, outlook, decision_q, told_q, Limits);
      actions_segment_o <= output_ev_q.kind == EvSegment;
      state_before_o    <= output_verdict_q.is_event_of ? judge_fetched_q.state : TcpClosed;
      state_after_o     <= output_verdict_q.is_event_of ? connection_q.state : TcpClosed;
    end

    if (rst) actions_valid_o <= 1'b0;
  end

endmodule
