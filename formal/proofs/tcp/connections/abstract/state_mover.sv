// SPDX-License-Identifier: Apache-2.0

// Stand-in for what brings states from DRAM and back: reads each victim at some time, fills each miss at
// some later time, with anything, and settles at some time. When, and what, follows s_response.data,
// which a proof leaves free. state_mover_props proves that the real one keeps to this, and fills
// what it should.
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

  typedef enum logic [2:0] {
    StIdle,
    StVacate,
    StWait,
    StTake,
    StBusy
  } state_e;

  typedef struct packed {
    logic                 goes_on;  // the job
    logic                 fills;
    logic [MissWidth-1:0] miss;
    logic [Misses-1:0]    settles;
    number_t              number;
  } choice_t;

  state_e state_q;
  choice_t choice;
  logic [MissWidth-1:0] miss_q;
  logic [Misses-1:0] coming_q, vacated_q, settled_q;
  number_t number_q;

  assign choice = choice_t'(s_response.data);
  assign init_done_o = 1'b1;
  assign begin_ready_o = state_q == StIdle;
  assign vacate_valid_o = state_q == StVacate && choice.goes_on;
  assign settled_o = settled_q;
  assign fill_connection_o = at(number_q);
  assign m_request = '0;
  assign m_request_valid = 1'b0;
  assign {fetch_o, line_o, write_back_o, forgotten_o} = '0;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        miss_q        <= begin_miss_i;
        vacate_slot_o <= begin_slot_i;
        if (begin_valid_i) begin
          state_q                 <= victim_valid_i ? StVacate : StBusy;
          coming_q[begin_miss_i]  <= 1'b1;
          settled_q[begin_miss_i] <= 1'b0;
          vacated_q[begin_miss_i] <= !victim_valid_i;
        end
      end
      StVacate: if (choice.goes_on) state_q <= StWait;
      StWait:   state_q <= StTake;
      StTake: begin
        vacated_q[miss_q] <= 1'b1;
        state_q           <= StBusy;
      end
      default:  if (choice.goes_on) state_q <= StIdle;
    endcase

    for (int i = 0; i < Misses; i++)
    if (choice.settles[i] && !(state_q != StIdle && miss_q == MissWidth'(i))
        && !(begin_valid_i && begin_ready_o && begin_miss_i == MissWidth'(i)))
      settled_q[i] <= 1'b1;

    if (fill_valid_o) begin
      if (fill_ready_i) fill_valid_o <= 1'b0;
    end else if (choice.fills && coming_q[choice.miss] && vacated_q[choice.miss]) begin
      fill_valid_o          <= 1'b1;
      fill_miss_o           <= choice.miss;
      number_q              <= choice.number;
      coming_q[choice.miss] <= 1'b0;
    end

    if (rst) begin
      state_q      <= StIdle;
      coming_q     <= '0;
      fill_valid_o <= 1'b0;
    end
  end

endmodule
