// SPDX-License-Identifier: Apache-2.0

#include "engine/simulated_time.h"

#include <algorithm>
#include <chrono>

namespace toehold {

namespace {

std::uint64_t wall_ps() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return static_cast<std::uint64_t>(ns) * 1000;
}

}  // namespace

void SimulatedTime::set_mode(TimeMode mode) {
  mode_ = mode;
  // Differences of the wall clock survive its wrap in picoseconds (213 days of 64 bits).
  if (mode == TimeMode::kWall) wall_base_ps_ = wall_ps() - now_ps_;
}

void SimulatedTime::look() {
  if (mode_ == TimeMode::kWall) now_ps_ = std::max(now_ps_, wall_ps() - wall_base_ps_);
}

}  // namespace toehold
