# SPDX-License-Identifier: Apache-2.0
"""The far end of a TCP connection, in software: what a segment says, a wire with hosts on it, a
peer that plays scripts segment by segment, and one that behaves as TCP should on a wire that loses,
repeats and reorders.

Nothing here knows how the engine works; all of it is written from RFC 9293, 5681 and 793's header.
"""

import random
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from models.ip_host import BROADCAST, internet_sum

FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
FLAG_NAMES = "FSRPAUEC"
MASK = 0xFFFFFFFF

ETHERTYPE_ARP, ETHERTYPE_IP = b"\x08\x06", b"\x08\x00"


def seq_add(seq: int, count: int) -> int:
    return (seq + count) & MASK


def seq_diff(a: int, b: int) -> int:
    """a - b as a signed number."""
    return ((a - b + 0x80000000) & MASK) - 0x80000000


def mss_option(mss: int) -> bytes:
    return struct.pack("!BBH", 2, 4, mss)


@dataclass
class Segment:
    """A TCP segment as it is on the wire, with the addresses around it."""

    source: str = ""
    destination: str = ""
    sport: int = 0
    dport: int = 0
    seq: int = 0
    ack: int = 0
    flags: int = 0
    window: int = 0
    payload: bytes = b""
    options: bytes = b""
    offset: int | None = None  # in words; None: as the options are long
    checksum: int | None = None  # None: the right one
    ip_options: bytes = b""
    when: int = 0  # clock in which it was seen

    def __str__(self) -> str:
        names = "".join(n for i, n in enumerate(FLAG_NAMES) if self.flags >> i & 1) or "-"
        text = f"{names} seq={self.seq:#x} ack={self.ack:#x} win={self.window}"
        if self.payload:
            text += f" len={len(self.payload)}"
        return text + (f" options={self.options.hex()}" if self.options else "")

    @property
    def end(self) -> int:
        """Sequence number after it."""
        count = len(self.payload) + bool(self.flags & SYN) + bool(self.flags & FIN)
        return seq_add(self.seq, count)

    @property
    def mss(self) -> int | None:
        """Of its MSS option."""
        rest = self.options
        while rest and rest[0] != 0:
            if rest[0] == 1:
                rest = rest[1:]
                continue
            assert len(rest) >= 2 and 2 <= rest[1] <= len(rest), f"bad options: {self}"
            if rest[0] == 2:
                return int.from_bytes(rest[2:4])
            rest = rest[rest[1] :]
        return None

    def packet(self, identification: int = 0) -> bytes:
        """The IP packet."""
        assert len(self.options) % 4 == 0 or self.offset is not None
        offset = 5 + len(self.options) // 4 if self.offset is None else self.offset
        words = offset << 12 | self.flags
        header = struct.pack(
            "!HHIIHHHH", self.sport, self.dport, self.seq, self.ack, words, self.window, 0, 0
        )
        tcp = bytearray(header + self.options + self.payload)
        source, destination = IPv4Address(self.source).packed, IPv4Address(self.destination).packed
        pseudo = source + destination + struct.pack("!HH", 6, len(tcp))
        checksum = internet_sum(pseudo + tcp) ^ 0xFFFF if self.checksum is None else self.checksum
        tcp[16:18] = struct.pack("!H", checksum)
        words = 5 + len(self.ip_options) // 4
        ip = bytearray(
            struct.pack(
                "!BBHHHBBH", 0x40 | words, 0, words * 4 + len(tcp), identification, 0x4000, 64, 6, 0
            )
            + source
            + destination
            + self.ip_options
        )
        ip[10:12] = struct.pack("!H", internet_sum(bytes(ip)) ^ 0xFFFF)
        return bytes(ip + tcp)

    @classmethod
    def parse(cls, packet: bytes) -> "Segment":
        """From an IP packet; every sum and length is checked."""
        assert packet[0] == 0x45, f"IP version and header length {packet[0]:#x}"
        length, identification, fragment, ttl, protocol = struct.unpack("!HHHBB", packet[2:10])
        assert length <= len(packet), "IP packet is cut short"
        assert internet_sum(packet[:20]) == 0xFFFF, "IP header checksum"
        assert fragment == 0x4000 and ttl == 64 and protocol == 6, f"IP header {packet[:20].hex()}"
        tcp = packet[20:length]
        pseudo = packet[12:20] + struct.pack("!HH", 6, len(tcp))
        assert internet_sum(pseudo + tcp) == 0xFFFF, f"TCP checksum of {tcp.hex()}"
        sport, dport, seq, ack, words, window, _, urgent = struct.unpack("!HHIIHHHH", tcp[:20])
        assert not words & 0x0FC0 and urgent == 0, f"TCP header {tcp[:20].hex()}"
        start = (words >> 12) * 4
        assert 20 <= start <= len(tcp), f"TCP data offset {words >> 12}"
        return cls(
            source=str(IPv4Address(packet[12:16])), destination=str(IPv4Address(packet[16:20])),
            sport=sport, dport=dport, seq=seq, ack=ack, flags=words & 0x3F, window=window,
            options=tcp[20:start], payload=tcp[start:],
        )  # fmt: skip


class Wire:
    """The Ethernet between the engine and hosts. `transmit` takes a frame to the engine; `arrived`
    is called with each frame from it. Hosts answer ARP requests; segments go to who is there for
    them, all others to `others`."""

    def __init__(self, transmit: Callable[[bytes], None], now: Callable[[], int]):
        self.transmit, self.now = transmit, now
        self.engine_mac = bytes.fromhex("02544f450001")
        self.engine_ip = "10.77.0.2"
        self.hosts: dict[str, bytes] = {}
        self.ends: dict[tuple[str, int, int], Callable[[Segment], None]] = {}
        self.frames: list[bytes] = []
        self.others: deque = deque()
        self.answers_arp = True
        self.identification = 0

    def host(self, ip: str) -> bytes:
        if ip not in self.hosts:
            self.hosts[ip] = b"\x02\x00" + IPv4Address(ip).packed
        return self.hosts[ip]

    def ethernet(self, ip: str, ethertype: bytes, payload: bytes, destination=None) -> bytes:
        frame = (destination or self.engine_mac) + self.host(ip) + ethertype + payload
        return frame.ljust(60, b"\0")

    def arp(self, ip: str, operation: int = 1) -> None:
        """Say hello from `ip` (a request), or answer."""
        mac, own = self.host(ip), IPv4Address(ip).packed
        target = IPv4Address(self.engine_ip).packed
        packet = b"\0\1\x08\0\6\4" + struct.pack("!H", operation) + mac + own
        packet += (bytes(6) if operation == 1 else self.engine_mac) + target
        self.transmit(
            self.ethernet(ip, ETHERTYPE_ARP, packet, BROADCAST if operation == 1 else None)
        )

    def send(self, segment: Segment) -> None:
        self.identification = (self.identification + 1) & 0xFFFF
        packet = segment.packet(self.identification)
        self.transmit(self.ethernet(segment.source, ETHERTYPE_IP, packet))

    def arrived(self, frame: bytes) -> None:
        assert len(frame) >= 60, f"a frame of {len(frame)} bytes"
        self.frames.append(frame)
        assert frame[6:12] == self.engine_mac, "source MAC"
        if frame[12:14] == ETHERTYPE_ARP:
            self._arp(frame)
            return
        assert frame[12:14] == ETHERTYPE_IP, f"ethertype {frame[12:14].hex()}"
        target = str(IPv4Address(frame[30:34]))
        assert frame[:6] == self.host(target), f"destination MAC {frame[:6].hex()} for {target}"
        if frame[23] != 6:
            self.others.append(frame)
            return
        segment = Segment.parse(frame[14:])
        segment.when = self.now()
        assert segment.source == self.engine_ip, f"source IP {segment.source}"
        key = (segment.destination, segment.dport, segment.sport)
        self.ends.get(key, self.others.append)(segment)

    def _arp(self, frame: bytes) -> None:
        operation, target = frame[20:22], str(IPv4Address(frame[38:42]))
        if operation == b"\0\1" and self.answers_arp and target in self.hosts:
            self.arp(target, 2)
        else:
            self.others.append(frame)


class ScriptedPeer:
    """One end of a connection that does what the test says, segment by segment.

    It keeps the numbers that a script wants as defaults: `nxt`, what it sends next; `got`, what it
    acknowledges (moved by `take` alone). Whatever the script does, it checks every segment from the
    engine against what any correct TCP obeys: the window that we gave, what was sent before, a
    window that does not shrink, acknowledgements of what we sent and no more.
    """

    def __init__(
        self, wire: Wire, clocks, port=None, dport=7, ip="10.77.0.1", isn=None, window=8192
    ):
        self.wire, self.clocks = wire, clocks
        self.ip, self.port, self.dport = ip, port or random.randint(1024, 65535), dport
        self.nxt = random.getrandbits(32) if isn is None else isn
        self.irs: int | None = None
        self.got = 0
        self.window = window
        self.inbox: deque[Segment] = deque()
        self.history: list[tuple[str, Segment]] = []
        self.sent: dict[int, int] = {}  # byte by byte: what the engine sent at each number
        self.edge: int | None = None  # the farthest we ever allowed
        self.engine_edge: int | None = None  # the farthest the engine ever allowed
        self.highest = self.nxt  # after the last we ever sent
        self.lenient = False  # do not check (scripts that break rules themselves)
        self.may_exceed = False
        self.acked, self.seen = None, 0  # acknowledged() saw last
        self.syn: Segment | None = None  # the engine's, if it opened the connection
        wire.host(ip)
        wire.ends[ip, self.port, dport] = self.arrived

    def leave(self) -> None:
        """What comes for this end goes to `wire.others` from now on."""
        self.wire.ends.pop((self.ip, self.port, self.dport))

    # ---- to the engine

    def send(self, flags=ACK, payload=b"", seq=None, ack=None, window=None, **fields) -> Segment:
        """By default: next in order, acknowledging all that was taken."""
        segment = Segment(
            source=self.ip, destination=self.wire.engine_ip, sport=self.port, dport=self.dport,
            seq=self.nxt if seq is None else seq & MASK,
            ack=(self.got if ack is None else ack & MASK) if flags & ACK else 0,
            flags=flags, window=self.window if window is None else window,
            payload=payload, **fields,
        )  # fmt: skip
        if window is not None:
            self.window = window
        if seq is None:
            self.nxt = segment.end
        if seq_diff(segment.end, self.highest) > 0:
            self.highest = segment.end
        if flags & ACK:
            edge = seq_add(segment.ack, segment.window)
            if self.edge is None or seq_diff(edge, self.edge) > 0:
                self.edge = edge
        self.history.append((">", segment))
        self.wire.send(segment)
        return segment

    # ---- from the engine

    def arrived(self, segment: Segment) -> None:
        self.history.append(("<", segment))
        self.inbox.append(segment)
        if not self.lenient and not segment.flags & RST:
            self._check(segment)

    def _check(self, segment: Segment) -> None:
        if segment.flags & SYN:
            if self.irs is None:
                self.irs = segment.seq
            assert segment.seq == self.irs, f"another initial sequence number: {segment}"
        start = seq_add(segment.seq, bool(segment.flags & SYN))
        for position, byte in enumerate(segment.payload):
            number = seq_add(start, position)
            known = self.sent.setdefault(number, byte)
            assert known == byte, f"other bytes than before at {number:#x}: {segment}{self}"
        if segment.payload and self.edge is not None and not self.may_exceed:
            end = seq_add(start, len(segment.payload))
            beyond = seq_diff(end, self.edge)
            assert beyond <= 0, f"{beyond} bytes beyond our window: {segment}{self}"
        if segment.flags & ACK:
            ahead = seq_diff(segment.ack, self.highest)
            assert ahead <= 0, f"acknowledges what was not sent: {segment}{self}"
            edge = seq_add(segment.ack, segment.window)
            if self.engine_edge is not None:
                shrunk = seq_diff(self.engine_edge, edge)
                assert shrunk <= 0, f"window shrunk by {shrunk}: {segment}{self}"
            self.engine_edge = edge

    def __str__(self) -> str:
        lines = [f"  {d} {s}" for d, s in self.history[-30:]]
        return "\n" + "\n".join(lines)

    async def receive(self, clocks=3000) -> Segment:
        """The next segment from the engine."""
        for _ in range(clocks):
            if self.inbox:
                return self.inbox.popleft()
            await self.clocks(1)
        raise AssertionError(f"nothing came in {clocks} clocks{self}")

    async def expect(self, flags=None, clocks=3000, **fields) -> Segment:
        """The next segment, which must have these flags (PSH does not matter) and fields."""
        segment = await self.receive(clocks)
        if flags is not None:
            assert segment.flags & ~PSH == flags, f"flags: got {segment}{self}"
        for name, value in fields.items():
            if name in ("seq", "ack"):
                value &= MASK
            assert getattr(segment, name) == value, f"{name}={value}: got {segment}{self}"
        return segment

    async def silent(self, clocks=300) -> None:
        """Nothing comes."""
        for _ in range(clocks):
            assert not self.inbox, f"unexpected {self.inbox[0]}{self}"
            await self.clocks(1)

    async def acknowledged(self, clocks=3000, **fields) -> Segment:
        """The next segment but for window updates, which acknowledge nothing new."""
        while True:
            segment = await self.expect(ACK, clocks)
            if segment.ack == self.acked and segment.payload == b"" and segment.window > self.seen:
                self.seen = segment.window
                continue
            self.acked, self.seen = segment.ack, segment.window
            for name, value in fields.items():
                value = value & MASK if name in ("seq", "ack") else value
                assert getattr(segment, name) == value, f"{name}={value}: got {segment}{self}"
            return segment

    async def data(self, count: int, clocks=6000, acknowledge=True) -> bytes:
        """The next `count` bytes, in order and sent once; acknowledged as they come."""
        data = b""
        while len(data) < count:
            segment = await self.receive(clocks)
            if segment.payload:
                assert segment.seq == self.got, f"not in order: {segment}{self}"
                data += segment.payload
                self.take(segment)
                if acknowledge:
                    self.send()
        assert len(data) == count, f"{len(data)} bytes, {count} expected"
        return data

    def take(self, segment: Segment) -> None:
        """Acknowledge up to its end from now on."""
        self.got = segment.end

    async def connect(self, mss: int | None = 1460, **fields) -> Segment:
        """Handshake; the engine's SYN-ACK."""
        self.send(SYN, options=mss_option(mss) if mss else b"", **fields)
        answer = await self.expect(SYN | ACK, ack=self.nxt)
        self.take(answer)
        self.edge = seq_add(answer.end, 0)
        self.send(ACK)
        return answer

    async def answer(self, mss: int | None = 1460, **fields) -> Segment:
        """Handshake of a connection that the engine opens; its ACK."""
        self.send(SYN | ACK, options=mss_option(mss) if mss else b"", **fields)
        return await self.expect(ACK, seq=self.got, ack=self.nxt, payload=b"")


@dataclass
class Weather:
    """What the wire does to segments of a behaving peer, each way."""

    loss: float = 0.0
    duplicate: float = 0.0
    delay: Callable[[random.Random], int] = field(default=lambda generator: 200)  # clocks


class BehavingPeer(ScriptedPeer):
    """A TCP of its own for bulk transfer: keeps segments that come early, acknowledges, retransmits
    (go-back by timer and after three duplicate acknowledgements), observes the engine's window.

    `step` is called every clock. Data to send is appended to `outgoing`; what came in order is in
    `incoming`. With `close_after` it sends FIN when all is sent.
    """

    def __init__(self, wire, clocks, generator: random.Random, weather=None, mss=1460,
                 ring=8192, rto_clocks=30000, **options):  # fmt: skip
        super().__init__(wire, clocks, window=ring, **options)
        self.random = generator
        self.weather = weather or Weather()
        self.mss, self.ring, self.rto_clocks = mss, ring, rto_clocks
        self.outgoing = bytearray()
        self.incoming = bytearray()
        self.early: dict[int, bytes] = {}
        self.early_fin: int | None = None
        self.una = self.limit = 0
        self.base = 0  # sequence number of outgoing[0]
        self.state = "closed"
        self.close_after = False
        self.fin_sent = self.fin_received = self.fin_acked = False
        self.reset = False
        self.timer: int | None = None
        self.duplicates = 0
        self.air: list[tuple[int, int, str, Segment]] = []
        self.count = 0
        self.retransmissions = 0
        self.taken = 0  # of incoming, by the application of this end
        self.reads_per_clock = 1 << 30
        self.engine_mss = 536

    @property
    def done(self) -> bool:
        return self.reset or (self.fin_acked and self.fin_received)

    def open(self) -> None:
        self.state = "syn"
        self.una = self.nxt
        self._launch(SYN, seq=self.una, options=mss_option(self.mss))
        self.nxt = seq_add(self.una, 1)
        self.base = self.nxt
        self.timer = self.wire.now() + self.rto_clocks

    # ---- the air between the two ends

    def _fly(self, direction: str, segment: Segment) -> None:
        weather = self.weather
        if self.random.random() < weather.loss:
            return
        copies = 2 if self.random.random() < weather.duplicate else 1
        for _ in range(copies):
            self.count += 1
            arrival = self.wire.now() + weather.delay(self.random)
            self.air.append((arrival, self.count, direction, segment))

    def _launch(self, flags, payload=b"", seq=None, options=b"") -> None:
        window = min(65535, max(0, self.ring - (len(self.incoming) - self.taken)))
        segment = Segment(
            source=self.ip, destination=self.wire.engine_ip, sport=self.port, dport=self.dport,
            seq=seq, ack=self.got if flags & ACK else 0, flags=flags, window=window,
            payload=payload, options=options,
        )  # fmt: skip
        if seq_diff(segment.end, self.highest) > 0:
            self.highest = segment.end
        if flags & ACK:
            edge = seq_add(segment.ack, segment.window)
            if self.edge is None or seq_diff(edge, self.edge) > 0:
                self.edge = edge
        self.history.append((">", segment))
        self._fly(">", segment)

    def arrived(self, segment: Segment) -> None:
        self.history.append(("<", segment))
        if not segment.flags & RST:
            self._check(segment)
        self._fly("<", segment)

    def step(self) -> None:
        now = self.wire.now()
        if self.air and min(self.air)[0] <= now:
            due = sorted(entry for entry in self.air if entry[0] <= now)
            self.air = [entry for entry in self.air if entry[0] > now]
            for _, _, direction, segment in due:
                if direction == ">":
                    self.wire.send(segment)
                else:
                    self._process(segment)
        if self.taken < len(self.incoming):
            before = len(self.incoming) - self.taken
            self.taken = min(len(self.incoming), self.taken + self.reads_per_clock)
            opened = (
                self.ring - before < 2 * self.mss <= self.ring - (len(self.incoming) - self.taken)
            )
            if opened and self.state == "open" and self.reads_per_clock < 1 << 30:
                self._launch(ACK, seq=self.nxt)
        if self.timer is not None and now >= self.timer:
            self._retransmit()
        if self.state == "open":
            self._send_more()

    # ---- TCP

    def _process(self, segment: Segment) -> None:
        if segment.flags & RST:
            # In TIME_WAIT an answer to what came late says nothing (RFC 1337).
            self.reset = self.reset or not self.done
            self.timer = None
            return
        if self.state == "syn":
            if segment.flags & (SYN | ACK) == SYN | ACK and segment.ack == self.nxt:
                self.state = "open"
                self.una = segment.ack
                self.got = segment.end
                self.engine_mss = segment.mss or 536
                self.limit = seq_add(segment.ack, segment.window)
                self.timer = None
                self._launch(ACK, seq=self.nxt)
            return
        if segment.flags & SYN:
            self._launch(ACK, seq=self.nxt)
            return
        if segment.flags & ACK:
            self._acknowledged(segment)
        if segment.payload or segment.flags & FIN:
            self._accept(segment)
            self._launch(ACK, seq=self.nxt)
        elif seq_diff(segment.seq, self.got) < 0:
            self._launch(ACK, seq=self.nxt)

    def _acknowledged(self, segment: Segment) -> None:
        advance = seq_diff(segment.ack, self.una)
        edge = seq_add(segment.ack, segment.window)
        if advance > 0:
            self.una = segment.ack
            self.duplicates = 0
            if seq_diff(self.una, self.nxt) > 0:
                self.nxt = self.una
            end = seq_add(self.base, len(self.outgoing))
            if self.fin_sent and seq_diff(self.una, end) > 0:
                self.fin_acked = True
            self.timer = None if self.una == self.highest else self.wire.now() + self.rto_clocks
        elif advance == 0 and not segment.payload and edge == self.limit and self.una != self.nxt:
            self.duplicates += 1
            if self.duplicates == 3:
                self._again()
        if seq_diff(edge, self.limit) > 0:
            self.limit = edge

    def _accept(self, segment: Segment) -> None:
        if segment.flags & FIN:
            self.early_fin = seq_add(segment.seq, len(segment.payload))
        if segment.payload:
            kept = self.early.get(segment.seq, b"")
            if len(segment.payload) > len(kept):
                self.early[segment.seq] = segment.payload
        moved = True
        while moved:
            moved = False
            for seq, payload in list(self.early.items()):
                skip = seq_diff(self.got, seq)
                if skip >= len(payload):
                    del self.early[seq]
                elif skip >= 0:
                    self.incoming += payload[skip:]
                    self.got = seq_add(seq, len(payload))
                    del self.early[seq]
                    moved = True
        if self.early_fin is not None and self.got == self.early_fin and not self.fin_received:
            self.fin_received = True
            self.got = seq_add(self.got, 1)

    def _segment_at(self, seq: int, room: int) -> tuple[bytes, bool]:
        start = seq_diff(seq, self.base)
        size = min(self.engine_mss, self.mss, len(self.outgoing) - start, room)
        payload = bytes(self.outgoing[start : start + size]) if size > 0 else b""
        fin = self.close_after and start + len(payload) == len(self.outgoing) and room > size
        return payload, fin

    def _again(self) -> None:
        room = seq_diff(self.limit, self.una)
        payload, fin = self._segment_at(self.una, max(room, 1))
        if payload or fin:
            self.retransmissions += 1
            self.fin_sent |= fin
            self._launch(ACK | PSH | (FIN if fin else 0), payload, seq=self.una)

    def _retransmit(self) -> None:
        self.timer = self.wire.now() + self.rto_clocks
        if self.state == "syn":
            self._launch(SYN, seq=self.una, options=mss_option(self.mss))
        else:
            self._again()  # also probes a closed window, by one byte
            end = seq_add(self.una, 0)
            self.nxt = max(self.nxt, end, key=lambda n: seq_diff(n, self.una))

    def _send_more(self) -> None:
        end = seq_add(self.base, len(self.outgoing))
        while True:
            room = seq_diff(self.limit, self.nxt)
            if seq_diff(end, self.nxt) < 0 or (self.fin_sent and self.nxt == seq_add(end, 1)):
                return
            payload, fin = self._segment_at(self.nxt, room)
            if self.nxt == end and not (fin and not self.fin_sent):
                return
            if room <= 0 or not (payload or fin):
                if self.timer is None:
                    self.timer = self.wire.now() + self.rto_clocks
                return
            self.fin_sent |= fin
            self._launch(ACK | PSH | (FIN if fin else 0), payload, seq=self.nxt)
            self.nxt = seq_add(self.nxt, len(payload) + fin)
            if self.timer is None:
                self.timer = self.wire.now() + self.rto_clocks
