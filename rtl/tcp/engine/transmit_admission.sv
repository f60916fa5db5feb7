// SPDX-License-Identifier: Apache-2.0

// The application's way to send: request, status, payload.
//
// One request is worked on at a time: it goes to the pipeline as an event, its status comes back
// either at once or through the segment builder (s_late_*, when a retransmission may still read the
// ring), and with TxOk the transmit buffer is told where the payload goes no later than the
// application is told to send it. A further request of a connection waits until the pipeline knows
// that its former payload is written (written_i), since that moves the place where the next one
// goes; those of others do not wait for payload.
module transmit_admission
  import app_pkg::*;
  import seq_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  app_offer_t  s_request,
  input  logic        s_request_valid,
  output logic        s_request_ready,

  output app_offer_t  m_request,
  output logic        m_request_valid,
  input  logic        m_request_ready,

  // From the pipeline's actions; always taken.
  input  logic        status_valid_i,
  input  tx_status_t  status_i,
  input  seq_t        status_write_seq_i,
  input  logic        status_write_early_i,

  // From the segment builder.
  input  tx_status_t  s_late_status,
  input  seq_t        s_late_write_seq,
  input  logic        s_late_valid,
  output logic        s_late_ready,

  // EvTxWritten goes into the pipeline.
  input  logic        written_i,

  output tx_status_t  m_status,
  output logic        m_status_valid,
  input  logic        m_status_ready,

  output session_t    m_write_session,
  output seq_t        m_write_seq,
  output logic [15:0] m_write_length,
  output logic        m_write_early,   // the segment that reads it is on its way
  output logic        m_write_valid,
  input  logic        m_write_ready
);

  typedef enum logic [2:0] {
    StIdle,    // no request
    StAsk,     // it waits for its connection's former payload and for the pipeline
    StAsked,   // the pipeline has it
    StWrite,   // the transmit buffer is being told, and most times with it the application
    StStatus   // the application is being told still
  } state_e;

  localparam int Writes = 4;  // granted and not yet written, at once

  state_e state_q;
  tx_status_t status_q;
  seq_t write_seq_q;
  logic write_early_q;
  app_offer_t request_q;

  // Connections whose payload is on its way to the ring, oldest first.
  logic [SessionIdWidth-1:0] writing_id_q[Writes];
  logic [Writes-1:0] writing_q, kept;
  logic granted;
  app_offer_t request_d;
  logic waits, waits_q;

  // While a request is at the input or waits, writes only end: one clock late is on the safe side.
  always_comb begin
    request_d = state_q == StIdle ? s_request : request_q;
    waits = writing_q[Writes-1];
    for (int i = 0; i < Writes; i++) begin
      if (writing_q[i] && writing_id_q[i] == request_d.session.id) waits = 1'b1;
    end
  end

  assign granted = state_q == StWrite && m_write_ready;

  assign kept    = written_i ? writing_q >> 1 : writing_q;

  always_ff @(posedge clk) begin
    writing_q <= granted ? {kept[Writes-2:0], 1'b1} : kept;
    for (int i = 0; i < Writes; i++) begin
      if (written_i) writing_id_q[i] <= writing_id_q[(i+1)%Writes];
      if (granted && !kept[i]) writing_id_q[i] <= status_q.session.id;
    end

    if (rst) writing_q <= '0;
  end

  assign s_request_ready = state_q == StIdle;
  assign m_request = request_q;
  assign m_request_valid = state_q == StAsk && !waits_q;
  assign s_late_ready = 1'b1;
  // The name that was asked for, even if there can be no such connection.
  assign m_status = '{app: status_q.app, session: request_q.session, error: status_q.error,
                      space: status_q.space};
  // What is sent while it comes would come before it is asked for.
  assign m_status_valid = state_q == StStatus || (granted && !write_early_q);
  assign m_write_session = status_q.session;
  assign m_write_seq = write_seq_q;
  assign m_write_length = status_q.space < 32'(request_q.length) ? status_q.space[15:0] : request_q.length;
  assign m_write_early = write_early_q;
  assign m_write_valid = state_q == StWrite;

  always_ff @(posedge clk) begin
    request_q <= request_d;
    waits_q   <= waits;

    unique case (state_q)
      StIdle: if (s_request_valid) state_q <= StAsk;
      StAsk: if (m_request_valid && m_request_ready) state_q <= StAsked;
      StAsked: begin
        status_q    <= s_late_valid ? s_late_status : status_i;
        write_seq_q <= s_late_valid ? s_late_write_seq : status_write_seq_i;
        write_early_q <= !s_late_valid && status_write_early_i;
        if (s_late_valid) state_q <= StWrite;
        else if (status_valid_i) state_q <= status_i.error == TxOk ? StWrite : StStatus;
      end
      StWrite: if (m_write_ready) begin
        state_q <= m_status_valid && m_status_ready ? StIdle : StStatus;
      end
      default: if (m_status_ready) state_q <= StIdle;
    endcase

    if (rst) state_q <= StIdle;
  end

endmodule
