/* SPDX-License-Identifier: Apache-2.0 */

/* Latency and throughput of ping-pong by frame size. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char help[] =
    "rlperf [OPTION...] MAC: latency and throughput to a pong of the raw link, by frame size\n"
    "  -c N        frames for each measurement; default 200\n"
    "  -s BYTES    of the frame with its headers, without FCS; default: 60 to 9020\n"
    "  -a N        application, 0 to 3; default 0\n"
    "  -t MS       for an answer; default 5000\n"
    "  --unreliable  no frame asks for acknowledgement (throughput keeps a few on their way)\n";

static const unsigned sizes[] = {60, 120, 520, 1020, 1514, 2020, 3020, 4020, 5020, 6020, 7020,
                                 8020, 9020};

/* Frames that an unreliable run has on their way: they must fit the other end's buffer. */
#define AHEAD_BYTES 12288u

typedef struct {
  unsigned frame_bytes, data_bytes, received;
  double latency_us, frames_per_second, mbit_per_second;
} row;

static uint8_t sent[RAWLINK_MAX_DATA_BYTES], back[RAWLINK_MAX_DATA_BYTES];

static void fill(unsigned number, unsigned size) {
  for (unsigned at = 0; at < size; at++) sent[at] = (uint8_t)(number + at * 7);
}

static bool take(const tool_options *options, rawlink_connection *connection, unsigned number,
                 unsigned size) {
  const ssize_t got =
      rawlink_receive(connection, back, sizeof back, NULL, (int)options->timeout_ms);
  if (got < 0 && errno == ETIMEDOUT) return false;
  if (got < 0) tool_fail(options, "receiving");
  if ((unsigned)got != size || back[0] != (uint8_t)number || back[size - 1] !=
      (uint8_t)(number + (size - 1) * 7)) {
    fprintf(stderr, "%s: what came back is not what was sent\n", options->name);
    exit(1);
  }
  return true;
}

static void put(const tool_options *options, rawlink_connection *connection, unsigned number,
                unsigned size) {
  fill(number, size);
  if (rawlink_send(connection, sent, size, (int)options->timeout_ms)) {
    tool_fail(options, "sending");
  }
}

static row measure(const tool_options *options, rawlink_connection *connection, unsigned bytes) {
  const unsigned size = bytes - RAWLINK_HEADER_BYTES;
  row result = {.frame_bytes = bytes, .data_bytes = size};
  double start = tool_now_us();
  for (unsigned i = 0; i < options->count; i++) {
    put(options, connection, i, size);
    if (!take(options, connection, i, size)) {
      errno = ETIMEDOUT;
      tool_fail(options, "an answer is missing");
    }
  }
  result.latency_us = (tool_now_us() - start) / options->count;

  /* As many on their way as fit; each answer makes room for one. */
  unsigned ahead = AHEAD_BYTES / size;
  if (ahead < 1) ahead = 1;
  if (ahead > 32) ahead = 32;
  unsigned out = 0, in = 0;
  start = tool_now_us();
  while (in < options->count) {
    while (out < options->count && out - in < ahead) put(options, connection, out++, size);
    if (!take(options, connection, in, size)) {
      errno = ETIMEDOUT;
      tool_fail(options, "an answer is missing");
    }
    in++;
  }
  const double seconds = (tool_now_us() - start) * 1e-6;
  result.received = in;
  result.frames_per_second = in / seconds;
  /* Both ways, as the paper has it. */
  result.mbit_per_second = 2.0 * 8.0 * bytes * in / seconds * 1e-6;
  return result;
}

static void chart(const row *rows, unsigned count) {
  double most = 0;
  for (unsigned i = 0; i < count; i++) {
    if (rows[i].mbit_per_second > most) most = rows[i].mbit_per_second;
  }
  for (unsigned i = 0; i < count; i++) {
    const int bar = (int)(50 * rows[i].mbit_per_second / most + 0.5);
    printf("%5u ", rows[i].frame_bytes);
    for (int b = 0; b < bar; b++) putchar('#');
    printf(" %.1f Mbit/s\n", rows[i].mbit_per_second);
  }
}

int main(int argc, char **argv) {
  tool_options options = {.name = "rlperf", .interface = "toe0", .count = 200,
                          .timeout_ms = 5000, .frame_sizes = true};
  rawlink_default_options(&options.link);
  tool_parse(&options, argc, argv, true, help);
  unsigned count = sizeof sizes / sizeof sizes[0];
  if (options.size) count = 1;
  if (options.size && options.size < RAWLINK_MIN_FRAME_BYTES) options.size = RAWLINK_MIN_FRAME_BYTES;

  rawlink *link = tool_open(&options);
  rawlink_connection *connection = rawlink_connect(link, options.mac, options.app,
                                                   !options.unreliable, (int)options.timeout_ms);
  if (connection == NULL) tool_fail(&options, "no connection");
  row rows[sizeof sizes / sizeof sizes[0]];
  if (!options.json) printf("frame bytes   latency us   frames/s   Mbit/s both ways\n");
  for (unsigned i = 0; i < count; i++) {
    rows[i] = measure(&options, connection, options.size ? options.size : sizes[i]);
    if (!options.json) {
      printf("%11u %12.1f %10.0f %18.1f\n", rows[i].frame_bytes, rows[i].latency_us,
             rows[i].frames_per_second, rows[i].mbit_per_second);
      fflush(stdout);
    }
  }
  if (rawlink_disconnect(connection, (int)options.timeout_ms)) tool_fail(&options, "closing");
  if (options.json) {
    printf("{\"rows\": [");
    for (unsigned i = 0; i < count; i++) {
      printf("%s{\"frame_bytes\": %u, \"data_bytes\": %u, \"received\": %u, \"latency_us\": %.3f, "
             "\"frames_per_second\": %.1f, \"mbit_per_second\": %.3f}",
             i ? ", " : "", rows[i].frame_bytes, rows[i].data_bytes, rows[i].received,
             rows[i].latency_us, rows[i].frames_per_second, rows[i].mbit_per_second);
    }
    printf("], \"statistics\": ");
    tool_print_statistics(link, true);
    printf("}\n");
  } else {
    printf("\n");
    chart(rows, count);
  }
  rawlink_close(link);
  return 0;
}
