// SPDX-License-Identifier: Apache-2.0

#include "program/statistics.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <stdexcept>

#include "engine/register_map.h"
#include "program/json.h"

namespace toehold {

namespace {

// Processor time of this thread: what went into simulating, not into sleeping, whatever else the
// machine does.
double busy_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

JsonObject describe(const LinkCounters& link) {
  JsonObject object;
  object.member("frames_in", link.frames_in)
      .member("bytes_in", link.bytes_in)
      .member("frames_out", link.frames_out)
      .member("bytes_out", link.bytes_out)
      .member("lost", link.lost)
      .member("reordered", link.reordered)
      .member("duplicated", link.duplicated)
      .member("corrupted", link.corrupted)
      .member("queue_dropped", link.queue_dropped);
  return object;
}

JsonObject describe(const MemoryPort& memory) {
  JsonObject object;
  const DramCounters counters = memory.dram() ? memory.dram()->counters() : DramCounters{};
  object.member("bytes_read", counters.bytes_read)
      .member("bytes_written", counters.bytes_written)
      .member("activates", counters.activates)
      .member("row_hits", counters.row_hits)
      .member("row_misses", counters.row_misses)
      .member("row_conflicts", counters.row_conflicts)
      .member("refreshes", counters.refreshes)
      .member("bus_busy_ps", counters.bus_busy_ps);
  return object;
}

JsonObject describe_registers(Engine& engine) {
  JsonObject object;
  std::uint32_t word = 0;
  std::uint32_t address = 0;
  bool known = false;
  for (std::size_t i = 0; i < kReadableFields; i++) {
    const RegisterField& field = kRegisterMap[i];
    if (!known || field.address != address) {
      word = engine.read_register(field.address);
      address = field.address;
      known = true;
    }
    const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
    object.member(field.name, (std::uint64_t{word} >> field.low_bit) & mask);
  }
  return object;
}

}  // namespace

Statistics::Statistics(Engine& engine, int descriptor)
    : engine_(engine), descriptor_(descriptor), start_(std::chrono::steady_clock::now()) {
  if (descriptor_ < 0) return;
  const int flags = fcntl(descriptor_, F_GETFL);
  if (flags < 0 || fcntl(descriptor_, F_SETFL, flags | O_NONBLOCK) < 0) {
    throw std::runtime_error("the descriptor for statistics is not open");
  }
}

void Statistics::announce(const std::string& interface) {
  JsonObject line;
  line.member("ready", true)
      .member("interface", interface)
      .member("preset", Engine::preset())
      .member("data_width", std::uint64_t{Engine::data_width()})
      .member("pid", static_cast<std::uint64_t>(getpid()));
  publish(line.text());
}

std::string Statistics::collect(const LinkCounters& to_engine, const LinkCounters& from_engine,
                                const OutsideCounters& outside) {
  const JsonObject registers = describe_registers(engine_);
  const double busy_s = busy_seconds();
  const double span_s = busy_s - last_busy_s_;
  const std::uint64_t clocks = engine_.clocks() - last_clocks_;
  last_busy_s_ = busy_s;
  last_clocks_ = engine_.clocks();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;

  JsonObject outside_object;
  outside_object.member("received", outside.received)
      .member("sent", outside.sent)
      .member("refused", outside.refused)
      .member("dropped_bad_fcs", outside.dropped_bad_fcs);

  JsonObject line;
  line.member("wall_s", wall.count())
      .member("busy_s", busy_s)
      .member("simulated_us", engine_.time.now_us())
      .member("clocks", engine_.clocks())
      .member("clocks_per_second", span_s > 0 ? static_cast<double>(clocks) / span_s : 0.0)
      .member("mean_clocks_per_second",
              busy_s > 0 ? static_cast<double>(engine_.clocks()) / busy_s : 0.0)
      .member("to_engine", describe(to_engine))
      .member("from_engine", describe(from_engine))
      .member("outside", outside_object)
      .member("state_memory", describe(engine_.state_memory))
      .member("payload_memory", describe(engine_.payload_memory))
      .member("registers", registers);
  return line.text();
}

void Statistics::publish(const std::string& line) {
  if (descriptor_ < 0) return;
  flush();
  if (!unsent_.empty()) return;
  unsent_ = line + "\n";
  flush();
}

void Statistics::flush() {
  while (!unsent_.empty()) {
    const ssize_t written = write(descriptor_, unsent_.data(), unsent_.size());
    if (written <= 0) return;
    unsent_.erase(0, static_cast<std::size_t>(written));
  }
}

}  // namespace toehold
