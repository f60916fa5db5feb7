// SPDX-License-Identifier: Apache-2.0

// The sending half of the buffer: takes frames from the applications in turn, and counts their
// bytes.
//
// Latency    5 clocks from the end of a frame to its header.
// Throughput 1 beat a clock; a frame takes 2 clocks more than its data has beats.
// Paths      s_app_*_ready are functions of registers.
//
// A frame is its head and, with has_data, a packet of 1 to 16,383 bytes. Longer ones, and those
// that BufferBytes cannot hold, are dropped and counted. An application with a head that was taken
// keeps the others waiting until its data has come.
module raw_link_transmit_buffer
  import raw_link_pkg::*;
#(
  parameter  int DataWidth   = 32,
  parameter  int Apps        = MaxApps,
  parameter  int BufferBytes = 16384,
  parameter  int Frames      = 256,
  localparam int Lanes       = DataWidth / 8
) (
  input  logic                            clk,
  input  logic                            rst,

  input  transmit_t [Apps-1:0]            s_app_head,
  input  logic [Apps-1:0]                 s_app_head_valid,
  output logic [Apps-1:0]                 s_app_head_ready,

  input  logic [Apps-1:0][DataWidth-1:0]  s_app_data,
  input  logic [Apps-1:0][Lanes-1:0]      s_app_keep,
  input  logic [Apps-1:0]                 s_app_last,
  input  logic [Apps-1:0]                 s_app_valid,
  output logic [Apps-1:0]                 s_app_ready,

  output transmit_t                       m_head,
  output raw_size_t                       m_size,
  output logic                            m_head_valid,
  input  logic                            m_head_ready,

  output logic [DataWidth-1:0]            m_data,
  output logic [Lanes-1:0]                m_keep,
  output logic                            m_last,
  output logic                            m_valid,
  input  logic                            m_ready,

  output logic                            count_drop_tx_size_o
);

  localparam int Depth = BufferBytes / Lanes;
  localparam int CountWidth = $clog2(Frames + 1);
  localparam int LaneWidth = $clog2(Lanes);
  localparam int BeatsWidth = $bits(raw_size_t) - LaneWidth;

  typedef struct packed {
    transmit_t head;
    raw_size_t size;
  } waiting_t;

  // The choice has a register of its own. Behind it each application has one, zero but for what was
  // taken from the application that is chosen: an OR then makes one stream of them.
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [Lanes-1:0]     keep;
  } beat_t;

  logic [Apps-1:0] grant, grant_q;
  transmit_t [Apps-1:0] heads_q;
  beat_t [Apps-1:0] beats_in_q;
  transmit_t head;
  beat_t beat;
  logic data_q;  // the head was taken, its data is coming
  logic has_data, last, head_taken, beat_taken, done;
  logic crowded_q;  // a clock late: one frame more may be on its way, beside the one that comes
  logic beat_last_q, beat_q, beat_ready, stored;
  logic [BeatsWidth:0] beats_q;  // full beats of the frame before this one
  raw_size_t size, size_q;
  logic too_long;
  logic end_q, dropped, overflow;
  logic [CountWidth-1:0] frames;
  logic unused_ready;
  logic [$clog2(Depth+1)-1:0] unused_packets;
  waiting_t waiting, next;

  arbiter #(
    .N(Apps)
  ) applications (
    .clk,
    .rst,
    .request_i(s_app_head_valid),
    .done_i   (done),
    .grant_o  (grant)
  );

  always_comb begin
    has_data = 1'b0;
    head     = '0;
    beat     = '0;
    for (int a = 0; a < Apps; a++) begin
      has_data |= grant_q[a] && s_app_head[a].has_data;
      head |= heads_q[a];
      beat |= beats_in_q[a];
    end
  end

  assign last             = |(grant_q & s_app_last);
  // A head waits for the data of the frame before: its fate needs the head.
  assign s_app_head_ready = (data_q || beat_q || crowded_q) ? '0 : grant_q;
  assign head_taken       = |(s_app_head_valid & s_app_head_ready);
  assign s_app_ready      = (data_q && (beat_ready || !beat_q)) ? grant_q : '0;
  assign beat_taken       = |(s_app_valid & s_app_ready);
  assign done             = (beat_taken && last) || (head_taken && !has_data);

  always_ff @(posedge clk) begin
    grant_q   <= done ? '0 : grant;
    crowded_q <= frames >= CountWidth'(Frames - 3);
    if (head_taken) data_q <= has_data;
    else if (beat_taken && last) data_q <= 1'b0;
    for (int a = 0; a < Apps; a++) begin
      if (head_taken) heads_q[a] <= grant_q[a] ? s_app_head[a] : '0;
      if (beat_ready || !beat_q) begin
        beats_in_q[a] <= grant_q[a] ? {s_app_data[a], s_app_keep[a]} : '0;
      end
    end
    if (beat_ready || !beat_q) begin
      beat_q      <= beat_taken;
      beat_last_q <= last;
    end

    if (rst) begin
      grant_q   <= '0;
      crowded_q <= 1'b0;
      data_q    <= 1'b0;
      beat_q    <= 1'b0;
    end
  end

  // All beats but the last are full: so bytes are counted in beats.
  assign stored = beat_q && beat_ready;
  assign {too_long, size} = (&beat.keep) ? {beats_q + 1'b1, LaneWidth'(0)}
      : {beats_q, LaneWidth'(stream_pkg::lanes_used(stream_pkg::lanes_t'(beat.keep)))};

  always_ff @(posedge clk) begin
    end_q <= (stored && beat_last_q) || (head_taken && !has_data);
    if (head_taken) begin
      beats_q <= '0;
      size_q  <= '0;
    end else if (stored) begin
      size_q <= size;
      if (!beats_q[BeatsWidth]) beats_q <= beats_q + 1'b1;
    end

    if (rst) end_q <= 1'b0;
  end

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (Depth)
  ) data_fifo (
    .clk,
    .rst,
    .s_data    (beat.data),
    .s_keep    (beat.keep),
    .s_last    (beat_last_q),
    .s_error   (too_long),
    .s_valid   (beat_q),
    .s_ready   (beat_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready,
    .packets_o (unused_packets),
    .dropped_o (dropped),
    .overflow_o(overflow)
  );

  // The fate of the data is known a clock after its end.
  assign count_drop_tx_size_o = dropped || overflow;
  assign waiting              = '{head: head, size: size_q};

  stream_fifo #(
    .T       (waiting_t),
    .Depth   (Frames),
    .BlockRam(1)
  ) head_fifo (
    .clk,
    .rst,
    .s_data (waiting),
    .s_valid(end_q && !dropped && !overflow),
    .s_ready(unused_ready),
    .m_data (next),
    .m_valid(m_head_valid),
    .m_ready(m_head_ready),
    .count_o(frames)
  );

  assign m_head = next.head;
  assign m_size = next.size;

endmodule
