// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <vector>

#include "models/link_model.h"
#include "toehold_sockets.h"

using toehold::Frame;
using toehold::LinkModel;
using toehold::LinkSettings;

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kLongestFrame = 65536;
constexpr std::uint64_t kNsPerUs = 1000;

// While anything moves, neither port is ahead of the other by more.
constexpr std::uint64_t kStepUs = 1;

bool is_probability(double value) { return value >= 0 && value <= 1; }

bool sensible(const toehold_link_settings* settings) {
  return settings == nullptr ||
         (is_probability(settings->loss) && is_probability(settings->reorder) &&
          is_probability(settings->duplicate) && is_probability(settings->corrupt) &&
          settings->delay_us < kNever / kNsPerUs && settings->reorder_hold_us < kNever / kNsPerUs);
}

LinkSettings converted(const toehold_link_settings* settings) {
  LinkSettings converted;
  if (settings == nullptr) return converted;
  converted.loss = settings->loss;
  converted.reorder = settings->reorder;
  converted.duplicate = settings->duplicate;
  converted.corrupt = settings->corrupt;
  converted.corrupt_marks_fcs = settings->corrupt_marks_fcs != 0;
  converted.delay_ns = settings->delay_us * kNsPerUs;
  converted.rate_bps = settings->rate_bps;
  if (settings->queue_frames != 0) converted.queue_frames = settings->queue_frames;
  if (settings->reorder_hold_us != 0) {
    converted.reorder_hold_ns = settings->reorder_hold_us * kNsPerUs;
  }
  return converted;
}

}  // namespace

struct toehold_link {
  toehold_link(const toehold_port& a, const toehold_port& b, const toehold_link_settings* a_to_b,
               const toehold_link_settings* b_to_a, std::uint64_t seed)
      : ports{a, b},
        directions{LinkModel(converted(a_to_b), seed * 2),
                   LinkModel(converted(b_to_a), seed * 2 + 1)},
        buffer(kLongestFrame) {}

  // Frames of port `from` take the direction of that number.
  void take_frames(std::size_t from);
  void deliver();
  int step(std::uint64_t limit_us);
  std::uint64_t next_us() const;
  void see(std::size_t direction, bool arrived, const Frame& frame, std::uint64_t when_us) const {
    if (observer == nullptr) return;
    observer(observer_context, static_cast<toehold_link_direction>(direction), arrived ? 1 : 0,
             frame.bytes.data(), frame.bytes.size(),
             frame.bad_fcs ? TOEHOLD_SIM_FRAME_BAD_FCS : 0, when_us);
  }

  std::array<toehold_port, 2> ports;
  std::array<LinkModel, 2> directions;
  std::vector<std::uint8_t> buffer;
  std::uint64_t now_us = 0;
  toehold_link_observer observer = nullptr;
  void* observer_context = nullptr;
};

void toehold_link::take_frames(std::size_t from) {
  const toehold_port& port = ports[from];
  std::uint64_t sent_us = now_us;
  while (const std::size_t length =
             port.take_frame(port.context, buffer.data(), buffer.size(), &sent_us)) {
    Frame frame;
    frame.bytes.assign(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(length));
    see(from, false, frame, sent_us);
    directions[from].put(std::move(frame), sent_us * kNsPerUs);
  }
}

void toehold_link::deliver() {
  for (std::size_t direction = 0; direction < 2; direction++) {
    const toehold_port& port = ports[1 - direction];
    while (auto frame = directions[direction].take(now_us * kNsPerUs)) {
      see(direction, true, *frame, now_us);
      port.put_frame(port.context, frame->bytes.data(), frame->bytes.size(),
                     frame->bad_fcs ? TOEHOLD_SIM_FRAME_BAD_FCS : 0, now_us);
    }
  }
}

std::uint64_t toehold_link::next_us() const {
  std::uint64_t next = kNever;
  for (const LinkModel& direction : directions) {
    const std::uint64_t arrival_ns = direction.next_arrival_ns();
    if (arrival_ns != LinkModel::kNever) {
      next = std::min(next, (arrival_ns + kNsPerUs - 1) / kNsPerUs);
    }
  }
  for (const toehold_port& port : ports) {
    if (port.next_deadline_us != nullptr) {
      next = std::min(next, port.next_deadline_us(port.context));
    }
  }
  return std::max(next, now_us);
}

// Both ports to the next time at which something may happen, at least by kStepUs.
int toehold_link::step(std::uint64_t limit_us) {
  std::uint64_t target_us = std::min(std::max(next_us(), now_us + kStepUs), limit_us);
  for (const LinkModel& direction : directions) {
    const std::uint64_t arrival_ns = direction.next_arrival_ns();
    if (arrival_ns == LinkModel::kNever) continue;
    const std::uint64_t arrival_us = (arrival_ns + kNsPerUs - 1) / kNsPerUs;
    if (arrival_us > now_us) target_us = std::min(target_us, arrival_us);
  }

  bool news = false;
  for (std::size_t from = 0; from < 2; from++) {
    const toehold_port& port = ports[from];
    int result = 0;
    do {
      result = port.run_until == nullptr ? 0 : port.run_until(port.context, target_us);
      if (result < 0) return result;
      news = news || (result & TOEHOLD_RUN_NEWS) != 0;
      take_frames(from);
    } while ((result & TOEHOLD_RUN_FRAME) != 0);
  }
  now_us = target_us;
  return news ? 1 : 0;
}

extern "C" {

static int run_link(void* context, uint64_t time_us) {
  return toehold_link_run_until(static_cast<toehold_link*>(context), time_us);
}

static uint64_t next_of_link(void* context) {
  return toehold_link_next_us(static_cast<toehold_link*>(context));
}

toehold_link* toehold_link_create(const toehold_port* a, const toehold_port* b,
                                  const toehold_link_settings* a_to_b,
                                  const toehold_link_settings* b_to_a, uint64_t seed) {
  if (a == nullptr || b == nullptr || !sensible(a_to_b) || !sensible(b_to_a)) return nullptr;
  for (const toehold_port* port : {a, b}) {
    if (port->put_frame == nullptr || port->take_frame == nullptr) return nullptr;
  }
  auto* link = new (std::nothrow) toehold_link(*a, *b, a_to_b, b_to_a, seed);
  if (link == nullptr) return nullptr;
  const toehold_world world{link, run_link, next_of_link};
  for (const toehold_port& port : link->ports) {
    if (port.time_us != nullptr) link->now_us = std::max(link->now_us, port.time_us(port.context));
    if (port.connected != nullptr) port.connected(port.context, &world);
  }
  return link;
}

void toehold_link_destroy(toehold_link* link) {
  if (link == nullptr) return;
  for (const toehold_port& port : link->ports) {
    if (port.connected != nullptr) port.connected(port.context, nullptr);
  }
  delete link;
}

int toehold_link_set(toehold_link* link, enum toehold_link_direction direction,
                     const toehold_link_settings* settings) {
  if ((direction != TOEHOLD_LINK_A_TO_B && direction != TOEHOLD_LINK_B_TO_A) ||
      !sensible(settings)) {
    return TOEHOLD_EINVAL;
  }
  link->directions[direction].set(converted(settings));
  return 0;
}

void toehold_link_get_counters(const toehold_link* link, enum toehold_link_direction direction,
                               toehold_link_counters* counters) {
  const toehold::LinkCounters& found = link->directions[direction].counters();
  *counters = {found.frames_in, found.bytes_in,   found.frames_out, found.bytes_out,    found.lost,
               found.reordered, found.duplicated, found.corrupted,  found.queue_dropped};
}

void toehold_link_observe(toehold_link* link, toehold_link_observer observer, void* context) {
  link->observer = observer;
  link->observer_context = context;
}

int toehold_link_run_until(toehold_link* link, uint64_t time_us) {
  for (;;) {
    // A port that only reacts may have been given something to say since, and answers at once.
    for (std::size_t from = 0; from < 2; from++) link->take_frames(from);
    link->deliver();
    for (std::size_t from = 0; from < 2; from++) link->take_frames(from);
    if (link->now_us >= time_us) return 0;
    const int result = link->step(time_us);
    if (result != 0) return result;
  }
}

uint64_t toehold_link_time_us(const toehold_link* link) { return link->now_us; }
uint64_t toehold_link_next_us(const toehold_link* link) { return link->next_us(); }

}  // extern "C"
