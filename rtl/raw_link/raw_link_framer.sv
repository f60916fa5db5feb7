// SPDX-License-Identifier: Apache-2.0

// Headers, data and padding of the raw link to frames of at least 60 bytes.
//
// Latency    2 clocks from a header to the first beat of its frame.
// Throughput 1 beat a clock within a frame, 1 clock between frames.
// Paths      m_* are registers; m_ready reaches s_ready.
//
// The header has always the same length, so the data moves by always the same number of lanes, which
// is what makes this much smaller than header_prepend and frame_pad. s_header holds the wire's byte
// 0 in [7:0] and stays until s_header_ready, which only comes with s_header_valid: beats are cut from
// it where it is. With s_has_data the next packet follows it. The data must not pause (it comes from
// a packet_fifo that has all of it) where the MAC cannot wait. Padding is zero.
module raw_link_framer
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int DataWidth = 32,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                     clk,
  input  logic                     rst,

  input  logic [HeaderBytes*8-1:0] s_header,
  input  logic                     s_has_data,
  input  logic                     s_header_valid,
  output logic                     s_header_ready,
  output logic                     idle_o,          // no frame is under way

  input  logic [    DataWidth-1:0] s_data,
  input  logic [        Lanes-1:0] s_keep,
  input  logic                     s_last,
  input  logic                     s_valid,
  output logic                     s_ready,

  output logic [    DataWidth-1:0] m_data,
  output logic [        Lanes-1:0] m_keep,
  output logic                     m_last,
  output logic                     m_valid,
  input  logic                     m_ready
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end

  localparam int FullBeats = HeaderBytes / Lanes;  // of header alone
  localparam int Tail = HeaderBytes % Lanes;  // its bytes in the beat in which the data begins
  localparam int FinalBeat = (EthernetMinBytes - 1) / Lanes;
  localparam int FinalLanes = EthernetMinBytes - FinalBeat * Lanes;
  localparam logic [Lanes-1:0] FinalKeep = {Lanes{1'b1}} >> (Lanes - FinalLanes);
  localparam int BeatWidth = $clog2(FinalBeat + 2);
  localparam int FullWidth = (FullBeats > 1) ? $clog2(FullBeats) : 1;
  localparam int BeatsBits = (FullBeats + 1) * DataWidth;  // of whole beats with all of the header

  typedef enum logic [1:0] {
    StIdle,    // no frame
    StHeader,  // beats of header alone
    StData,    // data behind what is left of the beat before, if any comes
    StEnd      // what is left of the last beat, and padding
  } state_e;

  state_e state_q, state_d;
  logic [BeatWidth-1:0] to_go_q;  // beats of the frame before the one with index FinalBeat
  logic [BeatsBits-1:0] header;
  logic [FullWidth-1:0] header_beat_q;  // of header alone
  logic beyond_q;  // the beat with index FinalBeat has gone by
  logic [Tail*8-1:0] carry_q;  // the lowest lanes of the next beat
  logic [Tail-1:0] carry_keep_q;
  logic has_data_q, advance, beat_valid, ends, data_taken, header_end;
  logic [DataWidth-1:0] data;
  logic [Lanes-1:0] keep;

  assign advance        = m_ready || !m_valid;
  assign header         = BeatsBits'(s_header);
  assign idle_o         = state_q == StIdle;
  assign header_end     = header_beat_q == FullWidth'(FullBeats - 1);
  assign s_header_ready = (FullBeats > 0) ? state_q == StHeader && advance && header_end
      : state_q == StIdle && s_header_valid;
  assign s_ready        = state_q == StData && has_data_q && advance;
  assign data_taken     = s_valid && s_ready;

  always_comb begin
    state_d    = state_q;
    beat_valid = 1'b0;
    ends       = 1'b0;
    data       = '0;
    keep       = '0;
    unique case (state_q)
      StIdle: if (s_header_valid) state_d = (FullBeats > 0) ? StHeader : StData;
      StHeader: begin
        beat_valid = 1'b1;
        for (int beat = 0; beat < FullBeats; beat++) begin
          if (header_beat_q == FullWidth'(beat)) data = header[beat*DataWidth+:DataWidth];
        end
        keep = '1;
        if (s_header_ready) state_d = StData;
      end
      StData: begin
        beat_valid        = s_valid || !has_data_q;
        data[Tail*8-1:0]  = carry_q;
        keep[Tail-1:0]    = '1;
        if (has_data_q) begin
          for (int lane = Tail; lane < Lanes; lane++) begin
            if (s_keep[lane-Tail]) data[lane*8+:8] = s_data[(lane-Tail)*8+:8];
          end
          keep[Lanes-1:Tail] = s_keep[Lanes-Tail-1:0];
        end
        ends = !has_data_q || (s_last && !s_keep[Lanes-Tail]);
        if (advance && beat_valid && (ends || s_last)) state_d = StEnd;
      end
      default: begin
        beat_valid = 1'b1;
        ends       = 1'b1;
        for (int lane = 0; lane < Tail; lane++) begin
          if (carry_keep_q[lane]) data[lane*8+:8] = carry_q[lane*8+:8];
        end
        keep[Tail-1:0] = carry_keep_q;
      end
    endcase

    // The frame ends here, if it is long enough by now.
    if (ends && to_go_q != '0) begin
      keep = '1;
      ends = 1'b0;
    end else if (ends && !beyond_q) begin
      keep = keep | FinalKeep;
    end
    if (ends && beat_valid && advance) state_d = StIdle;
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (advance) begin
      m_valid <= beat_valid;
      m_data  <= data;
      m_keep  <= keep;
      m_last  <= ends;
      if (beat_valid && to_go_q != '0) to_go_q <= to_go_q - 1'b1;
      if (beat_valid && to_go_q == '0) beyond_q <= 1'b1;
      header_beat_q <= (state_q == StHeader) ? header_beat_q + 1'b1 : '0;
      if (state_q == StEnd) carry_keep_q <= '0;
    end
    // Behind the header its tail waits, behind a beat of data what of it did not fit.
    if (s_header_ready) begin
      carry_q      <= s_header[HeaderBytes*8-1-:Tail*8];
      carry_keep_q <= '0;
      has_data_q   <= s_has_data;
    end
    if (data_taken) begin
      carry_q      <= s_data[DataWidth-1-:Tail*8];
      carry_keep_q <= s_keep[Lanes-1-:Tail];
    end
    if (state_q == StIdle) begin
      to_go_q  <= BeatWidth'(FinalBeat);
      beyond_q <= 1'b0;
    end

    if (rst) begin
      state_q <= StIdle;
      m_valid <= 1'b0;
    end
  end

endmodule
