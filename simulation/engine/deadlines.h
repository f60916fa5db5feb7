// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace toehold {

/// When the engine's timers are due: what simulation/rtl/timer_watch.sv sees at its timer queues.
class Deadlines {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// While one lives, what is seen in this thread belongs to `deadlines`, at that time.
  class Watch {
   public:
    Watch(Deadlines& deadlines, std::uint64_t now_us);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
  };

  void armed(unsigned timer_class, std::uint64_t wait_us);
  void expired(unsigned timer_class);
  void clear() { due_us_.clear(); }

  /// True once when an entry has gone in or come out since the last call.
  bool changed();

  /// When the first entry is due; `kNever` without one.
  std::uint64_t next_us() const;

 private:
  std::vector<std::deque<std::uint64_t>> due_us_;  // by class, each in order
  std::uint64_t now_us_ = 0;
  bool changed_ = false;
};

}  // namespace toehold
