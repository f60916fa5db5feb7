// SPDX-License-Identifier: Apache-2.0

// stream_fifo with a struct as its type, which no command line can pass.
module stream_fifo_struct #(
  parameter int Width    = 64,
  parameter int Depth    = 16,
  parameter int BlockRam = 0,
  parameter bit Half     = 1'b0,
  parameter bit Straight = BlockRam != 1 && !Half
) (
  input  logic                       clk,
  input  logic                       rst,
  input  logic [          Width-1:0] s_data,
  input  logic                       s_valid,
  output logic                       s_ready,
  output logic [          Width-1:0] m_data,
  output logic                       m_valid,
  input  logic                       m_ready,
  output logic [$clog2(Depth+1)-1:0] count_o
);

  typedef struct packed {
    logic [7:0]       tag;
    logic [Width-9:0] body;
  } entry_t;

  entry_t s_entry, m_entry;

  assign s_entry = entry_t'(s_data);
  assign m_data  = m_entry;

  stream_fifo #(
    .T       (entry_t),
    .Depth   (Depth),
    .BlockRam(BlockRam),
    .Half    (Half),
    .Straight(Straight)
  ) fifo (
    .clk,
    .rst,
    .s_data(s_entry),
    .s_valid,
    .s_ready,
    .m_data(m_entry),
    .m_valid,
    .m_ready,
    .count_o
  );

endmodule
