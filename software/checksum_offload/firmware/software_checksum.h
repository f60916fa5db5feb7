/* SPDX-License-Identifier: Apache-2.0 */

/* The Internet checksum by the processor alone, to compare with. */

#ifndef SOFTWARE_CHECKSUM_H
#define SOFTWARE_CHECKSUM_H

#include <stdint.h>

/* 16 bits at a time, of bytes, as in RFC 1071 and in the published measurement. */
uint16_t straight_checksum(const uint8_t *data, uint32_t length);

/* Words of 32 bits, eight in a round, carries counted. */
uint16_t optimised_checksum(const uint8_t *data, uint32_t length);

#endif
