// SPDX-License-Identifier: Apache-2.0

// Character generator (RFC 864): sends its pattern to every peer as fast as the peer's window lets
// it, until the peer closes. What it receives it takes and drops.
//
// Sessions with room take turns. Several have theirs at once: while one's packet passes, the next ones
// ask for room. Each sends ChunkBytes, or LargeChunkBytes where so few take turns that the clocks of
// a question would not be covered by others' packets. One without room rests until bytes of its are
// acknowledged. Where there is room for less than that but at least SmallestChunk, it sends as much;
// the engine's rings must be larger than SmallestChunk.
//
// Throughput 1 beat a clock; between packets of different sessions a clock.
module app_source
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
#(
  parameter  int DataWidth       = 64,
  parameter  int Connections     = 64,
  parameter  int ChunkBytes      = 1460,
  parameter  int LargeChunkBytes = ChunkBytes,
  parameter  int SmallestChunk   = 256,
  parameter  int Requests        = DataWidth >= 256 ? 4 : 2,  // under way, with their packets
  localparam int Lanes           = DataWidth / 8
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

  if (ChunkBytes < SmallestChunk || LargeChunkBytes < ChunkBytes || LargeChunkBytes > 65535)
  begin : gen_check_chunk
    $error("SmallestChunk, ChunkBytes and LargeChunkBytes must be in this order, at most 65535.");
  end

  typedef logic [$clog2(Connections)-1:0] id_t;
  typedef logic [13:0] position_t;  // in the pattern

  typedef enum logic [2:0] {
    StIdle,     // wait for a session whose turn it is
    StLoad,     // what is known of it is on the way
    StRequest,  // ask for room
    StClose,    // the peer has closed: so do we
    StSave      // remember that
  } state_e;

  state_e state_q, state_d;
  session_t session_q, work_session, push_session;
  position_t position_q, loaded_position;
  logic [15:0] length_q;
  logic smaller_q, noted_q, void_q, closed;
  logic work_valid, work_ready, load, loaded_valid, known, peer_closed, save_ready;
  logic event_taken, event_counts, event_pushed, accepted, push_valid, push_ready;
  logic close_ready;
  logic unused_peeked, unused_flag, unused_index;

  // The end of the oldest request.
  session_t end_session;
  position_t end_position;
  logic [15:0] end_length;
  logic end_sent, end_smaller, end_noted, end_void, end_valid, end_ready;
  logic end_pushes, end_pushed, end_asks;

  // ---- Events, and what is received

  assign event_taken   = s_event_valid && s_event_ready;
  assign event_counts  = s_event.kind == EventAccepted || s_event.kind == EventAcked
                      || s_event.kind == EventPeerClosed;
  assign accepted      = event_taken && s_event.kind == EventAccepted;
  assign s_event_ready = !event_counts || event_pushed;

  // Events first: they are not to wait.
  stream_arbiter #(
    .T         (session_t),
    .N         (2),
    .RoundRobin(1'b0)
  ) pushes (
    .clk,
    .rst,
    .s_data ('{s_event.session, end_session}),
    .s_valid({end_pushes, s_event_valid && event_counts}),
    .s_ready({end_pushed, event_pushed}),
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
    .StateWidth (1),
    .Connections(Connections)
  ) sessions (
    .clk,
    .rst,
    .event_session_i(s_event.session),
    .accepted_i     (accepted),
    .peer_closed_i  (event_taken && s_event.kind == EventPeerClosed),
    .load_i         (load),
    .load_session_i (work_session),
    .loaded_o       (loaded_valid),
    .known_o        (known),
    .state_o        (closed),
    .peer_closed_o  (peer_closed),
    .save_i         (state_q == StSave),
    .save_state_i   (1'b1),
    .save_flag_i    (1'b0),
    .save_ready_o   (save_ready),
    .peek_i         (1'b0),
    .peek_session_i (session_q),
    .peeked_o       (unused_peeked),
    .flag_o         (unused_flag)
  );

  // An end is pushed in a clock of its own, so not in that of an accepted session.
  ram_simple_dual_port #(
    .Width      ($bits(position_t)),
    .Depth      (Connections),
    .ReadLatency(2)
  ) positions (
    .clk,
    .write_enable_i (accepted || (end_pushed && end_sent)),
    .write_address_i(id_t'(accepted ? s_event.session.id : end_session.id)),
    .write_data_i   (accepted ? '0 : end_position),
    .read_enable_i  (load),
    .read_address_i (id_t'(work_session.id)),
    .read_data_o    (loaded_position)
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

  // ---- Asking. Who is under way already is noted, and has its turn behind that

  logic room, few, under_way, held, ask_smaller, request, now_void;
  session_t next_session;

  assign ask_smaller        = state_q == StIdle && end_asks;
  assign work_ready         = state_q == StIdle && !end_asks && room && !held;
  assign load               = work_valid && work_ready && !under_way;
  assign m_tx_request       = '{
      tentative: 1'b0, partial: 1'b0, app: SourceApp, session: session_q, length: length_q
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign request            = m_tx_request_valid && m_tx_request_ready;
  assign next_session       = end_asks ? end_session : work_session;
  // The id of the session that is being asked for belongs to another one.
  assign now_void           = accepted && id_t'(s_event.session.id) == id_t'(session_q.id);

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StIdle: begin
        if (ask_smaller) state_d = StRequest;
        else if (load) state_d = StLoad;
      end
      StLoad:
      if (loaded_valid) begin
        if (!known || closed) state_d = StIdle;
        else state_d = peer_closed ? StClose : StRequest;
      end
      StRequest: if (m_tx_request_ready) state_d = StIdle;
      StClose: if (close_ready) state_d = StSave;
      StSave: if (save_ready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_q == StIdle) begin
      session_q  <= next_session;
      position_q <= end_position;
      length_q   <= end_asks ? end_length : few ? 16'(LargeChunkBytes) : 16'(ChunkBytes);
      smaller_q  <= end_asks;
      noted_q    <= end_asks && end_noted;
      void_q     <= accepted && id_t'(s_event.session.id) == id_t'(next_session.id);
    end else begin
      if (loaded_valid) position_q <= loaded_position;
      if (now_void) void_q <= 1'b1;
    end

    if (rst) state_q <= StIdle;
  end

  // ---- Statuses and packets

  source_packets #(
    .DataWidth    (DataWidth),
    .Requests     (Requests),
    .SmallestBytes(SmallestChunk)
  ) packets (
    .clk,
    .rst,
    .request_session_i (session_q),
    .request_position_i(position_q),
    .request_length_i  (length_q),
    .request_smaller_i (smaller_q),
    .request_noted_i   (noted_q),
    .request_void_i    (void_q || now_void),
    .request_i         (request),
    .room_o            (room),
    .few_o             (few),
    .s_tx_status,
    .s_tx_status_valid,
    .s_tx_status_ready,
    .m_tx_data,
    .m_tx_keep,
    .m_tx_last,
    .m_tx_valid,
    .m_tx_ready,
    .m_session         (end_session),
    .m_position        (end_position),
    .m_length          (end_length),
    .m_sent            (end_sent),
    .m_smaller         (end_smaller),
    .m_noted           (end_noted),
    .m_void            (end_void),
    .m_valid           (end_valid),
    .m_ready           (end_ready),
    .look_session_i    (work_session),
    .under_way_o       (under_way),
    .held_o            (held),
    .note_i            (work_valid && work_ready && under_way),
    .accepted_id_i     (s_event.session.id),
    .accepted_i        (accepted)
  );

  // What was sent, or noted, has another turn; one that there is less room for asks again at once.
  assign end_asks   = end_valid && !end_void && end_smaller;
  assign end_pushes = end_valid && !end_void && !end_smaller && (end_sent || end_noted);
  assign end_ready  = end_asks ? ask_smaller : !end_pushes || end_pushed;

endmodule
