/* SPDX-License-Identifier: Apache-2.0 */

/* The raw link as a small processor sees it whose program is one of its applications
 * (rtl/raw_link/raw_link_registers.sv, at 0x4000_0000 of rtl/systems/raw_link_system.sv). */

#ifndef RAW_LINK_REGISTERS_H
#define RAW_LINK_REGISTERS_H

#include <stdint.h>

struct raw_link_registers {
  volatile const uint32_t status; /* RAW_LINK_HEAD_WAITS, RAW_LINK_DATA_WAITS */
  volatile const uint32_t head;   /* takes the head of the next frame; waits for it */
  volatile const uint32_t data;   /* takes four bytes of its data; waits for them */
  volatile uint32_t send;         /* gives the head of a frame */
  volatile uint32_t send_data;    /* gives four bytes of its data */
};

#define RAW_LINK ((struct raw_link_registers *)0x40000000)

#define RAW_LINK_HEAD_WAITS 0x1u
#define RAW_LINK_DATA_WAITS 0x2u

/* A head: size of the data, handle of the connection, application, and bits. */
#define RAW_LINK_SIZE 0x00003fffu
#define RAW_LINK_HANDLE 0x03ffc000u
#define RAW_LINK_APP 0x0c000000u
#define RAW_LINK_LAST 0x10000000u
#define RAW_LINK_FIRST 0x20000000u     /* read only */
#define RAW_LINK_CONNECTED 0x40000000u /* read only */
#define RAW_LINK_ACK 0x80000000u       /* written only: ask for an acknowledgement */

#endif
