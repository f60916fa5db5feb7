// SPDX-License-Identifier: Apache-2.0

#include "engine/stream.h"

#include <algorithm>
#include <cstring>

namespace toehold {

namespace {

std::uint64_t mask(std::size_t lanes) {
  return lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
}

}  // namespace

void StreamSource::put(Frame frame) {
  queue_.push_back(std::move(frame));
  if (queue_.size() == 1) fill();
}

void StreamSource::clear() {
  queue_.clear();
  position_ = 0;
}

void StreamSource::clear_waiting() {
  queue_.resize(at_start() ? 0 : 1);
}

void StreamSource::fill() {
  const Frame& frame = queue_.front();
  const std::size_t count = std::min<std::size_t>(lanes_, frame.bytes.size() - position_);
  std::memcpy(beat_.data.data(), frame.bytes.data() + position_, count);
  std::memset(beat_.data.data() + count, 0, lanes_ - count);
  beat_.keep = mask(count);
  beat_.last = position_ + count == frame.bytes.size();
  beat_.user = beat_.last && frame.bad_fcs;
}

void StreamSource::taken(std::uint64_t clock, std::uint64_t time_ns) {
  Frame& frame = queue_.front();
  if (position_ == 0) frame.first_clock = clock;
  beats++;
  position_ += lanes_;
  if (beat_.last) {
    frames++;
    bytes += frame.bytes.size();
    frame.last_clock = clock;
    frame.time_ns = time_ns;
    last_taken_ = std::move(frame);
    queue_.pop_front();
    position_ = 0;
  }
  if (!queue_.empty()) fill();
}

bool StreamSink::put(const StreamBeat& beat, std::uint64_t clock, std::uint64_t time_ns) {
  if (partial_.bytes.empty()) partial_.first_clock = clock;
  std::size_t count = 0;
  while (count < lanes_ && ((beat.keep >> count) & 1)) count++;
  partial_.bytes.insert(partial_.bytes.end(), beat.data.begin(), beat.data.begin() + count);
  beats++;
  bytes += count;
  if (!beat.last) return false;

  frames++;
  partial_.last_clock = clock;
  partial_.time_ns = time_ns;
  queue_.push_back(std::move(partial_));
  partial_ = Frame{};
  return true;
}

void StreamSink::clear() {
  queue_.clear();
  partial_ = Frame{};
}

Frame StreamSink::take() {
  Frame frame = std::move(queue_.front());
  queue_.pop_front();
  return frame;
}

}  // namespace toehold
