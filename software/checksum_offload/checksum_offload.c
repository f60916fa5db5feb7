/* SPDX-License-Identifier: Apache-2.0 */

#ifdef CHECKSUM_OFFLOAD_PLATFORM
#include CHECKSUM_OFFLOAD_PLATFORM
#endif

#include "checksum_offload.h"

#include <stddef.h>

#include "checksum_offload_registers.h"

#ifndef CHECKSUM_OFFLOAD_READ32
#define CHECKSUM_OFFLOAD_READ32(address) (*(const volatile uint32_t *)(address))
#define CHECKSUM_OFFLOAD_WRITE32(address, value) (*(volatile uint32_t *)(address) = (value))
#endif

#define REGISTER(registers, name) ((registers) + offsetof(checksum_offload_t, name))

#define READY CHECKSUM_OFFLOAD__RESULT__READY_bm
#define BUS_ERROR CHECKSUM_OFFLOAD__RESULT__BUS_ERROR_bm
#define LENGTH_ERROR CHECKSUM_OFFLOAD__RESULT__LENGTH_ERROR_bm

/* A result, which has the same layout in the register and in a descriptor. */
static enum checksum_offload_status decode(uint32_t result, uint16_t *checksum) {
  if (!(result & READY)) return CHECKSUM_OFFLOAD_BUSY;
  if (result & BUS_ERROR) return CHECKSUM_OFFLOAD_BUS_ERROR;
  if (result & LENGTH_ERROR) return CHECKSUM_OFFLOAD_LENGTH_ERROR;
  *checksum = (uint16_t)result;
  return CHECKSUM_OFFLOAD_DONE;
}

void checksum_offload_start(uintptr_t registers, const void *data, uint16_t length, uint16_t seed) {
  CHECKSUM_OFFLOAD_BARRIER();
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, address), CHECKSUM_OFFLOAD_BUS_ADDRESS(data));
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, byte_count), length);
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, seed), seed);
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, control), CHECKSUM_OFFLOAD__CONTROL__START_bm);
}

enum checksum_offload_status checksum_offload_result(uintptr_t registers, uint16_t *checksum) {
  return decode(CHECKSUM_OFFLOAD_READ32(REGISTER(registers, result)), checksum);
}

enum checksum_offload_status checksum_offload_compute(uintptr_t registers, const void *data,
                                                      uint16_t length, uint16_t seed,
                                                      uint16_t *checksum) {
  enum checksum_offload_status status;
  checksum_offload_start(registers, data, length, seed);
  do {
    status = checksum_offload_result(registers, checksum);
  } while (status == CHECKSUM_OFFLOAD_BUSY);
  return status;
}

void checksum_offload_enable_events(uintptr_t registers, unsigned events) {
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, interrupt_enable), events);
}

unsigned checksum_offload_take_events(uintptr_t registers) {
  const unsigned events = CHECKSUM_OFFLOAD_READ32(REGISTER(registers, interrupt_pending));
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, interrupt_pending), events);
  return events;
}

bool checksum_offload_open_ring(struct checksum_offload_ring *ring, uintptr_t registers,
                                struct checksum_offload_descriptor *descriptors, unsigned entries) {
  const uint32_t base = CHECKSUM_OFFLOAD_BUS_ADDRESS(descriptors);
  if (entries == 0 || entries > 4096 || (entries & (entries - 1)) != 0) return false;
  if ((base & (entries * sizeof *descriptors - 1)) != 0) return false;

  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, ring_control), 0);
  while (CHECKSUM_OFFLOAD_READ32(REGISTER(registers, ring_completed)) != 0) {
  }
  ring->registers = registers;
  ring->descriptors = descriptors;
  ring->mask = (uint16_t)(entries - 1);
  ring->produced = 0;
  ring->consumed = 0;
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, ring_base), base);
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, ring_produced), 0);
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(registers, ring_control),
                           CHECKSUM_OFFLOAD__RING_CONTROL__ENABLE_bm |
                               (uint32_t)ring->mask << CHECKSUM_OFFLOAD__RING_CONTROL__MASK_bp);
  return true;
}

void checksum_offload_ring_bell(struct checksum_offload_ring *ring) {
  CHECKSUM_OFFLOAD_BARRIER();
  CHECKSUM_OFFLOAD_WRITE32(REGISTER(ring->registers, ring_produced), ring->produced);
}

unsigned checksum_offload_available(const struct checksum_offload_ring *ring) {
  const uint32_t completed = CHECKSUM_OFFLOAD_READ32(REGISTER(ring->registers, ring_completed));
  CHECKSUM_OFFLOAD_BARRIER();
  return (uint16_t)(completed - ring->consumed);
}

enum checksum_offload_status checksum_offload_take_other(struct checksum_offload_ring *ring,
                                                         uint16_t *checksum, uint32_t *tag) {
  struct checksum_offload_descriptor *const d = &ring->descriptors[ring->consumed & ring->mask];
  enum checksum_offload_status status;
  if (ring->consumed == ring->produced) return CHECKSUM_OFFLOAD_BUSY;
  status = decode(d->result, checksum);
  if (status == CHECKSUM_OFFLOAD_BUSY) {
    /* It is done without a result if that could not be written. */
    if (checksum_offload_available(ring) == 0) return status;
    status = decode(d->result, checksum);
    if (status == CHECKSUM_OFFLOAD_BUSY) status = CHECKSUM_OFFLOAD_BUS_ERROR;
  }
  *tag = d->tag;
  ring->consumed++;
  return status;
}

uint16_t checksum_offload_pseudo_header(uint32_t source, uint32_t destination, uint8_t protocol,
                                        uint16_t length) {
  uint32_t sum = (source >> 16) + (source & 0xffff) + (destination >> 16) + (destination & 0xffff) +
                 protocol + length;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)sum;
}
