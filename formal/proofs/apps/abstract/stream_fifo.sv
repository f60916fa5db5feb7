// SPDX-License-Identifier: Apache-2.0

// Stands in for stream_fifo in proofs of its users: the same, but one place behind the other, the
// first one the output, so that what it holds can be spoken of.
module stream_fifo #(
  parameter  type T          = logic [31:0],
  parameter  int  Depth      = 16,
  parameter  int  BlockRam   = 0,
  localparam int  CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  T                      s_data,
  input  logic                  s_valid,
  output logic                  s_ready,

  output T                      m_data,
  output logic                  m_valid,
  input  logic                  m_ready,

  output logic [CountWidth-1:0] count_o
);

  typedef logic [CountWidth-1:0] count_t;

  logic [Depth-1:0][$bits(T)-1:0] place_q;
  count_t count_q, kept;

  assign s_ready = count_q != count_t'(Depth);
  assign m_data  = T'(place_q[0]);
  assign m_valid = count_q != '0;
  assign count_o = count_q;
  assign kept    = count_q - count_t'(m_valid && m_ready);

  always_ff @(posedge clk) begin
    count_q <= kept + count_t'(s_valid && s_ready);
    if (m_valid && m_ready) place_q <= place_q >> $bits(T);
    for (int i = 0; i < Depth; i++) begin
      if (s_valid && s_ready && kept == count_t'(i)) place_q[i] <= s_data;
    end

    if (rst) count_q <= '0;
  end

endmodule
