/* SPDX-License-Identifier: Apache-2.0 */

/* Two libraries of different widths in one process: one is linked, the other loaded. Their engines
 * share a link; the linked one's socket sends, the loaded one's gets it.
 *
 *   widths_in_one_process LIBRARY */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toehold_sockets.h"

#define BYTES 20000
#define LIMIT_US 60000000 /* of virtual time */

static void *loaded;

static void *function(const char *name) {
  void *found = dlsym(loaded, name);
  if (found == NULL) {
    fprintf(stderr, "no %s\n", name);
    exit(1);
  }
  return found;
}

#define LOADED(result, name, ...) (*(result(**)(__VA_ARGS__)) & (void *){function(name)})

int main(int count, char **arguments) {
  static unsigned char data[BYTES], got[BYTES];
  size_t sent = 0, received = 0, i;
  int64_t n = 0;
  toehold_socket *listener, *accepted = NULL, *opener;

  loaded = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (loaded == NULL) return 1;
  for (i = 0; i < BYTES; i++) data[i] = (unsigned char)(i * i >> 3);

  toehold_sim *a = toehold_sim_create(NULL, 0, NULL, 0);
  toehold_sim *b = LOADED(toehold_sim *, "toehold_sim_create", const char *, unsigned, char *,
                          size_t)(NULL, 0, NULL, 0);
  unsigned width = LOADED(unsigned, "toehold_sim_data_width", void)();
  printf("%u and %u bits\n", toehold_sim_data_width(), width);
  if (a == NULL || b == NULL || width == toehold_sim_data_width()) return 2;

  toehold_sockets *sockets_a = toehold_sockets_create(a);
  toehold_sockets *sockets_b =
      LOADED(toehold_sockets *, "toehold_sockets_create", toehold_sim *)(b);
  const uint8_t mac[6] = {2, 0, 0, 0, 0, 7};
  if (LOADED(int, "toehold_sockets_set_address", toehold_sockets *, const uint8_t *, uint32_t,
             uint32_t, uint32_t)(sockets_b, mac, 0x0a4d0003, 0, 0) != 0) {
    return 3;
  }
  toehold_port end_a = toehold_sockets_port(sockets_a);
  toehold_port end_b =
      LOADED(toehold_port, "toehold_sockets_port", toehold_sockets *)(sockets_b);
  toehold_link_settings path = {0};
  path.delay_us = 200;
  path.loss = 0.05;
  toehold_link *link = toehold_link_create(&end_a, &end_b, &path, &path, 11);
  if (link == NULL) return 4;

  listener = LOADED(toehold_socket *, "toehold_socket_create", toehold_sockets *)(sockets_b);
  toehold_address here = {0, 80}, there = {0x0a4d0003, 80};
  LOADED(int, "toehold_bind", toehold_socket *, toehold_address)(listener, here);
  if (LOADED(int, "toehold_listen", toehold_socket *, int)(listener, 1) != 0) return 5;
  opener = toehold_socket_create(sockets_a);
  if (toehold_connect(opener, there) != 0) return 6;
  if (LOADED(int, "toehold_accept", toehold_socket *, toehold_socket **)(listener, &accepted)) {
    return 7;
  }
  toehold_set_option(opener, TOEHOLD_OPTION_NONBLOCK, 1);
  LOADED(int, "toehold_set_option", toehold_socket *, enum toehold_option, int64_t)(
      accepted, TOEHOLD_OPTION_NONBLOCK, 1);
  while (received < BYTES) {
    if (toehold_sockets_time_us(sockets_a) > LIMIT_US) return 11;
    n = toehold_write(opener, data + sent, BYTES - sent);
    if (n > 0) sent += (size_t)n;
    if (n < 0 && n != TOEHOLD_EAGAIN) return 8;
    n = LOADED(int64_t, "toehold_read", toehold_socket *, void *, size_t)(
        accepted, got + received, BYTES - received);
    if (n > 0) received += (size_t)n;
    if (n == 0 || (n < 0 && n != TOEHOLD_EAGAIN)) return 9;
    /* The time of both engines. */
    if (toehold_sockets_run_until(sockets_a, toehold_sockets_time_us(sockets_a) + 1000) < 0) {
      return 12;
    }
  }
  if (memcmp(data, got, BYTES) != 0) return 10;

  toehold_link_destroy(link);
  toehold_sockets_destroy(sockets_a);
  LOADED(void, "toehold_sockets_destroy", toehold_sockets *)(sockets_b);
  toehold_sim_destroy(a);
  LOADED(void, "toehold_sim_destroy", toehold_sim *)(b);
  return 0;
}
