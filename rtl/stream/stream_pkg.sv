// SPDX-License-Identifier: Apache-2.0

// Arithmetic on the keep signal of packet streams, for up to 64 lanes (512 bits). Narrower streams
// extend and truncate with a cast; what they do not use is trimmed by synthesis.
package stream_pkg;

  localparam int MaxLanes = 64;

  typedef logic [MaxLanes-1:0] lanes_t;
  typedef logic [$clog2(MaxLanes+1)-1:0] lane_count_t;

  // The data widths that the packet modules take.
  function automatic bit supports(input int data_width);
    return data_width >= 16 && data_width <= MaxLanes * 8 && 2 ** $clog2(data_width) == data_width;
  endfunction

  // A one in each of the first `count` lanes. Comparing bit by bit from the lowest keeps the
  // comparison with a constant in a look-up table or two, off the carry chains.
  function automatic lanes_t lanes_below(input lane_count_t count);
    return ~(~lanes_t'(0) << count);
  endfunction

  // Number of lanes in use, for a keep that is contiguous from lane 0. The one lane that is kept
  // while its successor is not tells the count: an OR instead of a sum.
  function automatic lane_count_t lanes_used(input lanes_t keep);
    lane_count_t count = '0;
    lanes_t last = keep & ~(keep >> 1);
    for (int b = 0; b < $bits(lane_count_t); b++) begin
      lanes_t weight = '0;
      for (int lane = 0; lane < MaxLanes; lane++) weight[lane] = ((lane + 1) >> b) % 2 == 1;
      count[b] = |(last & weight);
    end
    return count;
  endfunction

endpackage
