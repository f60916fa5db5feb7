/* SPDX-License-Identifier: Apache-2.0 */

/* What the parts of the library share. All of it is under the link's mutex, but for what is written
 * only while the link is opened. */

#ifndef RAWLINK_INTERNAL_H
#define RAWLINK_INTERNAL_H

#include <net/if.h>
#include <pthread.h>

#include "protocol.h"
#include "toehold_raw_link.h"

#define SLOTS 256u          /* frames of a connection on their way: a power of two */
#define RESPONSES 1024u     /* that wait for the sender */
#define REMEMBERED 64u      /* connections that were closed */
#define MAX_FRAME_BYTES (RAWLINK_HEADER_BYTES + RAWLINK_MAX_DATA_BYTES)

typedef struct {
  uint8_t mac[6];
  uint8_t cid;
} rawlink_key;

/* A frame that waits: to be sent or acknowledged, or to be received. */
typedef struct waiting_frame {
  struct waiting_frame *next;
  uint16_t size;
  bool first, last;
  uint8_t data[];
} waiting_frame;

typedef enum {
  OPENING,   /* First is on its way */
  OPEN,
  CLOSING,   /* Last is given, nothing follows */
  CLOSED,    /* Last is acknowledged */
  REFUSED,   /* First was refused */
  RESET,     /* the peer does not have it */
  GIVEN_UP   /* the peer does not answer */
} connection_state;

struct rawlink_connection {
  struct rawlink_connection *sibling;  /* in the list of the link */
  rawlink *link;
  rawlink_key key;
  uint8_t app;
  bool reliable;
  bool incoming;      /* the peer opened it */
  bool accepted;      /* the user has it */
  bool datagram;      /* not a connection: one frame to be received */
  connection_state state;

  /* Receiving: the peer's Last ends it. */
  bool receiving;
  uint16_t expected;
  waiting_frame *received, **received_end;
  unsigned received_count;

  /* Sending: base <= send_next <= next. What lies between base and next waits in slots. */
  uint16_t base, send_next, sent_most, next;
  waiting_frame *slots[SLOTS];
  size_t bytes_waiting;
  uint64_t deadline_us;  /* of the frame at base */
  unsigned unanswered;
  unsigned duplicate_acks;
  bool recovering;       /* frames before recover are being sent again */
  uint16_t recover;
  uint8_t refusal;
  uint16_t refusal_seq;

  /* Round-trip time, microseconds (as RFC 6298 has it). */
  bool timing;
  uint16_t timed;
  uint64_t timed_us;
  unsigned srtt_us, rttvar_us, retransmit_us;
};

typedef struct {
  rawlink_key key;
  uint16_t expected;  /* what the peer would have sent next */
  uint16_t next;      /* where a connection on this key may start */
} remembered_key;

typedef struct {
  rawlink_key key;
  uint8_t action, app;
  uint16_t seq;
} response;

/* A frame that the impairment holds back, and how many others must pass it. */
typedef struct {
  size_t size;
  unsigned to_pass;
  uint64_t deadline_us;
  uint8_t bytes[MAX_FRAME_BYTES];
} held_frame;

struct rawlink {
  int socket, wake;
  int index;
  uint8_t mac[6];
  rawlink_options options;
  pthread_mutex_t mutex;
  pthread_cond_t work;     /* for the sender */
  pthread_cond_t changed;  /* for the users */
  pthread_t sender, receiver;
  bool stopping;
  rawlink_connection *connections;
  unsigned incoming;       /* connections that others opened and that are receiving */
  remembered_key remembered[REMEMBERED];
  unsigned remembered_count;
  response responses[RESPONSES];
  unsigned response_head, response_tail;
  rawlink_statistics statistics;
  uint64_t random;
  held_frame held;         /* of the sender thread alone */
};

uint64_t rawlink_now_us(void);
uint32_t rawlink_random(rawlink *link);

/* link.c: entries. */
rawlink_connection *rawlink_find(rawlink *link, const rawlink_key *key);
rawlink_connection *rawlink_new_connection(rawlink *link, const rawlink_key *key, unsigned app,
                                           uint16_t seq);
remembered_key *rawlink_recall(rawlink *link, const rawlink_key *key);
void rawlink_remember(rawlink *link, const rawlink_key *key, uint16_t expected, uint16_t next);
void rawlink_free_connection(rawlink_connection *connection);

/* receiver.c, sender.c: the threads, and what users of connections need of them. */
void *rawlink_receiver(void *link);
void *rawlink_sender(void *link);
void rawlink_transmit(rawlink *link, const uint8_t *frame, size_t size);
void rawlink_free_slots(rawlink_connection *connection, unsigned count);
size_t rawlink_build(const rawlink *link, uint8_t *frame, const rawlink_key *key,
                     const rawlink_header *header, const uint8_t *data);

#endif
