/* SPDX-License-Identifier: Apache-2.0 */

/* A TCP echo by lwIP on port 7, on simulation/rtl/picorv32_frames.sv: the same ping-pong as
 * firmware/pong.c, with all layers. Frames go word by word between registers and memory; the two bytes
 * that lwIP wants in front of a frame shift each word by half. */

#include <string.h>

#include "raw_link_registers.h"

#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

#define FRAME_BYTES 9020
#define MIN_BYTES 60
#define ECHO_PORT 7
#define CLOCKS_PER_MS 125000u
#define POLLS_PER_TIMER 4096u

static uint32_t frame_words[(ETH_PAD_SIZE + FRAME_BYTES + 3) / 4];

u32_t sys_now(void) {
  uint32_t clocks;
  __asm__ volatile("rdcycle %0" : "=r"(clocks));
  return clocks / CLOCKS_PER_MS;
}

void *copy_words(void *to, const void *from, size_t bytes) {
  if (((uintptr_t)to | (uintptr_t)from) & 3) return memcpy(to, from, bytes);
  uint32_t *out = to;
  const uint32_t *in = from;
  for (; bytes >= 32; bytes -= 32, in += 8, out += 8) {
    const uint32_t a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    const uint32_t e = in[4], f = in[5], g = in[6], h = in[7];
    out[4] = e, out[5] = f, out[6] = g, out[7] = h;
  }
  memcpy(out, in, bytes);
  return to;
}

static err_t transmit(struct netif *netif, struct pbuf *pbuf) {
  (void)netif;
  const uint32_t *words = pbuf->payload;
  uint32_t bytes = pbuf->tot_len - ETH_PAD_SIZE;
  if (pbuf->next || bytes < MIN_BYTES || ((uintptr_t)words & 3)) {
    pbuf_copy_partial(pbuf, frame_words, pbuf->tot_len, 0);
    words = frame_words;
    if (bytes < MIN_BYTES) {
      memset((char *)frame_words + ETH_PAD_SIZE + bytes, 0, MIN_BYTES - bytes);
      bytes = MIN_BYTES;
    }
  }
  RAW_LINK->send = bytes;
  uint32_t low = *words++;
  for (uint32_t left = (bytes + 3) / 4; left; left--) {
    const uint32_t high = *words++;
    RAW_LINK->send_data = low >> 16 | high << 16;
    low = high;
  }
  return ERR_OK;
}

static void receive(struct netif *netif) {
  const uint32_t bytes = RAW_LINK->head & RAW_LINK_SIZE;
  uint32_t left = (bytes + 3) / 4;
  /* Two bytes more than the frame has: the last word may reach as far. */
  struct pbuf *pbuf = pbuf_alloc(PBUF_RAW, ETH_PAD_SIZE + bytes + 4, PBUF_RAM);
  if (!pbuf) {
    while (left--) (void)RAW_LINK->data;
    return;
  }
  uint32_t *words = pbuf->payload;
  uint32_t low = 0;
  for (; left; left--) {
    const uint32_t high = RAW_LINK->data;
    *words++ = low >> 16 | high << 16;
    low = high;
  }
  *words = low >> 16;
  pbuf_realloc(pbuf, ETH_PAD_SIZE + bytes);
  if (netif->input(pbuf, netif) != ERR_OK) pbuf_free(pbuf);
}

static err_t attach(struct netif *netif) {
  static const uint8_t mac[] = {0x02, 0x54, 0x4f, 0x45, 0x00, 0x01};
  memcpy(netif->hwaddr, mac, sizeof mac);
  netif->hwaddr_len = sizeof mac;
  netif->name[0] = 'r';
  netif->name[1] = 'l';
  netif->mtu = FRAME_BYTES - SIZEOF_ETH_HDR + ETH_PAD_SIZE;
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
  netif->output = etharp_output;
  netif->linkoutput = transmit;
  return ERR_OK;
}

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *pbuf, err_t error) {
  (void)argument;
  (void)error;
  if (!pbuf) return tcp_close(pcb);
  for (const struct pbuf *part = pbuf; part; part = part->next) {
    tcp_write(pcb, part->payload, part->len, TCP_WRITE_FLAG_COPY);
  }
  tcp_recved(pcb, pbuf->tot_len);
  pbuf_free(pbuf);
  return tcp_output(pcb);
}

static err_t accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
  (void)argument;
  (void)error;
  tcp_nagle_disable(pcb);
  tcp_recv(pcb, received);
  return ERR_OK;
}

int main(void) {
  static struct netif netif;
  ip4_addr_t address, mask, gateway;
  lwip_init();
  IP4_ADDR(&address, 10, 77, 0, 2);
  IP4_ADDR(&mask, 255, 255, 255, 0);
  IP4_ADDR(&gateway, 0, 0, 0, 0);
  netif_add(&netif, &address, &mask, &gateway, NULL, attach, ethernet_input);
  netif_set_default(&netif);
  netif_set_up(&netif);
  struct tcp_pcb *pcb = tcp_new();
  tcp_bind(pcb, IP_ADDR_ANY, ECHO_PORT);
  pcb = tcp_listen(pcb);
  tcp_accept(pcb, accepted);
  for (uint32_t idle = 0;;) {
    if (RAW_LINK->status & RAW_LINK_HEAD_WAITS) {
      receive(&netif);
    } else if (++idle == POLLS_PER_TIMER) {
      idle = 0;
      sys_check_timeouts();
    }
  }
}
