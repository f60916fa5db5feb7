// SPDX-License-Identifier: Apache-2.0

// The simulation's link model for Python (link.py): one direction, with its time from outside.

#include "models/link_model.h"

#include <cstring>
#include <optional>

using toehold::Frame;
using toehold::LinkModel;
using toehold::LinkSettings;

extern "C" {

struct LinkChoice {
  double loss, reorder, duplicate, corrupt;
  std::uint64_t delay_ns, rate_bps;
};

LinkModel* link_create(const LinkChoice* choice, std::uint64_t seed) {
  LinkSettings settings;
  settings.loss = choice->loss;
  settings.reorder = choice->reorder;
  settings.duplicate = choice->duplicate;
  settings.corrupt = choice->corrupt;
  settings.delay_ns = choice->delay_ns;
  settings.rate_bps = choice->rate_bps;
  return new LinkModel(settings, seed);
}

void link_destroy(LinkModel* link) { delete link; }

void link_put(LinkModel* link, const std::uint8_t* bytes, std::size_t length,
              std::uint64_t now_ns) {
  Frame frame;
  frame.bytes.assign(bytes, bytes + length);
  link->put(std::move(frame), now_ns);
}

// The length of the frame that has arrived, 0 for none. The buffer holds any frame that was put.
std::size_t link_take(LinkModel* link, std::uint64_t now_ns, std::uint8_t* bytes, int* bad_fcs) {
  const std::optional<Frame> frame = link->take(now_ns);
  if (!frame) return 0;
  std::memcpy(bytes, frame->bytes.data(), frame->bytes.size());
  *bad_fcs = frame->bad_fcs;
  return frame->bytes.size();
}

std::uint64_t link_next_arrival_ns(const LinkModel* link) { return link->next_arrival_ns(); }

void link_get_counters(const LinkModel* link, toehold::LinkCounters* counters) {
  *counters = link->counters();
}

}  // extern "C"
