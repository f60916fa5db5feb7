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
      tx_ring_bytes: 2048, rx_window: 2048, rx_scale: 0, mss: 1460, store_direct: 0,
      early_bytes: 0
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
  output tcp_state_e         state_after_o
);

  import tcp_compare_pkg::*;
  import tcp_segment_arrives_pkg::tcp_segment_arrives;
  import tcp_user_call_pkg::tcp_user_call;
  import tcp_timeout_pkg::tcp_timeout;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_act_pkg::tcp_act;

  if (DecideClocks < 4 || DecideClocks > 7) begin : gen_check_clocks
    $error("DecideClocks must be 4 to 7.");
  end

  localparam int SameConnectionInterval = DecideClocks;
  localparam int Commits = 3;  // commits that a fetch may have missed

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

  // What travels with an event. Each step adds to it.
  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    seq_t             window_edge;         // right edge of the window that the segment tells
  } forwarded_t;

  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    seq_t             window_edge;
    tcp_differences_t differences;
  } compared_t;

  typedef struct packed {
    entry_t           entry;
    connection_t      connection;
    seq_t             window_edge;
    tcp_differences_t differences;
    tcp_verdict_t     verdict;
    tcp_preparation_t preparation;
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
    tcp_decision_t decision;
  } decided_t;

  // Fetch.
  entry_t fetch_q, forward_entry_q;
  logic fetch_valid_q, forward_valid_q;

  // Forward: the newest of memory and the latest commits.
  logic               commit_valid_q     [Commits];
  logic [IdWidth-1:0] commit_id_q        [Commits];
  connection_t        commit_connection_q[Commits];
  logic [1:0]         forward_q;  // commit that holds the newest state, and one; 0: memory
  logic [1:0]         forward_d;
  forwarded_t         forwarded;

  updated_t output_in;
  logic output_valid;

  // Which of them is known one clock ahead, before they have moved on by one place.
  always_comb begin
    if (output_valid && output_in.verdict.is_event_of && output_in.entry.id == fetch_q.id)
      forward_d = 2'd1;
    else if (commit_valid_q[0] && commit_id_q[0] == fetch_q.id) forward_d = 2'd2;
    else if (commit_valid_q[1] && commit_id_q[1] == fetch_q.id) forward_d = 2'd3;
    else forward_d = 2'd0;
  end

  always_comb begin
    forwarded.entry = forward_entry_q;
    unique case (forward_q)
      2'd1: forwarded.connection = commit_connection_q[0];
      2'd2: forwarded.connection = commit_connection_q[1];
      2'd3: forwarded.connection = commit_connection_q[2];
      default: forwarded.connection = read_connection_i;
    endcase
    forwarded.window_edge = window_end(forwarded.connection, forward_entry_q.ev.segment);
  end

  // Compare.
  forwarded_t compare_in;
  compared_t judge_q;
  logic compare_valid, judge_valid_q;

  if (DecideClocks >= 7) begin : gen_compare_clock
    always_ff @(posedge clk) begin
      compare_valid <= forward_valid_q;
      compare_in    <= forwarded;
      if (rst) compare_valid <= 1'b0;
    end
  end else begin : gen_no_compare_clock
    assign compare_valid = forward_valid_q;
    assign compare_in = forwarded;
  end

  // Judge, and the arithmetic beside it.
  judged_t judged, update_q;
  logic update_valid_q;

  always_comb begin
    judged.entry = judge_q.entry;
    judged.connection = judge_q.connection;
    judged.window_edge = judge_q.window_edge;
    judged.differences = judge_q.differences;
    unique case (judge_q.entry.ev.kind)
      EvSegment, EvSack, EvIcmp:
      judged.verdict = tcp_segment_arrives(judge_q.connection, judge_q.entry.ev,
                                           judge_q.differences);
      EvTimer, EvRecycle:
      judged.verdict = tcp_timeout(judge_q.connection, judge_q.entry.ev, judge_q.differences,
                                   settings_i);
      default:
      judged.verdict = tcp_user_call(judge_q.connection, judge_q.entry.ev, judge_q.differences,
                                     Limits);
    endcase
    judged.preparation =
        tcp_prepare(judge_q.connection, judge_q.entry.ev, judge_q.differences, Limits, settings_i);
  end

  // Update, and look out for what there is to send.
  updated_t updated, weigh_in;
  logic weigh_valid;

  always_comb begin
    updated.entry = update_q.entry;
    updated.state_before = update_q.connection.state;
    updated.connection = tcp_update(update_q.connection, update_q.entry.ev, update_q.differences,
                                    update_q.verdict, update_q.preparation, update_q.window_edge,
                                    Limits, settings_i);
    updated.verdict = update_q.verdict;
    updated.outlook = tcp_look_out(update_q.connection, update_q.entry.ev, update_q.differences,
                                   update_q.verdict, update_q.preparation, Limits, settings_i);
    updated.portion = '0;
  end

  if (DecideClocks >= 5) begin : gen_weigh_clock
    always_ff @(posedge clk) begin
      weigh_valid <= update_valid_q;
      weigh_in    <= updated;
      if (rst) weigh_valid <= 1'b0;
    end
  end else begin : gen_no_weigh_clock
    assign weigh_valid = update_valid_q;
    assign weigh_in = updated;
  end

  // Weigh.
  updated_t weighed, portion_q;
  logic portion_valid_q;

  always_comb begin
    weighed = weigh_in;
    weighed.outlook = tcp_weigh(weigh_in.connection, weigh_in.outlook);
  end

  // Portion.
  updated_t portioned;

  always_comb begin
    portioned = portion_q;
    portioned.portion = tcp_portion(portion_q.verdict, portion_q.outlook);
  end

  if (DecideClocks >= 6) begin : gen_output_clock
    always_ff @(posedge clk) begin
      output_valid <= portion_valid_q;
      output_in    <= portioned;
      if (rst) output_valid <= 1'b0;
    end
  end else begin : gen_no_output_clock
    assign output_valid = portion_valid_q;
    assign output_in = portioned;
  end

  // Output.
  tcp_outcome_t outcome;

  assign outcome = tcp_output(
      output_in.connection,
      output_in.entry.ev,
      output_in.verdict,
      output_in.outlook,
      output_in.portion
  );

  // Act, on the state that is being committed.
  decided_t act_q;
  logic act_valid_q;

  always_ff @(posedge clk) begin
    fetch_valid_q       <= s_valid && s_ready;
    fetch_q.ev          <= s_event;
    fetch_q.id          <= s_id;

    forward_valid_q     <= fetch_valid_q;
    forward_entry_q     <= fetch_q;
    forward_q           <= forward_d;

    judge_valid_q       <= compare_valid;
    judge_q.entry       <= compare_in.entry;
    judge_q.connection  <= compare_in.connection;
    judge_q.differences <= tcp_compare(compare_in.connection, compare_in.entry.ev,
                                       compare_in.window_edge, Limits);
    judge_q.window_edge <= compare_in.window_edge;

    update_valid_q      <= judge_valid_q;
    update_q            <= judged;

    portion_valid_q     <= weigh_valid;
    portion_q           <= weighed;

    commit_valid_q[0]      <= output_valid && output_in.verdict.is_event_of;
    commit_id_q[0]         <= output_in.entry.id;
    commit_connection_q[0] <= outcome.connection;
    for (int i = 1; i < Commits; i++) begin
      commit_valid_q[i]      <= commit_valid_q[i-1];
      commit_id_q[i]         <= commit_id_q[i-1];
      commit_connection_q[i] <= commit_connection_q[i-1];
    end

    act_valid_q     <= output_valid;
    act_q           <= '{
        entry: output_in.entry,
        state_before: output_in.state_before,
        verdict: output_in.verdict,
        outlook: output_in.outlook,
        decision: outcome.decision
    };

    actions_valid_o <= act_valid_q;
    actions_id_o    <= act_q.entry.id;
    actions_o       <= tcp_act(commit_connection_q[0], SessionIdWidth'(act_q.entry.id),
                               act_q.entry.ev, act_q.verdict, act_q.outlook, act_q.decision,
                               Limits);
    actions_segment_o <= act_q.entry.ev.kind == EvSegment;
    state_before_o  <= act_q.verdict.is_event_of ? act_q.state_before : TcpClosed;
    state_after_o   <= act_q.verdict.is_event_of ? commit_connection_q[0].state : TcpClosed;

    if (rst) begin
      fetch_valid_q   <= 1'b0;
      forward_valid_q <= 1'b0;
      judge_valid_q   <= 1'b0;
      update_valid_q  <= 1'b0;
      portion_valid_q <= 1'b0;
      act_valid_q     <= 1'b0;
      actions_valid_o <= 1'b0;
      for (int i = 0; i < Commits; i++) commit_valid_q[i] <= 1'b0;
    end
  end

  // Commit.
  assign write_enable_o = commit_valid_q[0];
  assign write_id_o = commit_id_q[0];
  assign write_connection_o = commit_connection_q[0];

endmodule
