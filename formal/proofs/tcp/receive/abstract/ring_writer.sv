// SPDX-License-Identifier: Apache-2.0

// Stands in for ring_writer in proofs of its users: takes commands and finishes them, in order, each
// at an arbitrary time. Payload and memory are not modelled: the payload's data, free in every clock
// of a proof, decides when things happen, here and (through the memory's channels) in ring_reader.
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

  localparam int MostHeld = 6;  // the real one holds fewer

  logic [2:0] held_q = '0;

  assign s_command_ready = s_data[0] && held_q != 3'(MostHeld);
  assign m_done_valid    = s_data[1] && held_q != '0;

  always_ff @(posedge clk) begin
    held_q <= held_q + 3'(s_command_valid && s_command_ready) - 3'(m_done_valid && m_done_ready);
    if (rst) held_q <= '0;
  end

  assign s_ready         = 1'b1;
  assign m_write_valid   = 1'b0;
  assign m_write_address = '0;
  assign m_write_data    = s_data;
  assign m_write_strobe  = '0;
  assign m_done_length   = '0;
  assign m_done_tag      = '0;

endmodule
