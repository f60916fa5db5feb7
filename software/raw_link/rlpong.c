/* SPDX-License-Identifier: Apache-2.0 */

/* The software twin of the pong in hardware: sends the data of each frame back on its connection. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "tool.h"

static const char help[] =
    "rlpong [OPTION...]: sends back what comes over the raw link, until SIGINT or SIGTERM\n";

#define LOOK_MS 100        /* at whether to end */
#define SEND_MS 10000

static volatile sig_atomic_t stop;

static void request_stop(int number) {
  (void)number;
  stop = 1;
}

int main(int argc, char **argv) {
  tool_options options = {.name = "rlpong", .interface = "toe0"};
  rawlink_default_options(&options.link);
  options.link.listen = true;
  tool_parse(&options, argc, argv, false, help);
  signal(SIGINT, request_stop);
  signal(SIGTERM, request_stop);
  rawlink *link = tool_open(&options);
  if (!options.json) printf("ready\n");
  fflush(stdout);

  static uint8_t data[RAWLINK_MAX_DATA_BYTES];
  while (!stop) {
    rawlink_connection *connection;
    bool last;
    const ssize_t size =
        rawlink_receive_any(link, &connection, data, sizeof data, &last, LOOK_MS);
    if (size < 0 && errno == ETIMEDOUT) continue;
    if (size < 0) tool_fail(&options, "receiving");
    /* Datagrams cannot be answered; a peer that has gone does not end us. */
    if (size > 0) rawlink_send(connection, data, (size_t)size, SEND_MS);
    if (last) rawlink_disconnect(connection, SEND_MS);
  }
  tool_print_statistics(link, options.json);
  if (options.json) printf("\n");
  rawlink_close(link);
  return 0;
}
