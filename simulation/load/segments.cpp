// SPDX-License-Identifier: Apache-2.0

#include "load/segments.h"

#include <algorithm>
#include <cstring>

#include "models/frame.h"

namespace toehold {

namespace {

constexpr std::size_t kIp = kEthernetHeaderBytes;
constexpr std::size_t kIpHeader = 20;
constexpr std::size_t kTcp = kIp + kIpHeader;
constexpr std::size_t kTcpHeader = 20;
constexpr std::size_t kArpBytes = 28;
constexpr std::uint16_t kTypeIp = 0x0800, kTypeArp = 0x0806;
constexpr std::uint8_t kProtocolTcp = 6;

void put16(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

void put32(std::uint8_t* at, std::uint32_t value) {
  put16(at, value >> 16);
  put16(at + 2, value & 0xffff);
}

std::uint16_t get16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
std::uint32_t get32(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(get16(at)) << 16 | get16(at + 2);
}

// One's complement sum, not folded. Words may be summed in any byte order (RFC 1071), so in the
// host's; this builds for little-endian hosts.
std::uint64_t sum(const std::uint8_t* bytes, std::size_t length) {
  std::uint64_t total = 0;
  for (; length >= 4; bytes += 4, length -= 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes, 4);
    total += word;
  }
  std::uint32_t rest = 0;
  std::memcpy(&rest, bytes, length);
  return total + rest;
}

// As it stands in a header, to be copied there byte by byte.
std::uint16_t folded(std::uint64_t total) {
  while (total >> 16) total = (total & 0xffff) + (total >> 16);
  return static_cast<std::uint16_t>(~total);
}

std::uint64_t pseudo_header(const std::uint8_t* ip, std::size_t tcp_length) {
  std::uint8_t rest[4] = {0, kProtocolTcp, 0, 0};
  put16(rest + 2, static_cast<std::uint32_t>(tcp_length));
  return sum(ip + 12, 8) + sum(rest, 4);
}

void put_ethernet(std::uint8_t* at, const MacAddress& destination, const MacAddress& source,
                  std::uint16_t type) {
  std::copy(destination.begin(), destination.end(), at);
  std::copy(source.begin(), source.end(), at + 6);
  put16(at + 12, type);
}

}  // namespace

void build(const Segment& segment, const MacAddress& source, const MacAddress& destination,
           std::vector<std::uint8_t>& frame) {
  const std::size_t options = segment.mss != 0 ? 4 : 0;
  const std::size_t tcp_length = kTcpHeader + options + segment.length;
  frame.assign(std::max(kTcp + tcp_length, kMinimumFrameBytes), 0);
  put_ethernet(frame.data(), destination, source, kTypeIp);

  std::uint8_t* const ip = frame.data() + kIp;
  ip[0] = 0x45;
  put16(ip + 2, static_cast<std::uint32_t>(kIpHeader + tcp_length));
  ip[6] = 0x40;  // not to be fragmented
  ip[8] = 64;
  ip[9] = kProtocolTcp;
  put32(ip + 12, segment.source_ip);
  put32(ip + 16, segment.destination_ip);
  const std::uint16_t ip_sum = folded(sum(ip, kIpHeader));
  std::memcpy(ip + 10, &ip_sum, 2);

  std::uint8_t* const tcp = frame.data() + kTcp;
  put16(tcp, segment.source_port);
  put16(tcp + 2, segment.destination_port);
  put32(tcp + 4, segment.seq);
  put32(tcp + 8, segment.ack);
  tcp[12] = static_cast<std::uint8_t>((kTcpHeader + options) << 2);
  tcp[13] = segment.flags;
  put16(tcp + 14, segment.window);
  if (options != 0) {
    tcp[20] = 2;
    tcp[21] = 4;
    put16(tcp + 22, segment.mss);
  }
  if (segment.length != 0) {
    std::memcpy(tcp + kTcpHeader + options, segment.payload, segment.length);
  }
  const std::uint16_t tcp_sum = folded(pseudo_header(ip, tcp_length) + sum(tcp, tcp_length));
  std::memcpy(tcp + 16, &tcp_sum, 2);
}

void build(const ArpPacket& packet, const MacAddress& destination,
           std::vector<std::uint8_t>& frame) {
  frame.assign(kMinimumFrameBytes, 0);
  put_ethernet(frame.data(), destination, packet.sender_mac, kTypeArp);
  std::uint8_t* const arp = frame.data() + kEthernetHeaderBytes;
  put16(arp, 1);
  put16(arp + 2, kTypeIp);
  arp[4] = 6;
  arp[5] = 4;
  put16(arp + 6, packet.reply ? 2 : 1);
  std::copy(packet.sender_mac.begin(), packet.sender_mac.end(), arp + 8);
  put32(arp + 14, packet.sender_ip);
  std::copy(packet.target_mac.begin(), packet.target_mac.end(), arp + 18);
  put32(arp + 24, packet.target_ip);
}

std::optional<Segment> parse_segment(const std::uint8_t* frame, std::size_t length) {
  if (length < kTcp + kTcpHeader || get16(frame + 12) != kTypeIp) return std::nullopt;
  const std::uint8_t* const ip = frame + kIp;
  const std::size_t ip_length = get16(ip + 2);
  if (ip[0] != 0x45 || ip[9] != kProtocolTcp || ip_length < kIpHeader + kTcpHeader ||
      kIp + ip_length > length || folded(sum(ip, kIpHeader)) != 0) {
    return std::nullopt;
  }
  const std::uint8_t* const tcp = frame + kTcp;
  const std::size_t tcp_length = ip_length - kIpHeader;
  const std::size_t header = (tcp[12] >> 4) * 4u;
  if (header < kTcpHeader || header > tcp_length ||
      folded(pseudo_header(ip, tcp_length) + sum(tcp, tcp_length)) != 0) {
    return std::nullopt;
  }

  Segment segment;
  segment.source_ip = get32(ip + 12);
  segment.destination_ip = get32(ip + 16);
  segment.source_port = get16(tcp);
  segment.destination_port = get16(tcp + 2);
  segment.seq = get32(tcp + 4);
  segment.ack = get32(tcp + 8);
  segment.flags = tcp[13];
  segment.window = get16(tcp + 14);
  segment.payload = tcp + header;
  segment.length = tcp_length - header;
  for (std::size_t at = kTcpHeader; at < header && tcp[at] != 0;) {
    if (tcp[at] == 1) {
      at++;
      continue;
    }
    if (at + 1 >= header || tcp[at + 1] < 2 || at + tcp[at + 1] > header) break;
    if (tcp[at] == 2 && tcp[at + 1] == 4) segment.mss = get16(tcp + at + 2);
    at += tcp[at + 1];
  }
  return segment;
}

std::optional<ArpPacket> parse_arp(const std::uint8_t* frame, std::size_t length) {
  if (length < kEthernetHeaderBytes + kArpBytes || get16(frame + 12) != kTypeArp) {
    return std::nullopt;
  }
  const std::uint8_t* const arp = frame + kEthernetHeaderBytes;
  ArpPacket packet;
  packet.reply = get16(arp + 6) == 2;
  std::copy(arp + 8, arp + 14, packet.sender_mac.begin());
  packet.sender_ip = get32(arp + 14);
  std::copy(arp + 18, arp + 24, packet.target_mac.begin());
  packet.target_ip = get32(arp + 24);
  return packet;
}

}  // namespace toehold
