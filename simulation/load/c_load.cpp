// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <exception>
#include <string>

#include "load/load.h"
#include "toehold_load.h"

struct toehold_load {
  toehold::Load load;
};

extern "C" {

toehold_load* toehold_load_create(toehold_sim* sim, const toehold_load_settings* settings,
                                  char* error, size_t error_bytes) {
  try {
    return new toehold_load{toehold::Load(sim, *settings)};
  } catch (const std::exception& exception) {
    if (error != nullptr && error_bytes > 0) {
      std::snprintf(error, error_bytes, "%s", exception.what());
    }
    return nullptr;
  }
}

void toehold_load_destroy(toehold_load* load) { delete load; }

const char* toehold_load_error(const toehold_load* load) { return load->load.error.c_str(); }

int toehold_load_start(toehold_load* load, const toehold_load_task* task) {
  try {
    return static_cast<int>(load->load.start(*task));
  } catch (const std::exception& exception) {
    load->load.error = exception.what();
    return TOEHOLD_SIM_ERROR_ARGUMENT;
  }
}

int toehold_load_run(toehold_load* load, uint64_t most_clocks) {
  return load->load.run(most_clocks) ? 1 : 0;
}

int toehold_load_get_report(const toehold_load* load, int task, toehold_load_report* report) {
  if (task < 0 || static_cast<std::size_t>(task) >= load->load.tasks()) {
    return TOEHOLD_SIM_ERROR_ARGUMENT;
  }
  *report = load->load.report(static_cast<unsigned>(task));
  return TOEHOLD_SIM_OK;
}

void toehold_load_get_counters(const toehold_load* load, toehold_load_counters* counters) {
  *counters = load->load.counters();
}

int toehold_load_get_service(const toehold_load* load, uint32_t first, uint32_t count,
                             uint64_t* bytes) {
  const auto& clients = load->load.clients();
  if (first > clients.size() || count > clients.size() - first) return TOEHOLD_SIM_ERROR_ARGUMENT;
  for (uint32_t i = 0; i < count; i++) bytes[i] = clients[first + i].una + clients[first + i].rcv;
  return TOEHOLD_SIM_OK;
}

}  // extern "C"
