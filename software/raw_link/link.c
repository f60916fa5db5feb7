/* SPDX-License-Identifier: Apache-2.0 */

/* Links, the entries of connections, and what users call. */

#include "toehold_raw_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define SOCKET_BYTES (4 << 20)
#define CONNECT_ATTEMPTS 16
#define FIRST_RETRANSMIT_US 100000u  /* before anything is measured */

uint64_t rawlink_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* xorshift64*: the same seed, the same faults. */
uint32_t rawlink_random(rawlink *link) {
  uint64_t x = link->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  link->random = x;
  return (uint32_t)(x * 0x2545f4914f6cdd1dull >> 32);
}

void rawlink_default_options(rawlink_options *options) {
  *options = (rawlink_options){
      .ether_type = RAWLINK_ETHER_TYPE,
      .max_connections = 16,
      .apps = RAWLINK_APPS,
      .window_frames = 64,
      .window_bytes = 12288,
      .receive_frames = 256,
      .retries = 10,
      .retransmit_min_us = 5000,
      .retransmit_max_us = 1000000,
      .impairment = {.seed = 1},
  };
}

static bool valid(const rawlink_options *options) {
  return options->apps >= 1 && options->apps <= RAWLINK_APPS && options->window_frames >= 1 &&
         options->window_frames < SLOTS && options->receive_frames >= 1 &&
         options->retransmit_min_us <= options->retransmit_max_us;
}

/* ---- Entries ---------------------------------------------------------------------------------- */

static bool same(const rawlink_key *a, const rawlink_key *b) {
  return a->cid == b->cid && memcmp(a->mac, b->mac, 6) == 0;
}

rawlink_connection *rawlink_find(rawlink *link, const rawlink_key *key) {
  for (rawlink_connection *c = link->connections; c; c = c->sibling) {
    if (!c->datagram && same(&c->key, key)) return c;
  }
  return NULL;
}

remembered_key *rawlink_recall(rawlink *link, const rawlink_key *key) {
  const unsigned count =
      link->remembered_count < REMEMBERED ? link->remembered_count : REMEMBERED;
  for (unsigned i = 0; i < count; i++) {
    if (same(&link->remembered[i].key, key)) return &link->remembered[i];
  }
  return NULL;
}

void rawlink_remember(rawlink *link, const rawlink_key *key, uint16_t expected, uint16_t next) {
  remembered_key *memory = rawlink_recall(link, key);
  if (memory == NULL) memory = &link->remembered[link->remembered_count++ % REMEMBERED];
  *memory = (remembered_key){.key = *key, .expected = expected, .next = next};
}

rawlink_connection *rawlink_new_connection(rawlink *link, const rawlink_key *key, unsigned app,
                                           uint16_t seq) {
  rawlink_connection *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->link = link;
  c->key = *key;
  c->app = (uint8_t)app;
  c->expected = c->base = c->send_next = c->sent_most = c->next = seq;
  c->received_end = &c->received;
  c->retransmit_us = FIRST_RETRANSMIT_US;
  if (c->retransmit_us < link->options.retransmit_min_us) {
    c->retransmit_us = link->options.retransmit_min_us;
  }
  rawlink_connection **end = &link->connections;
  while (*end) end = &(*end)->sibling;
  *end = c;
  return c;
}

void rawlink_free_connection(rawlink_connection *connection) {
  rawlink *link = connection->link;
  for (rawlink_connection **at = &link->connections; *at; at = &(*at)->sibling) {
    if (*at != connection) continue;
    *at = connection->sibling;
    break;
  }
  if (connection->incoming && connection->receiving) link->incoming--;
  rawlink_free_slots(connection, rawlink_ahead(connection->next, connection->base));
  while (connection->received) {
    waiting_frame *frame = connection->received;
    connection->received = frame->next;
    free(frame);
  }
  free(connection);
}

/* ---- Links ------------------------------------------------------------------------------------ */

static int open_socket(rawlink *link, const char *interface) {
  const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(link->options.ether_type));
  if (fd < 0) return -1;
  struct ifreq request = {0};
  struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                .sll_protocol = htons(link->options.ether_type)};
  const int bytes = SOCKET_BYTES;
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
  if (ioctl(fd, SIOCGIFINDEX, &request) < 0) goto failed;
  link->index = address.sll_ifindex = request.ifr_ifindex;
  if (ioctl(fd, SIOCGIFHWADDR, &request) < 0) goto failed;
  memcpy(link->mac, request.ifr_hwaddr.sa_data, 6);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) goto failed;
  /* As much as the system allows: what does not fit is lost, as on any link. */
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return fd;
failed:
  close(fd);
  return -1;
}

static void init_conditions(rawlink *link) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&link->mutex, NULL);
  pthread_cond_init(&link->work, &attributes);
  pthread_cond_init(&link->changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void stop_sender(rawlink *link) {
  pthread_mutex_lock(&link->mutex);
  link->stopping = true;
  pthread_cond_broadcast(&link->work);
  pthread_mutex_unlock(&link->mutex);
  pthread_join(link->sender, NULL);
}

rawlink *rawlink_open(const char *interface, const rawlink_options *options) {
  rawlink *link = calloc(1, sizeof *link);
  if (link == NULL) return NULL;
  if (options) {
    link->options = *options;
  } else {
    rawlink_default_options(&link->options);
  }
  int error = EINVAL;
  if (!valid(&link->options)) goto no_socket;
  link->random = link->options.impairment.seed * 0x9e3779b97f4a7c15ull + 1;
  link->socket = open_socket(link, interface);
  error = errno;
  if (link->socket < 0) goto no_socket;
  link->wake = eventfd(0, EFD_CLOEXEC);
  error = errno;
  if (link->wake < 0) goto no_wake;
  init_conditions(link);
  error = pthread_create(&link->sender, NULL, rawlink_sender, link);
  if (error) goto no_sender;
  error = pthread_create(&link->receiver, NULL, rawlink_receiver, link);
  if (error) goto no_receiver;
  return link;

no_receiver:
  stop_sender(link);
no_sender:
  close(link->wake);
no_wake:
  close(link->socket);
no_socket:
  free(link);
  errno = error;
  return NULL;
}

void rawlink_close(rawlink *link) {
  const uint64_t one = 1;
  if (link == NULL) return;
  while (write(link->wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
  pthread_join(link->receiver, NULL);
  stop_sender(link);
  while (link->connections) rawlink_free_connection(link->connections);
  close(link->wake);
  close(link->socket);
  pthread_cond_destroy(&link->work);
  pthread_cond_destroy(&link->changed);
  pthread_mutex_destroy(&link->mutex);
  free(link);
}

const uint8_t *rawlink_mac(const rawlink *link) { return link->mac; }

void rawlink_get_statistics(rawlink *link, rawlink_statistics *statistics) {
  pthread_mutex_lock(&link->mutex);
  *statistics = link->statistics;
  pthread_mutex_unlock(&link->mutex);
}

int rawlink_parse_mac(const char *text, uint8_t mac[6]) {
  int end = 0;
  if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3],
             &mac[4], &mac[5], &end) == 6 &&
      text[end] == '\0') {
    return 0;
  }
  errno = EINVAL;
  return -1;
}

/* ---- Waiting ---------------------------------------------------------------------------------- */

/* When a timeout that begins now ends. */
static uint64_t end_of(int timeout_ms) {
  return timeout_ms < 0 ? UINT64_MAX : rawlink_now_us() + (uint64_t)timeout_ms * 1000;
}

/* Until something has changed, or 0 when the time is over. */
static bool wait_until(rawlink *link, uint64_t end_us) {
  if (end_us == UINT64_MAX) return pthread_cond_wait(&link->changed, &link->mutex) == 0;
  const struct timespec end = {.tv_sec = (time_t)(end_us / 1000000),
                               .tv_nsec = (long)(end_us % 1000000) * 1000};
  return pthread_cond_timedwait(&link->changed, &link->mutex, &end) == 0;
}

/* errno for what ended a connection, 0 if nothing did. */
static int failure(const rawlink_connection *connection) {
  switch (connection->state) {
    case RESET: return ECONNRESET;
    case GIVEN_UP: return EPIPE;
    default: return 0;
  }
}

static int finish(rawlink *link, int error) {
  pthread_mutex_unlock(&link->mutex);
  errno = error;
  return error ? -1 : 0;
}

/* ---- Connections ------------------------------------------------------------------------------ */

static int append(rawlink_connection *connection, const void *data, size_t size, bool first,
                  bool last) {
  waiting_frame *frame = malloc(sizeof *frame + size);
  if (frame == NULL) return ENOMEM;
  frame->next = NULL;
  frame->size = (uint16_t)size;
  frame->first = first;
  frame->last = last;
  if (size) memcpy(frame->data, data, size);
  connection->slots[connection->next % SLOTS] = frame;
  connection->next = rawlink_seq(connection->next + 1u);
  connection->bytes_waiting += size;
  pthread_cond_signal(&connection->link->work);
  return 0;
}

/* One attempt: the connection, or NULL with *error and, refused, with what to try next. */
static rawlink_connection *attempt(rawlink *link, const rawlink_key *key, unsigned app,
                                   uint16_t seq, uint64_t end_us, int *error, uint8_t *refusal,
                                   uint16_t *refusal_seq) {
  rawlink_connection *connection = rawlink_new_connection(link, key, app, seq);
  *error = ENOMEM;
  if (connection == NULL) return NULL;
  connection->accepted = true;
  connection->receiving = true;
  connection->reliable = true;  /* the First, whatever follows */
  connection->state = OPENING;
  *error = append(connection, NULL, 0, true, false);
  while (*error == 0 && connection->state == OPENING) {
    if (!wait_until(link, end_us) && connection->state == OPENING) *error = ETIMEDOUT;
  }
  if (*error == 0 && connection->state == OPEN) return connection;
  if (*error == 0 && connection->state == REFUSED) {
    *error = EAGAIN;
    *refusal = connection->refusal;
    *refusal_seq = connection->refusal_seq;
  } else if (*error == 0) {
    *error = ETIMEDOUT;
  }
  rawlink_free_connection(connection);
  return NULL;
}

rawlink_connection *rawlink_connect(rawlink *link, const uint8_t mac[6], unsigned app,
                                    bool reliable, int timeout_ms) {
  const uint64_t end_us = end_of(timeout_ms);
  rawlink_connection *connection = NULL;
  rawlink_key key;
  int error = EADDRINUSE;
  if (app >= RAWLINK_APPS) {
    errno = EINVAL;
    return NULL;
  }
  pthread_mutex_lock(&link->mutex);
  memcpy(key.mac, mac, 6);
  /* Another process of this machine draws another CID, as far as chance has it. */
  key.cid = (uint8_t)(rawlink_now_us() ^ (uint64_t)getpid() * 0x9e37u ^ rawlink_random(link));
  for (unsigned tries = 0; tries < CONNECT_ATTEMPTS; tries++, key.cid++) {
    if (rawlink_find(link, &key)) continue;
    const remembered_key *memory = rawlink_recall(link, &key);
    uint16_t seq = memory ? memory->next : rawlink_seq(rawlink_random(link));
    uint8_t refusal = 0;
    uint16_t refusal_seq = 0;
    connection = attempt(link, &key, app, seq, end_us, &error, &refusal, &refusal_seq);
    if (error == EAGAIN && refusal == RAWLINK_OLD_FIRST) {
      /* The peer remembers more of this CID than we do. */
      connection = attempt(link, &key, app, refusal_seq, end_us, &error, &refusal, &refusal_seq);
    }
    if (connection || error != EAGAIN) break;
    if (refusal == RAWLINK_TABLE_FULL) error = ENOBUFS;
    if (refusal == RAWLINK_NO_CONNECTION) error = ECONNREFUSED;
    if (error != EAGAIN) break;
    error = EADDRINUSE;
  }
  if (connection) connection->reliable = reliable;
  pthread_mutex_unlock(&link->mutex);
  errno = connection ? 0 : error;
  return connection;
}

rawlink_connection *rawlink_accept(rawlink *link, int timeout_ms) {
  const uint64_t end_us = end_of(timeout_ms);
  pthread_mutex_lock(&link->mutex);
  for (;;) {
    for (rawlink_connection *c = link->connections; c; c = c->sibling) {
      if (!c->incoming || c->accepted) continue;
      c->accepted = true;
      pthread_mutex_unlock(&link->mutex);
      return c;
    }
    if (!wait_until(link, end_us)) {
      finish(link, ETIMEDOUT);
      return NULL;
    }
  }
}

void rawlink_peer(const rawlink_connection *connection, uint8_t mac[6], unsigned *cid,
                  unsigned *app) {
  if (mac) memcpy(mac, connection->key.mac, 6);
  if (cid) *cid = connection->key.cid;
  if (app) *app = connection->app;
}

int rawlink_send(rawlink_connection *connection, const void *data, size_t size, int timeout_ms) {
  rawlink *link = connection->link;
  const rawlink_options *options = &link->options;
  const uint64_t end_us = end_of(timeout_ms);
  if (connection->datagram || size > RAWLINK_MAX_DATA_BYTES) {
    errno = connection->datagram ? EDESTADDRREQ : EMSGSIZE;
    return -1;
  }
  pthread_mutex_lock(&link->mutex);
  for (;;) {
    const int error = failure(connection);
    if (error) return finish(link, error);
    if (connection->state != OPEN) return finish(link, EPIPE);
    const unsigned waiting = rawlink_ahead(connection->next, connection->base);
    const bool room = waiting < options->window_frames &&
                      connection->bytes_waiting + size <= options->window_bytes;
    if (room || waiting == 0) return finish(link, append(connection, data, size, false, false));
    if (!wait_until(link, end_us)) return finish(link, ETIMEDOUT);
  }
}

/* All given frames are acknowledged, or sent. With the mutex. */
static int drained(rawlink_connection *connection, uint64_t end_us) {
  while (connection->base != connection->next) {
    const int error = failure(connection);
    if (error) return error;
    if (!wait_until(connection->link, end_us)) return ETIMEDOUT;
  }
  return failure(connection);
}

int rawlink_flush(rawlink_connection *connection, int timeout_ms) {
  pthread_mutex_lock(&connection->link->mutex);
  return finish(connection->link, drained(connection, end_of(timeout_ms)));
}

int rawlink_send_datagram(rawlink *link, const uint8_t mac[6], unsigned app, const void *data,
                          size_t size) {
  if (app >= RAWLINK_APPS || size > RAWLINK_MAX_DATA_BYTES) {
    errno = size > RAWLINK_MAX_DATA_BYTES ? EMSGSIZE : EINVAL;
    return -1;
  }
  uint8_t frame[MAX_FRAME_BYTES];
  rawlink_key key;
  memcpy(key.mac, mac, 6);
  key.cid = 0;
  const rawlink_header header = {
      .first = true, .last = true, .app = (uint8_t)app, .size = (uint16_t)size};
  const size_t bytes = rawlink_build(link, frame, &key, &header, data);
  struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = link->index, .sll_halen = 6};
  memcpy(to.sll_addr, mac, 6);
  return sendto(link->socket, frame, bytes, 0, (struct sockaddr *)&to, sizeof to) < 0 ? -1 : 0;
}

/* The first frame that waits, taken out. With the mutex. */
static ssize_t take(rawlink_connection *connection, void *buffer, size_t capacity, bool *last) {
  waiting_frame *frame = connection->received;
  const ssize_t size = frame->size;
  connection->received = frame->next;
  if (connection->received == NULL) connection->received_end = &connection->received;
  connection->received_count--;
  memcpy(buffer, frame->data, frame->size < capacity ? frame->size : capacity);
  if (last) *last = frame->last;
  free(frame);
  return size;
}

ssize_t rawlink_receive(rawlink_connection *connection, void *buffer, size_t capacity, bool *last,
                        int timeout_ms) {
  rawlink *link = connection->link;
  const uint64_t end_us = end_of(timeout_ms);
  pthread_mutex_lock(&link->mutex);
  while (connection->received == NULL) {
    const int error = failure(connection);
    if (error) return finish(link, error);
    if (!connection->receiving) return finish(link, ENODATA);
    if (!wait_until(link, end_us)) return finish(link, ETIMEDOUT);
  }
  const ssize_t size = take(connection, buffer, capacity, last);
  pthread_mutex_unlock(&link->mutex);
  return size;
}

ssize_t rawlink_receive_any(rawlink *link, rawlink_connection **connection, void *buffer,
                            size_t capacity, bool *last, int timeout_ms) {
  const uint64_t end_us = end_of(timeout_ms);
  pthread_mutex_lock(&link->mutex);
  for (;;) {
    for (rawlink_connection *c = link->connections; c; c = c->sibling) {
      if (c->received == NULL) continue;
      c->accepted = true;
      *connection = c;
      const ssize_t size = take(c, buffer, capacity, last);
      pthread_mutex_unlock(&link->mutex);
      return size;
    }
    if (!wait_until(link, end_us)) return finish(link, ETIMEDOUT);
  }
}

int rawlink_disconnect(rawlink_connection *connection, int timeout_ms) {
  rawlink *link = connection->link;
  const uint64_t end_us = end_of(timeout_ms);
  pthread_mutex_lock(&link->mutex);
  int error = connection->datagram ? 0 : drained(connection, end_us);
  /* A peer that has said Last, and has not answered one of ours, needs none: its entry is free. */
  if (error == 0 && connection->state == OPEN && !(connection->incoming && !connection->receiving)) {
    connection->state = CLOSING;
    error = append(connection, NULL, 0, false, true);
    while (error == 0 && connection->state == CLOSING) {
      if (!wait_until(link, end_us) && connection->state == CLOSING) error = ETIMEDOUT;
    }
    if (error == 0) error = failure(connection);
  }
  if (!connection->datagram) {
    const bool ahead = !rawlink_behind(connection->next, connection->expected);
    rawlink_remember(link, &connection->key, connection->expected,
                     ahead ? connection->next : connection->expected);
  }
  rawlink_free_connection(connection);
  return finish(link, error);
}
