// SPDX-License-Identifier: Apache-2.0

// Receive side in front of an application that may not answer: each query of the engine is granted
// within Patience + 4 clocks, and each granted packet is taken at the full rate.
//
// A query is shown to the application with no more bytes than the packet queue has room for, and
// the grant is passed on. After Patience clocks without a grant the engine is told 0, and the
// application's late grant is void: no packet follows it, another query may. Until it has come, the
// engine is told 0 at once. So after its grant an application sees either the packet or a query.
//
// Latency    query, grant and packet: 1 clock each, and 2 for a packet that waits in block RAM. With
//            Straight none, while nothing is in their way.
// Paths      none from one side to the other but, with Straight, those of query, grant and packet.
module guard_receive
  import app_pkg::*;
#(
  parameter  int DataWidth  = 64,
  parameter  int QueueBytes = 2048,
  parameter  int Patience   = 32,
  parameter  bit Straight   = 1'b0,
  localparam int Lanes      = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  output logic [         15:0] packets_in_o,
  output logic [         15:0] packets_out_o,

  input  app_offer_t           s_query,
  input  logic                 s_query_valid,
  output logic                 s_query_ready,

  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,

  input  session_t             s_rx_session,
  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  output app_offer_t           m_query,
  output logic                 m_query_valid,
  input  logic                 m_query_ready,

  input  logic [         15:0] s_grant_length,
  input  logic                 s_grant_valid,
  output logic                 s_grant_ready,

  output session_t             m_rx_session,
  output logic [DataWidth-1:0] m_rx_data,
  output logic [    Lanes-1:0] m_rx_keep,
  output logic                 m_rx_last,
  output logic                 m_rx_error,
  output logic                 m_rx_valid,
  input  logic                 m_rx_ready
);

  localparam int Beats = QueueBytes / Lanes;
  localparam int QueueRam = Beats <= 32 ? 0 : Straight ? 2 : 1;  // with a register or without
  localparam int CountWidth = $clog2(Beats + 1);
  localparam int RoomWidth = CountWidth + $clog2(Lanes);
  localparam int PatienceWidth = $clog2(Patience + 1);

  if (Beats < 2 || 2 ** RoomWidth > 131072) begin : gen_check_queue
    $error("QueueBytes must hold two beats and be at most 32768.");
  end

  typedef struct packed {
    session_t             session;
    logic                 error;
    logic                 last;
    logic [Lanes-1:0]     keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  typedef enum logic [1:0] {
    StIdle,    // wait for a query
    StAsk,     // the application has it
    StAnswer,  // tell the engine
    StPacket   // its packet goes into the queue
  } state_e;

  state_e state_q, state_d;
  app_offer_t query_q, query_d;
  logic [15:0] grant_q, grant_d;
  logic [PatienceWidth-1:0] patience_q;
  logic ask, asked_q, expired, granted, answered;

  // The application: it is shown a query, then it owes a grant.
  logic owes_q;

  beat_t beat_in, beat_first, beat;
  logic [CountWidth-1:0] count;
  logic first_valid, past;  // the first beat of the queue; a beat goes past the queue
  logic [16:0] room;
  logic packet_in, packet_out;

  assign room           = 17'(CountWidth'(Beats) - count) << $clog2(Lanes);
  assign expired        = patience_q == '0;

  assign s_query_ready  = state_q == StIdle;
  assign answered       = state_q == StAsk && (granted || expired);
  assign m_grant_length = Straight ? grant_d : grant_q;
  assign m_grant_valid  = state_q == StAnswer || (Straight && answered);

  assign m_query        = Straight && !asked_q ? query_d : query_q;
  assign m_query_valid  = asked_q || (Straight && ask);
  assign s_grant_ready  = owes_q;
  assign granted        = s_grant_valid && s_grant_ready;

  always_comb begin
    state_d = state_q;
    grant_d = grant_q;
    ask     = 1'b0;
    query_d = query_q;

    unique case (state_q)
      StIdle: begin
        grant_d = '0;
        if (s_query_valid) begin
          ask     = !asked_q && !owes_q && room != '0;
          state_d = ask ? StAsk : StAnswer;
        end
      end
      StAsk: begin
        if (granted) begin
          grant_d = s_grant_length < query_q.length ? s_grant_length : query_q.length;
        end
        if (answered) state_d = StAnswer;
      end
      StAnswer: ;
      StPacket: if (packet_in) state_d = StIdle;
    endcase
    if (m_grant_valid && m_grant_ready) state_d = m_grant_length == '0 ? StIdle : StPacket;

    if (ask) begin
      query_d = s_query;
      if (17'(s_query.length) > room) query_d.length = room[15:0];
    end
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    grant_q <= grant_d;
    if (state_q == StIdle) patience_q <= PatienceWidth'(Patience);
    else if (!expired) patience_q <= patience_q - 1'b1;

    query_q <= query_d;
    if (m_query_valid && m_query_ready) begin
      asked_q <= 1'b0;
      owes_q  <= 1'b1;
    end else if (ask) begin
      asked_q <= 1'b1;
    end
    if (granted) owes_q <= 1'b0;

    packets_in_o  <= packets_in_o + 16'(packet_in);
    packets_out_o <= packets_out_o + 16'(packet_out);

    if (rst) begin
      state_q       <= StIdle;
      asked_q       <= 1'b0;
      owes_q        <= 1'b0;
      packets_in_o  <= '0;
      packets_out_o <= '0;
    end
  end

  assign packet_in  = s_rx_valid && s_rx_ready && s_rx_last;
  assign packet_out = m_rx_valid && m_rx_ready && m_rx_last;
  assign past       = Straight && count == '0;
  assign beat_in    = {s_rx_session, s_rx_error, s_rx_last, s_rx_keep, s_rx_data};
  assign beat       = past ? beat_in : beat_first;
  assign m_rx_valid = past ? s_rx_valid : first_valid;

  stream_fifo #(
    .T       (beat_t),
    .Depth   (Beats),
    .BlockRam(QueueRam)
  ) packets (
    .clk,
    .rst,
    .s_data (beat_in),
    .s_valid(s_rx_valid && !(past && m_rx_ready)),
    .s_ready(s_rx_ready),
    .m_data (beat_first),
    .m_valid(first_valid),
    .m_ready(m_rx_ready),
    .count_o(count)
  );

  assign m_rx_session = beat.session;
  assign m_rx_data    = beat.data;
  assign m_rx_keep    = beat.keep;
  assign m_rx_last    = beat.last;
  assign m_rx_error   = beat.error;

endmodule
