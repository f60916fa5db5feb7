/* SPDX-License-Identifier: Apache-2.0 */

#include "software_checksum.h"

static uint16_t fold(uint32_t sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)sum;
}

uint16_t straight_checksum(const uint8_t *data, uint32_t length) {
  uint32_t sum = 0;
  while (length > 1) {
    sum += (uint32_t)(data[0] << 8 | data[1]);
    data += 2;
    length -= 2;
  }
  if (length) sum += (uint32_t)data[0] << 8;
  return (uint16_t)~fold(sum);
}

#define ADD(i)          \
  do {                  \
    word = words[i];    \
    sum += word;        \
    carries += sum < word; \
  } while (0)

uint16_t optimised_checksum(const uint8_t *data, uint32_t length) {
  /* On a little-endian processor words have their bytes exchanged, and so has their sum; from an odd
   * address on everything is exchanged once more. */
  const uint32_t odd = (uintptr_t)data & 1;
  const uint32_t *words;
  uint32_t sum = 0, carries = 0, rest = 0, word;
  if (odd && length) {
    rest += (uint32_t)*data++ << 8;
    length--;
  }
  if ((uintptr_t)data & 2 && length > 1) {
    rest += *(const uint16_t *)(const void *)data;
    data += 2;
    length -= 2;
  }
  words = (const uint32_t *)(const void *)data;
  while (length >= 32) {
    ADD(0); ADD(1); ADD(2); ADD(3); ADD(4); ADD(5); ADD(6); ADD(7);
    words += 8;
    length -= 32;
  }
  while (length >= 4) {
    ADD(0);
    words++;
    length -= 4;
  }
  data = (const uint8_t *)words;
  if (length > 1) {
    rest += *(const uint16_t *)(const void *)data;
    data += 2;
    length -= 2;
  }
  if (length) rest += *data;
  sum = fold(rest + fold(sum) + fold(carries));
  if (!odd) sum = (sum << 8 & 0xff00) | sum >> 8;
  return (uint16_t)~sum;
}
