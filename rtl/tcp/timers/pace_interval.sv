// SPDX-License-Identifier: Apache-2.0

// How long a connection waits after a segment, so that its window is spread over a round trip:
//
//   wait = srtt * length / (gain * cwnd),   gain 1.2, or 2 in slow start
//
// Without a multiplier or a divider: the logarithms are added, each read off a number's leading one
// and the eight bits behind it (Mitchell), which is 0 to 0.086 too little. So the sum is wrong by 0.172
// either way, and the rate is 1.05 to 1.35 times cwnd / srtt, or 1.77 to 2.26 times: never less than
// what the window allows.
//
// What is left of a microsecond counts as one by chance, as likely as it is long: on average waits of
// 1.3 us, or of 0.3, are what they should be. There is no wait above the largest number.
//
// Latency    5 clocks.
// Throughput one a clock.
module pace_interval #(
  parameter type Tag       = logic [5:0],
  parameter int  WaitWidth = 15
) (
  input  logic                 clk,
  input  logic                 rst,

  input  Tag                   s_tag,
  input  logic [         23:0] s_srtt_us,
  input  logic [         23:0] s_cwnd,
  input  logic [         15:0] s_length,
  input  logic                 s_slow_start,
  input  logic                 s_valid,

  output Tag                   m_tag,
  output logic [WaitWidth-1:0] m_wait_us,
  output logic                 m_valid
);

  localparam int Fraction = 8;
  localparam int Stages = 5;

  typedef logic [4:0] exponent_t;
  typedef logic [Fraction-1:0] mantissa_t;
  typedef logic signed [6+Fraction:0] logarithm_t;

  localparam logarithm_t GainSlowStart = 15'(2 ** Fraction);  // of 2
  localparam logarithm_t Gain = 15'(2 ** Fraction / 4);  // of 1.19

  function automatic exponent_t leading_one(input logic [23:0] number);
    leading_one = '0;
    for (int i = 0; i < 24; i++) if (number[i]) leading_one = 5'(i);
  endfunction

  // The bits behind the leading one.
  function automatic mantissa_t behind_one(input logic [23:0] number, input exponent_t exponent);
    return mantissa_t'(24'(number << (5'd23 - exponent)) >> (23 - Fraction));
  endfunction

  Tag tags_q[Stages];
  logic [Stages-1:0] valid_q;

  always_ff @(posedge clk) begin
    valid_q   <= {valid_q[Stages-2:0], s_valid};
    tags_q[0] <= s_tag;
    for (int i = 1; i < Stages; i++) tags_q[i] <= tags_q[i-1];

    if (rst) valid_q <= '0;
  end

  assign m_tag   = tags_q[Stages-1];
  assign m_valid = valid_q[Stages-1];

  // 1: where the leading ones are.
  logic [23:0] srtt_1_q, cwnd_1_q, length_1_q;
  exponent_t srtt_one_q, cwnd_one_q, length_one_q;
  logic slow_start_1_q;

  always_ff @(posedge clk) begin
    srtt_1_q       <= s_srtt_us;
    cwnd_1_q       <= s_cwnd;
    length_1_q     <= 24'(s_length);
    srtt_one_q     <= leading_one(s_srtt_us);
    cwnd_one_q     <= leading_one(s_cwnd);
    length_one_q   <= leading_one(24'(s_length));
    slow_start_1_q <= s_slow_start;
  end

  // 2: logarithms.
  logarithm_t srtt_2_q, cwnd_2_q, length_2_q, gain_2_q;
  logic none_2_q;

  always_ff @(posedge clk) begin
    srtt_2_q   <= {2'b0, srtt_one_q, behind_one(srtt_1_q, srtt_one_q)};
    cwnd_2_q   <= {2'b0, cwnd_one_q, behind_one(cwnd_1_q, cwnd_one_q)};
    length_2_q <= {2'b0, length_one_q, behind_one(length_1_q, length_one_q)};
    gain_2_q   <= slow_start_1_q ? GainSlowStart : Gain;
    none_2_q   <= srtt_1_q == '0 || length_1_q == '0;
  end

  // 3: that of the wait.
  logarithm_t wait_3_q;
  logic none_3_q;

  always_ff @(posedge clk) begin
    wait_3_q <= (srtt_2_q - cwnd_2_q) + (length_2_q - gain_2_q);
    none_3_q <= none_2_q;
  end

  // 4: the wait, with its fraction.
  logic signed [6:0] power;
  logic [6:0] power_less;
  logic [Fraction:0] one;
  logic [WaitWidth+Fraction-1:0] whole_4, wait_4_q;

  assign {power, one[Fraction-1:0]} = wait_3_q;
  assign one[Fraction] = 1'b1;
  assign power_less = -power;
  assign whole_4 = (WaitWidth + Fraction)'(one) << power[3:0];

  always_ff @(posedge clk) begin
    if (none_3_q) wait_4_q <= '0;
    else if (power < 0) wait_4_q <= (WaitWidth + Fraction)'(one >> power_less);
    else wait_4_q <= int'(power) >= WaitWidth ? '1 : whole_4;
  end

  // 5: whole microseconds. Chance is a shift register that goes round in 65,535 clocks.
  logic [15:0] chance_q;
  logic [WaitWidth+Fraction:0] rounded;

  assign rounded = (WaitWidth + Fraction + 1)'(wait_4_q) + (WaitWidth + Fraction + 1)'(
      chance_q[Fraction-1:0]);

  always_ff @(posedge clk) begin
    chance_q  <= {chance_q[14:0], chance_q[15] ^ chance_q[13] ^ chance_q[12] ^ chance_q[10]};
    m_wait_us <= rounded[WaitWidth+Fraction] ? '1 : rounded[WaitWidth+Fraction-1:Fraction];

    if (rst) chance_q <= 16'd1;
  end

endmodule
