# SPDX-License-Identifier: Apache-2.0
"""A flood of SYNs from random sources, and real clients beside it."""

import hashlib
import random
from dataclasses import replace

from models.tcp_peer import ACK, RST, SYN, Segment, mss_option
from toehold.simulation import Simulation

ENGINE_MAC, PEER_MAC = bytes.fromhex("02544f450001"), bytes.fromhex("02544f450002")
IPV4 = b"\x08\x00"
ENGINE, PEER, PORT = "10.77.0.2", "10.77.0.1", 9
LISTEN, ACCEPTED = 0, 1
LENGTH = 1000
HANDSHAKE_CLOCKS = 6000  # a client answers after so long: 48 us at 125 MHz
TRIES = 6


class Host:
    """Real clients at one address, in front of an engine whose application takes all that comes."""

    def __init__(self, engine: Simulation, seed: int) -> None:
        self.engine = engine
        self.random = random.Random(seed)
        self.syns = 0  # of the flood
        self.tries: list[int] = []  # that each client took to get in
        self.answers: dict[int, Segment] = {}  # the latest to each of our ports
        self.accepted: set[int] = set()
        self.received = hashlib.sha256()
        engine.put_command(LISTEN, 1, local_port=PORT)
        arp = bytes.fromhex("0001080006040001") + PEER_MAC + bytes((10, 77, 0, 1)) + bytes(6)
        frame = b"\xff" * 6 + PEER_MAC + b"\x08\x06" + arp + bytes((10, 77, 0, 2))
        engine.put_frame(frame.ljust(60, b"\0"))
        engine.advance_until_idle()
        self.collect()

    def put(self, segment: Segment) -> None:
        frame = ENGINE_MAC + PEER_MAC + IPV4 + segment.packet()
        self.engine.put_frame(frame.ljust(60, b"\0"))

    def collect(self) -> None:
        for frame in self.engine.take_frames():
            if frame.data[12:14] == IPV4 and frame.data[:6] == PEER_MAC:
                segment = Segment.parse(frame.data[14:])
                self.answers[segment.dport] = segment
        for event in self.engine.take_events():
            if event.kind == ACCEPTED:
                self.accepted.add(event.remote_port)
        while piece := self.engine.receive():
            self.received.update(piece.data)

    def flood(self) -> None:
        """A SYN from somewhere: of the engine's own network, whose hosts it does not know, or of
        any other."""
        source = self.random.choice(
            (f"10.77.0.{self.random.randint(3, 254)}",
             f"{self.random.randint(11, 126)}.{self.random.randint(0, 255)}.3.4"))  # fmt: skip
        self.syns += 1
        self.put(Segment(
            source, ENGINE, self.random.randint(1024, 65535), PORT, self.random.getrandbits(32), 0,
            SYN, 8192, options=mss_option(1460),
        ))  # fmt: skip

    def connect(self, port: int, floods: bool) -> Segment:
        """A client, as patient as Linux is; the segment that it goes on from."""
        syn = Segment(PEER, ENGINE, port, PORT, 1000, 0, SYN, 8192, options=mss_option(1460))
        for number in range(1, TRIES + 1):
            self.answers.pop(port, None)
            self.put(syn)
            for clock in range(0, HANDSHAKE_CLOCKS, 200):
                if floods and clock:
                    self.flood()
                self.engine.advance(200)
            self.collect()
            if port not in self.answers:
                continue
            first = replace(syn, seq=1001, ack=(self.answers[port].seq + 1) % 2**32, flags=ACK,
                            options=b"")  # fmt: skip
            self.put(first)
            self.engine.advance_until_idle()
            self.collect()
            if port in self.accepted:
                self.tries.append(number)
                return first
        raise AssertionError(f"the client at port {port} does not get in")

    def leave(self, first: Segment) -> None:
        """The client at this port resets its connection, and its id is free again."""
        self.put(replace(first, flags=RST | ACK))
        self.engine.advance_until_idle()
        self.collect()

    def transfer(self, first: Segment, segments: int, floods: bool) -> tuple[Segment, int]:
        """So many segments, each sent when the one before it is acknowledged and there is room;
        the clocks it took, without those that the flood itself takes on the wire."""
        sent = hashlib.sha256()
        begin = self.engine.clocks
        on_the_wire = 0
        self.received = hashlib.sha256()
        now = first
        for _ in range(segments):
            data = self.random.randbytes(LENGTH)
            sent.update(data)
            now = replace(now, payload=data)
            self.put(now)
            if floods:
                self.flood()
                on_the_wire += 60 * 8 // 64 + 1
            expected = (now.seq + LENGTH) % 2**32
            for _ in range(50):
                self.engine.advance_until_output(2000)
                self.collect()
                answer = self.answers.get(now.sport)
                if answer and answer.ack == expected and answer.window >= LENGTH:
                    break
            else:
                raise AssertionError("a segment is not acknowledged")
            now = replace(now, seq=expected)
        clocks = self.engine.clocks - begin - on_the_wire
        self.engine.advance_until_idle()
        self.collect()
        assert self.received.digest() == sent.digest()
        return replace(now, payload=b""), clocks
