/* SPDX-License-Identifier: Apache-2.0 */

/* A load for a simulated engine: up to millions of emulated TCP clients at the other end of the wire.
 *
 * Clients connect to the engine's own applications, exchange bytes with them, check every byte that
 * comes back, and close. What they do is told in tasks: a task is a number of turns, each of a client
 * that is chosen by a rule; tasks that are started together run together.
 *
 *   toehold_load_settings settings = {.clients = 1000};
 *   toehold_load *load = toehold_load_create(sim, &settings, NULL, 0);
 *   toehold_load_task open = {.steps = TOEHOLD_LOAD_OPEN, .turns = 1000};
 *   int task = toehold_load_start(load, &open);
 *   toehold_load_run(load, 10000000);
 *
 * A client is a correct sender without congestion control and a receiver that keeps nothing out of
 * order; it sends again what is not acknowledged in time. Time has to follow the clocks
 * (TOEHOLD_SIM_TIME_CYCLES), and nothing else may give or take frames meanwhile, or use the application
 * interface once there are clients of the kind PUSH. Functions return 0
 * or what they say, or one of TOEHOLD_SIM_ERROR_*, with the sentence in toehold_load_error. */

#ifndef TOEHOLD_LOAD_H
#define TOEHOLD_LOAD_H

#include "toehold_sim.h"
#include "toehold_sockets.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef struct toehold_load toehold_load;

/* A field that is 0 has the value in brackets. */
typedef struct {
  uint64_t seed;
  uint32_t clients;       /* [1] at most 12 million */
  uint32_t mss;           /* [1460] that the clients tell */
  uint32_t odd_mss;       /* [mss] that each second client tells, the first one not */
  uint32_t window;        /* [65535] that the clients tell at most */
  uint32_t ack_every;     /* [2] segments; 1: each is acknowledged at once */
  uint32_t ack_delay_us;  /* [200] how long an acknowledgement waits for the next segment */
  uint32_t retransmit_us; /* [200000] */
  const toehold_link_settings *to_engine, *from_engine; /* [NULL] a link that does no harm */
} toehold_load_settings;

/* The clients have addresses from 10.77.0.16 on (in the engine's network) and ports from 1024 on.
 * NULL and a sentence in `error` when settings make no sense or the engine does not answer ARP. */
toehold_load *toehold_load_create(toehold_sim *sim, const toehold_load_settings *settings, char *error,
                                  size_t error_bytes);
void toehold_load_destroy(toehold_load *load);
const char *toehold_load_error(const toehold_load *load);

/* What a client is to the application that it connects to. */
enum toehold_load_kind {
  TOEHOLD_LOAD_ECHO = 0,   /* a turn sends bytes and gets them back */
  TOEHOLD_LOAD_SEND = 1,   /* a turn sends bytes, and ends when they are acknowledged */
  TOEHOLD_LOAD_RECEIVE = 2,/* a turn opens the window by so many bytes of the pattern of RFC 864 */
  TOEHOLD_LOAD_PUSH = 3    /* in a turn the load itself, as the application beside the engine, gives the
                            * engine so many bytes of that pattern; it ends when the client has them */
};

/* What a turn consists of, in this order. */
enum toehold_load_step {
  TOEHOLD_LOAD_OPEN = 1,
  TOEHOLD_LOAD_EXCHANGE = 2,
  TOEHOLD_LOAD_CLOSE = 4, /* by FIN */
  TOEHOLD_LOAD_RESET = 8  /* by RST */
};

enum toehold_load_choice {
  TOEHOLD_LOAD_ROUND_ROBIN = 0,
  TOEHOLD_LOAD_UNIFORM = 1,
  TOEHOLD_LOAD_ZIPF = 2,
  TOEHOLD_LOAD_SHUFFLED = 3 /* each once in every round, in random order */
};

/* A field that is 0 has the value in brackets. */
typedef struct {
  uint32_t steps;          /* of toehold_load_step, together */
  uint32_t kind;           /* of clients that it opens */
  uint32_t port;           /* [7, 9, 19 or 2000, by the kind] of the engine, for clients that it opens */
  uint32_t first, count;   /* [all] clients it chooses from */
  uint32_t at_once;        /* [1] turns under way, at most */
  uint64_t turns;          /* [count] */
  uint32_t choice;         /* of toehold_load_choice */
  uint32_t bytes;          /* [1] of an exchange */
  double exponent;         /* of Zipf's law */
  double turns_per_second; /* [no limit] of simulated time */
} toehold_load_task;

/* The number of the task, from 0 on. */
int toehold_load_start(toehold_load *load, const toehold_load_task *task);

/* Simulates until all tasks are done: 1, or 0 after `most_clocks`. */
int toehold_load_run(toehold_load *load, uint64_t most_clocks);

typedef struct {
  uint64_t begun, done;              /* turns */
  uint64_t failed;                   /* of those done: their connection was refused or lost */
  uint64_t begin_clock, end_clock;   /* of the first turn and the last one */
  uint64_t middle_begin_clock, middle_end_clock, middle_turns; /* the turns from 1/8 to 7/8 */
  /* From the first beat of the frame that begins a turn to the first beat of the first frame that
   * answers it; turns of a client that had one under way already, and all with a link, are left out. */
  uint64_t latency_turns, latency_minimum, latency_median, latency_p999, latency_maximum;
} toehold_load_report;

int toehold_load_get_report(const toehold_load *load, int task, toehold_load_report *report);

typedef struct {
  uint64_t frames_in, frames_out;    /* the engine's point of view */
  uint64_t established, closed;
  uint64_t refused;                  /* RST instead of a connection */
  uint64_t lost;                     /* connections that were reset by the engine or never answered */
  uint64_t bytes_sent;               /* and acknowledged */
  uint64_t bytes_received;           /* in order */
  uint64_t wrong_bytes;
  uint64_t bad_frames;               /* neither ARP nor a sound segment for a client */
  uint64_t beyond_window;            /* segments */
  uint64_t out_of_order, retransmissions;
  uint64_t connected;                /* now */
} toehold_load_counters;

void toehold_load_get_counters(const toehold_load *load, toehold_load_counters *counters);

/* Bytes sent and acknowledged, and received, of each of `count` clients' present connections. */
int toehold_load_get_service(const toehold_load *load, uint32_t first, uint32_t count,
                             uint64_t *bytes);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
