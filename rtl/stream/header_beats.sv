// SPDX-License-Identifier: Apache-2.0

// A header that is offered as a whole leaves beat by beat: a shift register, and a place behind it for
// a beat that has to wait.
//
// Latency    1 clock from s to the first beat.
// Throughput 1 beat a clock, headers back to back, if they have two beats at least; one of a single
//            beat takes two clocks.
// Paths      s_ready is a register, m_valid a function of two, m_beat a choice of two. m_ready turns two
//            bits: the shift register goes on whenever the place behind it is free.
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

  logic [DataWidth-1:0] held_q;  // a beat that was not taken when it was offered
  Note held_note_q;
  logic held_last_q, held_valid_q;

  logic last_d, valid_d, held_valid_d;
  // !valid_q || (last_q && !held_valid_q), found a clock ahead: hundreds of bits wait for it. Behind
  // the only beat of a header it comes a clock later, as that it is the only one comes late.
  logic load;

  assign load    = s_ready;
  assign m_beat  = held_valid_q ? held_q : beats_q[0];
  assign m_note  = held_valid_q ? held_note_q : note_q;
  assign m_last  = held_valid_q ? held_last_q : last_q;
  assign m_valid = held_valid_q || valid_q;

  always_comb begin
    last_d       = last_q;
    valid_d      = valid_q;
    held_valid_d = m_valid && !m_ready;
    if (load) begin
      last_d  = s_last_index == '0;
      valid_d = s_valid;
    end else if (!held_valid_q) begin
      last_d  = behind_q == IndexWidth'(1);
      valid_d = valid_q && !last_q;
    end
  end

  always_ff @(posedge clk) begin
    last_q       <= last_d;
    valid_q      <= valid_d;
    held_valid_q <= held_valid_d;
    s_ready      <= !valid_d || (!load && last_d && !held_valid_d);

    if (load) begin
      beats_q  <= s_header;
      behind_q <= s_last_index;
      note_q   <= s_note;
    end else if (!held_valid_q) begin
      for (int i = 0; i < MaxBeats - 1; i++) beats_q[i] <= beats_q[i+1];
      behind_q <= behind_q - 1'b1;
    end

    if (!held_valid_q) begin
      held_q      <= beats_q[0];
      held_note_q <= note_q;
      held_last_q <= last_q;
    end

    if (rst) begin
      valid_q      <= 1'b0;
      held_valid_q <= 1'b0;
      s_ready      <= 1'b1;
    end
  end

endmodule
