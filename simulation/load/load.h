// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/chooser.h"
#include "load/client.h"
#include "load/patterns.h"
#include "load/segments.h"
#include "models/link_model.h"
#include "toehold_load.h"

namespace toehold {

/// The clients, the tasks, and the wire between them and an engine: see toehold_load.h.
class Load {
 public:
  /// Throws `std::invalid_argument` or `std::runtime_error`.
  Load(toehold_sim* sim, const toehold_load_settings& settings);

  unsigned start(const toehold_load_task& task);
  bool run(std::uint64_t most_clocks);
  toehold_load_report report(unsigned task) const;
  const toehold_load_counters& counters() const { return counters_; }
  std::size_t tasks() const { return tasks_.size(); }
  const std::vector<Client>& clients() const { return clients_; }

  std::string error;

 private:
  struct Task {
    toehold_load_task wanted;
    Chooser chooser;
    toehold_load_report report{};
    std::uint64_t next_ns = 0;  // when the next turn may begin
    std::vector<std::uint32_t> latencies;
    bool finished() const { return report.done >= wanted.turns; }
  };

  struct Deadline {
    std::uint64_t time_us;
    std::uint32_t client;
    std::uint64_t acknowledged;
    std::uint32_t iss;  // of the connection that it belongs to
  };

  // tasks.cpp: what the clients do.
  void begin_turns();
  void begin_turn(Task& task, unsigned number, std::uint32_t client);
  std::optional<std::uint32_t> choose(Task& task);
  bool can_begin(const Task& task, const Client& client) const;
  void open(std::uint32_t number, const toehold_load_task& task);
  void exchange(std::uint32_t number);
  void close(std::uint32_t number);
  void opened(std::uint32_t number);
  void advanced(std::uint32_t number);
  void closed(std::uint32_t number, bool lost);
  void end_turn(std::uint32_t number, bool failed);
  void answered(Client& client, std::uint64_t clock);

  // application.cpp: the application beside the engine, for clients of kind PUSH.
  void serve(std::uint16_t port);
  void serve();
  void serve(const toehold_sim_event& event);
  void push(std::uint32_t number, std::uint64_t most = 16384);
  bool pushes(std::uint32_t number) const { return clients_[number].kind == TOEHOLD_LOAD_PUSH; }

  // endpoint.cpp: a client's TCP.
  void receive(const std::uint8_t* bytes, std::size_t length, std::uint64_t first_clock);
  void receive(std::uint32_t number, const Segment& segment, std::uint64_t first_clock);
  void take_acknowledgement(std::uint32_t number, const Segment& segment);
  void take_payload(std::uint32_t number, const Segment& segment);
  bool build_next(std::uint32_t number, std::vector<std::uint8_t>& frame);
  bool has_more(const Client& client) const;
  void queue(std::uint32_t number);
  void acknowledge_soon(std::uint32_t number, bool now);
  void arm_retransmission(std::uint32_t number);
  void run_timers();
  void retransmit(std::uint32_t number);
  std::uint64_t window_left(const Client& client) const;
  std::uint32_t mss(std::uint32_t number) const {
    return number % 2 ? settings_.odd_mss : settings_.mss;
  }
  std::uint32_t address(std::uint32_t number) const;
  std::uint16_t port(std::uint32_t number) const;
  std::optional<std::uint32_t> client_at(std::uint32_t ip, std::uint16_t port) const;

  // load.cpp: the wire.
  void find_engine();
  void feed();
  bool put(const std::vector<std::uint8_t>& frame, std::uint32_t timed_client);
  void note_taken();
  void collect();
  std::uint64_t next_us() const;
  bool idle() const;
  std::uint64_t now_us() const { return toehold_sim_time_us(sim_); }
  std::uint64_t now_ns() const { return toehold_sim_time_ns(sim_); }

  toehold_sim* const sim_;
  toehold_load_settings settings_;
  Patterns patterns_;
  std::vector<Client> clients_;
  std::uint32_t addresses_;
  std::deque<Task> tasks_;
  toehold_load_counters counters_{};

  MacAddress engine_mac_{};
  std::uint32_t engine_ip_ = 0;
  bool engine_known_ = false;

  std::set<std::uint16_t> served_ports_;    // on which the load is the application
  std::optional<std::uint8_t> listen_result_;
  std::unordered_map<std::uint32_t, std::uint32_t> clients_by_session_;

  std::deque<std::uint32_t> ready_;         // clients with something to send
  std::deque<std::vector<std::uint8_t>> urgent_;  // ARP
  std::deque<std::uint32_t> before_engine_;  // for each frame that it has not taken: whose turn begins
  std::deque<Deadline> retransmissions_, acknowledgements_;
  std::optional<LinkModel> to_engine_, from_engine_;
  std::vector<std::uint8_t> frame_, taken_;
};

}  // namespace toehold
