// SPDX-License-Identifier: Apache-2.0

// Extends packets shorter than MinBytes with zero bytes to MinBytes (Ethernet: 60 without FCS).
//
// Latency    1 clock.
// Throughput 1 beat a clock; a packet of which whole beats are missing takes the input for as many
//            clocks more.
// Paths      m_* are registers; s_ready is a function of two registers.
//
// Lanes outside m_keep are zero.
module frame_pad #(
  parameter  int DataWidth = 64,
  parameter  int MinBytes  = 60,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready
);

  if (!stream_pkg::supports(DataWidth)) begin : gen_check_data_width
    $error("DataWidth must be a power of two from 16 to 512.");
  end
  if (MinBytes < 1) begin : gen_check_min_bytes
    $error("MinBytes must be at least 1.");
  end

  // The beat in which a packet of MinBytes ends, and its lanes there.
  localparam int FinalBeat = (MinBytes - 1) / Lanes;
  localparam int FinalLanes = MinBytes - FinalBeat * Lanes;
  localparam logic [Lanes-1:0] FinalKeep = {Lanes{1'b1}} >> (Lanes - FinalLanes);
  localparam int BeatWidth = (FinalBeat > 0) ? $clog2(FinalBeat + 1) : 1;

  typedef struct packed {
    logic                 last;
    logic [    Lanes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;

  logic [BeatWidth-1:0] to_go_q;  // beats before the one with index FinalBeat
  logic beyond_q;  // the beat with index FinalBeat has gone by
  logic padding_q;  // the packet has ended, its padding has not
  logic early, advance, output_ready;
  logic [Lanes-1:0] source_keep;
  beat_t beat;
  beat_t padded;

  assign early       = to_go_q != '0;
  assign source_keep = padding_q ? '0 : s_keep;

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      beat.data[lane*8+:8] = source_keep[lane] ? s_data[lane*8+:8] : '0;
    end
    beat.keep = source_keep;
    if (padding_q || s_last) begin
      if (early) beat.keep = '1;
      else if (!beyond_q) beat.keep = source_keep | FinalKeep;
    end
    beat.last = (padding_q || s_last) && !early;
  end

  assign s_ready = output_ready && !padding_q;
  assign advance = output_ready && (padding_q || s_valid);

  always_ff @(posedge clk) begin
    if (advance) begin
      padding_q <= (padding_q || s_last) && early;
      if (beat.last) begin
        to_go_q  <= BeatWidth'(FinalBeat);
        beyond_q <= 1'b0;
      end else if (early) begin
        to_go_q <= to_go_q - 1'b1;
      end else begin
        beyond_q <= 1'b1;
      end
    end

    if (rst) begin
      padding_q <= 1'b0;
      to_go_q   <= BeatWidth'(FinalBeat);
      beyond_q  <= 1'b0;
    end
  end

  stream_register #(
    .T(beat_t)
  ) output_register (
    .clk,
    .rst,
    .s_data (beat),
    .s_valid(padding_q || s_valid),
    .s_ready(output_ready),
    .m_data (padded),
    .m_valid,
    .m_ready
  );

  assign m_data = padded.data;
  assign m_keep = padded.keep;
  assign m_last = padded.last;

endmodule
