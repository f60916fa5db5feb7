// SPDX-License-Identifier: Apache-2.0

// The HTTP server's text as a read-only memory, read from a place on: start_i forgets what was
// under way and begins at address_i.
//
// Latency 4 clocks from start_i, then 1 byte a clock.
module http_text
  import http_text_pkg::*;
(
  input  logic          clk,
  input  logic          rst,

  input  logic          start_i,
  input  text_address_t address_i,

  output http_token_t   m_token,
  output logic          m_valid,
  input  logic          m_ready
);

  if (PageBytes < 1000 || PageBytes > 9999) begin : gen_check_page
    $error("Content-Length of the page must have four digits.");
  end

  // Bytes that are read and not taken: as many as the way from here to there and back.
  localparam int Ahead = 4;

  logic [7:0] text[2**TextAddressWidth];

  initial begin
    text = '{default: '0};
    for (int i = 0; i < TextBytes; i++) text[i] = Text[8*(TextBytes-1-i)+:8];
  end

  text_address_t address_q;
  logic [7:0] byte_q;
  http_token_t token_q;
  logic byte_valid_q, token_valid_q;
  logic [2:0] ahead_q;
  logic read, unused_ready;
  logic [$clog2(Ahead+1)-1:0] unused_count;

  assign read = ahead_q != 3'(Ahead);

  always_ff @(posedge clk) begin
    byte_q        <= text[address_q];
    byte_valid_q  <= read && !start_i;
    token_q       <= token_of(byte_q);
    token_valid_q <= byte_valid_q && !start_i;
    if (read) address_q <= address_q + 1'b1;
    ahead_q <= ahead_q + 3'(read) - 3'(m_valid && m_ready);
    if (start_i) begin
      address_q <= address_i;
      ahead_q   <= '0;
    end

    if (rst) begin
      byte_valid_q  <= 1'b0;
      token_valid_q <= 1'b0;
      ahead_q       <= '0;
    end
  end

  stream_fifo #(
    .T    (http_token_t),
    .Depth(Ahead)
  ) tokens (
    .clk,
    .rst    (rst || start_i),
    .s_data (token_q),
    .s_valid(token_valid_q),
    .s_ready(unused_ready),
    .m_data (m_token),
    .m_valid,
    .m_ready,
    .count_o(unused_count)
  );

endmodule
