// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "toehold_sockets.h"

namespace toehold {

constexpr std::size_t kEngineOptions = 5;  // TOEHOLD_OPTION_NODELAY to _DSCP

/// What sockets can be set to, and accepted ones take over.
struct SocketOptions {
  std::array<std::optional<std::int64_t>, kEngineOptions + 1> engine;  // by number; 0 is none
  std::size_t receive_buffer = 32768;
  std::int64_t timeout_us = 600'000'000;
  bool abort = false;
};

/// Bytes in order, taken from the front.
class ByteQueue {
 public:
  std::size_t size() const { return bytes_.size() - start_; }
  bool empty() const { return size() == 0; }
  const std::uint8_t* data() const { return bytes_.data() + start_; }
  void push(const std::uint8_t* bytes, std::size_t count) {
    bytes_.insert(bytes_.end(), bytes, bytes + count);
  }
  void pop(std::size_t count) {
    start_ += count;
    if (start_ >= bytes_.size() / 2) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(start_));
      start_ = 0;
    }
  }
  void clear() {
    bytes_.clear();
    start_ = 0;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t start_ = 0;
};

/// A connection of the engine, from the call that opens it, or from its EventAccepted, to its final
/// event. It outlives its socket until what was written has been sent.
struct Connection {
  std::optional<std::uint32_t> session;
  toehold_address local{}, peer{};
  SocketOptions options;

  bool opened = false;       // data can go both ways
  bool ended = false;        // its final event has come, or it never began
  bool peer_closed = false;
  bool orphan = false;       // its socket is closed
  bool discarding = false;   // what comes is thrown away
  int error = 0;             // not yet told

  ByteQueue received;
  std::size_t granted = 0;   // bytes on their way to `received`
  bool refused = false;      // the engine has more than was taken

  ByteQueue to_send;               // not yet in the engine
  std::uint64_t written = 0;       // bytes that the caller gave
  std::uint64_t handed = 0;        // of them, the engine took
  std::uint64_t acknowledged = 0;  // of them, the peer acknowledged
  bool asked = false;              // for room, without an answer as yet
  bool acked_since = false;        // since it was asked
  bool blocked = false;            // it has no room, and will tell when it has
  std::size_t room = 0;            // as it said last, if it was too little
  std::uint64_t last_message = 0;  // its last one, among all of the engine's

  bool close_wanted = false, close_sent = false;
  bool abort_wanted = false, abort_sent = false;
};

/// Sockets on the application interface of one engine.
class Stack {
 public:
  explicit Stack(toehold_sim* sim);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  toehold_sim* sim() const { return sim_; }
  std::size_t send_ring() const { return send_ring_; }
  std::size_t receive_ring() const { return receive_ring_; }
  std::uint32_t ip() const { return ip_; }
  int read_addresses();

  /// Takes all that the engine has for its application, and gives it what waits.
  void pump();

  /// True once when a socket may have become ready since the last call.
  bool news();

  /// As of `toehold_port`.
  int run_port_until(std::uint64_t time_us);
  std::uint64_t next_deadline_us();

  /// Of this engine and all that it is connected to; 1 on news.
  int run_until(std::uint64_t time_us);
  std::uint64_t next_us();
  const void* world() const { return world_ ? world_->context : this; }
  void set_world(const toehold_world* world);

  /// The engine's answer to a command; simulates the clocks that it takes. A `toehold_sim_result`
  /// or a negative error; `value` is that of the answer.
  int call(toehold_sim_command command, std::uint32_t* value = nullptr);

  /// The same without waiting. Negative when too many are under way.
  int post(toehold_sim_command command);

  int open(const std::shared_ptr<Connection>& connection);
  int apply_option(Connection& connection, int option, std::int64_t value);
  void push_options(Connection& connection);

  /// What the engine tells of a connection: `what` as in app_query_e.
  int query(const Connection& connection, std::uint32_t what, std::uint32_t* value);

  /// Its socket is gone.
  void leave(const std::shared_ptr<Connection>& connection);

  /// There is room again for what was refused.
  void has_room(Connection& connection);

  std::unordered_map<std::uint16_t, toehold_socket*> listeners;
  std::set<toehold_socket*> sockets;

 private:
  struct Call {
    enum class Kind { kNone, kForget, kWait, kOpen } kind = Kind::kNone;
    std::shared_ptr<Connection> connection;
    std::optional<int> result;
    std::uint32_t value = 0;
  };
  struct Message {
    std::shared_ptr<Connection> connection;
    std::size_t length;
  };

  static std::uint16_t grant(void* context, std::uint32_t session, std::uint16_t length);
  int start(toehold_sim_command command, Call call);
  void on_event(const toehold_sim_event& event);
  void on_result(const toehold_sim_event& event);
  void on_accepted(const toehold_sim_event& event);
  void on_end(Connection& connection, int error);
  void on_status(const toehold_sim_transmit_status& status);
  void on_data(const toehold_sim_received_info& info);
  void work(const std::shared_ptr<Connection>& connection);
  bool handed_over(const Connection& connection) const;
  std::shared_ptr<Connection> find(std::uint32_t session) const;

  toehold_sim* sim_;
  std::optional<toehold_world> world_;
  std::uint32_t ip_ = 0;
  std::uint32_t send_ring_ = 0, receive_ring_ = 0;
  bool news_ = false;
  std::list<std::shared_ptr<Connection>> connections_;
  std::unordered_map<std::uint32_t, std::shared_ptr<Connection>> sessions_;
  std::vector<std::uint32_t> ended_sessions_;
  std::vector<Call> calls_;       // by tag
  std::deque<Message> messages_;  // that wait for their status
  std::uint64_t messages_sent_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// The error that an answer of the engine stands for.
int error_of_result(int result);

}  // namespace toehold

struct toehold_sockets : toehold::Stack {
  using Stack::Stack;
};

struct toehold_socket {
  explicit toehold_socket(toehold_sockets* owner) : owner(owner) {}

  toehold_sockets* owner;
  toehold::SocketOptions options;
  bool nonblocking = false;
  toehold_address bound{};

  // A listener.
  bool listening = false;
  std::size_t backlog = 0;
  std::deque<std::shared_ptr<toehold::Connection>> waiting;

  // Or a connection.
  std::shared_ptr<toehold::Connection> connection;
};
