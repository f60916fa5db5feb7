// SPDX-License-Identifier: Apache-2.0

// PicoRV32 as small as it comes but for interrupts, a cycle counter and a barrel shifter. Its source
// is that of the package pythondata-cpu-picorv32. It starts at address 0; an interrupt goes to 0x10.
module small_processor #(
  parameter int LocalBytes = 16 * 1024  // of memory from address 0 on; the stack is at its end
) (
  input logic clk,
  input logic rst,

  input  logic        irq_i,           // held until it is cleared where it comes from
  output logic        trap_o,

  output logic        valid_o,
  output logic [31:0] address_o,
  output logic [31:0] data_o,
  output logic [ 3:0] strobe_o,        // none: a read
  input  logic        ready_i,
  input  logic [31:0] data_i,
  output logic        next_reads_o,    // a read comes in the next clock ...
  output logic [31:0] next_address_o   // ... of this address
);

  picorv32 #(
    .ENABLE_COUNTERS64(0),
    .BARREL_SHIFTER   (1),
    .ENABLE_IRQ       (1),
    .ENABLE_IRQ_TIMER (0),
    .LATCHED_IRQ      (32'h0000_0000),
    .PROGADDR_RESET   (32'h0000_0000),
    .PROGADDR_IRQ     (32'h0000_0010),
    .STACKADDR        (LocalBytes)
  ) processor (
    .clk,
    .resetn     (!rst),
    .trap       (trap_o),
    .mem_valid  (valid_o),
    .mem_ready  (ready_i),
    .mem_addr   (address_o),
    .mem_wdata  (data_o),
    .mem_wstrb  (strobe_o),
    .mem_rdata  (data_i),
    .mem_la_read(next_reads_o),
    .mem_la_addr(next_address_o),
    .irq        ({28'b0, irq_i, 3'b0})
  );

endmodule
