/* SPDX-License-Identifier: Apache-2.0 */

/* The thread that sends: responses first, then frames of the connections in turn, and again what is
 * not acknowledged in time. */

#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "internal.h"

#define HOLD_US 5000u    /* a frame that is held back leaves after this at the latest */
#define NEVER UINT64_MAX

size_t rawlink_build(const rawlink *link, uint8_t *frame, const rawlink_key *key,
                     const rawlink_header *header, const uint8_t *data) {
  size_t size = RAWLINK_HEADER_BYTES + header->size;
  rawlink_put_header(frame, key->mac, link->mac, link->options.ether_type, header);
  if (header->size) memcpy(frame + RAWLINK_HEADER_BYTES, data, header->size);
  if (size < RAWLINK_MIN_FRAME_BYTES) {
    memset(frame + size, 0, RAWLINK_MIN_FRAME_BYTES - size);
    size = RAWLINK_MIN_FRAME_BYTES;
  }
  return size;
}

static void put_on_wire(rawlink *link, const uint8_t *frame, size_t size) {
  struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = link->index, .sll_halen = 6};
  memcpy(to.sll_addr, frame, 6);
  if (sendto(link->socket, frame, size, 0, (struct sockaddr *)&to, sizeof to) < 0) {
    __atomic_fetch_add(&link->statistics.send_errors, 1, __ATOMIC_RELAXED);
  }
}

static bool happens(rawlink *link, double probability) {
  return probability > 0 && rawlink_random(link) < probability * 4294967296.0;
}

static void release_held(rawlink *link) {
  if (link->held.size) put_on_wire(link, link->held.bytes, link->held.size);
  link->held.size = 0;
}

/* Of the sender thread, without the mutex. */
void rawlink_transmit(rawlink *link, const uint8_t *frame, size_t size) {
  const rawlink_impairment *impairment = &link->options.impairment;
  rawlink_statistics *statistics = &link->statistics;
  if (happens(link, impairment->loss)) {
    __atomic_fetch_add(&statistics->impaired_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  if (happens(link, impairment->corrupt)) {
    __atomic_fetch_add(&statistics->impaired_corrupted, 1, __ATOMIC_RELAXED);
    return;
  }
  if (link->held.size == 0 && happens(link, impairment->reorder)) {
    memcpy(link->held.bytes, frame, size);
    link->held.size = size;
    link->held.to_pass = 1 + rawlink_random(link) % 3;
    link->held.deadline_us = rawlink_now_us() + HOLD_US;
    __atomic_fetch_add(&statistics->impaired_reordered, 1, __ATOMIC_RELAXED);
    return;
  }
  put_on_wire(link, frame, size);
  if (happens(link, impairment->duplicate)) {
    put_on_wire(link, frame, size);
    __atomic_fetch_add(&statistics->impaired_duplicated, 1, __ATOMIC_RELAXED);
  }
  if (link->held.size && --link->held.to_pass == 0) release_held(link);
}

void rawlink_free_slots(rawlink_connection *connection, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    waiting_frame **slot = &connection->slots[connection->base % SLOTS];
    if (*slot) connection->bytes_waiting -= (*slot)->size;
    free(*slot);
    *slot = NULL;
    connection->base = rawlink_seq(connection->base + 1u);
  }
  if (rawlink_behind(connection->send_next, connection->base)) {
    connection->send_next = connection->base;
  }
  if (rawlink_behind(connection->sent_most, connection->base)) {
    connection->sent_most = connection->base;
  }
}

/* The frame at send_next, built; 0 if it waits for nothing. */
static size_t next_frame(rawlink *link, rawlink_connection *connection, uint8_t *frame) {
  if (connection->send_next == connection->next) return 0;
  const uint16_t seq = connection->send_next;
  const waiting_frame *waiting = connection->slots[seq % SLOTS];
  const bool again = seq != connection->sent_most;
  const uint64_t now_us = rawlink_now_us();
  const rawlink_header header = {
      .cid = connection->key.cid,
      .first = waiting->first,
      .ack = connection->reliable || waiting->first || waiting->last,
      .last = waiting->last,
      .action = RAWLINK_DATA,
      .app = connection->app,
      .seq = seq,
      .size = waiting->size,
  };
  const size_t size = rawlink_build(link, frame, &connection->key, &header, waiting->data);
  connection->send_next = rawlink_seq(seq + 1u);
  if (again) {
    link->statistics.retransmitted++;
  } else {
    connection->sent_most = connection->send_next;
    if (!connection->timing && !connection->recovering) {
      connection->timing = true;
      connection->timed = seq;
      connection->timed_us = now_us;
    }
  }
  if (!header.ack) {
    connection->timing = false;
    rawlink_free_slots(connection, 1);
    pthread_cond_broadcast(&link->changed);
  } else if (seq == connection->base) {
    connection->deadline_us = now_us + connection->retransmit_us;
  }
  return size;
}

/* When its oldest frame is to be sent again. */
static uint64_t deadline(const rawlink_connection *connection) {
  return connection->send_next == connection->base ? NEVER : connection->deadline_us;
}

static void time_out(rawlink *link, rawlink_connection *connection) {
  link->statistics.timeouts++;
  if (++connection->unanswered > link->options.retries) {
    connection->state = GIVEN_UP;
    rawlink_free_slots(connection, rawlink_ahead(connection->next, connection->base));
    pthread_cond_broadcast(&link->changed);
    return;
  }
  connection->retransmit_us *= 2;
  if (connection->retransmit_us > link->options.retransmit_max_us) {
    connection->retransmit_us = link->options.retransmit_max_us;
  }
  connection->recovering = true;
  connection->recover = connection->sent_most;
  connection->duplicate_acks = 0;
  connection->timing = false;
  connection->send_next = connection->base;
}

static void wait_for_work(rawlink *link, uint64_t until_us) {
  if (until_us == NEVER) {
    pthread_cond_wait(&link->work, &link->mutex);
    return;
  }
  const struct timespec until = {.tv_sec = (time_t)(until_us / 1000000),
                                 .tv_nsec = (long)(until_us % 1000000) * 1000};
  pthread_cond_timedwait(&link->work, &link->mutex, &until);
}

/* A response, or the frame of a connection, in turn; 0 if there is nothing to send. */
static size_t choose(rawlink *link, uint8_t *frame) {
  if (link->response_head != link->response_tail) {
    const response *next = &link->responses[link->response_head++ % RESPONSES];
    const rawlink_header header = {
        .cid = next->key.cid, .action = next->action, .app = next->app, .seq = next->seq};
    (*(next->action == RAWLINK_ACK ? &link->statistics.acknowledgements_out
                                   : &link->statistics.refusals_out))++;
    return rawlink_build(link, frame, &next->key, &header, NULL);
  }
  for (rawlink_connection **at = &link->connections; *at; at = &(*at)->sibling) {
    rawlink_connection *connection = *at;
    const size_t size = next_frame(link, connection, frame);
    if (size == 0) continue;
    /* To the end of the list: the others come first now. */
    *at = connection->sibling;
    connection->sibling = NULL;
    while (*at) at = &(*at)->sibling;
    *at = connection;
    return size;
  }
  return 0;
}

void *rawlink_sender(void *argument) {
  rawlink *link = argument;
  uint8_t frame[MAX_FRAME_BYTES];
  pthread_mutex_lock(&link->mutex);
  while (!link->stopping) {
    const size_t size = choose(link, frame);
    if (size) {
      link->statistics.tx_frames++;
      pthread_mutex_unlock(&link->mutex);
      rawlink_transmit(link, frame, size);
      pthread_mutex_lock(&link->mutex);
      continue;
    }
    const uint64_t now_us = rawlink_now_us();
    uint64_t until_us = link->held.size ? link->held.deadline_us : NEVER;
    if (until_us <= now_us) {
      release_held(link);
      until_us = NEVER;
    }
    bool timed_out = false;
    for (rawlink_connection *c = link->connections; c; c = c->sibling) {
      if (deadline(c) <= now_us) {
        time_out(link, c);
        timed_out = true;
      } else if (deadline(c) < until_us) {
        until_us = deadline(c);
      }
    }
    if (!timed_out) wait_for_work(link, until_us);
  }
  pthread_mutex_unlock(&link->mutex);
  return NULL;
}
