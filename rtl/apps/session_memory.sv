// SPDX-License-Identifier: Apache-2.0

// What an application remembers of each of its sessions: a state of its own choosing, whether the
// peer has closed, and a flag of FlagWidth bits that can be looked at while the state is being worked on.
//
// Events write: a session that is accepted starts with everything zero. One worker loads a state,
// works, and saves it; when its id has meanwhile been given to another session, the save is void.
// Loading a session whose id belongs to another one by now is told by known_o = 0.
//
// Latency    loaded_o comes 2 clocks after load_i, with known_o, state_o and peer_closed_o, which
//            hold until the next load; flag_o 2 clocks after peek_i.
// Throughput one event a clock. A save waits while a session is accepted (save_ready_o).
// Collision  an event that comes during the 2 clocks of a load of the same id may or may not be seen
//            by it: who pushes a session to a work queue with each event will load it again. A flag of
//            more than one bit is not to be looked at in a clock in which one is written.
module session_memory
  import app_pkg::*;
#(
  parameter  int StateWidth  = 8,
  parameter  int Connections = 64,
  parameter  int FlagWidth   = 1,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic                  clk,
  input  logic                  rst,

  input  session_t              event_session_i,
  input  logic                  accepted_i,
  input  logic                  peer_closed_i,

  input  logic                  load_i,
  input  session_t              load_session_i,
  output logic                  loaded_o,
  output logic                  known_o,
  output logic [StateWidth-1:0] state_o,
  output logic                  peer_closed_o,

  input  logic                  save_i,          // of the session loaded last
  input  logic [StateWidth-1:0] save_state_i,
  input  logic [ FlagWidth-1:0] save_flag_i,
  output logic                  save_ready_o,

  input  logic                  peek_i,
  // The generation does not matter here.
  // verilator lint_off UNUSEDSIGNAL
  input  session_t              peek_session_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic                  peeked_o,
  output logic [ FlagWidth-1:0] flag_o
);

  typedef logic [IdWidth-1:0] id_t;

  id_t event_id, load_id, loaded_id_q, write_id;
  logic write, void_q;
  logic [GenerationWidth-1:0] owner_generation, loaded_generation_q;
  logic load_q, peek_q;

  assign event_id     = id_t'(event_session_i.id);
  assign load_id      = id_t'(load_session_i.id);
  assign save_ready_o = !accepted_i;
  assign write        = accepted_i || (save_i && !void_q);
  assign write_id     = accepted_i ? event_id : loaded_id_q;

  ram_simple_dual_port #(
    .Width      (StateWidth),
    .Depth      (Connections),
    .ReadLatency(2)
  ) states (
    .clk,
    .write_enable_i (write),
    .write_address_i(write_id),
    .write_data_i   (accepted_i ? '0 : save_state_i),
    .read_enable_i  (load_i),
    .read_address_i (load_id),
    .read_data_o    (state_o)
  );

  ram_simple_dual_port #(
    .Width      (FlagWidth),
    .Depth      (Connections),
    .ReadLatency(2)
  ) flags (
    .clk,
    .write_enable_i (write),
    .write_address_i(write_id),
    .write_data_i   (accepted_i ? '0 : save_flag_i),
    .read_enable_i  (peek_i),
    .read_address_i (id_t'(peek_session_i.id)),
    .read_data_o    (flag_o)
  );

  ram_simple_dual_port #(
    .Width      (GenerationWidth + 1),
    .Depth      (Connections),
    .ReadLatency(2)
  ) owners (
    .clk,
    .write_enable_i (accepted_i || peer_closed_i),
    .write_address_i(event_id),
    .write_data_i   ({event_session_i.generation, peer_closed_i}),
    .read_enable_i  (load_i),
    .read_address_i (load_id),
    .read_data_o    ({owner_generation, peer_closed_o})
  );

  assign known_o = owner_generation == loaded_generation_q;

  always_ff @(posedge clk) begin
    load_q   <= load_i;
    loaded_o <= load_q;
    peek_q   <= peek_i;
    peeked_o <= peek_q;
    if (load_i) begin
      loaded_id_q         <= load_id;
      loaded_generation_q <= load_session_i.generation;
      void_q              <= accepted_i && event_id == load_id;
    end else if (accepted_i && event_id == loaded_id_q) begin
      void_q <= 1'b1;
    end

    if (rst) begin
      load_q   <= 1'b0;
      loaded_o <= 1'b0;
      peek_q   <= 1'b0;
      peeked_o <= 1'b0;
    end
  end

endmodule
