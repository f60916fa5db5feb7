// SPDX-License-Identifier: Apache-2.0

// Block RAM whose word is cut into slices, each with registers of its own for both addresses and for
// the strobes.
//
// For memories of many RAM blocks: from a register that all blocks share goes one wire to wherever
// they lie, and here one to those of a slice.
//
// Latency    ReadLatency clocks from read_address_i to read_data_o, one of them before the RAM: 2, or
//            3 with a register behind it. Every clock reads.
//            write_address_i and write_enable_i are there a clock before write_data_i is.
// Throughput one write and one read a clock.
// Collision  a read returns UNDEFINED data of the address that is written in the clock after
//            read_address_i, as that is when the RAM is read. Users avoid it or forward.
// Contents   zero at configuration, not changed by reset.
//
// A write strobe covers StrobeWidth bits; StrobeWidth = SliceWidth is one for each slice, and then the
// last slice may be narrower.
module ram_sliced #(
  parameter  int Width        = 64,
  parameter  int Depth        = 512,
  parameter  int StrobeWidth  = 8,
  parameter  int SliceWidth   = 8,
  parameter  int ReadLatency  = 3,
  localparam int AddressWidth = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int Strobes      = (Width + StrobeWidth - 1) / StrobeWidth
) (
  input  logic                    clk,

  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [     Strobes-1:0] write_enable_i,
  input  logic [       Width-1:0] write_data_i,

  input  logic [AddressWidth-1:0] read_address_i,
  output logic [       Width-1:0] read_data_o
);

  if (SliceWidth % StrobeWidth != 0) begin : gen_check_slice_width
    $error("SliceWidth must be a multiple of StrobeWidth.");
  end
  if (SliceWidth != StrobeWidth && Width % StrobeWidth != 0) begin : gen_check_width
    $error("Width must be a multiple of StrobeWidth, unless a slice has one strobe.");
  end
  if (ReadLatency != 2 && ReadLatency != 3) begin : gen_check_read_latency
    $error("ReadLatency must be 2 or 3.");
  end

  localparam int Slices = (Width + SliceWidth - 1) / SliceWidth;

  for (genvar slice = 0; slice < Slices; slice++) begin : gen_slices
    localparam int First = slice * SliceWidth;
    localparam int Bits = (Width - First < SliceWidth) ? Width - First : SliceWidth;
    localparam int Covered = (Bits < StrobeWidth) ? Bits : StrobeWidth;

    // Equal in all slices, which synthesis is not to make one register of.
    (* keep *)
    logic [AddressWidth-1:0] write_address_q, read_address_q;
    (* keep *)
    logic [Bits/Covered-1:0] write_enable_q;

    always_ff @(posedge clk) begin
      write_enable_q  <= write_enable_i[First/StrobeWidth+:Bits/Covered];
      write_address_q <= write_address_i;
      read_address_q  <= read_address_i;
    end

    ram_simple_dual_port #(
      .Width      (Bits),
      .Depth      (Depth),
      .StrobeWidth(Covered),
      .ReadLatency(ReadLatency - 1)
    ) ram (
      .clk,
      .write_enable_i (write_enable_q),
      .write_address_i(write_address_q),
      .write_data_i   (write_data_i[First+:Bits]),
      .read_enable_i  (1'b1),
      .read_address_i (read_address_q),
      .read_data_o    (read_data_o[First+:Bits])
    );
  end

endmodule
