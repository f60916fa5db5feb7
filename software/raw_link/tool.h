/* SPDX-License-Identifier: Apache-2.0 */

/* What rlping, rlperf and rlpong share: their options, and clocks. */

#ifndef RAWLINK_TOOL_H
#define RAWLINK_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "toehold_raw_link.h"

typedef struct {
  const char *name;      /* of the program */
  const char *interface;
  uint8_t mac[6];        /* of the other end, if the program has one */
  rawlink_options link;
  unsigned app;
  unsigned count;        /* frames, for each size */
  unsigned size;         /* 0: the program's own */
  unsigned interval_ms;
  unsigned timeout_ms;
  bool unreliable;
  bool json;
  bool frame_sizes;      /* -s gives frames with their headers, not data */
} tool_options;

/* Reads the command line; ends the program with its help, or with a sentence. */
void tool_parse(tool_options *options, int argc, char **argv, bool has_peer, const char *help);

/* Ends the program with a sentence about errno. */
_Noreturn void tool_fail(const tool_options *options, const char *what);

rawlink *tool_open(const tool_options *options);
double tool_now_us(void);
void tool_print_statistics(rawlink *link, bool json);

#endif
