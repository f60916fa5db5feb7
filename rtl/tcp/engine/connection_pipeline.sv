// SPDX-License-Identifier: Apache-2.0

// The connection pipeline: fetch, decide, commit. The only writer of connection state.
//
//   accept | fetch | forward : compare | judge | update : weigh | portion : output | act    | actions
//                                                                                  | commit |
//
// A bar is a register. A colon is one that DecideClocks adds: 5 the one after update, 6 the one
// after portion, 7 the one after forward. With 4 there is none of them.
//
// Latency    3 clocks more than DecideClocks from an accepted event to its actions.
// Throughput one event a clock for different connections; one in DecideClocks for the same one:
//            the state of the latest three commits is forwarded, so no event sees a stale one.
// Ready      s_ready is low while the id's last event is less than that ago. There is no
//            other stall inside: whoever offers events makes sure that everything they may cause
//            has room (see event_arbiter).
module connection_pipeline
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import app_pkg::*;
  import toe_config_pkg::tcp_settings_t;
#(
  parameter  int          Connections  = 64,
  parameter  int          DecideClocks = 4,
  parameter  tcp_limits_t Limits       = '{
      tx_ring_bytes: 2048, tx_page_bits: 0, rx_window: 2048, rx_page_bits: 0, rx_scale: 0,
      mss: 1460, store_direct: 0, early_bytes: 0
  },
  localparam int          IdWidth      = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  tcp_settings_t      settings_i,

  input  tcp_event_t         s_event,
  input  logic [IdWidth-1:0] s_id,
  input  logic               s_valid,
  output logic               s_ready,

  // State memory: data two clocks after read_enable_o.
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
  output tcp_state_e         state_after_o,

  // Pulse: an event of a connection has the state from one before it, and not from memory.
  output logic               forwarded_o
);

  import tcp_compare_pkg::*;
  import tcp_plan_pkg::*;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_act_pkg::*;
  import tcp_receive_pages_pkg::used_with;
  import connection_steps_pkg::*;

  if (DecideClocks < 4 || DecideClocks > 7) begin : gen_check_clocks
    $error("DecideClocks must be 4 to 7.");
  end

  if (KeepsGaps && Gaps < 2) begin : gen_check_gaps
    $error("TOEHOLD_GAPS must be 0 or at least 2.");
  end
  if (HasSack && !KeepsGaps) begin : gen_check_sack
    $error("TOEHOLD_SACK needs gaps to remember: TOEHOLD_GAPS must not be 0.");
  end

  localparam int SameConnectionInterval = DecideClocks;

  typedef struct packed {
    tcp_event_t         ev;
    logic [IdWidth-1:0] id;
  } entry_t;

  // Accept.
  logic has_connection;
  logic [IdWidth-1:0] recent_id_q[SameConnectionInterval-1];
  logic [SameConnectionInterval-2:0] recent_valid_q;
  logic conflict;

  assign has_connection = names_connection(s_event);

  always_comb begin
    conflict = 1'b0;
    for (int i = 0; i < SameConnectionInterval - 1; i++) begin
      if (recent_valid_q[i] && recent_id_q[i] == s_id) conflict = has_connection;
    end
  end

  assign s_ready = !conflict;
  assign read_enable_o = s_valid && s_ready;
  assign read_id_o = s_id;

  always_ff @(posedge clk) begin
    recent_valid_q <= {recent_valid_q[SameConnectionInterval-3:0],
                       s_valid && s_ready && has_connection};
    recent_id_q[0] <= s_id;
    for (int i = 1; i < SameConnectionInterval - 1; i++) recent_id_q[i] <= recent_id_q[i-1];

    if (rst) recent_valid_q <= '0;
  end

  tcp_settings_t chosen;

  assign chosen = settings_in_use(settings_i);

  settings_classes_t classes_q;

  always_ff @(posedge clk) classes_q <= classes_of_settings(settings_i);

  // The state's fields that this pipeline uses.
  localparam connection_t Used = used_with(Limits);

  // What travels with an event. Each step adds to it.
  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    tcp_marks_t       marks;
  } forwarded_t;

  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    tcp_differences_t differences;
  } compared_t;

  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    tcp_differences_t differences;
    judgement_t       judgement;
  } judged_t;

  typedef struct packed {
    entry_t       entry;
    tcp_state_e   state_before;
    connection_t  connection;
    tcp_verdict_t verdict;
    tcp_outlook_t outlook;
    portion_t     portion;
  } updated_t;

  typedef struct packed {
    entry_t        entry;
    tcp_state_e    state_before;
    tcp_verdict_t  verdict;
    tcp_outlook_t  outlook;
    connection_t   connection;
    tcp_decision_t decision;
  } decided_t;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    connection_t        connection;
  } commit_t;

  // Fetch.
  entry_t fetch_q, forward_entry_q;
  logic fetch_valid_q, forward_valid_q;

  // Forward: the newest of memory and the latest commits.
  logic [1:0] commit_valid_q;  // of commit_0 and commit_1_q
  commit_t commit_0, commit_1_q;
  connection_t commit_2_q;
  logic [1:0]  forward_q;  // commit that holds the newest state, and one; 0: memory
  logic [1:0]  forward_d;
  forwarded_t  forwarded;

  updated_t output_in;
  decided_t act_q;
  logic output_valid, act_valid_q;

  // A stage that holds no event keeps what it had: nothing behind it turns, and a simulator does not
  // enter the functions of the stages, which are too large to be part of every clock's code.
  always_ff @(posedge clk) begin
    fetch_valid_q <= s_valid && s_ready;
    if (s_valid) fetch_q <= '{ev: s_event, id: s_id};

    if (rst) fetch_valid_q <= 1'b0;
  end

  // Which of them is known one clock ahead, before they have moved on by one place.
  always_comb begin
    if (output_valid && output_in.verdict.is_event_of && output_in.entry.id == fetch_q.id)
      forward_d = 2'd1;
    else if (commit_valid_q[0] && commit_0.id == fetch_q.id) forward_d = 2'd2;
    else if (commit_valid_q[1] && commit_1_q.id == fetch_q.id) forward_d = 2'd3;
    else forward_d = 2'd0;
  end

  always_ff @(posedge clk) begin
    forward_valid_q <= fetch_valid_q;
    if (fetch_valid_q) begin
      forward_entry_q <= fetch_q;
      forward_q       <= forward_d;
    end

    if (rst) forward_valid_q <= 1'b0;
  end

  always_comb begin
    forwarded.entry = forward_entry_q;
    unique case (forward_q)
      2'd1: forwarded.connection = commit_0.connection;
      2'd2: forwarded.connection = commit_1_q.connection;
      2'd3: forwarded.connection = commit_2_q;
      default: forwarded.connection = connection_t'(read_connection_i & Used);
    endcase
    forwarded.marks =
        tcp_mark(forwarded.connection, forward_entry_q.ev, tcp_read(forward_entry_q.ev));
  end

  assign forwarded_o = forward_valid_q && forward_q != '0 && names_connection(forward_entry_q.ev);

  // Compare.
  forwarded_t compare_in;
  compared_t judge_q;
  logic compare_valid, judge_valid_q;

  if (DecideClocks >= 7) begin : gen_compare_clock
    always_ff @(posedge clk) begin
      compare_valid <= forward_valid_q;
      if (forward_valid_q) compare_in <= forwarded;
      if (rst) compare_valid <= 1'b0;
    end
  end else begin : gen_no_compare_clock
    assign compare_valid = forward_valid_q;
    assign compare_in = forwarded;
  end

  function automatic compared_t compare(input forwarded_t in, input tcp_settings_t settings);
    // verilator no_inline_task
    compare.entry       = in.entry;
    compare.connection  = in.connection;
    compare.differences = tcp_compare(in.connection, in.entry.ev, in.marks, Limits,
                                       settings);
    compare.differences.checks = tcp_check(in.connection, in.entry.ev, compare.differences,
                                           Limits, settings);
  endfunction

  always_ff @(posedge clk) begin
    judge_valid_q <= compare_valid;
    if (compare_valid) judge_q <= compare(compare_in, chosen);

    if (rst) judge_valid_q <= 1'b0;
  end

  // Judge, and the arithmetic beside it.
  judged_t update_q;
  logic update_valid_q;

  function automatic judged_t judge(input compared_t in, input tcp_settings_t settings,
                                    input settings_classes_t classes);
    // verilator no_inline_task
    judge.entry = in.entry;
    judge.connection = in.connection;
    judge.differences = in.differences;
    judge.judgement =
        step_judge(in.connection, in.entry.ev, in.differences,
                   tcp_sum(in.connection, in.entry.ev, in.differences), Limits, settings, classes);
  endfunction

  always_ff @(posedge clk) begin
    update_valid_q <= judge_valid_q;
    if (judge_valid_q) update_q <= judge(judge_q, chosen, classes_q);

    if (rst) update_valid_q <= 1'b0;
  end

  // Update, and look out for what there is to send.
  updated_t weigh_in;
  logic weigh_valid;

  function automatic updated_t update(input judged_t in, input tcp_settings_t settings);
    // verilator no_inline_task
    tcp_plan_t plan;
    plan = tcp_plan(in.connection, in.entry.ev, in.differences, in.judgement.verdict,
                    in.judgement.preparation, Limits, settings);
    update.entry = in.entry;
    update.state_before = in.connection.state;
    update.connection = step_update(in.connection, in.entry.ev, in.differences, in.judgement, plan,
                                    Limits, settings);
    update.verdict = in.judgement.verdict;
    update.outlook = tcp_look_out(in.connection, in.entry.ev, in.differences, in.judgement.verdict,
                                  in.judgement.preparation, plan, Limits, settings);
    update.portion = '0;
  endfunction

  if (DecideClocks >= 5) begin : gen_weigh_clock
    always_ff @(posedge clk) begin
      weigh_valid <= update_valid_q;
      if (update_valid_q) weigh_in <= update(update_q, chosen);
      if (rst) weigh_valid <= 1'b0;
    end
  end else begin : gen_no_weigh_clock
    assign weigh_valid = update_valid_q;
    assign weigh_in = update(update_q, chosen);
  end

  // Weigh.
  updated_t portion_q;
  logic portion_valid_q;

  function automatic updated_t weigh(input updated_t in);
    // verilator no_inline_task
    weigh = in;
    weigh.outlook.weights = tcp_weigh(in.connection, in.entry.ev, in.verdict, in.outlook);
  endfunction

  always_ff @(posedge clk) begin
    portion_valid_q <= weigh_valid;
    if (weigh_valid) portion_q <= weigh(weigh_in);

    if (rst) portion_valid_q <= 1'b0;
  end

  // Portion.
  function automatic updated_t portion(input updated_t in);
    // verilator no_inline_task
    portion = in;
    portion.portion = tcp_portion(in.connection, in.entry.ev, in.verdict, in.outlook);
  endfunction

  if (DecideClocks >= 6) begin : gen_output_clock
    always_ff @(posedge clk) begin
      output_valid <= portion_valid_q;
      if (portion_valid_q) output_in <= portion(portion_q);
      if (rst) output_valid <= 1'b0;
    end
  end else begin : gen_no_output_clock
    assign output_valid = portion_valid_q;
    assign output_in = portion(portion_q);
  end

  // Output.
  function automatic decided_t conclude(input updated_t in);
    // verilator no_inline_task
    conclude.entry = in.entry;
    conclude.state_before = in.state_before;
    conclude.verdict = in.verdict;
    conclude.outlook = in.outlook;
    conclude.decision =
        tcp_conclude(in.connection, in.entry.ev, in.verdict, in.outlook, in.portion);
    conclude.connection = step_output(in.connection, in.entry.ev, in.outlook, in.portion,
                                      conclude.decision, Limits);
  endfunction

  always_ff @(posedge clk) begin
    act_valid_q    <= output_valid;
    commit_valid_q <= {commit_valid_q[0], output_valid && output_in.verdict.is_event_of};
    if (output_valid) act_q <= conclude(output_in);
    if (commit_valid_q[1]) commit_2_q <= commit_1_q.connection;
    if (commit_valid_q[0]) commit_1_q <= commit_0;

    if (rst) begin
      act_valid_q    <= 1'b0;
      commit_valid_q <= '0;
    end
  end

  assign commit_0 = '{id: act_q.entry.id, connection: act_q.connection};

  // Act, on the state that is being committed.
  always_ff @(posedge clk) begin
    actions_valid_o <= act_valid_q;
    if (act_valid_q) begin
      actions_id_o      <= act_q.entry.id;
      actions_o         <= tcp_act(commit_0.connection, SessionIdWidth'(act_q.entry.id),
                                   act_q.entry.ev, act_q.verdict, act_q.outlook,
                                   act_q.decision,
                                   tcp_tell(commit_0.connection, act_q.entry.ev, act_q.verdict,
                                            tcp_ask(commit_0.connection,
                                                    tcp_query(commit_0.connection,
                                                              act_q.entry.ev),
                                                    act_q.verdict, act_q.outlook), Limits), Limits);
      actions_segment_o <= act_q.entry.ev.kind == EvSegment;
      state_before_o    <= act_q.verdict.is_event_of ? act_q.state_before : TcpClosed;
      state_after_o     <= act_q.verdict.is_event_of ? commit_0.connection.state : TcpClosed;
    end

    if (rst) actions_valid_o <= 1'b0;
  end

  // Commit.
  assign write_enable_o = commit_valid_q[0];
  assign write_id_o = commit_0.id;
  assign write_connection_o = commit_0.connection;

endmodule
