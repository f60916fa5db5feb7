// SPDX-License-Identifier: Apache-2.0

// Character generator (RFC 864): sends its pattern to every peer as fast as the peer's window lets
// it, until the peer closes. What it receives it takes and drops.
//
// Sessions with room take turns, ChunkBytes each. One without room rests until bytes of its are
// acknowledged. Where there is room for less than a chunk but at least SmallestChunk, it sends that;
// the engine's rings must be larger than SmallestChunk.
module app_source
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth     = 64,
  parameter  int Connections   = 64,
  parameter  int ChunkBytes    = 1460,
  parameter  int SmallestChunk = 256,
  localparam int Lanes         = DataWidth / 8
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

  if (ChunkBytes < SmallestChunk || ChunkBytes > 65535) begin : gen_check_chunk
    $error("ChunkBytes must be from SmallestChunk to 65535.");
  end

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
    StSend,     // the packet goes out
    StSave,     // remember where the pattern stands
    StClose,    // the peer has closed: so do we
    StAgain     // back to the end of the queue
  } state_e;

  state_e state_q, state_d;
  session_t session_q, work_session, push_session;
  session_state_t loaded, state_next;
  logic [15:0] length_q, length_d;
  logic asked_less_q, asked_less_d;
  logic work_valid, work_ready, loaded_valid, known, peer_closed, save_ready;
  logic event_taken, event_counts, event_pushed, again_pushed, push_valid, push_ready;
  logic close_ready, start_ready;
  logic unused_peeked, unused_flag, unused_index;
  logic [13:0] position;

  // ---- Events, and what is received

  assign event_taken   = s_event_valid && s_event_ready;
  assign event_counts  = s_event.kind == EventAccepted || s_event.kind == EventAcked
                      || s_event.kind == EventPeerClosed;
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
  ) turns (
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
    .load_i         (work_valid && work_ready),
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

  app_control #(
    .Ports     (1),
    .LocalPorts(SourcePort)
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

  assign s_rx_ready    = 1'b1;
  assign s_query_ready = !m_grant_valid;

  always_ff @(posedge clk) begin
    if (s_query_valid && s_query_ready) begin
      m_grant_length <= s_query.length;
      m_grant_valid  <= 1'b1;
    end else if (m_grant_ready) begin
      m_grant_valid <= 1'b0;
    end

    if (rst) m_grant_valid <= 1'b0;
  end

  // ---- Sending

  assign work_ready         = state_q == StIdle;
  assign m_tx_request       = '{
      tentative: 1'b0, partial: 1'b0, app: SourceApp, session: session_q, length: length_q
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = state_q == StStatus;
  assign state_next         = '{position: position, closed: peer_closed};

  always_comb begin
    state_d      = state_q;
    length_d     = length_q;
    asked_less_d = asked_less_q;

    unique case (state_q)
      StIdle: begin
        length_d     = 16'(ChunkBytes);
        asked_less_d = 1'b0;
        if (work_valid) state_d = StLoad;
      end
      StLoad:
      if (loaded_valid) begin
        if (!known || loaded.closed) state_d = StIdle;
        else state_d = peer_closed ? StClose : StRequest;
      end
      StRequest: if (m_tx_request_ready) state_d = StStatus;
      StStatus:
      if (s_tx_status_valid) begin
        state_d = StIdle;
        if (s_tx_status.error == TxOk) begin
          state_d = StStart;
        end else if (s_tx_status.error == TxNoSpace && !asked_less_q
                     && s_tx_status.space >= 32'(SmallestChunk)) begin
          if (s_tx_status.space < 32'(length_q)) length_d = s_tx_status.space[15:0];
          asked_less_d = 1'b1;
          state_d      = StRequest;
        end
      end
      StStart: if (start_ready) state_d = StSend;
      StSend: if (m_tx_valid && m_tx_ready && m_tx_last) state_d = StSave;
      StClose: if (close_ready) state_d = StSave;
      StSave: if (save_ready) state_d = peer_closed ? StIdle : StAgain;
      StAgain: if (again_pushed) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  chargen #(
    .DataWidth(DataWidth)
  ) generator (
    .clk,
    .rst,
    .position_i   (loaded.position),
    .length_i     (length_q),
    .s_start_valid(state_q == StStart),
    .s_start_ready(start_ready),
    .position_o   (position),
    .m_data       (m_tx_data),
    .m_keep       (m_tx_keep),
    .m_last       (m_tx_last),
    .m_valid      (m_tx_valid),
    .m_ready      (m_tx_ready)
  );

  always_ff @(posedge clk) begin
    state_q      <= state_d;
    length_q     <= length_d;
    asked_less_q <= asked_less_d;
    if (state_q == StIdle) session_q <= work_session;

    if (rst) state_q <= StIdle;
  end

endmodule
