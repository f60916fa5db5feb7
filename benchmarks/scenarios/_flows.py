# SPDX-License-Identifier: Apache-2.0
"""Connections on which the engine sends as fast as its congestion window lets it, to a host in
Python behind a link, in virtual time; and what the engine says of its window meanwhile."""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from toehold.simulation import Link, Simulation, Station
from toehold.simulator_build import build_simulator

ENGINE_MAC, ENGINE_IP = bytes.fromhex("02544f450001"), bytes([10, 77, 0, 2])
HOST_MAC, HOST_IP = bytes.fromhex("020000000099"), bytes([10, 77, 0, 1])
PORT = 4000
MSS = 536  # small segments: a ring holds many of them, so that windows differ by small steps

LISTEN, QUERY = 0, 6  # app_command_e
RESULT, ACCEPTED, ACKED, NOTICE = 0, 1, 2, 8  # app_event_e
SYN, RST, ACK = 0x02, 0x04, 0x10
# app_query_e
QUERIES = {
    "options": 1,
    "srtt_us": 3,
    "cwnd_bytes": 6,
    "ssthresh_bytes": 7,
    "in_flight_bytes": 8,
    "retransmitted": 12,
    "timeouts": 14,
}
RECOVERING = 16  # bit of the options
RING_BYTES = 16384  # of the datacenter preset
RTO_MIN_US = 200_000

STREAM_PERIOD = 65536
STREAM = random.Random(1).randbytes(STREAM_PERIOD) * 2
CHUNK = 4 * MSS  # of the application's messages, at most
MOST_CLOCKS = 100_000
OPENING_US = 7_000_000  # a full queue may lose two SYNs, which are sent again after 1 and 3 s


def _sum(data: bytes) -> int:
    total = sum(struct.unpack(f">{len(data) // 2}H", data[: len(data) & ~1]))
    total += data[-1] << 8 if len(data) % 2 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _before(a: int, b: int) -> bool:
    return (a - b) & 0xFFFFFFFF >= 1 << 31


class Receiver:
    """One connection's end at the host: acknowledges each segment at once, with SACK (RFC 2018),
    and checks that what comes is the stream. `drops(begin)` may throw away a segment by the place
    of its first byte in the stream."""

    def __init__(
        self,
        outgoing: Callable[[bytes], None],
        port: int,
        drops: Callable[[int], bool] | None = None,
        mss: int = MSS,
    ) -> None:
        self.port, self._mss = port, mss
        self.delivered = 0  # bytes in order
        self.dropped: list[int] = []  # times, us
        self._outgoing, self._drops = outgoing, drops or (lambda _: False)
        self._seq = 1000 * port
        self._first: int | None = None  # sequence number of the stream's first byte
        self._stored: list[tuple[int, int]] = []  # begin and end in the stream, latest first

    def open(self) -> None:
        self._send(SYN, struct.pack(">BBHBBBB", 2, 4, self._mss, 4, 2, 1, 1))
        self._seq += 1

    def _send(self, flags: int, options: bytes = b"") -> None:
        ack = (self._first + self.delivered) & 0xFFFFFFFF if self._first is not None else 0
        length = 20 + len(options)
        tcp = struct.pack(
            ">HHIIBBHHH", self.port, PORT, self._seq, ack, length << 2, flags, 65535, 0, 0
        ) + options  # fmt: skip
        pseudo = HOST_IP + ENGINE_IP + struct.pack(">BBH", 0, 6, length)
        tcp = tcp[:16] + struct.pack(">H", _sum(pseudo + tcp)) + tcp[18:]
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0x4000, 64, 6, 0)
        ip += HOST_IP + ENGINE_IP
        ip = ip[:10] + struct.pack(">H", _sum(ip)) + ip[12:]
        self._outgoing((ENGINE_MAC + HOST_MAC + b"\x08\x00" + ip + tcp).ljust(60, b"\0"))

    def receive(self, seq: int, flags: int, payload: bytes, time_us: int) -> None:
        if flags & RST:
            raise RuntimeError(f"The engine reset the connection from port {self.port}.")
        if flags & SYN:
            self._first = (seq + 1) & 0xFFFFFFFF
            self._send(ACK)
            return
        if not payload:
            return
        # Rings are far smaller than half of the sequence space, so the nearest place is the place.
        offset = (seq - self._first - self.delivered + (1 << 31)) % (1 << 32) - (1 << 31)
        begin = self.delivered + offset
        end = begin + len(payload)
        if self._drops(begin):
            self.dropped.append(time_us)
            return
        place = begin % STREAM_PERIOD
        if payload != STREAM[place : place + len(payload)]:
            raise RuntimeError(f"Other bytes than were sent, from {begin} on.")
        self._store(begin, end)
        blocks = b"".join(
            struct.pack(">II", *((self._first + edge) & 0xFFFFFFFF for edge in block))
            for block in self._stored[:3]
        )
        options = struct.pack(">BBBB", 1, 1, 5, 2 + len(blocks)) + blocks if blocks else b""
        self._send(ACK, options)

    def _store(self, begin: int, end: int) -> None:
        for block in [b for b in self._stored if b[0] <= end and begin <= b[1]]:
            self._stored.remove(block)
            begin, end = min(begin, block[0]), max(end, block[1])
        if begin <= self.delivered:
            self.delivered = max(self.delivered, end)
        else:
            self._stored.insert(0, (begin, end))


@dataclass
class Flow:
    """A connection: its two ends, and what was seen of it."""

    receiver: Receiver
    session: int
    given: int = 0  # bytes that the engine was given
    unacknowledged: int = 0
    samples: list[dict] = field(default_factory=list)


class Path:
    """An engine, built with these macros, a link with these settings, and the host, which takes
    segments of `mss` bytes. In stepped time: whatever a frame or a call sets off takes no time, so
    that all the time there is passes on the link."""

    def __init__(
        self, preset: str, width: int, mss: int = MSS, macros: dict | None = None, **link
    ) -> None:
        self._mss, self._chunk = mss, CHUNK // mss * mss
        self.engine = Simulation(build_simulator(preset, width, macros=macros))
        self.engine.reset()
        # Paths here are longer than those of a data center, for which the preset has less.
        self.engine.write("tcp_rto_min_us", RTO_MIN_US)
        self.engine.set_time_mode("stepped")
        self.flows: list[Flow] = []
        self._receivers: dict[int, Receiver] = {}
        self._results: dict[int, tuple[int, int]] = {}
        self.host = Station(self._arrive)
        self.link = Link(self.engine, self.host, **link)
        self._command(LISTEN, local_port=PORT)
        self._arp(1, b"\xff" * 6, b"\0" * 6)

    def change_link(self, **link) -> None:
        """Another link, from now on; what is on its way is lost."""
        self.link.close()
        self.link = Link(self.engine, self.host, **link)

    def close(self) -> None:
        self.link.close()
        self.engine.close()

    def __enter__(self) -> "Path":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def now_us(self) -> int:
        return self.link.time_us

    # ---- the host

    def _arp(self, operation: int, destination: bytes, target_mac: bytes) -> None:
        frame = (
            destination + HOST_MAC + b"\x08\x06" + struct.pack(">HHBBH", 1, 2048, 6, 4, operation)
        )
        frame += HOST_MAC + HOST_IP + target_mac + ENGINE_IP
        self.host.outgoing.append(frame.ljust(60, b"\0"))

    def _arrive(self, data: bytes, time_us: int) -> None:
        if data[12:14] == b"\x08\x06":
            if data[21] == 1 and data[38:42] == HOST_IP:
                self._arp(2, data[6:12], data[22:28])
            return
        end = 14 + struct.unpack(">H", data[16:18])[0]
        _, port, seq, _, offset, flags = struct.unpack(">HHIIBB", data[34:48])
        payload = data[34 + 4 * (offset >> 4) : end]
        self._receivers[port].receive(seq, flags, payload, time_us)

    # ---- the application

    def _command(self, op: int, **fields: int) -> tuple[int, int]:
        """Result and value. No time passes."""
        self.engine.put_command(op, 1, **fields)
        for _ in range(MOST_CLOCKS // 10):
            self._collect()
            if 1 in self._results:
                return self._results.pop(1)
            self.engine.advance(10)
        raise RuntimeError(f"The engine does not answer command {op}.")

    def _collect(self) -> None:
        for event in self.engine.take_events():
            if event.kind == RESULT:
                self._results[event.tag] = event.result, event.value
            elif event.kind == ACCEPTED:
                self.flows.append(Flow(self._receivers[event.remote_port], event.session))
            elif event.kind == ACKED:
                flow = next(flow for flow in self.flows if flow.session == event.session)
                flow.unacknowledged = event.value
            elif event.kind != NOTICE:
                raise RuntimeError(f"A connection ended by event {event.kind}.")

    def _feed(self) -> None:
        """Fills each ring with what fits."""
        for flow in self.flows:
            while flow.unacknowledged + self._chunk <= RING_BYTES:
                place = flow.given % STREAM_PERIOD
                self.engine.send(flow.session, STREAM[place : place + self._chunk])
                for _ in range(MOST_CLOCKS // 10):
                    self.engine.advance(10)
                    status = self.engine.take_transmit_status()
                    if status:
                        break
                else:
                    raise RuntimeError("The engine does not take a message.")
                if status.error:
                    break
                flow.given += self._chunk
                flow.unacknowledged += self._chunk

    def _query(self, session: int, what: int) -> int:
        result, value = self._command(QUERY, session=session, value=what)
        if result:
            raise RuntimeError(f"Query {what} ended with result {result}.")
        return value

    # ---- together

    def open(self, port: int, drops: Callable[[int], bool] | None = None) -> Flow:
        receiver = Receiver(self.host.outgoing.append, port, drops, self._mss)
        self._receivers[port] = receiver
        count = len(self.flows)
        receiver.open()
        limit = self.now_us + OPENING_US
        while len(self.flows) == count:
            if self.now_us >= limit:
                raise RuntimeError("The engine accepted no connection.")
            self.link.run_until(limit)
            self._collect()
            self._feed()
        return self.flows[-1]

    def run(self, until_us: int, every_us: int) -> None:
        """The engine sends all the time; each flow is sampled at multiples of `every_us`."""
        next_us = -(-self.now_us // every_us) * every_us
        while True:
            self._collect()
            self._feed()
            if self.now_us >= next_us:
                self._sample()
                next_us += every_us
            if self.now_us >= until_us:
                return
            self.link.run_until(min(next_us, until_us))

    def _sample(self) -> None:
        self.engine.advance_until_idle()  # what has arrived counts, all of it
        for flow in self.flows:
            sample = {name: self._query(flow.session, what) for name, what in QUERIES.items()}
            sample["recovering"] = sample.pop("options") >> RECOVERING & 1
            sample["time_us"] = self.now_us
            sample["delivered_bytes"] = flow.receiver.delivered
            flow.samples.append(sample)
