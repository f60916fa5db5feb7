// SPDX-License-Identifier: Apache-2.0

#include "program/options.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>

#include "engine/engine.h"
#include "engine/register_map.h"

namespace toehold {

namespace {

constexpr char kHelp[] =
    R"(toehold-sim: the simulated engine on a TAP device, or fed from a capture.

Frames come from exactly one of
  --tap NAME              TAP interface, opened or created
  --tap-fd N              descriptor that is attached to a TAP interface
  --replay FILE           pcap; each frame is given to the engine at its time, then the program ends

Engine
  --time wall|cycles      time follows the wall clock (default), or the simulated clocks
  --clock-ps N            length of a clock in picoseconds; default 6400 (156.25 MHz)
  --apps MASK             on-chip applications: 1 echo, 2 discard, 4 source, 8 http,
                          16 key-value; default 31
  --dram KIND             memory behind the AXI4 ports, in presets that use them: ddr3-1600,
                          ddr4-2400 (default) or hbm
  --dram-channels N       of it behind each of these ports, 1 (default) to 32
  --set NAME=VALUE        write a register before the first frame: network_ip_address=0x0a4d0002

Link between frames and engine; probabilities are 0 to 1. Each holds for both directions, or for
one when written --to-engine-loss, --from-engine-loss, and so on.
  --loss P                frames lost
  --reorder P             frames overtaken by one to three later ones
  --duplicate P           frames that arrive twice
  --corrupt P             frames with one bit flipped behind the Ethernet header
  --corrupt-marks-fcs     ... and marked as bad by the MAC, not left to the checksums
  --delay-us T            delay of each frame, in microseconds
  --rate-bps R            bits per second
  --seed N                default 1

Files
  --pcap FILE             every frame, both ways, nanosecond pcap
  --pcap-at engine|tap    on which side of the link it is captured; default engine
  --wave FILE             waveforms as FST, if this build can
  --wave-from-us T        ... from this simulated time
  --wave-to-us T          ... up to this one
  --json FILE             counters at the end

Control
  --stats-fd N            JSON lines on this descriptor; the first one says that all is ready
  --stats-ms T            how often; default 250
  --duration-s S          end after this wall-clock time
  --exit-with-parent      end when the parent process ends
  --help, --version
)";

double real(const std::string& name, const std::string& text, double least, double most) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || errno != 0 || !std::isfinite(value) || value < least ||
      value > most) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    throw UsageError(name + " takes a number from " + range + ", not '" + text + "'");
  }
  return value;
}

std::uint64_t whole(const std::string& name, const std::string& text, std::uint64_t least,
                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 0);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!digits || *end != '\0' || errno != 0 || value < least || value > most) {
    throw UsageError(name + " takes a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not '" + text + "'");
  }
  return value;
}

std::pair<std::string, std::uint32_t> setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw UsageError("--set takes NAME=VALUE, not '" + text + "'");
  const std::string name = text.substr(0, equals);
  const RegisterField* field = find_register(name.c_str());
  if (field == nullptr) throw UsageError("there is no register " + name);
  if (!field->writable) throw UsageError("the register " + name + " cannot be written");
  const std::uint64_t most = (std::uint64_t{1} << field->bits) - 1;
  return {name, static_cast<std::uint32_t>(whole("--set " + name, text.substr(equals + 1), 0, most))};
}

DramTiming memory(const std::string& kind) {
  if (kind == "ddr3-1600") return ddr3_1600();
  if (kind == "ddr4-2400") return ddr4_2400();
  if (kind == "hbm") return hbm2();
  throw UsageError("--dram takes ddr3-1600, ddr4-2400 or hbm, not '" + kind + "'");
}

/// One of the options that exist for each direction. False when `name` is none of them.
bool link_option(LinkSettings& link, const std::string& option, const std::string& name,
                 const std::function<std::string()>& value) {
  constexpr double kLongestDelayUs = 60e6;
  if (name == "loss") {
    link.loss = real(option, value(), 0, 1);
  } else if (name == "reorder") {
    link.reorder = real(option, value(), 0, 1);
  } else if (name == "duplicate") {
    link.duplicate = real(option, value(), 0, 1);
  } else if (name == "corrupt") {
    link.corrupt = real(option, value(), 0, 1);
  } else if (name == "corrupt-marks-fcs") {
    link.corrupt_marks_fcs = true;
  } else if (name == "delay-us") {
    link.delay_ns = static_cast<std::uint64_t>(real(option, value(), 0, kLongestDelayUs) * 1000);
  } else if (name == "rate-bps") {
    link.rate_bps = static_cast<std::uint64_t>(real(option, value(), 1, 1e15));
  } else {
    return false;
  }
  return true;
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// One of the two words, as a flag for the second.
bool second_of(const std::string& option, const std::string& text, const std::string& first,
               const std::string& second) {
  if (text != first && text != second) {
    throw UsageError(option + " takes " + first + " or " + second + ", not '" + text + "'");
  }
  return text == second;
}

void check(const Options& options) {
  const int sources =
      !options.tap.empty() + (options.tap_descriptor >= 0) + !options.replay.empty();
  if (sources != 1) throw UsageError("give exactly one of --tap, --tap-fd and --replay");
  if (!options.wave.empty() && !Engine::can_write_waves()) {
    throw UsageError("this build of the simulation cannot write waveforms");
  }
  if (options.wave_to_us <= options.wave_from_us) {
    throw UsageError("the waveforms end before they start");
  }
}

}  // namespace

void print_help() { std::fputs(kHelp, stdout); }

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  int next = 1;
  while (next < argc) {
    const std::string option = argv[next++];
    const std::function<std::string()> value = [&]() -> std::string {
      if (next == argc) throw UsageError(option + " needs a value");
      return argv[next++];
    };
    const auto descriptor = [&] {
      return static_cast<int>(whole(option, value(), 0, std::numeric_limits<int>::max()));
    };

    if (option == "--help" || option == "-h") {
      print_help();
      return std::nullopt;
    }
    if (option == "--version") {
      std::printf("toehold-sim, preset %s, %u bits\n", Engine::preset(), Engine::data_width());
      return std::nullopt;
    }
    if (option == "--tap") {
      options.tap = value();
      if (options.tap.empty()) throw UsageError("--tap needs the name of an interface");
    } else if (option == "--tap-fd") {
      options.tap_descriptor = descriptor();
    } else if (option == "--replay") {
      options.replay = value();
    } else if (option == "--time") {
      options.time = second_of(option, value(), "wall", "cycles") ? TimeMode::kCycles
                                                                   : TimeMode::kWall;
    } else if (option == "--clock-ps") {
      options.clock_ps = whole(option, value(), 100, 1'000'000'000);
    } else if (option == "--apps") {
      options.applications = static_cast<unsigned>(whole(option, value(), 0, 31));
    } else if (option == "--dram") {
      options.memory = memory(value());
    } else if (option == "--dram-channels") {
      options.memory_channels = static_cast<unsigned>(whole(option, value(), 1, 32));
    } else if (option == "--set") {
      options.settings.push_back(setting(value()));
    } else if (option == "--seed") {
      options.seed = whole(option, value(), 0);
    } else if (option == "--pcap") {
      options.pcap = value();
    } else if (option == "--pcap-at") {
      options.pcap_at_tap = second_of(option, value(), "engine", "tap");
    } else if (option == "--wave") {
      options.wave = value();
    } else if (option == "--wave-from-us") {
      options.wave_from_us = whole(option, value(), 0);
    } else if (option == "--wave-to-us") {
      options.wave_to_us = whole(option, value(), 1);
    } else if (option == "--json") {
      options.json = value();
    } else if (option == "--stats-fd") {
      options.statistics_descriptor = descriptor();
    } else if (option == "--stats-ms") {
      options.statistics_ms = static_cast<unsigned>(whole(option, value(), 10, 3'600'000));
    } else if (option == "--duration-s") {
      options.duration_s = real(option, value(), 0, 1e9);
    } else if (option == "--exit-with-parent") {
      options.exit_with_parent = true;
    } else if (starts_with(option, "--to-engine-") &&
               link_option(options.to_engine, option, option.substr(12), value)) {
    } else if (starts_with(option, "--from-engine-") &&
               link_option(options.from_engine, option, option.substr(14), value)) {
    } else if (starts_with(option, "--")) {
      const int start = next;
      if (!link_option(options.to_engine, option, option.substr(2), value)) {
        throw UsageError("there is no option " + option + "; --help lists them");
      }
      next = start;
      link_option(options.from_engine, option, option.substr(2), value);
    } else {
      throw UsageError("'" + option + "' is not an option; --help lists them");
    }
  }
  check(options);
  return options;
}

}  // namespace toehold
