/* SPDX-License-Identifier: Apache-2.0 */

/* A megabyte from one simulated engine to another, over a link that loses frames.
 *
 *   cc -o lossy_transfer lossy_transfer.c $(pkg-config --cflags --libs toehold)
 *   ./lossy_transfer [BYTES [LOSS_PERCENT [SEED]]]
 *
 * Both engines, the link and their time are in this process: no devices, no threads, no privileges,
 * and the same seed gives the same run. */

#include <stdio.h>
#include <stdlib.h>
#include <toehold_sockets.h>

#define SERVER_IP 0x0a4d0003u /* 10.77.0.3; the other engine stays 10.77.0.2 */
#define SERVER_PORT 5001

static void check(int64_t result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", what, toehold_strerror((int)result));
  exit(EXIT_FAILURE);
}

static uint32_t counter(toehold_sim *sim, const char *name) {
  uint32_t value = 0;
  check(toehold_sim_read_field(sim, name, &value), name);
  return value;
}

/* What is sent: byte number n of the stream. */
static unsigned char pattern(size_t n) { return (unsigned char)(n ^ n >> 8 ^ n >> 16); }

int main(int count, char **arguments) {
  const size_t bytes = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000000;
  const double loss = (count > 2 ? atof(arguments[2]) : 1.0) / 100;
  const uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
  const uint8_t server_mac[6] = {0x02, 0x54, 0x4f, 0x45, 0x00, 0x02};
  char error[256];

  /* Two engines, each with sockets. */
  toehold_sim *client_sim = toehold_sim_create(NULL, 0, error, sizeof error);
  toehold_sim *server_sim = toehold_sim_create(NULL, 0, error, sizeof error);
  if (client_sim == NULL || server_sim == NULL) {
    fprintf(stderr, "%s\n", error);
    return EXIT_FAILURE;
  }
  toehold_sockets *client = toehold_sockets_create(client_sim);
  toehold_sockets *server = toehold_sockets_create(server_sim);
  check(toehold_sockets_set_address(server, server_mac, SERVER_IP, 0, 0), "address");

  /* A link of 100 Mb/s and 2 ms each way between them. */
  toehold_port ends[2] = {toehold_sockets_port(client), toehold_sockets_port(server)};
  toehold_link_settings path = {0};
  path.loss = loss;
  path.delay_us = 2000;
  path.rate_bps = 100000000;
  toehold_link *link = toehold_link_create(&ends[0], &ends[1], &path, &path, seed);
  if (link == NULL) {
    fprintf(stderr, "a loss of %g %% makes no sense\n", loss * 100);
    return EXIT_FAILURE;
  }

  /* A connection: connect and accept let simulated time pass. */
  toehold_socket *listener = toehold_socket_create(server), *receiver = NULL;
  toehold_address address = {0, SERVER_PORT};
  check(toehold_bind(listener, address), "bind");
  check(toehold_listen(listener, 1), "listen");
  toehold_socket *sender = toehold_socket_create(client);
  address.ip = SERVER_IP;
  check(toehold_connect(sender, address), "connect");
  check(toehold_accept(listener, &receiver), "accept");
  const uint64_t opened_us = toehold_link_time_us(link);

  /* One end never blocks, so that this one thread can serve both. */
  check(toehold_set_option(sender, TOEHOLD_OPTION_NONBLOCK, 1), "non-blocking");
  check(toehold_set_option(receiver, TOEHOLD_OPTION_NONBLOCK, 1), "non-blocking");
  size_t sent = 0, received = 0;
  int ended = 0;
  while (!ended) {
    unsigned char buffer[4096];
    toehold_pollfd poll[2] = {{sender, 0, 0}, {receiver, TOEHOLD_POLLIN, 0}};
    if (sent < bytes) poll[0].events = TOEHOLD_POLLOUT;
    check(toehold_poll(poll, 2, -1), "poll");
    if (sent < bytes && (poll[0].revents & TOEHOLD_POLLOUT) != 0) {
      size_t length = bytes - sent < sizeof buffer ? bytes - sent : sizeof buffer;
      for (size_t i = 0; i < length; i++) buffer[i] = pattern(sent + i);
      int64_t written = toehold_write(sender, buffer, length);
      check(written, "write");
      sent += (size_t)written;
      if (sent == bytes) check(toehold_shutdown(sender, TOEHOLD_SHUT_WR), "shutdown");
    }
    if ((poll[1].revents & TOEHOLD_POLLIN) != 0) {
      int64_t length = toehold_read(receiver, buffer, sizeof buffer);
      check(length, "read");
      for (int64_t i = 0; i < length; i++) {
        if (buffer[i] != pattern(received + (size_t)i)) {
          fprintf(stderr, "byte %zu is wrong\n", received + (size_t)i);
          return EXIT_FAILURE;
        }
      }
      received += (size_t)length;
      ended = length == 0;
    }
  }
  const double seconds = (double)(toehold_link_time_us(link) - opened_us) / 1e6;
  check(toehold_close(sender), "close");
  check(toehold_close(receiver), "close");

  toehold_link_counters there, back;
  toehold_link_get_counters(link, TOEHOLD_LINK_A_TO_B, &there);
  toehold_link_get_counters(link, TOEHOLD_LINK_B_TO_A, &back);
  printf("%zu bytes received, every one right, in %.3f s of simulated time: %.0f bytes/s\n",
         received, seconds, seconds > 0 ? (double)received / seconds : 0.0);
  printf("frames sent %llu and %llu, lost %llu and %llu\n", (unsigned long long)there.frames_in,
         (unsigned long long)back.frames_in, (unsigned long long)there.lost,
         (unsigned long long)back.lost);
  printf("retransmitted segments %u, timeouts %u, fast retransmits %u\n",
         counter(client_sim, "counters_tcp_retransmitted_segments"),
         counter(client_sim, "counters_tcp_retransmit_timeouts"),
         counter(client_sim, "counters_tcp_fast_retransmits"));
  printf("clocks simulated %llu and %llu\n", (unsigned long long)toehold_sim_clocks(client_sim),
         (unsigned long long)toehold_sim_clocks(server_sim));

  /* What is idle is passed over: the 60 seconds of TIME_WAIT, too. */
  while (toehold_link_run_until(link, toehold_link_time_us(link) + 70000000) == 1) {
  }
  printf("at %.1f s %u connections are left\n", (double)toehold_link_time_us(link) / 1e6,
         counter(client_sim, "states_time_wait") + counter(server_sim, "states_time_wait"));

  toehold_link_destroy(link);
  toehold_sockets_destroy(client);
  toehold_sockets_destroy(server);
  toehold_sim_destroy(client_sim);
  toehold_sim_destroy(server_sim);
  return received == bytes ? EXIT_SUCCESS : EXIT_FAILURE;
}
