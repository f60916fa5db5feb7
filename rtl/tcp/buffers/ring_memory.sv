// SPDX-License-Identifier: Apache-2.0

// On-chip memory behind a ring_writer and a ring_reader.
//
// Latency    3 clocks from a request to its response; a request sees every write taken before it.
// Throughput one word written and one word read a clock.
// Paths      m_response_* are registers. s_request_ready follows s_request_address
//            combinationally.
//
// Registers stand before both ports of the RAM, which may lie all over a part: a read is done one
// clock after its request is taken, a write two clocks after it is. A word that would be written and
// read in one clock is not: the request waits. So block RAM never sees the two ports meet, and a
// reader may read bytes of a word while a writer adds others.
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

  typedef struct packed {
    logic [AddressWidth-1:0] address;
    logic [   DataWidth-1:0] data;
    logic [       Lanes-1:0] strobe;
  } write_t;

  write_t taken_q, write_q;
  logic taken_valid_q;

  logic [AddressWidth-1:0] read_address_q;
  logic read_q, pending_q;

  assign s_write_ready   = 1'b1;
  assign s_request_ready = !(taken_valid_q && taken_q.address == s_request_address);

  ram_simple_dual_port #(
    .Width      (DataWidth),
    .Depth      (Words),
    .StrobeWidth(8),
    .ReadLatency(2)
  ) ram (
    .clk,
    .write_enable_i (write_q.strobe),
    .write_address_i(write_q.address),
    .write_data_i   (write_q.data),
    .read_enable_i  (read_q),
    .read_address_i (read_address_q),
    .read_data_o    (m_response_data)
  );

  always_ff @(posedge clk) begin
    taken_q          <= '{address: s_write_address, data: s_write_data, strobe: s_write_strobe};
    taken_valid_q    <= s_write_valid;
    write_q          <= taken_q;
    // The RAM's enables themselves, which go to all of the part.
    if (!taken_valid_q) write_q.strobe <= '0;
    read_address_q   <= s_request_address;
    read_q           <= s_request_valid && s_request_ready;
    pending_q        <= read_q;
    m_response_valid <= pending_q;

    if (rst) begin
      taken_valid_q    <= 1'b0;
      write_q.strobe   <= '0;
      read_q           <= 1'b0;
      pending_q        <= 1'b0;
      m_response_valid <= 1'b0;
    end
  end

endmodule
