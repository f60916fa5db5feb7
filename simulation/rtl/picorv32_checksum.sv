// SPDX-License-Identifier: Apache-2.0

// checksum_system with PicoRV32, as small as it comes but for interrupts, a cycle counter and a
// barrel shifter. The processor's source is that of the package pythondata-cpu-picorv32.
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

  picorv32 #(
    .ENABLE_COUNTERS64(0),
    .BARREL_SHIFTER   (1),
    .ENABLE_IRQ       (1),
    .ENABLE_IRQ_TIMER (0),
    .LATCHED_IRQ      (32'h0000_0000),  // the peripheral holds its interrupt until it is cleared
    .PROGADDR_RESET   (32'h0000_0000),
    .PROGADDR_IRQ     (32'h0000_0010),
    .STACKADDR        (LocalBytes)
  ) processor (
    .clk,
    .resetn   (!rst),
    .trap     (trap_o),
    .mem_valid(valid),
    .mem_ready(ready),
    .mem_addr (address),
    .mem_wdata(write_data),
    .mem_wstrb(strobe),
    .mem_rdata(read_data),
    .mem_la_read(next_reads),
    .mem_la_addr(next_address),
    .irq      ({28'b0, irq, 3'b0})
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
