/* SPDX-License-Identifier: Apache-2.0 */

/* Toehold simulated: the RTL as a library with a C interface.
 *
 * One shared object holds one configuration of the engine (a preset and a data width, see
 * toehold_sim_preset and toehold_sim_data_width); a process may create as many engines of it as
 * it likes. The library starts no thread, opens no file (but waveforms when asked) and no device.
 * An engine must not be used from two threads at once; different engines may.
 *
 * Nothing happens between calls: simulated clocks pass only inside the functions whose comment
 * says so. Functions that return int return 0, or what they say, or one of TOEHOLD_SIM_ERROR_*;
 * toehold_sim_error has the sentence.
 */

#ifndef TOEHOLD_SIM_H
#define TOEHOLD_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All functions below are visible outside the shared object, and nothing else is. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Raised when a function or a structure changes in a way that breaks callers. */
#define TOEHOLD_SIM_INTERFACE 1

enum toehold_sim_status {
  TOEHOLD_SIM_OK = 0,
  TOEHOLD_SIM_ERROR_ARGUMENT = -1,    /* an argument makes no sense */
  TOEHOLD_SIM_ERROR_BUS = -2,         /* AXI4-Lite answered with an error */
  TOEHOLD_SIM_ERROR_TIMEOUT = -3,     /* the engine did not answer in time */
  TOEHOLD_SIM_ERROR_UNSUPPORTED = -4, /* not in this build */
  TOEHOLD_SIM_ERROR_FILE = -5,        /* a file could not be written */
  TOEHOLD_SIM_ERROR_SPACE = -6        /* the buffer given is too small */
};

typedef struct toehold_sim toehold_sim;

/* ---- What this library is ------------------------------------------------------------------ */

/* TOEHOLD_SIM_INTERFACE of the library. */
int toehold_sim_interface(void);

/* Name of the preset, "small" for example. */
const char *toehold_sim_preset(void);

/* Width of the data path in bits. */
unsigned toehold_sim_data_width(void);

/* 1 when waveforms can be written. */
int toehold_sim_can_write_waves(void);

/* ---- Engines ------------------------------------------------------------------------------- */

/* A new engine, reset, at clock 0 and time 0, 8 ns a clock, time by cycles, all on-chip
 * applications off. Preset and width must be those of the library; NULL and 0 take them as they
 * are. NULL on failure, with the reason in `error` (when not NULL, at most `error_bytes`). */
toehold_sim *toehold_sim_create(const char *preset, unsigned data_width, char *error,
                                size_t error_bytes);
void toehold_sim_destroy(toehold_sim *sim);

/* The sentence for the last error of this engine; empty when there was none. */
const char *toehold_sim_error(const toehold_sim *sim);

/* Holds reset for some clocks. Forgets all frames and messages that wait in the library; clock
 * count and time go on. */
void toehold_sim_reset(toehold_sim *sim);

/* Bit mask of on-chip applications: 1 echo, 2 discard, 4 source, 8 http, 16 key-value. */
void toehold_sim_enable_applications(toehold_sim *sim, unsigned mask);

/* ---- Clocks and time ----------------------------------------------------------------------- */

enum toehold_sim_time_mode {
  TOEHOLD_SIM_TIME_CYCLES = 0,  /* time follows the clocks */
  TOEHOLD_SIM_TIME_WALL = 1,    /* time follows CLOCK_MONOTONIC while clocks are simulated */
  TOEHOLD_SIM_TIME_STEPPED = 2  /* time stands still but for toehold_sim_set_time */
};

/* Time never runs backwards when the mode changes. */
int toehold_sim_set_time_mode(toehold_sim *sim, enum toehold_sim_time_mode mode);
enum toehold_sim_time_mode toehold_sim_get_time_mode(const toehold_sim *sim);

/* Length of a clock in picoseconds (6400 for 156.25 MHz). Also the unit of waveforms. */
int toehold_sim_set_clock_period(toehold_sim *sim, uint64_t picoseconds);

/* Sets the time in stepped mode; it may jump, but not backwards. */
int toehold_sim_set_time(toehold_sim *sim, uint64_t microseconds);

uint64_t toehold_sim_time_us(const toehold_sim *sim);
uint64_t toehold_sim_time_ns(const toehold_sim *sim);
uint64_t toehold_sim_clocks(const toehold_sim *sim);

/* Simulates that many clocks. */
void toehold_sim_advance(toehold_sim *sim, uint64_t clocks);

/* Simulates until `microseconds` is reached; 1 then, 0 when `most_clocks` passed before. In
 * stepped mode the time never comes by itself. */
int toehold_sim_advance_until(toehold_sim *sim, uint64_t microseconds, uint64_t most_clocks);

/* Simulates until nothing has moved at any port for `quiet_clocks`; 1 then, 0 when `most_clocks`
 * passed before. */
int toehold_sim_advance_until_idle(toehold_sim *sim, uint64_t quiet_clocks, uint64_t most_clocks);

/* Simulates until a frame, an event, a transmit status or received data can be taken; 1 then,
 * 0 when `most_clocks` passed before. */
int toehold_sim_advance_until_output(toehold_sim *sim, uint64_t most_clocks);

/* Runs until `microseconds`, and passes over time in which nothing can happen: no clocks are
 * simulated while the engine is settled (nothing waits, nothing is under way inside) and none of
 * its timers is due. 1 as soon as a frame, an event, a transmit status or received data can be
 * taken (at once if there is one), 0 when the time has come.
 *
 * By cycles, everything happens at the times at which it would without skipping. In stepped mode
 * time stands while anything is under way, as if the engine were infinitely fast, and goes on only
 * when it has settled. By the wall clock it is an error.
 *
 * Offers that the grant callback refuses do not keep time from passing: they are made again when
 * something else happens, or after toehold_sim_receive or toehold_sim_set_grant. */
int toehold_sim_run_until(toehold_sim *sim, uint64_t microseconds);

/* The same, for some kinds of output alone. */
#define TOEHOLD_SIM_OUTPUT_FRAME 1u
#define TOEHOLD_SIM_OUTPUT_APPLICATION 2u /* an event, a status or data */
int toehold_sim_run_until_output(toehold_sim *sim, uint64_t microseconds, unsigned kinds);

/* The kinds of output that can be taken now. */
unsigned toehold_sim_outputs(const toehold_sim *sim);

/* When the engine will next do something by itself: the present time while it is not settled,
 * UINT64_MAX when it is and no timer runs. A timer may turn out to have nothing to do. */
uint64_t toehold_sim_next_deadline_us(const toehold_sim *sim);

/* Clocks since something last moved at any port. */
uint64_t toehold_sim_quiet_clocks(const toehold_sim *sim);

/* ---- Frames -------------------------------------------------------------------------------- */

#define TOEHOLD_SIM_FRAME_BAD_FCS 1u /* the MAC found the frame check sequence wrong */

typedef struct {
  uint64_t length;      /* bytes without FCS */
  uint64_t time_us;     /* when the last beat passed */
  uint64_t first_clock; /* clock in which the first beat passed */
  uint64_t last_clock;  /* clock in which the last beat passed */
} toehold_sim_frame_info;

/* Queues a frame for the engine: from the destination MAC address, without FCS, at least 1 byte
 * and at most 65536. */
int toehold_sim_put_frame(toehold_sim *sim, const void *bytes, size_t length, unsigned flags);

/* As above, at `time_us`, or as soon as the frames before it have been taken. Of frames with the
 * same time, the first put comes first. */
int toehold_sim_put_frame_at(toehold_sim *sim, const void *bytes, size_t length, unsigned flags,
                             uint64_t time_us);

/* Frames that the engine has not taken completely, those whose time has not come included. */
size_t toehold_sim_frames_pending(const toehold_sim *sim);

/* What is known about the last frame that the engine took completely. */
void toehold_sim_last_frame_put(const toehold_sim *sim, toehold_sim_frame_info *info);

/* Takes the oldest frame that the engine sent: 1 with `bytes` and `info` (when not NULL) filled, 0
 * when there is none. TOEHOLD_SIM_ERROR_SPACE leaves it there, with its length in `info`. */
int toehold_sim_take_frame(toehold_sim *sim, void *bytes, size_t capacity,
                           toehold_sim_frame_info *info);

/* Shares, in percent, of clocks in which the library offers no beat to the engine although it has
 * one, and in which it takes none. Drawn from `seed`. */
int toehold_sim_set_pauses(toehold_sim *sim, unsigned idle_percent, unsigned stall_percent,
                           uint64_t seed);

/* Each frame, in and out, keeps its line busy for so many bytes more than its own: 24 for preamble,
 * FCS and gap. 0, as at first: frames follow without a gap. The line carries `bytes_per_clock`, 0 for as
 * many as the data path: 50 for 100 Gbit/s beside 512 bits at 250 MHz. */
int toehold_sim_set_line(toehold_sim *sim, unsigned overhead_bytes, unsigned bytes_per_clock);

/* ---- Registers ----------------------------------------------------------------------------- */

/* AXI4-Lite transfers; simulate the clocks that they take. Addresses are in bytes. */
int toehold_sim_read_register(toehold_sim *sim, uint32_t address, uint32_t *value);
int toehold_sim_write_register(toehold_sim *sim, uint32_t address, uint32_t value);

/* The register map as the RTL was built with: the number of fields that software can read without
 * an effect, and one of them by index. Names are
 * "counters_rx_frames", or "identity_version.major" where a register has several fields. */
typedef struct {
  const char *name;
  uint32_t address;
  unsigned low_bit;
  unsigned bits;
} toehold_sim_register;

size_t toehold_sim_register_count(void);
int toehold_sim_register_at(size_t index, toehold_sim_register *entry);

/* Reads a field by its name. */
int toehold_sim_read_field(toehold_sim *sim, const char *name, uint32_t *value);

/* Writes a field by its name; other fields of the register stay as they are. */
int toehold_sim_write_field(toehold_sim *sim, const char *name, uint32_t value);

/* ---- The application interface ------------------------------------------------------------- */

/* Values of the fields are those of rtl/packages/app_pkg.sv. */
enum toehold_sim_command_op {
  TOEHOLD_SIM_COMMAND_LISTEN = 0,
  TOEHOLD_SIM_COMMAND_UNLISTEN = 1,
  TOEHOLD_SIM_COMMAND_OPEN = 2,
  TOEHOLD_SIM_COMMAND_CLOSE = 3,
  TOEHOLD_SIM_COMMAND_ABORT = 4,
  TOEHOLD_SIM_COMMAND_SET_OPTION = 5,
  TOEHOLD_SIM_COMMAND_QUERY = 6 /* value: app_query_e; the result's value is the answer */
};

enum toehold_sim_event_kind {
  TOEHOLD_SIM_EVENT_RESULT = 0,
  TOEHOLD_SIM_EVENT_ACCEPTED = 1,
  TOEHOLD_SIM_EVENT_ACKED = 2,
  TOEHOLD_SIM_EVENT_PEER_CLOSED = 3,
  TOEHOLD_SIM_EVENT_CLOSED = 4,
  TOEHOLD_SIM_EVENT_RESET = 5,
  TOEHOLD_SIM_EVENT_TIMED_OUT = 6,
  TOEHOLD_SIM_EVENT_OPENED = 7,
  TOEHOLD_SIM_EVENT_NOTICE = 8 /* value: app_notice_e in the upper 8 bits, more of it below */
};

enum toehold_sim_result {
  TOEHOLD_SIM_RESULT_OK = 0,
  TOEHOLD_SIM_RESULT_NO_CONNECTION = 1,
  TOEHOLD_SIM_RESULT_NO_ROOM = 2,
  TOEHOLD_SIM_RESULT_IN_USE = 3,
  TOEHOLD_SIM_RESULT_CLOSING = 4,
  TOEHOLD_SIM_RESULT_UNSUPPORTED = 5
};

enum toehold_sim_transmit_error {
  TOEHOLD_SIM_TRANSMIT_OK = 0,
  TOEHOLD_SIM_TRANSMIT_NO_CONNECTION = 1,
  TOEHOLD_SIM_TRANSMIT_NO_SPACE = 2
};

typedef struct {
  uint8_t op; /* toehold_sim_command_op */
  uint8_t tag;
  uint16_t local_port;
  uint32_t session;
  uint32_t remote_ip; /* 10.77.0.1 is 0x0a4d0001 */
  uint16_t remote_port;
  uint16_t reserved; /* 0 */
  uint32_t value;
} toehold_sim_command;

typedef struct {
  uint8_t kind; /* toehold_sim_event_kind */
  uint8_t tag;
  uint8_t result; /* toehold_sim_result */
  uint8_t reserved;
  uint32_t session;
  uint16_t local_port;
  uint16_t remote_port;
  uint32_t remote_ip;
  uint32_t value;
  uint64_t clock; /* in which the event was taken */
} toehold_sim_event;

typedef struct {
  uint32_t session;
  uint32_t error; /* toehold_sim_transmit_error */
  uint32_t space; /* bytes that fit now */
  uint32_t length; /* that was asked for */
  uint64_t clock; /* in which the status was taken */
} toehold_sim_transmit_status;

typedef struct {
  uint64_t length; /* bytes */
  uint32_t session;
  uint32_t reserved;
  uint64_t first_clock; /* of the first beat */
  uint64_t last_clock;  /* of the last beat */
} toehold_sim_received_info;

/* Queues a command. */
int toehold_sim_put_command(toehold_sim *sim, const toehold_sim_command *command);

/* Takes the oldest event: 1, or 0 when there is none. */
int toehold_sim_take_event(toehold_sim *sim, toehold_sim_event *event);

/* How many of `length` bytes that the engine offers on `session` the application takes now; called
 * while clocks are simulated. Must not call back into the library. */
typedef uint16_t (*toehold_sim_grant)(void *context, uint32_t session, uint16_t length);

/* Without one, or with NULL, all that is offered is taken. */
void toehold_sim_set_grant(toehold_sim *sim, toehold_sim_grant grant, void *context);

/* Takes the oldest piece of received data, as the engine delivered it: 1, or 0 when there is none.
 * TOEHOLD_SIM_ERROR_SPACE leaves it there, with its length in `info`. */
int toehold_sim_receive(toehold_sim *sim, void *bytes, size_t capacity,
                        toehold_sim_received_info *info);

/* Queues a message of 1 to 65535 bytes. Asks the engine for room, waits for the status, and gives
 * the payload if the status allows it; messages go one after another. Each message gets one
 * status. A message that was refused is gone: send it again. */
int toehold_sim_send(toehold_sim *sim, uint32_t session, const void *bytes, size_t length);

/* For how many messages room is asked at once: 1 at first, so that each waits for the one before it. With
 * more, the room of those behind is asked while payload is on its way, as an application does that
 * keeps a line full. */
int toehold_sim_set_requests(toehold_sim *sim, unsigned requests);

/* Messages that wait or are being sent. */
size_t toehold_sim_messages_pending(const toehold_sim *sim);

/* Takes the oldest transmit status: 1, or 0 when there is none. */
int toehold_sim_take_transmit_status(toehold_sim *sim, toehold_sim_transmit_status *status);

/* Clocks in which the first and the last beat of the last message sent passed. */
void toehold_sim_last_message_sent(const toehold_sim *sim, uint64_t *first_clock,
                                   uint64_t *last_clock);

/* ---- Waveforms ----------------------------------------------------------------------------- */

/* Writes FST while the simulated time is at least `from_us` and less than `to_us`; UINT64_MAX for no
 * end. The time axis of the file is clock count times clock period. The file is complete after
 * toehold_sim_close_waves or toehold_sim_destroy. */
int toehold_sim_open_waves(toehold_sim *sim, const char *path, uint64_t from_us, uint64_t to_us);
void toehold_sim_close_waves(toehold_sim *sim);

/* ---- Memory -------------------------------------------------------------------------------- */

/* What lies behind the engine's AXI4 ports, in configurations that use them. Its time follows the
 * clocks, whatever time the engine is told; its contents are noise until written. */
enum toehold_sim_memory_port {
  TOEHOLD_SIM_MEMORY_STATE = 0,  /* m_axi_state */
  TOEHOLD_SIM_MEMORY_PAYLOAD = 1 /* m_axi_payload */
};

enum toehold_sim_memory_kind {
  TOEHOLD_SIM_MEMORY_DDR3_1600 = 0,
  TOEHOLD_SIM_MEMORY_DDR4_2400 = 1, /* at first */
  TOEHOLD_SIM_MEMORY_HBM2 = 2       /* one pseudo-channel */
};

/* Channels with a 64-bit bus, at both ports. From the next toehold_sim_reset on. */
int toehold_sim_set_memory(toehold_sim *sim, enum toehold_sim_memory_kind kind);

/* How many channels lie behind a port, 256 bytes of each in turn; 1 at first. From the next
 * toehold_sim_reset on. */
#define TOEHOLD_SIM_MEMORY_CHANNELS 32
int toehold_sim_set_memory_channels(toehold_sim *sim, enum toehold_sim_memory_port port,
                                    uint32_t channels);

/* All 0 for a port that was never used. */
typedef struct {
  uint64_t bytes_read, bytes_written;
  uint64_t activates, row_hits, row_misses, row_conflicts, refreshes;
  uint64_t bus_busy_ps;      /* the data buses of all channels carried data */
  uint64_t bytes_a_burst;
  uint64_t four_activates_ps; /* tFAW: no five activates in less */
  uint64_t host_bytes;       /* memory of this process that holds the contents */
  uint64_t protocol_errors;  /* 1: the engine did what AXI4 forbids */
} toehold_sim_memory_counters;

void toehold_sim_get_memory_counters(const toehold_sim *sim, enum toehold_sim_memory_port port,
                                     toehold_sim_memory_counters *counters);

/* What host_bytes is for the addresses below `end`. */
uint64_t toehold_sim_memory_bytes_below(const toehold_sim *sim, enum toehold_sim_memory_port port,
                                        uint64_t end);

/* ---- Counters ------------------------------------------------------------------------------ */

/* What passed at the ports since the engine was created. Beats are clocks with a transfer. */
typedef struct {
  uint64_t clocks;
  uint64_t frames_in, bytes_in, beats_in;
  uint64_t frames_out, bytes_out, beats_out;
  uint64_t commands, events;
  uint64_t application_bytes_in;  /* delivered to the application */
  uint64_t application_bytes_out; /* given by the application */
} toehold_sim_counters;

void toehold_sim_get_counters(const toehold_sim *sim, toehold_sim_counters *counters);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
