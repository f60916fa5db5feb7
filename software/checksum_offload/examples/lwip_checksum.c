/* SPDX-License-Identifier: Apache-2.0 */

#include "lwip_checksum.h"

#include "checksum_offload.h"
#include "lwip/def.h"

/* Of lwIP's core/inet_chksum.c, which declares it nowhere. */
u16_t lwip_standard_chksum(const void *data, int length);

static uintptr_t registers;

void toehold_lwip_checksum_attach(uintptr_t address) { registers = address; }

uint16_t toehold_lwip_checksum(const void *data, int length) {
  uint16_t checksum;
  if (registers == 0 || length < TOEHOLD_LWIP_SHORTEST || length > 0xffff ||
      checksum_offload_compute(registers, data, (uint16_t)length, 0, &checksum) !=
          CHECKSUM_OFFLOAD_DONE) {
    return lwip_standard_chksum(data, length);
  }
  return lwip_htons((u16_t)~checksum);
}
