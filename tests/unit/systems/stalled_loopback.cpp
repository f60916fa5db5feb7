// SPDX-License-Identifier: Apache-2.0

// stalled_loopback SEED CLOCKS [DAMAGE]: random rounds of random traffic with gates that open and close
// at random, until so many clocks are over. DAMAGE frames of 10,000 are marked bad as they end.
//
// Nothing may be wrong, break or stand still: while gates are open now and then, bytes move. Prints what
// went through; ends with 1 and the round if something is not as it should be.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "Vstalled_loopback.h"
#include "verilated.h"

namespace {

constexpr std::uint64_t kStill = 400'000;      // clocks without a byte: it stands
constexpr std::uint64_t kOpenClose = 6'000'000;  // clocks to open or close, lost segments included
constexpr int kGates = 26;

std::unique_ptr<Vstalled_loopback> dut;
std::uint64_t clocks = 0, random_state = 1;
std::uint32_t damage = 0;
bool quiet = true;  // gates are open

std::uint64_t random64() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state * 0x2545f4914f6cdd1dULL;
}
std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((random64() >> 33) % n); }

// A gate has moods: for some clocks it is open in so many of 256.
struct Gate {
  std::uint32_t share = 256;
  std::uint32_t left = 0;
} gates[kGates];
std::uint32_t severity = 0;  // of 8: how often a mood is a bad one

bool is_open(Gate& gate) {
  if (gate.left-- == 0) {
    gate.left = 1u << below(11);
    constexpr std::uint32_t kShares[] = {0, 4, 32, 128};
    gate.share = below(8) < severity ? kShares[below(4)] : 256;
    if (gate.share == 0) gate.left &= 0x3ff;
  }
  return gate.share == 256 || (random64() >> 56) < gate.share;
}

void tick() {
  dut->now_us = static_cast<std::uint32_t>(clocks / 16);
  std::uint32_t open = ~0u;
  if (!quiet) {
    for (int i = 0; i < kGates; i++) {
      if (!is_open(gates[i])) open &= ~(1u << i);
    }
  }
  dut->open_i = open;
  if (damage != 0) {
    dut->damage_i = (below(10'000) < damage ? 1 : 0) | (below(10'000) < damage ? 2 : 0);
  }
  dut->clk = 1;
  dut->eval();
  dut->clk = 0;
  dut->eval();
  clocks++;
}

void write(int engine, std::uint32_t address, std::uint32_t value) {
  dut->s_axil_awaddr = address;
  dut->s_axil_wdata = value;
  dut->s_axil_valid = 1 << engine;
  for (int i = 0; i < 1'000'000; i++) {
    dut->eval();
    const bool done = (dut->s_axil_done >> engine) & 1;
    tick();
    if (done) break;
  }
  dut->s_axil_valid = 0;
  tick();
}

struct Round {
  const char* server;
  std::uint16_t port;
  bool send, mixed;
  std::uint32_t connections, size;
} now;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr,
               "%s at clock %" PRIu64 ": %s, %u connections, %u bytes%s, severity %u: live %u, opened %u, "
               "refused %u, closed %u, broken %u, out %" PRIu64 ", in %" PRIu64 ", wrong %u\n",
               what, clocks, now.server, now.connections, now.size, now.mixed ? " at most" : "", severity,
               dut->live_o, dut->opened_o, dut->refused_o, dut->closed_o, dut->broken_o, dut->bytes_out_o,
               dut->bytes_in_o, dut->wrong_o);
  std::fflush(stderr);
  std::_Exit(1);  // not through the model's end
}

void advance() {
  if (now.mixed && below(64) == 0) dut->size_i = 1 + below(now.size);
  tick();
  if (dut->wrong_o != 0) fail("wrong bytes");
  if (dut->broken_o != 0) fail("broken");
  if (dut->refused_o != 0) fail("refused");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  random_state = std::strtoull(argv[1], nullptr, 0) * 0x9e3779b97f4a7c15ULL + 1;
  const std::uint64_t end = std::strtoull(argv[2], nullptr, 0);
  damage = argc > 3 ? std::atoi(argv[3]) : 0;
  const bool loud = std::getenv("LOUD") != nullptr;

  dut = std::make_unique<Vstalled_loopback>();
  dut->rst = 1;
  for (int i = 0; i < 8; i++) tick();
  dut->rst = 0;
  const std::uint32_t ip = 0x0a4d0001;
  for (int engine = 0; engine < 2; engine++) {
    write(engine, NETWORK_MAC_HIGH, 0x0254);
    write(engine, NETWORK_MAC_LOW, 0x4f450001 + engine);
    write(engine, NETWORK_IP_ADDRESS, ip + engine);
    write(engine, NETWORK_NETMASK, 0xffffff00);
    write(engine, TCP_RTO_MIN_US, 2'000);
    write(engine, TCP_RTO_INITIAL_US, 20'000);
    write(engine, TCP_TIME_WAIT_US, 100'000);
    for (int i = 0; i < 4; i++) write(engine, TCP_ISN_SECRET_0 + 4 * i, 0x1234567 * (i + engine + 1));
    for (int i = 0; i < 2; i++) write(engine, TCP_HASH_KEY_0 + 4 * i, 0x89abcdef * (i + engine + 1));
  }
  dut->remote_ip_i = ip + 1;
  for (int i = 0; i < START; i++) tick();  // memories are cleared, servers listen

  std::uint64_t rounds = 0, moved = 0;
  while (clocks < end) {
    const std::uint32_t which = below(4);
    now.server = which < 2 ? "echo" : which == 2 ? "discard" : "source";
    now.port = which < 2 ? 7 : which == 2 ? 9 : 19;
    now.send = which != 3;
    now.mixed = below(2) != 0;
    constexpr std::uint32_t kSizes[] = {1, 7, 8, 63, 64, 65, 500, 511, 512, 1459, 1460};
    now.size = below(2) ? kSizes[below(11)] : 1 + below(1460);
    now.connections = below(3) == 0 ? 1 + below(3) : 1 + below(CONNECTIONS);
    severity = below(5);
    const std::uint32_t opened = dut->opened_o, closed = dut->closed_o;
    dut->remote_port_i = now.port;
    dut->send_i = now.send;
    dut->connections_i = now.connections;
    dut->size_i = now.size;
    quiet = false;
    dut->run_i = 1;
    if (loud) std::fprintf(stderr, "%" PRIu64 " %s %u connections, %u bytes%s, severity %u\n", clocks, now.server, now.connections, now.size, now.mixed ? " at most" : "", severity);
    std::uint64_t begin = clocks;
    while (dut->opened_o - opened != now.connections) {
      advance();
      if (clocks - begin > kOpenClose) fail("not all open");
    }
    const std::uint64_t until = clocks + 2'000 + below(30'000);
    const std::uint64_t first = dut->bytes_out_o + dut->bytes_in_o;
    std::uint64_t before = first, since = clocks;
    while (clocks < until || dut->bytes_out_o + dut->bytes_in_o == first) {
      advance();
      if (dut->bytes_out_o + dut->bytes_in_o != before) {
        before = dut->bytes_out_o + dut->bytes_in_o;
        since = clocks;
      }
      if (clocks - since > kStill * (damage ? 10 : 1)) fail("stands still");
    }
    moved += before - first;
    dut->run_i = 0;
    begin = clocks;
    while (dut->live_o != 0) {
      advance();
      if (clocks - begin > kOpenClose) fail("not all closed");
    }
    if (dut->closed_o - closed != now.connections) fail("not all closed in order");
    rounds++;
  }
  std::printf("{\"rounds\": %" PRIu64 ", \"clocks\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n", rounds, clocks, moved);
  dut.reset();
  return 0;
}
