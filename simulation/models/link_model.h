// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/frame.h"
#include "models/random.h"

namespace toehold {

/// How one direction of a link misbehaves. Probabilities are 0 to 1 and are drawn per frame.
struct LinkSettings {
  double loss = 0;
  double reorder = 0;
  double duplicate = 0;
  double corrupt = 0;

  /// A corrupted frame carries the mark of a wrong FCS. Without it, one bit beyond the Ethernet
  /// header is flipped and the frame arrives as if its FCS were right, so that only the checksums
  /// of IPv4, TCP and ICMP can tell; frames without such a checksum (ARP) are marked all the same.
  bool corrupt_marks_fcs = false;

  /// Time from the last bit sent to the frame's arrival.
  std::uint64_t delay_ns = 0;

  /// Bits per second, counting preamble, FCS and gap; 0 for a link that takes no time.
  std::uint64_t rate_bps = 0;

  /// Frames that may wait for the link when `rate_bps` is set; more are dropped.
  std::size_t queue_frames = 1000;

  /// A reordered frame is overtaken by one to three later frames; if there are none, it arrives
  /// this much late.
  std::uint64_t reorder_hold_ns = 1'000'000;

  bool perfect() const {
    return loss == 0 && reorder == 0 && duplicate == 0 && corrupt == 0 && delay_ns == 0 &&
           rate_bps == 0;
  }
};

struct LinkCounters {
  std::uint64_t frames_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t queue_dropped = 0;
};

/// One direction of a link. Time is the caller's, in nanoseconds, and must not run backwards.
/// The same seed, frames and times give the same arrivals.
class LinkModel {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  LinkModel(const LinkSettings& settings, std::uint64_t seed);

  /// For frames that are sent from now on.
  void set(const LinkSettings& settings) { settings_ = settings; }

  /// Sends a frame at `now_ns`.
  void put(Frame frame, std::uint64_t now_ns);

  /// The next frame that has arrived by `now_ns`.
  std::optional<Frame> take(std::uint64_t now_ns);

  /// When the next frame arrives; `kNever` when none is under way.
  std::uint64_t next_arrival_ns() const;

  const LinkCounters& counters() const { return counters_; }

 private:
  struct Transit {
    std::uint64_t arrival_ns;
    std::uint64_t order;  // breaks ties: smaller first
    unsigned overtakers;  // frames that have yet to pass; 0 when not held back
    Frame frame;
  };

  void send(Frame frame, std::uint64_t now_ns, bool held_back);
  void corrupt(Frame& frame);
  std::size_t waiting_for_link(std::uint64_t now_ns);

  LinkSettings settings_;
  Random random_;
  LinkCounters counters_;
  std::vector<Transit> in_transit_;
  std::vector<std::uint64_t> departures_ns_;  // of frames that wait for the link
  std::uint64_t link_free_ns_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace toehold
