# SPDX-License-Identifier: Apache-2.0
"""Sends frames that nobody should send, and at a pace at which none is lost on the way.

Runs inside the network namespace and writes to the TAP interface with AF_PACKET. Seeds come from
scapy, and each frame is a seed that was damaged, or noise; the same --seed makes the same frames.
After each batch goes an ICMP echo request: when its answer is there, the engine has taken the
batch. Prints one line of JSON.
"""

import argparse
import json
import random
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable

from scapy.layers.dns import DNS
from scapy.layers.inet import (
    ICMP,
    IP,
    TCP,
    UDP,
    IPOption,
    IPOption_LSRR,
    IPOption_NOP,
    IPOption_Router_Alert,
    IPOption_RR,
    IPOption_Timestamp,
)
from scapy.layers.l2 import ARP, LLC, SNAP, Dot1Q, Dot3, Ether
from scapy.packet import Packet, Raw, fuzz

INTERFACE = "toe0"
HOST, ENGINE = "10.77.0.1", "10.77.0.2"
LISTENING = (7, 9, 19, 80)
BROADCAST = b"\xff" * 6
ETHER_IPV4, ETHER_ARP = 0x0800, 0x0806
PROTOCOL_ICMP, PROTOCOL_TCP = 1, 6
ODD_ADDRESSES = (
    "0.0.0.0", "127.0.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255",
    "10.77.0.255", "10.77.0.254", ENGINE,
)  # fmt: skip
# Whole and cut, too short and too long.
TCP_OPTIONS = (
    b"\0", b"\1", b"\2\4\5\xb4", b"\2\4\0\0", b"\2\3\1", b"\2\0", b"\2\1", b"\2\xff", b"\3\3\7",
    b"\4\2", b"\x08\x0a" + bytes(8),
)  # fmt: skip

SEEDS_OF_A_KIND = 120
LONGEST = 1900  # some are longer than the engine's MTU
MARK_ID = 0x7E57
BATCH = 200
ANSWER_SECONDS = 0.5
MOST_REPEATS = 20


class Forge:
    """Makes the frames. Two kinds are left out, since they would spoil the experiment, not the
    engine: ARP has no checksum, so a forged binding of the host's own address is one to believe;
    and the source address tells the two directions of a capture apart.
    """

    def __init__(self, seed: int, host_mac: bytes, engine_mac: bytes, ports: range) -> None:
        self.random = random.Random(seed)
        self.pick, self.draw = self.random.choice, self.random.randrange
        self.host_mac, self.engine_mac, self.ports = host_mac, engine_mac, ports
        # Scapy draws from the module's own generator.
        random.seed(seed)
        kinds = (
            self._arp,
            self._ip_options,
            self._ip_header,
            self._fragment,
            self._icmp,
            self._udp,
            self._tcp,
            self._tcp_options,
            self._checksums,
            self._lengths,
            self._addresses,
            self._other_types,
            self._fuzzed,
            self._giant,
        )
        self.seeds = [bytes(kind()) for kind in kinds for _ in range(SEEDS_OF_A_KIND)]
        self.made: Counter[str] = Counter()

    def frame(self) -> bytes:
        while True:
            damage = self.pick(DAMAGES)
            frame = damage(self, self.pick(self.seeds))[:LONGEST].ljust(14, b"\0")
            if not self._spoils(frame):
                self.made[damage.__name__.strip("_")] += 1
                return frame

    def _spoils(self, frame: bytes) -> bool:
        if frame[6:12] == self.engine_mac:
            return True
        of_arp = frame[12:14] == ETHER_ARP.to_bytes(2)
        return of_arp and frame[28:32] == socket.inet_aton(HOST) and frame[22:28] != self.host_mac

    # Seeds.

    def _ether(self, **fields) -> Packet:
        return Ether(**{"src": self.host_mac, "dst": self.engine_mac, **fields})

    def _ip(self, **fields) -> Packet:
        return self._ether() / IP(**{"src": HOST, "dst": ENGINE, **fields})

    def _bytes(self, most: int) -> bytes:
        return self.random.randbytes(self.draw(most))

    def _address(self) -> str:
        return self.pick((*ODD_ADDRESSES, socket.inet_ntoa(self.random.randbytes(4))))

    def _arp(self) -> Packet:
        whole = bytes(
            ARP(
                op=self.pick((1, 1, 1, 2, 2, 2, 0, 0xFFFF)),
                hwsrc=self.pick(
                    (*["02:00:00:00:00:99"] * 4, "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff")
                ),
                psrc=self._address(),
                hwdst="00:00:00:00:00:00",
                pdst=self.pick((ENGINE, ENGINE, self._address())),
            )
        )
        # What addresses these are; scapy would not write a length that differs from the address's.
        kinds = [1, 0x0800, 6, 4]
        if self.draw(3) == 0:
            place = self.draw(4)
            kinds[place] = self.pick(((0, 6, 0x100), (0x86DD,), (0, 5, 255), (0, 16))[place])
        front = struct.pack("!HHBB", *kinds)
        destination = self.pick((self.engine_mac, BROADCAST))
        return self._ether(dst=destination, type=ETHER_ARP) / Raw(front + whole[6:])

    def _ip_options(self) -> Packet:
        one = (
            lambda: IPOption_NOP(),
            lambda: IPOption_RR(routers=[ENGINE] * self.pick((0, 1, 3))),
            lambda: IPOption_LSRR(routers=[ENGINE, HOST]),
            lambda: IPOption_Timestamp(),
            lambda: IPOption_Router_Alert(),
            lambda: IPOption(
                option=self.draw(32), length=self.pick((0, 1, 2, 5, 255)), value=self._bytes(4)
            ),
        )
        upper = self.pick((ICMP() / self._bytes(30), self._segment()))
        return self._ip(options=[self.pick(one)() for _ in range(self.pick((1, 1, 2)))]) / upper

    def _ip_header(self) -> Packet:
        return self._ip(
            version=self.pick((4, 4, self.draw(16))),
            ihl=self.draw(16),
            tos=self.draw(256),
            id=self.draw(1 << 16),
            ttl=self.draw(256),
            flags=self.draw(8),
            proto=self.draw(256),
        ) / self._bytes(90)

    def _fragment(self) -> Packet:
        flags, offset = self.pick(((1, 0), (0, 1), (0, 8191), (1, 100), (4, 0)))
        upper = self.pick((self._segment(), ICMP() / self._bytes(60)))
        return self._ip(flags=flags, frag=offset) / upper

    def _icmp(self) -> Packet:
        type_ = self.pick((0, 3, 5, 8, 8, 8, 11, 13, self.draw(256)))
        whole = bytes(ICMP(type=type_, code=self.pick((0, 0, self.draw(256)))))
        cut = whole[: self.pick((1, 4, 7, 8, 8, 8))] + self._bytes(40)
        return self._ip(proto=PROTOCOL_ICMP) / Raw(cut)

    def _udp(self) -> Packet:
        return self._ip() / UDP(dport=self.pick(LISTENING), len=self.draw(64)) / DNS()

    def _segment(self, **fields) -> Packet:
        return TCP(
            **{
                "sport": self.pick(self.ports),
                "dport": self.pick((*LISTENING, *LISTENING, self.draw(1 << 16))),
                "seq": self.draw(1 << 32),
                "ack": self.draw(1 << 32),
                "window": self.draw(1 << 16),
                "flags": self.draw(1 << 9),
                "urgptr": self.draw(1 << 16),
                **fields,
            }
        ) / self._bytes(40)

    def _tcp(self) -> Packet:
        flags = self.pick(("S", "SA", "R", "RA", "F", "FA", "A", "PA", "SF", "SR", ""))
        return self._ip() / self._segment(flags=self.pick((flags, self.draw(512))))

    def _tcp_options(self) -> Packet:
        room = 4 * self.pick((1, 2, 3, 5, 10))
        options = b"".join(self.pick((*TCP_OPTIONS, self.random.randbytes(2))) for _ in range(10))
        # As often as not the header ends in the middle of an option, or beyond the segment.
        words = self.pick((5 + room // 4, 5 + room // 4, self.draw(16)))
        flags = self.pick(("S", "A", "PA"))
        segment = TCP(
            sport=self.pick(self.ports), dport=self.pick(LISTENING), dataofs=words, flags=flags
        )
        return self._ip() / segment / Raw(options[:room] + self._bytes(20))

    def _checksums(self) -> Packet:
        wrong = self.pick((0, 0xFFFF, self.draw(1 << 16)))
        return self.pick(
            (
                self._ip(chksum=wrong) / self._segment(),
                self._ip() / self._segment(chksum=wrong),
                self._ip() / ICMP(chksum=wrong) / self._bytes(40),
            )
        )

    def _lengths(self) -> Packet:
        length = self.pick((0, 19, 20, 24, 39, 40, 1500, 0xFFFF, self.draw(128)))
        return self._ip(len=length) / self.pick((self._segment(), ICMP() / self._bytes(40)))

    def _addresses(self) -> Packet:
        destination = self.pick(
            (self.random.randbytes(6), BROADCAST, b"\x01\0\x5e\0\0\1", self.engine_mac)
        )
        network = IP(src=self._address(), dst=self.pick((ENGINE, self._address())))
        return self._ether(dst=destination) / network / ICMP() / self._bytes(30)

    def _other_types(self) -> Packet:
        inner = IP(src=HOST, dst=ENGINE) / self._segment()
        return self.pick(
            (
                self._ether(type=self.draw(1 << 16)) / self._bytes(100),
                self._ether() / Dot1Q(vlan=self.draw(4096)) / inner,
                self._ether(type=0x86DD) / self._bytes(80),
                Dot3(src=self.host_mac, dst=self.engine_mac) / LLC() / SNAP() / self._bytes(60),
            )
        )

    def _fuzzed(self) -> Packet:
        fuzzed = self.pick(
            (
                fuzz(IP(src=HOST, dst=ENGINE) / TCP()),
                IP(src=HOST, dst=ENGINE) / fuzz(TCP()),
                fuzz(IP(src=HOST, dst=ENGINE) / ICMP()),
                IP(src=HOST, dst=ENGINE) / fuzz(UDP()),
            )
        )
        return self._ether(type=ETHER_IPV4) / fuzzed

    def _giant(self) -> Packet:
        longer = self.pick((80, 100, 120, 1460, 1461, 1480, 1600))
        return self._ip() / TCP(dport=9, sport=self.ports[0]) / self.random.randbytes(longer)

    # Damage.

    def _none(self, frame: bytes) -> bytes:
        return frame

    def _flipped_bits(self, frame: bytes) -> bytes:
        damaged = bytearray(frame)
        for _ in range(self.pick((1, 1, 2, 8))):
            damaged[self.draw(len(damaged))] ^= 1 << self.draw(8)
        return bytes(damaged)

    def _set_bytes(self, frame: bytes) -> bytes:
        damaged = bytearray(frame)
        for _ in range(self.pick((1, 2, 4))):
            place = self.draw(12, min(len(damaged), 74))
            damaged[place] = self.pick((0, 1, 0x7F, 0x80, 0xFF))
        return bytes(damaged)

    def _repaired(self, frame: bytes) -> bytes:
        """Damaged behind the addresses, and the checksums made to fit: it gets further in."""
        return repair(self._set_bytes(self._flipped_bits(frame)))

    def _shortened(self, frame: bytes) -> bytes:
        return frame[: self.draw(len(frame))]

    def _lengthened(self, frame: bytes) -> bytes:
        return frame + self._bytes(60)

    def _spliced(self, frame: bytes) -> bytes:
        other = self.pick(self.seeds)
        return frame[: self.draw(len(frame))] + other[self.draw(len(other)) :]

    def _noise_behind_the_header(self, frame: bytes) -> bytes:
        return frame[:14] + self._bytes(120)

    def _noise(self, frame: bytes) -> bytes:
        return self._bytes(120)


DAMAGES: tuple[Callable[[Forge, bytes], bytes], ...] = (
    Forge._none,
    Forge._flipped_bits,
    Forge._set_bytes,
    Forge._repaired,
    Forge._repaired,
    Forge._shortened,
    Forge._lengthened,
    Forge._spliced,
    Forge._noise_behind_the_header,
    Forge._noise,
)


def checksum(data: bytes) -> int:
    """Of RFC 1071, of data whose checksum field is zero."""
    total = int.from_bytes(data + bytes(len(data) % 2)) % 0xFFFF
    return 0xFFFF - total


def repair(frame: bytes) -> bytes:
    """An IPv4 packet from the host with checksums that fit, as far as its lengths allow."""
    if len(frame) < 54:
        return frame
    header = 4 * (frame[14] & 15)
    end = 14 + int.from_bytes(frame[16:18])
    upper = 14 + header
    if header < 20 or upper + 20 > end or end > len(frame):
        return frame
    fixed = bytearray(frame)
    fixed[24:26] = bytes(2)
    fixed[26:34] = socket.inet_aton(HOST) + socket.inet_aton(ENGINE)
    fixed[24:26] = checksum(fixed[14:upper]).to_bytes(2)
    if fixed[23] in (PROTOCOL_TCP, PROTOCOL_ICMP):
        of_tcp = fixed[23] == PROTOCOL_TCP
        place = upper + (16 if of_tcp else 2)
        pseudo = fixed[26:34] + struct.pack("!HH", PROTOCOL_TCP, end - upper) if of_tcp else b""
        fixed[place : place + 2] = bytes(2)
        fixed[place : place + 2] = checksum(bytes(pseudo + fixed[upper:end])).to_bytes(2)
    return bytes(fixed)


class Line:
    """The TAP interface."""

    def __init__(self) -> None:
        self._out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._out.bind((INTERFACE, 0))
        # Without ETH_P_ALL it does not hear what we send ourselves.
        self._in = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHER_IPV4))
        self._in.bind((INTERFACE, ETHER_IPV4))
        self._in.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.mac: bytes = self._out.getsockname()[4]
        self.sent = self.marks = self.repeats = 0

    def send(self, frame: bytes) -> None:
        self._out.send(frame)
        self.sent += 1

    def mark(self, engine_mac: bytes, number: int) -> None:
        """Sends an echo request and waits for its answer.

        It asks again, since the engine drops an answer when forged ARP has pushed the host out of
        its cache.
        """
        request = bytes(
            Ether(src=self.mac, dst=engine_mac)
            / IP(src=HOST, dst=ENGINE)
            / ICMP(id=MARK_ID, seq=number)
        )
        for _ in range(MOST_REPEATS):
            self._out.send(request)
            self.marks += 1
            deadline = time.monotonic() + ANSWER_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                self._in.settimeout(left)
                try:
                    frame = self._in.recv(2048)
                except TimeoutError:
                    break
                if (
                    frame[23:24] == b"\1"
                    and frame[34:35] == b"\0"
                    and frame[38:42] == request[38:42]
                ):
                    return
            self.repeats += 1
        raise SystemExit(f"the engine did not answer echo request {number}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine-mac", required=True)
    parser.add_argument(
        "--ports", type=int, nargs=2, required=True, help="source ports, first and last"
    )
    arguments = parser.parse_args()
    line = Line()
    engine_mac = bytes.fromhex(arguments.engine_mac.replace(":", ""))
    first, last = arguments.ports
    forge = Forge(arguments.seed, line.mac, engine_mac, range(first, last + 1))
    begin = time.monotonic()
    sent_bytes = 0
    for number in range(arguments.frames):
        frame = forge.frame()
        line.send(frame)
        sent_bytes += max(60, len(frame))
        if number % BATCH == BATCH - 1 or number == arguments.frames - 1:
            line.mark(engine_mac, (number // BATCH + 1) & 0xFFFF)
    print(
        json.dumps(
            {
                "sent": line.sent,
                "bytes": sent_bytes,
                "marks": line.marks,
                "repeats": line.repeats,
                "damage": forge.made,
                "seconds": time.monotonic() - begin,
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
