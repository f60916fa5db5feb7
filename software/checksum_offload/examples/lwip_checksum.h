/* SPDX-License-Identifier: Apache-2.0 */

/* lwIP with the checksum offload peripheral. In the port's lwipopts.h or cc.h:
 *
 *   #include "lwip_checksum.h"
 *   #define LWIP_CHKSUM toehold_lwip_checksum
 *   #define LWIP_CHKSUM_ALGORITHM 2      // keeps lwip_standard_chksum, for short and failed ones
 *
 * and once, before lwIP starts: toehold_lwip_checksum_attach(address of the registers). */

#ifndef LWIP_CHECKSUM_H
#define LWIP_CHECKSUM_H

#include <stdint.h>

/* Below so many bytes lwIP's own code is as fast: see `toehold bench checksum`. */
#ifndef TOEHOLD_LWIP_SHORTEST
#define TOEHOLD_LWIP_SHORTEST 16
#endif

#ifdef __cplusplus
extern "C" {
#endif

void toehold_lwip_checksum_attach(uintptr_t registers);

/* The contract of LWIP_CHKSUM: the sum, not inverted, in network byte order. */
uint16_t toehold_lwip_checksum(const void *data, int length);

#ifdef __cplusplus
}
#endif

#endif
