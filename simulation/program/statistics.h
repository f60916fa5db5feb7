// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/engine.h"
#include "models/link_model.h"

namespace toehold {

/// What passed between the link and the outside.
struct OutsideCounters {
  std::uint64_t received = 0;        // frames from the TAP or the capture
  std::uint64_t sent = 0;            // frames to the TAP
  std::uint64_t refused = 0;         // frames that the kernel did not take
  std::uint64_t dropped_bad_fcs = 0; // marked frames, which no kernel sees
};

/// Makes the lines of statistics, and writes them without ever waiting for the reader.
class Statistics {
 public:
  /// `descriptor` may be negative: then nothing is written.
  Statistics(Engine& engine, int descriptor);

  /// Says on the descriptor that frames are taken from now on.
  void announce(const std::string& interface);

  /// Reads all registers, which takes some clocks, and makes one JSON object.
  std::string collect(const LinkCounters& to_engine, const LinkCounters& from_engine,
                      const OutsideCounters& outside);

  /// Writes a line, or skips it when the reader has not read the last one.
  void publish(const std::string& line);

 private:
  void flush();

  Engine& engine_;
  int descriptor_;
  std::string unsent_;
  std::chrono::steady_clock::time_point start_;
  double last_busy_s_ = 0;
  std::uint64_t last_clocks_ = 0;
};

}  // namespace toehold
