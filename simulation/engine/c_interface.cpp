// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/register_map.h"
#include "toehold_sim.h"

using toehold::Engine;
using toehold::Frame;

struct toehold_sim {
  Engine engine;
  std::string error;
};

namespace {

constexpr std::size_t kLongestFrame = 65536;
constexpr std::size_t kLongestMessage = 65535;

int fail(toehold_sim* sim, int status, const std::string& sentence) {
  sim->error = sentence;
  return status;
}

void describe(const Frame& frame, toehold_sim_frame_info* info) {
  info->length = frame.bytes.size();
  info->time_us = frame.time_ns / 1000;
  info->first_clock = frame.first_clock;
  info->last_clock = frame.last_clock;
}

std::uint32_t extract(std::uint32_t word, const toehold::RegisterField& field) {
  const std::uint32_t shifted = word >> field.low_bit;
  return field.bits >= 32 ? shifted : shifted & ((1u << field.bits) - 1);
}

// Simulates until `done`, at most `most_clocks`.
template <typename Done>
int advance_until(toehold_sim* sim, std::uint64_t most_clocks, Done done) {
  for (std::uint64_t i = 0; i < most_clocks && !done(); i++) sim->engine.clock();
  return done() ? 1 : 0;
}

constexpr unsigned kAllOutput = TOEHOLD_SIM_OUTPUT_FRAME | TOEHOLD_SIM_OUTPUT_APPLICATION;

unsigned outputs(const Engine& engine) {
  const auto& application = engine.application;
  const bool told = !application.events.empty() || !application.statuses.empty() ||
                    !application.received.empty();
  return (engine.frames_out.empty() ? 0 : TOEHOLD_SIM_OUTPUT_FRAME) |
         (told ? TOEHOLD_SIM_OUTPUT_APPLICATION : 0);
}

}  // namespace

extern "C" {

int toehold_sim_interface(void) { return TOEHOLD_SIM_INTERFACE; }
const char* toehold_sim_preset(void) { return Engine::preset(); }
unsigned toehold_sim_data_width(void) { return Engine::data_width(); }
int toehold_sim_can_write_waves(void) { return Engine::can_write_waves() ? 1 : 0; }

toehold_sim* toehold_sim_create(const char* preset, unsigned data_width, char* error,
                                size_t error_bytes) {
  std::string reason;
  if (preset != nullptr && std::string(preset) != Engine::preset()) {
    reason = std::string("this library simulates the preset ") + Engine::preset() + ", not " + preset;
  } else if (data_width != 0 && data_width != Engine::data_width()) {
    reason = "this library simulates " + std::to_string(Engine::data_width()) + " bits, not " +
             std::to_string(data_width);
  } else {
    try {
      return new toehold_sim{};
    } catch (const std::exception& exception) {
      reason = exception.what();
    }
  }
  if (error != nullptr && error_bytes > 0) std::snprintf(error, error_bytes, "%s", reason.c_str());
  return nullptr;
}

void toehold_sim_destroy(toehold_sim* sim) { delete sim; }

const char* toehold_sim_error(const toehold_sim* sim) { return sim->error.c_str(); }

void toehold_sim_reset(toehold_sim* sim) { sim->engine.reset(); }

void toehold_sim_enable_applications(toehold_sim* sim, unsigned mask) {
  sim->engine.enable_applications(mask);
}

int toehold_sim_set_time_mode(toehold_sim* sim, enum toehold_sim_time_mode mode) {
  if (mode < TOEHOLD_SIM_TIME_CYCLES || mode > TOEHOLD_SIM_TIME_STEPPED) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "no such time mode");
  }
  sim->engine.time.set_mode(static_cast<toehold::TimeMode>(mode));
  return TOEHOLD_SIM_OK;
}

enum toehold_sim_time_mode toehold_sim_get_time_mode(const toehold_sim* sim) {
  return static_cast<toehold_sim_time_mode>(sim->engine.time.mode());
}

int toehold_sim_set_clock_period(toehold_sim* sim, uint64_t picoseconds) {
  if (picoseconds < 2) return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a clock takes at least 2 ps");
  sim->engine.time.set_period_ps(picoseconds);
  return TOEHOLD_SIM_OK;
}

int toehold_sim_set_time(toehold_sim* sim, uint64_t microseconds) {
  if (sim->engine.time.mode() != toehold::TimeMode::kStepped) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "time can be set in stepped mode only");
  }
  if (microseconds < sim->engine.time.now_us()) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "time cannot run backwards");
  }
  sim->engine.time.step_to_us(microseconds);
  return TOEHOLD_SIM_OK;
}

uint64_t toehold_sim_time_us(const toehold_sim* sim) { return sim->engine.time.now_us(); }
uint64_t toehold_sim_time_ns(const toehold_sim* sim) { return sim->engine.time.now_ns(); }
uint64_t toehold_sim_clocks(const toehold_sim* sim) { return sim->engine.clocks(); }

void toehold_sim_advance(toehold_sim* sim, uint64_t clocks) {
  for (uint64_t i = 0; i < clocks; i++) sim->engine.clock();
}

int toehold_sim_advance_until(toehold_sim* sim, uint64_t microseconds, uint64_t most_clocks) {
  return advance_until(sim, most_clocks,
                       [&] { return sim->engine.time.now_us() >= microseconds; });
}

int toehold_sim_advance_until_idle(toehold_sim* sim, uint64_t quiet_clocks, uint64_t most_clocks) {
  const uint64_t start = sim->engine.clocks();
  return advance_until(sim, most_clocks, [&] {
    return sim->engine.clocks() - start >= quiet_clocks &&
           sim->engine.quiet_clocks() >= quiet_clocks && sim->engine.frames_in.empty();
  });
}

int toehold_sim_advance_until_output(toehold_sim* sim, uint64_t most_clocks) {
  return advance_until(sim, most_clocks, [&] { return outputs(sim->engine) != 0; });
}

int toehold_sim_run_until(toehold_sim* sim, uint64_t microseconds) {
  return toehold_sim_run_until_output(sim, microseconds, kAllOutput);
}

int toehold_sim_run_until_output(toehold_sim* sim, uint64_t microseconds, unsigned kinds) {
  Engine& engine = sim->engine;
  if (engine.time.mode() == toehold::TimeMode::kWall) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "the wall clock cannot be skipped");
  }
  const bool stepped = engine.time.mode() == toehold::TimeMode::kStepped;
  while ((outputs(engine) & kinds) == 0) {
    engine.skip_towards(microseconds);
    // In stepped mode all that is to be done at a time is done before it is over.
    if (engine.time.now_us() >= microseconds && !(stepped && !engine.settled())) return 0;
    engine.clock();
  }
  return 1;
}

unsigned toehold_sim_outputs(const toehold_sim* sim) { return outputs(sim->engine); }

uint64_t toehold_sim_next_deadline_us(const toehold_sim* sim) {
  return sim->engine.next_deadline_us();
}

uint64_t toehold_sim_quiet_clocks(const toehold_sim* sim) { return sim->engine.quiet_clocks(); }

int toehold_sim_put_frame(toehold_sim* sim, const void* bytes, size_t length, unsigned flags) {
  return toehold_sim_put_frame_at(sim, bytes, length, flags, 0);
}

int toehold_sim_put_frame_at(toehold_sim* sim, const void* bytes, size_t length, unsigned flags,
                             uint64_t time_us) {
  if (bytes == nullptr || length == 0 || length > kLongestFrame) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a frame has 1 to 65536 bytes");
  }
  if ((flags & ~TOEHOLD_SIM_FRAME_BAD_FCS) != 0) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "unknown flags of a frame");
  }
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  Frame frame;
  frame.bytes.assign(first, first + length);
  frame.bad_fcs = (flags & TOEHOLD_SIM_FRAME_BAD_FCS) != 0;
  sim->engine.put_frame_at(std::move(frame), time_us);
  return TOEHOLD_SIM_OK;
}

size_t toehold_sim_frames_pending(const toehold_sim* sim) {
  return sim->engine.frames_in.pending() + sim->engine.frames_to_come();
}

void toehold_sim_last_frame_put(const toehold_sim* sim, toehold_sim_frame_info* info) {
  describe(sim->engine.frames_in.last_taken(), info);
}

int toehold_sim_take_frame(toehold_sim* sim, void* bytes, size_t capacity,
                           toehold_sim_frame_info* info) {
  if (sim->engine.frames_out.empty()) return 0;
  const Frame& frame = sim->engine.frames_out.front();
  if (info != nullptr) describe(frame, info);
  if (frame.bytes.size() > capacity) {
    return fail(sim, TOEHOLD_SIM_ERROR_SPACE, "the frame is longer than the buffer");
  }
  if (!frame.bytes.empty()) std::memcpy(bytes, frame.bytes.data(), frame.bytes.size());
  sim->engine.frames_out.take();
  return 1;
}

int toehold_sim_set_pauses(toehold_sim* sim, unsigned idle_percent, unsigned stall_percent,
                           uint64_t seed) {
  if (idle_percent > 99 || stall_percent > 99) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "pauses are 0 to 99 percent");
  }
  sim->engine.set_pauses(idle_percent, stall_percent, seed);
  return TOEHOLD_SIM_OK;
}

int toehold_sim_set_line(toehold_sim* sim, unsigned overhead_bytes, unsigned bytes_per_clock) {
  if (overhead_bytes > kLongestFrame) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a frame takes at most 65536 bytes more on the line");
  }
  const unsigned lanes = Engine::data_width() / 8;
  if (bytes_per_clock > lanes) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a line is at most as fast as the data path");
  }
  sim->engine.set_line(overhead_bytes, bytes_per_clock != 0 ? bytes_per_clock : lanes);
  return TOEHOLD_SIM_OK;
}

int toehold_sim_read_register(toehold_sim* sim, uint32_t address, uint32_t* value) {
  try {
    *value = sim->engine.read_register(address);
    return TOEHOLD_SIM_OK;
  } catch (const toehold::BusError& error) {
    return fail(sim, error.timeout ? TOEHOLD_SIM_ERROR_TIMEOUT : TOEHOLD_SIM_ERROR_BUS,
                error.sentence);
  }
}

int toehold_sim_write_register(toehold_sim* sim, uint32_t address, uint32_t value) {
  try {
    sim->engine.write_register(address, value);
    return TOEHOLD_SIM_OK;
  } catch (const toehold::BusError& error) {
    return fail(sim, error.timeout ? TOEHOLD_SIM_ERROR_TIMEOUT : TOEHOLD_SIM_ERROR_BUS,
                error.sentence);
  }
}

size_t toehold_sim_register_count(void) { return toehold::kReadableFields; }

int toehold_sim_register_at(size_t index, toehold_sim_register* entry) {
  if (index >= toehold::kReadableFields) return TOEHOLD_SIM_ERROR_ARGUMENT;
  const toehold::RegisterField& field = toehold::kRegisterMap[index];
  *entry = {field.name, field.address, field.low_bit, field.bits};
  return TOEHOLD_SIM_OK;
}

int toehold_sim_read_field(toehold_sim* sim, const char* name, uint32_t* value) {
  const toehold::RegisterField* field = toehold::find_register(name);
  if (field == nullptr || !field->readable) {
    const char* reason = field == nullptr ? "there is no register " : "nobody can read the register ";
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, std::string(reason) + name);
  }
  const int status = toehold_sim_read_register(sim, field->address, value);
  if (status == TOEHOLD_SIM_OK) *value = extract(*value, *field);
  return status;
}

int toehold_sim_write_field(toehold_sim* sim, const char* name, uint32_t value) {
  const toehold::RegisterField* field = toehold::find_register(name);
  if (field == nullptr || !field->writable) {
    const char* reason =
        field == nullptr ? "there is no register " : "nobody can write the register ";
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, std::string(reason) + name);
  }
  const std::uint32_t mask = field->bits >= 32 ? UINT32_MAX : (1u << field->bits) - 1;
  if (value > mask) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, std::string("too large for ") + name);
  }
  uint32_t word = 0;
  if (field->readable && mask != UINT32_MAX) {
    const int status = toehold_sim_read_register(sim, field->address, &word);
    if (status != TOEHOLD_SIM_OK) return status;
  }
  word = (word & ~(mask << field->low_bit)) | value << field->low_bit;
  return toehold_sim_write_register(sim, field->address, word);
}

int toehold_sim_put_command(toehold_sim* sim, const toehold_sim_command* command) {
  toehold::AppCommand queued;
  queued.op = command->op;
  queued.tag = command->tag;
  queued.session = command->session;
  queued.local_port = command->local_port;
  queued.remote_port = command->remote_port;
  queued.remote_ip = command->remote_ip;
  queued.value = command->value;
  sim->engine.application.put_command(queued);
  return TOEHOLD_SIM_OK;
}

int toehold_sim_take_event(toehold_sim* sim, toehold_sim_event* event) {
  auto& events = sim->engine.application.events;
  if (events.empty()) return 0;
  const toehold::AppEvent& oldest = events.front();
  *event = {};
  event->kind = oldest.kind;
  event->tag = oldest.tag;
  event->result = oldest.result;
  event->session = oldest.session;
  event->local_port = oldest.local_port;
  event->remote_port = oldest.remote_port;
  event->remote_ip = oldest.remote_ip;
  event->value = oldest.value;
  event->clock = oldest.clock;
  events.pop_front();
  return 1;
}

void toehold_sim_set_grant(toehold_sim* sim, toehold_sim_grant grant, void* context) {
  if (grant == nullptr) {
    sim->engine.application.set_grant(nullptr);
    return;
  }
  sim->engine.application.set_grant(
      [grant, context](std::uint32_t session, std::uint16_t length) {
        return std::min(grant(context, session, length), length);
      });
  sim->engine.stir();
}

int toehold_sim_receive(toehold_sim* sim, void* bytes, size_t capacity,
                        toehold_sim_received_info* info) {
  auto& received = sim->engine.application.received;
  if (received.empty()) return 0;
  const toehold::AppReceived& oldest = received.front();
  if (info != nullptr) {
    *info = {};
    info->length = oldest.data.bytes.size();
    info->session = oldest.session;
    info->first_clock = oldest.data.first_clock;
    info->last_clock = oldest.data.last_clock;
  }
  if (oldest.data.bytes.size() > capacity) {
    return fail(sim, TOEHOLD_SIM_ERROR_SPACE, "the data is longer than the buffer");
  }
  if (!oldest.data.bytes.empty()) {
    std::memcpy(bytes, oldest.data.bytes.data(), oldest.data.bytes.size());
  }
  received.pop_front();
  sim->engine.stir();  // there may be room for what was refused before
  return 1;
}

int toehold_sim_send(toehold_sim* sim, uint32_t session, const void* bytes, size_t length) {
  if (bytes == nullptr || length == 0 || length > kLongestMessage) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a message has 1 to 65535 bytes");
  }
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  sim->engine.application.send(session, std::vector<std::uint8_t>(first, first + length));
  return TOEHOLD_SIM_OK;
}

int toehold_sim_set_requests(toehold_sim* sim, unsigned requests) {
  if (requests == 0) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "there is at least one request at a time");
  }
  sim->engine.application.set_requests(requests);
  return TOEHOLD_SIM_OK;
}

size_t toehold_sim_messages_pending(const toehold_sim* sim) {
  return sim->engine.application.messages_pending();
}

int toehold_sim_take_transmit_status(toehold_sim* sim, toehold_sim_transmit_status* status) {
  auto& statuses = sim->engine.application.statuses;
  if (statuses.empty()) return 0;
  const toehold::AppTransmitStatus& oldest = statuses.front();
  *status = {oldest.session, oldest.error, oldest.space, oldest.length, oldest.clock};
  statuses.pop_front();
  return 1;
}

void toehold_sim_last_message_sent(const toehold_sim* sim, uint64_t* first_clock,
                                   uint64_t* last_clock) {
  const Frame& message = sim->engine.application.last_message();
  *first_clock = message.first_clock;
  *last_clock = message.last_clock;
}

int toehold_sim_open_waves(toehold_sim* sim, const char* path, uint64_t from_us, uint64_t to_us) {
  if (!Engine::can_write_waves()) {
    return fail(sim, TOEHOLD_SIM_ERROR_UNSUPPORTED, "this library cannot write waveforms");
  }
  if (to_us <= from_us) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "the waveforms end before they start");
  }
  try {
    sim->engine.open_waves(path, from_us, to_us);
    return TOEHOLD_SIM_OK;
  } catch (const std::exception& exception) {
    return fail(sim, TOEHOLD_SIM_ERROR_FILE, exception.what());
  }
}

void toehold_sim_close_waves(toehold_sim* sim) { sim->engine.close_waves(); }

int toehold_sim_set_memory(toehold_sim* sim, enum toehold_sim_memory_kind kind) {
  if (kind < TOEHOLD_SIM_MEMORY_DDR3_1600 || kind > TOEHOLD_SIM_MEMORY_HBM2) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "no such memory");
  }
  const toehold::DramTiming timing = kind == TOEHOLD_SIM_MEMORY_DDR3_1600   ? toehold::ddr3_1600()
                                     : kind == TOEHOLD_SIM_MEMORY_DDR4_2400 ? toehold::ddr4_2400()
                                                                            : toehold::hbm2();
  sim->engine.state_memory.set(timing);
  sim->engine.payload_memory.set(timing);
  return TOEHOLD_SIM_OK;
}

int toehold_sim_set_memory_channels(toehold_sim* sim, enum toehold_sim_memory_port port,
                                    uint32_t channels) {
  if (channels < 1 || channels > TOEHOLD_SIM_MEMORY_CHANNELS) {
    return fail(sim, TOEHOLD_SIM_ERROR_ARGUMENT, "a memory has 1 to 32 channels");
  }
  (port == TOEHOLD_SIM_MEMORY_STATE ? sim->engine.state_memory : sim->engine.payload_memory)
      .set_channels(channels);
  return TOEHOLD_SIM_OK;
}

void toehold_sim_get_memory_counters(const toehold_sim* sim, enum toehold_sim_memory_port port,
                                     toehold_sim_memory_counters* counters) {
  const toehold::MemoryPort& memory = port == TOEHOLD_SIM_MEMORY_STATE
                                          ? sim->engine.state_memory
                                          : sim->engine.payload_memory;
  *counters = {};
  if (memory.dram() == nullptr) return;
  const toehold::DramCounters& dram = memory.dram()->counters();
  counters->bytes_read = dram.bytes_read;
  counters->bytes_written = dram.bytes_written;
  counters->activates = dram.activates;
  counters->row_hits = dram.row_hits;
  counters->row_misses = dram.row_misses;
  counters->row_conflicts = dram.row_conflicts;
  counters->refreshes = dram.refreshes;
  counters->bus_busy_ps = dram.bus_busy_ps;
  counters->bytes_a_burst = memory.dram()->timing().burst_bytes();
  counters->four_activates_ps = memory.dram()->timing().t_faw;
  counters->host_bytes = memory.dram()->memory().allocated();
  counters->protocol_errors = memory.dram()->protocol_error().empty() ? 0 : 1;
}

uint64_t toehold_sim_memory_bytes_below(const toehold_sim* sim, enum toehold_sim_memory_port port,
                                        uint64_t end) {
  const auto& memory = port == TOEHOLD_SIM_MEMORY_STATE ? sim->engine.state_memory
                                                        : sim->engine.payload_memory;
  return memory.dram() == nullptr ? 0 : memory.dram()->memory().allocated_below(end);
}

void toehold_sim_get_counters(const toehold_sim* sim, toehold_sim_counters* counters) {
  const Engine& engine = sim->engine;
  *counters = {};
  counters->clocks = engine.clocks();
  counters->frames_in = engine.frames_in.frames;
  counters->bytes_in = engine.frames_in.bytes;
  counters->beats_in = engine.frames_in.beats;
  counters->frames_out = engine.frames_out.frames;
  counters->bytes_out = engine.frames_out.bytes;
  counters->beats_out = engine.frames_out.beats;
  counters->commands = engine.application.command_count;
  counters->events = engine.application.event_count;
  counters->application_bytes_in = engine.application.bytes_received();
  counters->application_bytes_out = engine.application.bytes_sent();
}

}  // extern "C"
