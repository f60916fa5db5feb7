// SPDX-License-Identifier: Apache-2.0

// Interrupt handler for PicoRV32, whose interrupts are no part of RISC-V: two registers of the
// interrupted program are kept in q2 and q3.

#define Q(f7, rs1, f3, rd) .word ((f7) << 25) | ((rs1) << 15) | ((f3) << 12) | ((rd) << 7) | 0x0b
#define T0 5
#define T1 6
#define SAVE_T0 Q(1, T0, 2, 2)
#define SAVE_T1 Q(1, T1, 2, 3)
#define RESTORE_T0 Q(0, 2, 4, T0)
#define RESTORE_T1 Q(0, 3, 4, T1)
#define RETURN_FROM_IRQ Q(2, 0, 0, 0)
#define MASK_IRQ_BY_A0 Q(3, 10, 6, 0)

  .section .irq, "ax"
irq:
  // What checksum_offload_take_events() does, in so few registers.
  SAVE_T0
  SAVE_T1
  li t0, 0x40000000
  lw t1, 0x1c(t0)
  sw t1, 0x1c(t0)
  la t0, interrupt_events
  sw t1, 0(t0)
  RESTORE_T0
  RESTORE_T1
  RETURN_FROM_IRQ

  .text
  .global allow_interrupts
allow_interrupts:
  li a0, ~8
  MASK_IRQ_BY_A0
  ret
