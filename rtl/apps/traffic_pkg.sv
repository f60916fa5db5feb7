// SPDX-License-Identifier: Apache-2.0

// What app_traffic is told, and what it tells.
package traffic_pkg;

  import net_headers_pkg::*;

  typedef struct packed {
    logic        run;            // open and exchange; falling: close
    logic        send;           // messages; else only receive
    ip_address_t remote_ip;
    port_t       remote_port;
    logic [15:0] connections;    // opened when run rises
    logic [15:0] message_bytes;  // 1 to 65535, not more than a connection's ring holds
  } traffic_settings_t;

  // Totals since reset; all go round.
  typedef struct packed {
    logic        opening;      // not all connections have been asked for
    logic [15:0] live;         // asked for and not over
    logic [31:0] opened;       // the peer has answered
    logic [31:0] refused;      // by our own engine
    logic [31:0] closed;       // in order
    logic [31:0] broken;       // reset, or the peer did not answer
    logic [31:0] messages_out;
    logic [63:0] bytes_out;
    logic [63:0] bytes_in;
    logic [31:0] wrong_bytes;  // of bytes_in: not what they have to be
  } traffic_totals_t;

endpackage
