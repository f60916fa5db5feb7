// SPDX-License-Identifier: Apache-2.0

// Walks the options of a TCP header and reports those that the engine uses.
//
//   kind 0                     end of the list
//   kind 1                     no operation, one byte
//   kind 2, length 4, 2 bytes  maximum segment size
//   kind k, length n, n-2      anything else: skipped
//
// A length of 0 or 1, or one that leads past the end of the header, ends the list: the options
// before it count, the rest is ignored. An MSS option whose length is not 4 is skipped like an
// unknown one. Of two MSS options the later counts.
//
// Latency    number of option words + 2 clocks.
// Throughput one segment at a time; s_ready is low from a segment's acceptance until its result has
//            been taken.
// Paths      all outputs are registers.
//
// A further option (window scale, time stamps) is one more `kind` in the first stage and one more
// field beside the MSS in the second. What is longer than the four bytes seen there keeps its
// position instead of its value.
module tcp_options_parser
  import net_headers_pkg::*;
#(
  localparam int MaxWords = 10
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [MaxWords*32-1:0] s_options,  // the first byte on the wire in [7:0]
  input  logic [            3:0] s_words,    // 1 to MaxWords
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic [           15:0] m_mss,      // 0: there was none
  output logic                   m_valid,
  input  logic                   m_ready
);

  // One word of options a clock, in two stages: what would each of its bytes mean if an option
  // began there, then where do options begin. Distances are in bytes; no option that fits is longer
  // than 40, and an option that ends the list leads to Never.
  typedef logic [5:0] distance_t;
  localparam distance_t Never = '1;

  typedef struct packed {
    logic [3:1]  stays;   // the next option begins so many bytes further, in this word
    logic        leaves;   // it begins in a later word
    distance_t   next;     // then so many bytes from the next word's first
    logic        mss;
    logic [15:0] value;
  } option_t;

  logic scanning_q;
  logic [MaxWords*32-1:0] options_q;
  distance_t remaining_q;  // bytes from this word's first to the end of the header

  // First stage: decode.

  option_t [3:0] option, option_q;
  logic decoded_q, decoded_last_q;

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      logic [7:0] kind, length;
      logic [8:0] next;  // from this word's first byte

      kind   = options_q[i*8+:8];
      length = options_q[(i+1)*8+:8];
      next   = 9'(i) + ((kind == TcpOptionNop) ? 9'd1 : 9'(length));

      option[i].stays = '0;
      option[i].leaves = 1'b1;
      option[i].next   = Never;
      option[i].mss    = 1'b0;
      option[i].value  = {options_q[(i+2)*8+:8], options_q[(i+3)*8+:8]};
      if (kind != TcpOptionEnd && (kind == TcpOptionNop || length >= 8'd2)
          && next <= 9'(remaining_q)) begin
        option[i].leaves = next >= 9'd4;
        option[i].next   = distance_t'(next - 9'd4);
        for (int further = 1; further < 4; further++) begin
          option[i].stays[further] = next == 9'(i + further) && next < 9'd4;
        end
        option[i].mss = kind == TcpOptionMss && length == 8'd4;
      end
    end
  end

  assign s_ready = !scanning_q && !decoded_q && !m_valid;

  always_ff @(posedge clk) begin
    decoded_q      <= scanning_q;
    decoded_last_q <= remaining_q <= distance_t'(4);
    option_q       <= option;

    if (s_valid && s_ready) begin
      scanning_q  <= 1'b1;
      options_q   <= s_options;
      remaining_q <= {s_words, 2'b00};
    end else if (scanning_q) begin
      scanning_q  <= remaining_q > distance_t'(4);
      options_q   <= options_q >> 32;
      remaining_q <= remaining_q - distance_t'(4);
    end

    if (rst) begin
      scanning_q <= 1'b0;
      decoded_q  <= 1'b0;
    end
  end

  // Second stage: follow the list through the word.

  distance_t next_q, next_d;  // where the next option begins, from this word's first byte
  logic [3:0] begins;
  logic [15:0] mss_d;

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      begins[i] = next_q == distance_t'(i);
      for (int earlier = 0; earlier < i; earlier++) begin
        begins[i] |= begins[earlier] && option_q[earlier].stays[i-earlier];
      end
    end

    next_d = (next_q == Never) ? Never : next_q - distance_t'(4);
    mss_d  = m_mss;
    for (int i = 0; i < 4; i++) begin
      if (begins[i] && option_q[i].leaves) next_d = option_q[i].next;
      if (begins[i] && option_q[i].mss) mss_d = option_q[i].value;
    end
  end

  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      next_q <= '0;
      m_mss  <= '0;
    end else if (decoded_q) begin
      next_q <= next_d;
      m_mss  <= mss_d;
    end

    if (m_valid && m_ready) m_valid <= 1'b0;
    if (decoded_q && decoded_last_q) m_valid <= 1'b1;

    if (rst) m_valid <= 1'b0;
  end

endmodule
