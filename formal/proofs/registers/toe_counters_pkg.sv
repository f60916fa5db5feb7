// SPDX-License-Identifier: Apache-2.0

// A small set of counters, so that several rounds fit a proof: stands in for the engine's own.
package toe_counters_pkg;

  parameter int ByteIncrementWidth = 2;

  typedef logic [ByteIncrementWidth-1:0] byte_increment_t;

  typedef struct packed {
    logic            a;
    byte_increment_t b;
    logic            c;
    logic            d;
    byte_increment_t e;
  } toe_counters_t;

endpackage
