// SPDX-License-Identifier: Apache-2.0

// transmit_buffer and segment_builder as the engine connects them, for their tests.
module transmit_path
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 4,
  parameter  int RingBytes   = 2048,
  parameter  bit Half        = 1'b0,  // of segment_builder
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic                   clk,
  input  logic                   rst,
  input  ip_address_t            ip_i,

  input  logic [    IdWidth-1:0] s_write_id,
  input  seq_t                   s_write_seq,
  input  logic [           15:0] s_write_length,
  input  logic                   s_write_valid,
  output logic                   s_write_ready,

  input  logic [  DataWidth-1:0] s_data,
  input  logic [DataWidth/8-1:0] s_keep,
  input  logic                   s_last,
  input  logic                   s_valid,
  output logic                   s_ready,

  output logic                   written_o,

  input  tx_command_t            s_command,
  input  logic [    IdWidth-1:0] s_command_id,
  input  logic                   s_command_valid,
  output logic                   s_command_ready,

  output ip_transmit_t           m_ip_packet,
  output logic                   m_ip_packet_valid,
  input  logic                   m_ip_packet_ready,

  output logic [  DataWidth-1:0] m_payload_data,
  output logic [DataWidth/8-1:0] m_payload_keep,
  output logic                   m_payload_last,
  output logic                   m_payload_valid,
  input  logic                   m_payload_ready,

  output logic [           15:0] m_checksum,
  output logic                   m_checksum_valid,
  input  logic                   m_checksum_ready,

  output logic [    IdWidth-1:0] m_release_id,
  output logic                   m_release_valid,
  input  logic                   m_release_ready,

  output tx_status_t             m_status,
  output logic [    IdWidth-1:0] m_status_id,
  output seq_t                   m_status_write_seq,
  output logic                   m_status_write_there,
  output logic                   m_status_valid,
  input  logic                   m_status_ready,

  output logic                   count_tcp_segments_out_o,
  output logic                   read_end_o  // the last payload beat of a segment has been read
);

  logic [IdWidth-1:0] read_id, unused_written_id;
  seq_t read_seq;
  logic [15:0] read_length, unused_written_length;
  session_t unused_written_session;
  logic read_valid, read_ready;
  logic [DataWidth-1:0] read_data;
  logic [DataWidth/8-1:0] read_keep;
  logic read_last, read_data_valid, read_data_ready;

  assign read_end_o = read_data_valid && read_data_ready && read_last;

  transmit_buffer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes)
  ) buffer (
    .clk,
    .rst,
    .s_write_id,
    .s_write_seq,
    .s_write_length,
    .s_write_session  ('0),
    .s_write_early    (1'b0),
    .s_write_there    (1'b0),
    .s_write_valid,
    .s_write_ready,
    .s_data,
    .s_keep,
    .s_last,
    .s_error          (1'b0),
    .s_valid,
    .s_ready,
    .m_written_id     (unused_written_id),
    .m_written_length (unused_written_length),
    .m_written_session(unused_written_session),
    .m_written_valid  (written_o),
    .m_written_ready  (1'b1),
    .s_read_id        (read_id),
    .s_read_seq       (read_seq),
    .s_read_length    (read_length),
    .s_read_valid     (read_valid),
    .s_read_ready     (read_ready),
    .m_read_data      (read_data),
    .m_read_keep      (read_keep),
    .m_read_last      (read_last),
    .m_read_valid     (read_data_valid),
    .m_read_ready     (read_data_ready),
    .release_id_i      ('0),
    .release_i         (1'b0),
    .free_id_i         ('0),
    .free_range_i      ('0),
    .free_i            (1'b0),
    .read_begun_i      (1'b0),
    .read_done_i       (1'b0),
    .free_room_o       (),
    .page_freed_o      (),
    .m_page_line       (),
    .m_page_line_valid (),
    .m_page_line_ready ('0),
    .s_page_line       ('0),
    .s_page_line_valid ('0),
    .m_ring_read_burst (),
    .m_ring_read_valid (),
    .m_ring_read_ready (1'b0),
    .s_ring_data       ('0),
    .s_ring_valid      (1'b0),
    .m_ring_write_burst(),
    .m_ring_write_valid(),
    .m_ring_write_ready(1'b0),
    .m_ring_data       (),
    .m_ring_strobe     (),
    .m_ring_last       (),
    .m_ring_valid      (),
    .m_ring_ready      (1'b0),
    .ring_written_i    (1'b0)
  );

  segment_builder #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .Half       (Half)
  ) builder (
    .clk,
    .rst,
    .ip_i,
    .s_command,
    .s_command_id,
    .s_command_valid,
    .s_command_ready,
    .m_read_id    (read_id),
    .m_read_seq   (read_seq),
    .m_read_length(read_length),
    .m_read_valid (read_valid),
    .m_read_ready (read_ready),
    .s_read_data  (read_data),
    .s_read_keep  (read_keep),
    .s_read_last  (read_last),
    .s_read_valid (read_data_valid),
    .s_read_ready (read_data_ready),
    .m_ip_packet,
    .m_ip_packet_valid,
    .m_ip_packet_ready,
    .m_payload_data,
    .m_payload_keep,
    .m_payload_last,
    .m_payload_valid,
    .m_payload_ready,
    .m_checksum,
    .m_checksum_valid,
    .m_checksum_ready,
    .m_release_id,
    .m_release_valid,
    .m_release_ready,
    .m_status,
    .m_status_id,
    .m_status_write_seq,
    .m_status_write_there,
    .m_status_valid,
    .m_status_ready,
    .count_tcp_segments_out_o
  );

endmodule
