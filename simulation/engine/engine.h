// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/application.h"
#include "engine/axi_lite.h"
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

  /// Simulates one clock.
  void clock();

  std::uint64_t clocks() const { return clocks_; }
  std::uint64_t quiet_clocks() const { return clocks_ - last_activity_; }

  /// AXI4-Lite transfers; simulate the clocks they take. Throw `BusError`.
  std::uint32_t read_register(std::uint32_t address);
  void write_register(std::uint32_t address, std::uint32_t value);

  /// Shares in percent of clocks without an offer, and without taking one.
  void set_pauses(unsigned idle_percent, unsigned stall_percent, std::uint64_t seed);

  /// Writes FST while `from_us <= time < to_us`. Throws `std::runtime_error`.
  void open_waves(const std::string& path, std::uint64_t from_us, std::uint64_t to_us);
  void close_waves();

  SimulatedTime time;
  StreamSource frames_in;
  StreamSink frames_out;
  Application application;

 private:
  struct Model;

  void finish_register_transfer(const char* what, std::uint32_t address);
  void drive();
  bool take();
  void dump(unsigned phase);

  std::unique_ptr<Model> model_;
  AxiLiteMaster registers_;
  AppInputs application_inputs_;
  Random pauses_{0};
  unsigned idle_percent_ = 0;
  unsigned stall_percent_ = 0;
  bool offering_ = false;       // a beat is on offer and must stay
  bool taking_ = true;
  bool application_driven_ = true;
  std::uint64_t clocks_ = 0;
  std::uint64_t last_activity_ = 0;
};

/// An AXI4-Lite transfer went wrong.
struct BusError {
  std::string sentence;
  bool timeout;
};

}  // namespace toehold
