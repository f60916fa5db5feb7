// SPDX-License-Identifier: Apache-2.0

// stream_arbiter with a struct as its type, which no command line can pass.
module stream_arbiter_struct #(
  parameter  int Width      = 64,
  parameter  int N          = 2,
  parameter  bit RoundRobin = 1'b1,
  localparam int IndexWidth = (N > 1) ? $clog2(N) : 1
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic [     Width-1:0] s_data [N],
  input  logic [         N-1:0] s_valid,
  output logic [         N-1:0] s_ready,
  output logic [     Width-1:0] m_data,
  output logic [IndexWidth-1:0] m_index,
  output logic                  m_valid,
  input  logic                  m_ready
);

  typedef struct packed {
    logic [7:0]       tag;
    logic [Width-9:0] body;
  } entry_t;

  entry_t s_entry[N];
  entry_t m_entry;

  for (genvar i = 0; i < N; i++) begin : gen_entry
    assign s_entry[i] = entry_t'(s_data[i]);
  end

  assign m_data = m_entry;

  stream_arbiter #(
    .T         (entry_t),
    .N         (N),
    .RoundRobin(RoundRobin)
  ) arbiter (
    .clk,
    .rst,
    .s_data(s_entry),
    .s_valid,
    .s_ready,
    .m_data(m_entry),
    .m_index,
    .m_valid,
    .m_ready
  );

endmodule
