// SPDX-License-Identifier: Apache-2.0
// Generated from registers/toehold.rdl by `make registers`; not edited.

// The counters of toe_counters_pkg by their place in the register map: counter i is at byte 4 * i
// of the counters block.
package toehold_counters_pkg;

  import toe_counters_pkg::*;

  localparam int Counters = 80;
  localparam int CounterIndexWidth = 7;

  typedef enum logic [CounterIndexWidth-1:0] {
    CounterRxFrames = 7'd0,
    CounterRxBytes = 7'd1,
    CounterTxFrames = 7'd2,
    CounterTxBytes = 7'd3,
    CounterDropFcs = 7'd4,
    CounterDropRunt = 7'd5,
    CounterDropGiant = 7'd6,
    CounterDropMacAddress = 7'd7,
    CounterDropEthertype = 7'd8,
    CounterDropOverflow = 7'd9,
    CounterArpRequestsIn = 7'd10,
    CounterArpRepliesIn = 7'd11,
    CounterArpRequestsOut = 7'd12,
    CounterArpRepliesOut = 7'd13,
    CounterDropArpMalformed = 7'd14,
    CounterDropArpNotForUs = 7'd15,
    CounterDropArpMiss = 7'd16,
    CounterDropIpVersion = 7'd17,
    CounterDropIpHeader = 7'd18,
    CounterDropIpChecksum = 7'd19,
    CounterDropIpLength = 7'd20,
    CounterDropIpFragment = 7'd21,
    CounterDropIpAddress = 7'd22,
    CounterDropIpProtocol = 7'd23,
    CounterIcmpEchoIn = 7'd24,
    CounterIcmpEchoOut = 7'd25,
    CounterDropIcmpChecksum = 7'd26,
    CounterDropIcmpType = 7'd27,
    CounterDropIcmpLength = 7'd28,
    CounterIcmpErrorsIn = 7'd29,
    CounterDropIcmpStale = 7'd30,
    CounterTcpSegmentsIn = 7'd31,
    CounterTcpSegmentsOut = 7'd32,
    CounterDropTcpChecksum = 7'd33,
    CounterDropTcpHeader = 7'd34,
    CounterDropTcpNoConnection = 7'd35,
    CounterDropTcpNoRoom = 7'd36,
    CounterDropTcpOutOfWindow = 7'd37,
    CounterDropTcpOutOfOrder = 7'd38,
    CounterDropTcpDuplicate = 7'd39,
    CounterDropTcpBadAck = 7'd40,
    CounterDropTcpNoAck = 7'd41,
    CounterDropTcpSyn = 7'd42,
    CounterDropTcpClosed = 7'd43,
    CounterDropTcpTimestamp = 7'd44,
    CounterDropTcpNoPage = 7'd45,
    CounterTcpResetsIn = 7'd46,
    CounterTcpResetsOut = 7'd47,
    CounterTcpRetransmitTimeouts = 7'd48,
    CounterTcpFastRetransmits = 7'd49,
    CounterTcpRetransmittedSegments = 7'd50,
    CounterTcpWindowProbes = 7'd51,
    CounterTcpKeepaliveProbes = 7'd52,
    CounterTcpChallengeAcks = 7'd53,
    CounterTcpDelayedAcks = 7'd54,
    CounterTcpStoredSegments = 7'd55,
    CounterTcpSackBlocksIn = 7'd56,
    CounterTcpAccepted = 7'd57,
    CounterTcpOpened = 7'd58,
    CounterTcpClosed = 7'd59,
    CounterTcpReset = 7'd60,
    CounterTcpTimedOut = 7'd61,
    CounterTcpHalfOpenDropped = 7'd62,
    CounterTcpBytesIn = 7'd63,
    CounterTcpBytesOut = 7'd64,
    CounterStateForwarded = 7'd65,
    CounterStateHits = 7'd66,
    CounterStateMisses = 7'd67,
    CounterStateMerged = 7'd68,
    CounterStateReads = 7'd69,
    CounterStateLinesRead = 7'd70,
    CounterStateWriteBacks = 7'd71,
    CounterStateForgotten = 7'd72,
    CounterIndexHits = 7'd73,
    CounterIndexMisses = 7'd74,
    CounterIndexReads = 7'd75,
    CounterIndexSecondReads = 7'd76,
    CounterIndexKicks = 7'd77,
    CounterIndexRefused = 7'd78,
    CounterPageRefused = 7'd79
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
    amount[29] = byte_increment_t'(counters.icmp_errors_in);
    amount[30] = byte_increment_t'(counters.drop_icmp_stale);
    amount[31] = byte_increment_t'(counters.tcp_segments_in);
    amount[32] = byte_increment_t'(counters.tcp_segments_out);
    amount[33] = byte_increment_t'(counters.drop_tcp_checksum);
    amount[34] = byte_increment_t'(counters.drop_tcp_header);
    amount[35] = byte_increment_t'(counters.drop_tcp_no_connection);
    amount[36] = byte_increment_t'(counters.drop_tcp_no_room);
    amount[37] = byte_increment_t'(counters.drop_tcp_out_of_window);
    amount[38] = byte_increment_t'(counters.drop_tcp_out_of_order);
    amount[39] = byte_increment_t'(counters.drop_tcp_duplicate);
    amount[40] = byte_increment_t'(counters.drop_tcp_bad_ack);
    amount[41] = byte_increment_t'(counters.drop_tcp_no_ack);
    amount[42] = byte_increment_t'(counters.drop_tcp_syn);
    amount[43] = byte_increment_t'(counters.drop_tcp_closed);
    amount[44] = byte_increment_t'(counters.drop_tcp_timestamp);
    amount[45] = byte_increment_t'(counters.drop_tcp_no_page);
    amount[46] = byte_increment_t'(counters.tcp_resets_in);
    amount[47] = byte_increment_t'(counters.tcp_resets_out);
    amount[48] = byte_increment_t'(counters.tcp_retransmit_timeouts);
    amount[49] = byte_increment_t'(counters.tcp_fast_retransmits);
    amount[50] = byte_increment_t'(counters.tcp_retransmitted_segments);
    amount[51] = byte_increment_t'(counters.tcp_window_probes);
    amount[52] = byte_increment_t'(counters.tcp_keepalive_probes);
    amount[53] = byte_increment_t'(counters.tcp_challenge_acks);
    amount[54] = byte_increment_t'(counters.tcp_delayed_acks);
    amount[55] = byte_increment_t'(counters.tcp_stored_segments);
    amount[56] = byte_increment_t'(counters.tcp_sack_blocks_in);
    amount[57] = byte_increment_t'(counters.tcp_accepted);
    amount[58] = byte_increment_t'(counters.tcp_opened);
    amount[59] = byte_increment_t'(counters.tcp_closed);
    amount[60] = byte_increment_t'(counters.tcp_reset);
    amount[61] = byte_increment_t'(counters.tcp_timed_out);
    amount[62] = byte_increment_t'(counters.tcp_half_open_dropped);
    amount[63] = byte_increment_t'(counters.tcp_bytes_in);
    amount[64] = byte_increment_t'(counters.tcp_bytes_out);
    amount[65] = byte_increment_t'(counters.state_forwarded);
    amount[66] = byte_increment_t'(counters.state_hits);
    amount[67] = byte_increment_t'(counters.state_misses);
    amount[68] = byte_increment_t'(counters.state_merged);
    amount[69] = byte_increment_t'(counters.state_reads);
    amount[70] = byte_increment_t'(counters.state_lines_read);
    amount[71] = byte_increment_t'(counters.state_write_backs);
    amount[72] = byte_increment_t'(counters.state_forgotten);
    amount[73] = byte_increment_t'(counters.index_hits);
    amount[74] = byte_increment_t'(counters.index_misses);
    amount[75] = byte_increment_t'(counters.index_reads);
    amount[76] = byte_increment_t'(counters.index_second_reads);
    amount[77] = byte_increment_t'(counters.index_kicks);
    amount[78] = byte_increment_t'(counters.index_refused);
    amount[79] = byte_increment_t'(counters.page_refused);
    return amount;
  endfunction

  // One where a counter is of frames that were dropped.
  localparam logic [Counters-1:0] CountsDrops = 80'b00000000000000000000000000000000001111111111111001011100111111111100001111110000;

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
