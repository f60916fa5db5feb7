// SPDX-License-Identifier: Apache-2.0

// Sockets in virtual time, engine to engine over the link model. Runs the cases that are named.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "toehold_sockets.h"

namespace {

constexpr std::uint32_t kIpA = 0x0a4d0002, kIpB = 0x0a4d0003, kNobody = 0x0a4d0099;
constexpr std::uint16_t kPort = 5000;
constexpr std::int64_t kSecond = 1'000'000;

std::uint64_t seed() {
  const char* text = std::getenv("TOEHOLD_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

std::vector<std::uint8_t> noise(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::uint8_t>(seed >> 56);
  }
  return bytes;
}

// FNV-1a of a stream, as it comes.
struct Hash {
  std::uint64_t value = 14695981039346656037u;
  std::size_t bytes = 0;
  void add(const std::uint8_t* first, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) value = (value ^ first[i]) * 1099511628211u;
    bytes += count;
  }
};

// Two engines, A and B, on one link.
struct Pair {
  explicit Pair(const toehold_link_settings* settings = nullptr) {
    sim[0] = toehold_sim_create(nullptr, 0, nullptr, 0);
    sim[1] = toehold_sim_create(nullptr, 0, nullptr, 0);
    for (int i = 0; i < 2; i++) {
      sockets[i] = toehold_sockets_create(sim[i]);
      const std::uint8_t mac[6] = {2, 0x54, 0x4f, 0x45, 0, static_cast<std::uint8_t>(i + 1)};
      CHECK_EQUAL(toehold_sockets_set_address(sockets[i], mac, kIpA + i, 0, 0), 0);
      port[i] = toehold_sockets_port(sockets[i]);
    }
    link = toehold_link_create(&port[0], &port[1], settings, settings, seed());
    CHECK(link != nullptr);
  }
  ~Pair() {
    toehold_link_destroy(link);
    for (int i = 0; i < 2; i++) {
      toehold_sockets_destroy(sockets[i]);
      toehold_sim_destroy(sim[i]);
    }
  }

  toehold_socket* listener(int backlog = 8) {
    toehold_socket* socket = toehold_socket_create(sockets[1]);
    CHECK_EQUAL(toehold_bind(socket, {0, kPort}), 0);
    CHECK_EQUAL(toehold_listen(socket, backlog), 0);
    return socket;
  }

  // A connection from A to B: both ends, the opener first.
  std::pair<toehold_socket*, toehold_socket*> connection(toehold_socket* listening) {
    toehold_socket* opener = toehold_socket_create(sockets[0]);
    CHECK_EQUAL(toehold_connect(opener, {kIpB, kPort}), 0);
    toehold_socket* accepted = nullptr;
    CHECK_EQUAL(toehold_accept(listening, &accepted), 0);
    return {opener, accepted};
  }

  void run(std::uint64_t microseconds) {
    const std::uint64_t end = toehold_link_time_us(link) + microseconds;
    int result = 1;
    while (result == 1) result = toehold_link_run_until(link, end);
    CHECK_EQUAL(result, 0);
  }

  std::uint64_t now() const { return toehold_link_time_us(link); }

  // From now on nothing arrives, either way.
  void cut() {
    toehold_link_settings dead{};
    dead.loss = 1.0;
    toehold_link_destroy(link);
    link = toehold_link_create(&port[0], &port[1], &dead, &dead, seed());
    CHECK(link != nullptr);
  }

  void set(int engine, const char* name, std::uint32_t value) {
    CHECK_EQUAL(toehold_sim_write_field(sim[engine], name, value), 0);
  }

  std::uint32_t field(int engine, const char* name) {
    std::uint32_t value = 0;
    CHECK_EQUAL(toehold_sim_read_field(sim[engine], name, &value), 0);
    return value;
  }

  toehold_sim* sim[2];
  toehold_sockets* sockets[2];
  toehold_port port[2];
  toehold_link* link;
};

std::int64_t option(toehold_socket* socket, toehold_option which) {
  std::int64_t value = -1;
  CHECK_EQUAL(toehold_get_option(socket, which, &value), 0);
  return value;
}

void nonblocking(toehold_socket* socket) {
  CHECK_EQUAL(toehold_set_option(socket, TOEHOLD_OPTION_NONBLOCK, 1), 0);
}

// One end of a connection: sends its data, closes for writing, reads until the other end has.
struct End {
  toehold_socket* socket;
  std::vector<std::uint8_t> data;
  Hash expected, hash;
  std::size_t sent = 0;
  bool over = false;

  bool finished() const { return over && sent == data.size(); }

  unsigned waits_for() const {
    return (over ? 0 : TOEHOLD_POLLIN) | (sent < data.size() ? TOEHOLD_POLLOUT : 0);
  }

  void serve(unsigned ready) {
    static std::vector<std::uint8_t> buffer(65536);
    if (ready & TOEHOLD_POLLOUT) {
      const std::int64_t count = toehold_write(socket, data.data() + sent, data.size() - sent);
      CHECK(count > 0);
      sent += static_cast<std::size_t>(count);
      if (sent == data.size()) CHECK_EQUAL(toehold_shutdown(socket, TOEHOLD_SHUT_WR), 0);
    }
    if (ready & TOEHOLD_POLLIN) {
      const std::int64_t count = toehold_read(socket, buffer.data(), buffer.size());
      CHECK(count >= 0);
      hash.add(buffer.data(), static_cast<std::size_t>(count));
      over = count == 0;
    }
  }
};

// `size` bytes each way at once, divided among so many connections, by one poll loop for all ends.
void both_ways(Pair& pair, std::size_t size, unsigned connections) {
  toehold_socket* listening = pair.listener();
  std::vector<End> ends;
  for (unsigned i = 0; i < connections; i++) {
    const auto sockets = pair.connection(listening);
    for (toehold_socket* socket : {sockets.first, sockets.second}) {
      End end{socket, noise(size / connections, seed() + ends.size()), {}, {}};
      nonblocking(socket);
      ends.push_back(end);
    }
  }
  for (std::size_t i = 0; i < ends.size(); i++) {
    ends[i].expected.add(ends[i ^ 1].data.data(), ends[i ^ 1].data.size());
  }

  std::vector<toehold_pollfd> poll(ends.size());
  for (;;) {
    bool finished = true;
    for (std::size_t i = 0; i < ends.size(); i++) {
      finished = finished && ends[i].finished();
      poll[i] = {ends[i].finished() ? nullptr : ends[i].socket, ends[i].waits_for(), 0};
    }
    if (finished) break;
    if (toehold_poll(poll.data(), poll.size(), 600 * kSecond) <= 0) {
      return report_failure(__FILE__, __LINE__, "the transfer stands still");
    }
    for (std::size_t i = 0; i < ends.size(); i++) {
      if (poll[i].revents & TOEHOLD_POLLERR) {
        return report_failure(__FILE__, __LINE__, "error of a connection");
      }
      ends[i].serve(poll[i].revents);
    }
  }
  for (const End& end : ends) {
    CHECK_EQUAL(end.hash.bytes, end.expected.bytes);
    CHECK_EQUAL(end.hash.value, end.expected.value);
    CHECK_EQUAL(toehold_close(end.socket), 0);
  }
  toehold_close(listening);
  std::printf("%zu bytes each way in %.3f s of virtual time, %llu and %llu clocks\n", size,
              static_cast<double>(pair.now()) / 1e6,
              static_cast<unsigned long long>(toehold_sim_clocks(pair.sim[0])),
              static_cast<unsigned long long>(toehold_sim_clocks(pair.sim[1])));
}

// A path of 50 ms, there and back.
void transfer(std::size_t size, unsigned connections, double loss) {
  toehold_link_settings settings{};
  settings.delay_us = 25'000;
  settings.loss = loss;
  if (loss > 0) {
    settings.reorder = 0.05;
    settings.duplicate = 0.02;
    settings.corrupt = 0.01;
  }
  Pair pair(&settings);
  both_ways(pair, size, connections);
  toehold_link_counters counters;
  toehold_link_get_counters(pair.link, TOEHOLD_LINK_A_TO_B, &counters);
  CHECK(loss == 0 || (counters.lost > 0 && counters.reordered > 0 && counters.duplicated > 0 &&
                      counters.corrupted > 0));
}

constexpr std::size_t kMegabyte = 1 << 20;

TEST(megabyte_perfect) { transfer(kMegabyte, 8, 0); }
TEST(megabyte_loss_1) { transfer(kMegabyte, 8, 0.01); }
TEST(megabyte_loss_10) { transfer(kMegabyte, 8, 0.10); }

TEST(addresses) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  toehold_address address{};
  CHECK_EQUAL(toehold_peer_address(ends.first, &address), 0);
  CHECK(address.ip == kIpB && address.port == kPort);
  CHECK_EQUAL(toehold_local_address(ends.first, &address), 0);
  CHECK(address.ip == kIpA && address.port >= 49152);
  const std::uint16_t chosen = address.port;
  CHECK_EQUAL(toehold_peer_address(ends.second, &address), 0);
  CHECK(address.ip == kIpA && address.port == chosen);
  CHECK_EQUAL(toehold_local_address(ends.second, &address), 0);
  CHECK(address.ip == kIpB && address.port == kPort);
  toehold_socket* fresh = toehold_socket_create(pair.sockets[0]);
  CHECK_EQUAL(toehold_peer_address(fresh, &address), TOEHOLD_ENOTCONN);
  CHECK_EQUAL(toehold_bind(fresh, {kNobody, 1}), TOEHOLD_EADDRNOTAVAIL);
  CHECK_EQUAL(toehold_bind(fresh, {0, 4321}), 0);
  CHECK_EQUAL(toehold_connect(fresh, {kIpB, kPort}), 0);
  CHECK_EQUAL(toehold_local_address(fresh, &address), 0);
  CHECK_EQUAL(address.port, 4321);
}

TEST(refused) {
  Pair pair;
  toehold_socket* socket = toehold_socket_create(pair.sockets[0]);
  CHECK_EQUAL(toehold_connect(socket, {kIpB, 81}), TOEHOLD_ECONNREFUSED);
  CHECK_EQUAL(toehold_close(socket), 0);
  // Non-blocking: the error waits in the socket.
  socket = toehold_socket_create(pair.sockets[0]);
  nonblocking(socket);
  CHECK_EQUAL(toehold_connect(socket, {kIpB, 81}), TOEHOLD_EINPROGRESS);
  CHECK_EQUAL(toehold_connect(socket, {kIpB, 81}), TOEHOLD_EALREADY);
  toehold_pollfd poll{socket, TOEHOLD_POLLOUT, 0};
  CHECK_EQUAL(toehold_poll(&poll, 1, kSecond), 1);
  CHECK_EQUAL(poll.revents, TOEHOLD_POLLOUT | TOEHOLD_POLLERR | TOEHOLD_POLLHUP);
  CHECK_EQUAL(option(socket, TOEHOLD_OPTION_ERROR), TOEHOLD_ECONNREFUSED);
  CHECK_EQUAL(option(socket, TOEHOLD_OPTION_ERROR), 0);
}

TEST(nobody_answers) {
  Pair pair;
  const std::uint64_t start = pair.now();
  toehold_socket* socket = toehold_socket_create(pair.sockets[0]);
  CHECK_EQUAL(toehold_connect(socket, {kNobody, 80}), TOEHOLD_ETIMEDOUT);
  const std::uint64_t waited = pair.now() - start;
  // 1 + 2 + 4 + ... + 32 + 60 + 60 s: RFC 9293 asks for three minutes.
  CHECK(waited > 180 * kSecond && waited < 190 * kSecond);
  CHECK_EQUAL(toehold_connect(toehold_socket_create(pair.sockets[0]), {0xffffffff, 80}),
              TOEHOLD_ENETUNREACH);
}

TEST(half_close) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[32] = {};
  CHECK_EQUAL(toehold_write(ends.first, "question", 8), 8);
  CHECK_EQUAL(toehold_shutdown(ends.first, TOEHOLD_SHUT_WR), 0);
  CHECK_EQUAL(toehold_write(ends.first, "more", 4), TOEHOLD_EPIPE);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 8);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 0);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 0);
  // The other direction is as it was.
  for (int i = 0; i < 3; i++) {
    CHECK_EQUAL(toehold_write(ends.second, "answer", 6), 6);
    pair.run(100'000);
    CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 6);
    CHECK(std::memcmp(text, "answer", 6) == 0);
  }
  CHECK_EQUAL(toehold_close(ends.second), 0);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  CHECK_EQUAL(toehold_close(ends.first), 0);
  pair.run(kSecond);
  CHECK_EQUAL(pair.field(0, "states_time_wait") + pair.field(1, "states_time_wait"), 1u);
  pair.run(61 * kSecond);
  CHECK_EQUAL(pair.field(0, "states_time_wait") + pair.field(1, "states_time_wait"), 0u);
  pair.run(5 * kSecond);  // timers that have nothing to do any more come up
  CHECK_EQUAL(toehold_link_next_us(pair.link), UINT64_MAX);
}

TEST(shutdown_of_reading) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[32] = {};
  CHECK_EQUAL(toehold_write(ends.second, "first", 5), 5);
  pair.run(10'000);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_READABLE), 5);
  CHECK_EQUAL(toehold_shutdown(ends.first, TOEHOLD_SHUT_RD), 0);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_READABLE), 0);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  // What comes is taken and thrown away: more than all buffers hold goes through.
  const std::vector<std::uint8_t> data = noise(50'000, 4);
  CHECK_EQUAL(toehold_write(ends.second, data.data(), data.size()), 50'000);
  pair.run(kSecond);
  CHECK_EQUAL(option(ends.second, TOEHOLD_OPTION_UNACKNOWLEDGED), 0);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  // The other direction is as it was.
  CHECK_EQUAL(toehold_write(ends.first, "answer", 6), 6);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 6);
  CHECK(std::memcmp(text, "answer", 6) == 0);
}

TEST(shutdown_of_both) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[32] = {};
  CHECK_EQUAL(toehold_write(ends.first, "last", 4), 4);
  CHECK_EQUAL(toehold_shutdown(ends.first, TOEHOLD_SHUT_RDWR), 0);
  CHECK_EQUAL(toehold_write(ends.first, "more", 4), TOEHOLD_EPIPE);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 4);
  CHECK_EQUAL(toehold_read(ends.second, text, sizeof text), 0);
  // The peer may still send; then it closes, too, and that is the end.
  CHECK_EQUAL(toehold_write(ends.second, "late", 4), 4);
  pair.run(kSecond);
  CHECK_EQUAL(option(ends.second, TOEHOLD_OPTION_UNACKNOWLEDGED), 0);
  CHECK_EQUAL(toehold_shutdown(ends.second, TOEHOLD_SHUT_RDWR), 0);
  pair.run(kSecond);
  toehold_pollfd poll{ends.first, 0, 0};
  CHECK_EQUAL(toehold_poll(&poll, 1, kSecond), 1);
  CHECK_EQUAL(poll.revents, TOEHOLD_POLLHUP);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_ERROR), 0);
  CHECK_EQUAL(pair.field(0, "states_time_wait"), 1u);
  CHECK_EQUAL(pair.field(1, "states_last_ack") + pair.field(1, "states_established"), 0u);
}

TEST(keepalive_ends_a_dead_peers_connection) {
  Pair pair;
  pair.set(0, "tcp_behaviour_keepalive_tick_us", 1'000'000);
  pair.set(0, "tcp_behaviour_keepalive.idle", 5);
  pair.set(0, "tcp_behaviour_keepalive_interval_us", 1'000'000);
  pair.set(0, "tcp_behaviour_keepalive.probes", 3);
  const auto ends = pair.connection(pair.listener());
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_KEEPALIVE, 1), 0);
  // A peer that is there answers, and nothing happens to the sockets.
  pair.run(60 * kSecond);
  CHECK(pair.field(0, "counters_tcp_keepalive_probes") >= 5);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_ERROR), 0);
  pair.cut();
  const std::uint64_t start = pair.now();
  char text[8];
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_ETIMEDOUT);
  const std::uint64_t waited = pair.now() - start;
  CHECK(waited >= 3 * kSecond && waited <= 10 * kSecond);
  // The other end did not ask for it.
  CHECK_EQUAL(option(ends.second, TOEHOLD_OPTION_ERROR), 0);
}

TEST(user_timeout) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_USER_TIMEOUT_US, 2 * kSecond), 0);
  pair.cut();
  // Nothing is on its way: nothing times out.
  pair.run(30 * kSecond);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_ERROR), 0);
  const std::uint64_t start = pair.now();
  CHECK_EQUAL(toehold_write(ends.first, "data", 4), 4);
  char text[8];
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_ETIMEDOUT);
  // Looked at when the segment would be sent again: after 0.2, 0.6, 1.4 and 3 s.
  const std::uint64_t waited = pair.now() - start;
  CHECK(waited >= 2 * kSecond && waited <= 3'200'000);
  CHECK_EQUAL(toehold_write(ends.first, "more", 4), TOEHOLD_EPIPE);
}

TEST(statistics) {
  toehold_link_settings settings{};
  settings.delay_us = 10'000;
  Pair pair(&settings);
  toehold_socket* listening = pair.listener();
  std::int64_t value = 0;
  CHECK_EQUAL(toehold_get_option(listening, TOEHOLD_OPTION_CWND, &value), TOEHOLD_ENOTCONN);
  pair.connection(listening);  // whose SYN waits for ARP
  const auto ends = pair.connection(listening);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_STATE), 3);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_MSS), 1460);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_CWND), 14'600);
  CHECK(option(ends.first, TOEHOLD_OPTION_SSTHRESH) > 14'600);
  // The handshake took a round trip.
  const std::int64_t srtt = option(ends.first, TOEHOLD_OPTION_SRTT_US);
  CHECK(srtt >= 20'000 && srtt < 20'100);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_RTTVAR_US), srtt / 2);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_RTO_US), 200'000);
  CHECK(option(ends.first, TOEHOLD_OPTION_PEER_WINDOW) > 0);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_RETRANSMITTED), 0);
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_CWND, 1), TOEHOLD_EINVAL);
  pair.cut();
  CHECK_EQUAL(toehold_write(ends.first, "data", 4), 4);
  pair.run(kSecond);  // sent again after 0.2 and 0.6 s
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_IN_FLIGHT), 4);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_RETRANSMITTED), 2);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_TIMEOUTS), 2);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_CWND), 1460);
  CHECK_EQUAL(option(ends.second, TOEHOLD_OPTION_STORED), 0);
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_ABORT, 1), 0);
}

TEST(close_sends_what_was_written) {
  toehold_link_settings settings{};
  settings.delay_us = 1000;
  Pair pair(&settings);
  const auto ends = pair.connection(pair.listener());
  const std::vector<std::uint8_t> data = noise(1800, 3);
  CHECK_EQUAL(toehold_write(ends.first, data.data(), data.size()), 1800);
  CHECK_EQUAL(toehold_close(ends.first), 0);
  std::vector<std::uint8_t> got(4000);
  std::size_t count = 0;
  for (std::int64_t n; (n = toehold_read(ends.second, got.data() + count, 4000 - count)) != 0;) {
    if (n < 0) return report_failure(__FILE__, __LINE__, toehold_strerror(static_cast<int>(n)));
    count += static_cast<std::size_t>(n);
  }
  got.resize(count);
  CHECK(got == data);
}

TEST(close_with_unread_data_resets) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[8];
  CHECK_EQUAL(toehold_write(ends.first, "unread", 6), 6);
  pair.run(10'000);
  CHECK_EQUAL(toehold_close(ends.second), 0);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_ECONNRESET);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  CHECK_EQUAL(toehold_write(ends.first, text, 1), TOEHOLD_EPIPE);
}

TEST(data_after_close_resets) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[8];
  CHECK_EQUAL(toehold_close(ends.second), 0);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 0);
  CHECK_EQUAL(toehold_write(ends.first, "late", 4), 4);
  toehold_pollfd poll{ends.first, 0, 0};
  CHECK_EQUAL(toehold_poll(&poll, 1, kSecond), 1);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_ERROR), TOEHOLD_ECONNRESET);
}

TEST(data_before_a_reset_is_read) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  char text[8] = {};
  CHECK_EQUAL(toehold_write(ends.second, "last", 4), 4);
  pair.run(10'000);
  CHECK_EQUAL(toehold_set_option(ends.second, TOEHOLD_OPTION_ABORT, 1), 0);
  CHECK_EQUAL(toehold_close(ends.second), 0);
  pair.run(10'000);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), 4);
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_ECONNRESET);
}

TEST(time_outs) {
  Pair pair;
  toehold_socket* listening = pair.listener();
  toehold_socket* nothing = nullptr;
  CHECK_EQUAL(toehold_set_option(listening, TOEHOLD_OPTION_TIMEOUT_US, 250'000), 0);
  std::uint64_t start = pair.now();
  CHECK_EQUAL(toehold_accept(listening, &nothing), TOEHOLD_EAGAIN);
  CHECK(pair.now() - start >= 250'000 && pair.now() - start < 250'100);

  const auto ends = pair.connection(listening);
  char text[8];
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_TIMEOUT_US, 3 * kSecond), 0);
  start = pair.now();
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_EAGAIN);
  CHECK(pair.now() - start >= 3'000'000 && pair.now() - start < 3'000'100);
  nonblocking(ends.first);
  start = pair.now();
  CHECK_EQUAL(toehold_read(ends.first, text, sizeof text), TOEHOLD_EAGAIN);
  CHECK_EQUAL(pair.now(), start);

  toehold_pollfd poll{ends.first, TOEHOLD_POLLIN, 0};
  CHECK_EQUAL(toehold_poll(&poll, 1, 0), 0);
  CHECK_EQUAL(pair.now(), start);
  CHECK_EQUAL(toehold_poll(&poll, 1, kSecond), 0);
  CHECK(pair.now() - start >= 1'000'000 && pair.now() - start < 1'000'100);
  // Nobody will ever say anything: no keepalive, nothing to send.
  CHECK_EQUAL(toehold_poll(&poll, 1, -1), TOEHOLD_EDEADLK);
}

TEST(an_unread_socket_holds_the_window) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  constexpr std::int64_t kBuffer = 1500;
  CHECK_EQUAL(toehold_set_option(ends.second, TOEHOLD_OPTION_RECEIVE_BUFFER, kBuffer), 0);
  const std::int64_t ring = option(ends.first, TOEHOLD_OPTION_SEND_BUFFER);
  const std::int64_t window = option(ends.second, TOEHOLD_OPTION_RECEIVE_WINDOW);
  const std::int64_t holds = kBuffer + window + ring;
  const std::vector<std::uint8_t> data = noise(static_cast<std::size_t>(holds) + 5000, 9);

  // Written until nothing moves any more: the buffer, the window and the send buffer are full.
  nonblocking(ends.first);
  std::int64_t sent = 0;
  for (int i = 0; i < 50; i++) {
    const std::int64_t count = toehold_write(ends.first, data.data() + sent,
                                             data.size() - static_cast<std::size_t>(sent));
    CHECK(count > 0 || count == TOEHOLD_EAGAIN);
    if (count > 0) sent += count;
    pair.run(1'000'000);
  }
  // What is free of the window may be too little to be told (RFC 9293, 3.8.6.2.2).
  CHECK(sent >= ring + window && sent <= holds);
  CHECK_EQUAL(option(ends.second, TOEHOLD_OPTION_READABLE), kBuffer);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_UNACKNOWLEDGED), ring);
  CHECK(pair.field(0, "counters_tcp_window_probes") > 0);
  // Time passes quickly all the same.
  const std::uint64_t clocks = toehold_sim_clocks(pair.sim[1]);
  pair.run(60 * kSecond);
  CHECK(toehold_sim_clocks(pair.sim[1]) - clocks < 200'000);

  // Reading opens the window again, and not a byte is missing.
  std::vector<std::uint8_t> got(data.size());
  std::int64_t count = 0;
  while (count < sent) {
    const std::int64_t n =
        toehold_read(ends.second, got.data() + count, got.size() - static_cast<std::size_t>(count));
    if (n <= 0) return report_failure(__FILE__, __LINE__, "the window stays closed");
    count += n;
  }
  CHECK(std::memcmp(got.data(), data.data(), static_cast<std::size_t>(sent)) == 0);
}

TEST(accept_queue) {
  Pair pair;
  toehold_socket* listening = pair.listener(2);
  toehold_socket* opener[3];
  for (toehold_socket*& socket : opener) {
    socket = toehold_socket_create(pair.sockets[0]);
    CHECK_EQUAL(toehold_connect(socket, {kIpB, kPort}), 0);
    pair.run(1000);
  }
  // The third found two waiting and was reset.
  char text[4];
  CHECK_EQUAL(toehold_read(opener[2], text, 1), TOEHOLD_ECONNRESET);
  // Data that comes before accept is not lost, and they come in order.
  CHECK_EQUAL(toehold_write(opener[0], "one", 3), 3);
  CHECK_EQUAL(toehold_write(opener[1], "two", 3), 3);
  pair.run(1000);
  for (const char* expected : {"one", "two"}) {
    toehold_socket* accepted = nullptr;
    CHECK_EQUAL(toehold_accept(listening, &accepted), 0);
    CHECK_EQUAL(toehold_read(accepted, text, 3), 3);
    CHECK(std::memcmp(text, expected, 3) == 0);
  }
  nonblocking(listening);
  toehold_socket* none = nullptr;
  CHECK_EQUAL(toehold_accept(listening, &none), TOEHOLD_EAGAIN);
  // A second listener on the port, and one after the first is closed.
  toehold_socket* second = toehold_socket_create(pair.sockets[1]);
  CHECK_EQUAL(toehold_bind(second, {0, kPort}), 0);
  CHECK_EQUAL(toehold_listen(second, 1), TOEHOLD_EADDRINUSE);
  CHECK_EQUAL(toehold_close(listening), 0);
  CHECK_EQUAL(toehold_listen(second, 1), 0);
}

TEST(options) {
  Pair pair;
  const auto ends = pair.connection(pair.listener());
  std::int64_t value = 0;
  for (const auto which : {TOEHOLD_OPTION_NODELAY, TOEHOLD_OPTION_KEEPALIVE,
                           TOEHOLD_OPTION_QUICKACK}) {
    const int result = toehold_set_option(ends.first, which, 1);
    // The engine may not have it: then it says so, and nothing is remembered.
    CHECK(result == 0 || result == TOEHOLD_ENOPROTOOPT);
    CHECK_EQUAL(option(ends.first, which), result == 0 ? 1 : 0);
    CHECK_EQUAL(toehold_set_option(ends.first, which, 2), TOEHOLD_EINVAL);
  }
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_USER_TIMEOUT_US, -1), TOEHOLD_EINVAL);
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_DSCP, 46), 0);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_DSCP), 46);
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_DSCP, 64), TOEHOLD_EINVAL);
  CHECK_EQUAL(toehold_set_option(ends.first, TOEHOLD_OPTION_SEND_BUFFER, 1), TOEHOLD_EINVAL);
  CHECK_EQUAL(toehold_set_option(ends.first, static_cast<toehold_option>(99), 1),
              TOEHOLD_ENOPROTOOPT);
  CHECK_EQUAL(toehold_get_option(ends.first, static_cast<toehold_option>(99), &value),
              TOEHOLD_ENOPROTOOPT);
  CHECK(option(ends.first, TOEHOLD_OPTION_SEND_BUFFER) >= 2048);
  CHECK_EQUAL(option(ends.first, TOEHOLD_OPTION_WRITABLE),
              option(ends.first, TOEHOLD_OPTION_SEND_BUFFER));
}

// A port of the caller's: answers ARP, and tells when frames come.
struct Station {
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> seen;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> outgoing;

  static void put(void* context, const void* bytes, std::size_t length, unsigned,
                  std::uint64_t time_us) {
    auto* self = static_cast<Station*>(context);
    const auto* first = static_cast<const std::uint8_t*>(bytes);
    self->seen.push_back({time_us, {first, first + length}});
  }
  static std::size_t take(void* context, void* bytes, std::size_t, std::uint64_t* time_us) {
    auto* self = static_cast<Station*>(context);
    if (self->outgoing.empty()) return 0;
    const auto frame = self->outgoing.front();
    self->outgoing.erase(self->outgoing.begin());
    std::memcpy(bytes, frame.second.data(), frame.second.size());
    *time_us = frame.first;
    return frame.second.size();
  }
};

TEST(a_port_of_the_callers) {
  toehold_sim* sim = toehold_sim_create(nullptr, 0, nullptr, 0);
  Station station;
  const toehold_port engine = toehold_sim_port(sim);
  const toehold_port own{&station, Station::put, Station::take, nullptr, nullptr, nullptr, nullptr};
  toehold_link_settings slow{};
  slow.delay_us = 700;
  toehold_link_settings nonsense{};
  nonsense.loss = 1.5;
  CHECK(toehold_link_create(&engine, &own, &nonsense, nullptr, 1) == nullptr);
  toehold_link* link = toehold_link_create(&engine, &own, &slow, nullptr, 1);
  CHECK(link != nullptr);
  int observed[2] = {0, 0};
  toehold_link_observe(
      link,
      [](void* context, toehold_link_direction, int arrived, const void*, std::size_t, unsigned,
         std::uint64_t) { static_cast<int*>(context)[arrived]++; },
      observed);

  // Who has 10.77.0.2? 10.77.0.1 at 02:..:99 asks, at 5 ms.
  std::vector<std::uint8_t> ask(60);
  const std::uint8_t head[] = {255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0x99, 8, 6,
                               0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x99, 10, 77, 0, 1,
                               0, 0, 0, 0, 0, 0, 10, 77, 0, 2};
  std::memcpy(ask.data(), head, sizeof head);
  CHECK_EQUAL(toehold_link_run_until(link, 5000), 0);
  station.outgoing.push_back({5000, ask});
  CHECK_EQUAL(toehold_link_run_until(link, 1'000'000), 0);
  CHECK_EQUAL(toehold_link_time_us(link), 1'000'000u);
  CHECK_EQUAL(station.seen.size(), 1u);
  CHECK(station.seen[0].first >= 5700 && station.seen[0].first <= 5705);
  CHECK(station.seen[0].second[21] == 2);  // an ARP reply
  CHECK(observed[0] == 2 && observed[1] == 2);
  CHECK(toehold_sim_clocks(sim) < 20'000);

  // A frame of a given time reaches the engine then, with or without a link.
  toehold_link_destroy(link);
  CHECK_EQUAL(toehold_sim_put_frame_at(sim, ask.data(), ask.size(), 0, 9'000'000), 0);
  CHECK_EQUAL(toehold_sim_run_until(sim, 20'000'000), 1);
  toehold_sim_frame_info info;
  std::uint8_t bytes[100];
  CHECK_EQUAL(toehold_sim_take_frame(sim, bytes, sizeof bytes, &info), 1);
  CHECK(info.time_us >= 9'000'000 && info.time_us <= 9'000'005);
  toehold_sim_destroy(sim);
}

TEST(the_same_seed_gives_the_same_run) {
  std::uint64_t clocks[2], time[2];
  for (int run = 0; run < 2; run++) {
    toehold_link_settings settings{};
    settings.loss = 0.05;
    settings.delay_us = 500;
    Pair pair(&settings);
    both_ways(pair, 20'000, 1);
    clocks[run] = toehold_sim_clocks(pair.sim[0]);
    time[run] = pair.now();
  }
  CHECK_EQUAL(clocks[0], clocks[1]);
  CHECK_EQUAL(time[0], time[1]);
}

}  // namespace

int main(int count, char** names) {
  bool found = false;
  for (const TestCase& test : test_cases()) {
    for (int i = 1; i < count; i++) {
      if (std::strcmp(names[i], test.name) != 0) continue;
      test.body();
      found = true;
    }
  }
  if (count == 1) {
    for (const TestCase& test : test_cases()) std::printf("%s\n", test.name);
    return EXIT_SUCCESS;
  }
  return found && test_failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
