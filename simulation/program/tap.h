// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/frame.h"

namespace toehold {

/// A Linux TAP device: whole Ethernet frames, no packet information, no offloads. The interface
/// goes when this object goes, unless it was made persistent elsewhere. Errors are
/// `std::runtime_error` with a sentence for the user.
class Tap {
 public:
  /// Opens or creates the interface `name`.
  static Tap open(const std::string& name);

  /// Takes over a descriptor that is already attached to a TAP interface.
  static Tap adopt(int descriptor);

  Tap(Tap&& other) noexcept;
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;
  ~Tap();

  /// For poll().
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  /// Reads the next frame into `frame`, padded to the minimum as a MAC would have sent it.
  /// False when there is none.
  bool receive(Frame& frame);

  /// False when the kernel did not take the frame.
  bool send(const Frame& frame);

 private:
  Tap(int descriptor, std::string name);

  int descriptor_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;  // for the longest frame
};

}  // namespace toehold
