// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulated_time.h"
#include "models/dram_timing.h"
#include "models/link_model.h"

namespace toehold {

struct Options {
  // Where frames come from: exactly one of these.
  std::string tap;
  int tap_descriptor = -1;
  std::string replay;

  TimeMode time = TimeMode::kWall;
  std::uint64_t clock_ps = 6400;
  unsigned applications = 0x1f;
  DramTiming memory = ddr4_2400();
  unsigned memory_channels = 1;  // behind each port
  std::vector<std::pair<std::string, std::uint32_t>> settings;  // registers by name

  LinkSettings to_engine;
  LinkSettings from_engine;
  std::uint64_t seed = 1;

  std::string pcap;
  bool pcap_at_tap = false;
  std::string wave;
  std::uint64_t wave_from_us = 0;
  std::uint64_t wave_to_us = UINT64_MAX;

  int statistics_descriptor = -1;
  unsigned statistics_ms = 250;
  std::string json;
  std::optional<double> duration_s;
  bool exit_with_parent = false;
};

/// Something wrong on the command line, in one sentence.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Prints the help text.
void print_help();

/// Nothing when the arguments asked for help or the version, which has been printed.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace toehold
