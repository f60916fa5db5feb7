// SPDX-License-Identifier: Apache-2.0

// ram_distributed: a read gives, in the same clock, what was last written there.
module ram_distributed_props (
  input logic       clk,
  input logic       write_enable_i,
  input logic [2:0] write_address_i,
  input logic [3:0] write_data_i,
  input logic [2:0] read_address_i,
  input logic [2:0] address
);

  logic [3:0] read_data_o;

  ram_distributed #(
    .Width(4),
    .Depth(5)
  ) dut (
    .*
  );

  logic started = 1'b0, known_q = 1'b0;
  logic [2:0] address_q;
  logic [3:0] content_q;

  always_ff @(posedge clk) begin
    started   <= 1'b1;
    address_q <= address;
    assume (address < 3'd5 && write_address_i < 3'd5 && read_address_i < 3'd5);
    if (started) assume (address == address_q);

    if (write_enable_i && write_address_i == address) begin
      content_q <= write_data_i;
      known_q   <= 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (known_q && read_address_i == address) assert (read_data_o == content_q);
    if (known_q) assert (dut.memory[address] == content_q);
    cover (known_q && read_address_i == address && write_enable_i && write_address_i == address
        && write_data_i != content_q);
  end

endmodule
