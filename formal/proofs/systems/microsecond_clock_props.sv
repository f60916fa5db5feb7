// SPDX-License-Identifier: Apache-2.0

// microsecond_clock: now_us is the whole microseconds of all clocks since reset, however many: what
// it has yet to tell stays below a microsecond.
module microsecond_clock_props #(
  parameter int ClockHz = 156_250_000
) (
  input logic clk,
  input logic rst
);

  logic [31:0] now_us;

  microsecond_clock #(.ClockHz(ClockHz)) dut (.*);

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // Time in parts of which a clock has 10^6 and a microsecond ClockHz. Both sums go round, their
  // difference does not.
  logic [63:0] passed_q, told_q, told, owed;
  logic [31:0] before_q;

  assign told = now_us == before_q ? told_q : told_q + 64'(ClockHz);
  assign owed = passed_q - told;

  always_ff @(posedge clk) begin
    passed_q <= passed_q + 64'd1_000_000;
    told_q   <= told;
    before_q <= now_us;
    if (rst) begin
      passed_q <= '0;
      told_q   <= '0;
      before_q <= '0;
    end

    if (started && !rst) begin
      step : assert (now_us == before_q || now_us == before_q + 32'd1);
      exact : assert (owed < 64'(ClockHz));
      // For the induction alone.
      state : assert (owed == 64'(dut.part_q - dut.Step + dut.Turn));
    end
    cover (started && !rst && now_us == 32'd3);
  end

endmodule
