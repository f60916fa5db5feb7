// SPDX-License-Identifier: Apache-2.0

// Stand-ins for the decide functions in the proofs of connection_pipeline and connection_sequencer. What they do is simple
// enough to be known outside, and shows whether each step was given what belongs together:
//
//   - The state is a number of four bits, in snd_una and state. Update adds one to it, and output
//     one more: after n events of its own a connection is at 2 n (modulo 16). A stale state, or one
//     that is not complete, shows as a wrong number.
//   - Each step leaves a word made of the event's mark (its length) and of the state that it saw. The
//     next steps compare it with their own; if something does not fit, their word is wrong, too.
//
// Whether an event is one of the connection is free (session_in_range); a segment is none unless
// the lookup found one: on this the pipeline relies, see has_connection there.
// verilog_lint: waive-start package-filename
package mark_pkg;
  import tcp_pkg::*;
  typedef logic [3:0] number_t;
  function automatic connection_t at(input number_t number);
    connection_t c;
    c = '0;
    c.snd_una = 32'(number);
    c.state = tcp_state_e'(number);
    return c;
  endfunction
  function automatic number_t number_of(input connection_t c);
    return c.snd_una[3:0];
  endfunction
  function automatic number_t word_of(input number_t number, input tcp_event_t ev);
    return ev.length[3:0] ^ number;
  endfunction
  function automatic number_t word_if(input logic good, input number_t number,
                                      input tcp_event_t ev);
    return good ? word_of(number, ev) : ~word_of(number, ev);
  endfunction
endpackage

package tcp_compare_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import mark_pkg::*;
  function automatic tcp_words_t tcp_read(input tcp_event_t ev);
    tcp_words_t w;
    w = '0;
    w.taken = 16'(ev.length[3:0]);
    return w;
  endfunction
  function automatic tcp_marks_t tcp_mark(input connection_t connection, input tcp_event_t ev,
                                          input tcp_words_t words);
    tcp_marks_t m;
    m = '0;
    m.window = 32'(number_of(connection));
    m.place = 32'(word_if(number_t'(words.taken) == ev.length[3:0], number_of(connection), ev));
    return m;
  endfunction
  function automatic tcp_differences_t tcp_compare(
      input connection_t connection, input tcp_event_t ev, input tcp_marks_t marks,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_differences_t d;
    d = '0;
    d.window_edge = marks.window;
    d.unread = 32'(word_if(number_t'(marks.window) == number_of(connection)
                           && number_t'(marks.place) == word_of(number_of(connection), ev),
                           number_of(connection), ev));
    return d;
  endfunction
  function automatic tcp_checks_t tcp_check(input connection_t connection, input tcp_event_t ev,
                                            input tcp_differences_t d, input tcp_limits_t limits,
                                            input tcp_settings_t settings);
    tcp_checks_t c;
    c = tcp_checks_t
        '($bits(tcp_checks_t)'(word_if(number_t'(d.unread) == word_of(number_of(connection), ev),
                                       number_of(connection), ev)));
    c.of_peer = ev.kind == EvSegment || ev.kind == EvSack || ev.kind == EvIcmp;
    c.of_time = ev.kind == EvTimer || ev.kind == EvRecycle;
    return c;
  endfunction
endpackage

package judge_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import mark_pkg::*;
  function automatic tcp_verdict_t judge(input connection_t connection, input tcp_event_t ev,
                                         input tcp_differences_t d, input logic is_event_of);
    tcp_verdict_t v;
    v = '0;
    v.is_event_of = is_event_of;
    v.counts = tcp_counts_t'($bits(tcp_counts_t)'(word_if(
        number_t'(d.checks) == word_of(number_of(connection), ev)
        && number_t'(d.unread) == word_of(number_of(connection), ev), number_of(connection), ev)));
    return v;
  endfunction
endpackage

package tcp_segment_arrives_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  function automatic tcp_verdict_t tcp_segment_arrives(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_limits_t limits);
    return judge_pkg::judge(
        connection,
        ev,
        d,
        (ev.kind == EvSegment || ev.kind == EvSack || ev.kind == EvIcmp) && ev.session_in_range
                            && (ev.lookup == LookupHit || ev.lookup == LookupNew)
    );
  endfunction
endpackage

package tcp_user_call_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  function automatic tcp_verdict_t tcp_user_call(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_differences_t d,
                                                 input tcp_limits_t limits);
    return judge_pkg::judge(
        connection,
        ev,
        d,
        ev.session_in_range && ev.kind != EvSegment && ev.kind != EvSack && ev.kind != EvIcmp
                            && ev.kind != EvTimer && ev.kind != EvRecycle
    );
  endfunction
endpackage

package tcp_timeout_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  function automatic tcp_verdict_t tcp_timeout(input connection_t connection, input tcp_event_t ev,
                                               input tcp_differences_t d);
    return judge_pkg::judge(connection, ev, d,
                            (ev.kind == EvTimer || ev.kind == EvRecycle) && ev.session_in_range);
  endfunction
endpackage

package tcp_plan_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import mark_pkg::*;
  typedef struct packed {number_t word;} tcp_plan_t;
  function automatic tcp_plan_t tcp_plan(input connection_t connection, input tcp_event_t ev,
                                         input tcp_differences_t d, input tcp_verdict_t v,
                                         input tcp_preparation_t p, input tcp_limits_t limits,
                                         input tcp_settings_t settings);
    number_t word;
    word = word_of(number_of(connection), ev);
    return
    '{
        word:
        word_if
        (
            number_t
            '(
            d.unread
            ) ==
            word
            &&
            number_t
            '(
            v.counts
            ) ==
            word
            &&
            number_t
            '(
            p.rto_sample
            ) ==
            word,
            number_of
            (
                connection
            ),
            ev
        )
    }
    ;
  endfunction
endpackage

package tcp_update_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import tcp_plan_pkg::tcp_plan_t;
  import toe_config_pkg::tcp_settings_t;
  import mark_pkg::*;
  function automatic tcp_sums_t tcp_sum(input connection_t connection, input tcp_event_t ev,
                                        input tcp_differences_t d);
    tcp_sums_t s;
    s = '0;
    s.room = 32'(number_t'(d.unread) ^ number_of(connection));  // the event's mark
    return s;
  endfunction
  function automatic tcp_preparation_t tcp_prepare(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_sums_t s, input tcp_limits_t limits, input tcp_settings_t settings,
      input settings_classes_t classes);
    tcp_preparation_t p;
    p = '0;
    p.rto_sample = 32'(word_if(number_t'(d.unread) == word_of(number_of(connection), ev)
                               && number_t'(s.room) == ev.length[3:0], number_of(connection), ev));
    return p;
  endfunction
  function automatic connection_t tcp_update(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_plan_t plan,
      input tcp_limits_t limits, input tcp_settings_t settings);
    return at(
        number_of(
            connection
        ) + (number_t'(d.window_edge) == number_of(
            connection
        ) && plan.word == word_of(
            number_of(connection), ev) ? 4'd1 : 4'd9)
    );
  endfunction
  function automatic tcp_outlook_t tcp_look_out(
      input connection_t connection, input tcp_event_t ev, input tcp_differences_t d,
      input tcp_verdict_t v, input tcp_preparation_t p, input tcp_plan_t plan,
      input tcp_limits_t limits, input tcp_settings_t settings);
    tcp_outlook_t o;
    number_t word;
    word = word_of(number_of(connection), ev);
    o = '0;
    o.wait_us = 32'(word_if(number_t'(d.unread) == word && number_t'(v.counts) == word
                            && number_t'(p.rto_sample) == word && plan.word == word,
                            number_of(connection), ev));
    return o;
  endfunction
  function automatic tcp_weights_t tcp_weigh(input connection_t connection, input tcp_event_t ev,
                                             input tcp_verdict_t v, input tcp_outlook_t o);
    tcp_weights_t w;
    number_t number;
    w = '0;
    number = number_of(connection) - 4'd1;
    w.ack_classes = 16'(word_if(number_t'(v.counts) == number_t'(o.wait_us)
                                && number_t'(o.wait_us) == word_of(number, ev), number, ev));
    return w;
  endfunction
endpackage

package tcp_output_pkg;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import mark_pkg::*;
  function automatic portion_t tcp_portion(input connection_t connection, input tcp_event_t ev,
                                           input tcp_verdict_t v, input tcp_outlook_t o);
    portion_t p;
    p = '0;
    p.after = 32'(number_t'(v.counts));
    p.length = 17'(word_if(number_t'(v.counts) == number_t'(o.wait_us)
                           && number_t'(o.weights.ack_classes) == number_t'(v.counts),
                           number_of(connection), ev));
    return p;
  endfunction
  function automatic tcp_decision_t tcp_conclude(input connection_t connection,
                                                 input tcp_event_t ev, input tcp_verdict_t v,
                                                 input tcp_outlook_t o, input portion_t portion);
    tcp_decision_t r;
    number_t updated, word;
    updated = number_of(connection);
    word = word_of(updated - 4'd1, ev);
    r = '0;
    r.length = 16'(word_if(number_t'(v.counts) == word && number_t'(o.wait_us) == word
                           && number_t'(o.weights.ack_classes) == word
                           && number_t'(portion.after) == word
                           && number_t'(portion.length) == word_of(updated, ev),
                           updated + 4'd1, ev));
    return r;
  endfunction
  function automatic connection_t tcp_output(input connection_t connection, input tcp_event_t ev,
                                             input tcp_outlook_t o, input portion_t portion,
                                             input tcp_decision_t decision);
    number_t updated;
    updated = number_of(connection);
    return at(
        updated + (number_t'(decision.length) == word_of(
            updated + 4'd1, ev
        ) && number_t'(o.wait_us) == word_of(
            updated - 4'd1, ev
        ) && number_t'(portion.length) == word_of(
            updated, ev) ? 4'd1 : 4'd9)
    );
  endfunction
endpackage

package tcp_act_pkg;
  import app_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import mark_pkg::*;
  // The pipeline asks when the state is complete, the sequencer before: so of the state nothing shows here.
  function automatic tcp_answer_t tcp_query(input connection_t connection, input tcp_event_t ev);
    tcp_answer_t a;
    a = '0;
    a.terms.from = 32'(word_of('0, ev));
    return a;
  endfunction
  function automatic tcp_terms_t tcp_ask(input connection_t connection, input tcp_answer_t answer,
                                         input tcp_verdict_t v, input tcp_outlook_t o);
    tcp_terms_t t;
    t = '0;
    t.from = 32'(o.wait_us);
    t.window = answer.terms.from;
    t.less = 32'(v.counts);
    return t;
  endfunction
  function automatic tcp_told_t tcp_tell(input connection_t connection, input tcp_event_t ev,
                                         input tcp_verdict_t v, input tcp_terms_t terms,
                                         input tcp_limits_t limits);
    tcp_told_t t;
    t = '0;
    t.value = 32'(word_if(number_t'(v.counts) == word_of(number_of(connection) - 4'd2, ev)
                          && number_t'(terms.window) == word_of('0, ev)
                          && number_t'(terms.from) == number_t'(v.counts)
                          && number_t'(terms.less) == number_t'(v.counts),
                          number_of(connection), ev));
    return t;
  endfunction
  function automatic tcp_actions_t tcp_act(
      input connection_t connection, input logic [SessionIdWidth-1:0] id, input tcp_event_t ev,
      input tcp_verdict_t v, input tcp_outlook_t o, input tcp_decision_t decision,
      input tcp_told_t told, input tcp_limits_t limits);
    tcp_actions_t a;
    a = '0;
    a.tx_valid = number_t'(decision.length) == word_of(number_of(connection), ev)
        && number_t'(told.value) == word_of(number_of(connection), ev)
        && number_t'(o.wait_us) == word_of(number_of(connection) - 4'd2, ev)
        && number_t'(v.counts) == word_of(number_of(connection) - 4'd2, ev);
    a.tx.seq = 32'(id);
    a.bytes_in = ev.length;
    a.bytes_out = 16'(number_of(connection));
    return a;
  endfunction
endpackage
