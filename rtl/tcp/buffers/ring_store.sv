// SPDX-License-Identifier: Apache-2.0

// The memory of rings by its place: ring_memory on chip, or ring_memory_axi where InDram is 1, whose
// bursts pass on m_ring_* and s_ring_* then. Contracts are those of the two.
module ring_store
  import burst_memory_pkg::*;
#(
  parameter  int          DataWidth    = 64,
  parameter  int          AddressWidth = 14,   // of words
  parameter  int          InDram       = 0,
  parameter  int          BaseMiB      = 0,    // in DRAM
  localparam int          Lanes        = DataWidth / 8
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
  output logic                    m_response_valid,

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

  if (InDram != 0) begin : gen_dram
    ring_memory_axi #(
      .DataWidth   (DataWidth),
      .AddressWidth(AddressWidth),
      .BaseMiB     (BaseMiB)
    ) memory (
      .clk,
      .rst,
      .s_write_address,
      .s_write_data,
      .s_write_strobe,
      .s_write_valid,
      .s_write_ready,
      .s_request_address,
      .s_request_valid,
      .s_request_ready,
      .m_response_data,
      .m_response_valid,
      .m_read_burst       (m_ring_read_burst),
      .m_read_burst_valid (m_ring_read_valid),
      .m_read_burst_ready (m_ring_read_ready),
      .s_read_data        (s_ring_data),
      .s_read_valid       (s_ring_valid),
      .m_write_burst      (m_ring_write_burst),
      .m_write_burst_valid(m_ring_write_valid),
      .m_write_burst_ready(m_ring_write_ready),
      .m_write_data       (m_ring_data),
      .m_write_strobe     (m_ring_strobe),
      .m_write_last       (m_ring_last),
      .m_write_valid      (m_ring_valid),
      .m_write_ready      (m_ring_ready),
      .s_written_i        (ring_written_i)
    );
  end else begin : gen_on_chip
    ring_memory #(
      .DataWidth(DataWidth),
      .Words    (2 ** AddressWidth)
    ) memory (
      .clk,
      .rst,
      .s_write_address,
      .s_write_data,
      .s_write_strobe,
      .s_write_valid,
      .s_write_ready,
      .s_request_address,
      .s_request_valid,
      .s_request_ready,
      .m_response_data,
      .m_response_valid
    );

    assign m_ring_read_burst  = '0;
    assign m_ring_read_valid  = 1'b0;
    assign m_ring_write_burst = '0;
    assign m_ring_write_valid = 1'b0;
    assign m_ring_data        = '0;
    assign m_ring_strobe      = '0;
    assign m_ring_last        = 1'b0;
    assign m_ring_valid       = 1'b0;

    logic unused;
    assign unused = &{
      m_ring_read_ready, s_ring_data, s_ring_valid, m_ring_write_ready, m_ring_ready, ring_written_i
    };
  end

endmodule
