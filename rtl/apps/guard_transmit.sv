// SPDX-License-Identifier: Apache-2.0

// Transmit side in front of an application that may not keep its word: after TxOk the engine gets
// exactly the bytes that were announced, in at most twice the clocks that it needs to take them, and
// Patience.
//
// The application has Patience clocks of pause; each beat that it sends wins one back. One that lets
// the engine wait for longer, or whose packet has another length than announced, has broken the
// protocol: what is missing is made up by zeros, what is too much is dropped, and the session is
// aborted (CommandAbort with AbortTag: the result and EventClosed tell the application). Its next
// request is taken after the end of the packet that it owes.
module guard_transmit
  import app_pkg::*;
#(
  parameter  int         DataWidth = 64,
  parameter  int         Patience  = 32,
  parameter  logic [7:0] AbortTag  = 8'hff,
  localparam int         Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  app_offer_t           s_tx_request,
  input  logic                 s_tx_request_valid,
  output logic                 s_tx_request_ready,

  output tx_status_t           m_tx_status,
  output logic                 m_tx_status_valid,
  input  logic                 m_tx_status_ready,

  input  logic [DataWidth-1:0] s_tx_data,
  input  logic [    Lanes-1:0] s_tx_keep,
  input  logic                 s_tx_last,
  input  logic                 s_tx_valid,
  output logic                 s_tx_ready,

  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,

  input  tx_status_t           s_tx_status,
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready,

  output app_command_t         m_abort,
  output logic                 m_abort_valid,
  input  logic                 m_abort_ready
);

  localparam int PatienceWidth = $clog2(Patience + 1);

  typedef enum logic [2:0] {
    StIdle,     // wait for a request
    StRequest,  // the engine sees it
    StStatus,   // it decides
    StData,     // the application's packet goes by
    StFill,     // zeros take the place of what is missing
    StAbort,
    StSwallow,  // the rest of the application's packet
    StTell      // the application still has to take the status
  } state_e;

  state_e state_q, state_d;
  logic [15:0] left_q;
  logic [PatienceWidth-1:0] patience_q;
  logic [Lanes-1:0] keep, last_keep;
  logic ending, moved, sound;
  logic owes_q, owes_d;  // the application's packet has not ended
  logic broken_q, broken_d;

  assign ending             = left_q <= 16'(Lanes);
  assign last_keep          = Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(left_q)));
  assign keep               = ending ? last_keep : '1;
  assign moved              = m_tx_valid && m_tx_ready;
  assign sound              = s_tx_last == ending && s_tx_keep == keep;

  assign s_tx_request_ready = state_q == StIdle;
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = state_q == StStatus;

  assign m_tx_data          = state_q == StData ? s_tx_data : '0;
  assign m_tx_keep          = keep;
  assign m_tx_last          = ending;
  assign m_abort_valid      = state_q == StAbort;

  always_comb begin
    m_abort         = '0;
    m_abort.op      = CommandAbort;
    m_abort.tag     = AbortTag;
    m_abort.session = m_tx_request.session;
  end

  always_comb begin
    state_d    = state_q;
    owes_d     = owes_q;
    broken_d   = broken_q;
    m_tx_valid = 1'b0;
    s_tx_ready = 1'b0;

    unique case (state_q)
      StIdle: if (s_tx_request_valid) state_d = StRequest;
      StRequest: if (m_tx_request_ready) state_d = StStatus;

      StStatus: begin
        owes_d   = 1'b1;
        broken_d = 1'b0;
        if (s_tx_status_valid) state_d = s_tx_status.error == TxOk ? StData : StTell;
      end

      StData: begin
        m_tx_valid = s_tx_valid;
        s_tx_ready = m_tx_ready;
        if (moved) begin
          owes_d   = !s_tx_last;
          broken_d = broken_q || !sound;
          if (ending) state_d = broken_d ? StAbort : StTell;
          else if (s_tx_last) state_d = StFill;
        end else if (m_tx_ready && patience_q == '0) begin
          broken_d = 1'b1;
          state_d  = StFill;
        end
      end

      StFill: begin
        m_tx_valid = 1'b1;
        if (moved && ending) state_d = StAbort;
      end

      StAbort: if (m_abort_ready) state_d = owes_q ? StSwallow : StTell;

      StSwallow: begin
        s_tx_ready = 1'b1;
        if (s_tx_valid && s_tx_last) state_d = StTell;
      end

      StTell: if (!m_tx_status_valid || m_tx_status_ready) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q  <= state_d;
    owes_q   <= owes_d;
    broken_q <= broken_d;

    if (state_q == StIdle) begin
      m_tx_request         <= s_tx_request;
      m_tx_request.partial <= 1'b0;
    end

    if (s_tx_status_valid && s_tx_status_ready) begin
      m_tx_status       <= s_tx_status;
      m_tx_status_valid <= 1'b1;
      left_q            <= m_tx_request.length;
      patience_q        <= PatienceWidth'(Patience);
    end else begin
      if (m_tx_status_ready) m_tx_status_valid <= 1'b0;
      if (moved) begin
        left_q <= left_q - 16'(Lanes);
        if (patience_q != PatienceWidth'(Patience)) patience_q <= patience_q + 1'b1;
      end else if (m_tx_ready && patience_q != '0) begin
        patience_q <= patience_q - 1'b1;
      end
    end

    if (rst) begin
      state_q           <= StIdle;
      m_tx_status_valid <= 1'b0;
    end
  end

endmodule
