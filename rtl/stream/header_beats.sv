// SPDX-License-Identifier: Apache-2.0

// A header that is offered as a whole leaves beat by beat: a shift register, and a place behind it for
// a last beat that has to wait.
//
// Latency    1 clock from s to the first beat.
// Throughput 1 beat a clock, headers back to back, if they have two beats at least; one of a single
//            beat may cost a clock.
// Paths      s_ready and m_valid are functions of two registers, m_beat is a choice of two. m_ready is
//            heard by the whole shift register.
//
// Note goes with each beat of its header. The header has s_last_index + 1 beats.
module header_beats #(
  parameter  type Note       = logic,
  parameter  int  DataWidth  = 64,
  parameter  int  MaxBeats   = 12,
  localparam int  IndexWidth = (MaxBeats > 1) ? $clog2(MaxBeats) : 1
) (
  input  logic                               clk,
  input  logic                               rst,

  input  logic [MaxBeats-1:0][DataWidth-1:0] s_header,
  input  logic [IndexWidth-1:0]              s_last_index,
  input  Note                                s_note,
  input  logic                               s_valid,
  output logic                               s_ready,

  output logic [DataWidth-1:0]               m_beat,
  output logic                               m_last,
  output Note                                m_note,
  output logic                               m_valid,
  input  logic                               m_ready
);

  logic [MaxBeats-1:0][DataWidth-1:0] beats_q;  // [0] leaves next
  logic [IndexWidth-1:0] behind_q;
  logic last_q, valid_q;  // of beats_q[0]
  Note note_q;

  logic [DataWidth-1:0] held_q;  // a last beat
  Note held_note_q;
  logic held_valid_q;

  assign s_ready = !valid_q || (last_q && !held_valid_q);
  assign m_beat  = held_valid_q ? held_q : beats_q[0];
  assign m_note  = held_valid_q ? held_note_q : note_q;
  assign m_last  = held_valid_q || last_q;
  assign m_valid = held_valid_q || valid_q;

  always_ff @(posedge clk) begin
    if (s_ready) begin
      beats_q  <= s_header;
      behind_q <= s_last_index;
      last_q   <= s_last_index == '0;
      valid_q  <= s_valid;
      note_q   <= s_note;
    end else if (m_ready && !held_valid_q) begin
      for (int i = 0; i < MaxBeats - 1; i++) beats_q[i] <= beats_q[i+1];
      behind_q <= behind_q - 1'b1;
      last_q   <= behind_q == IndexWidth'(1);
    end

    if (!held_valid_q) begin
      held_q      <= beats_q[0];
      held_note_q <= note_q;
    end
    held_valid_q <= held_valid_q ? !m_ready : valid_q && last_q && !m_ready;

    if (rst) begin
      valid_q      <= 1'b0;
      held_valid_q <= 1'b0;
    end
  end

endmodule
