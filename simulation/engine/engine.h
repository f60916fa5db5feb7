// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "engine/application.h"
#include "engine/axi_lite.h"
#include "engine/deadlines.h"
#include "engine/memory_port.h"
#include "engine/simulated_time.h"
#include "engine/stream.h"
#include "models/random.h"

namespace toehold {

/// The Verilated engine with a driver at each of its ports.
class Engine {
 public:
  static const char* preset();
  static unsigned data_width();
  static bool can_write_waves();

  Engine();
  ~Engine();

  void reset();
  void enable_applications(unsigned mask);

  /// Gives the engine a frame at `time_us` or as soon as it has taken all before it.
  void put_frame_at(Frame frame, std::uint64_t time_us);

  /// Frames whose time has not come.
  std::size_t frames_to_come() const { return arrivals_.size(); }

  /// Simulates one clock.
  void clock();

  std::uint64_t clocks() const { return clocks_; }
  std::uint64_t quiet_clocks() const { return clocks_ - last_activity_; }

  /// Nothing is under way: without a frame, a call or a timer, no clock changes anything that can
  /// be seen.
  bool settled() const;

  /// Something from outside is about to matter although nothing moves at a port.
  void stir() { last_work_ = last_input_ = clocks_; }

  /// When the engine will next do something by itself; now when it is not settled, `kNever` when
  /// no timer runs.
  std::uint64_t next_deadline_us() const;

  /// Passes over time in which nothing can happen, at most until `limit_us`. Only when settled, and
  /// not by the wall clock. By cycles, it passes over a whole number of rounds of all that goes
  /// round inside, so that what follows comes in the same clocks as if they had been simulated. The
  /// last few clocks before a deadline, and before the limit, are left.
  void skip_towards(std::uint64_t limit_us);

  /// AXI4-Lite transfers; simulate the clocks they take. Throw `BusError`.
  std::uint32_t read_register(std::uint32_t address);
  void write_register(std::uint32_t address, std::uint32_t value);

  /// Shares in percent of clocks without an offer, and without taking one.
  void set_pauses(unsigned idle_percent, unsigned stall_percent, std::uint64_t seed);

  /// Every frame, in and out, keeps its line busy for that many bytes beyond its own: what preamble,
  /// FCS and gap take of a line that is as fast as the data path. 0 for frames without a gap.
  void set_line(unsigned overhead_bytes, unsigned bytes_per_clock) {
    line_overhead_ = overhead_bytes;
    line_rate_ = bytes_per_clock;
  }

  /// Writes FST while `from_us <= time < to_us`. Throws `std::runtime_error`.
  void open_waves(const std::string& path, std::uint64_t from_us, std::uint64_t to_us);
  void close_waves();

  SimulatedTime time;
  StreamSource frames_in;
  StreamSink frames_out;
  Application application;

  /// Behind m_axi_state and m_axi_payload, where the design has these ports.
  MemoryPort state_memory, payload_memory;

 private:
  struct Model;

  void finish_register_transfer(const char* what, std::uint32_t address);
  void drive();
  void drive_application();
  bool application_moves() const;
  AppOutputs sample_application() const;
  bool take();
  void dump(unsigned phase);
  void drive_memories();
  void clock_memories();

  std::unique_ptr<Model> model_;
  AxiLiteMaster registers_;
  AppInputs application_inputs_;
  Random pauses_{0};
  unsigned idle_percent_ = 0;
  unsigned stall_percent_ = 0;
  unsigned line_overhead_ = 0;
  unsigned line_rate_ = 0;
  std::uint64_t line_in_ = 0, line_out_ = 0;  // busy up to that byte time
  bool offering_ = false;       // a beat is on offer and must stay
  bool taking_ = true;
  bool application_driven_ = true;
  bool memories_driven_ = false;  // as they stand when nothing is under way
  std::uint64_t clocks_ = 0;
  std::uint64_t last_activity_ = 0;
  std::uint64_t last_work_ = 0;  // as last_activity_, with timers, without refused offers
  std::uint64_t last_input_ = 0;  // of it, into the engine
  unsigned applications_ = 0;
  std::deque<std::pair<std::uint64_t, Frame>> arrivals_;  // by time in microseconds
  std::uint64_t landed_ = 0;     // the clock from which on time may be skipped again
  Deadlines deadlines_;
};

/// An AXI4-Lite transfer went wrong.
struct BusError {
  std::string sentence;
  bool timeout;
};

}  // namespace toehold
