// SPDX-License-Identifier: Apache-2.0

// Gray code: from one number to the next a single bit changes.
package gray_pkg;

  function automatic logic [31:0] to_gray(input logic [31:0] number);
    return number ^ (number >> 1);
  endfunction

endpackage
