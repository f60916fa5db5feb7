/* SPDX-License-Identifier: Apache-2.0 */

/* Driver of the checksum offload peripheral (registers/checksum_offload.rdl): the Internet checksum
 * of bytes in memory, by polling, by interrupt, or many at once by a ring of descriptors.
 *
 * Freestanding C11: no library, no allocation, no global state. What a platform may replace, before
 * this file is included:
 *
 *   CHECKSUM_OFFLOAD_READ32(a), CHECKSUM_OFFLOAD_WRITE32(a, v)   access to a register at address a
 *   CHECKSUM_OFFLOAD_BUS_ADDRESS(pointer)   as the peripheral sees it; the pointer's own value
 *   CHECKSUM_OFFLOAD_BARRIER()              all stores before are in memory, no load behind is early;
 *                                           by default it holds back the compiler only
 *
 * Where caches are not coherent with the peripheral the caller writes back what is to be summed, and
 * keeps descriptors in memory that is not cached.
 *
 * Checksums are numbers whose high byte goes first on the wire. A seed is a ones' complement sum that
 * is added: that of a pseudo-header (checksum_offload_pseudo_header), or 0. */

#ifndef CHECKSUM_OFFLOAD_H
#define CHECKSUM_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

#ifndef CHECKSUM_OFFLOAD_BUS_ADDRESS
#define CHECKSUM_OFFLOAD_BUS_ADDRESS(pointer) ((uint32_t)(uintptr_t)(pointer))
#endif
#ifndef CHECKSUM_OFFLOAD_BARRIER
#define CHECKSUM_OFFLOAD_BARRIER() __asm__ volatile("" ::: "memory")
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum checksum_offload_status {
  CHECKSUM_OFFLOAD_DONE = 0,
  CHECKSUM_OFFLOAD_BUSY = 1,         /* not yet */
  CHECKSUM_OFFLOAD_LENGTH_ERROR = 2, /* the length was 0 */
  CHECKSUM_OFFLOAD_BUS_ERROR = 3     /* memory answered with an error; there is no checksum */
};

enum checksum_offload_event {
  CHECKSUM_OFFLOAD_EVENT_DONE = 1, /* what checksum_offload_start() began is done */
  CHECKSUM_OFFLOAD_EVENT_BATCH = 2 /* the ring is empty */
};

/* ---- One at a time ------------------------------------------------------------------------------
 * `registers` is where the peripheral's registers begin. */

/* Begins the checksum of `length` bytes, 1 to 65,535. A second start waits for the first one, whose
 * result is then lost; `data` and the registers stay as they are until the last is done. */
void checksum_offload_start(uintptr_t registers, const void *data, uint16_t length, uint16_t seed);

/* How what was started last stands; with CHECKSUM_OFFLOAD_DONE, *checksum is written. */
enum checksum_offload_status checksum_offload_result(uintptr_t registers, uint16_t *checksum);

/* Both, polling until it is done: never CHECKSUM_OFFLOAD_BUSY. */
enum checksum_offload_status checksum_offload_compute(uintptr_t registers, const void *data,
                                                      uint16_t length, uint16_t seed,
                                                      uint16_t *checksum);

/* ---- Interrupts ---------------------------------------------------------------------------------*/

/* Sets which events (checksum_offload_event, or'ed) raise the interrupt. */
void checksum_offload_enable_events(uintptr_t registers, unsigned events);

/* In the handler: the events since the last call, cleared. Look for results after it. */
unsigned checksum_offload_take_events(uintptr_t registers);

/* ---- Batches ------------------------------------------------------------------------------------*/

struct checksum_offload_descriptor {
  uint32_t address;
  uint32_t length_and_seed; /* the seed in the upper half */
  volatile uint32_t result; /* 0 until the peripheral has written it */
  uint32_t tag;             /* for the caller */
};

struct checksum_offload_ring {
  uintptr_t registers;
  struct checksum_offload_descriptor *descriptors;
  uint16_t mask;
  uint16_t produced; /* filled */
  uint16_t consumed; /* results taken */
};

/* Makes a ring of `entries` descriptors: a power of two, 1 to 4,096, aligned to 16 * entries bytes.
 * Waits for what is still running in a ring that was open. False if it does not fit. */
bool checksum_offload_open_ring(struct checksum_offload_ring *ring, uintptr_t registers,
                                struct checksum_offload_descriptor *descriptors, unsigned entries);

/* Adds a job to the next batch; false if the ring is full. */
static inline bool checksum_offload_put(struct checksum_offload_ring *ring, const void *data,
                                        uint16_t length, uint16_t seed, uint32_t tag) {
  struct checksum_offload_descriptor *const d = &ring->descriptors[ring->produced & ring->mask];
  if ((uint16_t)(ring->produced - ring->consumed) > ring->mask) return false;
  d->address = CHECKSUM_OFFLOAD_BUS_ADDRESS(data);
  d->length_and_seed = length | (uint32_t)seed << 16;
  d->result = 0;
  d->tag = tag;
  ring->produced++;
  return true;
}

/* The fast way, for buffers that stay where they are: adds `count` jobs that are those which the next
 * descriptors hold from before; false if there is no room for so many. Their results are in the
 * descriptors, in the layout of the register `result`, as far as checksum_offload_available() says;
 * checksum_offload_take() would take old ones. */
static inline bool checksum_offload_repeat(struct checksum_offload_ring *ring, unsigned count) {
  if (count > ring->mask + 1u - (uint16_t)(ring->produced - ring->consumed)) return false;
  ring->produced = (uint16_t)(ring->produced + count);
  return true;
}

/* How many of the oldest jobs have their result, from descriptor ring->consumed & ring->mask on. */
unsigned checksum_offload_available(const struct checksum_offload_ring *ring);

/* Gives the places of the oldest `count` jobs, which are done, free again. */
static inline void checksum_offload_release(struct checksum_offload_ring *ring, unsigned count) {
  ring->consumed = (uint16_t)(ring->consumed + count);
}

/* Rings the bell: the peripheral works off what was put. */
void checksum_offload_ring_bell(struct checksum_offload_ring *ring);

/* For checksum_offload_take(): what is not simply done. */
enum checksum_offload_status checksum_offload_take_other(struct checksum_offload_ring *ring,
                                                         uint16_t *checksum, uint32_t *tag);

/* The oldest result that was not taken yet; CHECKSUM_OFFLOAD_BUSY if it is not there (or nothing was
 * put). With any other status *tag is that of its job, and its place is free again. */
static inline enum checksum_offload_status checksum_offload_take(struct checksum_offload_ring *ring,
                                                                 uint16_t *checksum,
                                                                 uint32_t *tag) {
  struct checksum_offload_descriptor *const d = &ring->descriptors[ring->consumed & ring->mask];
  const uint32_t result = d->result;
  /* The bits ready, bus_error and length_error. */
  if (ring->consumed == ring->produced || result >> 29 != 4) {
    return checksum_offload_take_other(ring, checksum, tag);
  }
  *checksum = (uint16_t)result;
  *tag = d->tag;
  ring->consumed++;
  return CHECKSUM_OFFLOAD_DONE;
}

/* ---- Sums ---------------------------------------------------------------------------------------*/

/* The seed of TCP or UDP on IPv4: addresses as numbers (10.0.0.1 is 0x0a000001). */
uint16_t checksum_offload_pseudo_header(uint32_t source, uint32_t destination, uint8_t protocol,
                                        uint16_t length);

#ifdef __cplusplus
}
#endif

#endif
