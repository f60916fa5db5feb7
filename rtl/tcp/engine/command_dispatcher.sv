// SPDX-License-Identifier: Apache-2.0

// Takes the application's commands: those about ports go to the listen table, CommandOpen to the
// lookup (m_open_valid) with Opens, all others to the event pipeline (m_valid). Gives exactly one
// result for each of the first; the pipeline does so for the others.
//
// Throughput one command at a time; the next is taken when the former is answered or handed on.
module command_dispatcher
  import app_pkg::*;
  import net_headers_pkg::*;
#(
  parameter int ListenPorts = 8,
  parameter bit Opens       = 1'b1
) (
  input  logic         clk,
  input  logic         rst,

  input  app_command_t s_command,
  input  logic         s_valid,
  output logic         s_ready,

  output app_command_t m_command,
  output logic         m_valid,
  input  logic         m_ready,
  output logic         m_open_valid,
  input  logic         m_open_ready,

  output app_event_t   m_result,
  output logic         m_result_valid,
  input  logic         m_result_ready,

  input  port_t        lookup_port_i,
  output logic         listening_o,
  output app_id_t      app_o,
  output logic [15:0]  ports_o          // listened to, of the clock before
);

  logic about_port, is_open;
  logic table_valid, table_ready;
  logic answer_valid;
  app_result_e answer;

  // Port commands: the command stays at s until its result has been taken.
  logic asked_q;
  logic changed_q, fewer_q;  // the number of ports, by what a result said

  assign about_port = s_command.op == CommandListen || s_command.op == CommandUnlisten;
  assign m_command = s_command;
  assign is_open = Opens && s_command.op == CommandOpen;
  assign m_valid = s_valid && !about_port && !is_open;
  assign m_open_valid = s_valid && is_open;
  assign table_valid = s_valid && about_port && !asked_q;
  assign s_ready = about_port ? m_result_valid && m_result_ready
                              : is_open ? m_open_ready : m_ready;

  always_ff @(posedge clk) begin
    if (table_valid && table_ready) asked_q <= 1'b1;
    if (m_result_valid && m_result_ready) asked_q <= 1'b0;

    changed_q <= m_result_valid && m_result_ready && answer == ResultOk;
    fewer_q <= s_command.op != CommandListen;
    if (changed_q) ports_o <= fewer_q ? ports_o - 1'b1 : ports_o + 1'b1;

    if (rst) begin
      asked_q   <= 1'b0;
      changed_q <= 1'b0;
      ports_o   <= '0;
    end
  end

  listen_table #(
    .ListenPorts(ListenPorts)
  ) listen_table (
    .clk,
    .rst,
    .s_listen     (s_command.op == CommandListen),
    .s_port       (s_command.local_port),
    .s_app        (s_command.app),
    .s_valid      (table_valid),
    .s_ready      (table_ready),
    .m_result     (answer),
    .m_valid      (answer_valid),
    .m_ready      (m_result_ready),
    .lookup_port_i,
    .listening_o,
    .app_o
  );

  assign m_result_valid = answer_valid;

  always_comb begin
    m_result = '0;
    m_result.kind = EventResult;
    m_result.tag = s_command.tag;
    m_result.app = s_command.app;
    m_result.result = answer;
    m_result.local_port = s_command.local_port;
  end

endmodule
