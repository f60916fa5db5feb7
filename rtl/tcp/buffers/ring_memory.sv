// SPDX-License-Identifier: Apache-2.0

// On-chip memory behind a ring_writer and a ring_reader.
//
// Latency    3 clocks from a request to its response; a request sees every write taken before it.
// Throughput one word written and one word read a clock.
// Paths      m_response_* are registers. s_request_ready follows s_request_address
//            combinationally.
//
// Registers stand before both ports of the RAM, which may lie all over a part, those of addresses and
// strobes for each slice of a word (ram_sliced): a read is done one clock after its request is taken, a write
// two clocks after it is. A request for the word that would be written in the clock of its read waits.
// So no read that is answered meets a write in block RAM, and a reader may read bytes of a word while
// a writer adds others. Without a request the RAM reads, too, and nobody takes what it gives.
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

  localparam int Slices = (Lanes < 8) ? Lanes : 8;

  // A write as it was taken, and of it what goes to the RAM behind its address and strobes.
  logic [AddressWidth-1:0] taken_address_q;
  logic [DataWidth-1:0] taken_data_q, write_data_q;
  logic [Lanes-1:0] taken_strobe_q;
  logic taken_valid_q;

  logic read_q, pending_q;

  assign s_write_ready   = 1'b1;
  assign s_request_ready = !(taken_valid_q && taken_address_q == s_request_address);

  ram_sliced #(
    .Width      (DataWidth),
    .Depth      (Words),
    .StrobeWidth(8),
    .SliceWidth (DataWidth / Slices),
    .ReadLatency(3)
  ) ram (
    .clk,
    .write_address_i(taken_address_q),
    .write_enable_i (taken_valid_q ? taken_strobe_q : '0),
    .write_data_i   (write_data_q),
    .read_address_i (s_request_address),
    .read_data_o    (m_response_data)
  );

  always_ff @(posedge clk) begin
    taken_address_q  <= s_write_address;
    taken_data_q     <= s_write_data;
    taken_strobe_q   <= s_write_strobe;
    taken_valid_q    <= s_write_valid;
    write_data_q     <= taken_data_q;
    read_q           <= s_request_valid && s_request_ready;
    pending_q        <= read_q;
    m_response_valid <= pending_q;

    if (rst) begin
      taken_valid_q    <= 1'b0;
      read_q           <= 1'b0;
      pending_q        <= 1'b0;
      m_response_valid <= 1'b0;
    end
  end

endmodule
