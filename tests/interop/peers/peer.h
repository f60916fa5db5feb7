/* SPDX-License-Identifier: Apache-2.0 */

/* A TCP/IP stack that is not ours, as a host on an Ethernet link and with its time from outside.
 *
 * Each shared object that implements this is one stack. A host has one address and one TCP
 * connection, which it opens or which it waits for. Nothing happens between calls: frames that are
 * put, time that passes and what the application does take effect in toehold_peer_poll. With the
 * same settings and the same calls, a host does the same each time.
 *
 * One host in a process at a time, used from one thread.
 */

#ifndef TOEHOLD_PEER_H
#define TOEHOLD_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function or a structure changes. */
#define TOEHOLD_PEER_INTERFACE 1

#define TOEHOLD_PEER_NEVER UINT64_MAX

enum toehold_peer_state {
  TOEHOLD_PEER_OPENING = 0, /* waits for a connection, or for its own to be answered */
  TOEHOLD_PEER_OPEN = 1,    /* bytes may flow in at least one direction */
  TOEHOLD_PEER_CLOSED = 2,  /* both sides have closed, and it was acknowledged */
  TOEHOLD_PEER_FAILED = 3   /* refused, reset or given up */
};

typedef struct {
  uint8_t mac[6];
  uint8_t reserved[2];
  uint32_t ip;     /* 10.77.0.1 is 0x0a4d0001 */
  uint32_t prefix; /* bits of the network's part of the address */
  uint64_t seed;   /* of all that the stack draws: sequence numbers, ports */
} toehold_peer_settings;

typedef struct toehold_peer toehold_peer;

#ifndef TOEHOLD_PEER_TYPES_ONLY

/* TOEHOLD_PEER_INTERFACE of the library. */
int toehold_peer_interface(void);

/* A host at time 0, or NULL. */
toehold_peer *toehold_peer_create(const toehold_peer_settings *settings);
void toehold_peer_destroy(toehold_peer *peer);

/* Waits for a connection to `port`, takes the first and no more: 0, or -1. */
int toehold_peer_listen(toehold_peer *peer, uint16_t port);

/* Opens a connection: 0, or -1. */
int toehold_peer_connect(toehold_peer *peer, uint32_t ip, uint16_t port);

/* A frame arrives: from the destination MAC address, without FCS. */
void toehold_peer_put_frame(toehold_peer *peer, const void *bytes, size_t length);

/* Takes the oldest frame that the host sent: its length, 0 when there is none or it does not fit
 * (1514 bytes are enough). */
size_t toehold_peer_take_frame(toehold_peer *peer, void *bytes, size_t capacity);

/* Does all that there is to do until `now_us`, which never runs backwards. Returns when it must be
 * called again if nothing else happens before: a time after `now_us`, or TOEHOLD_PEER_NEVER. */
uint64_t toehold_peer_poll(toehold_peer *peer, uint64_t now_us);

/* Gives bytes to send: how many of them were taken. */
size_t toehold_peer_write(toehold_peer *peer, const void *bytes, size_t length);

/* Takes bytes that arrived: how many, 0 when there are none now, -1 when there will be none. */
int64_t toehold_peer_read(toehold_peer *peer, void *bytes, size_t capacity);

/* No more bytes to send: a FIN follows those that were written. */
void toehold_peer_close(toehold_peer *peer);

enum toehold_peer_state toehold_peer_get_state(const toehold_peer *peer);

#endif

#ifdef __cplusplus
}
#endif

#endif
