// SPDX-License-Identifier: Apache-2.0

// Seconds since reset, from the microsecond clock that the engine is given.
//
// The microseconds may jump forward: the seconds catch up at three clocks each. Both wrap.
module seconds_counter (
  input  logic        clk,
  input  logic        rst,

  input  logic [31:0] now_us,
  output logic [15:0] seconds_o
);

  localparam logic [31:0] SecondUs = 32'd1_000_000;

  // One step a clock: subtract, compare, advance.
  logic [2:0] step_q;
  logic [31:0] start_us_q;  // when the current second began
  logic [31:0] elapsed_us_q;
  logic over_q;

  always_ff @(posedge clk) begin
    step_q       <= {step_q[1:0], step_q[2]};
    elapsed_us_q <= now_us - start_us_q;
    over_q       <= elapsed_us_q >= SecondUs;
    if (step_q[2] && over_q) begin
      start_us_q <= start_us_q + SecondUs;
      seconds_o  <= seconds_o + 1'b1;
    end

    if (rst) begin
      step_q     <= 3'b001;
      start_us_q <= now_us;
      seconds_o  <= '0;
    end
  end

endmodule
