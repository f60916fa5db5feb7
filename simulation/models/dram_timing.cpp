// SPDX-License-Identifier: Apache-2.0

#include "models/dram_timing.h"

namespace toehold {

namespace {

// Devices are eight bits wide, each with a page of 1 KiB.
constexpr unsigned kPageBytes = 1024;

}  // namespace

// JESD79-3F, speed bin DDR3-1600K.
DramTiming ddr3_1600(unsigned bus_bytes) {
  DramTiming timing{};
  timing.name = "DDR3-1600";
  timing.t_ck = 1250;
  timing.t_rcd = 13750;
  timing.t_rp = 13750;
  timing.t_cl = 11 * timing.t_ck;
  timing.t_cwl = 8 * timing.t_ck;
  timing.t_ras = 35000;
  timing.t_rrd_s = timing.t_rrd_l = 6000;
  timing.t_faw = 30000;
  timing.t_ccd_s = timing.t_ccd_l = 4 * timing.t_ck;
  timing.t_wr = 15000;
  timing.t_wtr_s = timing.t_wtr_l = 7500;
  timing.t_rtp = 7500;
  timing.t_refi = 7800000;
  timing.t_rfc = 260000;
  timing.turnaround_clocks = 2;
  timing.bank_groups = 1;
  timing.banks_per_group = 8;
  timing.row_bytes = kPageBytes * bus_bytes;
  timing.bus_bytes = bus_bytes;
  timing.transfers = 8;
  timing.controller_ps = 25000;
  return timing;
}

// JESD79-4, speed bin DDR4-2400T.
DramTiming ddr4_2400(unsigned bus_bytes) {
  DramTiming timing{};
  timing.name = "DDR4-2400";
  timing.t_ck = 833;
  timing.t_rcd = 14160;
  timing.t_rp = 14160;
  timing.t_cl = 17 * timing.t_ck;
  timing.t_cwl = 12 * timing.t_ck;
  timing.t_ras = 32000;
  timing.t_rrd_s = 3300;
  timing.t_rrd_l = 4900;
  timing.t_faw = 21000;
  timing.t_ccd_s = 4 * timing.t_ck;
  timing.t_ccd_l = 6 * timing.t_ck;
  timing.t_wr = 15000;
  timing.t_wtr_s = 2500;
  timing.t_wtr_l = 7500;
  timing.t_rtp = 7500;
  timing.t_refi = 7800000;
  timing.t_rfc = 350000;
  timing.turnaround_clocks = 2;
  timing.bank_groups = 4;
  timing.banks_per_group = 4;
  timing.row_bytes = kPageBytes * bus_bytes;
  timing.bus_bytes = bus_bytes;
  timing.transfers = 8;
  timing.controller_ps = 25000;
  return timing;
}

}  // namespace toehold
