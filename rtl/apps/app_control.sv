// SPDX-License-Identifier: Apache-2.0

// The commands of a simple server: listens on its ports while enable_i is high, and closes the
// sessions it is given. It watches the event channel and never holds it up.
//
// A port that the engine refuses (no room, in use) is left alone until enable_i has been low.
// Commands leave one at a time, in the order in which they came; a Close leaves not before the
// clock after it was taken.
module app_control
  import net_headers_pkg::*;
  import app_pkg::*;
#(
  parameter int               Ports      = 1,
  parameter port_t [Ports-1:0] LocalPorts = '0
) (
  input  logic         clk,
  input  logic         rst,

  input  logic         enable_i,

  output app_command_t m_command,
  output logic         m_command_valid,
  input  logic         m_command_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_event_t   event_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic         event_taken_i,    // event_i passes in this clock

  input  session_t     s_close_session,
  input  logic         s_close_valid,
  output logic         s_close_ready
);

  // Tags of listen and unlisten are the number of the port; a close has this one.
  localparam logic [7:0] CloseTag = 8'h80;

  typedef enum logic [1:0] {
    StDeaf,     // not listening
    StWaiting,  // for the result
    StListening,
    StRefused   // until enable_i falls
  } port_state_e;

  port_state_e [Ports-1:0] port_q;
  logic [Ports-1:0] change, change_first;
  app_command_t next;
  logic load, port_load;

  always_comb begin
    for (int i = 0; i < Ports; i++) begin
      change[i] = enable_i ? port_q[i] == StDeaf : port_q[i] == StListening;
    end
  end

  assign change_first  = change & (~change + 1'b1);
  assign load          = !m_command_valid || m_command_ready;
  assign port_load     = load && |change;
  assign s_close_ready = load && change == '0;

  always_comb begin
    next         = '0;
    next.session = s_close_session;
    if (|change) begin
      next.op = enable_i ? CommandListen : CommandUnlisten;
      for (int i = 0; i < Ports; i++) begin
        if (change_first[i]) begin
          next.tag        = 8'(i);
          next.local_port = LocalPorts[i];
        end
      end
    end else begin
      next.op  = CommandClose;
      next.tag = CloseTag;
    end
  end

  // One command to a port at a time, so what its result means follows from enable_i alone only if
  // that has not moved since: remember which command it was.
  logic [Ports-1:0] asked_q;

  always_ff @(posedge clk) begin
    if (load) begin
      m_command       <= next;
      m_command_valid <= |change || s_close_valid;
    end

    for (int i = 0; i < Ports; i++) begin
      if (port_load && change_first[i]) begin
        port_q[i]  <= StWaiting;
        asked_q[i] <= enable_i;
      end else if (event_taken_i && event_i.kind == EventResult && event_i.tag == 8'(i)
                   && port_q[i] == StWaiting) begin
        if (!asked_q[i]) port_q[i] <= StDeaf;
        else port_q[i] <= event_i.result == ResultOk ? StListening : StRefused;
      end else if (port_q[i] == StRefused && !enable_i) begin
        port_q[i] <= StDeaf;
      end
    end

    if (rst) begin
      m_command_valid <= 1'b0;
      port_q          <= {Ports{StDeaf}};
    end
  end

endmodule
