// SPDX-License-Identifier: Apache-2.0

// Block RAM with one write port and one read port.
//
// Latency    ReadLatency clocks from read_enable_i to read_data_o. 1 is the RAM's own register,
//            whose clock-to-output is slow; 2 adds a register behind it, for deep or wide memories.
// Throughput one write and one read a clock.
// Holds      read_data_o keeps its value until the data of the next read arrives.
// Collision  a read of the address that is written in the same clock returns UNDEFINED data (old,
//            new or a mix, as the technology has it). Users avoid it or forward. This is what lets
//            the memory map to a bare RAM block; simulation returns the old data.
// Contents   zero at configuration, not changed by reset.
//
// A write strobe covers StrobeWidth bits; StrobeWidth = Width is one write enable.
module ram_simple_dual_port #(
  parameter  int Width        = 64,
  parameter  int Depth        = 512,
  parameter  int StrobeWidth  = Width,
  parameter  int ReadLatency  = 1,
  localparam int AddressWidth = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int Strobes      = Width / StrobeWidth
) (
  input  logic                    clk,

  input  logic [     Strobes-1:0] write_enable_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [       Width-1:0] write_data_i,

  input  logic                    read_enable_i,
  input  logic [AddressWidth-1:0] read_address_i,
  output logic [       Width-1:0] read_data_o
);

  if (Width % StrobeWidth != 0) begin : gen_check_width
    $error("Width must be a multiple of StrobeWidth.");
  end
  if (ReadLatency != 1 && ReadLatency != 2) begin : gen_check_read_latency
    $error("ReadLatency must be 1 or 2.");
  end

  // Not left to the tool, which takes look-up tables for few words however wide they are.
  (* no_rw_check, ram_style = "block" *)
  logic [Width-1:0] memory[Depth];
  // Tools write out a pattern word by word, which takes gigabytes for the deepest memories in synthesis,
  // and minutes of a compiler for a simulation of many; synthesis unrolls a loop. For deep ones it may leave it
  // out: RAM blocks are zero unless told otherwise.
`ifndef SYNTHESIS
  initial for (int i = 0; i < Depth; i++) memory[i] = '0;
`else
  if (Depth <= 65536) begin : gen_zero
    initial memory = '{default: '0};
  end
`endif

  logic [Width-1:0] read_data_q;

  always_ff @(posedge clk) begin
    for (int strobe = 0; strobe < Strobes; strobe++) begin
      if (write_enable_i[strobe]) begin
        memory[write_address_i][strobe*StrobeWidth+:StrobeWidth] <=
            write_data_i[strobe*StrobeWidth+:StrobeWidth];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (read_enable_i) read_data_q <= memory[read_address_i];
  end

  if (ReadLatency == 2) begin : gen_output_register
    always_ff @(posedge clk) read_data_o <= read_data_q;
  end else begin : gen_direct
    assign read_data_o = read_data_q;
  end

endmodule
