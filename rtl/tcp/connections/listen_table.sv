// SPDX-License-Identifier: Apache-2.0

// The ports that are listened to, and by which application.
//
// Lookup      listening_o and app_o follow lookup_port_i by 1 clock; one a clock. They are a function of
//             a register for each port. A change is seen from the clock on in which its result is valid.
// Command     s_listen = 1: listen at s_port for s_app. ResultOk; ResultInUse when it is listened to
//             already, by whichever application; ResultNoRoom.
//             s_listen = 0: stop. ResultOk; ResultNoConnection when s_app does not listen there.
//             One at a time, exactly one result each, 3 clocks after.
module listen_table
  import net_headers_pkg::*;
  import app_pkg::*;
#(
  parameter int ListenPorts = 8
) (
  input  logic        clk,
  input  logic        rst,

  input  logic        s_listen,
  input  port_t       s_port,
  input  app_id_t     s_app,
  input  logic        s_valid,
  output logic        s_ready,

  output app_result_e m_result,
  output logic        m_valid,
  input  logic        m_ready,

  input  port_t       lookup_port_i,
  output logic        listening_o,
  output app_id_t     app_o
);

  if (ListenPorts < 1) begin : gen_check_listen_ports
    $error("ListenPorts must be at least 1.");
  end

  logic    [ListenPorts-1:0] used_q;
  port_t                     port_q[ListenPorts];
  app_id_t                   app_q [ListenPorts];

  // The command at work: StMatch compares, StApply changes the table, StResult waits to be taken.
  typedef enum logic [1:0] {
    StIdle,
    StMatch,
    StApply,
    StResult
  } state_e;

  state_e                    state_q;
  logic                      listen_q;
  port_t                     command_port_q;
  app_id_t                   command_app_q;
  logic    [ListenPorts-1:0] same_port_q;  // entries with the command's port
  logic    [ListenPorts-1:0] same_app_q;   // and of its application

  logic    [ListenPorts-1:0] vacant;       // lowest entry without a port, alone
  logic [ListenPorts-1:0] set, clear;
  app_result_e result;

  assign s_ready = state_q == StIdle;
  assign m_valid = state_q == StResult;
  assign vacant  = ~used_q & (used_q + 1'b1);

  always_comb begin
    set    = '0;
    clear  = '0;
    result = ResultOk;
    if (listen_q) begin
      if (same_port_q != '0) result = ResultInUse;
      else if (vacant == '0) result = ResultNoRoom;
      else set = vacant;
    end else begin
      if (same_app_q == '0) result = ResultNoConnection;
      else clear = same_app_q;
    end
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        listen_q       <= s_listen;
        command_port_q <= s_port;
        command_app_q  <= s_app;
        if (s_valid) state_q <= StMatch;
      end

      StMatch: begin
        for (int i = 0; i < ListenPorts; i++) begin
          same_port_q[i] <= used_q[i] && port_q[i] == command_port_q;
          same_app_q[i]  <= used_q[i] && port_q[i] == command_port_q && app_q[i] == command_app_q;
        end
        state_q <= StApply;
      end

      StApply: begin
        for (int i = 0; i < ListenPorts; i++) begin
          if (set[i]) begin
            used_q[i] <= 1'b1;
            port_q[i] <= command_port_q;
            app_q[i]  <= command_app_q;
          end
          if (clear[i]) used_q[i] <= 1'b0;
        end
        m_result <= result;
        state_q  <= StResult;
      end

      StResult: if (m_ready) state_q <= StIdle;
    endcase

    if (rst) begin
      state_q <= StIdle;
      used_q  <= '0;
    end
  end

  // Lookup. Which entry it is has a register, and of which application that is comes behind it: an entry
  // that has been found cannot have another one a clock later, as a command takes longer.
  logic [ListenPorts-1:0] found_q;

  always_ff @(posedge clk) begin
    for (int i = 0; i < ListenPorts; i++) found_q[i] <= used_q[i] && port_q[i] == lookup_port_i;
  end

  assign listening_o = found_q != '0;

  always_comb begin
    app_o = '0;
    for (int i = 0; i < ListenPorts; i++) begin
      if (found_q[i]) app_o |= app_q[i];
    end
  end

endmodule
