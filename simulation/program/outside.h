// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/frame.h"

namespace toehold {

struct Options;

/// Where frames come from and go to. `now_ns` is simulated time.
class Outside {
 public:
  virtual ~Outside() = default;

  /// What a person calls it.
  virtual std::string name() const = 0;

  /// The next frame that has come by `now_ns`; false when there is none.
  virtual bool receive(Frame& frame, std::uint64_t now_ns) = 0;

  /// False when the frame was not taken.
  virtual bool send(const Frame& frame) = 0;

  /// For poll(), or -1 when frames come by simulated time alone.
  virtual int descriptor() const { return -1; }

  /// Simulated time of the next frame, if known, else the largest number.
  virtual std::uint64_t next_ns() const { return UINT64_MAX; }

  /// No frame will come any more.
  virtual bool finished() const { return false; }
};

/// The TAP device or the capture that the options name.
std::unique_ptr<Outside> open_outside(const Options& options);

}  // namespace toehold
