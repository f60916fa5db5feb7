// SPDX-License-Identifier: Apache-2.0

// stream_async_fifo with words of a number of bits.
module stream_async_fifo_word #(
  parameter int Width = 64,
  parameter int Depth = 16
) (
  input  logic             s_clk,
  input  logic             s_rst,
  input  logic [Width-1:0] s_data,
  input  logic             s_valid,
  output logic             s_ready,

  input  logic             m_clk,
  input  logic             m_rst,
  output logic [Width-1:0] m_data,
  output logic             m_valid,
  input  logic             m_ready
);

  stream_async_fifo #(
    .T    (logic [Width-1:0]),
    .Depth(Depth)
  ) fifo (
    .*
  );

endmodule
