// SPDX-License-Identifier: Apache-2.0

// What the engine counts. Each field is the increment of one clock for the register of the same
// name in registers/toehold.rdl: a pulse for events, a number for bytes. Zero when nothing
// happened, so the increments of several blocks may be merged by `|` as long as each field has one
// owner. Every frame that is dropped raises exactly one `drop_*` pulse.
package toe_counters_pkg;

  parameter int ByteIncrementWidth = 16;

  typedef logic [ByteIncrementWidth-1:0] byte_increment_t;

  typedef struct packed {
    // Frames and bytes of the network side, good or bad, without FCS.
    logic            rx_frames;
    byte_increment_t rx_bytes;
    logic            tx_frames;
    byte_increment_t tx_bytes;

    // Ethernet: marked bad by the MAC, shorter than a header, longer than the maximum, not for our
    // address, no protocol of ours, no room where the MAC cannot be stalled.
    logic drop_fcs;
    logic drop_runt;
    logic drop_giant;
    logic drop_mac_address;
    logic drop_ethertype;
    logic drop_overflow;

    // ARP. A miss drops the outgoing packet whose next hop is not known yet.
    logic arp_requests_in;
    logic arp_replies_in;
    logic arp_requests_out;
    logic arp_replies_out;
    logic drop_arp_malformed;
    logic drop_arp_not_for_us;
    logic drop_arp_miss;

    // IPv4.
    logic drop_ip_version;
    logic drop_ip_header;
    logic drop_ip_checksum;
    logic drop_ip_length;
    logic drop_ip_fragment;
    logic drop_ip_address;
    logic drop_ip_protocol;

    // ICMP.
    logic icmp_echo_in;
    logic icmp_echo_out;
    logic drop_icmp_checksum;
    logic drop_icmp_type;
    logic drop_icmp_length;
    logic icmp_errors_in;
    logic drop_icmp_stale;

    // TCP segments, and why one was dropped.
    logic tcp_segments_in;
    logic tcp_segments_out;
    logic drop_tcp_checksum;
    logic drop_tcp_header;
    logic drop_tcp_no_connection;
    logic drop_tcp_no_room;
    logic drop_tcp_out_of_window;
    logic drop_tcp_out_of_order;
    logic drop_tcp_duplicate;
    logic drop_tcp_bad_ack;
    logic drop_tcp_no_ack;
    logic drop_tcp_syn;
    logic drop_tcp_closed;
    logic drop_tcp_timestamp;
    logic drop_tcp_no_page;

    // TCP connections and recovery. Bytes are payload, in order and once.
    logic            tcp_resets_in;
    logic            tcp_resets_out;
    logic            tcp_retransmit_timeouts;
    logic            tcp_fast_retransmits;
    logic            tcp_retransmitted_segments;
    logic            tcp_window_probes;
    logic            tcp_keepalive_probes;
    logic            tcp_challenge_acks;
    logic            tcp_delayed_acks;
    logic            tcp_stored_segments;
    logic            tcp_sack_blocks_in;
    logic            tcp_accepted;
    logic            tcp_opened;
    logic            tcp_closed;
    logic            tcp_reset;
    logic            tcp_timed_out;
    logic            tcp_half_open_dropped;
    byte_increment_t tcp_bytes_in;
    byte_increment_t tcp_bytes_out;

    // The cache of connection state (state_cache).
    logic state_forwarded;
    logic state_hits;
    logic state_misses;
    logic state_merged;
    logic state_reads;
    logic state_lines_read;
    logic state_write_backs;
    logic state_forgotten;

    // The index of tuples in memory (tuple_index).
    logic index_hits;
    logic index_misses;
    logic index_reads;
    logic index_second_reads;
    logic index_kicks;
    logic index_refused;

    // Pages of transmit rings.
    logic page_refused;
  } toe_counters_t;

endpackage
