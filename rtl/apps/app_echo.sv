// SPDX-License-Identifier: Apache-2.0

// Echo (RFC 862): sends back what it receives, without storing it. Before it grants received bytes
// it asks for room to send as many; they then go from the engine's receive side to its transmit
// side through one register.
//
// Where there is room for less, it takes less; where there is none it grants 0 and is offered the
// bytes again. What turns out bad at its end (s_rx_error) it withdraws from the engine in the same way
// (m_tx_error): nothing has been sent of it, and it is offered again. What cannot be sent at all any more is taken and dropped. Closes when the peer has.
module app_echo
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
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

  typedef enum logic [2:0] {
    StIdle,     // wait for a query
    StRequest,  // ask for room
    StStatus,   // hear how much there is
    StGrant,    // take as many bytes
    StPass,     // receive side to register
    StSend,     // the end of the packet leaves the register
    StDrop      // nobody to send them to
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
  logic close_valid, close_ready, ended, end_ready, pass_ready;
  beat_t beat_out;

  assign s_query_ready      = state_q == StIdle;
  assign m_tx_request       = '{
      tentative: tentative_q, app: EchoApp, session: session_q, length: length_q
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = state_q == StStatus;
  assign m_grant_length     = length_q;
  assign m_grant_valid      = state_q == StGrant;
  assign s_rx_ready         = state_q == StDrop || (state_q == StPass && pass_ready);

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
        if (s_query_valid) state_d = StRequest;
      end
      StRequest: if (m_tx_request_ready) state_d = StStatus;
      StStatus:
      if (s_tx_status_valid) begin
        state_d = StGrant;
        unique case (s_tx_status.error)
          TxOk: ;
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
      StGrant:
      if (m_grant_ready) begin
        if (length_q == '0) state_d = StIdle;
        else state_d = drop_q ? StDrop : StPass;
      end
      StPass: if (s_rx_valid && s_rx_ready && s_rx_last) state_d = StSend;
      StSend: if (m_tx_valid && m_tx_ready && m_tx_last) state_d = StIdle;
      StDrop: if (s_rx_valid && s_rx_last) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  stream_register #(
    .T(beat_t)
  ) pass (
    .clk,
    .rst,
    .s_data ({s_rx_error, s_rx_last, s_rx_keep, s_rx_data}),
    .s_valid(state_q == StPass && s_rx_valid),
    .s_ready(pass_ready),
    .m_data (beat_out),
    .m_valid(m_tx_valid),
    .m_ready(m_tx_ready)
  );

  assign m_tx_data     = beat_out.data;
  assign m_tx_keep     = beat_out.keep;
  assign m_tx_last     = beat_out.last;
  assign m_tx_error    = beat_out.error;

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
    .m_ready  (close_ready && state_q == StIdle)
  );

  // All that the peer sent has been granted before EventPeerClosed; in StIdle it has been sent, too.
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
    .s_close_valid  (close_valid && state_q == StIdle),
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
