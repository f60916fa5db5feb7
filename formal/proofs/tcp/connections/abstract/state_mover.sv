// SPDX-License-Identifier: Apache-2.0

// Stand-in for what brings states from DRAM and back: does anything at any time, as s_response.data has
// it, which a proof leaves free. What it must keep to is state_mover_contract's to say, and
// state_mover_props proves it of the real one.
module state_mover
  import tcp_pkg::*;
  import line_memory_pkg::*;
  import state_codec_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Entries     = 16,
  parameter  int Misses      = 16,
  localparam int IdWidth     = $clog2(Connections),
  localparam int SlotWidth   = $clog2(Entries),
  localparam int MissWidth   = $clog2(Misses)
) (
  input  logic                           clk,
  input  logic                           rst,
  output logic                           init_done_o,

  input  logic [MissWidth-1:0]           begin_miss_i,
  input  logic [IdWidth-1:0]             begin_id_i,
  input  logic [SlotWidth-1:0]           begin_slot_i,
  input  logic [IdWidth-1:0]             victim_id_i,
  input  logic                           victim_valid_i,
  input  logic                           begin_valid_i,
  output logic                           begin_ready_o,

  input  logic [Misses-1:0][IdWidth-1:0] id_i,

  output logic                           vacate_valid_o,
  output logic [SlotWidth-1:0]           vacate_slot_o,
  input  connection_t                    vacate_connection_i,
  input  logic                           vacate_changed_i,

  output logic [MissWidth-1:0]           fill_miss_o,
  output connection_t                    fill_connection_o,
  output logic                           fill_valid_o,
  input  logic                           fill_ready_i,

  output logic [Misses-1:0]              settled_o,

  output line_request_t                  m_request,
  output logic                           m_request_valid,
  input  logic                           m_request_ready,
  input  line_response_t                 s_response,
  input  logic                           s_response_valid,

  output logic                           fetch_o,
  output logic                           line_o,
  output logic                           write_back_o,
  output logic                           forgotten_o
);

  typedef struct packed {
    logic                 initialised;
    logic                 begin_ready;
    logic                 vacate;
    logic [SlotWidth-1:0] slot;
    logic                 fill;
    logic [MissWidth-1:0] miss;
    number_t              number;
    logic [Misses-1:0]    settled;
  } choice_t;

  choice_t choice;

  assign choice = choice_t'(s_response.data);
  assign init_done_o = choice.initialised;
  assign begin_ready_o = choice.begin_ready;
  assign vacate_valid_o = choice.vacate;
  assign vacate_slot_o = choice.slot;
  assign fill_valid_o = choice.fill;
  assign fill_miss_o = choice.miss;
  assign fill_connection_o = at(choice.number);
  assign settled_o = choice.settled;
  assign m_request = '0;
  assign m_request_valid = 1'b0;
  assign {fetch_o, line_o, write_back_o, forgotten_o} = '0;

endmodule
