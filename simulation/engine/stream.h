// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "models/frame.h"

namespace toehold {

/// The widest stream in bytes.
constexpr unsigned kMaximumLanes = 64;

/// One transfer of a packet stream; byte 0 is in lane 0.
struct StreamBeat {
  std::array<std::uint8_t, kMaximumLanes> data{};
  std::uint64_t keep = 0;
  bool last = false;
  bool user = false;
};

/// Cuts frames into beats.
class StreamSource {
 public:
  explicit StreamSource(unsigned lanes) : lanes_(lanes) {}

  void put(Frame frame);
  void clear();

  /// Forgets the frames of which nothing was taken yet.
  void clear_waiting();

  bool empty() const { return queue_.empty(); }
  bool at_start() const { return position_ == 0; }
  std::size_t pending() const { return queue_.size(); }

  /// The beat on offer; only when not empty.
  const StreamBeat& beat() const { return beat_; }

  /// The beat on offer was taken.
  void taken(std::uint64_t clock, std::uint64_t time_ns);

  /// The last frame taken completely; its bytes are gone.
  const Frame& last_taken() const { return last_taken_; }

  /// Bytes of the frame on offer; only when not empty.
  std::size_t length() const { return queue_.front().bytes.size(); }

  std::uint64_t frames = 0, bytes = 0, beats = 0;

 private:
  void fill();

  unsigned lanes_;
  std::deque<Frame> queue_;
  std::size_t position_ = 0;
  StreamBeat beat_;
  Frame last_taken_;
};

/// Collects beats into frames.
class StreamSink {
 public:
  explicit StreamSink(unsigned lanes) : lanes_(lanes) {}

  /// True when the beat ended a frame.
  bool put(const StreamBeat& beat, std::uint64_t clock, std::uint64_t time_ns);
  void clear();

  bool empty() const { return queue_.empty(); }
  bool at_start() const { return partial_.bytes.empty(); }
  const Frame& front() const { return queue_.front(); }
  Frame take();

  std::uint64_t frames = 0, bytes = 0, beats = 0;

 private:
  unsigned lanes_;
  Frame partial_;
  std::deque<Frame> queue_;
};

}  // namespace toehold
