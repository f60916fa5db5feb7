// SPDX-License-Identifier: Apache-2.0

// The sending half of the buffer: takes frames from the applications in turn, and counts their
// bytes.
//
// Latency    4 clocks from the end of a frame to its header.
// Throughput 1 beat a clock; a frame takes 1 clock more than its data has beats.
// Paths      the choice among applications is combinational to s_app_*_ready.
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
  localparam int LengthWidth = $bits(raw_size_t) + 1;

  typedef logic [LengthWidth-1:0] length_t;

  typedef struct packed {
    transmit_t head;
    raw_size_t size;
  } waiting_t;

  localparam int IndexWidth = (Apps > 1) ? $clog2(Apps) : 1;

  logic [Apps-1:0] grant;
  raw_app_t owner;  // the index of grant
  logic [IndexWidth-1:0] owner_index;
  logic data_q;  // the head was taken, its data is coming
  transmit_t head, head_q;
  logic head_taken, data_end, done;
  logic [DataWidth-1:0] data;
  logic [Lanes-1:0] keep;
  logic last, valid, ready, crowded;
  length_t before_q, length;
  logic end_q, dropped, overflow;
  raw_size_t size_q;
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
    owner = '0;
    for (int a = 0; a < Apps; a++) if (grant[a]) owner |= raw_app_t'(a);
  end

  assign owner_index = owner[IndexWidth-1:0];
  assign head        = s_app_head[owner_index];
  assign data = s_app_data[owner_index];
  assign keep = s_app_keep[owner_index];
  assign last = s_app_last[owner_index];

  assign crowded          = frames >= CountWidth'(Frames - 2);
  assign s_app_head_ready = (data_q || crowded) ? '0 : grant;
  assign head_taken       = |(s_app_head_valid & s_app_head_ready);
  assign valid            = data_q && |(grant & s_app_valid);
  assign s_app_ready      = (data_q && ready) ? grant : '0;
  assign data_end         = valid && ready && last;
  assign done             = data_end || (head_taken && !head.has_data);
  assign length =
      before_q + length_t'(stream_pkg::lanes_used(stream_pkg::lanes_t'(keep)));

  always_ff @(posedge clk) begin
    end_q <= done;
    if (head_taken) begin
      head_q   <= head;
      data_q   <= head.has_data;
      before_q <= '0;
      size_q   <= '0;
    end else if (valid && ready) begin
      size_q <= raw_size_t'(length);
      if (!before_q[LengthWidth-1]) before_q <= before_q + length_t'(Lanes);
      if (last) data_q <= 1'b0;
    end

    if (rst) begin
      end_q  <= 1'b0;
      data_q <= 1'b0;
    end
  end

  packet_fifo #(
    .DataWidth(DataWidth),
    .Depth    (Depth)
  ) data_fifo (
    .clk,
    .rst,
    .s_data    (data),
    .s_keep    (keep),
    .s_last    (last),
    .s_error   (length > length_t'(MaxDataBytes)),
    .s_valid   (valid),
    .s_ready   (ready),
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
  assign waiting              = '{head: head_q, size: size_q};

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
