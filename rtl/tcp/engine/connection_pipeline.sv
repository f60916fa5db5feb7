// SPDX-License-Identifier: Apache-2.0

// The connection pipeline: fetch, decide, commit. The only writer of connection state.
//
//   clock   0        1       2        3       4       5        6        7
//           accept   fetch   compare  judge   update  output   act      actions
//                                                              commit
//
// Latency    7 clocks from an accepted event to its actions.
// Throughput one event a clock for different connections; one in 4 clocks for the same one
//            (SameConnectionInterval): the state of the latest three commits is forwarded to
//            `compare`, so no event sees a stale one.
// Ready      s_ready is low while the id's last event is less than that interval ago. There is no
//            other stall inside: whoever offers events makes sure that everything they may cause
//            has room (see event_arbiter).
module connection_pipeline
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import app_pkg::*;
  import toe_config_pkg::tcp_settings_t;
#(
  parameter  int          Connections = 64,
  parameter  tcp_limits_t Limits      = '{tx_ring_bytes: 2048, rx_window: 2048, mss: 1460},
  localparam int          IdWidth     = $clog2(Connections)
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
  output tcp_state_e         state_before_o,
  output tcp_state_e         state_after_o
);

  import tcp_compare_pkg::tcp_compare;
  import tcp_segment_arrives_pkg::tcp_segment_arrives;
  import tcp_user_call_pkg::tcp_user_call;
  import tcp_timeout_pkg::tcp_timeout;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_act_pkg::tcp_act;

  localparam int SameConnectionInterval = 4;
  localparam int Commits = 3;  // commits that a fetch may have missed

  typedef struct packed {
    tcp_event_t         ev;
    logic [IdWidth-1:0] id;
  } entry_t;

  // Accept. An event of no connection neither waits for one nor changes one.
  logic has_connection;
  logic [IdWidth-1:0] recent_id_q[SameConnectionInterval-1];
  logic [SameConnectionInterval-2:0] recent_valid_q;
  logic conflict;

  assign has_connection = s_event.kind != EvSegment || s_event.lookup == LookupHit
      || s_event.lookup == LookupNew;

  always_comb begin
    conflict = 1'b0;
    for (int i = 0; i < SameConnectionInterval - 1; i++)
      if (recent_valid_q[i] && recent_id_q[i] == s_id) conflict = has_connection;
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

  // Fetch.
  entry_t fetch_q, compare_q, judge_q, update_q, output_q;
  logic fetch_valid_q, compare_valid_q, judge_valid_q, update_valid_q, output_valid_q;

  connection_t output_connection_q;
  tcp_state_e output_state_before_q;
  tcp_verdict_t output_verdict_q;
  tcp_outlook_t output_outlook_q;

  // Compare: the newest of memory and the latest commits.
  logic               commit_valid_q     [Commits];
  logic [IdWidth-1:0] commit_id_q        [Commits];
  connection_t        commit_connection_q[Commits];
  logic [1:0]         forward_q;  // commit that holds the newest state, and one; 0: memory
  logic [1:0]         forward_d;
  connection_t        newest;

  // Which of them is known one clock ahead, before they have moved on by one place.
  always_comb begin
    if (output_valid_q && output_verdict_q.is_event_of && output_q.id == fetch_q.id)
      forward_d = 2'd1;
    else if (commit_valid_q[0] && commit_id_q[0] == fetch_q.id) forward_d = 2'd2;
    else if (commit_valid_q[1] && commit_id_q[1] == fetch_q.id) forward_d = 2'd3;
    else forward_d = 2'd0;
  end

  always_comb begin
    unique case (forward_q)
      2'd1: newest = commit_connection_q[0];
      2'd2: newest = commit_connection_q[1];
      2'd3: newest = commit_connection_q[2];
      default: newest = read_connection_i;
    endcase
  end

  connection_t judge_connection_q;
  tcp_differences_t judge_differences_q;

  // Judge, and the arithmetic beside it.
  tcp_verdict_t verdict;
  tcp_preparation_t preparation;

  always_comb begin
    unique case (judge_q.ev.kind)
      EvSegment: verdict = tcp_segment_arrives(judge_connection_q, judge_q.ev,
                                               judge_differences_q);
      EvTimer, EvRecycle:
      verdict = tcp_timeout(judge_connection_q, judge_q.ev, judge_differences_q, settings_i);
      default: verdict = tcp_user_call(judge_connection_q, judge_q.ev, judge_differences_q, Limits);
    endcase
    preparation = tcp_prepare(judge_connection_q, judge_q.ev, judge_differences_q, Limits,
                              settings_i);
  end

  connection_t update_connection_q;
  tcp_differences_t update_differences_q;
  tcp_verdict_t update_verdict_q;
  tcp_preparation_t update_preparation_q;

  // Update.
  connection_t updated;
  tcp_outlook_t outlook;

  always_comb begin
    updated = tcp_update(update_connection_q, update_q.ev, update_differences_q, update_verdict_q,
                         update_preparation_q, Limits, settings_i);
    outlook = tcp_look_out(update_connection_q, updated, update_q.ev, update_differences_q,
                           update_verdict_q, update_preparation_q, Limits, settings_i);
  end

  // Output.
  tcp_outcome_t outcome;

  assign outcome = tcp_output(output_connection_q, output_q.ev, output_verdict_q,
                              output_outlook_q);

  // Act, on the state that is being committed.
  entry_t act_q;
  logic act_valid_q;
  tcp_state_e act_state_before_q;
  tcp_verdict_t act_verdict_q;
  tcp_outlook_t act_outlook_q;
  tcp_decision_t act_decision_q;

  always_ff @(posedge clk) begin
    fetch_valid_q       <= s_valid && s_ready;
    fetch_q.ev          <= s_event;
    fetch_q.id          <= s_id;

    compare_valid_q     <= fetch_valid_q;
    compare_q           <= fetch_q;
    forward_q           <= forward_d;

    judge_valid_q       <= compare_valid_q;
    judge_q             <= compare_q;
    judge_connection_q  <= newest;
    judge_differences_q <= tcp_compare(newest, compare_q.ev, Limits);

    update_valid_q       <= judge_valid_q;
    update_q             <= judge_q;
    update_connection_q  <= judge_connection_q;
    update_differences_q <= judge_differences_q;
    update_verdict_q     <= verdict;
    update_preparation_q <= preparation;

    output_valid_q        <= update_valid_q;
    output_q              <= update_q;
    output_connection_q   <= updated;
    output_state_before_q <= update_connection_q.state;
    output_verdict_q      <= update_verdict_q;
    output_outlook_q      <= outlook;

    commit_valid_q[0]      <= output_valid_q && output_verdict_q.is_event_of;
    commit_id_q[0]         <= output_q.id;
    commit_connection_q[0] <= outcome.connection;
    for (int i = 1; i < Commits; i++) begin
      commit_valid_q[i]      <= commit_valid_q[i-1];
      commit_id_q[i]         <= commit_id_q[i-1];
      commit_connection_q[i] <= commit_connection_q[i-1];
    end

    act_valid_q        <= output_valid_q;
    act_q              <= output_q;
    act_state_before_q <= output_state_before_q;
    act_verdict_q      <= output_verdict_q;
    act_outlook_q      <= output_outlook_q;
    act_decision_q     <= outcome.decision;

    actions_valid_o <= act_valid_q;
    actions_id_o    <= act_q.id;
    actions_o       <= tcp_act(commit_connection_q[0], SessionIdWidth'(act_q.id), act_q.ev,
                               act_verdict_q, act_outlook_q, act_decision_q, Limits);
    state_before_o  <= act_verdict_q.is_event_of ? act_state_before_q : TcpClosed;
    state_after_o   <= act_verdict_q.is_event_of ? commit_connection_q[0].state : TcpClosed;

    if (rst) begin
      fetch_valid_q   <= 1'b0;
      compare_valid_q <= 1'b0;
      judge_valid_q   <= 1'b0;
      update_valid_q  <= 1'b0;
      output_valid_q  <= 1'b0;
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
