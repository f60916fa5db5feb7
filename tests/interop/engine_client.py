# SPDX-License-Identifier: Apache-2.0
"""Runs inside the network namespace: the simulated engine on a TAP device as the client of servers
that the kernel runs beside it.

    engine_client.py CASE [--preset small] [--width 64] [--connections N] [--bytes N]
                     [--seconds N] [--loss P] [--reorder P] [--duplicate P] [--corrupt P]
                     [--delay 1ms] [--seed N] [--pcap FILE]

The link between engine and TAP device has the faults that the options say, each way.
Prints what happened as JSON; exit status 1 with a sentence when a byte was wrong.
"""

import argparse
import errno
import fcntl
import json
import os
import random
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.link import Link, LinkSettings
from support.virtual_network import Capture
from toehold.network_namespace import environment
from toehold.run import HOST, INTERFACE
from toehold.simulation import Event, Simulation
from toehold.simulator_build import build_simulator

PORT, NOBODY = 9000, 9999
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
OPEN, CLOSE, ABORT = 2, 3, 4
RESULT, PEER_CLOSED, CLOSED, RESET, TIMED_OUT, OPENED = 0, 3, 4, 5, 6, 7
FINAL = (CLOSED, RESET, TIMED_OUT)
CLOCKS = 2000  # simulated between two looks at the TAP device
CHUNK = 1000
COUNTERS = (
    *("tcp_opened", "tcp_accepted", "tcp_closed", "tcp_reset", "tcp_timed_out"),
    "tcp_resets_out",
)


def open_tap(name: str) -> int:
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    for command in (["addr", "add", f"{HOST}/24", "dev", name], ["link", "set", name, "up"]):
        subprocess.run(["ip", *command], check=True, env=environment())
    return tap


@dataclass
class Connection:
    tag: int
    session: int | None = None
    result: int | None = None
    opened: bool = False
    final: int | None = None
    peer_closed: bool = False
    closed: bool = False
    outgoing: bytes = b""
    asked: bool = False
    received: bytearray = field(default_factory=bytearray)


class Client:
    """The engine, with this program as its application, behind a link to the TAP device."""

    def __init__(self, engine: Simulation, tap: int, arguments: argparse.Namespace) -> None:
        self.engine, self.tap, self.seconds = engine, tap, arguments.seconds
        settings = LinkSettings.of(arguments)
        self.to_engine = Link(settings, 2 * arguments.seed)
        self.from_engine = Link(settings, 2 * arguments.seed + 1)
        self.capture = Capture(arguments.pcap) if arguments.pcap else None
        self.connections: list[Connection] = []

    def open(self, port: int, data: bytes = b"") -> Connection:
        connection = Connection(len(self.connections), outgoing=data)
        self.connections.append(connection)
        self.engine.put_command(
            OPEN, connection.tag, remote_ip=int(IPv4Address(HOST)), remote_port=port
        )
        return connection

    def run(self, until) -> None:
        deadline = time.monotonic() + self.seconds
        while not until():
            if time.monotonic() > deadline:
                sys.exit(f"not within {self.seconds} s: {self.connections}")
            self.step()

    def step(self) -> None:
        for _ in range(64):
            try:
                frame = os.read(self.tap, 2048).ljust(60, b"\0")
            except BlockingIOError:
                break
            self.to_engine.put(frame, time.monotonic_ns())
        while arrived := self.to_engine.take(time.monotonic_ns()):
            frame, bad_fcs = arrived
            self.engine.put_frame(frame, bad_fcs)
            self.seen(frame)
        self.engine.advance(CLOCKS)
        for sent in self.engine.take_frames():
            self.from_engine.put(sent.data, time.monotonic_ns())
            self.seen(sent.data)
        while arrived := self.from_engine.take(time.monotonic_ns()):
            frame, bad_fcs = arrived
            if not bad_fcs:  # no network card would hand it on
                os.write(self.tap, frame)
        for event in self.engine.take_events():
            self.on_event(event)
        while piece := self.engine.receive():
            self.of(piece.session).received += piece.data
        while status := self.engine.take_transmit_status():
            connection = self.of(status.session)
            connection.asked = False  # if there was no room, it asks again in the next step
            if status.error == 0:
                connection.outgoing = connection.outgoing[status.length :]
        for connection in self.connections:
            self.send(connection)

    def seen(self, frame: bytes) -> None:
        if self.capture is not None:
            self.capture.write(frame, time.monotonic_ns() // 1000)

    def of(self, session: int) -> Connection:
        # Names come again after a while: the latest of them.
        return next(c for c in reversed(self.connections) if c.session == session)

    def on_event(self, event: Event) -> None:
        if event.kind == RESULT:
            if event.tag < len(self.connections) and self.connections[event.tag].result is None:
                connection = self.connections[event.tag]
                connection.result = event.result
                connection.session = event.session if event.result == 0 else None
            return
        connection = self.of(event.session)
        assert connection.final is None, f"{event} after the final event"
        if event.kind == OPENED:
            assert not connection.opened, f"opened twice: {event}"
            connection.opened = True
        elif event.kind == PEER_CLOSED:
            connection.peer_closed = True
        elif event.kind in FINAL:
            connection.final = event.kind

    def send(self, connection: Connection) -> None:
        if not connection.opened or connection.final is not None or connection.asked:
            return
        if connection.outgoing:
            connection.asked = True
            self.engine.send(connection.session, connection.outgoing[:CHUNK])
        elif connection.peer_closed and not connection.closed:
            self.close(connection)

    def close(self, connection: Connection) -> None:
        connection.closed = True
        self.engine.put_command(CLOSE, 255, session=connection.session)


def serve(handle) -> None:
    """A server on PORT; `handle` gets each connection, in a thread of its own."""
    listener = socket.create_server((HOST, PORT), backlog=128)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def echo(client: Client, arguments: argparse.Namespace) -> dict:
    """The server sends back what it gets, and closes after as many bytes."""

    def handle(connection: socket.socket) -> None:
        left = arguments.bytes
        while left and (data := connection.recv(65536)):
            connection.sendall(data)
            left -= len(data)
        connection.close()

    serve(handle)
    messages = [random.randbytes(arguments.bytes) for _ in range(arguments.connections)]
    opened = [client.open(PORT, message) for message in messages]
    client.run(lambda: all(c.final is not None for c in opened))
    for connection, message in zip(opened, messages, strict=True):
        if bytes(connection.received) != message:
            sys.exit(f"{len(connection.received)} bytes came back and are not those that were sent")
    return {"finals": [c.final for c in opened]}


def closes_first(client: Client, arguments: argparse.Namespace) -> dict:
    """The engine sends a message and closes; the server answers what it got at its end."""

    def handle(connection: socket.socket) -> None:
        data = b""
        while piece := connection.recv(65536):
            data += piece
        connection.sendall(data[::-1])
        connection.close()

    serve(handle)
    messages = [random.randbytes(arguments.bytes) for _ in range(arguments.connections)]
    opened = [client.open(PORT, message) for message in messages]
    client.run(lambda: all(c.opened and not c.outgoing for c in opened))
    for connection in opened:
        client.close(connection)
    client.run(lambda: all(c.final is not None for c in opened))
    for connection, message in zip(opened, messages, strict=True):
        if bytes(connection.received) != message[::-1]:
            sys.exit(f"{len(connection.received)} bytes came back and are not the right ones")
    return {"finals": [c.final for c in opened]}


def refused(client: Client, arguments: argparse.Namespace) -> dict:
    """Nobody listens there."""
    opened = [client.open(NOBODY) for _ in range(arguments.connections)]
    client.run(lambda: all(c.final is not None for c in opened))
    return {"finals": [c.final for c in opened], "opened": [c.opened for c in opened]}


def aborts(client: Client, arguments: argparse.Namespace) -> dict:
    """The engine resets what is established, after data has gone both ways."""
    ends: list[str] = []
    acknowledged: list[socket.socket] = []

    def handle(connection: socket.socket) -> None:
        data = b""
        while len(data) < arguments.bytes:
            data += connection.recv(65536)
        connection.sendall(data)
        # What is not acknowledged may be sent again, and would be answered by a reset of its own.
        while struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]:
            time.sleep(0.01)
        acknowledged.append(connection)
        try:
            ends.append(f"{len(connection.recv(1))} bytes")
        except OSError as error:
            ends.append(errno.errorcode[error.errno])
        connection.close()

    serve(handle)
    message = random.randbytes(arguments.bytes)
    opened = [client.open(PORT, message) for _ in range(arguments.connections)]
    client.run(
        lambda: (
            len(acknowledged) == len(opened)
            and all(len(c.received) == len(message) for c in opened)
        )
    )
    for _ in range(20):  # what Linux has sent by then comes in
        client.step()
    for connection in opened:
        client.engine.put_command(ABORT, 255, session=connection.session)
    client.run(lambda: all(c.final is not None for c in opened) and len(ends) == len(opened))
    if any(bytes(c.received) != message for c in opened):
        sys.exit("what came back is not what was sent")
    return {"finals": [c.final for c in opened], "ends": ends}


CASES = {"echo": echo, "closes-first": closes_first, "aborts": aborts, "refused": refused}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--preset", default="small")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--bytes", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    LinkSettings.add_arguments(parser)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pcap", type=Path)
    arguments = parser.parse_args()
    tap = open_tap(INTERFACE)
    with Simulation(build_simulator(arguments.preset, arguments.width)) as engine:
        engine.enable_applications(0)
        engine.set_time_mode("wall")
        client = Client(engine, tap, arguments)
        outcome = CASES[arguments.case](client, arguments)
        # The last segments go out.
        for _ in range(20):
            client.step()
        if client.capture is not None:
            client.capture.close()
        outcome["counters"] = {name: engine.read(f"counters_{name}") for name in COUNTERS}
    print(json.dumps(outcome))


if __name__ == "__main__":
    main()
