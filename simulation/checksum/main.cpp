// SPDX-License-Identifier: Apache-2.0

// Runs a program on picorv32_checksum until it writes the word 0 where a report begins.
//
//   picorv32_checksum PROGRAM.bin
//
// A report is a word that says what it is, the number of words that follow, and those. Each is
// printed as a line, with the clocks behind it in which the peripheral was busy since the report
// before. Exit code 1: the processor trapped, or does not end.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "Vpicorv32_checksum.h"
#include "verilated.h"

namespace {
constexpr uint64_t kMostClocks = 500'000'000;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s PROGRAM.bin\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<uint8_t> program{std::istreambuf_iterator<char>(file), {}};
  if (program.empty()) {
    std::fprintf(stderr, "%s cannot be read\n", argv[1]);
    return 2;
  }
  program.resize((program.size() + 3) / 4 * 4);

  auto top = std::make_unique<Vpicorv32_checksum>();
  uint64_t busy = 0;
  auto tick = [&] {
    top->clk = 0;
    top->eval();
    busy += top->checksum_busy_o;
    top->clk = 1;
    top->eval();
  };
  top->rst = 1;
  for (size_t i = 0; i < program.size(); i += 4) {
    top->load_valid_i = 1;
    top->load_address_i = static_cast<uint32_t>(i);
    top->load_data_i = static_cast<uint32_t>(program[i] | program[i + 1] << 8 |
                                             program[i + 2] << 16) |
                       static_cast<uint32_t>(program[i + 3]) << 24;
    tick();
  }
  top->load_valid_i = 0;
  tick();
  top->rst = 0;

  std::vector<uint32_t> report;
  for (uint64_t clock = 0; clock < kMostClocks; clock++) {
    tick();
    if (top->trap_o) {
      std::fprintf(stderr, "the processor trapped after %llu clocks\n",
                   static_cast<unsigned long long>(clock));
      return 1;
    }
    if (!top->console_valid_o) continue;
    report.push_back(top->console_data_o);
    if (report[0] == 0) return 0;
    if (report.size() < 2 || report.size() < 2 + report[1]) continue;
    std::printf("%u", report[0]);
    for (size_t i = 2; i < report.size(); i++) std::printf(" %u", report[i]);
    std::printf(" %llu\n", static_cast<unsigned long long>(busy));
    report.clear();
    busy = 0;
  }
  std::fprintf(stderr, "the program does not end\n");
  return 1;
}
