// SPDX-License-Identifier: Apache-2.0
// Generated from registers/toehold.rdl by `make registers`; not edited.

// The counters of toe_counters_pkg by their place in the register map: counter i is at byte 4 * i
// of the counters block.
package toehold_counters_pkg;

  import toe_counters_pkg::*;

  localparam int Counters = 62;
  localparam int CounterIndexWidth = 6;

  typedef enum logic [CounterIndexWidth-1:0] {
    CounterRxFrames = 6'd0,
    CounterRxBytes = 6'd1,
    CounterTxFrames = 6'd2,
    CounterTxBytes = 6'd3,
    CounterDropFcs = 6'd4,
    CounterDropRunt = 6'd5,
    CounterDropGiant = 6'd6,
    CounterDropMacAddress = 6'd7,
    CounterDropEthertype = 6'd8,
    CounterDropOverflow = 6'd9,
    CounterArpRequestsIn = 6'd10,
    CounterArpRepliesIn = 6'd11,
    CounterArpRequestsOut = 6'd12,
    CounterArpRepliesOut = 6'd13,
    CounterDropArpMalformed = 6'd14,
    CounterDropArpNotForUs = 6'd15,
    CounterDropArpMiss = 6'd16,
    CounterDropIpVersion = 6'd17,
    CounterDropIpHeader = 6'd18,
    CounterDropIpChecksum = 6'd19,
    CounterDropIpLength = 6'd20,
    CounterDropIpFragment = 6'd21,
    CounterDropIpAddress = 6'd22,
    CounterDropIpProtocol = 6'd23,
    CounterIcmpEchoIn = 6'd24,
    CounterIcmpEchoOut = 6'd25,
    CounterDropIcmpChecksum = 6'd26,
    CounterDropIcmpType = 6'd27,
    CounterDropIcmpLength = 6'd28,
    CounterTcpSegmentsIn = 6'd29,
    CounterTcpSegmentsOut = 6'd30,
    CounterDropTcpChecksum = 6'd31,
    CounterDropTcpHeader = 6'd32,
    CounterDropTcpNoConnection = 6'd33,
    CounterDropTcpNoRoom = 6'd34,
    CounterDropTcpOutOfWindow = 6'd35,
    CounterDropTcpOutOfOrder = 6'd36,
    CounterDropTcpDuplicate = 6'd37,
    CounterDropTcpBadAck = 6'd38,
    CounterDropTcpNoAck = 6'd39,
    CounterDropTcpSyn = 6'd40,
    CounterDropTcpClosed = 6'd41,
    CounterDropTcpTimestamp = 6'd42,
    CounterTcpResetsIn = 6'd43,
    CounterTcpResetsOut = 6'd44,
    CounterTcpRetransmitTimeouts = 6'd45,
    CounterTcpFastRetransmits = 6'd46,
    CounterTcpRetransmittedSegments = 6'd47,
    CounterTcpWindowProbes = 6'd48,
    CounterTcpKeepaliveProbes = 6'd49,
    CounterTcpChallengeAcks = 6'd50,
    CounterTcpDelayedAcks = 6'd51,
    CounterTcpStoredSegments = 6'd52,
    CounterTcpSackBlocksIn = 6'd53,
    CounterTcpAccepted = 6'd54,
    CounterTcpOpened = 6'd55,
    CounterTcpClosed = 6'd56,
    CounterTcpReset = 6'd57,
    CounterTcpTimedOut = 6'd58,
    CounterTcpHalfOpenDropped = 6'd59,
    CounterTcpBytesIn = 6'd60,
    CounterTcpBytesOut = 6'd61
  } counter_e;

  typedef byte_increment_t [Counters-1:0] amounts_t;

  // The increments of one clock, by counter.
  function automatic amounts_t amounts(input toe_counters_t counters);
    amounts_t amount;
    amount[0] = byte_increment_t'(counters.rx_frames);
    amount[1] = byte_increment_t'(counters.rx_bytes);
    amount[2] = byte_increment_t'(counters.tx_frames);
    amount[3] = byte_increment_t'(counters.tx_bytes);
    amount[4] = byte_increment_t'(counters.drop_fcs);
    amount[5] = byte_increment_t'(counters.drop_runt);
    amount[6] = byte_increment_t'(counters.drop_giant);
    amount[7] = byte_increment_t'(counters.drop_mac_address);
    amount[8] = byte_increment_t'(counters.drop_ethertype);
    amount[9] = byte_increment_t'(counters.drop_overflow);
    amount[10] = byte_increment_t'(counters.arp_requests_in);
    amount[11] = byte_increment_t'(counters.arp_replies_in);
    amount[12] = byte_increment_t'(counters.arp_requests_out);
    amount[13] = byte_increment_t'(counters.arp_replies_out);
    amount[14] = byte_increment_t'(counters.drop_arp_malformed);
    amount[15] = byte_increment_t'(counters.drop_arp_not_for_us);
    amount[16] = byte_increment_t'(counters.drop_arp_miss);
    amount[17] = byte_increment_t'(counters.drop_ip_version);
    amount[18] = byte_increment_t'(counters.drop_ip_header);
    amount[19] = byte_increment_t'(counters.drop_ip_checksum);
    amount[20] = byte_increment_t'(counters.drop_ip_length);
    amount[21] = byte_increment_t'(counters.drop_ip_fragment);
    amount[22] = byte_increment_t'(counters.drop_ip_address);
    amount[23] = byte_increment_t'(counters.drop_ip_protocol);
    amount[24] = byte_increment_t'(counters.icmp_echo_in);
    amount[25] = byte_increment_t'(counters.icmp_echo_out);
    amount[26] = byte_increment_t'(counters.drop_icmp_checksum);
    amount[27] = byte_increment_t'(counters.drop_icmp_type);
    amount[28] = byte_increment_t'(counters.drop_icmp_length);
    amount[29] = byte_increment_t'(counters.tcp_segments_in);
    amount[30] = byte_increment_t'(counters.tcp_segments_out);
    amount[31] = byte_increment_t'(counters.drop_tcp_checksum);
    amount[32] = byte_increment_t'(counters.drop_tcp_header);
    amount[33] = byte_increment_t'(counters.drop_tcp_no_connection);
    amount[34] = byte_increment_t'(counters.drop_tcp_no_room);
    amount[35] = byte_increment_t'(counters.drop_tcp_out_of_window);
    amount[36] = byte_increment_t'(counters.drop_tcp_out_of_order);
    amount[37] = byte_increment_t'(counters.drop_tcp_duplicate);
    amount[38] = byte_increment_t'(counters.drop_tcp_bad_ack);
    amount[39] = byte_increment_t'(counters.drop_tcp_no_ack);
    amount[40] = byte_increment_t'(counters.drop_tcp_syn);
    amount[41] = byte_increment_t'(counters.drop_tcp_closed);
    amount[42] = byte_increment_t'(counters.drop_tcp_timestamp);
    amount[43] = byte_increment_t'(counters.tcp_resets_in);
    amount[44] = byte_increment_t'(counters.tcp_resets_out);
    amount[45] = byte_increment_t'(counters.tcp_retransmit_timeouts);
    amount[46] = byte_increment_t'(counters.tcp_fast_retransmits);
    amount[47] = byte_increment_t'(counters.tcp_retransmitted_segments);
    amount[48] = byte_increment_t'(counters.tcp_window_probes);
    amount[49] = byte_increment_t'(counters.tcp_keepalive_probes);
    amount[50] = byte_increment_t'(counters.tcp_challenge_acks);
    amount[51] = byte_increment_t'(counters.tcp_delayed_acks);
    amount[52] = byte_increment_t'(counters.tcp_stored_segments);
    amount[53] = byte_increment_t'(counters.tcp_sack_blocks_in);
    amount[54] = byte_increment_t'(counters.tcp_accepted);
    amount[55] = byte_increment_t'(counters.tcp_opened);
    amount[56] = byte_increment_t'(counters.tcp_closed);
    amount[57] = byte_increment_t'(counters.tcp_reset);
    amount[58] = byte_increment_t'(counters.tcp_timed_out);
    amount[59] = byte_increment_t'(counters.tcp_half_open_dropped);
    amount[60] = byte_increment_t'(counters.tcp_bytes_in);
    amount[61] = byte_increment_t'(counters.tcp_bytes_out);
    return amount;
  endfunction

  // One where a counter is of frames that were dropped.
  localparam logic [Counters-1:0] CountsDrops = 62'b00000000000000000001111111111110011100111111111100001111110000;

  // One where a counter can grow by more than 1 in a clock.
  function automatic logic [Counters-1:0] counts_bytes();
    toe_counters_t every_bit;
    amounts_t amount;
    logic [Counters-1:0] result;
    every_bit = '1;
    amount = amounts(every_bit);
    for (int i = 0; i < Counters; i++) result[i] = |amount[i][ByteIncrementWidth-1:1];
    return result;
  endfunction

endpackage
