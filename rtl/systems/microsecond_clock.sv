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
  localparam logic [Width-1:0] Step = Width'(1_000_000);
  localparam logic [Width-1:0] Turn = Width'(ClockHz);

  // Millionths of a microsecond that have passed, below one microsecond's worth of clocks.
  logic [Width-1:0] part_q;
  logic full;

  assign full = part_q >= Turn - Step;

  always_ff @(posedge clk) begin
    part_q <= full ? part_q + Step - Turn : part_q + Step;
    if (full) now_us <= now_us + 1'b1;

    if (rst) begin
      part_q <= '0;
      now_us <= '0;
    end
  end

endmodule
