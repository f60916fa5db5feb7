// SPDX-License-Identifier: Apache-2.0

// Traffic generator (S1.12): opens connections to a server, sends messages on them in turn, compares
// what comes back, and closes. To an echo server it sends and receives, to one that discards it sends;
// with settings_i.send low it only receives, from a character generator.
//
// What it sends, and what it expects, is the pattern of chargen (RFC 864), anew in each connection.
// A connection without room for a whole message rests until bytes of its are acknowledged.
//
// settings_i holds still while run is high or a connection is live. The end of a run is that live is 0.
module app_traffic
  import app_pkg::*;
  import traffic_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                                clk,
  input  logic                                rst,

  input  traffic_settings_t                   settings_i,
  output traffic_totals_t                     totals_o,

  output app_command_t                        m_command,
  output logic                                m_command_valid,
  input  logic                                m_command_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  app_event_t                          s_event,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                                s_event_valid,
  output logic                                s_event_ready,

  input  app_offer_t                          s_query,
  input  logic                                s_query_valid,
  output logic                                s_query_ready,

  output logic              [           15:0] m_grant_length,
  output logic                                m_grant_valid,
  input  logic                                m_grant_ready,

  input  logic              [  DataWidth-1:0] s_rx_data,
  input  logic              [      Lanes-1:0] s_rx_keep,
  input  logic                                s_rx_last,
  input  logic                                s_rx_error,
  input  logic                                s_rx_valid,
  output logic                                s_rx_ready,

  output app_offer_t                          m_tx_request,
  output logic                                m_tx_request_valid,
  input  logic                                m_tx_request_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  tx_status_t                          s_tx_status,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                                s_tx_status_valid,
  output logic                                s_tx_status_ready,

  output logic              [  DataWidth-1:0] m_tx_data,
  output logic              [      Lanes-1:0] m_tx_keep,
  output logic                                m_tx_last,
  output logic                                m_tx_valid,
  input  logic                                m_tx_ready
);

  localparam logic [7:0] OpenTag = 8'd1, CloseTag = 8'd2;

  typedef struct packed {
    logic [13:0] position;  // in the pattern
    logic        closed;    // by us
  } session_state_t;

  typedef enum logic [3:0] {
    StIdle,     // wait for a session whose turn it is
    StLoad,     // its state is on the way
    StRequest,  // ask for room
    StStatus,   // hear how much there is
    StStart,    // tell the generator
    StSend,     // the message goes out
    StClose,
    StSave,     // remember where the pattern stands
    StAgain     // back to the end of the queue
  } state_e;

  state_e state_q, state_d;
  session_t session_q, work_session, push_session;
  session_state_t loaded, state_next;
  logic work_valid, loaded_valid, known, peer_closed, save_ready, closing_q;
  logic event_taken, event_counts, event_pushed, event_opened, event_final;
  logic again_pushed, push_valid, push_ready, start_ready;
  logic [13:0] position;
  logic unused_peeked, unused_flag, unused_index;

  // ---- Events

  assign event_taken   = s_event_valid && s_event_ready;
  assign event_counts  = s_event.kind == EventOpened || s_event.kind == EventAcked
      || s_event.kind == EventPeerClosed;
  assign s_event_ready = !event_counts || event_pushed;
  assign event_opened  = event_taken && s_event.kind == EventOpened;
  assign event_final   = event_taken && (s_event.kind == EventClosed || s_event.kind == EventReset
      || s_event.kind == EventTimedOut);

  // Events first: they are not to wait.
  stream_arbiter #(
    .T         (session_t),
    .N         (2),
    .RoundRobin(1'b0)
  ) pushes (
    .clk,
    .rst,
    .s_data ('{s_event.session, session_q}),
    .s_valid({state_q == StAgain, s_event_valid && event_counts}),
    .s_ready({again_pushed, event_pushed}),
    .m_data (push_session),
    .m_index(unused_index),
    .m_valid(push_valid),
    .m_ready(push_ready)
  );

  session_queue #(
    .Connections(Connections)
  ) turns (
    .clk,
    .rst,
    .s_session(push_session),
    .s_valid  (push_valid),
    .s_ready  (push_ready),
    .m_session(work_session),
    .m_valid  (work_valid),
    .m_ready  (state_q == StIdle)
  );

  session_memory #(
    .StateWidth ($bits(session_state_t)),
    .Connections(Connections)
  ) sessions (
    .clk,
    .rst,
    .event_session_i(s_event.session),
    .accepted_i     (event_opened),
    .peer_closed_i  (event_taken && s_event.kind == EventPeerClosed),
    .load_i         (work_valid && state_q == StIdle),
    .load_session_i (work_session),
    .loaded_o       (loaded_valid),
    .known_o        (known),
    .state_o        (loaded),
    .peer_closed_o  (peer_closed),
    .save_i         (state_q == StSave),
    .save_state_i   (state_next),
    .save_flag_i    (1'b0),
    .save_ready_o   (save_ready),
    .peek_i         (1'b0),
    .peek_session_i (session_q),
    .peeked_o       (unused_peeked),
    .flag_o         (unused_flag)
  );

  // ---- Commands: open as many as are wanted, one after the other; closes go first

  logic [15:0] wanted_q;
  logic run_q, asked_q, open_now, close_now, open_result, free;

  assign free        = !m_command_valid || m_command_ready;
  assign close_now   = free && state_q == StClose;
  assign open_now    = free && state_q != StClose && settings_i.run && wanted_q != '0 && !asked_q;
  assign open_result = event_taken && s_event.kind == EventResult && s_event.tag == OpenTag;

  always_ff @(posedge clk) begin
    run_q <= settings_i.run;

    if (settings_i.run && !run_q) wanted_q <= settings_i.connections;
    else if (!settings_i.run) wanted_q <= '0;
    else if (open_now) wanted_q <= wanted_q - 1'b1;

    if (open_now) asked_q <= 1'b1;
    else if (open_result) asked_q <= 1'b0;

    if (free) begin
      m_command_valid       <= close_now || open_now;
      m_command             <= '0;
      m_command.op          <= close_now ? CommandClose : CommandOpen;
      m_command.tag         <= close_now ? CloseTag : OpenTag;
      m_command.session     <= session_q;
      m_command.remote_ip   <= settings_i.remote_ip;
      m_command.remote_port <= settings_i.remote_port;
    end

    if (rst) begin
      run_q           <= 1'b0;
      wanted_q        <= '0;
      asked_q         <= 1'b0;
      m_command_valid <= 1'b0;
    end
  end

  // ---- Sending

  assign m_tx_request = '{
      tentative: 1'b0, partial: 1'b0, app: '0, session: session_q, length: settings_i.message_bytes
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready = state_q == StStatus;
  assign state_next = closing_q ? '{position: loaded.position, closed: 1'b1}
      : '{position: position, closed: 1'b0};

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StIdle: if (work_valid) state_d = StLoad;
      StLoad: begin
        if (loaded_valid) begin
          if (!known || loaded.closed) state_d = StIdle;
          else if (peer_closed || !settings_i.run) state_d = StClose;
          else state_d = settings_i.send ? StRequest : StAgain;
        end
      end
      StRequest: if (m_tx_request_ready) state_d = StStatus;
      StStatus: if (s_tx_status_valid) state_d = s_tx_status.error == TxOk ? StStart : StIdle;
      StStart: if (start_ready) state_d = StSend;
      StSend: if (m_tx_valid && m_tx_ready && m_tx_last) state_d = StSave;
      StClose: if (free) state_d = StSave;
      StSave: if (save_ready) state_d = closing_q ? StIdle : StAgain;
      StAgain: if (again_pushed) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_q == StIdle) begin
      session_q <= work_session;
      closing_q <= 1'b0;
    end
    if (state_q == StClose) closing_q <= 1'b1;

    if (rst) state_q <= StIdle;
  end

  chargen #(
    .DataWidth(DataWidth)
  ) generator (
    .clk,
    .rst,
    .position_i   (loaded.position),
    .length_i     (settings_i.message_bytes),
    .s_start_valid(state_q == StStart),
    .s_start_ready(start_ready),
    .position_o   (position),
    .m_data       (m_tx_data),
    .m_keep       (m_tx_keep),
    .m_last       (m_tx_last),
    .m_valid      (m_tx_valid),
    .m_ready      (m_tx_ready)
  );

  // ---- Receiving

  logic [15:0] checked_bytes, checked_wrong;
  logic checked;

  pattern_checker #(
    .DataWidth  (DataWidth),
    .Connections(Connections)
  ) comparison (
    .clk,
    .rst,
    .opened_session_i(s_event.session),
    .opened_i        (event_opened),
    .s_query,
    .s_query_valid,
    .s_query_ready,
    .m_grant_length,
    .m_grant_valid,
    .m_grant_ready,
    .s_rx_data,
    .s_rx_keep,
    .s_rx_last,
    .s_rx_error,
    .s_rx_valid,
    .s_rx_ready,
    .bytes_o         (checked_bytes),
    .wrong_o         (checked_wrong),
    .checked_o       (checked)
  );

  // ---- Totals

  logic sent, result_ok;

  assign sent             = state_q == StSend && state_d == StSave;
  assign result_ok        = s_event.result == ResultOk;
  assign totals_o.opening = wanted_q != '0 || asked_q || (settings_i.run && !run_q);

  always_ff @(posedge clk) begin
    totals_o.live <= totals_o.live + 16'(open_result && result_ok) - 16'(event_final);
    totals_o.opened <= totals_o.opened + 32'(event_opened);
    totals_o.refused <= totals_o.refused + 32'(open_result && !result_ok);
    totals_o.closed <= totals_o.closed + 32'(event_final && s_event.kind == EventClosed);
    totals_o.broken <= totals_o.broken + 32'(event_final && s_event.kind != EventClosed);
    totals_o.messages_out <= totals_o.messages_out + 32'(sent);
    if (sent) totals_o.bytes_out <= totals_o.bytes_out + 64'(settings_i.message_bytes);
    if (checked) begin
      totals_o.bytes_in    <= totals_o.bytes_in + 64'(checked_bytes);
      totals_o.wrong_bytes <= totals_o.wrong_bytes + 32'(checked_wrong);
    end

    if (rst) begin
      totals_o.live         <= '0;
      totals_o.opened       <= '0;
      totals_o.refused      <= '0;
      totals_o.closed       <= '0;
      totals_o.broken       <= '0;
      totals_o.messages_out <= '0;
      totals_o.bytes_out    <= '0;
      totals_o.bytes_in     <= '0;
      totals_o.wrong_bytes  <= '0;
    end
  end

endmodule
