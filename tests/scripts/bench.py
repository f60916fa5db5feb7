# SPDX-License-Identifier: Apache-2.0
"""The simulated engine in a script: its wire, its application, and a time that stands still until
the script says otherwise.

    bench = Bench(build_simulator("small", 64))
    bench.app.listen(7)
    bench.pass_time(1_000_000)

Everything that a frame, a call or a timer sets off is over before time goes on, as if the engine
were infinitely fast: what comes out has the time of what caused it, to the microsecond.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import ARP, Ether

from scripts import settings
from scripts.stream import from_engine, from_peer
from toehold.register_map import REGISTERS
from toehold.simulation import FrameOut, Simulation
from toehold.simulator_build import Simulator, largest_packet

ENGINE_MAC, ENGINE_IP = "02:54:4f:45:00:01", "10.77.0.2"
PEER_MAC, PEER_IP = "02:00:0a:4d:00:01", "10.77.0.1"

# Nothing inside the engine takes longer than this without a sign at a port: a full segment at 64
# bits, from its last byte in to its first byte out, takes some 230 clocks. Of jumbo frames in
# proportion.
QUIET_CLOCKS = 300
ANSWER_CLOCKS = 1000  # to take a full segment, and to answer
MOST_CLOCKS = 200_000

# Timers come up by as much later than they were set for (rtl/tcp/timers); never earlier.
TIMER_SLACK_US = 64

STATES = tuple(
    name.removeprefix("states_")
    for name in REGISTERS
    if name.startswith("states_") and name != "states_listen"
)
LISTEN, UNLISTEN, OPEN, CLOSE, ABORT, SET_OPTION, QUERY = range(7)
EVENTS = (
    "result", "accepted", "acked", "peer closed", "closed", "reset", "timed out", "opened",
    "notice",
)  # fmt: skip
NOTICES = ("", "icmp", "retries", "urgent")
FINAL = ("closed", "reset", "timed out")
RESULTS = ("ok", "no connection", "no room", "in use", "closing", "unsupported")
STATUSES = ("ok", "no connection", "no space")


@dataclass
class Session:
    """A connection as the application has it."""

    number: int
    remote_ip: int = 0
    remote_port: int = 0
    local_port: int = 0
    events: list[str] = field(default_factory=list)
    notices: list[tuple[str, int]] = field(default_factory=list)  # and what each says
    received: int = 0  # bytes, each checked against the peer's stream
    sent: int = 0  # bytes that the engine has taken
    unacknowledged: int = 0  # by the last "acked"
    reads: bool = True  # takes what is offered
    other_bytes: bytearray | None = None  # takes the place of the check: bytes as they come

    @property
    def final(self) -> str | None:
        return next((event for event in self.events if event in FINAL), None)


class Application:
    """On the engine's application interface. Takes every event at once; grants all that is offered
    of a session that `reads`; what arrives must be the peer's stream, in order and once."""

    def __init__(self, bench: "Bench") -> None:
        self._bench, self._engine = bench, bench.engine
        self.sessions: dict[int, Session] = {}
        self.fresh: list[Session] = []  # of which no script has heard yet
        self._results: dict[int, tuple[str, int, int]] = {}
        self._tag = 0
        self._engine.set_grant(self._grant)

    def _grant(self, session: int, length: int) -> int:
        known = self.sessions.get(session)
        return length if known is None or known.reads else 0

    def collect(self) -> None:
        for event in self._engine.take_events():
            kind = EVENTS[event.kind]
            if kind == "result":
                self._results[event.tag] = RESULTS[event.result], event.session, event.local_port
                self._value = event.value
                if RESULTS[event.result] == "ok" and event.tag == self._opening:
                    self._add(event)
                continue
            if kind == "accepted":
                self._add(event)
                self.fresh.append(self.sessions[event.session])
            session = self.sessions[event.session]
            assert session.final is None, f"{kind} after {session.final}"
            session.events.append(kind)
            if kind == "acked":
                session.unacknowledged = event.value
            if kind == "notice":
                session.notices.append((NOTICES[event.value >> 24], event.value & 0xFFFFFF))
        while piece := self._engine.receive():
            session = self.sessions[piece.session]
            if session.other_bytes is not None:
                session.other_bytes += piece.data
            else:
                wanted = from_peer(session.received, len(piece.data))
                assert piece.data == wanted, f"other bytes than sent, from {session.received} on"
            session.received += len(piece.data)

    _opening = -1
    _value = 0  # of the last result

    def _add(self, event) -> None:
        known = self.sessions.get(event.session)
        assert known is None or known.final, "two sessions of one name"
        self.sessions[event.session] = Session(
            event.session, event.remote_ip, event.remote_port, event.local_port
        )

    def command(self, op: int, **fields: int) -> tuple[str, int, int]:
        """Result, session and local port."""
        self._bench.settle()
        self._tag = (self._tag + 1) % 200
        self._opening = self._tag if op == OPEN else -1
        self._engine.put_command(op, self._tag, **fields)
        self._bench.run(lambda: self._tag in self._results, f"the result of command {op}")
        return self._results.pop(self._tag)

    def listen(self, port: int) -> None:
        assert self.command(LISTEN, local_port=port)[0] == "ok"

    def unlisten(self, port: int) -> None:
        assert self.command(UNLISTEN, local_port=port)[0] == "ok"

    def open(self, remote_ip: int, remote_port: int, local_port: int = 0) -> Session:
        result, number, _ = self.command(
            OPEN, remote_ip=remote_ip, remote_port=remote_port, local_port=local_port
        )
        assert result == "ok", result
        return self.sessions[number]

    def close(self, session: Session) -> str:
        return self.command(CLOSE, session=session.number)[0]

    def abort(self, session: Session) -> str:
        return self.command(ABORT, session=session.number)[0]

    def set_option(self, session: Session, name: str, value: int) -> str:
        word = settings.OPTIONS[name] << 24 | value
        return self.command(SET_OPTION, session=session.number, value=word)[0]

    def query(self, session: Session, what: int) -> int:
        """What the engine tells about the session: `what` as in app_query_e."""
        result = self.command(QUERY, session=session.number, value=what)[0]
        assert result == "ok", result
        return self._value

    def send(self, session: Session, length: int) -> str:
        """The next bytes of the engine's stream; the status."""
        self._bench.settle()
        self._engine.send(session.number, from_engine(session.sent, length))
        statuses: list[int] = []

        def answered() -> bool:
            if status := self._engine.take_transmit_status():
                statuses.append(status.error)
            return bool(statuses) and not self._engine.messages_pending

        self._bench.run(answered, "the status of a message")
        if STATUSES[statuses[0]] == "ok":
            session.sent += length
        return STATUSES[statuses[0]]

    def read_on(self, session: Session) -> None:
        """Take what is offered from now on."""
        session.reads = True
        self._bench.engine.advance()


class Bench:
    def __init__(self, simulator: Simulator, **wanted: int) -> None:
        self.engine = Simulation(simulator)
        self._packets = largest_packet(simulator.preset) // 1500  # that the largest one is long
        self.engine.set_time_mode("stepped")
        self.ends: dict[tuple[int, int], Callable[[FrameOut, IP], None]] = {}
        self.strays: list[FrameOut] = []  # frames for nobody
        self.peers: list = []
        self._restless = True  # something was put since it last rested
        self.app = Application(self)
        for address, word in settings.words(wanted).items():
            self.engine.write_register(address, word)
        self._introduce()

    def _introduce(self) -> None:
        """As the peer's host would: its ARP request makes it known."""
        request = ARP(op=1, hwsrc=PEER_MAC, psrc=PEER_IP, pdst=ENGINE_IP)
        self.put(bytes(Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff") / request))
        self.run(lambda: self.strays, "an ARP reply")
        reply = Ether(self.strays.pop().data)
        assert reply[ARP].op == 2 and reply[ARP].hwsrc == ENGINE_MAC

    # ---- clocks and time

    @property
    def now(self) -> int:
        """Microseconds."""
        return self.engine.time_us

    def run(self, until: Callable[[], object], what: str) -> None:
        """Clocks, not time, until something is so."""
        self.poll()
        while not until():
            moved = self.engine.advance_until_output(self._packets * ANSWER_CLOCKS)
            self.poll()
            assert moved or until(), f"{what} does not come"

    def settle(self) -> None:
        """Clocks, not time, until the engine has nothing to do."""
        if not self._restless and self.engine.quiet_clocks >= self._packets * QUIET_CLOCKS:
            return
        self._restless = False
        if all(session.reads for session in self.app.sessions.values()):
            rests = self.engine.advance_until_idle(self._packets * QUIET_CLOCKS, MOST_CLOCKS)
            assert rests, "the engine does not rest"
        else:  # it offers again and again what the application does not take
            self.engine.advance(self._packets * ANSWER_CLOCKS)
        self.poll()

    def pass_time(self, microseconds: int) -> None:
        """All that falls due meanwhile happens at its time."""
        self.pass_time_until(lambda: False, microseconds)

    def jump(self, microseconds: int) -> None:
        """At once: what falls due in between happens at the end. For hours."""
        self.settle()
        self.engine.set_time(self.now + microseconds)
        self._restless = True
        self.settle()

    def pass_time_until(self, done: Callable[[], object], microseconds: int) -> None:
        """The same, but no longer than until something is so."""
        end = self.now + microseconds
        self.settle()
        self._restless = True
        while not done() and self.engine.run_until(end):
            self.poll()

    # ---- the wire

    def put(self, frame: bytes) -> None:
        self._restless = True
        self.engine.put_frame(frame.ljust(60, b"\0"))

    def poll(self) -> None:
        for frame in self.engine.take_frames():
            packet = Ether(frame.data)
            known = None
            if TCP in packet and packet[IP].dst == PEER_IP:
                known = self.ends.get((packet[TCP].dport, packet[TCP].sport))
            if known:
                assert packet.src == ENGINE_MAC and packet.dst == PEER_MAC
                known(frame, packet[IP])
            elif ARP in packet and packet[ARP].op == 1 and packet[ARP].pdst == PEER_IP:
                asked = packet[ARP]
                self.put(bytes(Ether(src=PEER_MAC, dst=asked.hwsrc) / ARP(
                    op=2, hwsrc=PEER_MAC, psrc=PEER_IP, hwdst=asked.hwsrc, pdst=asked.psrc
                )))  # fmt: skip
            else:
                self.strays.append(frame)
        self.app.collect()

    # ---- registers

    def states(self) -> dict[str, int]:
        """How many connections are in which state; states without any are left out."""
        counts = {name: self.engine.read(f"states_{name}") for name in STATES}
        return {name: count for name, count in counts.items() if count}

    @property
    def state(self) -> str:
        """Of the one connection; "closed" if there is none."""
        states = self.states()
        assert sum(states.values()) <= 1, states
        return next(iter(states), "closed")

    def counter(self, name: str) -> int:
        return self.engine.read(f"counters_{name}")

    def finish(self) -> None:
        """Ends a script: nothing may have come that it did not expect."""
        self.settle()
        left = [Ether(frame.data).summary() for frame in self.strays]
        assert not left, f"frames that nobody expected: {left}"
        for peer in self.peers:
            peer.silent()
