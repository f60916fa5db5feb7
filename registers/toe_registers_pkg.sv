// SPDX-License-Identifier: Apache-2.0

// What the registers tell the engine, and what the engine tells the registers.
package toe_registers_pkg;

  import net_headers_pkg::*;
  import tcp_pkg::*;
  import toe_config_pkg::*;

  // Set by software; stable while it writes nothing. Reset values are those of toehold.rdl.
  typedef struct packed {
    logic          enable;
    logic          reset_unknown;  // RST for segments to a port that nobody listens to
    logic          reset_full;     // RST for a SYN that finds no room
    mac_address_t  mac_address;
    ip_address_t   ip_address;
    ip_address_t   netmask;
    ip_address_t   gateway;
    logic [7:0]    time_to_live;
    logic [15:0]   arp_ageing_seconds;
    tcp_settings_t tcp;
    logic [127:0]  isn_secret;
    logic [63:0]   hash_key;
  } toe_settings_t;

  // Constants of what was built.
  typedef struct packed {
    logic active_open;
    logic out_of_order;
    logic sack;
    logic timestamps;
    logic window_scale;
    logic congestion_control;
    logic state_in_dram;
    logic payload_in_dram;
    logic pacing;
  } toe_capabilities_t;

  // Connections now in each state, by tcp_state_e; then the ports listened to, the events that wait for
  // a connection's state now, the most that waited, and the most lines of memory that one needed.
  localparam int GaugeListen = TcpStates;
  localparam int GaugeParked = TcpStates + 1;
  localparam int GaugeParkedMost = TcpStates + 2;
  localparam int GaugeLinesMost = TcpStates + 3;
  localparam int GaugeStash = TcpStates + 4;  // tuples without a place in memory
  localparam int GaugeRxPagesFree = TcpStates + 5;  // of receive rings, now,
  localparam int GaugeRxPagesLeast = TcpStates + 6;  // and at least
  localparam int GaugeTxPagesFree = TcpStates + 7;  // of transmit rings, and not reserved,
  localparam int GaugeTxPagesLeast = TcpStates + 8;  // and at least
  localparam int GaugeWidth = 24;
  typedef logic [GaugeTxPagesLeast:0][GaugeWidth-1:0] toe_gauges_t;

endpackage
