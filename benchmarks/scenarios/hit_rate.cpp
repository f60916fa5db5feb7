// SPDX-License-Identifier: Apache-2.0

// state_lookup by itself: events by Zipf's law, and how many find their connection's state on chip.
//
//   hit_rate EXPONENT WARM_UP EVENTS
//
// prints the hits among the last EVENTS events. A state is there as soon as it is missed.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "Vstate_lookup.h"
#include "load/chooser.h"
#include "verilated.h"

namespace {

void clock(Vstate_lookup& lookup) {
  lookup.clk = 1;
  lookup.eval();
  lookup.clk = 0;
  lookup.eval();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double exponent = std::atof(argv[1]);
  const std::uint64_t warm_up = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t events = std::strtoull(argv[3], nullptr, 10);
  toehold::Chooser chooser(toehold::Choice::kZipf, CONNECTIONS, exponent, 1);

  const auto lookup = std::make_unique<Vstate_lookup>();
  // Of the event only the kind counts: this one is not a segment, so it names a connection.
  std::memset(&lookup->s_event, 0xff, sizeof lookup->s_event);
  lookup->m_ready = 1;
  lookup->park_ready_i = 1;
  lookup->begin_ready_i = 1;
  lookup->rst = 1;
  clock(*lookup);
  lookup->rst = 0;
  while (!lookup->init_done_o) clock(*lookup);

  std::uint64_t decided = 0, hits = 0;
  lookup->s_id = chooser.next();
  lookup->s_valid = 1;
  while (decided < warm_up + events) {
    lookup->eval();
    const bool taken = lookup->s_ready;
    if (lookup->hit_o || lookup->begin_valid_o) {
      if (decided >= warm_up) hits += lookup->hit_o;
      decided++;
    }
    clock(*lookup);
    if (taken) lookup->s_id = chooser.next();
  }
  std::printf("%llu\n", static_cast<unsigned long long>(hits));
  return 0;
}
