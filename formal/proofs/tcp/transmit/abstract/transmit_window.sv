// SPDX-License-Identifier: Apache-2.0

// Stands in for transmit_window in proofs of its users: what hits is arbitrary (the length asked for
// decides, free in a proof), and nothing is read from it.
module transmit_window
  import seq_pkg::*;
#(
  parameter  int DataWidth    = 16,
  parameter  int Connections  = 2,
  parameter  int Messages     = 4,
  parameter  int MessageBytes = 2048,
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int SlotWidth    = $clog2(Messages)
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [  IdWidth-1:0] write_id_i,
  input  seq_t                 write_seq_i,
  input  logic [         15:0] write_length_i,
  input  logic                 write_i,
  input  logic [DataWidth-1:0] data_i,
  input  logic [    Lanes-1:0] keep_i,
  input  logic                 last_i,
  input  logic                 error_i,
  input  logic                 beat_i,
  input  logic [  IdWidth-1:0] release_id_i,
  input  logic                 release_i,
  input  logic [  IdWidth-1:0] read_id_i,
  input  seq_t                 read_seq_i,
  input  logic [         15:0] read_length_i,
  output logic                 hit_o,
  output logic [SlotWidth-1:0] slot_o,
  input  logic [SlotWidth-1:0] claim_slot_i,
  input  logic                 claim_i,
  input  logic [         15:0] length_i,
  input  logic                 read_i,
  output logic                 ready_o,
  output logic                 active_o,
  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready
);

  assign hit_o    = read_length_i[0];
  assign slot_o   = '0;
  assign ready_o  = 1'b1;
  assign active_o = 1'b0;
  assign m_data   = '0;
  assign m_keep   = '0;
  assign m_last   = 1'b0;
  assign m_valid  = 1'b0;

endmodule
