# SPDX-License-Identifier: Apache-2.0
"""The far end of one connection: sends what the script says, and holds each segment of the engine
against what the script expects of it. Written from the RFCs and scapy; knows nothing of the engine.

    peer = Peer(bench)
    peer.send("S", options=[("MSS", 1460)])
    peer.expect("SA")
    peer.send("A")
    peer.send("A", length=100)
    peer.expect("A", ack=100)
    peer.expect("A", length=100, after=RTO)

Sequence and acknowledgement numbers are places in a direction's stream: 0 is its first byte, -1 the
SYN. Payload is the stream's own at that place (scripts.stream), so nobody has to write bytes down.

What a script leaves out has its usual value. Of `send`: the next in order (`nxt`), acknowledging
all that was taken from the engine (`got`). Of `expect`: no payload, the next new byte of the
engine, all acknowledged that was sent in order. PSH is not a part of `flags`; `push` asks for it.

Beside the script, `Peer` checks of every segment what holds for any TCP at any time.
"""

from dataclasses import dataclass, field

from scapy.compat import raw
from scapy.layers.inet import ICMP, IP, TCP, in4_chksum
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import checksum

from scripts.bench import (
    ENGINE_IP,
    ENGINE_MAC,
    PEER_IP,
    PEER_MAC,
    TIMER_SLACK_US,
    Bench,
    Session,
)
from scripts.stream import from_engine, from_peer
from toehold.simulation import FrameOut

WORD = 1 << 32
MSS = 1460  # of the engine: an Ethernet frame without options
WINDOW = 2048  # of the engine: its receive ring

NEXT = object()  # the usual value
ANY = object()


def signed(number: int) -> int:
    return (number + WORD // 2) % WORD - WORD // 2


@dataclass
class Segment:
    """One segment of the engine, in places of the streams."""

    flags: str  # scapy's letters, sorted as in "FSRPAUEC", without P
    push: bool
    seq: int
    ack: int | None
    length: int
    window: int  # as on the wire
    options: list
    time_us: int
    ttl: int
    dscp: int

    @property
    def end(self) -> int:
        return self.seq + self.length + ("S" in self.flags) + ("F" in self.flags)

    def option(self, name: str):
        """Value of the option, or None if it is not there."""
        return next((value for kind, value in self.options if kind == name), None)

    def __str__(self) -> str:
        text = f"{self.flags}{'P' if self.push else ''} seq={self.seq} ack={self.ack}"
        text += f" length={self.length} window={self.window} at {self.time_us} us"
        return text + (f" {self.options}" if self.options else "")


@dataclass
class Peer:
    bench: Bench
    port: int = 40000
    engine_port: int = 7
    iss: int = 0x1000_0000
    window: int = 65535  # that it announces, as on the wire
    options: list = field(default_factory=list)  # of every segment that says nothing else
    sent_before: int = -1  # place after the last that an earlier one sent between the same ends

    def __post_init__(self) -> None:
        self.irs: int | None = None  # the engine's initial sequence number
        self.nxt = -1  # what is sent next, in order
        self.got = -1  # what the peer wants next of the engine
        self.seen = -1  # after the last that the engine ever sent
        self.session: Session | None = None
        self.syn: Segment | None = None  # the engine's
        self.inbox: list[Segment] = []
        self.log: list[str] = []
        self.send_shift = 0  # of the windows that it announces (RFC 7323)
        self.engine_shift = 0  # of those of the engine
        self._highest = self.sent_before  # after the last that it ever sent
        self._edge = 0  # the farthest that it ever allowed
        self._engine_edge: int | None = None
        self.bench.ends[self.port, self.engine_port] = self._arrived
        self.bench.peers.append(self)

    # ---- to the engine

    def send(
        self, flags: str = "A", length: int = 0, seq=NEXT, ack=NEXT, window: int | None = None,
        options: list | None = None, data: bytes | None = None, raw_options: bytes = b"",
        ip_options: bytes = b"",
        **fields,
    ) -> None:  # fmt: skip
        """A segment. `fields` are scapy's of the TCP header; `raw_options` go behind `options`
        byte by byte, `ip_options` (whole words) into the IP header."""
        start = self.nxt if seq is NEXT else seq
        acknowledges = self.got if ack is NEXT else ack
        payload = from_peer(start, length) if data is None else data
        if window is not None:
            self.window = window
        chosen = self.options if options is None else options
        header = TCP(
            sport=self.port, dport=self.engine_port, flags=flags,
            seq=(self.iss + 1 + start) % WORD, ack=0, window=self.window, options=chosen,
        )  # fmt: skip
        if "A" in flags:
            # Before the engine's number is known, a place is a number.
            header.ack = ((-1 if self.irs is None else self.irs) + 1 + acknowledges) % WORD
        if raw_options:
            assert not chosen and len(raw_options) % 4 == 0
            header.dataofs, payload = 5 + len(raw_options) // 4, raw_options + payload
        for name, value in fields.items():
            setattr(header, name, value)
        end = start + len(payload) - len(raw_options) + ("S" in flags) + ("F" in flags)
        if seq is NEXT:
            self.nxt = end
        self._highest = max(self._highest, end)
        if "A" in flags and self.irs is not None:
            shift = 0 if "S" in flags else self.send_shift
            self._edge = max(self._edge, acknowledges + (self.window << shift))
        self.log.append(f"> {flags} seq={start} ack={acknowledges} length={end - start}")
        around = IP(src=PEER_IP, dst=ENGINE_IP)
        if ip_options:
            around.options = [Raw(ip_options)]
        packet = Ether(src=PEER_MAC, dst=ENGINE_MAC) / around / header
        self.bench.put(raw(packet / Raw(payload) if payload else packet))

    def icmp(
        self, kind: int, code: int, seq: int, mtu: int = 0, source: str = PEER_IP, **quoted
    ) -> None:
        """An ICMP error about a segment of the engine that began at place `seq`, from anywhere.
        `quoted` are fields of the TCP header in it."""
        header = TCP(
            sport=self.engine_port, dport=self.port, seq=(self.irs + 1 + seq) % WORD, flags="A"
        )
        for name, value in quoted.items():
            setattr(header, name, value)
        about = raw(IP(src=ENGINE_IP, dst=PEER_IP, len=40, flags="DF") / header)[:28]
        message = ICMP(type=kind, code=code)
        body = raw(message)[:4] + bytes(2) + mtu.to_bytes(2) + about
        body = body[:2] + (checksum(body[:2] + bytes(2) + body[4:])).to_bytes(2) + body[4:]
        around = IP(src=source, dst=ENGINE_IP, proto=1)
        self.log.append(f"> ICMP {kind}/{code} about seq={seq}")
        self.bench.put(raw(Ether(src=PEER_MAC, dst=ENGINE_MAC) / around / Raw(body)))

    # ---- from the engine

    def _arrived(self, frame: FrameOut, packet: IP) -> None:
        header = packet[TCP]
        flags = str(header.flags)
        if "S" in flags and self.irs is None:
            self.irs = header.seq
        # A reset that answers a segment of nobody has that segment's numbers.
        base = 0 if self.irs is None else (self.irs + 1)
        payload = frame.data[14 + packet.ihl * 4 + header.dataofs * 4 : 14 + packet.len]
        segment = Segment(
            flags=flags.replace("P", ""), push="P" in flags, seq=signed(header.seq - base),
            ack=signed(header.ack - self.iss - 1) if "A" in flags else None, length=len(payload),
            window=header.window, options=list(header.options), time_us=frame.time_us,
            ttl=packet.ttl, dscp=packet.tos >> 2,
        )  # fmt: skip
        self.log.append(f"< {segment}")
        self.inbox.append(segment)
        self._check_wire(frame, packet)
        if "R" not in flags:
            self._check_rules(segment, payload)

    def _check_wire(self, frame: FrameOut, packet: IP) -> None:
        """The frame's form (RFC 9293 section 3.1)."""
        start = 14 + packet.ihl * 4
        if 14 + packet.len > len(frame.data) or checksum(frame.data[14:start]):
            self._wrong("IP length or checksum")
        if in4_chksum(6, packet, frame.data[start : 14 + packet.len]):
            self._wrong("TCP checksum (MUST-2)")
        header = packet[TCP]
        if (
            packet.src != ENGINE_IP
            or packet.ttl < 32
            or packet.frag
            or packet.options
            or str(packet.flags) != "DF"
            or packet.tos & 3
        ):
            self._wrong("IP header")
        if header.reserved or header.urgptr or set("UEC") & set(str(header.flags)):
            self._wrong("reserved bits, or flags that nobody asked for")
        end = next((i for i, (kind, _) in enumerate(header.options) if kind == "EOL"), None)
        if end is not None and any(kind != "EOL" for kind, _ in header.options[end:]):
            self._wrong("padding behind the end of the options is not zero")
        if len(frame.data) < 60:
            self._wrong("frame too short")

    def _check_rules(self, segment: Segment, payload: bytes) -> None:
        syn = "S" in segment.flags
        if any(kind == "MSS" for kind, _ in segment.options) and not syn:
            self._wrong("MSS option without SYN (MUST-65)")
        if payload != from_engine(segment.seq + syn, len(payload)):
            self._wrong("other bytes than the stream's")
        if payload and segment.end - ("F" in segment.flags) > self._edge:
            self._wrong(f"beyond the window, which ended at {self._edge}")
        if segment.ack is None:
            if not syn:
                self._wrong("no acknowledgement")
            return
        if segment.ack > self._highest:
            self._wrong("acknowledges what was not sent")
        edge = segment.ack + (segment.window << (0 if syn else self.engine_shift))
        if self._engine_edge is not None and edge < self._engine_edge:
            if edge + (1 << self.engine_shift) <= self._engine_edge:
                self._wrong("the window's right edge moved back (SHLD-14)")
        else:
            self._engine_edge = edge

    def _wrong(self, what: str) -> None:
        raise AssertionError(f"{what}: {self.inbox[-1]}{self}")

    def __str__(self) -> str:
        return "".join(f"\n  {line}" for line in self.log[-25:])

    @property
    def edge(self) -> int:
        """Right edge of the engine's window: the first place that it does not take."""
        assert self._engine_edge is not None
        return self._engine_edge

    # ---- what the script expects

    def receive(self) -> Segment:
        """The next segment, whatever it is."""
        try:
            self.bench.run(lambda: self.inbox, "a segment")
        except AssertionError as error:
            raise AssertionError(f"{error}{self}") from None
        return self.inbox.pop(0)

    def expect(
        self, flags: str = "A", length=0, seq=NEXT, ack=NEXT, window=ANY, push=ANY, options=ANY,
        after: int | None = None, lost: bool = False,
    ) -> Segment:  # fmt: skip
        """The next segment, which must be this one.

        after   comes so many microseconds from now, not earlier, and later by TIMER_SLACK_US at
                most; time passes until then. Without it, it comes before any time passes
        lost    the peer never gets it: `got` stays
        options a list, as scapy has it; NOPs and the end do not matter
        """
        if after is not None:
            self.silent(after - 1)
            self.bench.pass_time_until(lambda: self.inbox, 1 + TIMER_SLACK_US)
        segment = self.receive()
        wanted = {
            "flags": flags,
            "length": length,
            "seq": self.seen if seq is NEXT else seq,
            "ack": (None if "A" not in flags else self.nxt) if ack is NEXT else ack,
            "window": window,
            "push": push,
        }
        for name, value in wanted.items():
            if value is not ANY and getattr(segment, name) != value:
                raise AssertionError(f"{name} should be {value}: {segment}{self}")
        if options is not ANY:
            told = [o for o in segment.options if o[0] not in ("NOP", "EOL")]
            assert told == options, f"options should be {options}: {segment}{self}"
        if "R" not in segment.flags:
            self.seen = max(self.seen, segment.end)
            if not lost and segment.seq <= self.got < segment.end:
                self.got = segment.end
        return segment

    def expect_reset(self, seq: int, ack: int | None = None) -> Segment:
        """RST with these numbers; with ACK if `ack` is given."""
        return self.expect("R" if ack is None else "RA", seq=seq, ack=ack)

    def silent(self, microseconds: int = 0) -> None:
        """Nothing comes for so long."""
        self.bench.settle()
        if not self.inbox and microseconds:
            self.bench.pass_time(microseconds)
        if self.inbox:
            raise AssertionError(f"unexpected: {self.inbox[0]}{self}")

    # ---- what many scripts begin with

    def connect(self, mss: int | None = MSS, more: list | None = None, **fields) -> Session:
        """Handshake of a connection that the peer opens; the application's session.

        more    options beside the MSS
        """
        options = ([("MSS", mss)] if mss else []) + (more or [])
        self.send("S", options=options, **fields)
        self.syn = self.expect("SA", seq=-1, ack=0)
        self.send("A")
        self.bench.run(lambda: self.bench.app.fresh, "the application's news")
        self.session = self.bench.app.fresh.pop()
        assert self.session.events == ["accepted"]
        return self.session

    def wait_for_open(self, local_port: int = 50000) -> Session:
        """The application opens a connection to the peer; its SYN has come."""
        self.bench.ends.pop((self.port, self.engine_port))
        self.engine_port = local_port
        self.bench.ends[self.port, local_port] = self._arrived
        number = int.from_bytes(bytes(map(int, PEER_IP.split("."))))
        self.session = self.bench.app.open(number, self.port, local_port)
        self.syn = self.expect("S", seq=-1)
        return self.session

    def answer_open(self, mss: int | None = MSS, more: list | None = None, **fields) -> Session:
        """Handshake of a connection that the application opens."""
        session = self.wait_for_open()
        self.send("SA", options=([("MSS", mss)] if mss else []) + (more or []), **fields)
        self.expect("A", seq=0, ack=0)
        self.bench.run(lambda: session.events, "the application's news")
        assert session.events == ["opened"]
        return session

    def hears_nobody(self) -> None:
        """The connection is gone: what the peer sends is answered by a reset."""
        assert self.bench.state == "closed"
        self.send("A", seq=self.nxt, ack=self.got)
        self.expect_reset(seq=self.got)
