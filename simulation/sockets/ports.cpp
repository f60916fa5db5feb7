// SPDX-License-Identifier: Apache-2.0

// The engine as a port of a link. Without sockets, the application interface is the caller's.

#include <cstddef>
#include <cstdint>

#include "toehold_sockets.h"

namespace {

toehold_sim* engine(void* context) { return static_cast<toehold_sim*>(context); }

void put_frame(void* context, const void* bytes, std::size_t length, unsigned flags,
               std::uint64_t time_us) {
  toehold_sim_put_frame_at(engine(context), bytes, length, flags, time_us);
}

std::size_t take_frame(void* context, void* bytes, std::size_t capacity, std::uint64_t* time_us) {
  toehold_sim_frame_info info;
  if (toehold_sim_take_frame(engine(context), bytes, capacity, &info) != 1) return 0;
  *time_us = info.time_us;
  return info.length;
}

int run_until(void* context, std::uint64_t time_us) {
  toehold_sim* const sim = engine(context);
  if (toehold_sim_run_until_output(sim, time_us, TOEHOLD_SIM_OUTPUT_FRAME) == 1) {
    return TOEHOLD_RUN_FRAME;
  }
  return (toehold_sim_outputs(sim) & TOEHOLD_SIM_OUTPUT_APPLICATION) != 0 ? TOEHOLD_RUN_NEWS : 0;
}

std::uint64_t next_deadline_us(void* context) {
  return toehold_sim_next_deadline_us(engine(context));
}

std::uint64_t time_us(void* context) { return toehold_sim_time_us(engine(context)); }

}  // namespace

extern "C" toehold_port toehold_sim_port(toehold_sim* sim) {
  return {sim, put_frame, take_frame, run_until, next_deadline_us, time_us, nullptr};
}
