// SPDX-License-Identifier: Apache-2.0

// The HTTP server's text as a read-only memory. Latency 1 clock, 1 byte a clock.
module http_rom
  import http_text_pkg::*;
(
  input  logic          clk,
  input  text_address_t address_i,
  output logic [7:0]    data_o
);

  if (PageBytes < 1000 || PageBytes > 9999) begin : gen_check_page
    $error("Content-Length of the page must have four digits.");
  end

  logic [7:0] text[2**TextAddressWidth];

  initial begin
    text = '{default: '0};
    for (int i = 0; i < TextBytes; i++) text[i] = Text[8*(TextBytes-1-i)+:8];
  end

  always_ff @(posedge clk) data_o <= text[address_i];

endmodule
