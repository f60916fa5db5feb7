// SPDX-License-Identifier: Apache-2.0

// Connects several applications to one engine. Application k has the number k: the switch stamps it
// on commands and requests and delivers by it.
//
// Commands    round robin, one a clock; behind a register.
// Events      behind a register, each to the application it names.
// Receiving   one query at a time: query, grant and, unless the grant is 0, the packet to its last
//             beat; then the next query. A query waits until no event is waiting, so an application
//             hears of a connection before it is offered the connection's data.
// Sending     one request at a time, round robin: request, status and, after TxOk, the packet, which
//             passes a register; then the next request. A command of the same application waits
//             until the engine has the packet, so a Close never overtakes the data before it.
//
// A word for N applications is a packed array, and what all of them may look at (event, query,
// received data, status) is one bus with a valid for each. Messages for a number that nobody has
// are dropped, and queries for it are answered with 0.
module app_switch
  import app_pkg::*;
#(
  parameter  int DataWidth    = 64,
  parameter  int Applications = 2,
  localparam int Lanes        = DataWidth / 8
) (
  input  logic                                     clk,
  input  logic                                     rst,

  // Engine.
  output app_command_t                             m_command,
  output logic                                     m_command_valid,
  input  logic                                     m_command_ready,

  input  app_event_t                               s_event,
  input  logic                                     s_event_valid,
  output logic                                     s_event_ready,

  input  app_offer_t                               s_query,
  input  logic                                     s_query_valid,
  output logic                                     s_query_ready,

  output logic         [             15:0]         m_grant_length,
  output logic                                     m_grant_valid,
  input  logic                                     m_grant_ready,

  input  session_t                                 s_rx_session,
  input  logic         [    DataWidth-1:0]         s_rx_data,
  input  logic         [        Lanes-1:0]         s_rx_keep,
  input  logic                                     s_rx_last,
  input  logic                                     s_rx_error,
  input  logic                                     s_rx_valid,
  output logic                                     s_rx_ready,

  output app_offer_t                               m_tx_request,
  output logic                                     m_tx_request_valid,
  input  logic                                     m_tx_request_ready,

  input  tx_status_t                               s_tx_status,
  input  logic                                     s_tx_status_valid,
  output logic                                     s_tx_status_ready,

  output logic         [    DataWidth-1:0]         m_tx_data,
  output logic         [        Lanes-1:0]         m_tx_keep,
  output logic                                     m_tx_last,
  output logic                                     m_tx_error,
  output logic                                     m_tx_valid,
  input  logic                                     m_tx_ready,

  // Applications.
  input  app_command_t [ Applications-1:0]         s_command,
  input  logic         [ Applications-1:0]         s_command_valid,
  output logic         [ Applications-1:0]         s_command_ready,

  output app_event_t                               m_event,
  output logic         [ Applications-1:0]         m_event_valid,
  input  logic         [ Applications-1:0]         m_event_ready,

  output app_offer_t                               m_query,
  output logic         [ Applications-1:0]         m_query_valid,
  input  logic         [ Applications-1:0]         m_query_ready,

  input  logic [Applications-1:0][15:0]            s_grant_length,
  input  logic         [ Applications-1:0]         s_grant_valid,
  output logic         [ Applications-1:0]         s_grant_ready,

  output session_t                                 m_rx_session,
  output logic         [    DataWidth-1:0]         m_rx_data,
  output logic         [        Lanes-1:0]         m_rx_keep,
  output logic                                     m_rx_last,
  output logic                                     m_rx_error,
  output logic         [ Applications-1:0]         m_rx_valid,
  input  logic         [ Applications-1:0]         m_rx_ready,

  input  app_offer_t   [ Applications-1:0]         s_tx_request,
  input  logic         [ Applications-1:0]         s_tx_request_valid,
  output logic         [ Applications-1:0]         s_tx_request_ready,

  output tx_status_t                               m_tx_status,
  output logic         [ Applications-1:0]         m_tx_status_valid,
  input  logic         [ Applications-1:0]         m_tx_status_ready,

  input  logic [Applications-1:0][DataWidth-1:0]   s_tx_data,
  input  logic [Applications-1:0][Lanes-1:0]       s_tx_keep,
  input  logic         [ Applications-1:0]         s_tx_last,
  input  logic         [ Applications-1:0]         s_tx_error,
  input  logic         [ Applications-1:0]         s_tx_valid,
  output logic         [ Applications-1:0]         s_tx_ready
);

  if (Applications < 1 || Applications > 16) begin : gen_check_applications
    $error("Applications must be from 1 to 16.");
  end

  typedef logic [Applications-1:0] select_t;

  function automatic select_t select_of(input app_id_t app);
    select_t select = '0;
    for (int k = 0; k < Applications; k++) select[k] = app == app_id_t'(k);
    return select;
  endfunction

  select_t sending;  // whose packet the engine has not got to the end yet

  // ---- Commands

  select_t command_choice;
  app_command_t command_chosen;
  logic command_taken;

  arbiter #(
    .N(Applications)
  ) command_arbiter (
    .clk,
    .rst,
    .request_i(command_taken ? s_command_valid & ~sending : '0),
    .done_i   (1'b1),
    .grant_o  (command_choice)
  );

  always_comb begin
    command_chosen = '0;
    for (int k = 0; k < Applications; k++) begin
      if (command_choice[k]) begin
        command_chosen     = s_command[k];
        command_chosen.app = app_id_t'(k);
      end
    end
  end

  assign s_command_ready = command_choice;

  stream_register #(
    .T(app_command_t)
  ) command_register (
    .clk,
    .rst,
    .s_data (command_chosen),
    .s_valid(|command_choice),
    .s_ready(command_taken),
    .m_data (m_command),
    .m_valid(m_command_valid),
    .m_ready(m_command_ready)
  );

  // ---- Events

  logic event_held, event_done;
  select_t event_select;

  stream_register #(
    .T(app_event_t)
  ) event_register (
    .clk,
    .rst,
    .s_data (s_event),
    .s_valid(s_event_valid),
    .s_ready(s_event_ready),
    .m_data (m_event),
    .m_valid(event_held),
    .m_ready(event_done)
  );

  assign event_select  = select_of(m_event.app);
  assign m_event_valid = event_held ? event_select : '0;
  assign event_done    = event_select == '0 || |(event_select & m_event_ready);

  // ---- Receiving

  typedef enum logic [1:0] {
    StReceiveIdle,  // no query, or events before it
    StQuery,        // the application sees the query
    StGrant,        // it decides
    StPacket        // its packet goes by
  } receive_state_e;

  receive_state_e receive_q, receive_d;
  select_t receiver_q, receiver_d;  // zero: nobody has that number
  logic [15:0] grant_length;

  assign m_query      = s_query;
  assign m_rx_session = s_rx_session;
  assign m_rx_data    = s_rx_data;
  assign m_rx_keep    = s_rx_keep;
  assign m_rx_last    = s_rx_last;
  assign m_rx_error   = s_rx_error;

  always_comb begin
    grant_length = '0;
    for (int k = 0; k < Applications; k++) begin
      if (receiver_q[k]) grant_length |= s_grant_length[k];
    end
  end

  assign m_grant_length = grant_length;

  always_comb begin
    receive_d     = receive_q;
    receiver_d    = receiver_q;
    m_query_valid = '0;
    s_query_ready = 1'b0;
    m_grant_valid = 1'b0;
    s_grant_ready = '0;
    m_rx_valid    = '0;
    s_rx_ready    = 1'b0;

    unique case (receive_q)
      StReceiveIdle: begin
        receiver_d = select_of(s_query.app);
        if (s_query_valid && !s_event_valid && !event_held) receive_d = StQuery;
      end
      StQuery: begin
        m_query_valid = receiver_q;
        s_query_ready = receiver_q == '0 || |(receiver_q & m_query_ready);
        if (s_query_ready) receive_d = StGrant;
      end
      StGrant: begin
        m_grant_valid = receiver_q == '0 || |(receiver_q & s_grant_valid);
        s_grant_ready = m_grant_ready ? receiver_q : '0;
        if (m_grant_valid && m_grant_ready) begin
          receive_d = grant_length != '0 ? StPacket : StReceiveIdle;
        end
      end
      StPacket: begin
        m_rx_valid = s_rx_valid ? receiver_q : '0;
        s_rx_ready = |(receiver_q & m_rx_ready);
        if (s_rx_valid && s_rx_ready && s_rx_last) receive_d = StReceiveIdle;
      end
    endcase
  end

  // ---- Sending

  typedef enum logic [2:0] {
    StSendIdle,  // choose a request
    StRequest,   // the engine sees it
    StStatus,    // it decides
    StData,      // the packet goes into the register
    StDrain      // its end leaves the register
  } send_state_e;

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  send_state_e send_q, send_d;
  select_t sender_q, request_choice;
  app_offer_t request_chosen;
  beat_t beat_in, beat_out;
  logic beat_in_valid, beat_in_ready;

  arbiter #(
    .N(Applications)
  ) request_arbiter (
    .clk,
    .rst,
    .request_i(send_q == StSendIdle ? s_tx_request_valid : '0),
    .done_i   (1'b1),
    .grant_o  (request_choice)
  );

  always_comb begin
    request_chosen = '0;
    for (int k = 0; k < Applications; k++) begin
      if (request_choice[k]) begin
        request_chosen     = s_tx_request[k];
        request_chosen.app = app_id_t'(k);
      end
    end
  end

  always_comb begin
    beat_in = '0;
    for (int k = 0; k < Applications; k++) begin
      if (sender_q[k]) beat_in |= {s_tx_error[k], s_tx_last[k], s_tx_keep[k], s_tx_data[k]};
    end
  end

  assign s_tx_request_ready = request_choice;
  assign m_tx_request_valid = send_q == StRequest;
  assign m_tx_status        = s_tx_status;
  assign sending            = send_q == StData || send_q == StDrain ? sender_q : '0;

  always_comb begin
    send_d            = send_q;
    m_tx_status_valid = '0;
    s_tx_status_ready = 1'b0;
    beat_in_valid     = 1'b0;
    s_tx_ready        = '0;

    unique case (send_q)
      StSendIdle: if (|request_choice) send_d = StRequest;
      StRequest: if (m_tx_request_ready) send_d = StStatus;
      StStatus: begin
        m_tx_status_valid = s_tx_status_valid ? sender_q : '0;
        s_tx_status_ready = |(sender_q & m_tx_status_ready);
        if (s_tx_status_valid && s_tx_status_ready) begin
          send_d = s_tx_status.error == TxOk ? StData : StSendIdle;
        end
      end
      StData: begin
        beat_in_valid = |(sender_q & s_tx_valid);
        s_tx_ready    = beat_in_ready ? sender_q : '0;
        if (beat_in_valid && beat_in_ready && beat_in.last) send_d = StDrain;
      end
      StDrain: if (m_tx_valid && m_tx_ready && m_tx_last) send_d = StSendIdle;
      default: send_d = StSendIdle;
    endcase
  end

  stream_register #(
    .T(beat_t)
  ) data_register (
    .clk,
    .rst,
    .s_data (beat_in),
    .s_valid(beat_in_valid),
    .s_ready(beat_in_ready),
    .m_data (beat_out),
    .m_valid(m_tx_valid),
    .m_ready(m_tx_ready)
  );

  assign m_tx_data = beat_out.data;
  assign m_tx_keep = beat_out.keep;
  assign m_tx_last = beat_out.last;
  assign m_tx_error = beat_out.error;

  always_ff @(posedge clk) begin
    receive_q  <= receive_d;
    receiver_q <= receiver_d;
    send_q     <= send_d;
    if (|request_choice) begin
      sender_q     <= request_choice;
      m_tx_request <= request_chosen;
    end

    if (rst) begin
      receive_q <= StReceiveIdle;
      send_q    <= StSendIdle;
    end
  end

endmodule
