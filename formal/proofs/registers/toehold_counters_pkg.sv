// SPDX-License-Identifier: Apache-2.0

// What `make registers` would make of the small set of counters.
package toehold_counters_pkg;

  import toe_counters_pkg::*;

  localparam int Counters = 5;
  localparam int CounterIndexWidth = 3;

  typedef enum logic [CounterIndexWidth-1:0] {
    CounterA = 3'd0,
    CounterB = 3'd1,
    CounterC = 3'd2,
    CounterD = 3'd3,
    CounterE = 3'd4
  } counter_e;

  typedef byte_increment_t [Counters-1:0] amounts_t;

  function automatic amounts_t amounts(input toe_counters_t counters);
    amounts_t amount;
    amount[0] = byte_increment_t'(counters.a);
    amount[1] = byte_increment_t'(counters.b);
    amount[2] = byte_increment_t'(counters.c);
    amount[3] = byte_increment_t'(counters.d);
    amount[4] = byte_increment_t'(counters.e);
    return amount;
  endfunction

  function automatic logic [Counters-1:0] counts_bytes();
    return 5'b10010;
  endfunction

endpackage
