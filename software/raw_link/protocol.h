/* SPDX-License-Identifier: Apache-2.0 */

/* The frame of the raw link, and what a receiver decides (docs/raw_link.md). No state, no system
 * calls. */

#ifndef RAWLINK_PROTOCOL_H
#define RAWLINK_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAWLINK_DATA = 0, RAWLINK_ACK = 1, RAWLINK_REFUSAL = 2 };

enum {
  RAWLINK_NO_CONNECTION = 0,
  RAWLINK_TABLE_FULL = 1,
  RAWLINK_OLD_FIRST = 2,
  RAWLINK_IN_USE = 3
};

#define RAWLINK_SEQUENCE_NUMBERS 512u

/* Control header, one field each. */
typedef struct {
  uint8_t cid;
  bool first, ack, last;
  uint8_t action, app;
  uint16_t seq;   /* 0 to 511 */
  uint16_t size;  /* 0 to 16,383 */
} rawlink_header;

static inline uint16_t rawlink_seq(unsigned value) { return value % RAWLINK_SEQUENCE_NUMBERS; }

/* How far a is ahead of b: 0 to 511; 256 and more mean that it is behind. */
static inline unsigned rawlink_ahead(uint16_t a, uint16_t b) { return rawlink_seq(a - b); }

static inline bool rawlink_behind(uint16_t a, uint16_t b) {
  return rawlink_ahead(a, b) >= RAWLINK_SEQUENCE_NUMBERS / 2;
}

/* Writes Ethernet and control header: RAWLINK_HEADER_BYTES. */
void rawlink_put_header(uint8_t *frame, const uint8_t destination[6], const uint8_t source[6],
                        uint16_t ether_type, const rawlink_header *header);

/* Reads the control header behind an Ethernet header. */
void rawlink_get_header(const uint8_t *frame, rawlink_header *header);

typedef enum {
  RAWLINK_DELIVER,
  RAWLINK_DROP_NO_APP,
  RAWLINK_DROP_NO_CONNECTION,
  RAWLINK_DROP_TABLE_FULL,
  RAWLINK_DROP_DUPLICATE,
  RAWLINK_DROP_GAP,
  RAWLINK_DROP_IN_USE
} rawlink_fate;

typedef struct {
  rawlink_fate fate;
  bool open;          /* a new connection */
  bool datagram;      /* delivered without one */
  unsigned lost;      /* frames that were skipped */
  int answer;         /* RAWLINK_ACK or RAWLINK_REFUSAL, for who asks for it */
  uint8_t reason;     /* of a refusal */
  uint16_t answer_seq;
} rawlink_verdict;

/* A frame of data. known: its key has an entry, which is active or remembers a connection that was
 * closed; room: there may be another one. */
rawlink_verdict rawlink_judge(const rawlink_header *header, bool app_exists, bool known,
                              bool active, uint16_t expected, bool room);

#endif
