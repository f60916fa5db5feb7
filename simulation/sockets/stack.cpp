// SPDX-License-Identifier: Apache-2.0

#include "sockets/stack.h"

#include <algorithm>
#include <utility>

namespace toehold {

namespace {

constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::size_t kLongestPiece = 65536;

// The engine answers a command within a few dozen clocks; this many are a hang.
constexpr unsigned kCallClocks = 10000;

// Tag 255 belongs to the guard in front of the application port.
constexpr std::size_t kTags = 255;

// CommandSetOption: value[31:24] is the option, value[23:0] what it is set to.
toehold_sim_command option_command(const Connection& connection, int option, std::int64_t value) {
  constexpr unsigned kUserTimeoutShift = 17;  // its unit is 2^17 us
  std::uint64_t number = static_cast<std::uint64_t>(value);
  if (option == TOEHOLD_OPTION_USER_TIMEOUT_US) {
    number = (number + (1u << kUserTimeoutShift) - 1) >> kUserTimeoutShift;
  }
  toehold_sim_command command{};
  command.op = TOEHOLD_SIM_COMMAND_SET_OPTION;
  command.session = *connection.session;
  command.value = static_cast<std::uint32_t>(option) << 24 | static_cast<std::uint32_t>(number);
  return command;
}

}  // namespace

int error_of_result(int result) {
  switch (result) {
    case TOEHOLD_SIM_RESULT_OK: return 0;
    case TOEHOLD_SIM_RESULT_NO_CONNECTION: return TOEHOLD_ENOTCONN;
    case TOEHOLD_SIM_RESULT_NO_ROOM: return TOEHOLD_ENOBUFS;
    case TOEHOLD_SIM_RESULT_IN_USE: return TOEHOLD_EADDRINUSE;
    case TOEHOLD_SIM_RESULT_CLOSING: return TOEHOLD_EPIPE;
    case TOEHOLD_SIM_RESULT_UNSUPPORTED: return TOEHOLD_ENOPROTOOPT;
    default: return result < 0 ? result : TOEHOLD_EPROTO;
  }
}

Stack::Stack(toehold_sim* sim) : sim_(sim), calls_(kTags), buffer_(kLongestPiece) {
  toehold_sim_set_grant(sim, grant, this);
  toehold_sim_read_field(sim, "identity_tx_ring_bytes", &send_ring_);
  toehold_sim_read_field(sim, "identity_rx_ring_bytes", &receive_ring_);
  read_addresses();
}

Stack::~Stack() {
  toehold_sim_set_grant(sim_, nullptr, nullptr);
  for (toehold_socket* socket : sockets) delete socket;
}

int Stack::read_addresses() { return toehold_sim_read_field(sim_, "network_ip_address", &ip_); }

std::shared_ptr<Connection> Stack::find(std::uint32_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second;
}

bool Stack::news() {
  const bool news = news_;
  news_ = false;
  return news;
}

// ---- Time -----------------------------------------------------------------------------------

int Stack::run_port_until(std::uint64_t time_us) {
  // Without a link, frames are the caller's: they wait.
  const unsigned kinds =
      TOEHOLD_SIM_OUTPUT_APPLICATION | (world_ ? TOEHOLD_SIM_OUTPUT_FRAME : 0u);
  for (;;) {
    pump();
    // Whether a message has been handed over completely, nothing tells but a look.
    const bool handing = std::any_of(connections_.begin(), connections_.end(), [&](auto& each) {
      return each->close_wanted && !each->close_sent && each->to_send.empty() && !each->asked;
    });
    const std::uint64_t now_us = toehold_sim_time_us(sim_);
    const std::uint64_t until_us = handing ? std::min(time_us, now_us + 1) : time_us;
    const int output = toehold_sim_run_until_output(sim_, until_us, kinds);
    pump();
    if (output < 0) return TOEHOLD_EINVAL;
    if (world_ && (toehold_sim_outputs(sim_) & TOEHOLD_SIM_OUTPUT_FRAME) != 0) {
      return TOEHOLD_RUN_FRAME | (news() ? TOEHOLD_RUN_NEWS : 0);
    }
    // Alone, news is told at once; on a link, the other end comes along first.
    if (output == 0 && until_us >= time_us) return news() ? TOEHOLD_RUN_NEWS : 0;
    if (!world_ && news()) return TOEHOLD_RUN_NEWS;
  }
}

std::uint64_t Stack::next_deadline_us() { return toehold_sim_next_deadline_us(sim_); }

void Stack::set_world(const toehold_world* world) {
  if (world == nullptr) {
    world_.reset();
  } else {
    world_ = *world;
  }
}

int Stack::run_until(std::uint64_t time_us) {
  if (world_) return world_->run_until(world_->context, time_us);
  const int result = run_port_until(time_us);
  return result < 0 ? result : (result & TOEHOLD_RUN_NEWS) != 0;
}

std::uint64_t Stack::next_us() {
  return world_ ? world_->next_us(world_->context) : next_deadline_us();
}

// ---- Commands -------------------------------------------------------------------------------

int Stack::start(toehold_sim_command command, Call call) {
  const auto free = std::find_if(calls_.begin(), calls_.end(), [](const Call& each) {
    return each.kind == Call::Kind::kNone;
  });
  if (free == calls_.end()) return TOEHOLD_EMFILE;
  *free = std::move(call);
  command.tag = static_cast<std::uint8_t>(free - calls_.begin());
  toehold_sim_put_command(sim_, &command);
  return command.tag;
}

int Stack::post(toehold_sim_command command) {
  return start(command, {Call::Kind::kForget, nullptr, {}, 0});
}

int Stack::call(toehold_sim_command command, std::uint32_t* value) {
  const int tag = start(command, {Call::Kind::kWait, nullptr, {}, 0});
  if (tag < 0) return tag;
  Call& call = calls_[static_cast<std::size_t>(tag)];
  for (unsigned i = 0; i < kCallClocks && !call.result; i++) {
    toehold_sim_advance(sim_, 1);
    pump();
  }
  const int result = call.result ? *call.result : TOEHOLD_EPROTO;
  if (value != nullptr) *value = call.value;
  call = Call{};
  return result;
}

int Stack::open(const std::shared_ptr<Connection>& connection) {
  toehold_sim_command command{};
  command.op = TOEHOLD_SIM_COMMAND_OPEN;
  command.local_port = connection->local.port;
  command.remote_ip = connection->peer.ip;
  command.remote_port = connection->peer.port;
  const int tag = start(command, {Call::Kind::kOpen, connection, {}, 0});
  if (tag < 0) return tag;
  connections_.push_back(connection);
  return 0;
}

int Stack::apply_option(Connection& connection, int option, std::int64_t value) {
  if (!connection.session || connection.ended) return TOEHOLD_ENOTCONN;
  return error_of_result(call(option_command(connection, option, value)));
}

int Stack::query(const Connection& connection, std::uint32_t what, std::uint32_t* value) {
  if (!connection.session || connection.ended) return TOEHOLD_ENOTCONN;
  toehold_sim_command command{};
  command.op = TOEHOLD_SIM_COMMAND_QUERY;
  command.session = *connection.session;
  command.value = what;
  return error_of_result(call(command, value));
}

// Those that were set before there was a connection: nobody waits for the answers.
void Stack::push_options(Connection& connection) {
  for (std::size_t option = 1; option <= kEngineOptions; option++) {
    const auto& value = connection.options.engine[option];
    if (value) post(option_command(connection, static_cast<int>(option), *value));
  }
}

// ---- From the engine ------------------------------------------------------------------------

std::uint16_t Stack::grant(void* context, std::uint32_t session, std::uint16_t length) {
  const auto connection = static_cast<Stack*>(context)->find(session);
  // Not ours, or gone: the bytes reach nobody.
  if (connection == nullptr || connection->discarding) return length;
  if (connection->orphan) {
    connection->abort_wanted = true;
    return 0;
  }
  const std::size_t taken = connection->received.size() + connection->granted;
  const std::size_t room = connection->options.receive_buffer - std::min(
      connection->options.receive_buffer, taken);
  const auto granted = static_cast<std::uint16_t>(std::min<std::size_t>(room, length));
  connection->granted += granted;
  connection->refused = granted < length;
  return granted;
}

void Stack::pump() {
  toehold_sim_event event;
  while (toehold_sim_take_event(sim_, &event) == 1) on_event(event);
  toehold_sim_transmit_status status;
  while (toehold_sim_take_transmit_status(sim_, &status) == 1) on_status(status);
  toehold_sim_received_info info;
  while (toehold_sim_receive(sim_, buffer_.data(), buffer_.size(), &info) == 1) on_data(info);

  for (const std::uint32_t session : ended_sessions_) sessions_.erase(session);
  ended_sessions_.clear();
  for (auto each = connections_.begin(); each != connections_.end();) {
    work(*each);
    each = (*each)->ended ? connections_.erase(each) : std::next(each);
  }
}

void Stack::on_event(const toehold_sim_event& event) {
  if (event.kind == TOEHOLD_SIM_EVENT_RESULT) return on_result(event);
  if (event.kind == TOEHOLD_SIM_EVENT_ACCEPTED) return on_accepted(event);
  const auto connection = find(event.session);
  if (connection == nullptr) return;
  switch (event.kind) {
    case TOEHOLD_SIM_EVENT_OPENED:
      connection->opened = true;
      connection->local.port = event.local_port;
      news_ = true;
      break;
    case TOEHOLD_SIM_EVENT_ACKED:
      connection->acknowledged = connection->handed - std::min<std::uint64_t>(
          connection->handed, event.value);
      connection->acked_since = true;
      connection->blocked = false;
      news_ = true;
      break;
    case TOEHOLD_SIM_EVENT_PEER_CLOSED:
      connection->peer_closed = true;
      news_ = true;
      break;
    case TOEHOLD_SIM_EVENT_CLOSED: {
      const bool orderly = connection->opened && !connection->abort_sent &&
                           connection->peer_closed;
      on_end(*connection, orderly ? 0 : TOEHOLD_ECONNABORTED);
      break;
    }
    case TOEHOLD_SIM_EVENT_RESET:
      on_end(*connection, connection->opened ? TOEHOLD_ECONNRESET : TOEHOLD_ECONNREFUSED);
      break;
    case TOEHOLD_SIM_EVENT_TIMED_OUT: on_end(*connection, TOEHOLD_ETIMEDOUT); break;
    default: break;
  }
}

void Stack::on_result(const toehold_sim_event& event) {
  if (event.tag >= calls_.size()) return;
  Call& call = calls_[event.tag];
  if (call.kind == Call::Kind::kOpen) {
    Connection& connection = *call.connection;
    if (event.result == TOEHOLD_SIM_RESULT_OK) {
      connection.session = event.session;
      if (event.local_port != 0) connection.local.port = event.local_port;
      sessions_[event.session] = call.connection;
      push_options(connection);
    } else {
      connection.ended = true;
      connection.error = event.result == TOEHOLD_SIM_RESULT_UNSUPPORTED
                             ? TOEHOLD_ENETUNREACH
                             : error_of_result(event.result);
      news_ = true;
    }
  }
  if (call.kind == Call::Kind::kWait) {
    call.result = event.result;
    call.value = event.value;
  } else {
    call = Call{};
  }
}

void Stack::on_accepted(const toehold_sim_event& event) {
  auto connection = std::make_shared<Connection>();
  connection->session = event.session;
  connection->opened = true;
  connection->local = {ip_, event.local_port};
  connection->peer = {event.remote_ip, event.remote_port};
  connections_.push_back(connection);
  sessions_[event.session] = connection;

  const auto listener = listeners.find(event.local_port);
  if (listener == listeners.end() ||
      listener->second->waiting.size() >= listener->second->backlog) {
    connection->orphan = true;
    connection->abort_wanted = true;
    return;
  }
  connection->options = listener->second->options;
  push_options(*connection);
  listener->second->waiting.push_back(connection);
  news_ = true;
}

void Stack::on_end(Connection& connection, int error) {
  connection.ended = true;
  if (connection.error == 0) connection.error = error;
  connection.to_send.clear();
  if (error == 0) connection.peer_closed = true;
  // Its last data may stand behind this event in the same clock.
  ended_sessions_.push_back(*connection.session);
  news_ = true;
}

void Stack::on_status(const toehold_sim_transmit_status& status) {
  if (messages_.empty()) return;
  const Message message = std::move(messages_.front());
  messages_.pop_front();
  Connection& connection = *message.connection;
  connection.asked = false;
  if (status.error == TOEHOLD_SIM_TRANSMIT_OK) {
    connection.handed += message.length;
    connection.to_send.pop(std::min(message.length, connection.to_send.size()));
  } else if (status.error == TOEHOLD_SIM_TRANSMIT_NO_SPACE) {
    // An EventAcked since the request means that there may be more by now.
    connection.room = status.space;
    connection.blocked = status.space == 0 && !connection.acked_since;
  } else {
    connection.to_send.clear();  // its final event follows
  }
}

void Stack::on_data(const toehold_sim_received_info& info) {
  const auto connection = find(info.session);
  if (connection == nullptr) return;
  connection->granted -= std::min<std::size_t>(connection->granted, info.length);
  if (connection->discarding) return;
  if (connection->orphan) {
    connection->abort_wanted = true;
    return;
  }
  connection->received.push(buffer_.data(), info.length);
  news_ = true;
}

// ---- To the engine --------------------------------------------------------------------------

bool Stack::handed_over(const Connection& connection) const {
  return connection.to_send.empty() && !connection.asked &&
         messages_sent_ - toehold_sim_messages_pending(sim_) >= connection.last_message;
}

void Stack::work(const std::shared_ptr<Connection>& connection) {
  Connection& c = *connection;
  if (!c.session || c.ended) return;
  if (c.abort_wanted) {
    if (c.abort_sent) return;
    toehold_sim_command command{};
    command.op = TOEHOLD_SIM_COMMAND_ABORT;
    command.session = *c.session;
    c.abort_sent = post(command) >= 0;
    c.to_send.clear();
    return;
  }
  if (c.opened && !c.asked && !c.blocked && !c.to_send.empty()) {
    std::size_t length = std::min(c.to_send.size(), static_cast<std::size_t>(send_ring_));
    length = std::min<std::size_t>(length, 65535);
    if (c.room != 0) length = std::min(length, c.room);
    c.room = 0;
    c.acked_since = false;
    c.asked = true;
    toehold_sim_send(sim_, *c.session, c.to_send.data(), length);
    messages_.push_back({connection, length});
    c.last_message = ++messages_sent_;
  }
  if (c.close_wanted && !c.close_sent && handed_over(c)) {
    toehold_sim_command command{};
    command.op = TOEHOLD_SIM_COMMAND_CLOSE;
    command.session = *c.session;
    c.close_sent = post(command) >= 0;
  }
}

void Stack::leave(const std::shared_ptr<Connection>& connection) {
  Connection& c = *connection;
  c.orphan = true;
  const bool unread = (!c.received.empty() || c.granted != 0 || c.refused) && !c.discarding;
  if (c.options.abort || unread || !c.opened) {
    c.abort_wanted = true;
  } else {
    c.close_wanted = true;
  }
  c.received.clear();
  pump();
}

void Stack::has_room(Connection& connection) {
  if (!connection.refused) return;
  connection.refused = false;
  toehold_sim_set_grant(sim_, grant, this);  // has it offered again
}

}  // namespace toehold
