// SPDX-License-Identifier: Apache-2.0

// The calls of toehold_sockets.h on sockets: argument checks, blocking, and what BSD promises.

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "sockets/stack.h"
#include "toehold_sockets.h"

using toehold::Connection;
using toehold::error_of_result;

namespace {

constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::uint16_t kFirstFreePort = 49152;
constexpr std::int64_t kLongestUserTimeoutUs = std::int64_t{0xffffff} << 17;

std::uint64_t deadline_after(const toehold_sockets* sockets, std::int64_t timeout_us) {
  if (timeout_us < 0) return kNever;
  return toehold_sim_time_us(sockets->sim()) + static_cast<std::uint64_t>(timeout_us);
}

// Lets time pass until `done` or the deadline: 0, TOEHOLD_EAGAIN or another error.
template <typename Done>
int wait(toehold_sockets* sockets, std::uint64_t deadline_us, Done done) {
  for (;;) {
    sockets->pump();
    if (done()) return 0;
    if (toehold_sim_time_us(sockets->sim()) >= deadline_us) return TOEHOLD_EAGAIN;
    std::uint64_t until_us = deadline_us;
    if (deadline_us == kNever) {
      const std::uint64_t next_us = sockets->next_us();
      if (next_us == kNever) return TOEHOLD_EDEADLK;
      until_us = std::max(next_us, toehold_sim_time_us(sockets->sim())) + 1;
    }
    const int result = sockets->run_until(until_us);
    if (result < 0) return result;
  }
}

template <typename Done>
int wait(toehold_socket* socket, Done done) {
  const std::int64_t timeout_us = socket->nonblocking ? 0 : socket->options.timeout_us;
  return wait(socket->owner, deadline_after(socket->owner, timeout_us), done);
}

std::size_t room(const toehold_socket* socket) {
  const Connection& connection = *socket->connection;
  const std::uint64_t used = connection.written - connection.acknowledged;
  const std::size_t ring = socket->owner->send_ring();
  return used >= ring ? 0 : ring - static_cast<std::size_t>(used);
}

// Their numbers follow app_query_e.
bool is_statistic(int option) {
  return (option >= TOEHOLD_OPTION_MSS && option <= TOEHOLD_OPTION_IN_FLIGHT) ||
         (option >= TOEHOLD_OPTION_RETRANSMITTED && option <= TOEHOLD_OPTION_TIMEOUTS) ||
         option == TOEHOLD_OPTION_STATE || option == TOEHOLD_OPTION_PEER_WINDOW;
}

bool can_read(const toehold_socket* socket) {
  if (socket->listening) return !socket->waiting.empty();
  const Connection* connection = socket->connection.get();
  return connection != nullptr &&
         (!connection->received.empty() || connection->peer_closed || connection->ended ||
          connection->discarding || connection->error != 0);
}

bool can_write(const toehold_socket* socket) {
  const Connection* connection = socket->connection.get();
  return connection != nullptr && (connection->ended || connection->close_wanted ||
                                   (connection->opened && room(socket) > 0));
}

int take_error(Connection& connection) {
  const int error = connection.error;
  connection.error = 0;
  return error;
}

unsigned readiness(const toehold_socket* socket) {
  unsigned ready = 0;
  if (can_read(socket)) ready |= TOEHOLD_POLLIN;
  if (can_write(socket)) ready |= TOEHOLD_POLLOUT;
  const Connection* connection = socket->connection.get();
  if (connection != nullptr) {
    if (connection->error != 0) ready |= TOEHOLD_POLLERR;
    if (connection->ended || (connection->peer_closed && connection->close_wanted)) {
      ready |= TOEHOLD_POLLHUP;
    }
  }
  return ready;
}

bool is_engine_option(int option) {
  return option >= 1 && option <= static_cast<int>(toehold::kEngineOptions);
}

// Of an option of the engine.
std::int64_t largest_value(int option) {
  switch (option) {
    case TOEHOLD_OPTION_USER_TIMEOUT_US: return kLongestUserTimeoutUs;
    case TOEHOLD_OPTION_DSCP: return 63;
    default: return 1;
  }
}

toehold_sockets* owner_of(void* context) { return static_cast<toehold_sockets*>(context); }

void put_frame(void* context, const void* bytes, std::size_t length, unsigned flags,
               std::uint64_t time_us) {
  toehold_sim_put_frame_at(owner_of(context)->sim(), bytes, length, flags, time_us);
}

std::size_t take_frame(void* context, void* bytes, std::size_t capacity, std::uint64_t* time_us) {
  toehold_sim_frame_info info;
  if (toehold_sim_take_frame(owner_of(context)->sim(), bytes, capacity, &info) != 1) return 0;
  *time_us = info.time_us;
  return info.length;
}

int run_port(void* context, std::uint64_t time_us) {
  return owner_of(context)->run_port_until(time_us);
}

std::uint64_t next_deadline(void* context) { return owner_of(context)->next_deadline_us(); }

std::uint64_t time_of(void* context) { return toehold_sim_time_us(owner_of(context)->sim()); }

void connected(void* context, const toehold_world* world) { owner_of(context)->set_world(world); }

}  // namespace

extern "C" {

const char* toehold_strerror(int error) {
  switch (error) {
    case 0: return "no error";
    case TOEHOLD_EAGAIN: return "would block";
    case TOEHOLD_EINVAL: return "invalid argument";
    case TOEHOLD_EPIPE: return "closed for writing";
    case TOEHOLD_EDEADLK: return "nothing will ever happen";
    case TOEHOLD_EPROTO: return "the engine broke its interface";
    case TOEHOLD_EMFILE: return "too many calls under way";
    case TOEHOLD_ENOPROTOOPT: return "no such option";
    case TOEHOLD_EADDRINUSE: return "address in use";
    case TOEHOLD_EADDRNOTAVAIL: return "not the engine's address";
    case TOEHOLD_ENETUNREACH: return "unreachable";
    case TOEHOLD_ECONNABORTED: return "connection aborted";
    case TOEHOLD_ECONNRESET: return "connection reset by peer";
    case TOEHOLD_ENOBUFS: return "the engine's tables are full";
    case TOEHOLD_EISCONN: return "already connected";
    case TOEHOLD_ENOTCONN: return "not connected";
    case TOEHOLD_ETIMEDOUT: return "timed out";
    case TOEHOLD_ECONNREFUSED: return "connection refused";
    case TOEHOLD_EALREADY: return "already connecting";
    case TOEHOLD_EINPROGRESS: return "in progress";
    default: return "unknown error";
  }
}

toehold_sockets* toehold_sockets_create(toehold_sim* sim) {
  return sim == nullptr ? nullptr : new (std::nothrow) toehold_sockets(sim);
}

void toehold_sockets_destroy(toehold_sockets* sockets) { delete sockets; }

int toehold_sockets_set_address(toehold_sockets* sockets, const uint8_t mac[6], uint32_t ip,
                                uint32_t netmask, uint32_t gateway) {
  toehold_sim* const sim = sockets->sim();
  int status = 0;
  const auto write = [&](const char* name, std::uint32_t value) {
    if (status == 0) status = toehold_sim_write_field(sim, name, value);
  };
  if (mac != nullptr) {
    write("network_mac_high", static_cast<std::uint32_t>(mac[0] << 8 | mac[1]));
    write("network_mac_low", static_cast<std::uint32_t>(mac[2]) << 24 |
                                 static_cast<std::uint32_t>(mac[3] << 16 | mac[4] << 8 | mac[5]));
  }
  if (ip != 0) write("network_ip_address", ip);
  if (netmask != 0) write("network_netmask", netmask);
  if (gateway != 0) write("network_gateway", gateway);
  if (status == 0) status = sockets->read_addresses();
  return status == 0 ? 0 : TOEHOLD_EPROTO;
}

toehold_port toehold_sockets_port(toehold_sockets* sockets) {
  return {sockets, put_frame, take_frame, run_port, next_deadline, time_of, connected};
}

uint64_t toehold_sockets_time_us(const toehold_sockets* sockets) {
  return toehold_sim_time_us(sockets->sim());
}

int toehold_sockets_run_until(toehold_sockets* sockets, uint64_t time_us) {
  return sockets->run_until(time_us);
}

toehold_socket* toehold_socket_create(toehold_sockets* sockets) {
  auto* socket = new (std::nothrow) toehold_socket(sockets);
  if (socket != nullptr) sockets->sockets.insert(socket);
  return socket;
}

int toehold_bind(toehold_socket* socket, toehold_address address) {
  if (socket->listening || socket->connection) return TOEHOLD_EINVAL;
  if (address.ip != 0 && address.ip != socket->owner->ip()) return TOEHOLD_EADDRNOTAVAIL;
  socket->bound = address;
  return 0;
}

int toehold_listen(toehold_socket* socket, int backlog) {
  toehold_sockets& owner = *socket->owner;
  if (socket->connection || backlog < 1) return TOEHOLD_EINVAL;
  if (socket->listening) {
    socket->backlog = static_cast<std::size_t>(backlog);
    return 0;
  }
  std::uint16_t port = socket->bound.port;
  if (port == 0) {
    port = kFirstFreePort;
    while (owner.listeners.count(port) != 0) {
      if (++port == 0) return TOEHOLD_EADDRINUSE;
    }
  } else if (owner.listeners.count(port) != 0) {
    return TOEHOLD_EADDRINUSE;
  }
  // Known before the engine answers: a SYN may be right behind.
  owner.listeners[port] = socket;
  socket->backlog = static_cast<std::size_t>(backlog);
  toehold_sim_command command{};
  command.op = TOEHOLD_SIM_COMMAND_LISTEN;
  command.local_port = port;
  const int error = error_of_result(owner.call(command));
  if (error != 0) {
    owner.listeners.erase(port);
    return error;
  }
  socket->bound.port = port;
  socket->listening = true;
  return 0;
}

int toehold_accept(toehold_socket* socket, toehold_socket** accepted) {
  if (!socket->listening || accepted == nullptr) return TOEHOLD_EINVAL;
  const int error = wait(socket, [&] { return !socket->waiting.empty(); });
  if (error != 0) return error;
  toehold_socket* const fresh = toehold_socket_create(socket->owner);
  if (fresh == nullptr) return TOEHOLD_ENOBUFS;
  fresh->connection = socket->waiting.front();
  fresh->options = fresh->connection->options;
  fresh->bound = fresh->connection->local;
  socket->waiting.pop_front();
  *accepted = fresh;
  return 0;
}

int toehold_connect(toehold_socket* socket, toehold_address address) {
  if (socket->listening || address.port == 0) return TOEHOLD_EINVAL;
  if (socket->connection) {
    return socket->connection->opened ? TOEHOLD_EISCONN
           : socket->connection->ended ? TOEHOLD_EINVAL
                                       : TOEHOLD_EALREADY;
  }
  auto connection = std::make_shared<Connection>();
  connection->options = socket->options;
  connection->local = {socket->owner->ip(), socket->bound.port};
  connection->peer = address;
  const int refused = socket->owner->open(connection);
  if (refused != 0) return refused;
  socket->connection = connection;
  const int error = wait(socket, [&] { return connection->opened || connection->ended; });
  if (error == TOEHOLD_EAGAIN) {
    return socket->nonblocking ? TOEHOLD_EINPROGRESS : TOEHOLD_ETIMEDOUT;
  }
  return error != 0 ? error : take_error(*connection);
}

int64_t toehold_read(toehold_socket* socket, void* bytes, size_t length) {
  if (!socket->connection || (bytes == nullptr && length != 0)) {
    return socket->connection ? TOEHOLD_EINVAL : TOEHOLD_ENOTCONN;
  }
  Connection& connection = *socket->connection;
  const int error = wait(socket, [&] { return can_read(socket) || length == 0; });
  if (error != 0) return error;
  if (!connection.received.empty()) {
    const std::size_t count = std::min(length, connection.received.size());
    if (count != 0) std::memcpy(bytes, connection.received.data(), count);
    connection.received.pop(count);
    if (!connection.ended) socket->owner->has_room(connection);
    return static_cast<std::int64_t>(count);
  }
  return length == 0 ? 0 : take_error(connection);
}

int64_t toehold_write(toehold_socket* socket, const void* bytes, size_t length) {
  if (!socket->connection) return TOEHOLD_ENOTCONN;
  if (bytes == nullptr && length != 0) return TOEHOLD_EINVAL;
  Connection& connection = *socket->connection;
  const auto* next = static_cast<const std::uint8_t*>(bytes);
  const std::int64_t timeout_us = socket->nonblocking ? 0 : socket->options.timeout_us;
  const std::uint64_t deadline_us = deadline_after(socket->owner, timeout_us);
  std::size_t done = 0;
  int error = 0;
  while (error == 0 && done < length) {
    error = wait(socket->owner, deadline_us, [&] { return can_write(socket); });
    if (error == 0 && (connection.ended || connection.close_wanted)) {
      error = done == 0 ? take_error(connection) : 0;
      if (error == 0) error = TOEHOLD_EPIPE;
    }
    if (error != 0) break;
    const std::size_t count = std::min(room(socket), length - done);
    connection.to_send.push(next + done, count);
    connection.written += count;
    done += count;
    socket->owner->pump();
  }
  return done != 0 || length == 0 ? static_cast<std::int64_t>(done) : error;
}

int toehold_shutdown(toehold_socket* socket, enum toehold_shutdown_how how) {
  if (how < TOEHOLD_SHUT_RD || how > TOEHOLD_SHUT_RDWR) return TOEHOLD_EINVAL;
  if (!socket->connection || !socket->connection->opened) return TOEHOLD_ENOTCONN;
  Connection& connection = *socket->connection;
  if (how != TOEHOLD_SHUT_WR) {
    connection.discarding = true;
    connection.received.clear();
    if (!connection.ended) socket->owner->has_room(connection);
  }
  if (how != TOEHOLD_SHUT_RD) connection.close_wanted = true;
  socket->owner->pump();
  return 0;
}

int toehold_close(toehold_socket* socket) {
  if (socket == nullptr) return TOEHOLD_EINVAL;
  toehold_sockets& owner = *socket->owner;
  if (socket->listening) {
    owner.listeners.erase(socket->bound.port);
    toehold_sim_command command{};
    command.op = TOEHOLD_SIM_COMMAND_UNLISTEN;
    command.local_port = socket->bound.port;
    owner.post(command);
    for (const auto& connection : socket->waiting) {
      connection->options.abort = true;
      owner.leave(connection);
    }
  }
  if (socket->connection) {
    socket->connection->options.abort = socket->options.abort;
    owner.leave(socket->connection);
  }
  owner.sockets.erase(socket);
  delete socket;
  return 0;
}

int toehold_set_option(toehold_socket* socket, enum toehold_option option, int64_t value) {
  Connection* const connection = socket->connection.get();
  if (is_engine_option(option)) {
    if (value < 0 || value > largest_value(option)) return TOEHOLD_EINVAL;
    if (connection != nullptr && connection->opened) {
      const int error = socket->owner->apply_option(*connection, option, value);
      if (error != 0) return error;
    } else if (connection != nullptr) {
      return TOEHOLD_EALREADY;
    }
    socket->options.engine[option] = value;
    return 0;
  }
  if (is_statistic(option)) return TOEHOLD_EINVAL;
  switch (option) {
    case TOEHOLD_OPTION_NONBLOCK: socket->nonblocking = value != 0; return 0;
    case TOEHOLD_OPTION_TIMEOUT_US: socket->options.timeout_us = value; return 0;
    case TOEHOLD_OPTION_ABORT: socket->options.abort = value != 0; return 0;
    case TOEHOLD_OPTION_RECEIVE_BUFFER:
      if (value < 1) return TOEHOLD_EINVAL;
      socket->options.receive_buffer = static_cast<std::size_t>(value);
      if (connection != nullptr) {
        connection->options.receive_buffer = static_cast<std::size_t>(value);
        if (!connection->ended) socket->owner->has_room(*connection);
      }
      return 0;
    case TOEHOLD_OPTION_SEND_BUFFER:
    case TOEHOLD_OPTION_RECEIVE_WINDOW:
    case TOEHOLD_OPTION_ERROR:
    case TOEHOLD_OPTION_READABLE:
    case TOEHOLD_OPTION_WRITABLE:
    case TOEHOLD_OPTION_UNACKNOWLEDGED: return TOEHOLD_EINVAL;
    default: return TOEHOLD_ENOPROTOOPT;
  }
}

int toehold_get_option(const toehold_socket* socket, enum toehold_option option, int64_t* value) {
  Connection* const connection = socket->connection.get();
  if (is_statistic(option)) {
    std::uint32_t told = 0;
    const int error = connection == nullptr
                          ? TOEHOLD_ENOTCONN
                          : socket->owner->query(*connection, option - TOEHOLD_OPTION_STATE, &told);
    if (error == 0) *value = told;
    return error;
  }
  if (is_engine_option(option)) {
    *value = socket->options.engine[option].value_or(0);
    return 0;
  }
  std::uint64_t found = 0;
  switch (option) {
    case TOEHOLD_OPTION_NONBLOCK: found = socket->nonblocking; break;
    case TOEHOLD_OPTION_TIMEOUT_US: *value = socket->options.timeout_us; return 0;
    case TOEHOLD_OPTION_ABORT: found = socket->options.abort; break;
    case TOEHOLD_OPTION_RECEIVE_BUFFER: found = socket->options.receive_buffer; break;
    case TOEHOLD_OPTION_SEND_BUFFER: found = socket->owner->send_ring(); break;
    case TOEHOLD_OPTION_RECEIVE_WINDOW: found = socket->owner->receive_ring(); break;
    case TOEHOLD_OPTION_ERROR: *value = connection ? take_error(*connection) : 0; return 0;
    case TOEHOLD_OPTION_READABLE: found = connection ? connection->received.size() : 0; break;
    case TOEHOLD_OPTION_WRITABLE:
      found = connection && connection->opened && !connection->close_wanted && !connection->ended
                  ? room(socket)
                  : 0;
      break;
    case TOEHOLD_OPTION_UNACKNOWLEDGED:
      found = connection ? connection->written - connection->acknowledged : 0;
      break;
    default: return TOEHOLD_ENOPROTOOPT;
  }
  *value = static_cast<std::int64_t>(found);
  return 0;
}

int toehold_local_address(const toehold_socket* socket, toehold_address* address) {
  *address = socket->connection ? socket->connection->local : socket->bound;
  if (address->ip == 0) address->ip = socket->owner->ip();
  return 0;
}

int toehold_peer_address(const toehold_socket* socket, toehold_address* address) {
  if (!socket->connection || !socket->connection->opened) return TOEHOLD_ENOTCONN;
  *address = socket->connection->peer;
  return 0;
}

int toehold_poll(toehold_pollfd* sockets, size_t count, int64_t timeout_us) {
  toehold_sockets* first = nullptr;
  for (std::size_t i = 0; i < count; i++) {
    sockets[i].revents = 0;
    if (sockets[i].socket == nullptr) continue;
    toehold_sockets* const owner = sockets[i].socket->owner;
    if (first == nullptr) first = owner;
    if (owner->world() != first->world()) return TOEHOLD_EINVAL;
  }
  if (first == nullptr) return TOEHOLD_EINVAL;

  int ready = 0;
  const int error = wait(first, deadline_after(first, timeout_us), [&] {
    ready = 0;
    for (std::size_t i = 0; i < count; i++) {
      if (sockets[i].socket == nullptr) continue;
      if (sockets[i].socket->owner != first) sockets[i].socket->owner->pump();
      sockets[i].revents = readiness(sockets[i].socket) &
                           (sockets[i].events | TOEHOLD_POLLERR | TOEHOLD_POLLHUP);
      if (sockets[i].revents != 0) ready++;
    }
    return ready != 0;
  });
  return error == 0 ? ready : error == TOEHOLD_EAGAIN ? 0 : error;
}

}  // extern "C"
