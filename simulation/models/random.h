// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace toehold {

/// SplitMix64. The distributions of the C++ library differ between implementations; a seed here
/// gives the same run everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  /// True with the given probability, 0 to 1. Always draws one number.
  bool chance(double probability) {
    const double unit = static_cast<double>(next() >> 11) / 9007199254740992.0;  // 2^53
    return unit < probability;
  }

  /// A number below `bound`, which must not be 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace toehold
