// SPDX-License-Identifier: Apache-2.0

// Echo (RFC 862): sends back what it receives, without storing it. Before it grants received bytes
// it asks for room to send as many; they then go from the engine's receive side to its transmit
// side through one register. While they do, the next query is answered.
//
// Where there is room for less, it takes less; where there is none it grants 0 and is offered the
// bytes again. What turns out bad at its end (s_rx_error) it withdraws from the engine in the same way
// (m_tx_error): nothing has been sent of it, and it is offered again. What cannot be sent at all any
// more is taken and dropped. Closes when the peer has, behind what was granted before.
//
// Latency    none from query to request and from TxOk to grant; 1 clock from received data to sent.
// Paths      s_query to m_tx_request, s_tx_status to m_grant.
// Packets that are granted and have not passed: at most Outstanding.
module app_echo
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int Outstanding = 4,
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

  typedef enum logic [1:0] {
    StIdle,     // wait for a query, and ask for room at once
    StRequest,  // ask for room still
    StStatus,   // hear how much there is, and take as many bytes at once
    StGrant     // take them still
  } state_e;

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  state_e state_q, state_d;
  session_t session_q;
  logic tentative_q;  // what was offered, and so what is sent
  logic [15:0] length_q, length_d;
  logic asked_less_q, asked_less_d;  // this is the second request for the same query
  logic drop_q, drop_d;  // after the grant

  session_t close_session;
  logic close_valid, close_ready, close_open, ended, end_ready;
  logic passes_ready, pass_known, pass_drops, pass_ready, pass, sent;
  beat_t beat_out;
  logic [$clog2(Outstanding+1)-1:0] unused_passes;

  assign s_query_ready      = state_q == StIdle && passes_ready;
  assign s_tx_status_ready  = state_q == StStatus;
  assign m_tx_request       = state_q == StIdle ? '{
      tentative: s_query.tentative,
      partial: 1'b0,
      app: EchoApp,
      session: s_query.session,
      length: s_query.length
  } : '{
      tentative: tentative_q,
      partial: 1'b0,
      app: EchoApp,
      session: session_q,
      length: length_q
  };
  assign m_tx_request_valid = state_q == StRequest
      || (state_q == StIdle && s_query_valid && passes_ready);
  assign m_grant_length     = length_q;
  assign m_grant_valid      = state_q == StGrant
      || (state_q == StStatus && s_tx_status_valid && s_tx_status.error == TxOk);
  assign pass               = m_grant_valid && m_grant_ready && length_q != '0;

  always_comb begin
    state_d      = state_q;
    length_d     = length_q;
    asked_less_d = asked_less_q;
    drop_d       = drop_q;

    unique case (state_q)
      StIdle: begin
        length_d     = s_query.length;
        asked_less_d = 1'b0;
        drop_d       = 1'b0;
        if (m_tx_request_valid) state_d = m_tx_request_ready ? StStatus : StRequest;
      end
      StRequest: if (m_tx_request_ready) state_d = StStatus;
      StStatus:
      if (s_tx_status_valid) begin
        state_d = StGrant;
        unique case (s_tx_status.error)
          TxOk: if (m_grant_ready) state_d = StIdle;
          TxNoSpace: begin
            if (asked_less_q || s_tx_status.space == '0) begin
              length_d = '0;
            end else begin
              if (s_tx_status.space < 32'(length_q)) length_d = s_tx_status.space[15:0];
              asked_less_d = 1'b1;
              state_d      = StRequest;
            end
          end
          default: drop_d = 1'b1;
        endcase
      end
      StGrant: if (m_grant_ready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  // ---- Packets, in the order of the grants: receive side to register, or nobody to send them to

  stream_fifo #(
    .T       (logic),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) passes (
    .clk,
    .rst,
    .s_data (drop_q),
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
  assign unsent_d = unsent_q + count_t'(pass && !drop_q) - count_t'(sent);

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

  always_ff @(posedge clk) begin
    state_q      <= state_d;
    length_q     <= length_d;
    asked_less_q <= asked_less_d;
    drop_q       <= drop_d;
    if (state_q == StIdle) {session_q, tentative_q} <= {s_query.session, s_query.tentative};

    if (rst) state_q <= StIdle;
  end

endmodule
