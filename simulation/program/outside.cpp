// SPDX-License-Identifier: Apache-2.0

#include "program/outside.h"

#include <optional>
#include <utility>

#include "models/pcap.h"
#include "program/options.h"
#include "program/tap.h"

namespace toehold {

namespace {

class TapOutside : public Outside {
 public:
  explicit TapOutside(Tap tap) : tap_(std::move(tap)) {}

  std::string name() const override { return tap_.name(); }
  bool receive(Frame& frame, std::uint64_t) override { return tap_.receive(frame); }
  bool send(const Frame& frame) override { return tap_.send(frame); }
  int descriptor() const override { return tap_.descriptor(); }

 private:
  Tap tap_;
};

/// Frames of a capture at their times, the first one at once; what the engine sends goes nowhere.
class CaptureOutside : public Outside {
 public:
  explicit CaptureOutside(const std::string& path) : path_(path), reader_(path) { advance(); }

  std::string name() const override { return path_; }

  bool receive(Frame& frame, std::uint64_t now_ns) override {
    if (!next_ || next_ns() > now_ns) return false;
    frame = std::move(*next_);
    advance();
    return true;
  }

  bool send(const Frame&) override { return true; }
  std::uint64_t next_ns() const override { return next_ ? next_->time_ns : UINT64_MAX; }
  bool finished() const override { return !next_; }

 private:
  void advance() {
    do {
      next_ = reader_.next();
    } while (next_ && next_->bytes.empty());
    if (!next_) return;
    if (!first_ns_) first_ns_ = next_->time_ns;
    // Captures may step back a little where they were merged.
    next_->time_ns = next_->time_ns > *first_ns_ ? next_->time_ns - *first_ns_ : 0;
  }

  std::string path_;
  PcapReader reader_;
  std::optional<Frame> next_;
  std::optional<std::uint64_t> first_ns_;
};

}  // namespace

std::unique_ptr<Outside> open_outside(const Options& options) {
  if (!options.replay.empty()) return std::make_unique<CaptureOutside>(options.replay);
  if (options.tap_descriptor >= 0) {
    return std::make_unique<TapOutside>(Tap::adopt(options.tap_descriptor));
  }
  return std::make_unique<TapOutside>(Tap::open(options.tap));
}

}  // namespace toehold
