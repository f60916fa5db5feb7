// SPDX-License-Identifier: Apache-2.0

// A stream's way to another clock, or to the same one.
//
// OwnClocks  1: stream_async_fifo; 0: s_clk and m_clk are one clock,
// Registered 0: wires, 1: stream_register.
module stream_crossing #(
  parameter type T          = logic [31:0],
  parameter bit  OwnClocks  = 1'b1,
  parameter bit  Registered = 1'b0,
  parameter int  Depth      = 16            // of the FIFO
) (
  // Wires need neither clock nor reset.
  // verilator lint_off UNUSEDSIGNAL
  input  logic s_clk,
  input  logic s_rst,
  input  logic m_clk,
  input  logic m_rst,
  // verilator lint_on UNUSEDSIGNAL

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  if (OwnClocks) begin : gen_fifo
    stream_async_fifo #(
      .T    (T),
      .Depth(Depth)
    ) fifo (
      .s_clk,
      .s_rst,
      .s_data,
      .s_valid,
      .s_ready,
      .m_clk,
      .m_rst,
      .m_data,
      .m_valid,
      .m_ready
    );
  end else if (Registered) begin : gen_register
    stream_register #(
      .T(T)
    ) register (
      .clk(s_clk),
      .rst(s_rst),
      .s_data,
      .s_valid,
      .s_ready,
      .m_data,
      .m_valid,
      .m_ready
    );
  end else begin : gen_wires
    assign m_data  = s_data;
    assign m_valid = s_valid;
    assign s_ready = m_ready;
  end

endmodule
