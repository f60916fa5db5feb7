/* SPDX-License-Identifier: Apache-2.0 */

/* Measures checksums in software, by the peripheral one at a time, and by the peripheral in batches;
 * checks each against the software's. Reports go to the console (simulation/checksum/main.cpp). */

#include <stdint.h>

#include "checksum_offload.h"
#include "software_checksum.h"

#define REGISTERS ((uintptr_t)0x40000000)
#define CONSOLE (*(volatile uint32_t *)0x20000000)

/* What a report is, and its words. */
enum {
  END = 0,
  ACCESS = 1,  /* number of the access as below, clocks */
  LENGTH = 2,  /* bytes, straight, optimised, peripheral */
  BATCH = 3,   /* bytes of each, jobs, clocks with filling descriptors, clocks without */
  INTERRUPT = 4, /* bytes, clocks */
  WRONG = 5    /* bytes, expected, got */
};

#ifdef QUICK
#define ZOOM_STEP 10
static const uint16_t lengths[] = {150, 500, 1000, 3000};
#else
#define ZOOM_STEP 1
static const uint16_t lengths[] = {150,   500,   1000,  3000,  10000, 20000,
                                   30000, 40000, 50000, 60000, 65535};
#endif

enum { JOBS = 64, MOST_BYTES = 65535 };

static uint8_t data[MOST_BYTES + 1] __attribute__((section(".shared"), aligned(64)));
static struct checksum_offload_descriptor descriptors[JOBS]
    __attribute__((section(".shared"), aligned(16 * JOBS)));

volatile uint32_t interrupt_events;
void allow_interrupts(void);

static inline uint32_t now(void) {
  uint32_t clocks;
  /* Not in the compiler's rv32i, for which its libraries are built. */
  __asm__ volatile(".option push\n.option arch, +zicsr\nrdcycle %0\n.option pop"
                   : "=r"(clocks)::"memory");
  return clocks;
}

static void report(uint32_t kind, uint32_t count, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t words[4] = {a, b, c, d};
  CONSOLE = kind;
  CONSOLE = count;
  for (uint32_t i = 0; i < count; i++) CONSOLE = words[i];
}

static void compare(uint32_t length, uint16_t expected, uint16_t got) {
  if (expected != got) report(WRONG, 3, length, expected, got, 0);
}

/* The accesses of one checksum in their order, as in the published table 1, each by itself. */
static void measure_accesses(void) {
  volatile uint32_t *const registers = (volatile uint32_t *)REGISTERS;
  uint32_t begin, empty;
  begin = now();
  empty = now() - begin;
#define MEASURE(number, access)                    \
  begin = now();                                   \
  access;                                          \
  report(ACCESS, 2, number, now() - begin - empty, 0, 0)
  MEASURE(0, registers[0] = (uint32_t)(uintptr_t)data);
  MEASURE(1, registers[1] = 1);
  MEASURE(2, registers[2] = 1);
  MEASURE(3, (void)registers[3]);
  MEASURE(4, (void)registers[4]);
}

static void measure_length(uint16_t length) {
  uint16_t straight, optimised, offloaded = 0;
  uint32_t begin, straight_clocks, optimised_clocks, offloaded_clocks;
  begin = now();
  straight = straight_checksum(data, length);
  straight_clocks = now() - begin;
  begin = now();
  optimised = optimised_checksum(data, length);
  optimised_clocks = now() - begin;
  begin = now();
  checksum_offload_compute(REGISTERS, data, length, 0, &offloaded);
  offloaded_clocks = now() - begin;
  compare(length, straight, optimised);
  compare(length, straight, offloaded);
  report(LENGTH, 4, length, straight_clocks, optimised_clocks, offloaded_clocks);
}

static void measure_batch(uint16_t length, uint32_t jobs) {
  struct checksum_offload_ring ring;
  uint16_t checksum = 0, expected[JOBS], got[JOBS], again[JOBS];
  uint32_t begin, all, standing, tag, errors = 0, available = 0;
  for (uint32_t i = 0; i < jobs; i++) expected[i] = straight_checksum(&data[64 * i], length);
  checksum_offload_open_ring(&ring, REGISTERS, descriptors, JOBS);

  begin = now();
  for (uint32_t i = 0; i < jobs; i++) checksum_offload_put(&ring, &data[64 * i], length, 0, i);
  checksum_offload_ring_bell(&ring);
  for (uint32_t i = 0; i < jobs; i++) {
    while (checksum_offload_take(&ring, &checksum, &tag) == CHECKSUM_OFFLOAD_BUSY) {
    }
    got[tag] = checksum;
  }
  all = now() - begin;
  for (uint32_t i = 0; i < jobs; i++) compare(length, expected[i], got[i]);

  /* The same with descriptors that stand, as those of a network card's buffers do. */
  checksum_offload_open_ring(&ring, REGISTERS, descriptors, JOBS);
  begin = now();
  checksum_offload_repeat(&ring, jobs);
  checksum_offload_ring_bell(&ring);
  for (uint32_t i = 0; i < jobs; i++) {
    while (i >= available) available = checksum_offload_available(&ring);
    const uint32_t result = descriptors[i].result;
    errors |= result;
    again[i] = (uint16_t)result;
  }
  checksum_offload_release(&ring, jobs);
  standing = now() - begin;
  report(BATCH, 4, length, jobs, all, standing);
  if (errors & 3u << 29) report(WRONG, 3, length, 0, errors, 0);
  for (uint32_t i = 0; i < jobs; i++) compare(length, expected[i], again[i]);
}

static void measure_interrupt(uint16_t length) {
  uint16_t checksum = 0;
  uint32_t begin;
  checksum_offload_take_events(REGISTERS);
  checksum_offload_enable_events(REGISTERS, CHECKSUM_OFFLOAD_EVENT_DONE);
  interrupt_events = 0;
  begin = now();
  checksum_offload_start(REGISTERS, data, length, 0);
  while (!interrupt_events) {
  }
  checksum_offload_result(REGISTERS, &checksum);
  report(INTERRUPT, 2, length, now() - begin, 0, 0);
  checksum_offload_enable_events(REGISTERS, 0);
  compare(length, straight_checksum(data, length), checksum);
}

int main(void) {
  uint32_t state = 1;
  for (uint32_t i = 0; i < sizeof data; i++) {
    state = state << 5 ^ state >> 3 ^ 0x9e3779b9u ^ i;
    data[i] = (uint8_t)(state >> 11);
  }
  measure_accesses();
  /* 1, then multiples of the step. */
  for (uint16_t length = 1; length <= 100; length += length % ZOOM_STEP ? ZOOM_STEP - 1 : ZOOM_STEP) {
    measure_length(length);
  }
  for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) measure_length(lengths[i]);
  measure_batch(64, 1);
  measure_batch(64, 16);
  measure_batch(8, JOBS);
  measure_batch(16, JOBS);
  measure_batch(32, JOBS);
  measure_batch(64, JOBS);
  measure_batch(512, JOBS);
  measure_batch(1460, JOBS);
  allow_interrupts();
  measure_interrupt(64);
  measure_interrupt(1460);
  return 0;
}
