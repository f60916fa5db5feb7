/* SPDX-License-Identifier: Apache-2.0 */

/* The pong of rtl/raw_link/raw_link_pong.sv as a program: every frame with data that came on a
 * connection goes back on it, Last with it. Data goes word by word from one register to the other, as
 * both halves of the raw link's buffer hold whole frames already. */

#include "raw_link_registers.h"

int main(void) {
  for (;;) {
    const uint32_t head = RAW_LINK->head;
    uint32_t words = ((head & RAW_LINK_SIZE) + 3) / 4;
    if (!(head & RAW_LINK_CONNECTED)) {
      while (words--) (void)RAW_LINK->data;
      continue;
    }
    if (!words) continue;
    RAW_LINK->send = head & (RAW_LINK_SIZE | RAW_LINK_HANDLE | RAW_LINK_APP | RAW_LINK_LAST);
    for (; words >= 8; words -= 8) {
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
      RAW_LINK->send_data = RAW_LINK->data;
    }
    while (words--) RAW_LINK->send_data = RAW_LINK->data;
  }
}
