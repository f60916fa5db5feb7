// SPDX-License-Identifier: Apache-2.0

#include "engine/engine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "Vengine.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace toehold {

namespace {

constexpr unsigned kResetClocks = 16;

// A register transfer takes a handful of clocks; this many are a hang.
constexpr unsigned kRegisterClocks = 10000;

// By cycles, what goes round inside with the clocks: the scan of the timer queues.
constexpr std::uint64_t kRoundClocks = 16;

// The neighbours age by seconds, which are counted by subtracting and looked at in turn: no skip is
// longer than what is counted in a few clocks, and long ones leave that many before their end.
constexpr std::uint64_t kLongestSkipUs = 1'000'000;
constexpr std::uint64_t kLongSkipUs = 1'000;
constexpr std::uint64_t kLandingClocks = 96;

// Ports of Verilator are integers up to 64 bits and arrays of 32-bit words beyond; both are the
// bytes of the value, lowest first, on the little-endian hosts that this builds for.
template <typename Port>
void set_bytes(Port& port, const std::uint8_t* bytes) {
  std::memcpy(&port, bytes, sizeof port);
}

template <typename Port>
void get_bytes(const Port& port, std::uint8_t* bytes) {
  std::memcpy(bytes, &port, sizeof port);
}

template <typename Port>
void set_keep(Port& port, std::uint64_t keep) {
  port = static_cast<Port>(keep);
}

// Longer than anything takes from its way in, or from the last that was seen of it, to a port: the
// longest frame is stored and forwarded twice on its way, and is read from a ring once.
constexpr std::uint64_t kLongestFrameBeats = (TOEHOLD_MTU + 36) / (TOEHOLD_DATA_WIDTH / 8);
constexpr std::uint64_t kInputSettleClocks = 160 + 5 * kLongestFrameBeats / 2;
constexpr std::uint64_t kSettleClocks = 96 + 5 * kLongestFrameBeats / 4;

// The engine's own applications think between frames: HTTP writes a slice of its page, a byte a
// clock, before it asks for room.
constexpr std::uint64_t kApplicationClocks = 3072;

using DataPort = decltype(Vengine::s_axis_rx_tdata);
constexpr unsigned kLanes = TOEHOLD_DATA_WIDTH / 8;
static_assert(TOEHOLD_DATA_WIDTH >= 8 && kLanes <= kMaximumLanes);
static_assert(sizeof(std::remove_reference_t<DataPort>) == kLanes,
              "the RTL was built with another data width");

std::string place(std::uint32_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "register 0x%03x", static_cast<unsigned>(address));
  return text;
}

// Verilator's ports must not be given more bits than they have.
void check_address(std::uint32_t address) {
  if (address % 4 != 0 || address >> (TOEHOLD_ADDRESS_BITS + 1) != 0) {
    throw BusError{"there can be no " + place(address), false};
  }
}

// The two AXI4 ports, by the prefix of their names. A design without them has no member of that name.
template <typename Top, typename = void>
struct HasMemory : std::false_type {};
template <typename Top>
struct HasMemory<Top, std::void_t<decltype(std::declval<Top&>().m_axi_state_arvalid)>>
    : std::true_type {};

// What of a port is driven before an edge, and what is sampled.
#define TOEHOLD_DRIVE_MEMORY(top, name, pins)         \
  (top).name##_awready = (pins).aw_ready;             \
  (top).name##_wready = (pins).w_ready;               \
  (top).name##_bid = (pins).b_id;                     \
  (top).name##_bresp = static_cast<int>((pins).b_response); \
  (top).name##_bvalid = (pins).b_valid;               \
  (top).name##_arready = (pins).ar_ready;             \
  (top).name##_rid = (pins).r_id;                     \
  set_bytes((top).name##_rdata, (pins).r_data.data()); \
  (top).name##_rresp = static_cast<int>((pins).r_response); \
  (top).name##_rlast = (pins).r_last;                 \
  (top).name##_rvalid = (pins).r_valid

#define TOEHOLD_SAMPLE_MEMORY(top, name, pins)                          \
  (pins).aw_valid = (top).name##_awvalid;                               \
  (pins).aw = {(top).name##_awid, (top).name##_awaddr, (top).name##_awlen, (top).name##_awsize, \
               static_cast<AxiBurst>((top).name##_awburst)};            \
  (pins).w_valid = (top).name##_wvalid;                                 \
  (pins).w_strobe = (top).name##_wstrb;                                 \
  (pins).w_last = (top).name##_wlast;                                   \
  if ((pins).w_valid) get_bytes((top).name##_wdata, (pins).w_data.data()); \
  (pins).b_ready = (top).name##_bready;                                 \
  (pins).ar_valid = (top).name##_arvalid;                               \
  (pins).ar = {(top).name##_arid, (top).name##_araddr, (top).name##_arlen, (top).name##_arsize, \
               static_cast<AxiBurst>((top).name##_arburst)};            \
  (pins).r_ready = (top).name##_rready

template <typename Top>
void drive_memory_pins(Top& top, const MemoryPort& state, const MemoryPort& payload) {
  if constexpr (HasMemory<Top>::value) {
    TOEHOLD_DRIVE_MEMORY(top, m_axi_state, state.pins());
    TOEHOLD_DRIVE_MEMORY(top, m_axi_payload, payload.pins());
  }
}

template <typename Top>
void sample_memory_pins(const Top& top, AxiMasterPins& state, AxiMasterPins& payload) {
  if constexpr (HasMemory<Top>::value) {
    TOEHOLD_SAMPLE_MEMORY(top, m_axi_state, state);
    TOEHOLD_SAMPLE_MEMORY(top, m_axi_payload, payload);
  }
}

// Whether either port asks for anything.
template <typename Top>
bool memory_asked(const Top& top) {
  if constexpr (HasMemory<Top>::value) {
    return (top.m_axi_state_awvalid | top.m_axi_state_wvalid | top.m_axi_state_arvalid |
            top.m_axi_payload_awvalid | top.m_axi_payload_wvalid | top.m_axi_payload_arvalid) != 0;
  } else {
    return false;
  }
}

template <typename Top>
constexpr unsigned state_memory_bytes() {
  if constexpr (HasMemory<Top>::value) {
    return sizeof std::declval<Top&>().m_axi_state_rdata;
  } else {
    return 8;
  }
}

}  // namespace

struct Engine::Model {
  // Waveforms have to be announced to the context before the model exists.
  Model() : context(std::make_unique<VerilatedContext>()),
            top(std::make_unique<Vengine>(announce(*context), "engine")) {}

  // A model takes itself out of the thread's context, which may be another engine's, and leaves
  // none behind that is gone.
  ~Model() {
    Verilated::threadContextp(context.get());
#if VM_TRACE_FST
    waves.reset();
#endif
    top.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  static VerilatedContext* announce(VerilatedContext& context) {
    context.traceEverOn(VM_TRACE_FST);
#if TOEHOLD_RANDOM_START
    const char* seed = std::getenv("TOEHOLD_SEED");
    context.randReset(2);
    context.randSeed(seed != nullptr && *seed != '\0' ? std::atoi(seed) : 1);
#endif
    return &context;
  }

  std::unique_ptr<VerilatedContext> context;
  std::unique_ptr<Vengine> top;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves;
  std::uint64_t waves_from_us = 0;
  std::uint64_t waves_to_us = 0;
#endif
};

const char* Engine::preset() { return TOEHOLD_PRESET; }
unsigned Engine::data_width() { return TOEHOLD_DATA_WIDTH; }
bool Engine::can_write_waves() { return VM_TRACE_FST; }

Engine::Engine()
    : frames_in(kLanes), frames_out(kLanes), application(kLanes),
      state_memory(state_memory_bytes<Vengine>()), payload_memory(kLanes) {
  model_ = std::make_unique<Model>();
  reset();
}

Engine::~Engine() {
  close_waves();
  model_->top->final();
}

void Engine::reset() {
  frames_in.clear();
  arrivals_.clear();
  frames_out.clear();
  application.clear();
  registers_.abandon();
  deadlines_.clear();
  state_memory.clear();
  payload_memory.clear();
  offering_ = false;
  application_driven_ = true;
  model_->top->rst = 1;
  for (unsigned i = 0; i < kResetClocks; i++) clock();
  frames_out.clear();
  application.clear();
  deadlines_.clear();
  model_->top->rst = 0;
  stir();
}

bool Engine::settled() const {
  // Nothing tells when a timer is due.
  if (!TOEHOLD_HAS_TIMER_WATCH) return false;
  const std::uint64_t thinking = applications_ != 0 ? kApplicationClocks : 0;
  return clocks_ - last_work_ >= std::max(kSettleClocks, thinking) &&
         clocks_ - last_input_ >= kInputSettleClocks && frames_in.empty() && application.has_no_work() &&
         !registers_.busy() && state_memory.idle() && payload_memory.idle() &&
         (arrivals_.empty() || arrivals_.front().first > time.now_us());
}

std::uint64_t Engine::next_deadline_us() const {
  if (!settled()) return time.now_us();
  const std::uint64_t arrival_us = arrivals_.empty() ? Deadlines::kNever : arrivals_.front().first;
  return std::max(std::min(deadlines_.next_us(), arrival_us), time.now_us());
}

void Engine::skip_towards(std::uint64_t limit_us) {
  constexpr std::uint64_t kPsPerUs = 1'000'000;
  if (time.mode() == TimeMode::kWall || !settled() || clocks_ < landed_) return;
  const std::uint64_t now_us = time.now_us();
  const std::uint64_t next_us = std::min(next_deadline_us(), limit_us);
  if (next_us <= now_us) return;
  // Cut before it is counted in picoseconds: limits may be far.
  const std::uint64_t target_us = std::min(next_us, now_us + kLongestSkipUs);
  std::uint64_t skip_ps = target_us * kPsPerUs - time.now_ps();
  const bool is_long = skip_ps > kLongSkipUs * kPsPerUs;

  if (time.mode() == TimeMode::kCycles) {
    std::uint64_t clocks = skip_ps / time.period_ps();
    if (is_long) clocks -= std::min(clocks, kLandingClocks);
    skip_ps = clocks / kRoundClocks * kRoundClocks * time.period_ps();
  }
  time.skip_ps(skip_ps);
  if (is_long) landed_ = clocks_ + kLandingClocks;
  // Nothing but the time itself will tell that a timer is due.
  if (time.now_us() >= deadlines_.next_us()) stir();
}

void Engine::enable_applications(unsigned mask) {
  applications_ = mask & 0x1f;
#if TOEHOLD_HAS_APPLICATION_PORTS
  model_->top->app_enable_i = applications_;
#endif
  stir();
}

void Engine::put_frame_at(Frame frame, std::uint64_t time_us) {
  if (arrivals_.empty() && time_us <= time.now_us()) {
    frames_in.put(std::move(frame));
    return;
  }
  const auto later = [](std::uint64_t when, const auto& other) { return when < other.first; };
  arrivals_.insert(std::upper_bound(arrivals_.begin(), arrivals_.end(), time_us, later),
                   {time_us, std::move(frame)});
}

void Engine::set_pauses(unsigned idle_percent, unsigned stall_percent, std::uint64_t seed) {
  idle_percent_ = idle_percent;
  stall_percent_ = stall_percent;
  pauses_ = Random(seed);
}

void Engine::drive() {
  Vengine& top = *model_->top;
  top.now_us = static_cast<std::uint32_t>(time.now_us());

  while (!arrivals_.empty() && arrivals_.front().first <= time.now_us()) {
    frames_in.put(std::move(arrivals_.front().second));
    arrivals_.pop_front();
  }

  // A beat on offer stays until it is taken, whatever the pauses say.
  if (!offering_ && !frames_in.empty()) {
    offering_ = idle_percent_ == 0 || pauses_.below(100) >= idle_percent_;
    if (line_overhead_ != 0 && frames_in.at_start()) {
      offering_ = offering_ && line_in_ < (clocks_ + 1) * line_rate_;
      if (offering_) {
        line_in_ = std::max(line_in_, clocks_ * line_rate_) + frames_in.length() + line_overhead_;
      }
    }
    if (offering_) {
      const StreamBeat& beat = frames_in.beat();
      set_bytes(top.s_axis_rx_tdata, beat.data.data());
      set_keep(top.s_axis_rx_tkeep, beat.keep);
      top.s_axis_rx_tlast = beat.last;
      top.s_axis_rx_tuser = beat.user;
    }
  }
  top.s_axis_rx_tvalid = offering_;

  taking_ = stall_percent_ == 0 || pauses_.below(100) >= stall_percent_;
  if (line_overhead_ != 0 && frames_out.at_start()) {
    taking_ = taking_ && line_out_ < (clocks_ + 1) * line_rate_;
  }
  top.m_axis_tx_tready = taking_;

  AxiLitePins pins;
  registers_.drive(pins);
  top.s_axil_awaddr = top.s_axil_araddr = pins.address;
  top.s_axil_wdata = pins.write_data;
  top.s_axil_wstrb = 0xf;
  top.s_axil_awvalid = pins.aw_valid;
  top.s_axil_wvalid = pins.w_valid;
  top.s_axil_bready = pins.b_ready;
  top.s_axil_arvalid = pins.ar_valid;
  top.s_axil_rready = pins.r_ready;

  drive_application();
}

#if TOEHOLD_HAS_APPLICATION_PORTS

void Engine::drive_application() {
  Vengine& top = *model_->top;
  drive_memories();

  // Most runs have no external application: then its ports are driven once.
  if (application.idle() && !application_driven_) return;
  application_driven_ = !application.idle();
  application_inputs_ = application.inputs();
  const AppInputs& in = application_inputs_;
  top.s_app_command_valid = in.command_valid;
  top.s_app_command_op = in.command.op;
  top.s_app_command_tag = in.command.tag;
  top.s_app_command_session = in.command.session;
  top.s_app_command_local_port = in.command.local_port;
  top.s_app_command_remote_ip = in.command.remote_ip;
  top.s_app_command_remote_port = in.command.remote_port;
  top.s_app_command_value = in.command.value;
  top.m_app_event_ready = 1;
  top.m_app_rx_query_ready = 1;
  top.s_app_rx_grant_valid = in.grant_valid;
  top.s_app_rx_grant_length = in.grant_length;
  top.m_app_rx_ready = 1;
  top.s_app_tx_request_valid = in.request_valid;
  top.s_app_tx_request_session = in.request_session;
  top.s_app_tx_request_length = in.request_length;
  top.m_app_tx_status_ready = 1;
  top.s_app_tx_valid = in.data_valid;
  if (in.data != nullptr) {
    set_bytes(top.s_app_tx_data, in.data->data.data());
    set_keep(top.s_app_tx_keep, in.data->keep);
    top.s_app_tx_last = in.data->last;
  }
}

bool Engine::application_moves() const {
  const Vengine& top = *model_->top;
  return top.m_app_event_valid || top.m_app_rx_query_valid || top.m_app_rx_valid ||
         top.m_app_tx_status_valid || !application.idle();
}

AppOutputs Engine::sample_application() const {
  const Vengine& top = *model_->top;
  AppOutputs out;
  out.command_ready = top.s_app_command_ready;
  out.event_valid = top.m_app_event_valid;
  out.event.kind = top.m_app_event_kind;
  out.event.tag = top.m_app_event_tag;
  out.event.result = top.m_app_event_result;
  out.event.session = top.m_app_event_session;
  out.event.local_port = top.m_app_event_local_port;
  out.event.remote_ip = top.m_app_event_remote_ip;
  out.event.remote_port = top.m_app_event_remote_port;
  out.event.value = top.m_app_event_value;
  out.query_valid = top.m_app_rx_query_valid;
  out.query_session = top.m_app_rx_query_session;
  out.query_length = top.m_app_rx_query_length;
  out.grant_ready = top.s_app_rx_grant_ready;
  out.data_valid = top.m_app_rx_valid;
  out.data_session = top.m_app_rx_session;
  get_bytes(top.m_app_rx_data, out.data.data.data());
  out.data.keep = top.m_app_rx_keep;
  out.data.last = top.m_app_rx_last;
  out.data.user = top.m_app_rx_error;
  out.request_ready = top.s_app_tx_request_ready;
  out.status_valid = top.m_app_tx_status_valid;
  out.status.error = top.m_app_tx_status_error;
  out.status.session = top.m_app_tx_status_session;
  out.status.space = top.m_app_tx_status_space;
  out.data_ready = top.s_app_tx_ready;
  return out;
}

#else

// The system's application is its own, and its ports are inside.
void Engine::drive_application() {}
bool Engine::application_moves() const { return false; }
AppOutputs Engine::sample_application() const { return {}; }

#endif

// A memory answers in a clock what it has been told in the clocks before.
void Engine::drive_memories() {
  if (state_memory.idle() && payload_memory.idle() && memories_driven_) return;
  memories_driven_ = state_memory.idle() && payload_memory.idle();
  drive_memory_pins(*model_->top, state_memory, payload_memory);
}

void Engine::clock_memories() {
  if (state_memory.idle() && payload_memory.idle() && !memory_asked(*model_->top)) return;
  AxiMasterPins state, payload;
  sample_memory_pins(*model_->top, state, payload);
  const std::uint64_t now_ps = clocks_ * time.period_ps();
  const auto clock = [this, now_ps](MemoryPort& port, const AxiMasterPins& pins) {
    if (port.idle() && !pins.aw_valid && !pins.w_valid && !pins.ar_valid) return;
    port.clock(pins, now_ps);
    memories_driven_ = false;
  };
  clock(state_memory, state);
  clock(payload_memory, payload);
  if (!state_memory.idle() || !payload_memory.idle()) last_work_ = clocks_;
}

// Samples what stands before the edge. True when something moves.
bool Engine::take() {
  const Vengine& top = *model_->top;
  bool moved = false;
  if (offering_ && top.s_axis_rx_tready) {
    frames_in.taken(clocks_, time.now_ns());
    offering_ = false;
    moved = true;
    last_input_ = clocks_;
  }
  if (top.m_axis_tx_tvalid) {
    moved = true;
    if (taking_) {
      StreamBeat beat;
      get_bytes(top.m_axis_tx_tdata, beat.data.data());
      beat.keep = top.m_axis_tx_tkeep;
      beat.last = top.m_axis_tx_tlast;
      const std::uint64_t before = frames_out.bytes;
      if (frames_out.at_start()) line_out_ = std::max(line_out_, clocks_ * line_rate_);
      if (frames_out.put(beat, clocks_, time.now_ns())) line_out_ += line_overhead_;
      line_out_ += frames_out.bytes - before;
    }
  }

  if (registers_.busy()) {
    AxiLitePins pins;
    pins.aw_ready = top.s_axil_awready;
    pins.w_ready = top.s_axil_wready;
    pins.b_valid = top.s_axil_bvalid;
    pins.ar_ready = top.s_axil_arready;
    pins.r_valid = top.s_axil_rvalid;
    pins.read_data = top.s_axil_rdata;
    pins.response = pins.r_valid ? top.s_axil_rresp : top.s_axil_bresp;
    registers_.clock(pins);
  }

  if (!application_moves()) {
    if (moved || registers_.busy()) last_work_ = clocks_;
    return moved;
  }
  const AppMoved application_moved =
      application.clock(application_inputs_, sample_application(), clocks_, time.now_ns());
  if (application_moved.input) last_input_ = clocks_;
  if (moved || application_moved.work || registers_.busy()) last_work_ = clocks_;
  return moved || application_moved.anything;
}

void Engine::clock() {
  Vengine& top = *model_->top;
  drive();
  top.clk = 0;
  top.eval();
  dump(0);
  const bool moved = take();
  clock_memories();
  top.clk = 1;
  {
    const Deadlines::Watch watch(deadlines_, time.now_us());
    top.eval();
  }
  if (deadlines_.changed()) last_work_ = clocks_;
  dump(1);
  if (moved) last_activity_ = clocks_;
  clocks_++;
  time.tick();
}

std::uint32_t Engine::read_register(std::uint32_t address) {
  check_address(address);
  registers_.start_read(address);
  finish_register_transfer("reading", address);
  return registers_.read_data();
}

void Engine::write_register(std::uint32_t address, std::uint32_t value) {
  check_address(address);
  registers_.start_write(address, value);
  finish_register_transfer("writing", address);
}

void Engine::finish_register_transfer(const char* what, std::uint32_t address) {
  for (unsigned i = 0; i < kRegisterClocks && registers_.busy(); i++) clock();
  if (registers_.busy()) {
    registers_.abandon();
    throw BusError{"no answer on AXI4-Lite to " + std::string(what) + " " + place(address), true};
  }
  if (registers_.failed()) {
    throw BusError{"AXI4-Lite answered with an error to " + std::string(what) + " " + place(address), false};
  }
}

#if VM_TRACE_FST

void Engine::open_waves(const std::string& path, std::uint64_t from_us, std::uint64_t to_us) {
  close_waves();
  // The writer itself reports nothing when it cannot write.
  if (!std::ofstream(path)) throw std::runtime_error("cannot write the waveforms " + path);
  if (!model_->waves) {
    model_->waves = std::make_unique<VerilatedFstC>();
    model_->top->trace(model_->waves.get(), std::numeric_limits<int>::max());
  }
  model_->waves->open(path.c_str());
  model_->waves_from_us = from_us;
  model_->waves_to_us = to_us;
}

void Engine::close_waves() {
  if (model_->waves && model_->waves->isOpen()) model_->waves->close();
}

// `phase` is 0 before the rising edge and 1 after it.
void Engine::dump(unsigned phase) {
  if (!model_->waves || !model_->waves->isOpen()) return;
  const std::uint64_t now_us = time.now_us();
  if (now_us < model_->waves_from_us || now_us >= model_->waves_to_us) return;
  const std::uint64_t period = time.period_ps();
  model_->waves->dump(clocks_ * period + phase * period / 2);
}

#else

void Engine::open_waves(const std::string&, std::uint64_t, std::uint64_t) {
  throw std::runtime_error("this build of the simulation cannot write waveforms");
}
void Engine::close_waves() {}
void Engine::dump(unsigned) {}

#endif

}  // namespace toehold
