// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace toehold {

/// Timing and geometry of one DRAM channel. Times are in picoseconds; names are JEDEC's.
/// `_s` holds between bank groups, `_l` within one; DDR3 has a single group.
struct DramTiming {
  std::string name;

  std::uint64_t t_ck;    // clock period; two transfers a clock
  std::uint64_t t_rcd;   // activate to column command
  std::uint64_t t_rp;    // precharge to activate
  std::uint64_t t_cl;    // read command to first data
  std::uint64_t t_cwl;   // write command to first data
  std::uint64_t t_ras;   // activate to precharge
  std::uint64_t t_rrd_s; // activate to activate, other bank
  std::uint64_t t_rrd_l;
  std::uint64_t t_faw;   // window that holds at most four activates
  std::uint64_t t_ccd_s; // column command to column command
  std::uint64_t t_ccd_l;
  std::uint64_t t_wr;    // end of write data to precharge
  std::uint64_t t_wtr_s; // end of write data to read command
  std::uint64_t t_wtr_l;
  std::uint64_t t_rtp;   // read command to precharge
  std::uint64_t t_refi;  // between refreshes
  std::uint64_t t_rfc;   // refresh to activate

  /// Clocks that the data bus idles when it turns from read to write.
  unsigned turnaround_clocks;

  unsigned bank_groups;
  unsigned banks_per_group;
  unsigned row_bytes;        // of the whole channel: what one activate opens
  unsigned bus_bytes;        // width of the data bus
  unsigned transfers;        // in one burst

  /// Controller and PHY, on the way in and out together.
  std::uint64_t controller_ps;

  unsigned banks() const { return bank_groups * banks_per_group; }
  unsigned burst_bytes() const { return bus_bytes * transfers; }
  std::uint64_t burst_ps() const { return t_ck * transfers / 2; }
};

/// DDR3-1600, 11-11-11, 4 Gbit devices with 1 KiB pages, on a bus of `bus_bytes`.
DramTiming ddr3_1600(unsigned bus_bytes = 8);

/// DDR4-2400, 17-17-17, 8 Gbit devices with 1 KiB pages, on a bus of `bus_bytes`.
DramTiming ddr4_2400(unsigned bus_bytes = 8);

/// One pseudo-channel of HBM2 at 2 Gb/s a pin, in devices of 8 Gbit: 64 bits, bursts of 32 bytes.
DramTiming hbm2();


}  // namespace toehold
