// SPDX-License-Identifier: Apache-2.0

// Bytes into a packet, which is kept until it is sent or forgotten.
//
// clear_i begins a packet and forgets what is here. After the last write_i, flush_i stores the last
// beat if it is not full; in the next clock send_i may stream the packet out, and sent_o pulses with
// its last beat. There is room for PacketBytes; more must not be written.
//
// Latency    1 clock from send_i to the first beat.
// Throughput a byte a clock in, a beat a clock out.
module byte_packer #(
  parameter  int DataWidth   = 64,
  parameter  int PacketBytes = 1024,
  localparam int Lanes       = DataWidth / 8,
  localparam int LengthWidth = $clog2(PacketBytes + 1)
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic                   clear_i,
  input  logic                   write_i,
  input  logic [            7:0] byte_i,
  input  logic                   flush_i,
  output logic [LengthWidth-1:0] length_o,

  input  logic                   send_i,
  output logic                   sent_o,

  output logic [  DataWidth-1:0] m_data,
  output logic [      Lanes-1:0] m_keep,
  output logic                   m_last,
  output logic                   m_valid,
  input  logic                   m_ready
);

  localparam int LaneWidth = $clog2(Lanes);
  localparam int Beats = PacketBytes / Lanes;

  if (PacketBytes < 2 * Lanes || PacketBytes % Lanes != 0) begin : gen_check_packet
    $error("PacketBytes must be a multiple of the beat, two of them at least.");
  end

  logic [LengthWidth-1:0] length_q;
  logic [LaneWidth-1:0] lane;
  logic [DataWidth-1:0] beat_q, beat_d;
  logic store, unused_store_ready;
  logic [$clog2(Beats+1)-1:0] unused_count;

  assign length_o = length_q;
  assign lane     = length_q[LaneWidth-1:0];
  assign store    = (write_i && lane == '1) || (flush_i && lane != '0);

  always_comb begin
    beat_d = beat_q;
    for (int i = 0; i < Lanes; i++) begin
      if (write_i && lane == LaneWidth'(i)) beat_d[8*i+:8] = byte_i;
    end
  end

  always_ff @(posedge clk) begin
    beat_q <= beat_d;
    if (clear_i) length_q <= '0;
    else if (write_i) length_q <= length_q + 1'b1;
  end

  // ---- Out

  logic sending_q, stored_valid, ending;
  logic [LengthWidth-1:0] left_q;

  stream_fifo #(
    .T    (logic [DataWidth-1:0]),
    .Depth(Beats)
  ) beats (
    .clk,
    .rst    (rst || clear_i),
    .s_data (beat_d),
    .s_valid(store),
    .s_ready(unused_store_ready),
    .m_data (m_data),
    .m_valid(stored_valid),
    .m_ready(sending_q && m_ready),
    .count_o(unused_count)
  );

  assign ending  = left_q <= LengthWidth'(Lanes);
  assign m_valid = sending_q && stored_valid;
  assign m_last  = ending;
  assign m_keep  = ending ? Lanes'(stream_pkg::lanes_below(stream_pkg::lane_count_t'(left_q))) : '1;
  assign sent_o  = m_valid && m_ready && m_last;

  always_ff @(posedge clk) begin
    if (send_i) begin
      sending_q <= 1'b1;
      left_q    <= length_q;
    end else if (m_valid && m_ready) begin
      left_q <= left_q - LengthWidth'(Lanes);
      if (ending) sending_q <= 1'b0;
    end

    if (rst) sending_q <= 1'b0;
  end

endmodule
