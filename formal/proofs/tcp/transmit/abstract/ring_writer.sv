// SPDX-License-Identifier: Apache-2.0

// Stands in for ring_writer in proofs of its users: takes commands, their packets, and finishes them, in
// order, each at an arbitrary time, which the data decides (free in every clock of a proof). The report's
// length is the data of the packet's last beat.
module ring_writer #(
  parameter  int DataWidth    = 16,
  parameter  int Connections  = 2,
  parameter  int RingBytes    = 8,
  parameter  int TagWidth     = 1,
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth  = $clog2(RingBytes),
  localparam int AddressWidth = $clog2(Connections * RingBytes / Lanes)
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic [     IdWidth-1:0] s_command_id,
  input  logic [ OffsetWidth-1:0] s_command_offset,
  input  logic [            15:0] s_command_skip,
  input  logic [            15:0] s_command_length,
  input  logic [    TagWidth-1:0] s_command_tag,
  input  logic                    s_command_valid,
  output logic                    s_command_ready,
  input  logic [   DataWidth-1:0] s_data,
  input  logic [       Lanes-1:0] s_keep,
  input  logic                    s_last,
  input  logic                    s_valid,
  output logic                    s_ready,
  output logic [AddressWidth-1:0] m_write_address,
  output logic [   DataWidth-1:0] m_write_data,
  output logic [       Lanes-1:0] m_write_strobe,
  output logic                    m_write_valid,
  input  logic                    m_write_ready,
  output logic [            15:0] m_done_length,
  output logic [    TagWidth-1:0] m_done_tag,
  output logic                    m_done_valid,
  input  logic                    m_done_ready
);

  localparam int Most = 4;  // packets that have come and are not reported

  typedef logic [$clog2(Most)-1:0] place_t;

  logic active_q = 1'b0, shown_q = 1'b0;
  logic [TagWidth-1:0] tag_q, tags_q[Most];
  logic [15:0] lengths_q[Most];
  logic [$clog2(Most):0] held_q = '0;
  place_t first_q = '0, next_q = '0;

  assign s_command_ready = !active_q;
  assign s_ready         = active_q && s_data[0] && held_q != ($clog2(Most) + 1)'(Most);
  assign m_done_valid    = held_q != '0 && (shown_q || s_data[1]);
  assign m_done_length   = lengths_q[first_q];
  assign m_done_tag      = tags_q[first_q];

  logic push, pop;

  assign push = s_valid && s_ready && s_last;
  assign pop  = m_done_valid && m_done_ready;

  always_ff @(posedge clk) begin
    shown_q <= m_done_valid && !m_done_ready;
    if (s_command_valid && s_command_ready) begin
      active_q <= 1'b1;
      tag_q    <= s_command_tag;
    end
    if (push) begin
      active_q          <= 1'b0;
      tags_q[next_q]    <= tag_q;
      lengths_q[next_q] <= 16'(s_data);
      next_q            <= next_q + 1'b1;
    end
    if (pop) first_q <= first_q + 1'b1;
    held_q <= held_q + ($clog2(Most) + 1)'(push) - ($clog2(Most) + 1)'(pop);

    if (rst) begin
      active_q <= 1'b0;
      shown_q  <= 1'b0;
      held_q   <= '0;
      first_q  <= '0;
      next_q   <= '0;
    end
  end

  assign m_write_valid   = 1'b0;
  assign m_write_address = '0;
  assign m_write_data    = s_data;
  assign m_write_strobe  = '0;

endmodule
