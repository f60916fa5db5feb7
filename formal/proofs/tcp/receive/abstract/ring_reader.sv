// SPDX-License-Identifier: Apache-2.0

// Stands in for ring_reader in proofs of its users: takes a command in an arbitrary clock, and makes
// a packet of so many bytes, each beat at an arbitrary time: the response's data decides, see
// ring_writer. The packet's data says which command it is of, so that none is exchanged unnoticed.
module ring_reader #(
  parameter  int DataWidth    = 16,
  parameter  int Connections  = 2,
  parameter  int RingBytes    = 8,
  parameter  int Window       = 8,
  localparam int Lanes        = DataWidth / 8,
  localparam int IdWidth      = (Connections > 1) ? $clog2(Connections) : 1,
  localparam int OffsetWidth  = $clog2(RingBytes),
  localparam int AddressWidth = $clog2(Connections * RingBytes / Lanes)
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic [     IdWidth-1:0] s_command_id,
  input  logic [ OffsetWidth-1:0] s_command_offset,
  input  logic [            15:0] s_command_length,
  input  logic                    s_command_valid,
  output logic                    s_command_ready,
  output logic [AddressWidth-1:0] m_request_address,
  output logic                    m_request_valid,
  input  logic                    m_request_ready,
  input  logic [   DataWidth-1:0] s_response_data,
  input  logic                    s_response_valid,
  output logic [   DataWidth-1:0] m_data,
  output logic [       Lanes-1:0] m_keep,
  output logic                    m_last,
  output logic                    m_valid,
  input  logic                    m_ready
);

  logic busy_q = 1'b0, offered_q = 1'b0;
  logic [15:0] left_q;

  assign s_command_ready = s_response_data[2] && !busy_q;

  assign m_valid = busy_q && (offered_q || s_response_data[3]);
  assign m_last  = left_q <= 16'd2;
  assign m_keep  = (left_q == 16'd1) ? 2'b01 : 2'b11;

  always_ff @(posedge clk) begin
    offered_q <= m_valid && !m_ready;
    if (s_command_valid && s_command_ready) begin
      busy_q <= 1'b1;
      left_q <= s_command_length;
      m_data <= DataWidth'({s_command_id, s_command_offset});
    end else if (m_valid && m_ready) begin
      busy_q <= !m_last;
      left_q <= left_q - 16'd2;
    end

    if (rst) begin
      busy_q    <= 1'b0;
      offered_q <= 1'b0;
    end
  end

  assign m_request_valid   = 1'b0;
  assign m_request_address = '0;

endmodule
