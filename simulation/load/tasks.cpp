// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <stdexcept>

#include "load/load.h"

namespace toehold {

namespace {

// How far to look for a client that can take the turn while others have theirs.
constexpr std::uint32_t kSearch = 64;

constexpr std::size_t kMostTasks = 256;
constexpr std::uint16_t kPorts[] = {7, 9, 19, 2000};  // by kind

}  // namespace

unsigned Load::start(const toehold_load_task& task) {
  toehold_load_task wanted = task;
  const std::uint32_t clients = static_cast<std::uint32_t>(clients_.size());
  if (wanted.first >= clients || wanted.count > clients - wanted.first) {
    throw std::invalid_argument("the task wants clients that do not exist");
  }
  if (wanted.steps == 0 || wanted.steps >= 16 || wanted.kind > TOEHOLD_LOAD_PUSH ||
      wanted.choice > TOEHOLD_LOAD_SHUFFLED || wanted.port > 65535 || wanted.turns_per_second < 0) {
    throw std::invalid_argument("a field of the task makes no sense");
  }
  // Old tasks are kept for their reports only: numbers in the clients are small.
  if (tasks_.size() >= kMostTasks) throw std::invalid_argument("there are too many tasks");
  if (wanted.count == 0) wanted.count = clients - wanted.first;
  if (wanted.turns == 0) wanted.turns = wanted.count;
  if (wanted.at_once == 0) wanted.at_once = 1;
  if (wanted.bytes == 0) wanted.bytes = 1;
  if (wanted.port == 0) wanted.port = kPorts[wanted.kind];
  if ((wanted.steps & TOEHOLD_LOAD_OPEN) && wanted.kind == TOEHOLD_LOAD_PUSH) {
    serve(static_cast<std::uint16_t>(wanted.port));
  }
  const std::uint64_t seed = settings_.seed * kMostTasks + tasks_.size() + 1;
  tasks_.push_back({wanted, Chooser(static_cast<Choice>(wanted.choice), wanted.count,
                                    wanted.exponent, seed), {}, now_ns(), {}});
  return static_cast<unsigned>(tasks_.size() - 1);
}

bool Load::can_begin(const Task& task, const Client& client) const {
  const std::uint32_t steps = task.wanted.steps;
  if (steps & TOEHOLD_LOAD_OPEN) {
    // Not before the last acknowledgement of the connection before has gone.
    return client.state == ClientState::kClosed && client.turns == 0 && !client.queued;
  }
  if (client.state != ClientState::kOpen || client.fin_received) return false;
  return steps == TOEHOLD_LOAD_EXCHANGE || client.turns == 0;
}

// The client chosen, or the next one that can take the turn.
std::optional<std::uint32_t> Load::choose(Task& task) {
  const std::uint32_t count = task.wanted.count;
  const std::uint32_t chosen = task.chooser.next();
  const bool others = task.report.begun > task.report.done;
  const std::uint32_t search = others ? std::min(kSearch, count) : count;
  for (std::uint32_t i = 0; i < search; i++) {
    const std::uint32_t number =
        task.wanted.first + static_cast<std::uint32_t>((std::uint64_t{chosen} + i) % count);
    if (can_begin(task, clients_[number])) return number;
  }
  if (!others) task.wanted.turns = task.report.done;  // nobody is left
  return std::nullopt;
}

void Load::begin_turns() {
  for (unsigned number = 0; number < tasks_.size(); number++) {
    Task& task = tasks_[number];
    while (task.report.begun < task.wanted.turns &&
           task.report.begun - task.report.done < task.wanted.at_once) {
      if (task.wanted.turns_per_second > 0) {
        if (task.next_ns > now_ns()) break;
        task.next_ns += static_cast<std::uint64_t>(1e9 / task.wanted.turns_per_second);
      }
      const auto client = choose(task);
      if (!client) break;
      begin_turn(task, number, *client);
    }
  }
}

void Load::begin_turn(Task& task, unsigned number, std::uint32_t client_number) {
  Client& client = clients_[client_number];
  if (task.report.begun++ == 0) task.report.begin_clock = toehold_sim_clocks(sim_);
  client.task = static_cast<std::uint8_t>(number);
  if (client.turns++ == 0) client.timing = true;
  if (task.wanted.steps & TOEHOLD_LOAD_OPEN) {
    open(client_number, task.wanted);
  } else if (task.wanted.steps & TOEHOLD_LOAD_EXCHANGE) {
    exchange(client_number);
  } else {
    close(client_number);
  }
}

void Load::open(std::uint32_t number, const toehold_load_task& task) {
  Client& client = clients_[number];
  // Each connection of a client begins well beyond the last one, as RFC 9293 wants it.
  const std::uint32_t iss = client.iss + static_cast<std::uint32_t>(client.nxt) + 100'000u + number * 17u;
  const std::uint32_t turns = client.turns;
  const std::uint8_t of_task = client.task;
  const bool retransmits = client.retransmit_timer, acks = client.ack_timer;
  client = Client();
  client.retransmit_timer = retransmits;
  client.ack_timer = acks;
  client.iss = iss;
  client.turns = turns;
  client.task = of_task;
  client.port = static_cast<std::uint16_t>(task.port);
  client.kind = static_cast<std::uint8_t>(task.kind);
  client.state = ClientState::kOpening;
  client.send_syn = client.timing = true;
  queue(number);
}

void Load::exchange(std::uint32_t number) {
  Client& client = clients_[number];
  const std::uint32_t bytes = tasks_[client.task].wanted.bytes;
  const bool receives = client.kind == TOEHOLD_LOAD_RECEIVE || pushes(number);
  if (client.turns <= 1) client.turn_end = (receives ? client.edge : client.goal) + bytes;
  if (pushes(number)) {
    client.edge += bytes;
    client.timing = false;  // no frame begins it
    push(number);
    return;
  }
  if (client.kind == TOEHOLD_LOAD_RECEIVE) {
    client.edge += bytes;
    client.send_ack = true;
  } else {
    client.goal += bytes;
  }
  queue(number);
}

void Load::close(std::uint32_t number) {
  Client& client = clients_[number];
  if (tasks_[client.task].wanted.steps & TOEHOLD_LOAD_RESET) {
    client.send_rst = true;
  } else {
    client.fin_wanted = true;
    client.state = ClientState::kClosing;
    // What the engine's application has sent before it heard of the end has to find room.
    if (client.kind == TOEHOLD_LOAD_RECEIVE) client.edge = UINT64_MAX / 2;
  }
  queue(number);
}

void Load::opened(std::uint32_t number) {
  const std::uint32_t steps = tasks_[clients_[number].task].wanted.steps;
  if (steps & TOEHOLD_LOAD_EXCHANGE) {
    exchange(number);
  } else if (steps & (TOEHOLD_LOAD_CLOSE | TOEHOLD_LOAD_RESET)) {
    close(number);
  } else {
    end_turn(number, false);
  }
}

// Bytes have been received or acknowledged: perhaps the last ones of a turn.
void Load::advanced(std::uint32_t number) {
  Client& client = clients_[number];
  const toehold_load_task& task = tasks_[client.task].wanted;
  if (client.state != ClientState::kOpen) return;
  const std::uint64_t place = client.kind == TOEHOLD_LOAD_SEND ? client.una : client.rcv;
  while (client.turns != 0 && (task.steps & TOEHOLD_LOAD_EXCHANGE) && place >= client.turn_end) {
    if (client.kind == TOEHOLD_LOAD_RECEIVE || pushes(number)) acknowledge_soon(number, true);
    if (task.steps & (TOEHOLD_LOAD_CLOSE | TOEHOLD_LOAD_RESET)) {
      close(number);
      return;
    }
    client.turn_end += task.bytes;
    end_turn(number, false);
  }
}

void Load::closed(std::uint32_t number, bool lost) {
  Client& client = clients_[number];
  if (client.connected()) counters_.connected--;
  (lost ? counters_.lost : counters_.closed)++;
  client.state = ClientState::kClosed;
  client.send_syn = client.send_rst = client.probe = false;
  while (client.turns != 0) end_turn(number, lost);
}

void Load::end_turn(std::uint32_t number, bool failed) {
  Client& client = clients_[number];
  Task& task = tasks_[client.task];
  toehold_load_report& report = task.report;
  client.turns--;
  report.done++;
  report.failed += failed;
  report.end_clock = toehold_sim_clocks(sim_);
  const std::uint64_t eighth = task.wanted.turns / 8;
  if (report.done == eighth) report.middle_begin_clock = report.end_clock;
  if (report.done > eighth && report.done <= 7 * eighth) {
    report.middle_turns++;
    report.middle_end_clock = report.end_clock;
  }
}

// The first frame that answers a turn has come.
void Load::answered(Client& client, std::uint64_t clock) {
  if (!client.timed) return;
  client.timed = false;
  tasks_[client.task].latencies.push_back(static_cast<std::uint32_t>(clock - client.began_clock));
}

toehold_load_report Load::report(unsigned number) const {
  const Task& task = tasks_[number];
  toehold_load_report report = task.report;
  std::vector<std::uint32_t> sorted = task.latencies;
  std::sort(sorted.begin(), sorted.end());
  report.latency_turns = sorted.size();
  if (!sorted.empty()) {
    report.latency_minimum = sorted.front();
    report.latency_median = sorted[sorted.size() / 2];
    report.latency_p999 = sorted[(sorted.size() * 999 - 1) / 1000];
    report.latency_maximum = sorted.back();
  }
  return report;
}

}  // namespace toehold
