// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace toehold {

using MacAddress = std::array<std::uint8_t, 6>;

constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10;

/// A TCP segment over IPv4 over Ethernet.
struct Segment {
  std::uint32_t source_ip = 0, destination_ip = 0;
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint32_t seq = 0, ack = 0;
  std::uint8_t flags = 0;
  std::uint16_t window = 0;
  std::uint16_t mss = 0;  // option of a SYN; 0: absent
  const std::uint8_t* payload = nullptr;
  std::size_t length = 0;  // of the payload
};

struct ArpPacket {
  bool reply = false;
  MacAddress sender_mac{}, target_mac{};
  std::uint32_t sender_ip = 0, target_ip = 0;
};

void build(const Segment& segment, const MacAddress& source, const MacAddress& destination,
           std::vector<std::uint8_t>& frame);
void build(const ArpPacket& packet, const MacAddress& destination,
           std::vector<std::uint8_t>& frame);

/// The segment in a frame, which the payload points into; nothing if it is none, or if a checksum or a
/// length is wrong.
std::optional<Segment> parse_segment(const std::uint8_t* frame, std::size_t length);
std::optional<ArpPacket> parse_arp(const std::uint8_t* frame, std::size_t length);

}  // namespace toehold
