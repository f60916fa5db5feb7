// SPDX-License-Identifier: Apache-2.0

// ram_sliced: a read gives what was last written there, each strobe by itself, in slices whose last is
// narrower; zero before any write. What is written in the clock after the read's is left open.
module ram_sliced_props #(
  parameter int SliceWidth  = 4,
  parameter int ReadLatency = 2
) (
  input logic       clk,
  input logic [1:0] write_address_i,
  input logic [2:0] write_enable_i,
  input logic [8:0] write_data_i,
  input logic [1:0] read_address_i,
  input logic [1:0] address
);

  // Three strobes of three bits, or of four with one bit in the last slice.
  localparam int StrobeWidth = (SliceWidth == 4) ? 4 : 3;

  logic [8:0] read_data_o;

  ram_sliced #(
    .Width      (9),
    .Depth      (4),
    .StrobeWidth(StrobeWidth),
    .SliceWidth (SliceWidth),
    .ReadLatency(ReadLatency)
  ) dut (
    .*
  );

  logic [1:0] address_q, write_address_q, read_address_q;
  logic [2:0] write_enable_q = '0;
  logic [8:0] content_q = '0;  // of the address watched
  logic [8:0] read_q, output_q;
  logic read_known_q = 1'b0, output_known_q = 1'b0, started = 1'b0, written_q = 1'b0;
  logic known;
  logic [8:0] expected;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    address_q <= address;
    if (started) assume (address == address_q);
  end

  always_ff @(posedge clk) begin
    write_enable_q  <= write_enable_i;
    write_address_q <= write_address_i;
    read_address_q  <= read_address_i;
    for (int i = 0; i < 9; i++) begin
      if (write_enable_q[i/StrobeWidth] && write_address_q == address) begin
        content_q[i] <= write_data_i[i];
        written_q    <= 1'b1;
      end
    end
    read_q       <= content_q;
    read_known_q <= started && read_address_q == address
        && !(write_enable_q != '0 && write_address_q == address);
    output_q       <= read_q;
    output_known_q <= read_known_q;
  end

  assign known    = (ReadLatency == 3) ? output_known_q : read_known_q;
  assign expected = (ReadLatency == 3) ? output_q : read_q;

  always_ff @(posedge clk) begin
    if (known) assert (read_data_o == expected);
    cover (known && written_q && expected == 9'h15a);
    cover (known && !written_q);
  end

  // What each slice has, for the induction.
  for (genvar slice = 0; slice < (9 + SliceWidth - 1) / SliceWidth; slice++) begin : gen_slices
    localparam int First = slice * SliceWidth;
    localparam int Bits = (9 - First < SliceWidth) ? 9 - First : SliceWidth;
    localparam int Enables = (Bits + StrobeWidth - 1) / StrobeWidth;
    always_ff @(posedge clk) begin
      // Zero at configuration, as the memory is.
      if (!started) assume (dut.gen_slices[slice].write_enable_q == '0);
      assert (dut.gen_slices[slice].write_enable_q == write_enable_q[First/StrobeWidth+:Enables]);
      assert (dut.gen_slices[slice].ram.memory[address] == content_q[First+:Bits]);
      if (read_known_q) assert (dut.gen_slices[slice].ram.read_data_q == read_q[First+:Bits]);
      if (started) begin
        assert (dut.gen_slices[slice].write_address_q == write_address_q);
        assert (dut.gen_slices[slice].read_address_q == read_address_q);
      end
    end
  end

endmodule
