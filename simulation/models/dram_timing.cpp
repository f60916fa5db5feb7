// SPDX-License-Identifier: Apache-2.0

#include "models/dram_timing.h"

namespace toehold {

namespace {

// Devices are eight bits wide, each with a page of 1 KiB.
constexpr unsigned kPageBytes = 1024;

}  // namespace

// JESD79-3F, speed bin DDR3-1600K; times rounded up to clocks as a controller does.
DramTiming ddr3_1600(unsigned bus_bytes) {
  const std::uint64_t clock = 1250;
  DramTiming timing{};
  timing.name = "DDR3-1600";
  timing.t_ck = clock;
  timing.t_rcd = 11 * clock;
  timing.t_rp = 11 * clock;
  timing.t_cl = 11 * clock;
  timing.t_cwl = 8 * clock;
  timing.t_ras = 28 * clock;                    // 35 ns
  timing.t_rrd_s = timing.t_rrd_l = 5 * clock;  // 6 ns
  timing.t_faw = 24 * clock;                    // 30 ns
  timing.t_ccd_s = timing.t_ccd_l = 4 * clock;
  timing.t_wr = 12 * clock;                     // 15 ns
  timing.t_wtr_s = timing.t_wtr_l = 6 * clock;  // 7.5 ns
  timing.t_rtp = 6 * clock;                     // 7.5 ns
  timing.t_refi = 6240 * clock;                 // 7.8 us
  timing.t_rfc = 208 * clock;                   // 260 ns
  timing.turnaround_clocks = 2;
  timing.bank_groups = 1;
  timing.banks_per_group = 8;
  timing.row_bytes = kPageBytes * bus_bytes;
  timing.bus_bytes = bus_bytes;
  timing.transfers = 8;
  timing.controller_ps = 25000;
  return timing;
}

// JESD79-4, speed bin DDR4-2400T; times rounded up to clocks as a controller does.
DramTiming ddr4_2400(unsigned bus_bytes) {
  const std::uint64_t clock = 833;
  DramTiming timing{};
  timing.name = "DDR4-2400";
  timing.t_ck = clock;
  timing.t_rcd = 17 * clock;
  timing.t_rp = 17 * clock;
  timing.t_cl = 17 * clock;
  timing.t_cwl = 12 * clock;
  timing.t_ras = 39 * clock;    // 32 ns
  timing.t_rrd_s = 4 * clock;   // 3.3 ns
  timing.t_rrd_l = 6 * clock;   // 4.9 ns
  timing.t_faw = 26 * clock;    // 21 ns
  timing.t_ccd_s = 4 * clock;
  timing.t_ccd_l = 6 * clock;   // 5 ns
  timing.t_wr = 19 * clock;     // 15 ns
  timing.t_wtr_s = 4 * clock;   // 2.5 ns
  timing.t_wtr_l = 10 * clock;  // 7.5 ns
  timing.t_rtp = 10 * clock;    // 7.5 ns
  timing.t_refi = 9363 * clock; // 7.8 us
  timing.t_rfc = 421 * clock;   // 350 ns
  timing.turnaround_clocks = 2;
  timing.bank_groups = 4;
  timing.banks_per_group = 4;
  timing.row_bytes = kPageBytes * bus_bytes;
  timing.bus_bytes = bus_bytes;
  timing.transfers = 8;
  timing.controller_ps = 25000;
  return timing;
}

// JESD235 leaves most times to the vendor: these are the usual ones of devices at 2 Gb/s.
DramTiming hbm2() {
  const std::uint64_t clock = 1000;
  DramTiming timing{};
  timing.name = "HBM2";
  timing.t_ck = clock;
  timing.t_rcd = 14 * clock;
  timing.t_rp = 14 * clock;
  timing.t_cl = 14 * clock;
  timing.t_cwl = 6 * clock;
  timing.t_ras = 33 * clock;
  timing.t_rrd_s = 4 * clock;
  timing.t_rrd_l = 6 * clock;
  timing.t_faw = 16 * clock;
  timing.t_ccd_s = 2 * clock;
  timing.t_ccd_l = 4 * clock;
  timing.t_wr = 16 * clock;
  timing.t_wtr_s = 4 * clock;
  timing.t_wtr_l = 9 * clock;
  timing.t_rtp = 5 * clock;
  timing.t_refi = 3900 * clock;
  timing.t_rfc = 350 * clock;
  timing.turnaround_clocks = 2;
  timing.bank_groups = 4;
  timing.banks_per_group = 4;
  timing.row_bytes = kPageBytes;
  timing.bus_bytes = 8;
  timing.transfers = 4;
  timing.controller_ps = 25000;
  return timing;
}

}  // namespace toehold
