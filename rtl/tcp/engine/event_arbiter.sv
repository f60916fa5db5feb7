// SPDX-License-Identifier: Apache-2.0

// Chooses the next event of the connection pipeline and stamps it with the time.
//
// Segments take every second clock if they want it, all other sources take turns. An event is let
// in only while there is room for everything that it and the events in flight may cause
// (room_i, report_room_i), so the pipeline never stalls on its outputs.
//
// Latency    1 clock (the chosen event is a register).
// Throughput one event a clock.
module event_arbiter
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [       31:0] now_us,
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
  input  logic               s_transmit_valid,
  output logic               s_transmit_ready,

  input  logic [IdWidth-1:0] s_report_id,
  input  logic               s_report_valid,
  output logic               s_report_ready,

  input  logic [IdWidth-1:0] s_deliver_id,
  input  logic               s_deliver_valid,
  output logic               s_deliver_ready,

  input  logic [IdWidth-1:0] s_recycle_id,
  input  logic               s_recycle_valid,
  output logic               s_recycle_ready,

  output tcp_event_t         m_event,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready
);

  // The sources that take turns.
  localparam int Timer = 0, Command = 1, TxRequest = 2, TxWritten = 3, Delivered = 4, Transmit = 5,
      Report = 6, Deliver = 7, Recycle = 8, Sources = 9;

  logic [Sources-1:0] wanted;
  logic [Sources-1:0] grant;       // one-hot
  logic [Sources-1:0] after_q;     // sources behind the last one served
  logic [Sources-1:0] wanted_after;
  logic others_turn_q;
  logic take, choose_segment, choose_other;

  assign wanted[Timer]     = s_timer_valid;
  assign wanted[Command]   = s_command_valid && report_room_i;
  assign wanted[TxRequest] = s_tx_request_valid;
  assign wanted[TxWritten] = s_tx_written_valid;
  assign wanted[Delivered] = s_delivered_valid;
  assign wanted[Transmit]  = s_transmit_valid;
  assign wanted[Report]    = s_report_valid && report_room_i;
  assign wanted[Deliver]   = s_deliver_valid && deliver_room_i;
  assign wanted[Recycle]   = s_recycle_valid;

  // Round robin: the lowest behind the last one served, or else the lowest.
  assign wanted_after = wanted & after_q;
  assign grant = wanted_after != '0 ? wanted_after & (~wanted_after + 1'b1)
                                    : wanted & (~wanted + 1'b1);

  assign take = room_i && (!m_valid || m_ready);
  assign choose_other = take && wanted != '0 && (others_turn_q || !s_segment_valid);
  assign choose_segment = take && !choose_other;

  assign s_segment_ready    = choose_segment;
  assign s_timer_ready      = choose_other && grant[Timer];
  assign s_command_ready    = choose_other && grant[Command];
  assign s_tx_request_ready = choose_other && grant[TxRequest];
  assign s_tx_written_ready = choose_other && grant[TxWritten];
  assign s_delivered_ready  = choose_other && grant[Delivered];
  assign s_transmit_ready   = choose_other && grant[Transmit];
  assign s_report_ready     = choose_other && grant[Report];
  assign s_deliver_ready    = choose_other && grant[Deliver];
  assign s_recycle_ready    = choose_other && grant[Recycle];

  tcp_event_t other;
  session_t session;
  logic [IdWidth-1:0] other_id;

  always_comb begin
    other = '0;
    session = '0;
    unique case (1'b1)
      grant[Timer]: begin
        other.kind = EvTimer;
        other.timer_class = s_timer_class;
        session.id = SessionIdWidth'(s_timer_id);
      end
      grant[Command]: begin
        other.kind = EvCommand;
        other.op = s_command.op;
        other.tag = s_command.tag;
        other.app = s_command.app;
        session = s_command.session;
      end
      grant[TxRequest]: begin
        other.kind = EvTxRequest;
        other.length = s_tx_request.length;
        other.app = s_tx_request.app;
        session = s_tx_request.session;
      end
      grant[TxWritten]: begin
        other.kind = EvTxWritten;
        other.length = s_tx_written_length;
        session = s_tx_written_session;
      end
      grant[Delivered]: begin
        other.kind = EvDelivered;
        other.length = s_delivered_length;
        session = s_delivered_session;
      end
      grant[Transmit]: begin
        other.kind = EvTransmit;
        session.id = SessionIdWidth'(s_transmit_id);
      end
      grant[Report]: begin
        other.kind = EvReport;
        session.id = SessionIdWidth'(s_report_id);
      end
      grant[Deliver]: begin
        other.kind = EvDeliver;
        session.id = SessionIdWidth'(s_deliver_id);
      end
      grant[Recycle]: begin
        other.kind = EvRecycle;
        session.id = SessionIdWidth'(s_recycle_id);
      end
      default: ;
    endcase
    other.generation = session.generation;
    other.session_in_range = session.id[SessionIdWidth-1:IdWidth] == '0;
    other_id = session.id[IdWidth-1:0];
  end

  always_ff @(posedge clk) begin
    if (take) begin
      m_event        <= choose_other ? other : s_segment_event;
      m_event.now_us <= now_us;
      m_id           <= choose_other ? other_id : s_segment_id;
      m_valid        <= choose_other || s_segment_valid;
      others_turn_q  <= !choose_other && s_segment_valid;
    end else if (m_ready) begin
      m_valid <= 1'b0;
    end
    if (choose_other) after_q <= ~(grant | (grant - 1'b1));

    if (rst) begin
      m_valid       <= 1'b0;
      others_turn_q <= 1'b0;
      after_q       <= '0;
    end
  end

endmodule
