/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed traffic of two engines over a link that changes its misbehaviour, for as many clocks as wanted.
 *
 *   mixed_traffic CLOCKS SEED SOCKETS PHASE_CLOCKS
 *
 * The sockets of one engine open connections to the echo, discard, source and HTTP applications of the
 * other, again and again: each sends and wants a random number of bytes, in random pieces, and ends as a
 * client may: by FIN after everything, by closing in the middle, or by a reset. Every byte that comes is
 * compared. In the end nothing new is opened, and when all is over no engine may have a connection left.
 *
 * Prints one line of JSON, and on stderr "done N" for each hundredth of the clocks. Ends with 1 and a
 * sentence when a byte is wrong, a connection fails that should not, nothing moves any more, or
 * something is left.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toehold_sockets.h"

#define CLIENT_IP 0x0a4d0001u
#define SERVER_IP 0x0a4d0002u
#define MOST_SOCKETS 64
#define STALLED_US 900000000ull /* longer than any retransmission waits */

enum kind { ECHO, DISCARD, SOURCE, HTTP, KINDS };
enum ending { BY_FIN, BY_CLOSE, BY_RESET, ENDINGS };

static const uint16_t ports[KINDS] = {7, 9, 19, 80};
static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
static const char status_line[] = "HTTP/1.1 200 ";

typedef struct {
  toehold_socket *socket; /* NULL: free */
  enum kind kind;
  enum ending ending;
  int connected, shut;
  size_t to_send, sent, received;
  size_t leave_at; /* bytes received or sent, after which it leaves without waiting for the end */
  uint32_t start;  /* of its pattern */
} slot;

static struct {
  uint64_t opened, refused, ended_by_fin, closed_early, reset, bytes_sent, bytes_received;
  uint64_t of_kind[KINDS];
} done;

static uint64_t state;

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_FAILURE);
}

/* Linear congruential, the upper bits: below `limit`. */
static uint32_t draw(uint32_t limit) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(((state >> 32) * limit) >> 32);
}

static unsigned char pattern(uint32_t start, size_t n) {
  const uint32_t x = (start + (uint32_t)n) * 2654435761u;
  return (unsigned char)(x >> 24);
}

/* RFC 864: lines of 72 characters of 95, each beginning one further. */
static unsigned char generated(size_t n) {
  const size_t line = n / 74, column = n % 74;
  return column == 72 ? '\r' : column == 73 ? '\n' : (unsigned char)(32 + (line + column) % 95);
}

static const toehold_link_settings phases[] = {
    {.delay_us = 20},
    {.delay_us = 50, .loss = 0.01},
    {.delay_us = 50, .reorder = 0.05},
    {.delay_us = 50, .duplicate = 0.05},
    {.delay_us = 50, .corrupt = 0.01},
    {.delay_us = 2000, .loss = 0.03, .reorder = 0.02, .duplicate = 0.02, .corrupt = 0.01},
    {.delay_us = 100, .loss = 0.10},
    {.delay_us = 200, .rate_bps = 50000000, .queue_frames = 12},
    {.delay_us = 25000},
};
#define PHASES (sizeof phases / sizeof *phases)

static void open_connection(slot *s, toehold_sockets *client) {
  memset(s, 0, sizeof *s);
  s->kind = (enum kind)draw(KINDS);
  s->ending = draw(4) ? BY_FIN : (enum ending)(1 + draw(ENDINGS - 1));
  s->start = draw(UINT32_MAX);
  const size_t most = draw(8) ? 3000 : 60000;
  s->to_send = s->kind == HTTP ? sizeof request - 1 : s->kind == SOURCE ? 0 : 1 + draw((uint32_t)most);
  s->leave_at = s->kind == SOURCE      ? 1 + draw((uint32_t)most)
                : s->ending != BY_FIN ? draw((uint32_t)s->to_send + 1)
                                       : SIZE_MAX;
  s->socket = toehold_socket_create(client);
  const toehold_address address = {SERVER_IP, ports[s->kind]};
  toehold_set_option(s->socket, TOEHOLD_OPTION_NONBLOCK, 1);
  if (draw(2)) toehold_set_option(s->socket, TOEHOLD_OPTION_NODELAY, 1);
  const int result = toehold_connect(s->socket, address);
  if (result != 0 && result != TOEHOLD_EINPROGRESS) {
    fail("connect: %s", toehold_strerror(result));
  }
}

static void leave(slot *s) {
  if (s->ending == BY_RESET) toehold_set_option(s->socket, TOEHOLD_OPTION_ABORT, 1);
  toehold_close(s->socket);
  s->socket = NULL;
  if (!s->connected) return;
  done.of_kind[s->kind]++;
  if (s->ending == BY_RESET) {
    done.reset++;
  } else if (s->received > 0 && s->leave_at != SIZE_MAX) {
    done.closed_early++;
  } else {
    done.ended_by_fin++;
  }
}

/* What must be where it came; whether anything did. */
static int receive(slot *s, unsigned char *buffer, size_t capacity) {
  const int64_t got = toehold_read(s->socket, buffer, 1 + draw((uint32_t)capacity));
  if (got == TOEHOLD_EAGAIN) return 0;
  if (got < 0) fail("read of kind %d after %zu bytes: %s", s->kind, s->received, toehold_strerror((int)got));
  for (int64_t i = 0; i < got; i++) {
    const size_t n = s->received + (size_t)i;
    const unsigned char wanted = s->kind == ECHO     ? pattern(s->start, n)
                                 : s->kind == SOURCE ? generated(n)
                                 : n < sizeof status_line - 1 ? (unsigned char)status_line[n]
                                                              : buffer[i];
    if (s->kind == DISCARD || buffer[i] != wanted) fail("byte %zu of kind %d is wrong", n, s->kind);
  }
  s->received += (size_t)got;
  done.bytes_received += (uint64_t)got;
  if (got == 0) {
    if (s->kind == ECHO && s->received != s->sent) {
      fail("%zu of %zu bytes came back", s->received, s->sent);
    }
    if (s->kind == HTTP && s->received < sizeof status_line) fail("a page of %zu bytes", s->received);
    s->leave_at = SIZE_MAX;
    s->ending = BY_FIN;
    leave(s);
  } else if (s->received >= s->leave_at && s->ending == BY_FIN) {
    /* The source sends until it is told: it answers our FIN by its own. */
    if (!s->shut) toehold_shutdown(s->socket, TOEHOLD_SHUT_WR);
    s->shut = 1;
  } else if (s->received >= s->leave_at) {
    leave(s);
  }
  return 1;
}

static int give(slot *s, unsigned char *buffer, size_t capacity) {
  size_t length = s->to_send - s->sent;
  if (length > capacity) length = capacity;
  if (length > 1) length = 1 + draw((uint32_t)length);
  for (size_t i = 0; i < length; i++) {
    buffer[i] = s->kind == HTTP ? (unsigned char)request[s->sent + i] : pattern(s->start, s->sent + i);
  }
  const int64_t taken = toehold_write(s->socket, buffer, length);
  if (taken == TOEHOLD_EAGAIN) return 0;
  if (taken < 0) fail("write of kind %d after %zu bytes: %s", s->kind, s->sent, toehold_strerror((int)taken));
  s->sent += (size_t)taken;
  done.bytes_sent += (uint64_t)taken;
  if (s->kind == DISCARD && s->ending != BY_FIN && s->sent >= s->leave_at) {
    leave(s);
  } else if (s->sent == s->to_send && s->kind != HTTP) {
    toehold_shutdown(s->socket, TOEHOLD_SHUT_WR);
    s->shut = 1;
  }
  return taken > 0;
}

/* Whether anything has moved. */
static int serve(slot *s, unsigned events, unsigned char *buffer, size_t capacity) {
  int moved = 0;
  if (!s->connected) {
    int64_t error = 0;
    if ((events & (TOEHOLD_POLLOUT | TOEHOLD_POLLERR | TOEHOLD_POLLHUP)) == 0) return 0;
    toehold_get_option(s->socket, TOEHOLD_OPTION_ERROR, &error);
    if (error == TOEHOLD_ENOBUFS || error == TOEHOLD_ECONNREFUSED || error == TOEHOLD_EADDRINUSE) {
      done.refused++; /* all places are taken by connections that end: later, then */
      s->ending = BY_FIN;
      leave(s);
      return 0;
    }
    if (error != 0) fail("open: %s", toehold_strerror((int)error));
    s->connected = 1;
    done.opened++;
    moved = 1;
  }
  if ((events & TOEHOLD_POLLOUT) != 0 && s->sent < s->to_send) moved |= give(s, buffer, capacity);
  if (s->socket != NULL && (events & (TOEHOLD_POLLIN | TOEHOLD_POLLHUP | TOEHOLD_POLLERR)) != 0) {
    moved |= receive(s, buffer, capacity);
  }
  return moved;
}

static uint32_t field(toehold_sim *sim, const char *name) {
  uint32_t value = 0;
  if (toehold_sim_read_field(sim, name, &value) != 0) fail("%s: %s", name, toehold_sim_error(sim));
  return value;
}

/* How many connections an engine has; with `name` not NULL, says on stderr in which states they are. */
static uint32_t connections(toehold_sim *sim, const char *name) {
  static const char *const states[] = {"syn_sent",   "syn_received", "established", "fin_wait_1", "fin_wait_2",
                                       "close_wait", "closing",      "last_ack",    "time_wait"};
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    char gauge[64];
    snprintf(gauge, sizeof gauge, "states_%s", states[i]);
    const uint32_t there = field(sim, gauge);
    if (there != 0 && name != NULL) fprintf(stderr, "%u in %s at the %s; ", there, states[i], name);
    sum += there;
  }
  return sum;
}

static void set_field(toehold_sim *sim, const char *name, uint32_t value) {
  if (toehold_sim_write_field(sim, name, value) != 0) fail("%s: %s", name, toehold_sim_error(sim));
}

/* A reset that the link loses leaves a server alone with a connection on which nobody has anything
 * to say, for ever by the rules: keepalive (RFC 9293 section 3.8.4) is what ends it. */
static void use_keepalive(toehold_sim *sim) {
  set_field(sim, "tcp_behaviour_options.keepalive", 1);
  set_field(sim, "tcp_behaviour_keepalive_tick_us", 1000000);
  set_field(sim, "tcp_behaviour_keepalive.idle", 10);
  set_field(sim, "tcp_behaviour_keepalive_interval_us", 5000000);
  set_field(sim, "tcp_behaviour_keepalive.probes", 9);
}

static toehold_sim *engine(void) {
  char error[256];
  toehold_sim *sim = toehold_sim_create(NULL, 0, error, sizeof error);
  if (sim == NULL) fail("%s", error);
  return sim;
}

int main(int count, char **arguments) {
  if (count != 5) fail("usage: mixed_traffic CLOCKS SEED SOCKETS PHASE_CLOCKS");
  const uint64_t clocks = strtoull(arguments[1], NULL, 10), seed = strtoull(arguments[2], NULL, 10);
  const uint64_t phase_clocks = strtoull(arguments[4], NULL, 10);
  const size_t sockets = strtoul(arguments[3], NULL, 10);
  if (sockets < 1 || sockets > MOST_SOCKETS) fail("1 to %d sockets", MOST_SOCKETS);
  const uint8_t mac[6] = {0x02, 0x54, 0x4f, 0x45, 0x00, 0x77};
  static unsigned char buffer[16384];
  static slot slots[MOST_SOCKETS];
  static toehold_pollfd poll[MOST_SOCKETS];
  state = seed;

  toehold_sim *client_sim = engine(), *server_sim = engine();
  toehold_sim_enable_applications(server_sim, 15);
  use_keepalive(server_sim);
  toehold_sockets *client = toehold_sockets_create(client_sim);
  if (toehold_sockets_set_address(client, mac, CLIENT_IP, 0, 0) != 0) fail("no address");
  toehold_port a = toehold_sockets_port(client), b = toehold_sim_port(server_sim);
  toehold_link *link = toehold_link_create(&a, &b, phases, phases, seed);
  if (link == NULL) fail("no link");

  uint64_t phase = 0, moved_us = 0, percent = 0;
  int ending = 0;
  for (;;) {
    const uint64_t now = toehold_sim_clocks(client_sim) + toehold_sim_clocks(server_sim);
    const toehold_link_settings *wanted = &phases[now / phase_clocks % PHASES];
    ending = ending || now >= clocks;
    if (!ending && now * 100 / clocks != percent) {
      percent = now * 100 / clocks;
      fprintf(stderr, "done %u\n", (unsigned)percent);
    }
    if (ending) wanted = phases;
    if (ending || now / phase_clocks != phase) {
      phase = now / phase_clocks;
      toehold_link_set(link, TOEHOLD_LINK_A_TO_B, wanted);
      toehold_link_set(link, TOEHOLD_LINK_B_TO_A, wanted);
    }
    size_t open = 0;
    for (size_t i = 0; i < sockets; i++) {
      if (slots[i].socket == NULL && !ending && draw(4) == 0) open_connection(&slots[i], client);
      const slot *s = &slots[i];
      poll[i] = (toehold_pollfd){s->socket, TOEHOLD_POLLIN, 0};
      if (s->socket != NULL && (!s->connected || s->sent < s->to_send)) poll[i].events |= TOEHOLD_POLLOUT;
      open += s->socket != NULL;
    }
    if (open == 0 && ending) break;
    if (open == 0) continue;
    const int ready = toehold_poll(poll, sockets, 1000000);
    if (ready < 0) fail("poll: %s", toehold_strerror(ready));
    for (size_t i = 0; i < sockets; i++) {
      if (slots[i].socket == NULL || poll[i].revents == 0) continue;
      if (serve(&slots[i], poll[i].revents, buffer, sizeof buffer)) moved_us = toehold_link_time_us(link);
    }
    if (toehold_link_time_us(link) - moved_us > STALLED_US) fail("nothing has moved for 900 s");
  }

  const uint64_t end_us = toehold_link_time_us(link) + 120000000;
  while (toehold_link_run_until(link, end_us) == 1) {
  }
  const uint32_t left = connections(client_sim, NULL) + connections(server_sim, NULL);
  if (left != 0) {
    connections(client_sim, "client");
    connections(server_sim, "server");
    fail("%u connections are left", left);
  }

  toehold_link_counters there, back;
  toehold_link_get_counters(link, TOEHOLD_LINK_A_TO_B, &there);
  toehold_link_get_counters(link, TOEHOLD_LINK_B_TO_A, &back);
#define NUMBER(name, value) printf("\"%s\": %llu, ", name, (unsigned long long)(value))
  printf("{");
  NUMBER("clocks", toehold_sim_clocks(client_sim) + toehold_sim_clocks(server_sim));
  NUMBER("connections", done.opened);
  NUMBER("refused", done.refused);
  NUMBER("ended_by_fin", done.ended_by_fin);
  NUMBER("closed_early", done.closed_early);
  NUMBER("reset", done.reset);
  NUMBER("echo", done.of_kind[ECHO]);
  NUMBER("discard", done.of_kind[DISCARD]);
  NUMBER("source", done.of_kind[SOURCE]);
  NUMBER("http", done.of_kind[HTTP]);
  NUMBER("bytes_sent", done.bytes_sent);
  NUMBER("bytes_received", done.bytes_received);
  NUMBER("frames", there.frames_in + back.frames_in);
  NUMBER("frames_lost", there.lost + back.lost + there.queue_dropped + back.queue_dropped);
  NUMBER("frames_reordered", there.reordered + back.reordered);
  NUMBER("frames_duplicated", there.duplicated + back.duplicated);
  NUMBER("frames_corrupted", there.corrupted + back.corrupted);
  NUMBER("retransmitted_segments", field(client_sim, "counters_tcp_retransmitted_segments") +
                                       field(server_sim, "counters_tcp_retransmitted_segments"));
  NUMBER("keepalive_probes", field(server_sim, "counters_tcp_keepalive_probes"));
  NUMBER("timeouts", field(client_sim, "counters_tcp_retransmit_timeouts") +
                         field(server_sim, "counters_tcp_retransmit_timeouts"));
  printf("\"virtual_seconds\": %.1f}\n", (double)toehold_link_time_us(link) / 1e6);

  toehold_link_destroy(link);
  toehold_sockets_destroy(client);
  toehold_sim_destroy(client_sim);
  toehold_sim_destroy(server_sim);
  return EXIT_SUCCESS;
}
