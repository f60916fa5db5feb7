// SPDX-License-Identifier: Apache-2.0

// Greets whoever connects to its port, with the number of the connection, and closes. What a peer
// sends is taken and thrown away.
//
// One visitor at a time, in order; the others wait in a queue that cannot overflow.
module app_greeter
  import net_headers_pkg::*;
  import app_pkg::*;
#(
  parameter  int    DataWidth   = 64,  // bits
  parameter  int    Connections = 64,  // of the engine
  parameter  port_t LocalPort   = 16'd7777,
  localparam int    Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  output app_command_t         m_command,
  output logic                 m_command_valid,
  input  logic                 m_command_ready,
  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,
  // Whole structs, of which not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_offer_t           s_query,
  input  tx_status_t           s_tx_status,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 s_query_valid,
  output logic                 s_query_ready,
  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,
  output logic                 s_rx_ready,
  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,
  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready
);

  localparam int TextBytes = 32;
  localparam int Beats = Lanes < TextBytes ? TextBytes / Lanes : 1;
  localparam int BeatBytes = TextBytes / Beats;

  typedef enum logic [2:0] {
    StIdle,     // nobody waits
    StRequest,  // ask for room
    StStatus,   // wait for the answer
    StText,     // say it
    StClose     // and close
  } state_e;

  function automatic logic [7:0] hex_digit(input logic [3:0] value);
    return value < 4'd10 ? 8'h30 + 8'(value) : 8'h57 + 8'(value);
  endfunction

  state_e state_q, state_d;
  session_t visitor;
  logic visitor_valid, visitor_ready, accepted, accepted_ready, close_ready;
  logic [15:0] number_q;
  logic [$clog2(Beats+1)-1:0] beat_q;
  logic [TextBytes-1:0][7:0] text;  // [0] is the last byte
  logic [Beats-1:0][BeatBytes-1:0][7:0] beats;

  assign text = {
    "Hello, you are visitor ",
    "0x",
    hex_digit(number_q[15:12]),
    hex_digit(number_q[11:8]),
    hex_digit(number_q[7:4]),
    hex_digit(number_q[3:0]),
    ".",
    "\r",
    "\n"
  };

  // Byte 0 of a stream is in lane 0.
  always_comb begin
    for (int i = 0; i < TextBytes; i++) beats[i/BeatBytes][i%BeatBytes] = text[TextBytes-1-i];
  end

  // Accepted sessions wait in a queue: events are never held up for the one that is being greeted.
  assign accepted      = s_event.kind == EventAccepted;
  assign s_event_ready = !accepted || accepted_ready;

  session_queue #(
    .Connections(Connections)
  ) visitors (
    .clk,
    .rst,
    .s_session(s_event.session),
    .s_valid  (s_event_valid && accepted),
    .s_ready  (accepted_ready),
    .m_session(visitor),
    .m_valid  (visitor_valid),
    .m_ready  (visitor_ready)
  );

  app_control #(
    .Ports     (1),
    .LocalPorts(LocalPort)
  ) control (
    .clk,
    .rst,
    .enable_i       (1'b1),
    .m_command,
    .m_command_valid,
    .m_command_ready,
    .event_i        (s_event),
    .event_taken_i  (s_event_valid && s_event_ready),
    .s_close_session(visitor),
    .s_close_valid  (state_q == StClose),
    .s_close_ready  (close_ready)
  );

  always_comb begin
    state_d       = state_q;
    visitor_ready = 1'b0;
    unique case (state_q)
      StIdle:    if (visitor_valid) state_d = StRequest;
      StRequest: if (m_tx_request_ready) state_d = StStatus;
      StStatus: begin
        if (s_tx_status_valid && s_tx_status.error == TxOk) begin
          state_d = StText;
        end else if (s_tx_status_valid) begin
          state_d       = StIdle;  // gone already
          visitor_ready = 1'b1;
        end
      end
      StText: if (m_tx_ready && m_tx_last) state_d = StClose;
      StClose: begin
        if (close_ready) state_d = StIdle;
        visitor_ready = close_ready;
      end
      default: state_d = StIdle;
    endcase
  end

  assign m_tx_request       = '{
      tentative: 1'b0, partial: 1'b0, app: '0, session: visitor, length: 16'(TextBytes)
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = 1'b1;
  assign m_tx_data          = DataWidth'(beats[beat_q]);
  assign m_tx_keep          = Lanes'({BeatBytes{1'b1}});
  assign m_tx_last          = int'(beat_q) == Beats - 1;
  assign m_tx_valid         = state_q == StText;

  // What peers send is taken at once.
  assign s_rx_ready    = 1'b1;
  assign s_query_ready = !m_grant_valid;

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (m_tx_valid && m_tx_ready) beat_q <= m_tx_last ? '0 : beat_q + 1'b1;
    if (state_q == StClose && close_ready) number_q <= number_q + 1'b1;

    if (s_query_valid && s_query_ready) begin
      m_grant_length <= s_query.length;
      m_grant_valid  <= 1'b1;
    end else if (m_grant_ready) begin
      m_grant_valid <= 1'b0;
    end

    if (rst) begin
      state_q       <= StIdle;
      beat_q        <= '0;
      number_q      <= 16'd1;
      m_grant_valid <= 1'b0;
    end
  end

endmodule
