// SPDX-License-Identifier: Apache-2.0

// header_beats: the beats of each header come out once, in order, with its note, the last one marked;
// with headers of two beats and more there is one in every clock.
module header_beats_props #(
  parameter  int MaxBeats   = 3,
  localparam int DataWidth  = 4,
  localparam int IndexWidth = $clog2(MaxBeats)
) (
  input logic                               clk,
  input logic                               rst,
  input logic [MaxBeats-1:0][DataWidth-1:0] s_header,
  input logic [IndexWidth-1:0]              s_last_index,
  input logic                               s_note,
  input logic                               s_valid,
  input logic                               m_ready,
  input logic [3:0]                         watched        // any one header, the same for ever
);

  logic s_ready, m_last, m_note, m_valid;
  logic [DataWidth-1:0] m_beat;

  header_beats #(
    .DataWidth(DataWidth),
    .MaxBeats (MaxBeats)
  ) dut (
    .*
  );

  logic started = 1'b0;
  logic [3:0] before_q;
  always_ff @(posedge clk) begin
    started  <= 1'b1;
    before_q <= watched;
    if (!started) assume (rst);
    if (started) assume (watched == before_q);
    assume (s_last_index < IndexWidth'(MaxBeats));
  end

  stream_contract #(
    .Width (MaxBeats * DataWidth + IndexWidth + 1),
    .Assume(1'b1)
  ) s_contract (
    .clk,
    .rst,
    .data ({s_header, s_last_index, s_note}),
    .valid(s_valid),
    .ready(s_ready)
  );

  stream_contract #(
    .Width(DataWidth + 2)
  ) m_contract (
    .clk,
    .rst,
    .data ({m_beat, m_last, m_note}),
    .valid(m_valid),
    .ready(m_ready)
  );

  // Headers that have come and gone, and the one watched.
  logic [3:0] in_q, out_q;
  logic [IndexWidth-1:0] beat_q, last_index_q;
  logic [MaxBeats-1:0][DataWidth-1:0] header_q;
  logic note_q;
  // Nothing but headers of two beats and more was offered since reset, always, and always taken.
  logic dense_q;
  logic loaded_q;  // what is there may have come in the clock before

  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      in_q <= in_q + 1'b1;
      if (in_q == watched) begin
        header_q     <= s_header;
        last_index_q <= s_last_index;
        note_q       <= s_note;
      end
    end
    if (m_valid && m_ready) begin
      beat_q <= m_last ? '0 : beat_q + 1'b1;
      if (m_last) out_q <= out_q + 1'b1;
    end
    loaded_q <= s_ready;
    dense_q  <= dense_q && s_valid && s_last_index != '0 && m_ready;
    if (rst) begin
      in_q    <= '0;
      out_q   <= '0;
      beat_q  <= '0;
      dense_q <= 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assume (in_q != '1);
      held : assert (in_q - out_q <= 4'd2);
      told : assert (s_ready == (!dut.valid_q || (dut.last_q && !dut.held_valid_q && !loaded_q)));
      if (m_valid) begin
        comes : assert (in_q != out_q);
        if (out_q == watched) begin
          beat : assert (m_beat == header_q[beat_q]);
          note : assert (m_note == note_q);
          last : assert (m_last == (beat_q == last_index_q));
        end
      end
      if (dense_q && in_q != '0) full : assert (m_valid);
      cover (out_q == 4'd3 && dense_q);
      cover (out_q == 4'd2 && in_q == 4'd4 && watched == 4'd2 && beat_q == 1 && m_last && !m_ready);
    end
  end

endmodule
