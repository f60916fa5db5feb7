// SPDX-License-Identifier: Apache-2.0

// tcp_options_parser: for any bytes whatever in the options, the MSS reported is the one that a walk
// byte by byte finds, and the parser is ready again within a fixed time.
module tcp_options_parser_props #(
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

  tcp_options_parser dut (.*);

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
    assume (s_words >= 4'd1 && s_words <= 4'(Words));
  end

  // The walk: where the next option begins, one byte at a time. 255: nowhere.
  function automatic logic [15:0] walk(input logic [319:0] options, input logic [3:0] words);
    logic [7:0] next = '0;
    logic [15:0] mss = '0;
    for (int at = 0; at < Words * 4; at++) begin
      logic [7:0] kind, length;
      kind   = options[at*8+:8];
      length = (at + 1 < int'(words) * 4) ? options[(at+1)*8+:8] : 8'd0;
      if (next == 8'(at) && at < int'(words) * 4) begin
        if (kind == 8'd0) next = '1;
        else if (kind == 8'd1) next = 8'(at + 1);
        else if (length < 8'd2 || at + int'(length) > int'(words) * 4) next = '1;
        else begin
          if (kind == 8'd2 && length == 8'd4) mss = {options[(at+2)*8+:8], options[(at+3)*8+:8]};
          next = 8'(at) + length;
        end
      end
    end
    return mss;
  endfunction

  logic busy = 1'b0;
  logic [15:0] expected_q;
  logic [3:0] age_q = '0;

  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      busy       <= 1'b1;
      expected_q <= walk(s_options, s_words);
      age_q      <= '0;
    end else begin
      if (m_valid && m_ready) busy <= 1'b0;
      age_q <= age_q + 1'b1;
    end
    if (rst) busy <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      if (m_valid) begin
        assert (busy);
        assert (m_mss == expected_q);
      end
      assert (s_ready == !busy);
      if (busy && age_q == 4'(Words + 1)) assert (m_valid);
    end

    cover (started && !rst && m_valid && m_ready && m_mss == 16'h1234 && age_q >= 4'(Words));
  end

endmodule
