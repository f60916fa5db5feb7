// SPDX-License-Identifier: Apache-2.0

// Lengths and alignments of checksum_offload against a byte-wise reference.
//
//   sweep short SEED               every length up to 512 at every alignment 0 to 63
//   sweep long SEED ONE_IN         one length in ONE_IN of 1 to 65,535, each at an alignment drawn
//   sweep all SEED FIRST LAST      every length of FIRST to LAST at every alignment
//   sweep faults SEED COUNT        each time a beat that fails, or a length of 0
//   sweep ring SEED COUNT          descriptors with a share of faults, starts in between

#include <string>

#include "peripheral.h"

namespace {

const Timing kTimings[] = {
    {1, 0, 0},     // as fast as AXI4 goes
    {20, 60, 0},   // late, then at full speed
    {1, 10, 30},   // stalls now and then
    {5, 40, 80},   // hardly moves
};

void fill(Peripheral& p, int kind) {
  for (auto& byte : p.memory) {
    byte = kind == 0 ? 0xff : kind == 1 ? 0 : static_cast<uint8_t>(p.random.next());
  }
}

uint64_t g_checked = 0;

// Starts, waits and compares; counts the beats that were read.
void check(Peripheral& p, uint32_t offset, uint32_t length, uint16_t seed) {
  const uint32_t address = kMemoryBase + offset;
  p.allow(address, length);
  p.write(kAddress, address);
  p.write(kByteCount, length);
  p.write(kSeed, seed);
  p.write(kControl, 1);
  uint32_t result;
  uint64_t begin = p.clocks();
  while (!((result = p.read(kResult)) & kReady)) {
    if (p.clocks() - begin > kStuck) fail("no result for %u bytes at %u", length, offset);
    if (p.timing.stall_percent == 0) {  // polling in every clock is slow
      for (uint32_t i = 0; i < length / kBeatBytes / 2; i++) p.tick();
    }
  }
  const uint16_t expected = reference_checksum(p.at(address), length, seed);
  if (result != (kReady | expected)) {
    fail("%u bytes at alignment %u, seed %04x: %08x instead of %08x", length, offset % 64, seed,
         result, kReady | expected);
  }
  const uint64_t beats = (offset + length - 1) / kBeatBytes - offset / kBeatBytes + 1;
  if (p.beats_read != beats) {
    fail("%u bytes at alignment %u took %lu beats, not %lu", length, offset % 64,
         static_cast<unsigned long>(p.beats_read), static_cast<unsigned long>(beats));
  }
  g_checked++;
}

// Somewhere in memory, at a multiple of 64 bytes.
uint32_t place(Peripheral& p) { return p.random.below((kMemoryBytes - 65536 - 128) / 64) * 64; }

uint16_t draw_seed(Peripheral& p) {
  return p.random.chance(50) ? 0 : static_cast<uint16_t>(p.random.next());
}

void sweep_short(Peripheral& p) {
  for (uint32_t length = 1; length <= 512; length++) {
    fill(p, length <= 32 ? length % 3 : 2);
    p.timing = kTimings[p.random.below(3)];
    for (uint32_t alignment = 0; alignment < 64; alignment++) {
      check(p, place(p) + alignment, length, draw_seed(p));
    }
  }
}

void sweep_long(Peripheral& p, uint32_t one_in) {
  fill(p, 0);
  check(p, 63, 65535, 0xffff);
  fill(p, 2);
  check(p, 1, 65535, 0);
  for (uint32_t length = 1; length <= 65535; length++) {
    if (p.random.below(one_in)) continue;
    // Stalls cost time: few of the long ones have them.
    p.timing = kTimings[p.random.chance(4) ? 2 : p.random.below(2)];
    check(p, place(p) + p.random.below(64), length, draw_seed(p));
  }
}

void sweep_all(Peripheral& p, uint32_t first, uint32_t last) {
  fill(p, 2);
  for (uint32_t length = first; length <= last; length++) {
    for (uint32_t alignment = 0; alignment < 64; alignment++) {
      check(p, place(p) + alignment, length, draw_seed(p));
    }
  }
}

void sweep_faults(Peripheral& p, uint32_t count) {
  fill(p, 2);
  for (uint32_t i = 0; i < count; i++) {
    p.timing = kTimings[p.random.below(4)];
    const uint32_t offset = place(p) + p.random.below(64);
    const uint32_t length = p.random.chance(20) ? 0 : 1 + p.random.below(p.random.chance(80) ? 600 : 5000);
    const bool faulty = length && p.random.chance(60);
    const uint32_t bad = kMemoryBase + offset + (length ? p.random.below(length) : 0);
    if (faulty) p.set_failing(bad, true);
    if (length) p.allow(kMemoryBase + offset, length);
    const uint64_t before = p.bursts_read;
    p.write(kAddress, kMemoryBase + offset);
    p.write(kByteCount, length);
    p.write(kSeed, 0);
    p.write(kControl, 1);
    uint32_t result;
    for (int n = 0; !((result = p.read(kResult)) & kReady); n++) {
      if (n == kStuck) fail("a faulty checksum does not end");
    }
    const uint32_t status = p.read(kStatus);
    uint32_t expected = kReady | reference_checksum(p.at(kMemoryBase + offset), length, 0);
    if (!length) expected = kReady | kLengthError | 0xffff;
    if (faulty) expected = kReady | kBusError | 0xffff;
    if (result != expected) fail("%u bytes: %08x instead of %08x", length, result, expected);
    if (status != (1u | (!length ? 4u : 0u) | (faulty ? 8u : 0u))) fail("status is %x", status);
    if (!length && p.bursts_read != before) fail("a length of 0 reads memory");
    if (faulty) p.set_failing(bad, false);
    g_checked++;
  }
}

struct Expected {
  uint32_t descriptor, word;
};

void sweep_ring(Peripheral& p, uint32_t count) {
  uint64_t done = 0;
  while (done < count) {
    fill(p, 2);
    p.allow_all();
    const uint32_t entries = 1u << p.random.below(7);
    const uint32_t base = kMemoryBase + 128 * 1024 + p.random.below(64) * 1024;  // 64 entries: 1 KiB
    const bool faults = p.random.chance(50);
    p.write(kRingControl, 0);
    while (p.read(kRingCompleted)) {}
    if (p.read(kStatus) & 16) fail("ring_error outlives the ring");
    p.write(kInterruptPending, 3);
    p.write(kInterruptEnable, 2);
    p.write(kRingBase, base);
    p.write(kRingProduced, 0);
    p.write(kRingControl, (entries - 1) << 16 | 1);
    uint16_t produced = 0, completed = 0;
    bool failed = false;
    bool owed = false;  // an interrupt, for a batch that was not seen to end yet
    std::deque<Expected> waiting;
    const uint32_t last = p.random.below(4) ? 40 : 400;
    for (uint32_t round = 0; round < last; round++) {
      p.timing = kTimings[p.random.below(4)];
      const uint32_t room = entries - waiting.size();
      const uint32_t batch = room ? p.random.below(room + 1) : 0;
      bool fault = false;
      for (uint32_t i = 0; i < batch; i++) {
        const uint32_t descriptor = base + (produced & (entries - 1)) * 16;
        // Below the descriptors, so that results do not change what is summed.
        const uint32_t offset = p.random.below(128 * 1024 - 2048);
        const uint32_t length = p.random.chance(10) ? 0 : 1 + p.random.below(p.random.chance(90) ? 100 : 2000);
        const uint16_t seed = draw_seed(p);
        p.set_word(descriptor, kMemoryBase + offset);
        p.set_word(descriptor + 4, static_cast<uint32_t>(seed) << 16 | length);
        p.set_word(descriptor + 8, 0);
        p.set_word(descriptor + 12, 0x1234'5678);
        uint32_t word = kReady | reference_checksum(p.at(kMemoryBase + offset), length, seed);
        if (!length) word = kReady | kLengthError | 0xffff;
        bool fails = false;
        // One fault at a time, and only where no other descriptor is in the same beat.
        if (faults && entries >= 8 && waiting.empty() && i == 0 && batch == 1 && p.random.chance(30)) {
          if (length && p.random.chance(50)) {
            p.set_failing(kMemoryBase + offset, true);
            word = kReady | kBusError | 0xffff;
          } else if (p.random.chance(50)) {
            p.set_failing(descriptor, true);  // not read, and on a wide bus not written either
            word = kBeatBytes == 8 ? kReady | kBusError | 0xffff : 0;
            fails = true;
          } else {
            p.set_failing(descriptor + 8, true);  // not written, and on a wide bus not read either
            word = 0;
            fails = true;
          }
          fault = true;
        }
        waiting.push_back({descriptor, word});
        failed = failed || fails;
        produced++;
      }
      if (batch) p.write(kRingProduced, produced);
      owed = owed || batch;
      for (uint32_t i = p.random.below(200); i; i--) p.tick();
      if (p.random.chance(20)) {  // a start meanwhile
        const uint32_t length = 1 + p.random.below(300), offset = p.random.below(128 * 1024 - 2048);
        p.write(kAddress, kMemoryBase + offset);
        p.write(kByteCount, length);
        p.write(kSeed, 0);
        p.write(kControl, 1);
        uint32_t result;
        while (!((result = p.read(kResult)) & kReady)) {}
        const uint32_t expected =
            kReady | reference_checksum(p.at(kMemoryBase + offset), length, 0);
        // It may have met the beat that fails on purpose.
        if (result != expected && !(result & kBusError)) {
          fail("started meanwhile: %08x instead of %08x", result, expected);
        }
      }
      const bool wait_for_all = fault || p.random.chance(30);
      for (int n = 0; wait_for_all; n++) {
        if (static_cast<uint16_t>(p.read(kRingCompleted)) == produced) break;
        if (n == kStuck) fail("the ring stands still");
      }
      const uint16_t now = static_cast<uint16_t>(p.read(kRingCompleted));
      while (completed != now) {
        if (waiting.empty()) fail("more completed than was asked for");
        const Expected expected = waiting.front();
        waiting.pop_front();
        completed++;
        const uint32_t word = p.word(expected.descriptor + 8);
        if (word != expected.word) {
          fail("descriptor %u has %08x instead of %08x", completed - 1u, word, expected.word);
        }
        if (p.word(expected.descriptor + 12) != 0x1234'5678) fail("the word behind was written");
        done++;
        g_checked++;
      }
      if (now == produced) {
        if (owed) {
          for (int n = 0; n < 4; n++) p.tick();
          if (!p.interrupt()) fail("no interrupt after a batch");
          p.write(kInterruptPending, 2);
          owed = false;
        }
        for (int n = 0; n < 4; n++) p.tick();
        if (p.interrupt()) fail("a second interrupt after a batch");
        std::fill(p.failing.begin(), p.failing.end(), false);
      }
      if (!!(p.read(kStatus) & 16) != failed) fail("ring_error is %d", !failed);
    }
    while (static_cast<uint16_t>(p.read(kRingCompleted)) != produced) {}
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  Peripheral p(std::strtoull(argv[2], nullptr, 0), kTimings[0]);
  const uint32_t first = argc > 3 ? std::strtoul(argv[3], nullptr, 0) : 0;
  const uint32_t second = argc > 4 ? std::strtoul(argv[4], nullptr, 0) : 0;
  if (mode == "short") sweep_short(p);
  else if (mode == "long") sweep_long(p, first);
  else if (mode == "all") sweep_all(p, first, second);
  else if (mode == "faults") sweep_faults(p, first);
  else if (mode == "ring") sweep_ring(p, first);
  else return 2;
  std::printf("%lu checksums, %lu clocks\n", static_cast<unsigned long>(g_checked),
              static_cast<unsigned long>(p.clocks()));
  return 0;
}
