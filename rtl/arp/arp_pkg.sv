// SPDX-License-Identifier: Apache-2.0

// Neighbours on the local network.
package arp_pkg;

  import net_headers_pkg::*;

  typedef struct packed {
    ip_address_t  ip;
    mac_address_t mac;
  } neighbour_t;

  // What a received packet says about a neighbour.
  typedef struct packed {
    neighbour_t neighbour;
    logic       insert;     // make an entry if there is none
  } arp_learn_t;

endpackage
