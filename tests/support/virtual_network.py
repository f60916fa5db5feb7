# SPDX-License-Identifier: Apache-2.0
"""Two hosts and a link with faults between them, in virtual time.

A host is the simulated engine (EngineHost) or another stack (PeerHost). Network moves time forward
from event to event: a frame that arrives, a timer of a host. While a host has work of its own to do
the steps are as long as a frame needs at least for the link, so that nothing arrives in the past.

    network = Network(engine, peer, to_peer=link, to_engine=link, pcap=path)
    network.run(lambda: transfer.done, limit_us=5_000_000)

Same seeds, same run, to the frame.
"""

import hashlib
import struct
from collections import deque
from collections.abc import Callable
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

from support.link import Link, LinkSettings
from support.peers import CLOSED, FAILED, OPEN, OPENING, Peer
from toehold.register_map import REGISTERS
from toehold.simulation import Event, Simulation

ENGINE_IP, ENGINE_MAC = "10.77.0.2", bytes.fromhex("02544f450001")
OTHER_IP, OTHER_MAC = "10.77.0.1", bytes.fromhex("02544f450002")

ECHO_APPLICATION, ECHO_PORT = 1, 7

CHUNK = 16384  # that an application writes at once


class Socket(Protocol):
    """One TCP connection, as an application sees it. Nothing waits."""

    @property
    def state(self) -> int:
        """OPENING, OPEN, CLOSED or FAILED."""

    def write(self, data: bytes) -> int:
        """How many of the bytes were taken."""

    def read(self) -> bytes | None:
        """What came; nothing when there is none now, None when there will be none."""

    def close(self) -> None:
        """No more will be written."""


class Application(Protocol):
    def step(self) -> bool:
        """Does what it can; whether that was anything."""


class Host(Protocol):
    """What is at one end of the link."""

    def put_frame(self, frame: bytes, bad_fcs: bool) -> None: ...

    def run(self, until_us: int, send: Callable[[bytes, int], None]) -> None:
        """Does all until then; `send` gets each frame and the time at which it was sent."""

    def next_us(self) -> int:
        """When it will next do something by itself: no later than its present time when it is at
        work, NEVER when it waits."""


# ---- Applications ------------------------------------------------------------------------------


class Sender:
    """Sends all of `data`, closes, and keeps what comes back until the other side closes."""

    def __init__(self, socket: Socket, data: bytes) -> None:
        self.socket = socket
        self.received = 0
        self.digest = hashlib.sha256()
        self.end = False
        self._data, self._sent, self._closed = data, 0, False

    def step(self) -> bool:
        moved = False
        if self._sent < len(self._data):
            taken = self.socket.write(self._data[self._sent : self._sent + CHUNK])
            self._sent += taken
            moved = taken > 0
        elif not self._closed:
            self.socket.close()
            self._closed = moved = True
        if not self.end:
            piece = self.socket.read()
            if piece is None:
                self.end = True
            elif piece:
                self.received += len(piece)
                self.digest.update(piece)
            moved = moved or bool(piece) or self.end
        return moved

    @property
    def done(self) -> bool:
        return self.end and self.socket.state == CLOSED

    @property
    def same(self) -> bool:
        """Every byte came back."""
        return self.digest.digest() == hashlib.sha256(self._data).digest()


class Echo:
    """Sends back what comes, and closes after the other side has."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self._waiting, self._end, self._closed = b"", False, False

    def step(self) -> bool:
        moved = False
        if not self._waiting and not self._end:
            piece = self.socket.read()
            self._end, self._waiting = piece is None, piece or b""
            moved = self._end or bool(piece)
        if self._waiting:
            taken = self.socket.write(self._waiting)
            self._waiting = self._waiting[taken:]
            moved = moved or taken > 0
        if self._end and not self._waiting and not self._closed:
            self.socket.close()
            self._closed = moved = True
        return moved

    @property
    def done(self) -> bool:
        return self._closed and self.socket.state == CLOSED


# ---- Hosts -------------------------------------------------------------------------------------


class PeerHost:
    """Another stack, with an application on its connection."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.application: Application | None = None
        self._next_us = 0

    def put_frame(self, frame: bytes, bad_fcs: bool) -> None:
        if not bad_fcs:  # no network card would hand it on
            self.peer.put_frame(frame)

    def run(self, until_us: int, send: Callable[[bytes, int], None]) -> None:
        self._next_us = self.peer.poll(until_us)
        while self.application is not None and self.application.step():
            self._next_us = self.peer.poll(until_us)
        while frame := self.peer.take_frame():
            send(frame.ljust(60, b"\0"), until_us)

    def next_us(self) -> int:
        return self._next_us


class EngineHost:
    """The simulated engine: with its echo server, or with an application in this program on a
    connection that it opens."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.application: Application | None = None
        self.socket: EngineSocket | None = None
        simulation.enable_applications(0)

    def set_address(self, ip: str, mac: bytes) -> None:
        """Other than the registers' reset values."""
        values = {
            "network_ip_address": int(IPv4Address(ip)),
            "network_mac_low": int.from_bytes(mac[2:]),
            "network_mac_high": int.from_bytes(mac[:2]),
        }
        for name, value in values.items():
            self.simulation.write_register(REGISTERS[name][0], value)

    def serve_echo(self) -> None:
        self.simulation.enable_applications(ECHO_APPLICATION)

    def connect(self, ip: str, port: int) -> "EngineSocket":
        self.socket = EngineSocket(self.simulation, ip, port)
        return self.socket

    def put_frame(self, frame: bytes, bad_fcs: bool) -> None:
        self.simulation.put_frame(frame, bad_fcs)

    def run(self, until_us: int, send: Callable[[bytes, int], None]) -> None:
        more = True
        while more:
            more = self.simulation.run_until(until_us)
            while frame := self.simulation.take_frame():
                send(frame.data, frame.time_us)
            if self.socket is not None:
                self.socket.take()
                while self.application is not None and self.application.step():
                    pass

    def next_us(self) -> int:
        return self.simulation.next_deadline_us


class EngineSocket:
    """A connection that the engine opens, over the application interface."""

    OPEN_COMMAND, CLOSE_COMMAND = 2, 3
    RESULT, PEER_CLOSED, CLOSED, RESET, TIMED_OUT, OPENED, ACKED = 0, 3, 4, 5, 6, 7, 2
    TAG, CLOSE_TAG = 1, 2
    MESSAGE = 2048

    def __init__(self, simulation: Simulation, ip: str, port: int) -> None:
        self.simulation = simulation
        self.state = OPENING
        self.events: list[Event] = []
        self._session: int | None = None
        self._pending = b""  # the message that was given and has no status yet
        self._room = True  # a message is worth a try
        self._end = False
        self._received: deque[bytes] = deque()
        self._close_asked = self._closed = False
        simulation.put_command(
            self.OPEN_COMMAND, self.TAG, remote_ip=int(IPv4Address(ip)), remote_port=port
        )

    def take(self) -> None:
        """What the engine has to say."""
        for event in self.simulation.take_events():
            self._on_event(event)
        while piece := self.simulation.receive():
            assert piece.session == self._session, f"data of another session: {piece.session}"
            assert not self._end, "data after the peer has closed"
            self._received.append(piece.data)
        while status := self.simulation.take_transmit_status():
            if status.error == 0:
                self._pending = b""
            else:
                self._room = False
        self._go_on()

    def _on_event(self, event: Event) -> None:
        self.events.append(event)
        assert self.state in (OPENING, OPEN) or event.kind == self.RESULT, f"{event} after the end"
        if event.kind == self.RESULT and event.tag == self.TAG:
            self._session = event.session
            if event.result != 0:
                self.state = FAILED
        elif event.kind == self.OPENED:
            self.state = OPEN
        elif event.kind == self.ACKED:
            self._room = True
        elif event.kind == self.PEER_CLOSED:
            self._end = True
        elif event.kind == self.CLOSED:
            self.state = CLOSED
        elif event.kind in (self.RESET, self.TIMED_OUT):
            self.state = FAILED

    def _go_on(self) -> None:
        """Asks for room again, or closes when all is sent."""
        if self.state != OPEN or self.simulation.messages_pending:
            return
        if self._pending and self._room:
            self.simulation.send(self._session, self._pending)
        elif not self._pending and self._close_asked and not self._closed:
            self._closed = True
            self.simulation.put_command(self.CLOSE_COMMAND, self.CLOSE_TAG, session=self._session)

    def write(self, data: bytes) -> int:
        if self.state != OPEN or self._pending or self._close_asked:
            return 0
        self._pending = data[: self.MESSAGE]
        self._go_on()
        return len(self._pending)

    def read(self) -> bytes | None:
        if self._received:
            return self._received.popleft()
        return None if self._end else b""

    def close(self) -> None:
        self._close_asked = True
        self._go_on()


# ---- The network -------------------------------------------------------------------------------


class Network:
    """Hosts `a` and `b`. The capture has what `a` sent and what reached it."""

    def __init__(
        self,
        a: Host,
        b: Host,
        a_to_b: LinkSettings,
        b_to_a: LinkSettings,
        seed: int,
        pcap: Path | None = None,
    ) -> None:
        self.now_us = 0
        self.hosts = (a, b)
        # A direction's seed is its own, as in `toehold run`.
        self.links = (Link(a_to_b, 2 * seed), Link(b_to_a, 2 * seed + 1))
        self._least_us = max(1, min(a_to_b.delay_ns, b_to_a.delay_ns) // 1000)
        self._capture = Capture(pcap) if pcap else None

    def run(self, done: Callable[[], bool], limit_us: int) -> bool:
        """Until `done()`, or until that time: whether it is done."""
        while not done():
            if self.now_us >= limit_us:
                return False
            self.step(limit_us)
        return True

    def step(self, limit_us: int) -> None:
        """To the next event, or as far as nobody can disturb another."""
        wanted = [host.next_us() for host in self.hosts]
        wanted += [(link.next_arrival_ns + 999) // 1000 for link in self.links]
        least = min(wanted)
        until = least if least > self.now_us else self.now_us + self._least_us
        self.now_us = min(until, limit_us)
        for host, link in zip(self.hosts, self.links, strict=True):
            self._run(host, link)
        for host, link, incoming in zip(self.hosts, self.links, reversed(self.links), strict=True):
            if self._deliver(host, incoming):
                self._run(host, link)

    def _run(self, host: Host, link: Link) -> None:
        def send(frame: bytes, time_us: int) -> None:
            self._seen(host, frame, time_us)
            link.put(frame, time_us * 1000)

        host.run(self.now_us, send)

    def _deliver(self, host: Host, link: Link) -> bool:
        """What has arrived; whether that was anything."""
        any_arrived = False
        while arrived := link.take(self.now_us * 1000):
            frame, bad_fcs = arrived
            self._seen(host, frame, self.now_us)
            host.put_frame(frame, bad_fcs)
            any_arrived = True
        return any_arrived

    def _seen(self, host: Host, frame: bytes, time_us: int) -> None:
        if self._capture is not None and host is self.hosts[0]:
            self._capture.write(frame, time_us)

    def close(self) -> None:
        if self._capture is not None:
            self._capture.close()


class Capture:
    """Writes frames in the format of libpcap."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))

    def write(self, frame: bytes, time_us: int) -> None:
        seconds, microseconds = divmod(time_us, 1_000_000)
        length = len(frame)
        self._file.write(struct.pack("<IIII", seconds, microseconds, length, length) + frame)

    def close(self) -> None:
        self._file.close()
