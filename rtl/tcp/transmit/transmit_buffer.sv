// SPDX-License-Identifier: Apache-2.0

// Keeps what applications send until the peer has acknowledged it.
//
//   s_write, s_data -> ring_writer -> ring_memory -> ring_reader -> m_read
//                          |                             ^
//                          +--> m_written     s_read ----+
//
// s_write announces a packet of `length` bytes that follows on s_data and goes to `seq` in the ring
// of connection `id`; m_written reports it when its bytes can be read. A packet that is longer loses
// what is too much; of one that is shorter, m_written tells the bytes that were there, and none of one whose last
// beat has s_error.
// s_read takes `length` bytes (at least 1) at `seq` as one packet on m_read.
// A byte with sequence number s lies at s modulo RingBytes. The caller sees that writes do not reach
// bytes that are still to be read.
//
// Latency    s_read to the first beat 6 clocks, 7 where this beat takes bytes of two words; one more
//            from 256 bits on. Last beat in to m_written 3 clocks, one more where it fills two words,
//            one more from 256 bits on.
// Throughput 1 beat a clock in and 1 beat a clock out at once.
// Paths      s_read_ready and the request to the memory follow s_read combinationally; every other
//            output follows registers alone, but for s_ready, which follows s_keep.
module transmit_buffer
  import burst_memory_pkg::*;
  import app_pkg::*;
  import seq_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 64,
  parameter  int RingBytes   = 2048,
  parameter  int InDram      = 0,     // 1: the rings lie in DRAM,
  parameter  int BaseMiB     = 0,     // from here on
  localparam int IdWidth     = (Connections > 1) ? $clog2(Connections) : 1
) (
  input  logic                   clk,
  input  logic                   rst,

  input  logic [    IdWidth-1:0] s_write_id,
  input  seq_t                   s_write_seq,
  input  logic [           15:0] s_write_length,
  input  session_t               s_write_session,
  input  logic                   s_write_valid,
  output logic                   s_write_ready,

  input  logic [  DataWidth-1:0] s_data,
  input  logic [DataWidth/8-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_error,
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic [    IdWidth-1:0] m_written_id,
  output logic [           15:0] m_written_length,
  output session_t               m_written_session,
  output logic                   m_written_valid,
  input  logic                   m_written_ready,

  input  logic [    IdWidth-1:0] s_read_id,
  input  seq_t                   s_read_seq,
  input  logic [           15:0] s_read_length,
  input  logic                   s_read_valid,
  output logic                   s_read_ready,

  output logic [  DataWidth-1:0] m_read_data,
  output logic [DataWidth/8-1:0] m_read_keep,
  output logic                   m_read_last,
  output logic                   m_read_valid,
  input  logic                   m_read_ready,

  // DRAM, where InDram.
  output burst_t  m_ring_read_burst,
  output logic  m_ring_read_valid,
  input logic  m_ring_read_ready,
  input logic [DataWidth-1:0] s_ring_data,
  input logic  s_ring_valid,
  output burst_t  m_ring_write_burst,
  output logic  m_ring_write_valid,
  input logic  m_ring_write_ready,
  output logic [DataWidth-1:0] m_ring_data,
  output logic [DataWidth/8-1:0] m_ring_strobe,
  output logic  m_ring_last,
  output logic  m_ring_valid,
  input logic  m_ring_ready,
  input logic  ring_written_i
);

  localparam int Lanes = DataWidth / 8;
  localparam int OffsetWidth = $clog2(RingBytes);
  localparam int AddressWidth = $clog2(Connections) + $clog2(RingBytes / Lanes);
  // Covers the memory's latency.
  localparam int Window = InDram != 0 ? 128 : 8;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    session_t           session;
  } tag_t;

  tag_t new_tag, tag;

  logic [AddressWidth-1:0] write_address, request_address;
  logic [DataWidth-1:0] write_data, response_data;
  logic [Lanes-1:0] write_strobe;
  logic write_valid, write_ready, request_valid, request_ready, response_valid;
  logic unused_seq;

  assign unused_seq = &{1'b0, s_write_seq[31:OffsetWidth], s_read_seq[31:OffsetWidth]};

  // The packet was withdrawn: nothing of it counts.
  localparam int Packets = 4;  // between their last beat and m_written, at most

  logic [15:0] done_length;
  logic withdrawn, withdrawn_ready, ended, done_valid, done_ready, data_ready;
  logic [$clog2(Packets+1)-1:0] unused_withdrawn_count;

  // A packet that is longer than it should be is stored before it ends.
  assign m_written_length = withdrawn ? '0 : done_length;
  assign m_written_valid  = done_valid && ended;
  assign s_ready          = data_ready && withdrawn_ready;
  assign done_ready       = m_written_ready && ended;

  stream_fifo #(
    .T       (logic),
    .Depth   (Packets),
    .BlockRam(0)
  ) withdrawals (
    .clk,
    .rst,
    .s_data (s_error),
    .s_valid(s_valid && s_ready && s_last),
    .s_ready(withdrawn_ready),
    .m_data (withdrawn),
    .m_valid(ended),
    .m_ready(m_written_valid && m_written_ready),
    .count_o(unused_withdrawn_count)
  );

  assign new_tag           = '{id: s_write_id, session: s_write_session};
  assign m_written_id      = tag.id;
  assign m_written_session = tag.session;

  ring_writer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .TagWidth   ($bits(tag_t))
  ) writer (
    .clk,
    .rst,
    .s_command_id    (s_write_id),
    .s_command_offset(s_write_seq[OffsetWidth-1:0]),
    .s_command_skip  (16'd0),
    .s_command_length(s_write_length),
    .s_command_tag   (new_tag),
    .s_command_valid (s_write_valid),
    .s_command_ready (s_write_ready),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid         (s_valid && withdrawn_ready),
    .s_ready         (data_ready),
    .m_write_address (write_address),
    .m_write_data    (write_data),
    .m_write_strobe  (write_strobe),
    .m_write_valid   (write_valid),
    .m_write_ready   (write_ready),
    .m_done_length   (done_length),
    .m_done_tag      (tag),
    .m_done_valid    (done_valid),
    .m_done_ready    (done_ready)
  );

  ring_store #(
    .DataWidth   (DataWidth),
    .AddressWidth(AddressWidth),
    .InDram      (InDram),
    .BaseMiB     (BaseMiB)
  ) memory (
    .clk,
    .rst,
    .s_write_address  (write_address),
    .s_write_data     (write_data),
    .s_write_strobe   (write_strobe),
    .s_write_valid    (write_valid),
    .s_write_ready    (write_ready),
    .s_request_address(request_address),
    .s_request_valid  (request_valid),
    .s_request_ready  (request_ready),
    .m_response_data  (response_data),
    .m_response_valid (response_valid),
    .m_ring_read_burst,
    .m_ring_read_valid,
    .m_ring_read_ready,
    .s_ring_data,
    .s_ring_valid,
    .m_ring_write_burst,
    .m_ring_write_valid,
    .m_ring_write_ready,
    .m_ring_data,
    .m_ring_strobe,
    .m_ring_last,
    .m_ring_valid,
    .m_ring_ready,
    .ring_written_i
  );

  ring_reader #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .Window     (Window)
  ) reader (
    .clk,
    .rst,
    .s_command_id     (s_read_id),
    .s_command_offset (s_read_seq[OffsetWidth-1:0]),
    .s_command_length (s_read_length),
    .s_command_valid  (s_read_valid),
    .s_command_ready  (s_read_ready),
    .m_request_address(request_address),
    .m_request_valid  (request_valid),
    .m_request_ready  (request_ready),
    .s_response_data  (response_data),
    .s_response_valid (response_valid),
    .m_data           (m_read_data),
    .m_keep           (m_read_keep),
    .m_last           (m_read_last),
    .m_valid          (m_read_valid),
    .m_ready          (m_read_ready)
  );

endmodule
