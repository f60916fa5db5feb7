// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/dram_timing.h"

namespace toehold {

struct DramCounters {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t activates = 0;
  std::uint64_t row_hits = 0;       // the row was open
  std::uint64_t row_misses = 0;     // the bank was closed
  std::uint64_t row_conflicts = 0;  // another row was open
  std::uint64_t refreshes = 0;
  std::uint64_t bus_busy_ps = 0;    // the data bus carried data

  DramCounters& operator+=(const DramCounters& other);
};

/// Banks, rows and buses of one DRAM channel with a scheduler that issues at most one command a
/// DRAM clock and prefers open rows (first ready, first come, first served). Knows times, not data.
/// An access is one burst of `DramTiming::burst_bytes()`, aligned.
class DramChannel {
 public:
  struct Access {
    std::uint64_t address;  // in bytes
    bool write;
    std::uint64_t tag;      // the caller's
  };

  struct Completion {
    std::uint64_t tag;
    bool write;
    std::uint64_t time_ps;  // of the last data on the bus, controller included
  };

  explicit DramChannel(const DramTiming& timing);

  /// Accesses that may wait; `put` beyond it is an error of the caller.
  static constexpr std::size_t kQueue = 64;
  bool full() const { return queue_.size() >= kQueue; }

  /// Queues an access at `now_ps`. Time must not run backwards.
  void put(const Access& access, std::uint64_t now_ps);

  /// Issues what can be issued by `now_ps` and appends the accesses whose data has been scheduled
  /// to `completions`; completion times may lie ahead.
  void advance(std::uint64_t now_ps, std::vector<Completion>& completions);

  const DramCounters& counters() const { return counters_; }
  const DramTiming& timing() const { return timing_; }

 private:
  struct Location {
    unsigned bank;
    unsigned group;
    std::uint64_t row;
  };

  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    std::uint64_t activate_ready = 0;   // earliest next activate
    std::uint64_t column_ready = 0;     // earliest next column command
    std::uint64_t precharge_ready = 0;  // earliest next precharge
  };

  struct Waiting {
    Access access;
    Location location;
    bool activated = false;  // opened its row itself: not a hit
    unsigned passed = 0;     // later accesses that went first
  };

  Location locate(std::uint64_t address) const;
  bool row_open(const Waiting& waiting) const;
  std::size_t window() const;
  bool must_wait(std::size_t index) const;
  bool row_wanted(unsigned bank) const;
  std::uint64_t column_time(const Waiting& waiting) const;
  std::uint64_t precharge_time(const Waiting& waiting) const;
  std::uint64_t activate_time(const Waiting& waiting, std::uint64_t from_ps) const;
  bool issue_column(std::uint64_t now_ps, std::vector<Completion>& completions);
  bool issue_row(std::uint64_t now_ps);
  void open_row(Waiting& waiting, std::uint64_t now_ps);
  Completion transfer(const Waiting& waiting, std::uint64_t column_ps);
  void refresh_until(std::uint64_t now_ps);

  DramTiming timing_;
  DramCounters counters_;
  std::vector<Bank> banks_;
  std::deque<Waiting> queue_;
  std::uint64_t slot_ps_ = 0;  // next free slot of the command bus
  std::uint64_t next_refresh_ps_;

  // Last use of what all banks share.
  bool any_column_ = false;
  bool last_was_write_ = false;
  unsigned last_group_ = 0;
  std::uint64_t last_column_ps_ = 0;
  std::uint64_t data_end_ps_ = 0;
  std::vector<std::uint64_t> write_end_ps_;  // per bank group
  std::vector<std::uint64_t> group_activate_ps_;
  std::array<std::uint64_t, 4> last_activates_ps_{};  // oldest first
  unsigned activates_known_ = 0;
};

}  // namespace toehold
