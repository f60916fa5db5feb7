// SPDX-License-Identifier: Apache-2.0

// The applications that come with the engine: their numbers, their ports, and what the HTTP page
// shows.
package apps_pkg;

  import net_headers_pkg::*;
  import app_pkg::*;

  // Numbers at the switch, in the order of the bits of enable_i. The external port is the last one.
  localparam app_id_t EchoApp = 4'd0;
  localparam app_id_t DiscardApp = 4'd1;
  localparam app_id_t SourceApp = 4'd2;
  localparam app_id_t HttpApp = 4'd3;
  localparam app_id_t KeyValueApp = 4'd4;
  localparam app_id_t ExternalApp = 4'd5;

  localparam int HardwareApps = 5;
  localparam int Applications = 6;

  localparam port_t EchoPort = 16'd7;  // RFC 862
  localparam port_t DiscardPort = 16'd9;  // RFC 863
  localparam port_t IperfPort = 16'd5001;  // iperf version 2: its client sends, we discard
  localparam port_t SourcePort = 16'd19;  // RFC 864
  localparam port_t HttpPort = 16'd80;
  localparam port_t KeyValuePort = 16'd6379;  // Redis

  // Live totals for the page.
  typedef struct packed {
    logic [31:0] uptime_us;
    logic [31:0] frames_in;
    logic [31:0] bytes_in;
    logic [31:0] frames_out;
    logic [31:0] bytes_out;
    logic [31:0] segments_in;
    logic [31:0] segments_out;
    logic [31:0] retransmissions;
    logic [31:0] connections;      // now
    logic [31:0] accepted;         // ever
    logic [31:0] resets;
    logic [31:0] drops;            // frames that were dropped, for whatever cause
  } app_statistics_t;

  localparam int Statistics = $bits(app_statistics_t) / 32;

endpackage
