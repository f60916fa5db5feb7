// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace toehold {

enum class TimeMode { kCycles = 0, kWall = 1, kStepped = 2 };

/// The time that the engine is told. Starts at 0 and never runs backwards.
class SimulatedTime {
 public:
  void set_mode(TimeMode mode);
  TimeMode mode() const { return mode_; }

  void set_period_ps(std::uint64_t period_ps) { period_ps_ = period_ps; }
  std::uint64_t period_ps() const { return period_ps_; }

  /// Sets the time in stepped mode.
  void step_to_us(std::uint64_t microseconds) { now_ps_ = microseconds * 1'000'000; }

  /// Moves the time forward without clocks, by cycles or stepped.
  void skip_ps(std::uint64_t picoseconds) { now_ps_ += picoseconds; }

  /// One clock passed.
  void tick() {
    if (mode_ == TimeMode::kCycles) {
      now_ps_ += period_ps_;
    } else if (mode_ == TimeMode::kWall && ++ticks_ % kTicksPerLook == 0) {
      look();
    }
  }

  /// Reads the wall clock now, in wall mode.
  void look();

  std::uint64_t now_ps() const { return now_ps_; }
  std::uint64_t now_ns() const { return now_ps_ / 1000; }
  std::uint64_t now_us() const { return now_ps_ / 1'000'000; }

 private:
  // Reading the wall clock costs about as much as a small engine's clock.
  static constexpr unsigned kTicksPerLook = 16;

  TimeMode mode_ = TimeMode::kCycles;
  std::uint64_t period_ps_ = 8000;
  std::uint64_t now_ps_ = 0;
  std::uint64_t wall_base_ps_ = 0;  // wall clock at simulated time 0
  unsigned ticks_ = 0;
};

}  // namespace toehold
