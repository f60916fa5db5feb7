// SPDX-License-Identifier: Apache-2.0

// Keeps the end of a connection from overtaking the last of its data that went straight: PeerClosed
// and final events wait while their session is being asked to take some (asking_*), and then until
// all that was granted before has gone out. Other events behind one that waits wait with it.
//
// Latency    none; one clock for events of these kinds.
// Paths      s to m and m_ready to s_ready are combinational.
module final_event_hold
  import app_pkg::*;
(
  input  logic       clk,
  input  logic       rst,

  input  app_event_t s_event,
  input  logic       s_valid,
  output logic       s_ready,
  output app_event_t m_event,
  output logic       m_valid,
  input  logic       m_ready,

  input  logic       asking_i,
  input  session_t   asking_session_i,
  input  logic [5:0] open_i,   // packets that were granted and have not gone
  input  logic       done_i    // one goes
);

  logic ends, asked, counting_q, pass;
  logic [5:0] left_q;

  assign ends  = s_event.kind == EventPeerClosed || s_event.kind == EventClosed
      || s_event.kind == EventReset || s_event.kind == EventTimedOut;
  assign asked = asking_i && asking_session_i == s_event.session;
  assign pass  = !ends || (counting_q && left_q == '0);

  assign m_event = s_event;
  assign m_valid = s_valid && pass;
  assign s_ready = m_ready && pass;

  always_ff @(posedge clk) begin
    if (!counting_q) begin
      counting_q <= s_valid && ends && !asked;
      left_q     <= open_i - 6'(done_i);
    end else begin
      if (left_q != '0 && done_i) left_q <= left_q - 1'b1;
      if (s_valid && s_ready) counting_q <= 1'b0;
    end

    if (rst) counting_q <= 1'b0;
  end

endmodule
