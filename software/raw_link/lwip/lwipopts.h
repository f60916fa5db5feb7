/* SPDX-License-Identifier: Apache-2.0 */

/* lwIP for the echo on a small processor: its raw interface, no operating system, TCP over IPv4 with
 * frames of up to 9,020 bytes. What is not here is as lwIP has it, but for what makes it faster: its
 * quickest checksum, taken while data is copied, and no checks of its own state. */

#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_UDP 0
#define LWIP_RAW 0
#define IP_REASSEMBLY 0
#define IP_FRAG 0
#define LWIP_STATS 0
#define LWIP_NOASSERT 1

#define MEM_ALIGNMENT 4
#define MEM_SIZE (48 * 1024)
#define PBUF_POOL_SIZE 0 /* frames that come in lie in one piece each, on the heap */
#define ETH_PAD_SIZE 2 /* in front of a frame: then IP and TCP are aligned */

#define TCP_MSS 8966
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (2 * TCP_MSS)
#define TCP_SND_QUEUELEN 16
#define MEMP_NUM_TCP_SEG 16
#define LWIP_WND_SCALE 0

#define LWIP_CHKSUM_ALGORITHM 3
#define LWIP_CHECKSUM_ON_COPY 1

#endif
