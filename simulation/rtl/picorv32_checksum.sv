// SPDX-License-Identifier: Apache-2.0

// checksum_system with PicoRV32.
module picorv32_checksum #(
  parameter int DataWidth  = 64,
  parameter int LocalBytes = 16 * 1024
) (
  input logic clk,
  input logic rst,

  input logic        load_valid_i,
  input logic [31:0] load_address_i,
  input logic [31:0] load_data_i,

  output logic        console_valid_o,
  output logic [31:0] console_data_o,
  output logic        checksum_busy_o,
  output logic        trap_o
);

  logic valid, ready, next_reads, irq;
  logic [31:0] address, next_address, write_data, read_data;
  logic [3:0] strobe;

  small_processor #(
    .LocalBytes(LocalBytes)
  ) processor (
    .clk,
    .rst,
    .irq_i         (irq),
    .trap_o,
    .valid_o       (valid),
    .address_o     (address),
    .data_o        (write_data),
    .strobe_o      (strobe),
    .ready_i       (ready),
    .data_i        (read_data),
    .next_reads_o  (next_reads),
    .next_address_o(next_address)
  );

  checksum_system #(
    .DataWidth (DataWidth),
    .LocalBytes(LocalBytes)
  ) system (
    .clk,
    .rst,
    .cpu_valid_i  (valid),
    .cpu_address_i(address),
    .cpu_data_i   (write_data),
    .cpu_strobe_i (strobe),
    .cpu_next_reads_i  (next_reads),
    .cpu_next_address_i(next_address),
    .cpu_ready_o  (ready),
    .cpu_data_o   (read_data),
    .load_valid_i,
    .load_address_i,
    .load_data_i,
    .console_valid_o,
    .console_data_o,
    .irq_o        (irq),
    .checksum_busy_o
  );

endmodule
