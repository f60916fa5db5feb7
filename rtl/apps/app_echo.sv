// SPDX-License-Identifier: Apache-2.0

// Echo (RFC 862): sends back what it receives, without storing it. Before it grants received bytes
// it asks for room to send as many; they then go from the engine's receive side to its transmit
// side through one register. Meanwhile the next queries are answered in the same way.
//
// Where there is room for less, it takes less; where there is none it grants 0 and is offered the
// bytes again. What turns out bad at its end (s_rx_error) it withdraws from the engine in the same way
// (m_tx_error): nothing has been sent of it, and it is offered again. What cannot be sent at all any
// more is taken and dropped. Closes when the peer has, behind what was granted before.
//
// Latency    none from query to request and from status to grant; 1 clock from received data to sent.
// Throughput a query a clock.
// Paths      s_query to m_tx_request, s_tx_status to m_grant; s_query_ready and s_tx_status_ready are
//            registers.
// Queries without an answer, and packets that are granted and have not passed: at most Outstanding
// of each.
module app_echo
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int Outstanding = DataWidth >= 256 ? 16 : 4,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 enable_i,

  output app_command_t         m_command,
  output logic                 m_command_valid,
  input  logic                 m_command_ready,

  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_offer_t           s_query,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 s_query_valid,
  output logic                 s_query_ready,

  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,

  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  tx_status_t           s_tx_status,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_error,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready
);

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  session_t close_session;
  logic close_valid, close_ready, close_open, ended, end_ready;
  logic passes_ready, pass_known, pass_drops, pass_ready, sent;
  beat_t beat_out;
  logic [$clog2(Outstanding+1)-1:0] unused_passes;

  // ---- Each query becomes a request at once

  app_offer_t request, request_q;
  logic waits_q;  // the request has not been taken
  logic query, lengths_ready, length_valid, answered;
  logic [15:0] length;  // that was offered
  logic [$clog2(Outstanding+1)-1:0] unused_lengths;

  always_comb begin
    request         = s_query;
    request.app     = EchoApp;
    request.partial = 1'b1;
  end

  assign s_query_ready      = !waits_q && lengths_ready;
  assign query              = s_query_valid && s_query_ready;
  assign m_tx_request       = waits_q ? request_q : request;
  assign m_tx_request_valid = waits_q || query;

  always_ff @(posedge clk) begin
    if (!waits_q) request_q <= request;
    waits_q <= m_tx_request_valid && !m_tx_request_ready;

    if (rst) waits_q <= 1'b0;
  end

  stream_fifo #(
    .T       (logic [15:0]),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) lengths (
    .clk,
    .rst,
    .s_data (s_query.length),
    .s_valid(query),
    .s_ready(lengths_ready),
    .m_data (length),
    .m_valid(length_valid),
    .m_ready(answered),
    .count_o(unused_lengths)
  );

  // ---- and its status a grant

  logic owes_q;  // the grant has not been taken
  logic [15:0] grant, grant_q;
  logic drop, drop_q, pass, pass_drop;

  always_comb begin
    unique case (s_tx_status.error)
      TxOk:      grant = s_tx_status.space[15:0];
      TxNoSpace: grant = '0;
      default:   grant = length;
    endcase
  end

  assign drop              = s_tx_status.error != TxOk;
  assign s_tx_status_ready = length_valid && !owes_q && passes_ready;
  assign answered          = s_tx_status_valid && s_tx_status_ready;
  assign m_grant_length    = owes_q ? grant_q : grant;
  assign m_grant_valid     = owes_q || answered;
  assign pass              = m_grant_valid && m_grant_ready && m_grant_length != '0;
  assign pass_drop         = owes_q ? drop_q : drop;

  always_ff @(posedge clk) begin
    if (!owes_q) {drop_q, grant_q} <= {drop, grant};
    owes_q <= m_grant_valid && !m_grant_ready;

    if (rst) owes_q <= 1'b0;
  end

  // ---- Packets, in the order of the grants: receive side to register, or nobody to send them to

  stream_fifo #(
    .T       (logic),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) passes (
    .clk,
    .rst,
    .s_data (pass_drop),
    .s_valid(pass),
    .s_ready(passes_ready),
    .m_data (pass_drops),
    .m_valid(pass_known),
    .m_ready(s_rx_valid && s_rx_ready && s_rx_last),
    .count_o(unused_passes)
  );

  assign s_rx_ready = pass_known && (pass_drops || pass_ready);

  stream_register #(
    .T(beat_t)
  ) pass_register (
    .clk,
    .rst,
    .s_data ({s_rx_error, s_rx_last, s_rx_keep, s_rx_data}),
    .s_valid(pass_known && !pass_drops && s_rx_valid),
    .s_ready(pass_ready),
    .m_data (beat_out),
    .m_valid(m_tx_valid),
    .m_ready(m_tx_ready)
  );

  assign m_tx_data     = beat_out.data;
  assign m_tx_keep     = beat_out.keep;
  assign m_tx_last     = beat_out.last;
  assign m_tx_error    = beat_out.error;

  // ---- Closing: all that the peer sent has been granted before EventPeerClosed, and is sent first

  typedef logic [$clog2(Outstanding+3)-1:0] count_t;  // the pass register holds two more

  count_t unsent_q, unsent_d, left_q;
  logic counted_q;  // left_q packets are before the close

  assign sent     = m_tx_valid && m_tx_ready && m_tx_last;
  assign unsent_d = unsent_q + count_t'(pass && !pass_drop) - count_t'(sent);

  always_ff @(posedge clk) begin
    unsent_q <= unsent_d;
    if (!counted_q) begin
      counted_q <= close_valid;
      left_q    <= unsent_d;
    end else begin
      if (left_q != '0) left_q <= left_q - count_t'(sent);
      if (close_ready && close_open) counted_q <= 1'b0;
    end

    if (rst) begin
      unsent_q  <= '0;
      counted_q <= 1'b0;
    end
  end

  assign close_open    = close_valid && counted_q && left_q == '0;
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
    .m_ready  (close_ready && close_open)
  );

  app_control #(
    .Ports     (1),
    .LocalPorts(EchoPort)
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
    .s_close_valid  (close_open),
    .s_close_ready  (close_ready)
  );

endmodule
