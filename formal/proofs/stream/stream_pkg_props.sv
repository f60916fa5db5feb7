// SPDX-License-Identifier: Apache-2.0

// stream_pkg: lanes_below keeps exactly the lanes below a count, and lanes_used tells it again; the
// widths that are taken are the powers of two from 16 to 512.
module stream_pkg_props (
  input logic        clk,
  input logic [ 6:0] count,
  input logic [ 5:0] lane
);

  import stream_pkg::*;

  lanes_t keep;
  assign keep = lanes_below(count);

  for (genvar w = 1; w <= 1100; w++) begin : gen_width
    if (supports(w)) begin : gen_taken
      always_ff @(posedge clk)
        assert (w == 16 || w == 32 || w == 64 || w == 128 || w == 256 || w == 512);
    end else begin : gen_refused
      always_ff @(posedge clk)
        assert (w != 16 && w != 32 && w != 64 && w != 128 && w != 256 && w != 512);
    end
  end

  always_ff @(posedge clk) begin
    assume (count <= lane_count_t'(MaxLanes));

    below : assert (keep[lane] == (lane_count_t'(lane) < count));
    used : assert (lanes_used(keep) == count);

    cover (count == '0 && keep == '0);
    cover (count == lane_count_t'(MaxLanes) && keep == '1);
    cover (count == lane_count_t'(37) && lanes_used(keep) == count);
  end

endmodule
