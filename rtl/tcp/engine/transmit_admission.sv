// SPDX-License-Identifier: Apache-2.0

// The application's way to send: request, status, payload.
//
// One request is worked on at a time: it goes to the pipeline as an event, its status comes back
// either at once or through the segment builder (s_late_*, when a retransmission may still read the
// ring), and with TxOk the transmit buffer is told where the payload goes before the application
// is told to send it. A further request of a connection waits until the pipeline knows that its
// former payload is written (written_*), since that moves the place where the next one goes.
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
  output logic        m_write_valid,
  input  logic        m_write_ready
);

  typedef enum logic [1:0] {
    StIdle,    // no request
    StAsked,   // the pipeline has it
    StWrite,   // the transmit buffer is being told
    StStatus   // the application is being told
  } state_e;

  localparam int Writes = 2;  // granted and not yet written, at once

  state_e state_q;
  tx_status_t status_q;
  seq_t write_seq_q;
  session_t session_q;
  logic [15:0] length_q;

  // Connections whose payload is on its way to the ring, oldest first.
  logic [SessionIdWidth-1:0] writing_id_q[Writes];
  logic [Writes-1:0] writing_q;
  logic granted;
  logic waits;

  always_comb begin
    waits = writing_q[Writes-1];
    for (int i = 0; i < Writes; i++)
      if (writing_q[i] && writing_id_q[i] == s_request.session.id) waits = 1'b1;
  end

  assign granted = state_q == StWrite && m_write_ready;

  always_ff @(posedge clk) begin
    if (written_i) begin
      writing_q <= {granted && writing_q[1], granted ^ writing_q[1]};
      writing_id_q[0] <= writing_q[1] ? writing_id_q[1] : status_q.session.id;
      writing_id_q[1] <= status_q.session.id;
    end else if (granted) begin
      writing_q <= {writing_q[0], 1'b1};
      if (writing_q[0]) writing_id_q[1] <= status_q.session.id;
      else writing_id_q[0] <= status_q.session.id;
    end

    if (rst) writing_q <= '0;
  end

  assign m_request = s_request;
  assign m_request_valid = state_q == StIdle && s_request_valid && !waits;
  assign s_request_ready = state_q == StIdle && m_request_ready && !waits;
  assign s_late_ready = 1'b1;
  // The name that was asked for, even if there can be no such connection.
  assign m_status = '{app: status_q.app, session: session_q, error: status_q.error,
                      space: status_q.space};
  assign m_status_valid = state_q == StStatus;
  assign m_write_session = status_q.session;
  assign m_write_seq = write_seq_q;
  assign m_write_length = length_q;
  assign m_write_valid = state_q == StWrite;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StIdle: begin
        session_q <= s_request.session;
        length_q <= s_request.length;
        if (s_request_valid && s_request_ready) state_q <= StAsked;
      end
      StAsked: begin
        status_q    <= s_late_valid ? s_late_status : status_i;
        write_seq_q <= s_late_valid ? s_late_write_seq : status_write_seq_i;
        if (s_late_valid) state_q <= StWrite;
        else if (status_valid_i) state_q <= status_i.error == TxOk ? StWrite : StStatus;
      end
      StWrite: if (m_write_ready) state_q <= StStatus;
      default: if (m_status_ready) state_q <= StIdle;
    endcase

    if (rst) state_q <= StIdle;
  end

endmodule
