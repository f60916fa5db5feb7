# SPDX-License-Identifier: Apache-2.0
"""What an IPv4 host on Ethernet does with a received frame: the executable specification of
rtl/ethernet, rtl/arp, rtl/ipv4 and rtl/icmp."""

import struct
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

BROADCAST = b"\xff" * 6


def internet_sum(data: bytes) -> int:
    """Ones' complement sum (RFC 1071), not inverted."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclass
class Fate:
    """What becomes of a frame: the one counter that it ends in, and what follows."""

    counter: str
    tcp: bytes = b""  # the packet that TCP gets
    echo: bytes = b""  # the ICMP message that answers
    peer: bytes = b""  # who gets it
    arp_reply: bytes = b""  # the ARP packet that answers
    learn: tuple[bytes, bytes, bool] | None = None  # IP, MAC, a new entry may be made


@dataclass
class IpHost:
    mac: bytes = bytes.fromhex("02544f450001")
    ip: IPv4Address = IPv4Address("10.77.0.2")
    mask: IPv4Address = IPv4Address("255.255.255.0")
    mtu: int = 1500
    network: IPv4Network = field(init=False)

    def __post_init__(self):
        self.network = IPv4Network(f"{self.ip}/{self.mask}", strict=False)

    def _is_subnet_broadcast(self, address: IPv4Address) -> bool:
        return self.network.prefixlen < 31 and address == self.network.broadcast_address

    def receive(self, frame: bytes, error: bool = False) -> Fate:
        if len(frame) > self.mtu + 14:
            return Fate("drop_giant")
        if error:
            return Fate("drop_fcs")
        if len(frame) < 60:
            return Fate("drop_runt")
        if frame[:6] not in (self.mac, BROADCAST):
            return Fate("drop_mac_address")
        if frame[12:14] == b"\x08\x06":
            return self._arp(frame[14:42])
        if frame[12:14] == b"\x08\x00":
            return self._ipv4(frame[14:], frame[:6] == BROADCAST)
        return Fate("drop_ethertype")

    def _arp(self, packet: bytes) -> Fate:
        form, operation = packet[:6], int.from_bytes(packet[6:8])
        mac, ip, target = packet[8:14], packet[14:18], packet[24:28]
        sender = IPv4Address(ip)
        sane = (
            form == b"\x00\x01\x08\x00\x06\x04"
            and operation in (1, 2)
            and mac != bytes(6)
            and not mac[0] & 1
            and ip[0] < 224
            and sender != self.ip
            and not self._is_subnet_broadcast(sender)
            and (operation == 1 or ip != bytes(4))
        )
        if not sane:
            return Fate("drop_arp_malformed")
        for_us = target == self.ip.packed
        learn = (ip, mac, for_us) if ip != bytes(4) else None
        if not for_us:
            return Fate("drop_arp_not_for_us", learn=learn)
        if operation == 2:
            return Fate("arp_replies_in", learn=learn)
        reply = form + b"\x00\x02" + self.mac + self.ip.packed + mac + ip
        return Fate("arp_requests_in", arp_reply=reply, learn=learn)

    def _ipv4(self, packet: bytes, broadcast: bool) -> Fate:
        header_bytes = (packet[0] & 15) * 4
        total_length, _, fragment = struct.unpack("!HHH", packet[2:8])
        if packet[0] >> 4 != 4:
            return Fate("drop_ip_version")
        if header_bytes < 20 or header_bytes > total_length:
            return Fate("drop_ip_header")
        # A header that runs past the frame cannot be summed: whatever is there, it is bad.
        if header_bytes <= len(packet) and internet_sum(packet[:header_bytes]) != 0xFFFF:
            return Fate("drop_ip_checksum")
        if header_bytes > len(packet):
            return Fate("drop_ip_checksum or drop_ip_length")
        if total_length > len(packet):
            return Fate("drop_ip_length")
        if fragment & 0x3FFF:
            return Fate("drop_ip_fragment")
        source, destination = IPv4Address(packet[12:16]), IPv4Address(packet[16:20])
        if (
            broadcast
            or destination != self.ip
            or packet[12] >= 224
            or packet[12] in (0, 127)
            or source == self.ip
            or self._is_subnet_broadcast(source)
        ):
            return Fate("drop_ip_address")
        packet = packet[:total_length]
        if packet[9] == 6:
            return Fate("tcp", tcp=packet)
        if packet[9] == 1:
            return self._icmp(packet[header_bytes:], packet[12:16])
        return Fate("drop_ip_protocol")

    def _icmp(self, message: bytes, peer: bytes) -> Fate:
        if len(message) < 8:
            return Fate("drop_icmp_length")
        if internet_sum(message) != 0xFFFF:
            return Fate("drop_icmp_checksum")
        if message[:2] != b"\x08\x00":
            return Fate("drop_icmp_type")
        reply = b"\0\0\0\0" + message[4:]
        # 0 and all ones say the same, except of a message of zeros: it takes all ones.
        checksum = internet_sum(reply) ^ 0xFFFF or 0xFFFF
        return Fate(
            "icmp_echo_in", echo=b"\0\0" + struct.pack("!H", checksum) + reply[4:], peer=peer
        )
