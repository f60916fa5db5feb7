// SPDX-License-Identifier: Apache-2.0

// Modular sequence-number arithmetic (RFC 9293 section 3.4): every comparison of sequence numbers
// in the project goes through these functions. They hold while the two are less than 2^31 apart.
package seq_pkg;

  typedef logic [31:0] seq_t;

  // a < b.
  function automatic logic seq_lt(input seq_t a, input seq_t b);
    seq_t difference = a - b;
    return difference[31];
  endfunction

  // a <= b.
  function automatic logic seq_le(input seq_t a, input seq_t b);
    seq_t difference = b - a;
    return !difference[31];
  endfunction

  // The signs of a difference that has been taken already.
  function automatic logic is_negative(input seq_t difference);
    return difference[31];
  endfunction

  function automatic logic is_positive(input seq_t difference);
    return !difference[31] && difference[30:0] != '0;
  endfunction

endpackage
