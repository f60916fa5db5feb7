// SPDX-License-Identifier: Apache-2.0

// What a board's io module takes of ECP5, as far as a simulation of bits needs it: delays are none.

// The PLL passes its clock on as it is: the test gives it the rate that the board makes.
module EHXPLLL #(
  parameter CLKFB_DIV = 1, CLKI_DIV = 1, CLKOP_CPHASE = 0, CLKOP_DIV = 1, CLKOP_FPHASE = 0,
            CLKOS_CPHASE = 0, CLKOS_DIV = 1, CLKOS_FPHASE = 0,
            CLKOP_ENABLE = "", CLKOS_ENABLE = "", FEEDBK_PATH = ""
) (
  input CLKI, RST, STDBY,
  output CLKOP, CLKOS,
  output reg LOCK
);
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  always @(posedge CLKI) LOCK <= !RST;
endmodule

// A flip-flop whose preset waits for no clock.
module FD1S3BX (
  input D, CK, PD,
  output reg Q
);
  always @(posedge CK or posedge PD)
    if (PD) Q <= 1'b1;
    else Q <= D;
endmodule

// D0 while the clock is high, D1 while it is low.
module ODDRX1F (
  input D0, D1, SCLK,
  input RST,
  output Q
);
  reg high, low;
  always @(posedge SCLK) begin
    high <= D0;
    low  <= D1;
  end
  assign Q = SCLK ? high : low;
endmodule

// What was there at the last rising edge and at the falling one behind it.
module IDDRX1F (
  input D, SCLK,
  input RST,
  output reg Q0, Q1
);
  reg high, low;
  always @(posedge SCLK) begin
    high <= D;
    Q0   <= high;
    Q1   <= low;
  end
  always @(negedge SCLK) low <= D;
endmodule

module DELAYG #(
  parameter DEL_MODE = "", DEL_VALUE = 0
) (
  input A,
  output Z
);
  assign Z = A;
endmodule
