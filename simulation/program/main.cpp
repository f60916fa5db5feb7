// SPDX-License-Identifier: Apache-2.0

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "program/bridge.h"
#include "program/options.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) { stop_requested = 1; }

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  // A reader of statistics that went away is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
}

void end_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) stop_requested = 1;
}

void write_summary(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = toehold::parse_options(argc, argv);
    if (!options) return 0;
    catch_signals();
    if (options->exit_with_parent) end_with_parent();

    toehold::Bridge bridge(*options);
    bridge.run(stop_requested);
    if (!options->json.empty()) write_summary(options->json, bridge.summary());
    return 0;
  } catch (const toehold::UsageError& error) {
    std::fprintf(stderr, "toehold-sim: %s\n", error.what());
    return kExitUsage;
  } catch (const toehold::BusError& error) {
    std::fprintf(stderr, "toehold-sim: %s\n", error.sentence.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "toehold-sim: %s\n", error.what());
  }
  return kExitFailure;
}
