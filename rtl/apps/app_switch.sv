// SPDX-License-Identifier: Apache-2.0

// Connects several applications to one engine. Application k has the number k: the switch stamps it
// on commands and requests and delivers by it.
//
// Commands    round robin, one a clock; behind a register. A command waits until the engine has the
//             ends of the packets that were given before it, so a Close never overtakes data.
// Events      behind a register, each to the application it names.
// Receiving   queries pass in the clock in which they come, grants go back in the order of the
//             queries, and packets to whoever granted them, in the order of the grants. Queries
//             and grants pass while packets do. A query waits until no event is waiting, so an
//             application hears of a connection before it is offered the connection's data; and
//             until no other application owes a grant, so what one has announced to send back does
//             not wait for a neighbour's answer.
// Sending     round robin: requests pass in the clock in which they come, statuses go back in the
//             order of the requests, and packets pass a register in the order of their TxOk.
//             Requests and statuses pass while packets do.
//
// Outstanding: queries without a grant, granted packets, requests without a status, and packets to
// be sent, of each at most so many; then the next one waits.
//
// A word for N applications is a packed array, and what all of them may look at (event, query,
// received data, status) is one bus with a valid for each. Messages for a number that nobody has
// are dropped, and queries for it are answered with 0.
module app_switch
  import app_pkg::*;
#(
  parameter  int DataWidth    = 64,
  parameter  int Applications = 2,
  parameter  int Outstanding  = DataWidth >= 256 ? 16 : 4,
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
  if (Outstanding < 2) begin : gen_check_outstanding
    $error("Outstanding must be at least 2.");
  end

  typedef logic [Applications-1:0] select_t;

  function automatic select_t select_of(input app_id_t app);
    select_t select = '0;
    for (int k = 0; k < Applications; k++) select[k] = app == app_id_t'(k);
    return select;
  endfunction

  // ---- Commands

  localparam int Ends = 2;  // of packets, in the register of the data to send

  typedef logic [$clog2(Ends+1)-1:0] ends_t;

  select_t command_choice, command_free;
  app_command_t command_chosen;
  logic command_taken, end_in, end_out;
  ends_t ends_q, ends_d;

  assign ends_d = ends_q + ends_t'(end_in) - ends_t'(end_out);

  always_ff @(posedge clk) begin
    ends_q <= ends_d;

    if (rst) ends_q <= '0;
  end

  for (genvar k = 0; k < Applications; k++) begin : gen_after_data
    logic counted_q;  // a command waits, and what is before it has been counted
    ends_t left_q;

    assign command_free[k] = s_command_valid[k] && counted_q && left_q == '0;

    always_ff @(posedge clk) begin
      if (!counted_q) begin
        counted_q <= s_command_valid[k];
        left_q    <= ends_d;
      end else begin
        if (left_q != '0) left_q <= left_q - ends_t'(end_out);
        if (s_command_ready[k]) counted_q <= 1'b0;
      end

      if (rst) counted_q <= 1'b0;
    end
  end

  arbiter #(
    .N(Applications)
  ) command_arbiter (
    .clk,
    .rst,
    .request_i(command_taken ? command_free : '0),
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

  localparam int CountWidth = $clog2(Outstanding + 1);

  select_t asked, granted, receiver;  // zero: nobody has that number
  select_t asked_q;  // of the last query that passed
  logic query_open, query_shown_q, asked_valid, asked_ready;
  logic receiver_valid, receiver_ready, grant_taken;
  logic [15:0] grant_length;
  logic [CountWidth-1:0] unused_count[4];

  assign m_query      = s_query;
  assign m_rx_session = s_rx_session;
  assign m_rx_data    = s_rx_data;
  assign m_rx_keep    = s_rx_keep;
  assign m_rx_last    = s_rx_last;
  assign m_rx_error   = s_rx_error;

  // A query that has been shown stays, whatever events come.
  assign asked = select_of(s_query.app);
  assign query_open = s_query_valid && asked_ready && (!asked_valid || asked == asked_q)
      && (query_shown_q || (!s_event_valid && !event_held));
  assign m_query_valid = query_open ? asked : '0;
  assign s_query_ready = query_open && (asked == '0 || |(asked & m_query_ready));

  always_ff @(posedge clk) begin
    query_shown_q <= query_open && !s_query_ready;
    if (s_query_ready) asked_q <= asked;

    if (rst) query_shown_q <= 1'b0;
  end

  stream_fifo #(
    .T       (select_t),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) asked_queue (
    .clk,
    .rst,
    .s_data (asked),
    .s_valid(s_query_ready),
    .s_ready(asked_ready),
    .m_data (granted),
    .m_valid(asked_valid),
    .m_ready(grant_taken),
    .count_o(unused_count[0])
  );

  always_comb begin
    grant_length = '0;
    for (int k = 0; k < Applications; k++) begin
      if (granted[k]) grant_length |= s_grant_length[k];
    end
  end

  assign m_grant_length = grant_length;
  assign m_grant_valid  = asked_valid && receiver_ready
      && (granted == '0 || |(granted & s_grant_valid));
  assign s_grant_ready  = asked_valid && receiver_ready && m_grant_ready ? granted : '0;
  assign grant_taken    = m_grant_valid && m_grant_ready;

  stream_fifo #(
    .T       (select_t),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) receivers (
    .clk,
    .rst,
    .s_data (granted),
    .s_valid(grant_taken && grant_length != '0),
    .s_ready(receiver_ready),
    .m_data (receiver),
    .m_valid(receiver_valid),
    .m_ready(s_rx_valid && s_rx_ready && s_rx_last),
    .count_o(unused_count[1])
  );

  assign m_rx_valid = receiver_valid && s_rx_valid ? receiver : '0;
  assign s_rx_ready = receiver_valid && |(receiver & m_rx_ready);

  // ---- Sending

  typedef struct packed {
    logic                 error;
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  select_t request_choice, requester, sender;
  logic request_ready, request_taken, requester_valid, requester_ready, sender_valid, sender_ready;
  logic status_taken;
  app_offer_t request_chosen;
  beat_t beat_in, beat_out;
  logic beat_in_valid, beat_in_ready;

  assign request_ready = m_tx_request_ready && requester_ready;

  arbiter #(
    .N(Applications)
  ) request_arbiter (
    .clk,
    .rst,
    .request_i(s_tx_request_valid),
    .done_i   (request_ready),
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

  assign m_tx_request       = request_chosen;
  assign m_tx_request_valid = |request_choice && requester_ready;
  assign s_tx_request_ready = request_ready ? request_choice : '0;
  assign request_taken      = m_tx_request_valid && m_tx_request_ready;

  stream_fifo #(
    .T       (select_t),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) requesters (
    .clk,
    .rst,
    .s_data (request_choice),
    .s_valid(request_taken),
    .s_ready(requester_ready),
    .m_data (requester),
    .m_valid(requester_valid),
    .m_ready(status_taken),
    .count_o(unused_count[2])
  );

  assign m_tx_status       = s_tx_status;
  assign m_tx_status_valid = requester_valid && sender_ready && s_tx_status_valid ? requester : '0;
  assign s_tx_status_ready = requester_valid && sender_ready && |(requester & m_tx_status_ready);
  assign status_taken      = s_tx_status_valid && s_tx_status_ready;

  stream_fifo #(
    .T       (select_t),
    .Depth   (Outstanding),
    .BlockRam(0)
  ) senders (
    .clk,
    .rst,
    .s_data (requester),
    .s_valid(status_taken && s_tx_status.error == TxOk),
    .s_ready(sender_ready),
    .m_data (sender),
    .m_valid(sender_valid),
    .m_ready(end_in),
    .count_o(unused_count[3])
  );

  always_comb begin
    beat_in = '0;
    for (int k = 0; k < Applications; k++) begin
      if (sender[k]) beat_in |= {s_tx_error[k], s_tx_last[k], s_tx_keep[k], s_tx_data[k]};
    end
  end

  assign beat_in_valid = sender_valid && |(sender & s_tx_valid);
  assign s_tx_ready    = sender_valid && beat_in_ready ? sender : '0;
  assign end_in        = beat_in_valid && beat_in_ready && beat_in.last;
  assign end_out       = m_tx_valid && m_tx_ready && m_tx_last;

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

endmodule
