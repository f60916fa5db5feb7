// SPDX-License-Identifier: Apache-2.0

#include "models/link_model.h"

#include <algorithm>
#include <utility>

namespace toehold {

namespace {

// Leaves room for a frame that is placed right behind the one that overtook it.
constexpr std::uint64_t kOrderStep = 2;
constexpr unsigned kMaximumOvertakers = 3;

bool is_ipv4(const Frame& frame) {
  return frame.bytes.size() > kEthernetHeaderBytes && frame.bytes[12] == 0x08 &&
         frame.bytes[13] == 0x00;
}

}  // namespace

LinkModel::LinkModel(const LinkSettings& settings, std::uint64_t seed)
    : settings_(settings), random_(seed) {}

void LinkModel::put(Frame frame, std::uint64_t now_ns) {
  counters_.frames_in++;
  counters_.bytes_in += frame.bytes.size();

  // Every frame draws the same numbers, so that changing one probability leaves the fate of
  // frames under the others as it was.
  const bool lost = random_.chance(settings_.loss);
  const bool reordered = random_.chance(settings_.reorder);
  const bool duplicated = random_.chance(settings_.duplicate);
  const bool corrupted = random_.chance(settings_.corrupt);

  if (lost) {
    counters_.lost++;
    return;
  }
  if (settings_.rate_bps != 0 && waiting_for_link(now_ns) >= settings_.queue_frames) {
    counters_.queue_dropped++;
    return;
  }
  if (duplicated) {
    counters_.duplicated++;
    send(frame, now_ns, false);
  }
  if (corrupted) {
    counters_.corrupted++;
    corrupt(frame);
  }
  if (reordered) counters_.reordered++;
  send(std::move(frame), now_ns, reordered);
}

void LinkModel::send(Frame frame, std::uint64_t now_ns, bool held_back) {
  std::uint64_t departure_ns = now_ns;
  if (settings_.rate_bps != 0) {
    const std::uint64_t bits = (frame.bytes.size() + kWireOverheadBytes) * 8;
    const std::uint64_t start_ns = std::max(now_ns, link_free_ns_);
    departure_ns = start_ns + bits * 1'000'000'000 / settings_.rate_bps;
    link_free_ns_ = departure_ns;
    departures_ns_.push_back(departure_ns);
  }
  Transit transit{departure_ns + settings_.delay_ns, order_ += kOrderStep, 0, std::move(frame)};

  for (Transit& other : in_transit_) {
    if (other.overtakers == 0) continue;
    if (--other.overtakers == 0) {
      other.arrival_ns = transit.arrival_ns;
      other.order = transit.order + 1;
    }
  }
  if (held_back) {
    transit.overtakers = 1 + static_cast<unsigned>(random_.below(kMaximumOvertakers));
    transit.arrival_ns += settings_.reorder_hold_ns;
  }
  in_transit_.push_back(std::move(transit));
}

void LinkModel::corrupt(Frame& frame) {
  if (frame.bytes.size() > kEthernetHeaderBytes) {
    const std::size_t span = frame.bytes.size() - kEthernetHeaderBytes;
    const std::size_t position = kEthernetHeaderBytes + random_.below(span);
    frame.bytes[position] ^= static_cast<std::uint8_t>(1u << random_.below(8));
  }
  if (settings_.corrupt_marks_fcs || !is_ipv4(frame)) frame.bad_fcs = true;
}

std::size_t LinkModel::waiting_for_link(std::uint64_t now_ns) {
  departures_ns_.erase(std::remove_if(departures_ns_.begin(), departures_ns_.end(),
                                      [now_ns](std::uint64_t when) { return when <= now_ns; }),
                       departures_ns_.end());
  return departures_ns_.size();
}

namespace {

template <typename Transits>
auto earliest(Transits& transits) {
  return std::min_element(transits.begin(), transits.end(), [](const auto& a, const auto& b) {
    return a.arrival_ns != b.arrival_ns ? a.arrival_ns < b.arrival_ns : a.order < b.order;
  });
}

}  // namespace

std::optional<Frame> LinkModel::take(std::uint64_t now_ns) {
  const auto next = earliest(in_transit_);
  if (next == in_transit_.end() || next->arrival_ns > now_ns) return std::nullopt;

  Frame frame = std::move(next->frame);
  in_transit_.erase(next);
  counters_.frames_out++;
  counters_.bytes_out += frame.bytes.size();
  return frame;
}

std::uint64_t LinkModel::next_arrival_ns() const {
  const auto next = earliest(in_transit_);
  return next == in_transit_.end() ? kNever : next->arrival_ns;
}

}  // namespace toehold
