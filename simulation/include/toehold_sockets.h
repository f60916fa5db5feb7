/* SPDX-License-Identifier: Apache-2.0 */

/* Toehold simulated, as sockets in virtual time.
 *
 * Three things that fit together, on top of toehold_sim.h:
 *
 *   link     carries frames between two ports, with loss, delay and the like, and lets the time of
 *            both pass together
 *   port     what a link has at each end: an engine, sockets on an engine, or anything else that
 *            takes and gives Ethernet frames (functions that the caller supplies)
 *   sockets  BSD's calls on one engine; its TCP is the RTL
 *
 *   toehold_sockets *a = toehold_sockets_create(sim_a), *b = toehold_sockets_create(sim_b);
 *   toehold_port end_a = toehold_sockets_port(a), end_b = toehold_sockets_port(b);
 *   toehold_link *link = toehold_link_create(&end_a, &end_b, NULL, NULL, 1);
 *
 * Time is virtual: it passes only inside the calls that say so, and what is idle is passed over
 * (toehold_sim_run_until). The same program with the same seed does the same each time. Times are in
 * microseconds. Nothing here may be used from two threads at once; what shares no link may.
 *
 * Functions that return int or int64_t return what they say, or a negative error below.
 */

#ifndef TOEHOLD_SOCKETS_H
#define TOEHOLD_SOCKETS_H

#include "toehold_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Errors have Linux's numbers, negative, on every host. */
enum toehold_error {
  TOEHOLD_EAGAIN = -11,          /* would block; or the socket's time-out passed */
  TOEHOLD_EINVAL = -22,          /* an argument makes no sense, or not for this socket */
  TOEHOLD_EPIPE = -32,           /* closed for writing */
  TOEHOLD_EDEADLK = -35,         /* waiting would never end: nothing is under way, no timer runs */
  TOEHOLD_EPROTO = -71,          /* the engine broke a rule of its application interface */
  TOEHOLD_EMFILE = -24,          /* too many calls of this engine are under way */
  TOEHOLD_ENOPROTOOPT = -92,     /* no such option; not in this configuration */
  TOEHOLD_EADDRINUSE = -98,
  TOEHOLD_EADDRNOTAVAIL = -99,   /* not the engine's address */
  TOEHOLD_ENETUNREACH = -101,    /* nobody can have that address */
  TOEHOLD_ECONNABORTED = -103,
  TOEHOLD_ECONNRESET = -104,
  TOEHOLD_ENOBUFS = -105,        /* the engine's tables are full */
  TOEHOLD_EISCONN = -106,
  TOEHOLD_ENOTCONN = -107,
  TOEHOLD_ETIMEDOUT = -110,      /* the peer did not answer */
  TOEHOLD_ECONNREFUSED = -111,
  TOEHOLD_EALREADY = -114,
  TOEHOLD_EINPROGRESS = -115
};

/* A word or two on an error of this header. Never NULL. */
const char *toehold_strerror(int error);

/* ---- Ports --------------------------------------------------------------------------------- */

/* Results of run_until, together where both hold. */
#define TOEHOLD_RUN_FRAME 1 /* a frame can be taken */
#define TOEHOLD_RUN_NEWS 2  /* the port's owner has something to look at: the link returns */

/* What moves a port and all that it is connected to. */
typedef struct {
  void *context;
  /* As toehold_link_run_until. */
  int (*run_until)(void *context, uint64_t time_us);
  /* When anything will happen next, UINT64_MAX for never. */
  uint64_t (*next_us)(void *context);
} toehold_world;

/* One end of a link. Any function but put_frame and take_frame may be NULL: such a port only
 * reacts, and its time is the link's. To plug in a stack of your own, fill this in. */
typedef struct {
  void *context;
  /* A frame arrives at `time_us`, without FCS. Flags: TOEHOLD_SIM_FRAME_BAD_FCS. */
  void (*put_frame)(void *context, const void *bytes, size_t length, unsigned flags,
                    uint64_t time_us);
  /* The oldest frame that the port sends: its length, with `time_us` the time at which it left, not
   * before the one before it; 0 when there is none. At most `capacity` bytes (65536). */
  size_t (*take_frame)(void *context, void *bytes, size_t capacity, uint64_t *time_us);
  /* Lets time pass until `time_us`. TOEHOLD_RUN_*, earlier than that when a frame can be taken; it is
   * called again then. 0 when the time has come, or a negative error. */
  int (*run_until)(void *context, uint64_t time_us);
  /* When the port will next do something by itself: in the past or now if it is at work, UINT64_MAX
   * for never. */
  uint64_t (*next_deadline_us)(void *context);
  /* The time up to which the port has come. */
  uint64_t (*time_us)(void *context);
  /* The port was connected (what moves it from now on), or disconnected (NULL). */
  void (*connected)(void *context, const toehold_world *world);
} toehold_port;

/* An engine alone: its application interface stays the caller's, who gets control (news) whenever
 * something can be taken from it. */
toehold_port toehold_sim_port(toehold_sim *sim);

/* ---- Links --------------------------------------------------------------------------------- */

typedef struct toehold_link toehold_link;

/* How one direction misbehaves; all zero is a perfect one. Probabilities are 0 to 1, for each frame
 * on its own, drawn from the link's seed. */
typedef struct {
  double loss;
  double reorder;   /* is overtaken by one to three later frames */
  double duplicate;
  double corrupt;   /* one bit behind the Ethernet header is flipped and the FCS does not tell */
  uint64_t delay_us;
  uint64_t rate_bps;          /* 0: takes no time. Preamble, FCS and gap count */
  uint32_t queue_frames;      /* that may wait for the link when it has a rate; 0: 1000 */
  uint32_t corrupt_marks_fcs; /* not 0: corrupted frames arrive marked as such */
  uint64_t reorder_hold_us;   /* how late a reordered frame is if nothing overtakes it; 0: 1000 */
} toehold_link_settings;

typedef struct {
  uint64_t frames_in, bytes_in, frames_out, bytes_out;
  uint64_t lost, reordered, duplicated, corrupted, queue_dropped;
} toehold_link_counters;

enum toehold_link_direction { TOEHOLD_LINK_A_TO_B = 0, TOEHOLD_LINK_B_TO_A = 1 };

/* Connects two ports, which are copied; what they stand for must live longer than the link. NULL
 * settings are perfect. NULL when memory or sense is missing (a probability beyond 1). The link's
 * time begins at the later time of its ports, or 0. */
toehold_link *toehold_link_create(const toehold_port *a, const toehold_port *b,
                                  const toehold_link_settings *a_to_b,
                                  const toehold_link_settings *b_to_a, uint64_t seed);
void toehold_link_destroy(toehold_link *link);

/* From now on, for frames that are sent later. */
int toehold_link_set(toehold_link *link, enum toehold_link_direction direction,
                     const toehold_link_settings *settings);
void toehold_link_get_counters(const toehold_link *link, enum toehold_link_direction direction,
                               toehold_link_counters *counters);

/* Sees every frame: as it was sent into the link (arrived 0) and as it comes out (arrived 1). Must not
 * call back into the link. NULL ends it. */
typedef void (*toehold_link_observer)(void *context, enum toehold_link_direction direction,
                                      int arrived, const void *bytes, size_t length,
                                      unsigned flags, uint64_t time_us);
void toehold_link_observe(toehold_link *link, toehold_link_observer observer, void *context);

/* Lets time pass until `time_us` for both ports. They never differ by more than a microsecond while
 * anything moves; a frame arrives at its time, at most that much late. 1 as soon as a port has
 * news, 0 when the time has come, or the negative error of a port. */
int toehold_link_run_until(toehold_link *link, uint64_t time_us);

uint64_t toehold_link_time_us(const toehold_link *link);

/* When anything will happen next at the ports or on the link; UINT64_MAX for never. */
uint64_t toehold_link_next_us(const toehold_link *link);

/* ---- Sockets of an engine ------------------------------------------------------------------ */

typedef struct toehold_sockets toehold_sockets;
typedef struct toehold_socket toehold_socket;

/* Takes over the application interface of `sim` (its commands, events, statuses, data and grant
 * callback); its frames, registers and time may still be used. Switch the engine's own applications
 * on only for ports that no socket needs. `sim` must live longer. */
toehold_sockets *toehold_sockets_create(toehold_sim *sim);

/* Forgets all sockets; connections stay as they are in the engine. */
void toehold_sockets_destroy(toehold_sockets *sockets);

/* Sets the engine's own address; NULL and 0 leave a part as it is. Addresses as numbers: 10.77.0.1
 * is 0x0a4d0001. */
int toehold_sockets_set_address(toehold_sockets *sockets, const uint8_t mac[6], uint32_t ip,
                                uint32_t netmask, uint32_t gateway);

/* The engine with its sockets as one end of a link. Without a link, blocking calls advance this
 * engine alone, and its frames wait in toehold_sim_take_frame. */
toehold_port toehold_sockets_port(toehold_sockets *sockets);

uint64_t toehold_sockets_time_us(const toehold_sockets *sockets);

/* Lets time pass until `time_us` for the engine and all that it is connected to; 1 as soon as
 * something has happened to a socket of this engine or the other, 0 when the time has come. */
int toehold_sockets_run_until(toehold_sockets *sockets, uint64_t time_us);

typedef struct {
  uint32_t ip;
  uint16_t port;
} toehold_address;

/* A new socket, blocking. NULL only without memory. */
toehold_socket *toehold_socket_create(toehold_sockets *sockets);

/* The address to listen at or to connect from. `ip` is 0 or the engine's; `port` 0 lets the engine
 * choose (connect), or the library (listen). */
int toehold_bind(toehold_socket *socket, toehold_address address);

/* Accepts connections to the bound port. Advances by the clocks that the engine takes to answer. The
 * engine completes handshakes by itself; a connection that finds `backlog` (at least 1) others
 * waiting for accept is reset. */
int toehold_listen(toehold_socket *socket, int backlog);

/* The oldest connection that waits, as a new blocking socket with the listener's options. */
int toehold_accept(toehold_socket *socket, toehold_socket **accepted);

/* Opens a connection. Non-blocking: EINPROGRESS; writable when it is there or has failed, and
 * TOEHOLD_OPTION_ERROR says which. */
int toehold_connect(toehold_socket *socket, toehold_address address);

/* Bytes read, at most `length`; 0 when the peer has closed and all is read. Data that came before a
 * reset is read before the error is seen. */
int64_t toehold_read(toehold_socket *socket, void *bytes, size_t length);

/* Bytes taken. Non-blocking: as many as the send buffer has room for, which is the engine's ring;
 * bytes leave it when the peer has acknowledged them. Blocking: all, or as many as could be taken
 * before the time-out or an error. */
int64_t toehold_write(toehold_socket *socket, const void *bytes, size_t length);

enum toehold_shutdown_how { TOEHOLD_SHUT_RD = 0, TOEHOLD_SHUT_WR = 1, TOEHOLD_SHUT_RDWR = 2 };

/* RD: what has come and will come is thrown away. WR: the FIN follows what has been written. */
int toehold_shutdown(toehold_socket *socket, enum toehold_shutdown_how how);

/* Frees the socket; it must not be used any more. Does not block: what has been written and the FIN
 * are still sent while time passes. As with Linux, the connection is reset instead when there is
 * data that nobody has read, or when data comes afterwards; and with TOEHOLD_OPTION_ABORT. A
 * listener resets the connections that wait for accept, and its port is free at once. */
int toehold_close(toehold_socket *socket);

/* ---- Options ------------------------------------------------------------------------------- */

enum toehold_option {
  /* Of the engine, by CommandSetOption. Before there is a connection they are kept until then;
   * with one, setting advances by the clocks that the engine takes to answer, and is ENOPROTOOPT
   * where the configuration has no such option. Values read back are those that were set. */
  TOEHOLD_OPTION_NODELAY = 1,         /* 1: small segments do not wait (no Nagle) */
  TOEHOLD_OPTION_KEEPALIVE = 2,       /* 1: an idle peer is probed */
  TOEHOLD_OPTION_USER_TIMEOUT_US = 3, /* rounded up to the engine's unit of 2^17 us; 0: none */
  TOEHOLD_OPTION_QUICKACK = 4,        /* 1: acknowledgements are not delayed */
  TOEHOLD_OPTION_DSCP = 5,            /* Diffserv code point, 0 to 63, of what is sent afterwards */

  /* Of the library. */
  TOEHOLD_OPTION_NONBLOCK = 16,
  TOEHOLD_OPTION_TIMEOUT_US = 17,     /* of blocking calls, 600 s at first; EAGAIN after it, or
                                       * ETIMEDOUT from connect, which goes on */
  TOEHOLD_OPTION_RECEIVE_BUFFER = 18, /* bytes taken from the engine before they are read, 32768 at
                                       * first, at least 1: beyond, they hold the window */
  TOEHOLD_OPTION_ABORT = 19,          /* 1: close resets the connection */

  /* To be read alone. */
  TOEHOLD_OPTION_SEND_BUFFER = 32,    /* bytes of the engine's transmit ring */
  TOEHOLD_OPTION_RECEIVE_WINDOW = 33, /* bytes of its receive ring, the largest window */
  TOEHOLD_OPTION_ERROR = 34,          /* the pending error, 0 or negative; reading clears it */
  TOEHOLD_OPTION_READABLE = 35,       /* bytes that can be read at once */
  TOEHOLD_OPTION_WRITABLE = 36,       /* bytes that can be written at once */
  TOEHOLD_OPTION_UNACKNOWLEDGED = 37, /* bytes written that the peer has not acknowledged */

  /* The same, of the connection as the engine has it now, by CommandQuery: reading advances by the
   * clocks that the engine takes to answer. ENOTCONN before there is one, and after its end. */
  TOEHOLD_OPTION_STATE = 64,         /* tcp_state_e: 3 is ESTABLISHED */
  TOEHOLD_OPTION_MSS = 66,           /* bytes of the largest segment sent */
  TOEHOLD_OPTION_SRTT_US = 67,       /* smoothed round-trip time; 0: none measured yet */
  TOEHOLD_OPTION_RTTVAR_US = 68,     /* its variation */
  TOEHOLD_OPTION_RTO_US = 69,        /* retransmission timeout */
  TOEHOLD_OPTION_CWND = 70,          /* bytes of the congestion window */
  TOEHOLD_OPTION_SSTHRESH = 71,      /* slow start threshold */
  TOEHOLD_OPTION_IN_FLIGHT = 72,     /* bytes sent and not acknowledged */
  TOEHOLD_OPTION_PEER_WINDOW = 74,   /* bytes that the peer offers */
  TOEHOLD_OPTION_RETRANSMITTED = 76, /* segments sent again; these three stay at 65535 */
  TOEHOLD_OPTION_STORED = 77,        /* segments received beyond a gap */
  TOEHOLD_OPTION_TIMEOUTS = 78       /* of the retransmission timer */
};

int toehold_set_option(toehold_socket *socket, enum toehold_option option, int64_t value);
int toehold_get_option(const toehold_socket *socket, enum toehold_option option, int64_t *value);

int toehold_local_address(const toehold_socket *socket, toehold_address *address);
/* ENOTCONN when there is no connection yet. */
int toehold_peer_address(const toehold_socket *socket, toehold_address *address);

/* ---- Waiting for several ------------------------------------------------------------------- */

#define TOEHOLD_POLLIN 1u   /* read or accept would not block: data, end, error, a connection */
#define TOEHOLD_POLLOUT 2u  /* write would not block */
#define TOEHOLD_POLLERR 4u  /* there is an error; always looked for */
#define TOEHOLD_POLLHUP 8u  /* both directions are over; always looked for */

typedef struct {
  toehold_socket *socket; /* NULL entries are passed over */
  unsigned events;
  unsigned revents;
} toehold_pollfd;

/* Lets time pass until a socket is ready or `timeout_us` has passed: how many are. 0 only looks;
 * negative for no end: EDEADLK when nothing will ever happen. All sockets must be of one engine, or of
 * the two of a link. */
int toehold_poll(toehold_pollfd *sockets, size_t count, int64_t timeout_us);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
