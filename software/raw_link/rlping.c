/* SPDX-License-Identifier: Apache-2.0 */

/* Sends frames to a pong, one at a time, and says how long each took. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char help[] =
    "rlping [OPTION...] MAC: frames to a pong of the raw link and back\n"
    "  -c N        frames; default 4\n"
    "  -s BYTES    of data; default 46\n"
    "  -a N        application, 0 to 3; default 0\n"
    "  -i MS       between two; default 200\n"
    "  -t MS       for an answer; default 2000\n"
    "  --unreliable  no frame asks for acknowledgement\n";

int main(int argc, char **argv) {
  tool_options options = {.name = "rlping", .interface = "toe0", .count = 4, .size = 46,
                          .interval_ms = 200, .timeout_ms = 2000};
  rawlink_default_options(&options.link);
  tool_parse(&options, argc, argv, true, help);
  if (options.size > RAWLINK_MAX_DATA_BYTES) options.size = RAWLINK_MAX_DATA_BYTES;

  rawlink *link = tool_open(&options);
  rawlink_connection *connection = rawlink_connect(link, options.mac, options.app,
                                                   !options.unreliable, (int)options.timeout_ms);
  if (connection == NULL) tool_fail(&options, "no connection");
  uint8_t sent[RAWLINK_MAX_DATA_BYTES] = {0}, back[RAWLINK_MAX_DATA_BYTES];
  double least = 1e18, most = 0, sum = 0;
  unsigned answered = 0, wrong = 0;
  for (unsigned i = 0; i < options.count; i++) {
    for (unsigned at = 0; at < options.size; at++) sent[at] = (uint8_t)(i * 31 + at * 7);
    const double start = tool_now_us();
    if (rawlink_send(connection, sent, options.size, (int)options.timeout_ms)) {
      tool_fail(&options, "sending");
    }
    const ssize_t size =
        options.size == 0 ? 0 : rawlink_receive(connection, back, sizeof back, NULL,
                                                (int)options.timeout_ms);
    if (options.size == 0 && rawlink_flush(connection, (int)options.timeout_ms)) {
      tool_fail(&options, "waiting for the acknowledgement");
    }
    const double us = tool_now_us() - start;
    if (size < 0 && errno != ETIMEDOUT) tool_fail(&options, "receiving");
    if (size < 0) {
      if (!options.json) printf("frame %u: no answer\n", i);
    } else if ((size_t)size != options.size || memcmp(sent, back, options.size) != 0) {
      wrong++;
      if (!options.json) printf("frame %u: %zd bytes came back, not what was sent\n", i, size);
    } else {
      answered++;
      sum += us;
      if (us < least) least = us;
      if (us > most) most = us;
      if (!options.json) printf("frame %u: %u bytes, %.1f us\n", i, options.size, us);
    }
    fflush(stdout);
    if (i + 1 < options.count) usleep(options.interval_ms * 1000);
  }
  const bool closed = rawlink_disconnect(connection, (int)options.timeout_ms) == 0;
  if (!closed) perror("rlping: closing");
  const double mean = answered ? sum / answered : 0;
  if (options.json) {
    printf("{\"sent\": %u, \"answered\": %u, \"wrong\": %u, \"closed\": %s, \"least_us\": %.3f, "
           "\"mean_us\": %.3f, \"most_us\": %.3f, \"statistics\": ",
           options.count, answered, wrong, closed ? "true" : "false", answered ? least : 0, mean,
           most);
    tool_print_statistics(link, true);
    printf("}\n");
  } else {
    printf("%u sent, %u received, %u wrong", options.count, answered, wrong);
    if (answered) printf("; %.1f / %.1f / %.1f us least / mean / most", least, mean, most);
    printf("\n");
  }
  rawlink_close(link);
  return answered == options.count && closed ? 0 : 1;
}
