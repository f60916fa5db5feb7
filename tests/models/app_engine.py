# SPDX-License-Identifier: Apache-2.0
"""The engine as its applications see it: an executable specification of the application interface.

It keeps the promises that docs/application_interface.md gives and checks that the applications keep
theirs. Peers are Python objects: what they send is offered in random slices, what they are sent is
acknowledged when they feel like it, and they close, reset or go away at any time.
"""

import random
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count

import cocotb
from cocotb.triggers import RisingEdge, Timer

from models.app_structs import COMMAND, EVENT, OFFER, STATUS
from support.packed import pack, unpack
from support.streams import PERIOD_NS, Packet, PacketSink, PacketSource, StreamSink, StreamSource

ECHO_APP = 0  # apps_pkg::EchoApp


class Command(IntEnum):
    LISTEN = 0
    UNLISTEN = 1
    OPEN = 2
    CLOSE = 3
    ABORT = 4
    SET_OPTION = 5


class Kind(IntEnum):
    RESULT = 0
    ACCEPTED = 1
    ACKED = 2
    PEER_CLOSED = 3
    CLOSED = 4
    RESET = 5
    TIMED_OUT = 6
    OPENED = 7
    NOTICE = 8


FINAL = (Kind.CLOSED, Kind.RESET, Kind.TIMED_OUT)


class Result(IntEnum):
    OK = 0
    NO_CONNECTION = 1
    NO_ROOM = 2
    IN_USE = 3
    CLOSING = 4
    UNSUPPORTED = 5


class Tx(IntEnum):
    OK = 0
    NO_CONNECTION = 1
    NO_SPACE = 2


@dataclass
class Session:
    """One connection, with the peer at its far end."""

    id: int
    generation: int
    app: int
    port: int
    inbox: bytearray = field(default_factory=bytearray)  # sent by the peer, not delivered yet
    delivered: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)  # sent by the application, in all
    unacked: int = 0
    reading: bool = True  # the peer acknowledges
    told: bool = False  # EventAccepted is offered
    accepted: bool = False  # and taken
    peer_closed: bool = False  # the peer closes after what is in the inbox
    peer_closed_told: bool = False
    closed: bool = False  # by the application
    aborted: bool = False
    final_wanted: Kind | None = None
    final: Kind | None = None
    busy: int = 0  # queries, grants and requests under way
    receiving: bool = False  # a packet has been granted
    announced: int = 0  # bytes to come after TxOk
    packets: int = 0  # of all sessions, up to its last one

    @property
    def name(self) -> int:
        return self.generation << 20 | self.id

    @property
    def sending(self) -> bool:
        return self.told and not (self.closed or self.aborted or self.final_wanted)


class Engine:
    """Drives the engine's side of the interface; `prefix` names the ports of a switch or guard."""

    def __init__(
        self,
        dut,
        connections: int = 8,
        ring: int = 2048,
        refuse: float = 0.0,  # share of requests that get TxNoSpace though there is room
        idle=None,
        backpressure=None,
        slices: tuple[int, int] = (1, 1500),  # bytes offered in a query
        bad: float = 0.1,  # share of packets to echo, of those that may be, that turn out bad
    ):
        self.dut, self.connections, self.ring = dut, connections, ring
        self.refuse, self.slices, self.bad = refuse, slices, bad
        self.random = random.Random(random.getrandbits(64))
        self.listening: dict[int, int] = {}
        self.sessions: list[Session | None] = [None] * connections
        self.generations = [0] * connections
        self.commands: list[dict[str, int]] = []
        self.log: list[tuple[Kind, Session]] = []
        self.open: deque[tuple[Session, int, int]] = deque()  # queries: bytes, tentative
        self.most_open = 4
        self.relayed: deque[int] = deque()  # of queries to be sent on, whether tentative
        self.events = self.queries = self.grants = self.refused_grants = self.requests = 0
        self.overlap = 0.7  # share of packets that pass while the next query is answered
        self.admitted = self.withdrawn = 0  # packets to send
        self.announced: deque[tuple[Session, int, bool]] = deque()  # packets to come
        self.errors: deque[Tx] = deque()  # forced answers to the next requests
        self.quiet: set[int] = set()  # applications that are offered nothing for now
        self.relaying: int | None = ECHO_APP  # sends on what may still turn out bad

        self.event = StreamSource(dut, "s_event", {"word": "s_event"}, pause=idle)
        self.query = StreamSource(dut, "s_query", {"word": "s_query"}, pause=idle)
        self.rx = PacketSource(dut, "s_rx", sideband=("session", "app"), pause=idle)
        self.status = StreamSource(dut, "s_tx_status", {"word": "s_tx_status"}, pause=idle)
        self.command = StreamSink(dut, "m_command", {"word": "m_command"}, pause=backpressure)
        self.grant = StreamSink(dut, "m_grant", ("length",), pause=backpressure)
        self.request = StreamSink(dut, "m_tx_request", {"word": "m_tx_request"}, pause=backpressure)
        self.tx = PacketSink(dut, prefix="m_tx", pause=backpressure)
        tasks = (
            self._commands,
            self._receive,
            self._grants,
            self._transmit,
            self._packets,
            self._peers,
        )
        for task in tasks:
            cocotb.start_soon(task())

    # ---- For tests

    def connect(self, port: int) -> Session | None:
        """A peer opens a connection; None when nobody listens or there is no room."""
        free = [i for i, session in enumerate(self.sessions) if session is None]
        if port not in self.listening or not free:
            return None
        i = self.random.choice(free)
        self.generations[i] = (self.generations[i] + 1) % 16
        session = Session(i, self.generations[i], self.listening[port], port)
        self.sessions[i] = session
        cocotb.start_soon(self._accept(session))
        return session

    async def listening_on(self, *ports: int) -> None:
        while not set(ports) <= set(self.listening):
            await RisingEdge(self.dut.clk)

    async def until(self, condition, clocks: int = 60_000) -> None:
        for _ in range(0, clocks, 4):
            if condition():
                return
            await self._pause(4)
        raise AssertionError(f"{condition.__name__} is not true after {clocks} clocks")

    async def _pause(self, clocks: int) -> None:
        """Some clocks without a step of Python for each."""
        await Timer(clocks * PERIOD_NS - 1, "ns")
        await RisingEdge(self.dut.clk)

    def reset(self, session: Session, kind: Kind = Kind.RESET) -> None:
        """The peer resets the connection, or is gone."""
        session.final_wanted = session.final_wanted or kind

    # ---- The engine

    async def _tell(self, kind: Kind, session: Session, **values: int) -> None:
        self.log.append((kind, session))
        self._send_event(
            kind=kind, app=session.app, generation=session.generation, id=session.id,
            local_port=session.port, **values,
        )  # fmt: skip
        number = self.events
        while len(self.event.times) < number:
            await RisingEdge(self.dut.clk)

    def _send_event(self, **values: int) -> None:
        self.events += 1
        self.event.send(word=pack(EVENT, **values))

    def _open(self, app: int, port: int) -> Session | None:
        """An application opens a connection; None when there is no room."""
        free = [i for i, session in enumerate(self.sessions) if session is None]
        if not free:
            return None
        i = self.random.choice(free)
        self.generations[i] = (self.generations[i] + 1) % 16
        self.sessions[i] = session = Session(i, self.generations[i], app, port)
        cocotb.start_soon(self._answer(session))
        return session

    async def _answer(self, session: Session) -> None:
        """The peer does, after the result."""
        told = self.events + 1
        await self._pause(self.random.randint(4, 60))
        while len(self.event.times) < told:
            await RisingEdge(self.dut.clk)
        session.told = True
        await self._tell(Kind.OPENED, session)
        session.accepted = True

    async def _accept(self, session: Session) -> None:
        session.told = True
        await self._tell(Kind.ACCEPTED, session, remote_port=self.random.getrandbits(16))
        session.accepted = True

    def _session(self, values: dict[str, int]) -> Session | None:
        session = self.sessions[values["id"] % self.connections]
        if session and session.generation == values["generation"]:
            return session
        return None

    async def _commands(self) -> None:
        done = 0
        while True:
            await self.command.wait(done + 1)
            values = unpack(COMMAND, self.command.transfers[done]["word"])
            done += 1
            self.commands.append(values)
            session = self._session(values)
            op, port, app = values["op"], values["local_port"], values["app"]
            result = Result.OK
            if op == Command.LISTEN:
                if port in self.listening:
                    result = Result.IN_USE
                else:
                    self.listening[port] = app
            elif op == Command.UNLISTEN:
                assert self.listening.pop(port) == app
            elif op == Command.OPEN:
                session = self._open(app, port)
                if session is None:
                    result = Result.NO_ROOM
                else:
                    values |= {"generation": session.generation, "id": session.id}
            elif op in (Command.CLOSE, Command.ABORT):
                if session is None or not session.told or session.final:
                    result = Result.NO_CONNECTION
                else:
                    assert session.app == app, f"{app} closes a session of {session.app}"
                    assert len(self.tx.packets) >= session.packets, "a command before the data"
                    if op == Command.ABORT:
                        session.aborted = True
                        session.final_wanted = Kind.CLOSED
                    elif session.closed or session.final_wanted:
                        result = Result.CLOSING
                    else:
                        session.closed = True
            else:
                result = Result.UNSUPPORTED
            self._send_event(
                kind=Kind.RESULT, tag=values["tag"], app=app, result=result,
                generation=values["generation"], id=values["id"], local_port=port,
            )  # fmt: skip

    async def _receive(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            ready = [
                s
                for s in self.sessions
                if s and s.accepted and s.inbox and not s.aborted and not s.final
                and not s.receiving and s.app not in self.quiet
            ]  # fmt: skip
            if not ready:
                await self._pause(4)
                continue
            while len(self.open) >= self.most_open:
                await RisingEdge(self.dut.clk)
            session = self.random.choice(ready)
            if session.aborted or session.final:
                continue
            length = min(self.random.randint(*self.slices), len(session.inbox), 65535)
            session.busy += 1
            session.receiving = True
            self.queries += 1
            tentative = self.random.getrandbits(1)
            self.open.append((session, length, tentative))
            if session.app == self.relaying:
                self.relayed.append(tentative)
            self.query.send(
                word=pack(
                    OFFER, tentative=tentative, app=session.app,
                    generation=session.generation, id=session.id, length=length,
                )
            )  # fmt: skip
            if self.random.random() >= self.overlap:  # else the next query comes meanwhile
                while self.open or any(s and s.receiving for s in self.sessions):
                    await RisingEdge(self.dut.clk)

    async def _grants(self) -> None:
        """In the order of the queries."""
        for number in count(1):
            await self.grant.wait(number)
            assert self.open, "more grants than queries"
            session, length, tentative = self.open.popleft()
            granted = self.grant.transfers[number - 1]["length"]
            assert granted <= length, f"{granted} bytes granted of {length}"
            if granted:
                self.grants += 1
                good = not (
                    tentative and session.app == ECHO_APP and self.random.random() < self.bad
                )
                packet = bytes(session.inbox[:granted])
                if not good:
                    packet = self.random.randbytes(self.random.randint(1, granted))
                self.rx.send(Packet(packet, error=not good), session=session.name, app=session.app)
                cocotb.start_soon(self._taken(session, packet if good else b""))
            else:
                self.refused_grants += 1
                session.receiving = False
                session.busy -= 1

    async def _taken(self, session: Session, packet: bytes) -> None:
        """The packet that is the last to be sent so far has gone; empty: it was bad."""
        beats = len(self.rx.times) + len(self.rx.queue)
        while len(self.rx.times) < beats:
            await RisingEdge(self.dut.clk)
        del session.inbox[: len(packet)]
        session.delivered += packet
        session.receiving = False
        session.busy -= 1

    async def _transmit(self) -> None:
        while True:
            await self.request.wait(self.requests + 1)
            values = unpack(OFFER, self.request.transfers[self.requests]["word"])
            self.requests += 1
            length = values["length"]
            assert length, "a request for no bytes"
            tentative = self.relayed.popleft() if values["app"] == self.relaying else 0
            assert values["tentative"] == tentative, "tentative, or not"
            session = self._session(values)
            error = Tx.OK
            space = 0
            if session is None or not session.sending or session.final:
                error = Tx.NO_CONNECTION
            else:
                assert session.app == values["app"], "a request on another's session"
                space = self.ring - session.unacked - session.announced
                if self.random.random() < self.refuse and length > 1:
                    space = self.random.randrange(min(space, length - 1) + 1)
                if values["partial"] and space:
                    length = min(length, space)
                if length > space:
                    error = Tx.NO_SPACE
            if self.errors:
                error = self.errors.popleft()
            if error == Tx.OK:
                space = length
                session.busy += 1
                session.announced += length
                self.announced.append((session, length, bool(tentative)))
                self.admitted += 1
                session.packets = self.admitted
            self.status.send(
                word=pack(
                    STATUS, app=values["app"], generation=values["generation"], id=values["id"],
                    error=error, space=space,
                )
            )  # fmt: skip
            if error == Tx.NO_SPACE and space + session.unacked + session.announced < self.ring:
                # Room was kept back: there will be news when it grows.
                cocotb.start_soon(self._again(session))

    async def _packets(self) -> None:
        """What was announced comes, in that order, while further requests do."""
        done = 0
        while True:
            packet = (await self.tx.wait_packets(done + 1))[done]
            done += 1
            assert self.announced, "a packet that was not announced"
            session, length, tentative = self.announced.popleft()
            session.announced -= length
            session.busy -= 1
            if packet.error:
                assert tentative, "withdrawn, and not tentative"
                self.withdrawn += 1
                continue
            assert len(packet) == length, f"{len(packet)} bytes, {length} announced"
            session.outbox += packet.data
            session.unacked += length

    async def _again(self, session: Session) -> None:
        for _ in range(self.random.randint(1, 100)):
            await RisingEdge(self.dut.clk)
        if not session.final_wanted and not session.final:
            await self._tell(Kind.ACKED, session, value=session.unacked)

    async def _peers(self) -> None:
        """Acknowledge, and tell the ends of connections."""
        while True:
            await self._pause(self.random.randint(1, 16))
            for i, s in enumerate(self.sessions):
                if s is None or not s.accepted:
                    continue
                if s.unacked and s.reading and not s.final_wanted and self.random.random() < 0.2:
                    s.unacked -= self.random.randint(1, s.unacked)
                    await self._tell(Kind.ACKED, s, value=s.unacked)
                if not s.final_wanted and self.random.random() < 0.05:
                    # An application may ignore it.
                    await self._tell(Kind.NOTICE, s, value=self.random.getrandbits(32))
                if s.peer_closed and not s.peer_closed_told and not s.inbox and not s.busy:
                    if not s.final_wanted:
                        s.peer_closed_told = True
                        await self._tell(Kind.PEER_CLOSED, s)
                if s.closed and s.peer_closed_told and not s.unacked and not s.final_wanted:
                    s.final_wanted = Kind.CLOSED
                if s.final_wanted and not s.busy:
                    s.final = s.final_wanted
                    self.sessions[i] = None
                    await self._tell(s.final, s)
