// SPDX-License-Identifier: Apache-2.0

// Memory of a small processor for its program, data and stack, 32 bits wide.
//
// A read is answered in the clock of its request: the processor says a clock ahead what it will read
// (PicoRV32's look-ahead). A write is done in the clock of its request. Its contents repeat in the
// address space.
//
// load_* writes a word a clock, ahead of the processor, which is in reset at that time.
module local_memory #(
  parameter int Bytes = 16 * 1024
) (
  input logic clk,

  input  logic        cpu_select_i,        // a request for this memory
  input  logic [31:0] cpu_address_i,
  input  logic [31:0] cpu_data_i,
  input  logic [ 3:0] cpu_strobe_i,        // none: a read
  input  logic        cpu_next_reads_i,    // a read comes in the next clock ...
  input  logic [31:0] cpu_next_address_i,  // ... of this address
  output logic [31:0] cpu_data_o,

  input logic        load_valid_i,
  input logic [31:0] load_address_i,
  input logic [31:0] load_data_i
);

  localparam int Depth = Bytes / 4;
  localparam int Bits = $clog2(Depth);

  ram_simple_dual_port #(
    .Width      (32),
    .Depth      (Depth),
    .StrobeWidth(8)
  ) ram (
    .clk,
    .write_enable_i (load_valid_i ? '1 : (cpu_select_i ? cpu_strobe_i : '0)),
    .write_address_i(load_valid_i ? load_address_i[2+:Bits] : cpu_address_i[2+:Bits]),
    .write_data_i   (load_valid_i ? load_data_i : cpu_data_i),
    .read_enable_i  (cpu_next_reads_i),
    .read_address_i (cpu_next_address_i[2+:Bits]),
    .read_data_o    (cpu_data_o)
  );

  // verilator lint_off UNUSEDSIGNAL
  logic unused;
  assign unused = &{load_address_i, cpu_address_i, cpu_next_address_i};
  // verilator lint_on UNUSEDSIGNAL

endmodule
