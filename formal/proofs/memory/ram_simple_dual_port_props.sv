// SPDX-License-Identifier: Apache-2.0

// ram_simple_dual_port: a read gives what was last written there, each strobe by itself, after
// ReadLatency clocks and until the next read; zero before any write. What is read in the clock of a
// write to the same address is left open.
module ram_simple_dual_port_props #(
  parameter int ReadLatency = 1
) (
  input logic       clk,
  input logic [1:0] write_enable_i,
  input logic [1:0] write_address_i,
  input logic [7:0] write_data_i,
  input logic       read_enable_i,
  input logic [1:0] read_address_i,
  input logic [1:0] address
);

  logic [7:0] read_data_o;

  ram_simple_dual_port #(
    .Width      (8),
    .Depth      (4),
    .StrobeWidth(4),
    .ReadLatency(ReadLatency)
  ) dut (
    .*
  );

  logic [1:0] address_q;
  logic [7:0] content_q = '0;  // of the address watched
  logic [7:0] read_q, output_q;
  logic read_known_q = 1'b0, output_known_q = 1'b0, started = 1'b0, written_q = 1'b0;
  logic known;
  logic [7:0] expected;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    address_q <= address;
    if (started) assume (address == address_q);
  end

  // What the read port shows: known after a read of the address watched that did not collide.
  always_ff @(posedge clk) begin
    for (int strobe = 0; strobe < 2; strobe++) begin
      if (write_enable_i[strobe] && write_address_i == address) begin
        content_q[strobe*4+:4] <= write_data_i[strobe*4+:4];
        written_q              <= 1'b1;
      end
    end
    if (read_enable_i) begin
      read_q       <= content_q;
      read_known_q <= read_address_i == address
          && !(write_enable_i != '0 && write_address_i == address);
    end
    output_q       <= read_q;
    output_known_q <= read_known_q;
  end

  assign known    = (ReadLatency == 2) ? output_known_q : read_known_q;
  assign expected = (ReadLatency == 2) ? output_q : read_q;

  always_ff @(posedge clk) begin
    if (known) assert (read_data_o == expected);
    assert (dut.memory[address] == content_q);
    if (read_known_q) assert (dut.read_data_q == read_q);
    cover (known && written_q && expected == 8'h5a && !read_enable_i);
    cover (known && !written_q);
  end

endmodule
