// SPDX-License-Identifier: Apache-2.0

// Discard (RFC 863): takes whatever it is offered, at the full rate, and closes when the peer has.
// Listens on port 9 and on iperf's port.
//
// Grants in the clock after the query; never stalls data.
module app_discard
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter int Connections = 64
) (
  input  logic         clk,
  input  logic         rst,

  input  logic         enable_i,

  output app_command_t m_command,
  output logic         m_command_valid,
  input  logic         m_command_ready,

  input  app_event_t   s_event,
  input  logic         s_event_valid,
  output logic         s_event_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_offer_t   s_query,
  // verilator lint_on UNUSEDSIGNAL
  input  logic         s_query_valid,
  output logic         s_query_ready,

  output logic [15:0]  m_grant_length,
  output logic         m_grant_valid,
  input  logic         m_grant_ready,

  output logic         s_rx_ready
);

  session_t close_session;
  logic close_valid, close_ready, ended, end_ready;

  assign s_rx_ready    = 1'b1;
  assign s_query_ready = !m_grant_valid;

  assign ended         = s_event.kind == EventPeerClosed;
  assign s_event_ready = !ended || end_ready;

  session_queue #(
    .Connections(Connections)
  ) ends (
    .clk,
    .rst,
    .s_session(s_event.session),
    .s_valid  (s_event_valid && ended),
    .s_ready  (end_ready),
    .m_session(close_session),
    .m_valid  (close_valid),
    .m_ready  (close_ready)
  );

  app_control #(
    .Ports     (2),
    .LocalPorts({IperfPort, DiscardPort})
  ) control (
    .clk,
    .rst,
    .enable_i,
    .m_command,
    .m_command_valid,
    .m_command_ready,
    .event_i        (s_event),
    .event_taken_i  (s_event_valid && s_event_ready),
    .s_close_session(close_session),
    .s_close_valid  (close_valid),
    .s_close_ready  (close_ready)
  );

  always_ff @(posedge clk) begin
    if (s_query_valid && s_query_ready) begin
      m_grant_length <= s_query.length;
      m_grant_valid  <= 1'b1;
    end else if (m_grant_ready) begin
      m_grant_valid <= 1'b0;
    end

    if (rst) m_grant_valid <= 1'b0;
  end

endmodule
