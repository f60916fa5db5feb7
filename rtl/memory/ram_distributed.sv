// SPDX-License-Identifier: Apache-2.0

// Small memory in look-up tables: written at the clock edge, read in the same clock.
//
// Latency    read_data_o follows read_address_i combinationally.
// Throughput one write and one read a clock.
// Collision  none: a read sees what the edges before it have written.
// Contents   undefined until written.
module ram_distributed #(
  parameter  int Width        = 32,
  parameter  int Depth        = 16,
  localparam int AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                    clk,

  input  logic                    write_enable_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [       Width-1:0] write_data_i,

  input  logic [AddressWidth-1:0] read_address_i,
  output logic [       Width-1:0] read_data_o
);

  (* ram_style = "distributed" *)
  logic [Width-1:0] memory[Depth];

  always_ff @(posedge clk) begin
    if (write_enable_i) memory[write_address_i] <= write_data_i;
  end

  assign read_data_o = memory[read_address_i];

endmodule
