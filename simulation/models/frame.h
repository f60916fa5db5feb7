// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace toehold {

/// An Ethernet frame without preamble and FCS, as it passes between a MAC and the engine.
struct Frame {
  std::vector<std::uint8_t> bytes;

  /// The FCS was wrong: a MAC delivers such a frame with a mark, a kernel never sees it.
  bool bad_fcs = false;

  /// Simulated time, in nanoseconds, at which the last beat passed.
  std::uint64_t time_ns = 0;

  /// Clocks in which the first and the last beat passed.
  std::uint64_t first_clock = 0;
  std::uint64_t last_clock = 0;
};

/// Sizes in bytes, all without FCS.
constexpr std::size_t kEthernetHeaderBytes = 14;
constexpr std::size_t kMinimumFrameBytes = 60;

/// What a frame occupies on the wire beside its bytes: preamble, FCS and inter-frame gap.
constexpr std::size_t kWireOverheadBytes = 24;

}  // namespace toehold
