// SPDX-License-Identifier: Apache-2.0

// How payload rings ask for bursts of a memory that is far away: what AXI4 says without its IDs.
package burst_memory_pkg;

  typedef struct packed {
    logic [39:0] address;  // in bytes, of a whole word
    logic [7:0]  length;   // words less one
  } burst_t;

endpackage
