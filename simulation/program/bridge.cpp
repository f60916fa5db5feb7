// SPDX-License-Identifier: Apache-2.0

#include "program/bridge.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/register_map.h"

namespace toehold {

namespace {

using Wall = std::chrono::steady_clock;

// Clocks between two looks at the outside: a few tens of microseconds of work.
constexpr unsigned kClocksPerSlice = 64;

// Nothing moved for this long: longer than any path through the engine.
constexpr std::uint64_t kQuietClocks = 2000;

// The end of a replay waits for answers that take a timer.
constexpr std::uint64_t kQuietClocksAtEnd = 20000;

// What is inside the engine when it is told to stop is through after this long.
constexpr unsigned kSettleClocks = 20000;

// Frames that wait in front of the engine; more stay with the kernel.
constexpr std::size_t kFramesAhead = 4096;
constexpr unsigned kFramesPerLook = 256;

constexpr std::uint64_t kLongestRestNs = 1'000'000;
constexpr std::uint64_t kLongestSkipNs = 100'000;

std::uint64_t wall_epoch_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

Bridge::Bridge(const Options& options)
    : options_(options),
      outside_(open_outside(options)),
      to_engine_(options.to_engine, options.seed * 2),
      from_engine_(options.from_engine, options.seed * 2 + 1),
      statistics_(engine_, options.statistics_descriptor) {
  engine_.time.set_period_ps(options.clock_ps);
  for (MemoryPort* memory : {&engine_.state_memory, &engine_.payload_memory}) {
    memory->set(options.memory);
    memory->set_channels(options.memory_channels);
  }
  engine_.enable_applications(options.applications);
  if (!options.wave.empty()) {
    engine_.open_waves(options.wave, options.wave_from_us, options.wave_to_us);
  }
  if (!options.pcap.empty()) pcap_.emplace(options.pcap);
  for (const auto& [name, value] : options.settings) {
    const RegisterField* field = find_register(name.c_str());
    const std::uint64_t mask = ((std::uint64_t{1} << field->bits) - 1) << field->low_bit;
    const std::uint64_t word = field->readable ? engine_.read_register(field->address) : 0;
    engine_.write_register(
        field->address,
        static_cast<std::uint32_t>((word & ~mask) | (std::uint64_t{value} << field->low_bit)));
  }
  engine_.time.set_mode(options.time);
  if (options.time == TimeMode::kWall) pcap_epoch_ns_ = wall_epoch_ns() - engine_.time.now_ns();
}

void Bridge::capture(const Frame& frame, std::uint64_t time_ns) {
  if (pcap_) pcap_->write(frame, pcap_epoch_ns_ + time_ns);
}

void Bridge::take_from_outside() {
  const std::uint64_t now_ns = engine_.time.now_ns();
  Frame frame;
  for (unsigned i = 0; i < kFramesPerLook && engine_.frames_in.pending() < kFramesAhead; i++) {
    if (!outside_->receive(frame, now_ns)) break;
    counters_.received++;
    if (options_.pcap_at_tap) capture(frame, now_ns);
    to_engine_.put(std::move(frame), now_ns);
  }
  while (auto arrived = to_engine_.take(now_ns)) {
    if (!options_.pcap_at_tap) capture(*arrived, now_ns);
    engine_.frames_in.put(std::move(*arrived));
  }
}

void Bridge::take_from_engine() {
  while (!engine_.frames_out.empty()) {
    Frame frame = engine_.frames_out.take();
    const std::uint64_t sent_ns = frame.time_ns;
    if (!options_.pcap_at_tap) capture(frame, sent_ns);
    from_engine_.put(std::move(frame), sent_ns);
  }
  const std::uint64_t now_ns = engine_.time.now_ns();
  while (auto arrived = from_engine_.take(now_ns)) {
    if (arrived->bad_fcs) {
      counters_.dropped_bad_fcs++;
      continue;
    }
    if (options_.pcap_at_tap) capture(*arrived, now_ns);
    (outside_->send(*arrived) ? counters_.sent : counters_.refused)++;
  }
}

bool Bridge::idle() const {
  return engine_.quiet_clocks() >= kQuietClocks && engine_.frames_in.empty();
}

bool Bridge::finished() const {
  return outside_->finished() && engine_.frames_in.empty() &&
         to_engine_.next_arrival_ns() == LinkModel::kNever &&
         from_engine_.next_arrival_ns() == LinkModel::kNever &&
         engine_.quiet_clocks() >= kQuietClocksAtEnd;
}

// Sleeps until a frame comes from the outside, or one is due from the link model.
void Bridge::rest() {
  const std::uint64_t now_ns = engine_.time.now_ns();
  const std::uint64_t due_ns = std::min(
      {to_engine_.next_arrival_ns(), from_engine_.next_arrival_ns(), outside_->next_ns()});
  if (due_ns <= now_ns) return;
  const std::uint64_t wait_ns = std::min(due_ns - now_ns, kLongestRestNs);
  const timespec timeout{0, static_cast<long>(wait_ns)};
  pollfd descriptor{outside_->descriptor(), POLLIN, 0};
  ppoll(&descriptor, 1, &timeout, nullptr);
}

// In small steps, so that timers of the engine are not late by more than one.
void Bridge::skip_gap() {
  const std::uint64_t now_ns = engine_.time.now_ns();
  const std::uint64_t due_ns = std::min(
      {to_engine_.next_arrival_ns(), from_engine_.next_arrival_ns(), outside_->next_ns()});
  if (due_ns == UINT64_MAX || due_ns <= now_ns) return;
  engine_.time.skip_ps(std::min(due_ns - now_ns, kLongestSkipNs) * 1000);
}

// A stop comes at any clock. The frame that is being received then comes to its end, and the engine
// through with it, so that each frame that was counted as received is counted for what it was. Then
// time stands still: no timer sends a frame while the counters are read.
void Bridge::settle() {
  engine_.frames_in.clear_waiting();
  take_from_engine();  // what left while counters were read for a report
  for (unsigned i = 0; i < kSettleClocks && !idle(); i++) {
    engine_.clock();
    take_from_engine();
  }
  engine_.time.set_mode(TimeMode::kStepped);
}

void Bridge::run(const volatile std::sig_atomic_t& stop) {
  const auto start = Wall::now();
  const auto period = std::chrono::milliseconds(options_.statistics_ms);
  auto next_report = start + period;
  statistics_.announce(outside_->name());

  while (!stop && !finished()) {
    engine_.time.look();
    take_from_outside();
    for (unsigned i = 0; i < kClocksPerSlice; i++) engine_.clock();
    take_from_engine();

    if (idle()) {
      if (options_.time == TimeMode::kWall) {
        rest();
      } else if (!options_.replay.empty()) {
        skip_gap();
      }
    }

    const auto now = Wall::now();
    if (now >= next_report) {
      next_report = now + period;
      if (pcap_) pcap_->flush();
      if (options_.statistics_descriptor >= 0) {
        statistics_.publish(
            statistics_.collect(to_engine_.counters(), from_engine_.counters(), counters_));
      }
      if (options_.duration_s &&
          std::chrono::duration<double>(now - start).count() >= *options_.duration_s) {
        break;
      }
    }
  }
  settle();
  engine_.close_waves();
  if (pcap_) pcap_->flush();
}

std::string Bridge::summary() {
  return statistics_.collect(to_engine_.counters(), from_engine_.counters(), counters_);
}

}  // namespace toehold
