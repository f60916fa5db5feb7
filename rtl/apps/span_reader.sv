// SPDX-License-Identifier: Apache-2.0

// Reads so many bytes from an address on out of a memory of bytes with ReadLatency 2.
//
// start_i begins, also while it is reading. valid_o is beside the memory's data.
// stop_i ends it: nothing is valid from the next clock on.
//
// Latency    3 clocks from start_i to the first byte.
// Throughput a byte a clock; with slow_i one in 4 clocks.
module span_reader #(
  parameter int AddressWidth = 10,
  parameter int LengthWidth  = 11
) (
  input  logic                    clk,
  input  logic                    rst,

  input  logic                    start_i,
  input  logic                    stop_i,
  input  logic                    slow_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [ LengthWidth-1:0] length_i,   // 0 is a length, too

  output logic                    read_o,
  output logic [AddressWidth-1:0] address_o,
  output logic                    valid_o,
  output logic                    busy_o      // bytes are still to come, or one is valid
);

  logic [LengthWidth-1:0] left_q;
  logic [1:0] wait_q;
  logic slow_q, read_q;

  assign read_o = left_q != '0 && wait_q == '0;
  assign busy_o = left_q != '0 || read_q || valid_o;

  always_ff @(posedge clk) begin
    read_q  <= read_o && !start_i && !stop_i;
    valid_o <= read_q && !start_i && !stop_i;
    if (wait_q != '0) wait_q <= wait_q - 1'b1;
    if (read_o) begin
      address_o <= address_o + 1'b1;
      left_q    <= left_q - 1'b1;
      if (slow_q) wait_q <= 2'd3;
    end
    if (start_i) begin
      address_o <= address_i;
      left_q    <= length_i;
      slow_q    <= slow_i;
      wait_q    <= '0;
    end else if (stop_i) begin
      left_q <= '0;
    end

    if (rst) begin
      left_q  <= '0;
      wait_q  <= '0;
      read_q  <= 1'b0;
      valid_o <= 1'b0;
    end
  end

endmodule
