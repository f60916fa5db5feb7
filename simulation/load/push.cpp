// SPDX-License-Identifier: Apache-2.0

// The application beside the engine that clients of the kind PUSH are connected to. It sends what
// their turns ask for, one message of a connection at a time, and closes when a client has.

#include <algorithm>
#include <stdexcept>

#include "load/load.h"

namespace toehold {

namespace {

constexpr std::uint64_t kListenClocks = 20000;
constexpr std::uint8_t kListenTag = 1;
// Room is asked for ahead, since the answer for a connection in DRAM takes longer than a segment.
constexpr unsigned kRequests = 4;

}  // namespace

void Load::serve(std::uint16_t port) {
  if (served_ports_.count(port) != 0) return;
  toehold_sim_set_requests(sim_, kRequests);
  served_ports_.insert(port);
  toehold_sim_command listen{};
  listen.op = TOEHOLD_SIM_COMMAND_LISTEN;
  listen.tag = kListenTag;
  listen.local_port = port;
  toehold_sim_put_command(sim_, &listen);
  listen_result_.reset();
  for (std::uint64_t i = 0; i < kListenClocks && !listen_result_; i++) {
    toehold_sim_advance(sim_, 1);
    note_taken();
    collect();
  }
  if (listen_result_ == TOEHOLD_SIM_RESULT_OK) return;
  served_ports_.erase(port);
  throw std::invalid_argument("the engine does not listen to the port of the task");
}

void Load::serve() {
  toehold_sim_event event;
  while (toehold_sim_take_event(sim_, &event) == 1) serve(event);
  toehold_sim_transmit_status status;
  while (toehold_sim_take_transmit_status(sim_, &status) == 1) {
    const auto found = clients_by_session_.find(status.session);
    if (found == clients_by_session_.end()) continue;
    Client& client = clients_[found->second];
    if (client.session != status.session) continue;
    client.pushing = false;
    if (status.error == TOEHOLD_SIM_TRANSMIT_OK) {
      client.pushed += status.length;
      push(found->second);
    } else if (status.error == TOEHOLD_SIM_TRANSMIT_NO_SPACE && status.space != 0) {
      push(found->second, status.space);
    } else if (status.error == TOEHOLD_SIM_TRANSMIT_NO_SPACE && client.more_acked) {
      push(found->second);
    }
  }
}

void Load::serve(const toehold_sim_event& event) {
  if (event.kind == TOEHOLD_SIM_EVENT_ACCEPTED) {
    const auto number = client_at(event.remote_ip, event.remote_port);
    if (!number) return;
    clients_by_session_[event.session] = *number;
    Client& client = clients_[*number];
    if (client.state != ClientState::kOpen || !pushes(*number)) return;
    client.session = event.session;
    opened(*number);
    push(*number);
    return;
  }
  if (event.kind == TOEHOLD_SIM_EVENT_RESULT && event.tag == kListenTag) {
    listen_result_ = event.result;
    return;
  }
  const auto found = clients_by_session_.find(event.session);
  if (found == clients_by_session_.end()) return;
  const std::uint32_t number = found->second;
  switch (event.kind) {
    case TOEHOLD_SIM_EVENT_ACKED:
      if (clients_[number].session != event.session) break;
      clients_[number].more_acked = true;
      push(number);
      break;
    case TOEHOLD_SIM_EVENT_PEER_CLOSED: {
      toehold_sim_command close{};
      close.op = TOEHOLD_SIM_COMMAND_CLOSE;
      close.session = event.session;
      toehold_sim_put_command(sim_, &close);
      break;
    }
    case TOEHOLD_SIM_EVENT_CLOSED:
    case TOEHOLD_SIM_EVENT_RESET:
    case TOEHOLD_SIM_EVENT_TIMED_OUT:
      clients_by_session_.erase(found);
      break;
    default: break;
  }
}

// The next message of what its turns ask for. What is refused is asked for again, as much as there is
// room for, or, if there is none, when the client has acknowledged more, which may have been told
// before the refusal.
void Load::push(std::uint32_t number, std::uint64_t most) {
  Client& client = clients_[number];
  if (client.session == Client::kNoSession || client.pushing || !client.connected() ||
      client.pushed >= client.edge) {
    return;
  }
  client.pushing = true;
  client.more_acked = false;
  toehold_sim_send(sim_, client.session, patterns_.of_generator(client.pushed),
                   std::min(client.edge - client.pushed, most));
}

}  // namespace toehold
