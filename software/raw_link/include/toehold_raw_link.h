/* SPDX-License-Identifier: Apache-2.0 */

/* The raw link in software: connections straight on Ethernet frames (docs/raw_link.md), by
 * AF_PACKET. Link with `pkg-config --cflags --libs toehold-raw-link`. Needs CAP_NET_RAW.
 *
 * A link is one interface of this machine. Two threads serve it: one sends, and sends again what is
 * not acknowledged; the other receives. Every function may be called from any thread, but of one
 * connection only one thread at a time may call rawlink_disconnect, and nobody anything behind it.
 *
 * Functions return -1, or NULL, with errno. Timeouts are in milliseconds; negative: wait for ever.
 * Sizes are bytes.
 */

#ifndef TOEHOLD_RAW_LINK_H
#define TOEHOLD_RAW_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAWLINK_ETHER_TYPE 0x88b5
#define RAWLINK_HEADER_BYTES 19  /* Ethernet header included */
#define RAWLINK_MIN_FRAME_BYTES 60
#define RAWLINK_MAX_DATA_BYTES 16383
#define RAWLINK_APPS 4

typedef struct rawlink rawlink;
typedef struct rawlink_connection rawlink_connection;

/* What this end does to the frames that it sends, for tests; probabilities 0 to 1. What is
 * corrupted is not sent at all, as the FCS would have it. */
typedef struct {
  double loss, reorder, duplicate, corrupt;
  uint64_t seed;
} rawlink_impairment;

typedef struct {
  uint16_t ether_type;
  bool listen;                /* take connections that others open */
  unsigned max_connections;   /* opened by others, at once */
  unsigned apps;              /* applications that there are: UIApp 0 to apps - 1 */
  unsigned window_frames;     /* of a connection, on their way: 1 to 255 */
  size_t window_bytes;        /* of them, data; one frame is always allowed */
  unsigned receive_frames;    /* of a connection, waiting to be received */
  unsigned retries;           /* then a connection is given up: ETIMEDOUT */
  unsigned retransmit_min_us; /* the time follows what is measured, between these */
  unsigned retransmit_max_us;
  rawlink_impairment impairment;
} rawlink_options;

/* Each frame that comes in is counted under one of delivered, acknowledgements_in, refusals_in and
 * the drops. lost: frames that were noticed to be missing, where nobody asked for them again. */
typedef struct {
  uint64_t rx_frames, delivered, acknowledgements_in, refusals_in;
  uint64_t drop_runt, drop_size, drop_action, drop_no_app, drop_no_connection, drop_table_full;
  uint64_t drop_duplicate, drop_gap, drop_in_use, drop_overflow;
  uint64_t lost, opened, closed;
  uint64_t tx_frames, acknowledgements_out, refusals_out, retransmitted, timeouts, send_errors;
  uint64_t impaired_lost, impaired_reordered, impaired_duplicated, impaired_corrupted;
} rawlink_statistics;

void rawlink_default_options(rawlink_options *options);

/* NULL for options: the default ones. Errors: those of socket(2), bind(2) and pthread_create(3);
 * EINVAL for options out of range. */
rawlink *rawlink_open(const char *interface, const rawlink_options *options);

/* Ends the threads and all connections without a word to their peers. */
void rawlink_close(rawlink *link);

/* Its address: 6 bytes. */
const uint8_t *rawlink_mac(const rawlink *link);

void rawlink_get_statistics(rawlink *link, rawlink_statistics *statistics);

/* Opens a connection to an application of the machine with that address. reliable: each frame asks
 * for acknowledgement and is sent until it has it; otherwise each is sent once.
 * Errors: ETIMEDOUT, ECONNREFUSED (no such application), ENOBUFS (its table is full), EADDRINUSE
 * (every CID that was tried is in use), EINVAL. */
rawlink_connection *rawlink_connect(rawlink *link, const uint8_t mac[6], unsigned app,
                                    bool reliable, int timeout_ms);

/* The next connection that somebody has opened; needs the option listen. What is sent on it is
 * acknowledged if the peer asked for that with its first frame. Errors: ETIMEDOUT. */
rawlink_connection *rawlink_accept(rawlink *link, int timeout_ms);

/* Who is at the other end, and which application the connection is for. */
void rawlink_peer(const rawlink_connection *connection, uint8_t mac[6], unsigned *cid,
                  unsigned *app);

/* Sends a frame of 0 to 16,383 bytes; returns when there is room for it on its way, not when it is
 * there. Errors: ETIMEDOUT, EMSGSIZE, ECONNRESET (the peer has no such connection), EPIPE (it has
 * been given up), EDESTADDRREQ (a datagram has no connection to answer on). */
int rawlink_send(rawlink_connection *connection, const void *data, size_t size, int timeout_ms);

/* Waits until all that was sent has been acknowledged, or sent if nobody asked for that. */
int rawlink_flush(rawlink_connection *connection, int timeout_ms);

/* A frame with First and Last: no connection, sent once. */
int rawlink_send_datagram(rawlink *link, const uint8_t mac[6], unsigned app, const void *data,
                          size_t size);

/* The data of the next frame: its size, of which at most capacity bytes are in buffer. *last is set
 * if it was the peer's last frame (may be NULL). Errors: ETIMEDOUT, ECONNRESET, EPIPE; ENODATA
 * behind the last frame. */
ssize_t rawlink_receive(rawlink_connection *connection, void *buffer, size_t capacity, bool *last,
                        int timeout_ms);

/* The same of whichever connection has one, which is returned in *connection. Connections that
 * were opened by others need no rawlink_accept for it. */
ssize_t rawlink_receive_any(rawlink *link, rawlink_connection **connection, void *buffer,
                            size_t capacity, bool *last, int timeout_ms);

/* Sends what is still to be sent, says Last, waits until that is acknowledged and frees the
 * connection; it is freed on errors, too. Errors: ETIMEDOUT, ECONNRESET, EPIPE. */
int rawlink_disconnect(rawlink_connection *connection, int timeout_ms);

/* "02:54:4f:45:00:01" to 6 bytes. Errors: EINVAL. */
int rawlink_parse_mac(const char *text, uint8_t mac[6]);

#ifdef __cplusplus
}
#endif

#endif
