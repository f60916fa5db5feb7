/* SPDX-License-Identifier: Apache-2.0 */

/* The thread that receives. */

#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"

static void respond(rawlink *link, const rawlink_key *key, int action, uint8_t app, uint16_t seq) {
  if (link->response_tail - link->response_head == RESPONSES) return;  /* the peer asks again */
  link->responses[link->response_tail++ % RESPONSES] =
      (response){.key = *key, .action = (uint8_t)action, .app = app, .seq = seq};
  pthread_cond_signal(&link->work);
}

static waiting_frame *copy_frame(const rawlink_header *header, const uint8_t *data) {
  waiting_frame *frame = malloc(sizeof *frame + header->size);
  if (frame == NULL) return NULL;
  frame->next = NULL;
  frame->size = header->size;
  frame->first = header->first;
  frame->last = header->last;
  memcpy(frame->data, data, header->size);
  return frame;
}

static void enqueue(rawlink_connection *connection, waiting_frame *frame) {
  *connection->received_end = frame;
  connection->received_end = &frame->next;
  connection->received_count++;
}

static void count_drop(rawlink_statistics *statistics, rawlink_fate fate) {
  switch (fate) {
    case RAWLINK_DROP_NO_APP: statistics->drop_no_app++; break;
    case RAWLINK_DROP_NO_CONNECTION: statistics->drop_no_connection++; break;
    case RAWLINK_DROP_TABLE_FULL: statistics->drop_table_full++; break;
    case RAWLINK_DROP_DUPLICATE: statistics->drop_duplicate++; break;
    case RAWLINK_DROP_GAP: statistics->drop_gap++; break;
    case RAWLINK_DROP_IN_USE: statistics->drop_in_use++; break;
    case RAWLINK_DELIVER: break;
  }
}

static void take_data(rawlink *link, const rawlink_key *key, const rawlink_header *header,
                      const uint8_t *data) {
  rawlink_connection *connection = rawlink_find(link, key);
  remembered_key *memory = connection ? NULL : rawlink_recall(link, key);
  const bool known = connection || memory;
  const uint16_t expected = connection ? connection->expected : memory ? memory->expected : 0;
  const bool room = link->options.listen && link->incoming < link->options.max_connections;
  const bool app_exists = header->app < link->options.apps;
  /* A connection whose user still has it keeps its key until it is disconnected. */
  const bool held = connection && !connection->receiving && header->first;
  rawlink_verdict verdict = rawlink_judge(header, app_exists, known,
                                          connection && (connection->receiving || held), expected,
                                          room);
  if (verdict.fate == RAWLINK_DELIVER && verdict.datagram && !link->options.listen) {
    verdict = rawlink_judge(header, false, known, false, expected, room);
  }

  if (verdict.fate == RAWLINK_DELIVER) {
    if (connection && !verdict.datagram &&
        connection->received_count >= link->options.receive_frames) {
      link->statistics.drop_overflow++;
      return;  /* without an answer: it will come again */
    }
    waiting_frame *frame = copy_frame(header, data);
    if (frame && (verdict.open || verdict.datagram)) {
      connection = rawlink_new_connection(link, key, header->app, header->seq);
    }
    if (frame == NULL || connection == NULL) {
      free(frame);
      link->statistics.drop_overflow++;
      return;
    }
    if (verdict.open || verdict.datagram) {
      connection->incoming = true;
      connection->datagram = verdict.datagram;
      connection->receiving = verdict.open;
      connection->reliable = header->ack;
      connection->state = verdict.open ? OPEN : CLOSED;
    }
    if (verdict.open) {
      link->incoming++;
      link->statistics.opened++;
    }
    enqueue(connection, frame);
    connection->expected = rawlink_seq(header->seq + 1u);
    link->statistics.delivered++;
    link->statistics.lost += verdict.lost;
    if (header->last && connection->receiving) {
      connection->receiving = false;
      if (connection->incoming) link->incoming--;
      link->statistics.closed++;
    }
    pthread_cond_broadcast(&link->changed);
  } else {
    count_drop(&link->statistics, verdict.fate);
  }
  if (header->ack) {
    respond(link, key, verdict.answer,
            verdict.answer == RAWLINK_ACK ? header->app : verdict.reason, verdict.answer_seq);
  }
}

static void measure(rawlink_connection *connection, uint64_t now_us) {
  const unsigned sample = (unsigned)(now_us - connection->timed_us);
  const rawlink_options *options = &connection->link->options;
  if (connection->srtt_us == 0) {
    connection->srtt_us = sample;
    connection->rttvar_us = sample / 2;
  } else {
    const unsigned srtt = connection->srtt_us;
    const unsigned error = sample > srtt ? sample - srtt : srtt - sample;
    connection->rttvar_us = (3 * connection->rttvar_us + error) / 4;
    connection->srtt_us = (7 * srtt + sample) / 8;
  }
  unsigned time = connection->srtt_us + 4 * connection->rttvar_us;
  if (time < options->retransmit_min_us) time = options->retransmit_min_us;
  if (time > options->retransmit_max_us) time = options->retransmit_max_us;
  connection->retransmit_us = time;
}

/* All frames from base on are sent again. */
static void go_back(rawlink_connection *connection) {
  connection->recovering = true;
  connection->recover = connection->sent_most;
  connection->send_next = connection->base;
  connection->timing = false;
  pthread_cond_signal(&connection->link->work);
}

static void take_acknowledgement(rawlink *link, rawlink_connection *connection, uint16_t seq) {
  const unsigned outstanding = rawlink_ahead(connection->sent_most, connection->base);
  const unsigned covered = rawlink_ahead(seq, connection->base) + 1u;

  if (connection->state == OPENING && outstanding != 0 && covered != 1) {
    /* First is alone on its way: who answers with another number has an older connection. */
    connection->state = REFUSED;
    connection->refusal = RAWLINK_IN_USE;
  } else if (covered <= outstanding) {
    const uint64_t now_us = rawlink_now_us();
    if (connection->timing && rawlink_ahead(connection->timed, connection->base) < covered) {
      measure(connection, now_us);
      connection->timing = false;
    }
    rawlink_free_slots(connection, covered);
    if (connection->recovering && !rawlink_behind(connection->base, connection->recover)) {
      connection->recovering = false;
    }
    connection->unanswered = 0;
    connection->duplicate_acks = 0;
    connection->deadline_us = now_us + connection->retransmit_us;
    if (connection->state == OPENING) connection->state = OPEN;
    if (connection->state == CLOSING && connection->base == connection->next) {
      connection->state = CLOSED;
    }
    pthread_cond_signal(&link->work);
  } else if (covered == RAWLINK_SEQUENCE_NUMBERS || !connection->reliable) {
    /* It still waits for base: one frame may be late, two answers mean that it is lost. */
    if (!connection->reliable && connection->state == CLOSING && outstanding != 0) {
      /* What was lost before the Last is not sent again: the Last takes the number of it. */
      waiting_frame *frame = connection->slots[connection->base % SLOTS];
      connection->slots[connection->base % SLOTS] = NULL;
      connection->base = connection->send_next = connection->sent_most = rawlink_seq(seq + 1u);
      connection->next = rawlink_seq(seq + 2u);
      connection->slots[connection->base % SLOTS] = frame;
      pthread_cond_signal(&link->work);
    } else if (outstanding != 0 && !connection->recovering && ++connection->duplicate_acks == 2) {
      go_back(connection);
    }
  }
  pthread_cond_broadcast(&link->changed);
}

static void take_refusal(rawlink *link, rawlink_connection *connection,
                         const rawlink_header *header) {
  const unsigned outstanding = rawlink_ahead(connection->sent_most, connection->base);
  if (connection->state == OPENING) {
    connection->state = REFUSED;
    connection->refusal = header->app;
    connection->refusal_seq = header->seq;
  } else if (header->app == RAWLINK_NO_CONNECTION && outstanding != 0) {
    /* The last empty frame reached a peer that has forgotten: that is what it was to achieve. */
    const waiting_frame *frame = connection->slots[connection->base % SLOTS];
    const bool closed = connection->state == CLOSING && frame && frame->last;
    connection->state = closed ? CLOSED : RESET;
    rawlink_free_slots(connection, rawlink_ahead(connection->next, connection->base));
    if (connection->receiving) {
      connection->receiving = false;
      if (connection->incoming) link->incoming--;
    }
  }
  pthread_cond_broadcast(&link->changed);
}

static void take_frame(rawlink *link, const uint8_t *frame, size_t size) {
  rawlink_statistics *statistics = &link->statistics;
  rawlink_header header;
  rawlink_key key;
  statistics->rx_frames++;
  if (size < RAWLINK_MIN_FRAME_BYTES) {
    statistics->drop_runt++;
    return;
  }
  rawlink_get_header(frame, &header);
  if (size < RAWLINK_HEADER_BYTES + (size_t)header.size) {
    statistics->drop_size++;
    return;
  }
  memcpy(key.mac, frame + 6, 6);
  key.cid = header.cid;
  rawlink_connection *connection = rawlink_find(link, &key);
  switch (header.action) {
    case RAWLINK_DATA:
      take_data(link, &key, &header, frame + RAWLINK_HEADER_BYTES);
      break;
    case RAWLINK_ACK:
    case RAWLINK_REFUSAL:
      if (connection == NULL) {
        statistics->drop_no_connection++;
      } else if (header.action == RAWLINK_ACK) {
        statistics->acknowledgements_in++;
        take_acknowledgement(link, connection, header.seq);
      } else {
        statistics->refusals_in++;
        take_refusal(link, connection, &header);
      }
      break;
    default:
      statistics->drop_action++;
  }
}

void *rawlink_receiver(void *argument) {
  rawlink *link = argument;
  uint8_t frame[MAX_FRAME_BYTES + 256];  /* padding behind the largest frame does no harm */
  struct pollfd descriptors[2] = {{.fd = link->socket, .events = POLLIN},
                                  {.fd = link->wake, .events = POLLIN}};
  for (;;) {
    if (poll(descriptors, 2, -1) < 0 && errno != EINTR) break;
    if (descriptors[1].revents) break;
    pthread_mutex_lock(&link->mutex);
    for (;;) {
      struct sockaddr_ll from;
      socklen_t length = sizeof from;
      const ssize_t size = recvfrom(link->socket, frame, sizeof frame, MSG_DONTWAIT | MSG_TRUNC,
                                    (struct sockaddr *)&from, &length);
      if (size < 0) break;
      /* The kernel shows what we send, and what is for others. */
      if (from.sll_pkttype != PACKET_HOST || memcmp(frame, link->mac, 6) != 0) continue;
      take_frame(link, frame, (size_t)size < sizeof frame ? (size_t)size : sizeof frame);
    }
    pthread_mutex_unlock(&link->mutex);
  }
  return NULL;
}
