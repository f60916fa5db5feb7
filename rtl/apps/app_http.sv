// SPDX-License-Identifier: Apache-2.0

// HTTP/1.1 server for one page with live counters. Any number of connections at once; requests may
// come in pieces and several at a time; responses leave in slices as room allows.
//
// One worker alternates between two jobs, each on one session: parsing what came in
// (http_parser_pkg), and writing and sending a slice of the response that is due (http_writer). The
// session's state is in session_memory between jobs. A session that waits for room is not worked
// on; its next EventAcked brings it back. Received bytes are taken only from sessions that have no
// response to come, so nothing ever waits for a peer that does not read.
//
// A session is closed after the response to its last request, or, with every request answered, when
// the peer has closed.
module app_http
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
  import http_parser_pkg::*;
  import http_text_pkg::*;
#(
  parameter  int DataWidth     = 64,
  parameter  int Connections   = 64,
  parameter  bit CutThrough    = 1'b0,  // s_rx_error may come
  parameter  int SliceBytes    = 1024,
  parameter  int SmallestSlice = 64,
  localparam int Lanes         = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 enable_i,
  input  app_statistics_t      statistics_i,

  output app_command_t         m_command,
  output logic                 m_command_valid,
  input  logic                 m_command_ready,

  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,

  input  app_offer_t           s_query,
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
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready
);

  if (SmallestSlice < NumberBytes || SmallestSlice > SliceBytes) begin : gen_check_slice
    $error("SmallestSlice must hold a number and be at most SliceBytes.");
  end

  localparam int LengthWidth = $clog2(SliceBytes + 1);

  typedef logic [LengthWidth-1:0] length_t;

  typedef struct packed {
    http_parser_t  parser;
    logic          begun;     // part of the first response has been sent
    text_address_t position;  // and this is where it goes on
    logic          closed;    // by us
  } session_state_t;

  typedef enum logic [3:0] {
    StIdle,     // choose a job
    StLoad,     // the session's state is on the way
    StParse,    // bytes through the parser
    StAnswer,   // is there a response to give, or a close?
    StWrite,    // a slice is being written
    StRequest,  // ask for room
    StStatus,   // hear how much there is
    StSend,     // the slice goes out
    StNext,     // after a slice: the response goes on, or the next one comes
    StClose,
    StSave,     // the state goes back
    StAgain     // into the queue
  } state_e;

  state_e state_q, state_d;
  session_state_t session_state_q, session_state_d, loaded;
  session_t session_q, session_d, work_session, push_session, input_session;
  logic parsing_q, parsing_d;  // the job, and the one before
  logic last_response, slice_start, slice_done, slice_ended, slice_sent;
  length_t limit_q, limit_d, slice_length;
  text_address_t slice_position;
  logic [31:0] space;

  logic load, loaded_valid, known, peer_closed, save_ready;
  logic peek, peeked, flag;
  session_t peek_session;
  logic occupied, input_release;
  logic [7:0] input_byte;
  logic input_last, input_valid, input_ready;
  logic work_valid, work_ready, close_ready;
  logic event_taken, event_counts, event_pushed, again_pushed, push_valid, push_ready, unused_index;

  // ---- Events

  assign event_taken   = s_event_valid && s_event_ready;
  assign event_counts  = s_event.kind == EventAcked || s_event.kind == EventPeerClosed;
  assign s_event_ready = !event_counts || event_pushed;

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
  ) work (
    .clk,
    .rst,
    .s_session(push_session),
    .s_valid  (push_valid),
    .s_ready  (push_ready),
    .m_session(work_session),
    .m_valid  (work_valid),
    .m_ready  (work_ready)
  );

  session_memory #(
    .StateWidth ($bits(session_state_t)),
    .Connections(Connections)
  ) sessions (
    .clk,
    .rst,
    .event_session_i(s_event.session),
    .accepted_i     (event_taken && s_event.kind == EventAccepted),
    .peer_closed_i  (event_taken && s_event.kind == EventPeerClosed),
    .load_i         (load),
    .load_session_i (session_d),
    .loaded_o       (loaded_valid),
    .known_o        (known),
    .state_o        (loaded),
    .peer_closed_o  (peer_closed),
    .save_i         (state_q == StSave),
    .save_state_i   (session_state_q),
    .save_flag_i    (session_state_q.parser.count != '0),
    .save_ready_o   (save_ready),
    .peek_i         (peek),
    .peek_session_i (peek_session),
    .peeked_o       (peeked),
    .flag_o         (flag)
  );

  app_control #(
    .Ports     (1),
    .LocalPorts(HttpPort)
  ) control (
    .clk,
    .rst,
    .enable_i,
    .m_command,
    .m_command_valid,
    .m_command_ready,
    .event_i        (s_event),
    .event_taken_i  (event_taken),
    .s_close_session(session_q),
    .s_close_valid  (state_q == StClose),
    .s_close_ready  (close_ready)
  );

  // ---- Input

  http_input #(
    .DataWidth (DataWidth),
    .CutThrough(CutThrough)
  ) requests (
    .clk,
    .rst,
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
    .peek_o        (peek),
    .peek_session_o(peek_session),
    .peeked_i      (peeked),
    .flag_i        (flag),
    .occupied_o    (occupied),
    .session_o     (input_session),
    .release_i     (input_release),
    .m_byte        (input_byte),
    .m_byte_last   (input_last),
    .m_byte_valid  (input_valid),
    .m_byte_ready  (input_ready)
  );

  // A byte is classified in one clock and parsed in the next.
  http_char_t char_q;
  logic char_valid_q, char_last_q, char_end_q;

  assign input_ready = state_q == StParse && !char_last_q && !char_end_q;

  always_ff @(posedge clk) begin
    char_q       <= classify(input_byte);
    char_valid_q <= input_valid && input_ready;
    char_last_q  <= input_valid && input_ready && input_last;
    char_end_q   <= char_last_q;

    if (rst) begin
      char_valid_q <= 1'b0;
      char_last_q  <= 1'b0;
      char_end_q   <= 1'b0;
    end
  end

  // ---- Responses

  assign last_response = session_state_q.parser.closing && session_state_q.parser.count == 4'd1;

  http_writer #(
    .DataWidth (DataWidth),
    .SliceBytes(SliceBytes)
  ) writer (
    .clk,
    .rst,
    .statistics_i,
    .start_i   (slice_start),
    .position_i(session_state_q.begun ? session_state_q.position
                                      : start_of(session_state_q.parser.responses[0].kind)),
    .limit_i   (limit_q),
    .head_i    (session_state_q.parser.responses[0].head),
    .last_i    (last_response),
    .done_o    (slice_done),
    .length_o  (slice_length),
    .position_o(slice_position),
    .ended_o   (slice_ended),
    .send_i    (state_q == StStatus && state_d == StSend),
    .sent_o    (slice_sent),
    .m_data    (m_tx_data),
    .m_keep    (m_tx_keep),
    .m_last    (m_tx_last),
    .m_valid   (m_tx_valid),
    .m_ready   (m_tx_ready)
  );

  assign m_tx_request       = '{
      tentative: 1'b0, partial: 1'b0, app: HttpApp, session: session_q, length: 16'(slice_length)
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = state_q == StStatus;
  assign space              = s_tx_status.space;

  // ---- The worker

  always_comb begin
    state_d         = state_q;
    session_d       = session_q;
    session_state_d = session_state_q;
    parsing_d       = parsing_q;
    limit_d         = limit_q;
    load            = 1'b0;
    work_ready      = 1'b0;
    input_release   = 1'b0;
    slice_start     = 1'b0;

    unique case (state_q)
      StIdle: begin
        limit_d = length_t'(SliceBytes);
        if (input_valid && !(parsing_q && work_valid)) begin
          session_d = input_session;
          parsing_d = 1'b1;
          load      = 1'b1;
          state_d   = StLoad;
        end else if (work_valid) begin
          session_d  = work_session;
          parsing_d  = 1'b0;
          work_ready = 1'b1;
          load       = 1'b1;
          state_d    = StLoad;
        end
      end

      StLoad:
      if (loaded_valid) begin
        session_state_d = loaded;
        if (parsing_q) state_d = StParse;
        else if (known) state_d = StAnswer;
        else state_d = StIdle;
      end

      StParse: begin
        if (char_valid_q) session_state_d.parser = parse(session_state_q.parser, char_q);
        if (char_end_q) begin
          input_release = 1'b1;
          state_d       = known ? StSave : StIdle;
        end
      end

      // Input of the same session that is here or on its way comes first: it may hold requests that
      // are to be answered before the close. Parsing it brings the session back.
      StAnswer: begin
        if (session_state_q.parser.count != '0) begin
          slice_start = 1'b1;
          state_d     = StWrite;
        end else if (!session_state_q.closed
                     && (session_state_q.parser.closing
                         || (peer_closed && !(occupied && input_session == session_q)))) begin
          state_d = StClose;
        end else begin
          state_d = StIdle;
        end
      end

      StWrite:
      if (slice_done) begin
        if (slice_length != '0) state_d = StRequest;
        else state_d = slice_ended ? StNext : StIdle;
      end

      StRequest: if (m_tx_request_ready) state_d = StStatus;

      // With less room than was asked for, a smaller slice; with too little, wait for EventAcked.
      StStatus:
      if (s_tx_status_valid) begin
        state_d = StIdle;
        unique case (s_tx_status.error)
          TxOk: state_d = StSend;
          TxNoSpace:
          if (space >= 32'(SmallestSlice) && space < 32'(slice_length)) begin
            limit_d = length_t'(space);
            state_d = StAnswer;
          end
          default: begin
            // Nobody to answer any more.
            session_state_d.parser.count         = '0;
            session_state_d.parser.closing       = 1'b1;
            session_state_d.parser.request.phase = PhaseIgnore;
            session_state_d.closed               = 1'b1;
            state_d = StSave;
          end
        endcase
      end

      StSend: if (slice_sent) state_d = StNext;

      StNext: begin
        session_state_d.begun    = !slice_ended;
        session_state_d.position = slice_position;
        if (slice_ended) begin
          session_state_d.parser.count = session_state_q.parser.count - 1'b1;
          for (int i = 0; i < MaxResponses - 1; i++) begin
            session_state_d.parser.responses[i] = session_state_q.parser.responses[i+1];
          end
        end
        state_d = StSave;
      end

      StClose:
      if (close_ready) begin
        session_state_d.closed               = 1'b1;
        session_state_d.parser.request.phase = PhaseIgnore;
        state_d = StSave;
      end

      StSave: if (save_ready) state_d = session_state_q.closed ? StIdle : StAgain;

      StAgain: if (again_pushed) state_d = StIdle;

      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q         <= state_d;
    session_q       <= session_d;
    session_state_q <= session_state_d;
    parsing_q       <= parsing_d;
    limit_q         <= limit_d;

    if (rst) begin
      state_q   <= StIdle;
      parsing_q <= 1'b0;
    end
  end

endmodule
