// SPDX-License-Identifier: Apache-2.0

#include "engine/deadlines.h"

#include <algorithm>

namespace toehold {

namespace {

// The functions that the RTL calls have no argument that says which engine it is.
thread_local Deadlines* watched = nullptr;

}  // namespace

Deadlines::Watch::Watch(Deadlines& deadlines, std::uint64_t now_us) {
  deadlines.now_us_ = now_us;
  watched = &deadlines;
}

Deadlines::Watch::~Watch() { watched = nullptr; }

void Deadlines::armed(unsigned timer_class, std::uint64_t wait_us) {
  if (due_us_.size() <= timer_class) due_us_.resize(timer_class + 1);
  due_us_[timer_class].push_back(now_us_ + wait_us);
  changed_ = true;
}

void Deadlines::expired(unsigned timer_class) {
  if (timer_class < due_us_.size() && !due_us_[timer_class].empty()) {
    due_us_[timer_class].pop_front();
  }
  changed_ = true;
}

bool Deadlines::changed() {
  const bool changed = changed_;
  changed_ = false;
  return changed;
}

std::uint64_t Deadlines::next_us() const {
  std::uint64_t next = kNever;
  for (const auto& queue : due_us_) {
    if (!queue.empty()) next = std::min(next, queue.front());
  }
  return next;
}

}  // namespace toehold

extern "C" {

void toehold_timer_armed(int timer_class, int wait_us) {
  if (toehold::watched != nullptr) {
    toehold::watched->armed(static_cast<unsigned>(timer_class),
                            static_cast<std::uint64_t>(wait_us));
  }
}

void toehold_timer_expired(int timer_class) {
  if (toehold::watched != nullptr) toehold::watched->expired(static_cast<unsigned>(timer_class));
}

}  // extern "C"
