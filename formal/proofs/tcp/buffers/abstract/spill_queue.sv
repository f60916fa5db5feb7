// SPDX-License-Identifier: Apache-2.0

// Stand-in for the queue whose middle is in far memory: first in, first out, for as many entries as there are
// connections. When it has room, and when its first entry comes to the front, is told by s_line.data, which a
// proof leaves free.
module spill_queue
  import line_memory_pkg::*;
#(
  parameter  int Width      = 20,
  parameter  int Capacity   = 65536,
  localparam int CountWidth = $clog2(Capacity + 1)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  logic [     Width-1:0] push_data,
  input  logic                  push_valid,
  output logic                  room_o,

  output logic [     Width-1:0] m_data,
  output logic                  m_valid,
  input  logic                  m_ready,

  output logic [CountWidth-1:0] count_o,

  output line_request_t         m_line,
  output logic                  m_line_valid,
  input  logic                  m_line_ready,
  input  line_response_t        s_line,
  input  logic                  s_line_valid
);

  logic [Capacity-1:0][Width-1:0] entries_q;  // the first one at 0
  logic [CountWidth-1:0] place;
  logic shown_q;  // an entry that is offered stays

  assign room_o       = s_line.data[0];
  assign m_data       = entries_q[0];
  assign m_valid      = count_o != '0 && (shown_q || s_line.data[1]);
  assign m_line       = '0;
  assign m_line_valid = 1'b0;
  assign place        = count_o - CountWidth'(m_valid && m_ready);

  always_ff @(posedge clk) begin
    shown_q <= m_valid && !m_ready;
    count_o <= place + CountWidth'(push_valid);
    if (m_valid && m_ready) entries_q <= entries_q >> Width;
    if (push_valid && place < CountWidth'(Capacity)) entries_q[place] <= push_data;

    if (rst) begin
      shown_q <= 1'b0;
      count_o <= '0;
    end
  end

  // Each connection is here once at most.
  always_ff @(posedge clk) if (!rst && push_valid) assert (place < CountWidth'(Capacity));

endmodule
