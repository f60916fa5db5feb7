// SPDX-License-Identifier: Apache-2.0

// The engine's time, from the clock: microseconds since reset, going round after 2^32.
//
// ClockHz need not be a whole number of MHz: the fraction is carried (a first-order accumulator), so
// the count is exact in the long run.
module microsecond_clock #(
  parameter int ClockHz = 156_250_000
) (
  input  logic        clk,
  input  logic        rst,

  output logic [31:0] now_us
);

  if (ClockHz < 1_000_000) begin : gen_check_clock
    $error("ClockHz must be at least 1000000.");
  end

  localparam int Width = $clog2(ClockHz) + 1;
  localparam logic signed [Width-1:0] Step = Width'(1_000_000);
  localparam logic signed [Width-1:0] Turn = Width'(ClockHz);

  // What has passed since the last microsecond, in parts of which a clock has 10^6 and a microsecond
  // ClockHz, less what it is in the clock before the next: the sign tells when that has come.
  logic signed [Width-1:0] part_q;
  logic full;

  assign full = !part_q[Width-1];

  always_ff @(posedge clk) begin
    part_q <= part_q + (full ? Step - Turn : Step);
    if (full) now_us <= now_us + 1'b1;

    if (rst) begin
      part_q <= Step - Turn;
      now_us <= '0;
    end
  end

endmodule
