// SPDX-License-Identifier: Apache-2.0

// The steps of a decision as connection_pipeline and connection_sequencer take them: the decide functions
// with what belongs around them. Which of them share a clock, and what is kept between them, is theirs.
package connection_steps_pkg;

  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import tcp_compare_pkg::tcp_check;
  import tcp_plan_pkg::tcp_plan_t;
  import tcp_segment_arrives_pkg::tcp_segment_arrives;
  import tcp_user_call_pkg::tcp_user_call;
  import tcp_timeout_pkg::tcp_timeout;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_receive_pages_pkg::used_with;

  typedef struct packed {
    tcp_verdict_t     verdict;
    tcp_preparation_t preparation;
  } judgement_t;

  // What would be switched on of connections is masked in their state.
  function automatic tcp_settings_t settings_in_use(input tcp_settings_t settings);
    settings_in_use = settings;
    if (!HasCubic) settings_in_use.cubic_friendly = 1'b0;
    if (!HasPacing) settings_in_use.pacing = 1'b0;
  endfunction

  // What follows from the differences before they are judged.
  typedef struct packed {
    tcp_checks_t checks;
    tcp_sums_t   sums;
  } findings_t;

  function automatic findings_t step_find(input connection_t connection, input tcp_event_t ev,
                                          input tcp_differences_t d, input tcp_limits_t limits,
                                          input tcp_settings_t settings);
    return
    '{checks: tcp_check(connection, ev, d, limits, settings), sums: tcp_sum(connection, ev, d)}
    ;
  endfunction

  // The verdict, and the arithmetic beside it.
  function automatic judgement_t step_judge(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_sums_t sums, input tcp_limits_t limits, input tcp_settings_t settings,
      input settings_classes_t classes);
    judgement_t j;
    if (d.checks.of_peer) j.verdict = tcp_segment_arrives(connection, ev, d, limits);
    else if (d.checks.of_time) j.verdict = tcp_timeout(connection, ev, d);
    else j.verdict = tcp_user_call(connection, ev, d, limits);
    j.preparation = tcp_prepare(connection, ev, d, sums, limits, settings, classes);
    // A duplicate that is not the third, with which the peer has enough all the same (RFC 6675 section
    // 5, step 2). The sum that tells so is too long for the judgement.
    if (j.verdict.may_recover && j.preparation.una_is_lost) begin
      j.verdict.fast_retransmit = 1'b1;
      j.verdict.counts.fast_retransmits = 1'b1;
    end
    return j;
  endfunction

  // The verdict carried out.
  function automatic connection_t step_update(input connection_t connection, input tcp_event_t ev,
                                              input tcp_differences_t d, input judgement_t j,
                                              input tcp_plan_t plan, input tcp_limits_t limits,
                                              input tcp_settings_t settings);
    step_update = tcp_update(connection, ev, d, j.verdict, j.preparation, plan, limits, settings);
    step_update = connection_t'(step_update & used_with(limits));
  endfunction

  // The state that is committed.
  function automatic connection_t step_output(
      input connection_t connection, input tcp_event_t ev, input tcp_outlook_t o,
      input portion_t portion, input tcp_decision_t decision, input tcp_limits_t limits);
    step_output = tcp_output(connection, ev, o, portion, decision);
    step_output = connection_t'(step_output & used_with(limits));
  endfunction

endpackage
