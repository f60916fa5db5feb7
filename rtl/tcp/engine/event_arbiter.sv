// SPDX-License-Identifier: Apache-2.0

// Chooses the next event of the connection pipeline and stamps it with the time.
//
//   timer, commands, ... --> turns --> [ places ] --+
//   segments ---------------------------------------+--> stamp --> [ places ] --> m
//
// Segments take every second clock if they want it, all other sources take turns. An event is let
// in only while there is room for everything that it and the events in flight may cause
// (room_i, report_room_i), so the pipeline never stalls on its outputs. While segments wait for the
// builder, connections do not get their turn to send: what is to be told waits with their data.
//
// Latency    1 clock for a segment, 2 for any other event, 4 with one Place.
// Throughput one event a clock with two Places for events; with one, which is a third of the cells, every
//            second clock.
// Paths      m_ready goes no further than a register. Whether a segment is there, which is known late,
//            decides what is taken, and not who may give; with one Place it decides who is next. There who
//            asks goes on until taken, and all s_ready but the segments' are registers.
module event_arbiter
  import app_pkg::*;
  import page_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  int Places      = 2,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       31:0] now_us,
  input  logic [       31:0] ts_now,
  input  logic               tx_backlog_i,    // segments wait for the builder
  input  logic               room_i,          // segments to send, receive commands, removals
  input  logic               report_room_i,   // application events
  input  logic               deliver_room_i,  // the receive reader can take one more

  input  tcp_event_t         s_segment_event,
  input  logic [IdWidth-1:0] s_segment_id,
  input  logic               s_segment_valid,
  output logic               s_segment_ready,

  input  logic [IdWidth-1:0] s_timer_id,
  input  logic [        3:0] s_timer_class,
  input  logic               s_timer_valid,
  output logic               s_timer_ready,

  // CLOSE and ABORT need no address and no value.
  // verilator lint_off UNUSEDSIGNAL
  input  app_command_t       s_command,
  // verilator lint_on UNUSEDSIGNAL
  input  logic               s_command_valid,
  output logic               s_command_ready,

  input  app_offer_t         s_tx_request,
  input  page_offer_t        s_tx_request_pages,
  input  logic               s_tx_request_valid,
  output logic               s_tx_request_ready,

  input  session_t           s_tx_written_session,
  input  logic [       15:0] s_tx_written_length,
  input  logic               s_tx_written_valid,
  output logic               s_tx_written_ready,

  input  session_t           s_delivered_session,
  input  logic [       15:0] s_delivered_length,
  input  logic               s_delivered_valid,
  output logic               s_delivered_ready,

  input  logic [IdWidth-1:0] s_transmit_id,
  input  line_blocks_t       s_transmit_credit,
  input  logic               s_transmit_valid,
  output logic               s_transmit_ready,

  input  logic [IdWidth-1:0] s_report_id,
  input  logic               s_report_valid,
  output logic               s_report_ready,

  input  logic [IdWidth-1:0] s_deliver_id,
  input  logic               s_deliver_valid,
  output logic               s_deliver_ready,

  input  logic [IdWidth-1:0] s_recycle_id,
  input  logic               s_recycle_opening,
  input  logic               s_recycle_valid,
  output logic               s_recycle_ready,

  input  logic [IdWidth-1:0] s_pages_id,
  input  logic               s_pages_valid,
  output logic               s_pages_ready,

  output tcp_event_t         m_event,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready
);

  if (Places != 1 && Places != 2) begin : gen_check_places
    $error("Places must be 1 or 2.");
  end

  // The sources that take turns.
  localparam int Timer = 0, Command = 1, TxRequest = 2, TxWritten = 3, Delivered = 4, Transmit = 5,
      Report = 6, Deliver = 7, Recycle = 8, Pages = 9, Sources = 10;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    tcp_event_t         ev;
  } entry_t;

  logic [Sources-1:0] wanted;
  logic [Sources-1:0] grant;       // one-hot
  logic [Sources-1:0] first_q[Sources];  // [i]: sources that are asked before i
  logic other_valid, other_free, other_leaves;
  logic register_ready, take;

  assign wanted[Timer]     = s_timer_valid;
  assign wanted[Command]   = s_command_valid && report_room_i;
  assign wanted[TxRequest] = s_tx_request_valid;
  assign wanted[TxWritten] = s_tx_written_valid;
  assign wanted[Delivered] = s_delivered_valid;
  assign wanted[Transmit]  = s_transmit_valid && !tx_backlog_i;
  assign wanted[Report]    = s_report_valid && report_room_i;
  assign wanted[Deliver]   = s_deliver_valid && deliver_room_i;
  assign wanted[Recycle]   = s_recycle_valid;
  assign wanted[Pages]     = s_pages_valid;

  // Round robin: the lowest behind the last one served, or else the lowest. What is wanted is known late,
  // so who is asked before whom is known by then. It begins with the lowest.
  always_comb begin
    for (int i = 0; i < Sources; i++) grant[i] = wanted[i] && (wanted & first_q[i]) == '0;
  end

  // Behind the last one served come those above it, and then those below. So j is asked before i if both
  // or neither are behind it and j is lower, or if j alone is.
  function automatic logic [Sources-1:0] asked_before(input int i,
                                                      input logic [Sources-1:0] served);
    for (int j = 0; j < Sources; j++) begin
      logic [Sources-1:0] between;  // were it one of these, the higher would be behind it alone
      for (int k = 0; k < Sources; k++) between[k] = (k >= j && k < i) || (k >= i && k < j);
      asked_before[j] = j != i && ((j < i) != ((served & between) != '0));
    end
  endfunction

  // The ones whose turn it was wait beside the segments. With one place it is decided a clock before the data
  // is chosen, of which there is much. That it is anyone's is a register beside it: it loads all of first_q.
  logic [Sources-1:0] granted, leaves;
  logic one_granted, one_leaves;

  if (Places == 1) begin : gen_granted_register
    logic [Sources-1:0] granted_q;
    logic one_granted_q;

    assign granted     = granted_q;
    assign one_granted = one_granted_q;
    assign leaves      = granted_q;
    assign one_leaves  = one_granted_q;

    always_ff @(posedge clk) begin
      granted_q     <= other_free && !one_granted_q ? grant : '0;
      one_granted_q <= other_free && !one_granted_q && wanted != '0;

      if (rst) begin
        granted_q     <= '0;
        one_granted_q <= 1'b0;
      end
    end
  end else begin : gen_granted
    assign granted     = grant;
    assign one_granted = wanted != '0;
    assign leaves      = other_free ? grant : '0;
    assign one_leaves  = other_free && one_granted;
  end

  assign s_timer_ready      = leaves[Timer];
  assign s_command_ready    = leaves[Command];
  assign s_tx_request_ready = leaves[TxRequest];
  assign s_tx_written_ready = leaves[TxWritten];
  assign s_delivered_ready  = leaves[Delivered];
  assign s_transmit_ready   = leaves[Transmit];
  assign s_report_ready     = leaves[Report];
  assign s_deliver_ready    = leaves[Deliver];
  assign s_recycle_ready    = leaves[Recycle];
  assign s_pages_ready      = leaves[Pages];

  entry_t other, other_next;
  session_t session;
  tcp_event_t offered[Sources];
  session_t offered_session[Sources];

  always_comb begin
    for (int i = 0; i < Sources; i++) begin
      offered[i]         = '0;
      offered_session[i] = '0;
    end

    offered[Timer].kind = EvTimer;
    offered[Timer].timer_class = s_timer_class;
    offered_session[Timer].id = SessionIdWidth'(s_timer_id);

    offered[Command].kind = EvCommand;
    offered[Command].op = s_command.op;
    offered[Command].tag = s_command.tag;
    offered[Command].app = s_command.app;
    offered[Command].option = app_option_e'(s_command.value[31:24]);
    offered[Command].value = s_command.value[23:0];
    offered_session[Command] = s_command.session;

    offered[TxRequest].kind = EvTxRequest;
    offered[TxRequest].length = s_tx_request.length;
    offered[TxRequest].tentative = s_tx_request.tentative;
    offered[TxRequest].partial = s_tx_request.partial;
    offered[TxRequest].value = 24'(s_tx_request_pages);
    offered[TxRequest].app = s_tx_request.app;
    offered_session[TxRequest] = s_tx_request.session;

    offered[TxWritten].kind = EvTxWritten;
    offered[TxWritten].length = s_tx_written_length;
    offered_session[TxWritten] = s_tx_written_session;

    offered[Delivered].kind = EvDelivered;
    offered[Delivered].length = s_delivered_length;
    offered_session[Delivered] = s_delivered_session;

    offered[Transmit].kind = EvTransmit;
    offered[Transmit].length = 16'(s_transmit_credit);
    offered_session[Transmit].id = SessionIdWidth'(s_transmit_id);

    offered[Report].kind = EvReport;
    offered_session[Report].id = SessionIdWidth'(s_report_id);

    offered[Deliver].kind = EvDeliver;
    offered_session[Deliver].id = SessionIdWidth'(s_deliver_id);

    offered[Recycle].kind = EvRecycle;
    offered[Recycle].opening = s_recycle_opening;
    offered_session[Recycle].id = SessionIdWidth'(s_recycle_id);

    offered[Pages].kind = EvPages;
    offered_session[Pages].id = SessionIdWidth'(s_pages_id);

    other = '0;
    session = '0;
    for (int i = 0; i < Sources; i++) begin
      if (granted[i]) begin
        other.ev = tcp_event_t'(other.ev | offered[i]);
        session  = session_t'(session | offered_session[i]);
      end
    end
    other.ev.generation = session.generation;
    other.ev.session_in_range = (session.id >> IdWidth) == '0;
    other.id = session.id[IdWidth-1:0];
  end

  stream_register #(
    .T   (entry_t),
    .Wide(Places == 2),
    .Half(Places == 1)
  ) other_register (
    .clk,
    .rst,
    .s_data (other),
    .s_valid(one_granted),
    .s_ready(other_free),
    .m_data (other_next),
    .m_valid(other_valid),
    .m_ready(other_leaves)
  );

  always_ff @(posedge clk) begin
    if (one_leaves) begin
      for (int i = 0; i < Sources; i++) first_q[i] <= asked_before(i, leaves);
    end

    if (rst) begin
      for (int i = 0; i < Sources; i++) first_q[i] <= asked_before(i, '0);
    end
  end

  // Beside the segments. The time is that of this choice.
  entry_t picked, chosen, next;
  logic picked_valid, unused_ready, unused_valid;
  logic [IdWidth-1:0] unused_id;

  assign take = room_i && register_ready;

  if (Places == 1) begin : gen_insert
    // Whose turn it is, is a register: it chooses between hundreds of bits.
    stream_insert #(
      .T(entry_t)
    ) insert (
      .clk,
      .rst,
      .s_data      ({s_segment_id, s_segment_event}),
      .s_valid     (s_segment_valid),
      .s_ready     (s_segment_ready),
      .s_rare_data (other_next),
      .s_rare_valid(other_valid),
      .s_rare_ready(other_leaves),
      .m_data      (picked),
      .m_valid     (picked_valid),
      .m_ready     (take)
    );
  end else begin : gen_turns
    logic others_turn_q, others_first, pick_other;

    assign others_first    = other_valid && others_turn_q;
    assign pick_other      = others_first || (other_valid && !s_segment_valid);
    assign other_leaves    = take && pick_other;
    assign s_segment_ready = take && !others_first;
    assign picked          = pick_other ? other_next : {s_segment_id, s_segment_event};
    assign picked_valid    = other_valid || s_segment_valid;

    always_ff @(posedge clk) begin
      if (take) others_turn_q <= !pick_other && s_segment_valid;

      if (rst) others_turn_q <= 1'b0;
    end
  end

  always_comb begin
    chosen           = picked;
    chosen.ev.now_us = now_us;
    chosen.ev.ts_now = ts_now;
    chosen.ev.tx_backlog = tx_backlog_i;
  end

  stream_register #(
    .T   (entry_t),
    .Wide(Places == 2),
    .Half(Places == 1)
  ) event_register (
    .clk,
    .rst,
    .s_data (chosen),
    .s_valid(room_i && picked_valid),
    .s_ready(register_ready),
    .m_data (next),
    .m_valid,
    .m_ready
  );

  // Whose event it is goes beside it once more: the pipeline compares that with those it has before
  // it says that it is ready, and here it need not be chosen between two places.
  stream_register #(
    .T   (logic [IdWidth-1:0]),
    .Half(Places == 1)
  ) id_register (
    .clk,
    .rst,
    .s_data (chosen.id),
    .s_valid(room_i && picked_valid),
    .s_ready(unused_ready),
    .m_data (m_id),
    .m_valid(unused_valid),
    .m_ready
  );

  assign m_event   = next.ev;
  assign unused_id = next.id;

endmodule
