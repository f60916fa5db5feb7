// SPDX-License-Identifier: Apache-2.0

// The C driver and the lwIP hook on this machine, against the Verilated peripheral: registers are
// accesses of its bus, and memory is that of the peripheral.
//
//   driver SEED

#include <algorithm>

#include "peripheral.h"

extern "C" {
#include "checksum_offload.c"
#ifdef WITH_LWIP
#include "lwip_checksum.c"
#endif
}

namespace {

constexpr uintptr_t kRegisters = 0x4000'0000;
Peripheral* g_peripheral;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) fail("%s:%d: not %s", __FILE__, __LINE__, #condition); \
  } while (0)

uint8_t* draw(uint32_t length) {
  Peripheral& p = *g_peripheral;
  uint8_t* data = &p.memory[p.random.below(64 * 1024 - length)];
  for (uint32_t i = 0; i < length; i++) data[i] = static_cast<uint8_t>(p.random.next());
  return data;
}

void polls() {
  for (int i = 0; i < 300; i++) {
    const uint32_t length = 1 + g_peripheral->random.below(2000);
    const uint16_t seed = static_cast<uint16_t>(g_peripheral->random.next());
    const uint8_t* data = draw(length);
    uint16_t checksum = 0;
    EXPECT(checksum_offload_compute(kRegisters, data, static_cast<uint16_t>(length), seed,
                                    &checksum) == CHECKSUM_OFFLOAD_DONE);
    EXPECT(checksum == reference_checksum(data, length, seed));
  }
}

void tells_errors() {
  uint16_t checksum = 0x1234;
  EXPECT(checksum_offload_compute(kRegisters, draw(1), 0, 0, &checksum) ==
         CHECKSUM_OFFLOAD_LENGTH_ERROR);
  std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), true);
  EXPECT(checksum_offload_compute(kRegisters, draw(9), 9, 0, &checksum) ==
         CHECKSUM_OFFLOAD_BUS_ERROR);
  EXPECT(checksum == 0x1234);
  std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), false);
}

void interrupts() {
  EXPECT(checksum_offload_take_events(kRegisters) == CHECKSUM_OFFLOAD_EVENT_DONE);
  checksum_offload_enable_events(kRegisters, CHECKSUM_OFFLOAD_EVENT_DONE);
  const uint8_t* data = draw(1500);
  EXPECT(!g_peripheral->interrupt());
  checksum_offload_start(kRegisters, data, 1500, 7);
  for (int i = 0; !g_peripheral->interrupt(); i++) {
    EXPECT(i < kStuck);
    g_peripheral->tick();
  }
  EXPECT(checksum_offload_take_events(kRegisters) == CHECKSUM_OFFLOAD_EVENT_DONE);
  uint16_t checksum = 0;
  EXPECT(checksum_offload_result(kRegisters, &checksum) == CHECKSUM_OFFLOAD_DONE);
  EXPECT(checksum == reference_checksum(data, 1500, 7));
  EXPECT(!g_peripheral->interrupt());
  EXPECT(checksum_offload_take_events(kRegisters) == 0);
}

void batches() {
  auto* descriptors =
      reinterpret_cast<checksum_offload_descriptor*>(&g_peripheral->memory[128 * 1024]);
  checksum_offload_ring ring;
  EXPECT(!checksum_offload_open_ring(&ring, kRegisters, descriptors, 0));
  EXPECT(!checksum_offload_open_ring(&ring, kRegisters, descriptors, 12));
  EXPECT(!checksum_offload_open_ring(&ring, kRegisters, descriptors, 8192));
  EXPECT(!checksum_offload_open_ring(&ring, kRegisters, descriptors + 1, 4));
  for (unsigned entries : {1u, 2u, 16u}) {
    EXPECT(checksum_offload_open_ring(&ring, kRegisters, descriptors, entries));
    checksum_offload_enable_events(kRegisters, CHECKSUM_OFFLOAD_EVENT_BATCH);
    checksum_offload_take_events(kRegisters);
    uint16_t checksum;
    uint32_t tag;
    EXPECT(checksum_offload_take(&ring, &checksum, &tag) == CHECKSUM_OFFLOAD_BUSY);
    for (int round = 0; round < 20; round++) {
      uint16_t expected[16];
      bool empty[16];
      for (unsigned i = 0; i < entries; i++) {
        const uint32_t length = g_peripheral->random.below(5) ? 1 + g_peripheral->random.below(99) : 0;
        // A place of its own for each.
        uint8_t* data = &g_peripheral->memory[1024 * i + g_peripheral->random.below(64)];
        for (uint32_t n = 0; n < length; n++) data[n] = static_cast<uint8_t>(g_peripheral->random.next());
        empty[i] = length == 0;
        expected[i] = reference_checksum(data, length, 5);
        EXPECT(checksum_offload_put(&ring, data, static_cast<uint16_t>(length), 5, 100 + i));
      }
      EXPECT(!checksum_offload_put(&ring, descriptors, 1, 0, 0));
      EXPECT(checksum_offload_take(&ring, &checksum, &tag) == CHECKSUM_OFFLOAD_BUSY);
      checksum_offload_ring_bell(&ring);
      for (int i = 0; !g_peripheral->interrupt(); i++) {
        EXPECT(i < kStuck);
        g_peripheral->tick();
      }
      EXPECT(checksum_offload_take_events(kRegisters) == CHECKSUM_OFFLOAD_EVENT_BATCH);
      for (unsigned i = 0; i < entries; i++) {
        const auto status = checksum_offload_take(&ring, &checksum, &tag);
        EXPECT(status == (empty[i] ? CHECKSUM_OFFLOAD_LENGTH_ERROR : CHECKSUM_OFFLOAD_DONE));
        EXPECT(tag == 100 + i);
        EXPECT(empty[i] || checksum == expected[i]);
      }
      EXPECT(checksum_offload_take(&ring, &checksum, &tag) == CHECKSUM_OFFLOAD_BUSY);
    }
    // The descriptors once more, after other data.
    uint16_t expected[16];
    for (unsigned i = 0; i < entries; i++) {
      uint8_t* data = &g_peripheral->memory[1024 * i];
      for (int n = 0; n < 30; n++) data[n] = static_cast<uint8_t>(n + i);
      EXPECT(checksum_offload_put(&ring, data, 30, 1, i));
      expected[i] = reference_checksum(data, 30, 1);
    }
    for (int round = 0; round < 3; round++) {
      if (round) {
        EXPECT(!checksum_offload_repeat(&ring, entries + 1));
        EXPECT(checksum_offload_repeat(&ring, entries));
        EXPECT(!checksum_offload_repeat(&ring, 1));
      }
      EXPECT(checksum_offload_available(&ring) == 0);
      checksum_offload_ring_bell(&ring);
      for (int i = 0; checksum_offload_available(&ring) != entries; i++) EXPECT(i < kStuck);
      for (unsigned i = 0; i < entries; i++) {
        EXPECT(descriptors[i].result == (kReady | expected[i]));
        descriptors[i].result = 0;
      }
      checksum_offload_release(&ring, entries);
    }
    checksum_offload_take_events(kRegisters);
    // A result that cannot be written is not waited for.
    EXPECT(checksum_offload_put(&ring, draw(9), 9, 0, 77));
    std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), true);
    checksum_offload_ring_bell(&ring);
    for (int i = 0; checksum_offload_take(&ring, &checksum, &tag) == CHECKSUM_OFFLOAD_BUSY; i++) {
      EXPECT(i < kStuck);
    }
    EXPECT(tag == 77);
    std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), false);
  }
}

void sums_pseudo_headers() {
  const uint8_t header[12] = {192, 168, 1, 200, 10, 77, 0, 2, 0, 6, 0xfe, 0xdc};
  const uint16_t sum = checksum_offload_pseudo_header(0xc0a801c8, 0x0a4d0002, 6, 0xfedc);
  EXPECT(static_cast<uint16_t>(~sum) == reference_checksum(header, sizeof header, 0));
}

#ifdef WITH_LWIP
// The hook and lwIP's own function agree on every short length, and on errors of the peripheral.
void plugs_into_lwip() {
  EXPECT(toehold_lwip_checksum(draw(40), 40));  // not attached yet
  toehold_lwip_checksum_attach(kRegisters);
  for (int length = 1; length <= 1600; length += length < 100 ? 1 : 37) {
    const uint64_t before = g_peripheral->bursts_read;
    const uint8_t* data = draw(length);
    EXPECT(toehold_lwip_checksum(data, length) == lwip_standard_chksum(data, length));
    EXPECT((g_peripheral->bursts_read != before) == (length >= TOEHOLD_LWIP_SHORTEST));
  }
  std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), true);
  const uint8_t* data = draw(500);
  EXPECT(toehold_lwip_checksum(data, 500) == lwip_standard_chksum(data, 500));
  std::fill(g_peripheral->failing.begin(), g_peripheral->failing.end(), false);
}
#endif

}  // namespace

uint32_t peripheral_read(uintptr_t address) {
  return g_peripheral->read(static_cast<uint32_t>(address - kRegisters));
}

void peripheral_write(uintptr_t address, uint32_t value) {
  g_peripheral->write(static_cast<uint32_t>(address - kRegisters), value);
}

uint32_t peripheral_bus_address(const volatile void* pointer) {
  const auto offset = static_cast<const volatile uint8_t*>(pointer) - g_peripheral->memory.data();
  if (offset < 0 || offset >= kMemoryBytes) fail("not in the peripheral's memory");
  return kMemoryBase + static_cast<uint32_t>(offset);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Peripheral peripheral(std::strtoull(argv[1], nullptr, 0), {3, 20, 20});
  peripheral.allow_all();
  g_peripheral = &peripheral;
  polls();
  tells_errors();
  interrupts();
  batches();
  sums_pseudo_headers();
#ifdef WITH_LWIP
  plugs_into_lwip();
#endif
  return 0;
}
