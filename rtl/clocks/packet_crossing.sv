// SPDX-License-Identifier: Apache-2.0

// A packet stream's way to another clock and another width.
//
//   s --> [ stream_widen ] --> ( stream_async_fifo ) --> [ stream_narrow ] --> m
//         if m is wider        if OwnClocks             if s is wider
//
// It crosses at the greater width: the wide side may be as slow as its width allows.
//
// Latency    the sum of what is there: with one width and one clock it is wires.
// Throughput a beat in each clock of whichever side has fewer bits a second.
//
// s_side goes along with the packet, unchanged while it lasts. s_error counts with s_last. Widths are
// powers of two, 16 to 512 bits.
module packet_crossing #(
  parameter  int SWidth    = 64,
  parameter  int MWidth    = 64,
  parameter  int SideWidth = 1,
  parameter  bit OwnClocks = 1'b1,
  parameter  int Depth     = 16,       // of the FIFO, in beats of the greater width
  localparam int SLanes    = SWidth / 8,
  localparam int MLanes    = MWidth / 8
) (
  // Wires need neither clock nor reset.
  // verilator lint_off UNUSEDSIGNAL
  input  logic                 s_clk,
  input  logic                 s_rst,
  input  logic                 m_clk,
  input  logic                 m_rst,
  // verilator lint_on UNUSEDSIGNAL

  input  logic [   SWidth-1:0] s_data,
  input  logic [   SLanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_error,
  input  logic [SideWidth-1:0] s_side,
  input  logic                 s_valid,
  output logic                 s_ready,

  output logic [   MWidth-1:0] m_data,
  output logic [   MLanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_error,
  output logic [SideWidth-1:0] m_side,
  output logic                 m_valid,
  input  logic                 m_ready
);

  if (!stream_pkg::supports(SWidth) || !stream_pkg::supports(MWidth)) begin : gen_check_widths
    $error("SWidth and MWidth must be powers of two from 16 to 512.");
  end

  localparam int Width = (SWidth > MWidth) ? SWidth : MWidth;
  localparam int Lanes = Width / 8;

  typedef struct packed {
    logic [Width-1:0]     data;
    logic [Lanes-1:0]     keep;
    logic                 last;
    logic                 error;
    logic [SideWidth-1:0] side;
  } beat_t;

  beat_t wide, crossed;
  logic wide_valid, wide_ready, crossed_valid, crossed_ready;

  if (SWidth < MWidth) begin : gen_widen
    stream_widen #(
      .NarrowWidth(SWidth),
      .WideWidth  (MWidth)
    ) widen (
      .clk    (s_clk),
      .rst    (s_rst),
      .s_data,
      .s_keep,
      .s_last,
      .s_error,
      .s_valid,
      .s_ready,
      .m_data (wide.data),
      .m_keep (wide.keep),
      .m_last (wide.last),
      .m_error(wide.error),
      .m_valid(wide_valid),
      .m_ready(wide_ready)
    );

    always_ff @(posedge s_clk) if (s_ready) wide.side <= s_side;
  end else begin : gen_as_wide
    assign wide.data  = s_data;
    assign wide.keep  = s_keep;
    assign wide.last  = s_last;
    assign wide.error = s_error;
    assign wide.side  = s_side;
    assign wide_valid = s_valid;
    assign s_ready    = wide_ready;
  end

  stream_crossing #(
    .T        (beat_t),
    .OwnClocks(OwnClocks),
    .Depth    (Depth)
  ) crossing (
    .s_clk,
    .s_rst,
    .m_clk,
    .m_rst,
    .s_data (wide),
    .s_valid(wide_valid),
    .s_ready(wide_ready),
    .m_data (crossed),
    .m_valid(crossed_valid),
    .m_ready(crossed_ready)
  );

  if (MWidth < SWidth) begin : gen_narrow
    stream_narrow #(
      .WideWidth  (SWidth),
      .NarrowWidth(MWidth)
    ) narrow (
      .clk    (m_clk),
      .rst    (m_rst),
      .s_data (crossed.data),
      .s_keep (crossed.keep),
      .s_last (crossed.last),
      .s_valid(crossed_valid),
      .s_ready(crossed_ready),
      .m_data,
      .m_keep,
      .m_last,
      .m_valid,
      .m_ready
    );

    always_ff @(posedge m_clk)
      if (crossed_ready)
        {m_error, m_side} <= {crossed.error, crossed.side};
  end else begin : gen_as_narrow
    assign m_data        = crossed.data;
    assign m_keep        = crossed.keep;
    assign m_last        = crossed.last;
    assign m_error       = crossed.error;
    assign m_side        = crossed.side;
    assign m_valid       = crossed_valid;
    assign crossed_ready = m_ready;
  end

endmodule
