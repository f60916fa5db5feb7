// SPDX-License-Identifier: Apache-2.0

// receive_buffer whose rings have pages, with the lines of its table and of its pool in one far memory,
// for its test.
module paged_receive_buffer
  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;
#(
  parameter  int DataWidth   = 64,
  parameter  int Connections = 4,
  parameter  int RingBytes   = 512,
  parameter  int PageBytes   = 64,
  parameter  int Pages       = 32,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic                       clk,
  input  logic                       rst,
  input  rx_command_t                s_command,
  input  logic [        IdWidth-1:0] s_command_id,
  input  logic                       s_command_valid,
  output logic                       s_command_ready,
  input  logic [      DataWidth-1:0] s_payload_data,
  input  logic [    DataWidth/8-1:0] s_payload_keep,
  input  logic                       s_payload_last,
  input  logic                       s_payload_valid,
  output logic                       s_payload_ready,
  output app_offer_t                 m_query,
  output logic                       m_query_valid,
  input  logic                       m_query_ready,
  input  logic [               15:0] s_grant_length,
  input  logic                       s_grant_valid,
  output logic                       s_grant_ready,
  output logic [      DataWidth-1:0] m_app_data,
  output logic [    DataWidth/8-1:0] m_app_keep,
  output logic                       m_app_last,
  output session_t                   m_app_session,
  output app_id_t                    m_app_app,
  output logic                       m_app_valid,
  input  logic                       m_app_ready,
  output logic [        IdWidth-1:0] m_delivered_id,
  output logic [GenerationWidth-1:0] m_delivered_generation,
  output logic [               15:0] m_delivered_length,
  output logic                       m_delivered_valid,
  input  logic                       m_delivered_ready,
  output logic                       page_freed_o,
  output line_request_t              m_line,
  output logic                       m_line_valid,
  input  logic                       m_line_ready,
  input  line_response_t             s_line,
  input  logic                       s_line_valid
);

  line_request_t [1:0] request;
  line_response_t response;
  logic [1:0] request_valid, request_ready, response_valid;
  logic second;

  // The pool's lines have the highest bit of address and tag.
  assign second        = !request_valid[0];
  assign m_line_valid  = |request_valid;
  assign request_ready = {m_line_ready && second, m_line_ready && !second};
  assign response_valid = {s_line_valid && s_line.tag[LineTagWidth-1],
                           s_line_valid && !s_line.tag[LineTagWidth-1]};

  always_comb begin
    m_line = second ? request[1] : request[0];
    m_line.address[31] = second;
    m_line.tag[LineTagWidth-1] = second;
    response = s_line;
    response.tag[LineTagWidth-1] = 1'b0;
  end

  receive_buffer #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .RingBytes  (RingBytes),
    .PageBytes  (PageBytes),
    .Pages      (Pages)
  ) receive_buffer (
    .*,
    .m_page_line       (request),
    .m_page_line_valid (request_valid),
    .m_page_line_ready (request_ready),
    .s_page_line       (response),
    .s_page_line_valid (response_valid),
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

endmodule
