// SPDX-License-Identifier: Apache-2.0

// tcp_options_parser: for any bytes whatever in the options, what is reported is what a walk byte by
// byte finds, and it is there after a fixed time. One segment after reset: how the next one follows is
// for the unit test.
module tcp_options_parser_props
  import tcp_pkg::*;
#(
  parameter int Words = 3  // at most this many words of options
) (
  input logic         clk,
  input logic         rst,
  input logic [319:0] s_options,
  input logic [  3:0] s_words,
  input logic         s_valid,
  input logic         m_ready
);

  logic s_ready, m_valid;
  logic [15:0] m_mss;
  tcp_options_t m_options;
  logic [2:0] m_sack_count;
  seq_range_t [SackBlocks-1:0] m_sack;

  tcp_options_parser dut (
    .clk,
    .rst,
    .s_options,
    .s_words,
    .s_valid,
    .s_ready,
    .m_mss,
    .m_options,
    .m_sack_count,
    .m_sack,
    .m_valid,
    .m_ready
  );

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    assume (rst == !started);
    assume (s_words >= 4'd1 && s_words <= 4'(Words));
  end

  // What is looked at: all but the blocks after the first, which the words here have no room for.
  typedef struct packed {
    logic [15:0]  mss;
    tcp_options_t options;
    logic [2:0]   sack_count;
    seq_range_t   sack;
  } result_t;

  function automatic logic [31:0] word_at(input logic [319:0] options, input int at);
    return {options[at*8+:8], options[(at+1)*8+:8], options[(at+2)*8+:8], options[(at+3)*8+:8]};
  endfunction

  // The walk: where the next option begins, one byte at a time. 255: nowhere.
  function automatic result_t walk(input logic [319:0] options, input logic [3:0] words);
    logic [7:0] next = '0;
    result_t result = '0;
    for (int at = 0; at < Words * 4; at++) begin
      logic [7:0] kind, length;
      kind   = options[at*8+:8];
      length = (at + 1 < int'(words) * 4) ? options[(at+1)*8+:8] : 8'd0;
      if (next == 8'(at) && at < int'(words) * 4) begin
        if (kind == 8'd0) next = '1;
        else if (kind == 8'd1) next = 8'(at + 1);
        else if (length < 8'd2 || at + int'(length) > int'(words) * 4) next = '1;
        else begin
          next = 8'(at) + length;
          if (kind == 8'd2 && length == 8'd4) result.mss = 16'(word_at(options, at + 2) >> 16);
          if (kind == 8'd3 && length == 8'd3) begin
            result.options.has_window_scale = 1'b1;
            result.options.window_scale = options[(at+2)*8+:8] > 8'd14 ? 4'd14
                : options[(at+2)*8+:4];
          end
          if (kind == 8'd4 && length == 8'd2) result.options.sack_permitted = 1'b1;
          if (kind == 8'd8 && length == 8'd10) begin
            result.options.has_timestamps = 1'b1;
            result.options.ts_value = word_at(options, at + 2);
            result.options.ts_echo = word_at(options, at + 6);
          end
          if (kind == 8'd5 && length == 8'd10) begin
            result.sack_count = 3'd1;
            result.sack.left  = word_at(options, at + 2);
            result.sack.right = word_at(options, at + 6);
          end
        end
      end
    end
    return result;
  endfunction

  // The options are an arbitrary constant.
  logic [95:0] options_q;
  logic [3:0] words_q, age_q;
  logic busy = 1'b0, done = 1'b0;
  result_t expected;

  assign expected = walk(320'(options_q), words_q);

  always_ff @(posedge clk) begin
    options_q <= options_q;
    words_q   <= words_q;
    if (s_valid) assume (s_options[95:0] == options_q && s_words == words_q);
    assume (!s_valid || (started && !rst && !busy && !done));

    age_q <= age_q + 1'b1;
    if (s_valid && s_ready) begin
      busy  <= 1'b1;
      age_q <= '0;
    end
    if (m_valid && m_ready) begin
      busy <= 1'b0;
      done <= 1'b1;
    end
  end

  result_t got;

  always_comb begin
    got.mss        = m_mss;
    got.options    = m_options;
    got.sack_count = m_sack_count;
    got.sack       = m_sack_count != '0 ? m_sack[0] : '0;
    if (!m_options.has_timestamps) begin
      got.options.ts_value = '0;
      got.options.ts_echo  = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_valid) assert (got == expected);
      assert (m_valid == (busy && age_q >= words_q + 4'd1));
      if (!busy) assert (s_ready);
    end

    cover (started && !rst && m_valid && m_mss == 16'h1234 && m_options.has_window_scale
        && m_options.sack_permitted);
    cover (started && !rst && m_valid && m_options.has_timestamps
        && m_options.ts_echo == 32'h12345678);
    cover (started && !rst && m_valid && m_sack_count == 3'd1 && m_sack[0].right == 32'h12345678);
  end

endmodule
