// SPDX-License-Identifier: Apache-2.0

// toe_loopback, driven by commands on standard input, a line each:
//
//   w BUS ADDRESS VALUE   writes a register; BUS is 0 (client), 1 (server) or 2 (traffic generator)
//   r BUS ADDRESS         prints what is in it
//   a CLOCKS              advances, and prints the clocks since reset
//
// PERIOD_PS is the clock's period.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "Vtoe_loopback.h"
#include "verilated.h"

namespace {

constexpr int kClocksForAnAnswer = 100'000;  // memories are cleared after reset

std::unique_ptr<Vtoe_loopback> dut;
std::uint64_t clocks = 0;

void tick() {
  dut->now_us = static_cast<std::uint32_t>(clocks * PERIOD_PS / 1'000'000);
  dut->clk = 1;
  dut->eval();
  dut->clk = 0;
  dut->eval();
  clocks++;
}

bool write(CData& awvalid, CData& wvalid, CData& awready, CData& wready, CData& bvalid,
           CData& bready) {
  awvalid = wvalid = bready = 1;
  for (int i = 0; i < kClocksForAnAnswer; i++) {
    dut->eval();
    const bool address = awvalid && awready, data = wvalid && wready, answer = bvalid;
    tick();
    if (address) awvalid = 0;
    if (data) wvalid = 0;
    if (answer) {
      bready = 0;
      return true;
    }
  }
  return false;
}

bool read(CData& arvalid, CData& arready, CData& rvalid, CData& rready, const IData& rdata,
          std::uint32_t& value) {
  arvalid = rready = 1;
  for (int i = 0; i < kClocksForAnAnswer; i++) {
    dut->eval();
    const bool address = arvalid && arready, answer = rvalid;
    value = rdata;
    tick();
    if (address) arvalid = 0;
    if (answer) {
      rready = 0;
      return true;
    }
  }
  return false;
}

#define WRITE(bus)                                                                       \
  (dut->s_axil_##bus##_awaddr = address, dut->s_axil_##bus##_wdata = value,              \
   dut->s_axil_##bus##_wstrb = 0xf,                                                      \
   write(dut->s_axil_##bus##_awvalid, dut->s_axil_##bus##_wvalid,                        \
         dut->s_axil_##bus##_awready, dut->s_axil_##bus##_wready,                        \
         dut->s_axil_##bus##_bvalid, dut->s_axil_##bus##_bready))

#define READ(bus)                                                                        \
  (dut->s_axil_##bus##_araddr = address,                                                 \
   read(dut->s_axil_##bus##_arvalid, dut->s_axil_##bus##_arready,                        \
        dut->s_axil_##bus##_rvalid, dut->s_axil_##bus##_rready, dut->s_axil_##bus##_rdata, \
        value))

}  // namespace

int main() {
  dut = std::make_unique<Vtoe_loopback>();
  dut->app_enable_i = 0xf;
  dut->rst = 1;
  for (int i = 0; i < 8; i++) tick();
  dut->rst = 0;

  char line[100];
  while (std::fgets(line, sizeof line, stdin)) {
    char what = 0;
    std::uint32_t bus = 0, address = 0, value = 0;
    std::uint64_t count = 0;
    bool done = false;
    if (std::sscanf(line, "a %" SCNu64, &count) == 1) {
      for (std::uint64_t i = 0; i < count; i++) tick();
      std::printf("%" PRIu64 "\n", clocks);
      done = true;
    } else if (std::sscanf(line, "%c %u %u %u", &what, &bus, &address, &value) >= 3) {
      if (what == 'w') {
        done = bus == 0 ? WRITE(client) : bus == 1 ? WRITE(server) : WRITE(traffic);
        std::printf("ok\n");
      } else if (what == 'r') {
        done = bus == 0 ? READ(client) : bus == 1 ? READ(server) : READ(traffic);
        std::printf("%u\n", value);
      }
    }
    if (!done) {
      std::fprintf(stderr, "loopback: no answer to: %s", line);
      return 1;
    }
    std::fflush(stdout);
  }
  return 0;
}
