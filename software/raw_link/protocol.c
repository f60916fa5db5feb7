/* SPDX-License-Identifier: Apache-2.0 */

#include "protocol.h"

#include <string.h>

void rawlink_put_header(uint8_t *frame, const uint8_t destination[6], const uint8_t source[6],
                        uint16_t ether_type, const rawlink_header *header) {
  memcpy(frame, destination, 6);
  memcpy(frame + 6, source, 6);
  frame[12] = (uint8_t)(ether_type >> 8);
  frame[13] = (uint8_t)ether_type;
  frame[14] = header->cid;
  frame[15] = (uint8_t)(header->first << 7 | header->ack << 6 | (header->action & 3) << 4 |
                        (header->app & 3) << 2 | header->last << 1 | (header->seq & 1));
  frame[16] = (uint8_t)(header->seq >> 1);
  frame[17] = (uint8_t)(header->size >> 8 & 0x3f);
  frame[18] = (uint8_t)header->size;
}

void rawlink_get_header(const uint8_t *frame, rawlink_header *header) {
  const uint8_t flags = frame[15];
  header->cid = frame[14];
  header->first = flags >> 7 & 1;
  header->ack = flags >> 6 & 1;
  header->action = flags >> 4 & 3;
  header->app = flags >> 2 & 3;
  header->last = flags >> 1 & 1;
  header->seq = (uint16_t)(frame[16] << 1 | (flags & 1));
  header->size = (uint16_t)((frame[17] & 0x3f) << 8 | frame[18]);
}

static rawlink_verdict refuse(rawlink_fate fate, uint8_t reason, uint16_t seq) {
  return (rawlink_verdict){
      .fate = fate, .answer = RAWLINK_REFUSAL, .reason = reason, .answer_seq = seq};
}

static rawlink_verdict repeat_ack(rawlink_fate fate, uint16_t expected) {
  return (rawlink_verdict){
      .fate = fate, .answer = RAWLINK_ACK, .answer_seq = rawlink_seq(expected - 1u)};
}

rawlink_verdict rawlink_judge(const rawlink_header *header, bool app_exists, bool known,
                              bool active, uint16_t expected, bool room) {
  const uint16_t wanted = known ? expected : header->seq;
  const unsigned ahead = known ? rawlink_ahead(header->seq, expected) : 0;
  active = active && known;

  if (!app_exists) return refuse(RAWLINK_DROP_NO_APP, RAWLINK_NO_CONNECTION, wanted);
  if (known && rawlink_behind(header->seq, expected)) {
    if (header->first && !active) return refuse(RAWLINK_DROP_DUPLICATE, RAWLINK_OLD_FIRST, wanted);
    return repeat_ack(RAWLINK_DROP_DUPLICATE, expected);
  }
  if (active && header->first) return refuse(RAWLINK_DROP_IN_USE, RAWLINK_IN_USE, wanted);
  if (active && header->ack && ahead != 0) return repeat_ack(RAWLINK_DROP_GAP, expected);
  if (!active && !header->first) {
    return refuse(RAWLINK_DROP_NO_CONNECTION, RAWLINK_NO_CONNECTION, wanted);
  }
  const bool datagram = !active && header->last;
  if (!active && !datagram && !room) {
    return refuse(RAWLINK_DROP_TABLE_FULL, RAWLINK_TABLE_FULL, wanted);
  }
  return (rawlink_verdict){.fate = RAWLINK_DELIVER,
                           .open = !active && !datagram,
                           .datagram = datagram,
                           .lost = active ? ahead : 0,
                           .answer = RAWLINK_ACK,
                           .answer_seq = header->seq};
}
