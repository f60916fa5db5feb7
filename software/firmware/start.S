// SPDX-License-Identifier: Apache-2.0

// Start of a program on a small processor. An interrupt goes to 0x10, where a program that has them
// puts its handler (section .irq).

  .section .start, "ax"
  .global _start
_start:
  j begin

  .text
begin:
  // The stack pointer is set by the processor.
  la t0, __bss_begin
  la t1, __bss_end
clear:
  bgeu t0, t1, cleared
  sw zero, 0(t0)
  addi t0, t0, 4
  j clear
cleared:
  call main
  li t0, 0x20000000
  sw zero, 0(t0)
forever:
  j forever
