/* SPDX-License-Identifier: Apache-2.0 */

#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char common_help[] =
    "  -I NAME     interface; default toe0\n"
    "  --loss P, --reorder P, --duplicate P, --corrupt P\n"
    "              faults of the frames that are sent, 0 to 1 (for tests); --seed N draws others\n"
    "  --connections N  that others may open at once; default 16\n"
    "  --json      the result as JSON\n"
    "  --help\n";

_Noreturn void tool_fail(const tool_options *options, const char *what) {
  fprintf(stderr, "%s: %s: %s\n", options->name, what, strerror(errno));
  exit(1);
}

static _Noreturn void usage(const tool_options *options, const char *what, const char *value) {
  fprintf(stderr, "%s: %s%s; --help lists the options\n", options->name, what, value);
  exit(2);
}

static double number(const tool_options *options, const char *text, double least, double most) {
  char *end;
  const double value = strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(value >= least && value <= most)) {
    usage(options, "not a number in range: ", text);
  }
  return value;
}

void tool_parse(tool_options *options, int argc, char **argv, bool has_peer, const char *help) {
  enum { LOSS = 256, REORDER, DUPLICATE, CORRUPT, SEED, CONNECTIONS, UNRELIABLE, JSON, HELP };
  static const struct option names[] = {{"loss", 1, NULL, LOSS},
                                        {"reorder", 1, NULL, REORDER},
                                        {"duplicate", 1, NULL, DUPLICATE},
                                        {"corrupt", 1, NULL, CORRUPT},
                                        {"seed", 1, NULL, SEED},
                                        {"connections", 1, NULL, CONNECTIONS},
                                        {"unreliable", 0, NULL, UNRELIABLE},
                                        {"json", 0, NULL, JSON},
                                        {"help", 0, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  rawlink_impairment *impairment = &options->link.impairment;
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, "I:a:c:s:i:t:", names, NULL)) != -1) {
    switch (option) {
      case 'I': options->interface = optarg; break;
      case 'a': options->app = (unsigned)number(options, optarg, 0, RAWLINK_APPS - 1); break;
      case 'c': options->count = (unsigned)number(options, optarg, 1, 1e9); break;
      case 's': options->size = (unsigned)number(options, optarg, 0, 16402); break;
      case 'i': options->interval_ms = (unsigned)number(options, optarg, 0, 3600e3); break;
      case 't': options->timeout_ms = (unsigned)number(options, optarg, 1, 3600e3); break;
      case LOSS: impairment->loss = number(options, optarg, 0, 1); break;
      case REORDER: impairment->reorder = number(options, optarg, 0, 1); break;
      case DUPLICATE: impairment->duplicate = number(options, optarg, 0, 1); break;
      case CORRUPT: impairment->corrupt = number(options, optarg, 0, 1); break;
      case SEED: impairment->seed = (uint64_t)number(options, optarg, 0, 1e15); break;
      case CONNECTIONS:
        options->link.max_connections = (unsigned)number(options, optarg, 1, 256);
        break;
      case UNRELIABLE: options->unreliable = true; break;
      case JSON: options->json = true; break;
      case HELP: printf("%s%s", help, common_help); exit(0);
      default: usage(options, "no such option, or no value: ", argv[optind - 1]);
    }
  }
  if (has_peer) {
    if (optind == argc) usage(options, "the MAC address of the other end is missing", "");
    if (rawlink_parse_mac(argv[optind], options->mac)) {
      usage(options, "not a MAC address: ", argv[optind]);
    }
    optind++;
  }
  if (optind != argc) usage(options, "too many arguments: ", argv[optind]);
}

rawlink *tool_open(const tool_options *options) {
  rawlink *link = rawlink_open(options->interface, &options->link);
  if (link == NULL) tool_fail(options, options->interface);
  return link;
}

double tool_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

#define FIELDS(X)                                                                              \
  X(rx_frames) X(delivered) X(acknowledgements_in) X(refusals_in) X(drop_runt) X(drop_size)    \
  X(drop_action) X(drop_no_app) X(drop_no_connection) X(drop_table_full) X(drop_duplicate)     \
  X(drop_gap) X(drop_in_use) X(drop_overflow) X(lost) X(opened) X(closed) X(tx_frames)         \
  X(acknowledgements_out) X(refusals_out) X(retransmitted) X(timeouts) X(send_errors)          \
  X(impaired_lost) X(impaired_reordered) X(impaired_duplicated) X(impaired_corrupted)

void tool_print_statistics(rawlink *link, bool json) {
  rawlink_statistics s;
  const char *separator = "";
  rawlink_get_statistics(link, &s);
  if (json) {
    printf("{");
#define PRINT(field)                                                               \
  printf("%s\"" #field "\": %llu", separator, (unsigned long long)s.field); \
  separator = ", ";
    FIELDS(PRINT)
#undef PRINT
    printf("}");
    return;
  }
#define PRINT(field) \
  if (s.field) printf("%-22s %llu\n", #field, (unsigned long long)s.field);
  FIELDS(PRINT)
#undef PRINT
}
