// SPDX-License-Identifier: Apache-2.0

// On-chip memory behind a ring_writer and a ring_reader.
//
// Latency    2 clocks from a request to its response.
// Throughput one word written and one word read a clock.
// Paths      m_response_* are registers. s_request_ready follows both addresses combinationally.
//
// A word that is written in this clock cannot be read in it: the request waits a clock. So block RAM
// never sees the two ports meet, and a reader may read bytes of a word while a writer adds others.
// Responses come in the order of requests and cannot be refused.
module ring_memory #(
  parameter  int DataWidth    = 64,
  parameter  int Words        = 16384,
  localparam int Lanes        = DataWidth / 8,
  localparam int AddressWidth = $clog2(Words)
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic [AddressWidth-1:0] s_write_address,
  input  logic [   DataWidth-1:0] s_write_data,
  input  logic [       Lanes-1:0] s_write_strobe,
  input  logic                    s_write_valid,
  output logic                    s_write_ready,

  input  logic [AddressWidth-1:0] s_request_address,
  input  logic                    s_request_valid,
  output logic                    s_request_ready,

  output logic [   DataWidth-1:0] m_response_data,
  output logic                    m_response_valid
);

  assign s_write_ready   = 1'b1;
  assign s_request_ready = !(s_write_valid && s_write_address == s_request_address);

  logic request, pending_q;

  assign request = s_request_valid && s_request_ready;

  ram_simple_dual_port #(
    .Width      (DataWidth),
    .Depth      (Words),
    .StrobeWidth(8),
    .ReadLatency(2)
  ) ram (
    .clk,
    .write_enable_i (s_write_valid ? s_write_strobe : '0),
    .write_address_i(s_write_address),
    .write_data_i   (s_write_data),
    .read_enable_i  (request),
    .read_address_i (s_request_address),
    .read_data_o    (m_response_data)
  );

  always_ff @(posedge clk) begin
    pending_q        <= request;
    m_response_valid <= pending_q;

    if (rst) begin
      pending_q        <= 1'b0;
      m_response_valid <= 1'b0;
    end
  end

endmodule
