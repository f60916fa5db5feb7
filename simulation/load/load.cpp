// SPDX-License-Identifier: Apache-2.0

#include "load/load.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace toehold {

namespace {

// Frames ahead of the engine: it never waits for one, and acknowledgements are young.
constexpr std::size_t kFramesAhead = 2;

constexpr std::size_t kLongestFrame = 65536;
constexpr std::uint64_t kArpClocks = 20000;
constexpr std::uint64_t kLongestRestUs = 1000;
constexpr std::uint32_t kMostClients = 12'000'000;
constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr std::uint64_t kLinkSeed = 0x6c6f6164;

toehold_load_settings with_defaults(toehold_load_settings settings) {
  const auto set = [](std::uint32_t& field, std::uint32_t value) { if (field == 0) field = value; };
  set(settings.clients, 1);
  set(settings.mss, 1460);
  set(settings.odd_mss, settings.mss);
  set(settings.window, 65535);
  set(settings.ack_every, 2);
  set(settings.ack_delay_us, 200);
  set(settings.retransmit_us, 200000);
  if (settings.clients > kMostClients) {
    throw std::invalid_argument("there can be 12 million clients at most");
  }
  if (std::max(settings.mss, settings.odd_mss) > 65495 || settings.window > 65535 ||
      settings.ack_every > 255) {
    throw std::invalid_argument("mss, odd_mss, window or ack_every are too large");
  }
  return settings;
}

std::optional<LinkModel> link(const toehold_link_settings* from, std::uint64_t seed) {
  if (from == nullptr) return std::nullopt;
  LinkSettings settings;
  settings.loss = from->loss;
  settings.reorder = from->reorder;
  settings.duplicate = from->duplicate;
  settings.corrupt = from->corrupt;
  settings.corrupt_marks_fcs = from->corrupt_marks_fcs != 0;
  settings.delay_ns = from->delay_us * 1000;
  settings.rate_bps = from->rate_bps;
  if (from->queue_frames != 0) settings.queue_frames = from->queue_frames;
  if (from->reorder_hold_us != 0) settings.reorder_hold_ns = from->reorder_hold_us * 1000;
  return LinkModel(settings, seed);
}

}  // namespace

Load::Load(toehold_sim* sim, const toehold_load_settings& settings)
    : sim_(sim), settings_(with_defaults(settings)), patterns_(settings_.seed),
      clients_(settings_.clients), addresses_((settings_.clients + 59999) / 60000),
      to_engine_(link(settings.to_engine, settings_.seed ^ kLinkSeed)),
      from_engine_(link(settings.from_engine, ~settings_.seed ^ kLinkSeed)), taken_(kLongestFrame) {
  if (toehold_sim_get_time_mode(sim) != TOEHOLD_SIM_TIME_CYCLES) {
    throw std::invalid_argument("a load needs a time that follows the clocks");
  }
  find_engine();
}

// Asks from each address of the clients, so that the engine knows them all.
void Load::find_engine() {
  if (toehold_sim_read_field(sim_, "network_ip_address", &engine_ip_) != TOEHOLD_SIM_OK) {
    throw std::runtime_error(toehold_sim_error(sim_));
  }
  for (std::uint32_t number = 0; number < addresses_; number++) {
    ArpPacket packet;
    packet.sender_mac = {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(number + 1)};
    packet.sender_ip = address(number);
    packet.target_ip = engine_ip_;
    engine_known_ = false;
    for (std::uint64_t i = 0; i < kArpClocks && !engine_known_; i++) {
      // Again and again: the engine may not have been enabled for long, and the link may lose frames.
      if (i % 2000 == 0) {
        build(packet, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, frame_);
        put(frame_, kNobody);
      }
      feed();
      toehold_sim_advance(sim_, 1);
      note_taken();
      collect();
    }
    if (!engine_known_) throw std::runtime_error("the engine does not answer ARP");
  }
}

bool Load::put(const std::vector<std::uint8_t>& frame, std::uint32_t timed_client) {
  if (to_engine_) {
    Frame sent;
    sent.bytes = frame;
    to_engine_->put(std::move(sent), now_ns());
    return true;
  }
  counters_.frames_in++;
  before_engine_.push_back(timed_client);
  return toehold_sim_put_frame(sim_, frame.data(), frame.size(), 0) == TOEHOLD_SIM_OK;
}

// Notes when the frames that begin turns pass into the engine.
void Load::note_taken() {
  if (before_engine_.empty()) return;
  const std::size_t pending = toehold_sim_frames_pending(sim_);
  while (before_engine_.size() > pending) {
    const std::uint32_t number = before_engine_.front();
    before_engine_.pop_front();
    if (number == kNobody) continue;
    toehold_sim_frame_info info;
    toehold_sim_last_frame_put(sim_, &info);
    clients_[number].began_clock = info.first_clock;
    clients_[number].timed = true;
  }
}

void Load::feed() {
  if (to_engine_) {
    while (auto arrived = to_engine_->take(now_ns())) {
      counters_.frames_in++;
      toehold_sim_put_frame(sim_, arrived->bytes.data(), arrived->bytes.size(),
                            arrived->bad_fcs ? TOEHOLD_SIM_FRAME_BAD_FCS : 0);
    }
  }
  while (toehold_sim_frames_pending(sim_) < kFramesAhead) {
    if (!urgent_.empty()) {
      put(urgent_.front(), kNobody);
      urgent_.pop_front();
      continue;
    }
    if (ready_.empty()) return;
    const std::uint32_t number = ready_.front();
    ready_.pop_front();
    Client& client = clients_[number];
    client.queued = false;
    if (build_next(number, frame_)) {
      const bool times = client.timing && !to_engine_ && !from_engine_;
      client.timing = false;
      put(frame_, times ? number : kNobody);
    }
    if (has_more(client)) queue(number);
    if (to_engine_) return;  // the link has no end to it: one frame a clock
  }
}

void Load::collect() {
  if (!served_ports_.empty()) serve();
  toehold_sim_frame_info info;
  while (toehold_sim_outputs(sim_) & TOEHOLD_SIM_OUTPUT_FRAME) {
    if (toehold_sim_take_frame(sim_, taken_.data(), taken_.size(), &info) != 1) break;
    counters_.frames_out++;
    if (from_engine_) {
      Frame sent;
      sent.bytes.assign(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(info.length));
      from_engine_->put(std::move(sent), now_ns());
    } else {
      receive(taken_.data(), info.length, info.first_clock);
    }
  }
  if (!from_engine_) return;
  while (auto arrived = from_engine_->take(now_ns())) {
    if (!arrived->bad_fcs) receive(arrived->bytes.data(), arrived->bytes.size(), 0);
  }
}

// When something outside the engine happens next.
std::uint64_t Load::next_us() const {
  std::uint64_t next = now_us() + kLongestRestUs;
  if (!retransmissions_.empty()) next = std::min(next, retransmissions_.front().time_us);
  if (!acknowledgements_.empty()) next = std::min(next, acknowledgements_.front().time_us);
  for (const Task& task : tasks_) {
    if (task.report.begun < task.wanted.turns && task.wanted.turns_per_second > 0) {
      next = std::min(next, task.next_ns / 1000);
    }
  }
  if (to_engine_) next = std::min(next, to_engine_->next_arrival_ns() / 1000);
  if (from_engine_) next = std::min(next, from_engine_->next_arrival_ns() / 1000);
  return next;
}

bool Load::idle() const {
  return ready_.empty() && urgent_.empty() && toehold_sim_frames_pending(sim_) == 0 &&
         (served_ports_.empty() || toehold_sim_messages_pending(sim_) == 0);
}

bool Load::run(std::uint64_t most_clocks) {
  const std::uint64_t end_clock = toehold_sim_clocks(sim_) + most_clocks;
  while (toehold_sim_clocks(sim_) < end_clock) {
    begin_turns();
    run_timers();
    feed();
    if (idle()) {
      const bool done =
          std::all_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.finished(); });
      if (done) return true;
    }
    const std::uint64_t next = idle() ? next_us() : 0;
    if (next > now_us() + 1) {
      const std::uint64_t clock = toehold_sim_clocks(sim_);
      const unsigned told = served_ports_.empty() ? 0 : TOEHOLD_SIM_OUTPUT_APPLICATION;
      toehold_sim_run_until_output(sim_, next, TOEHOLD_SIM_OUTPUT_FRAME | told);
      if (toehold_sim_clocks(sim_) == clock) toehold_sim_advance(sim_, 1);
    } else {
      toehold_sim_advance(sim_, 1);
    }
    note_taken();
    collect();
  }
  return false;
}

}  // namespace toehold
