/* SPDX-License-Identifier: Apache-2.0 */

/* lwIP behind the C interface of peer.h: its raw interface, without a thread of its own.
 *
 * The library is the one that is installed. It asks sys_now for the time; this file has a sys_now,
 * which comes before the library's own.
 */

#include "../peer.h"

#include <stdlib.h>
#include <string.h>

#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

enum { MTU = 1500, FRAME_BYTES = 1514, MOST_WRITTEN = 8 * TCP_MSS };

/* One frame in a queue. */
typedef struct frame {
  struct frame *next;
  size_t length;
  uint8_t bytes[];
} frame;

typedef struct {
  frame *first;
  frame **end;
} frame_queue;

struct toehold_peer {
  struct netif interface;
  frame_queue arrived, sent;
  struct tcp_pcb *listener;
  struct tcp_pcb *pcb; /* NULL when there is none, or when lwIP has freed it */
  int accepted;
  int closing;  /* close was called */
  int shut;     /* and lwIP knows */
  int end_came; /* the peer's FIN */
  enum toehold_peer_state state;
  /* What came and was not read; the window is as large. */
  size_t start, length;
  uint8_t received[TCP_WND];
};

static toehold_peer *the_peer;
static uint64_t the_time_us;

u32_t sys_now(void) { return (u32_t)(the_time_us / 1000); }

/* ---- Frames -------------------------------------------------------------------------------- */

static frame *new_frame(size_t length) {
  frame *made = malloc(sizeof *made + length);
  if (made == NULL) abort();
  made->next = NULL;
  made->length = length;
  return made;
}

static void clear(frame_queue *queue) {
  queue->first = NULL;
  queue->end = &queue->first;
}

static void append(frame_queue *queue, frame *last) {
  *queue->end = last;
  queue->end = &last->next;
}

/* The caller frees it. */
static frame *remove_first(frame_queue *queue) {
  frame *first = queue->first;
  if (first == NULL) return NULL;
  queue->first = first->next;
  if (queue->first == NULL) queue->end = &queue->first;
  return first;
}

static err_t on_output(struct netif *interface, struct pbuf *packet) {
  toehold_peer *peer = interface->state;
  frame *made = new_frame(packet->tot_len);
  pbuf_copy_partial(packet, made->bytes, packet->tot_len, 0);
  append(&peer->sent, made);
  return ERR_OK;
}

static err_t on_interface(struct netif *interface) {
  interface->name[0] = 't';
  interface->name[1] = 'p';
  interface->mtu = MTU;
  interface->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
  interface->output = etharp_output;
  interface->linkoutput = on_output;
  return ERR_OK;
}

/* ---- The connection ------------------------------------------------------------------------ */

static err_t on_received(void *context, struct tcp_pcb *pcb, struct pbuf *packet, err_t error) {
  toehold_peer *peer = context;
  (void)pcb;
  (void)error;
  if (packet == NULL) {
    peer->end_came = 1;
    return ERR_OK;
  }
  if (peer->start + peer->length + packet->tot_len > sizeof peer->received) {
    memmove(peer->received, peer->received + peer->start, peer->length);
    peer->start = 0;
  }
  if (peer->length + packet->tot_len > sizeof peer->received) return ERR_MEM;
  pbuf_copy_partial(packet, peer->received + peer->start + peer->length, packet->tot_len, 0);
  peer->length += packet->tot_len;
  pbuf_free(packet);
  return ERR_OK;
}

/* The connection is gone, and its state with it. */
static void on_error(void *context, err_t error) {
  toehold_peer *peer = context;
  peer->pcb = NULL;
  const int orderly = error == ERR_CLSD && peer->end_came && peer->shut;
  peer->state = orderly ? TOEHOLD_PEER_CLOSED : TOEHOLD_PEER_FAILED;
}

static void adopt(toehold_peer *peer, struct tcp_pcb *pcb) {
  peer->pcb = pcb;
  tcp_arg(pcb, peer);
  tcp_recv(pcb, on_received);
  tcp_err(pcb, on_error);
}

static err_t on_connected(void *context, struct tcp_pcb *pcb, err_t error) {
  toehold_peer *peer = context;
  (void)pcb;
  peer->state = error == ERR_OK ? TOEHOLD_PEER_OPEN : TOEHOLD_PEER_FAILED;
  return ERR_OK;
}

static err_t on_accepted(void *context, struct tcp_pcb *pcb, err_t error) {
  toehold_peer *peer = context;
  if (error != ERR_OK || pcb == NULL || peer->accepted) return ERR_MEM;
  peer->accepted = 1;
  peer->state = TOEHOLD_PEER_OPEN;
  adopt(peer, pcb);
  return ERR_OK;
}

/* ---- The interface ------------------------------------------------------------------------- */

int toehold_peer_interface(void) { return TOEHOLD_PEER_INTERFACE; }

toehold_peer *toehold_peer_create(const toehold_peer_settings *settings) {
  if (the_peer != NULL) return NULL;
  toehold_peer *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  clear(&peer->arrived);
  clear(&peer->sent);
  srand((unsigned)settings->seed);
  lwip_init();

  ip4_addr_t address, mask, gateway;
  ip4_addr_set_u32(&address, lwip_htonl(settings->ip));
  ip4_addr_set_u32(&mask, lwip_htonl(~(uint32_t)0 << (32 - settings->prefix)));
  ip4_addr_set_zero(&gateway);
  struct netif *interface = &peer->interface;
  memcpy(interface->hwaddr, settings->mac, sizeof settings->mac);
  interface->hwaddr_len = sizeof settings->mac;
  if (netif_add(interface, &address, &mask, &gateway, peer, on_interface, ethernet_input) == NULL) {
    free(peer);
    return NULL;
  }
  netif_set_up(interface);
  netif_set_link_up(interface);
  the_peer = peer;
  return peer;
}

void toehold_peer_destroy(toehold_peer *peer) {
  frame *left;
  if (peer->pcb != NULL) tcp_abort(peer->pcb);
  if (peer->listener != NULL) tcp_close(peer->listener);
  netif_remove(&peer->interface);
  while ((left = remove_first(&peer->arrived)) != NULL) free(left);
  while ((left = remove_first(&peer->sent)) != NULL) free(left);
  free(peer);
  the_peer = NULL;
}

int toehold_peer_listen(toehold_peer *peer, uint16_t port) {
  struct tcp_pcb *pcb = tcp_new();
  if (pcb == NULL || tcp_bind(pcb, IP4_ADDR_ANY, port) != ERR_OK) return -1;
  peer->listener = tcp_listen_with_backlog(pcb, 1);
  if (peer->listener == NULL) return -1;
  tcp_arg(peer->listener, peer);
  tcp_accept(peer->listener, on_accepted);
  return 0;
}

int toehold_peer_connect(toehold_peer *peer, uint32_t ip, uint16_t port) {
  struct tcp_pcb *pcb = tcp_new();
  if (pcb == NULL) return -1;
  adopt(peer, pcb);
  ip_addr_t remote = IPADDR4_INIT(lwip_htonl(ip));
  return tcp_connect(pcb, &remote, port, on_connected) == ERR_OK ? 0 : -1;
}

void toehold_peer_put_frame(toehold_peer *peer, const void *bytes, size_t length) {
  frame *made = new_frame(length);
  memcpy(made->bytes, bytes, length);
  append(&peer->arrived, made);
}

size_t toehold_peer_take_frame(toehold_peer *peer, void *bytes, size_t capacity) {
  if (peer->sent.first == NULL || peer->sent.first->length > capacity) return 0;
  frame *first = remove_first(&peer->sent);
  const size_t length = first->length;
  memcpy(bytes, first->bytes, length);
  free(first);
  return length;
}

static void deliver(toehold_peer *peer) {
  frame *next;
  while ((next = remove_first(&peer->arrived)) != NULL) {
    /* Not PBUF_POOL: Debian's build gives it less than a frame and writes beyond its end. */
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)next->length, PBUF_RAM);
    if (packet == NULL) abort();
    pbuf_take(packet, next->bytes, (u16_t)next->length);
    free(next);
    if (peer->interface.input(packet, &peer->interface) != ERR_OK) pbuf_free(packet);
  }
}

uint64_t toehold_peer_poll(toehold_peer *peer, uint64_t now_us) {
  the_time_us = now_us;
  sys_check_timeouts();
  deliver(peer);
  if (peer->accepted && peer->listener != NULL) {
    tcp_close(peer->listener);
    peer->listener = NULL;
  }
  if (peer->closing && !peer->shut && peer->pcb != NULL) {
    peer->shut = tcp_shutdown(peer->pcb, 0, 1) == ERR_OK;
  }
  if (peer->pcb != NULL && peer->pcb->state != CLOSED) tcp_output(peer->pcb);
  if (peer->pcb != NULL && peer->pcb->state == TIME_WAIT) {
    peer->pcb = NULL; /* lwIP frees it when the time is over, without a word */
    peer->state = TOEHOLD_PEER_CLOSED;
  }
  const uint32_t sleep_ms = sys_timeouts_sleeptime();
  if (sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE) return TOEHOLD_PEER_NEVER;
  const uint64_t next_us = (now_us / 1000 + sleep_ms) * 1000;
  return next_us > now_us ? next_us : now_us + 1;
}

size_t toehold_peer_write(toehold_peer *peer, const void *bytes, size_t length) {
  if (peer->state != TOEHOLD_PEER_OPEN || peer->pcb == NULL || peer->closing) return 0;
  size_t taken = 0;
  while (taken < length) {
    size_t piece = length - taken;
    if (piece > MOST_WRITTEN) piece = MOST_WRITTEN;
    if (piece > tcp_sndbuf(peer->pcb)) piece = tcp_sndbuf(peer->pcb);
    if (piece == 0) break;
    const uint8_t *from = (const uint8_t *)bytes + taken;
    if (tcp_write(peer->pcb, from, (u16_t)piece, TCP_WRITE_FLAG_COPY) != ERR_OK) break;
    taken += piece;
  }
  return taken;
}

int64_t toehold_peer_read(toehold_peer *peer, void *bytes, size_t capacity) {
  if (peer->length == 0) return peer->end_came ? -1 : 0;
  const size_t taken = peer->length < capacity ? peer->length : capacity;
  memcpy(bytes, peer->received + peer->start, taken);
  peer->start += taken;
  peer->length -= taken;
  if (peer->pcb != NULL) tcp_recved(peer->pcb, (u16_t)taken);
  return (int64_t)taken;
}

void toehold_peer_close(toehold_peer *peer) { peer->closing = 1; }

enum toehold_peer_state toehold_peer_get_state(const toehold_peer *peer) { return peer->state; }
