# SPDX-License-Identifier: Apache-2.0
"""The engine (`toe`) with a wire of hosts on one side and an application on the other.

    bench = ToeBench(dut)
    await bench.start(rto_min_us=5_000)
    session = await bench.app.accept(peer)

One coroutine serves every channel each clock, which is what keeps the tests quick. Time is the
bench's: `now_us` moves when the test says so (`advance`), or by itself with `us_per_clock`.
"""

import random
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from ipaddress import IPv4Address

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge
from cocotbext.axi import AxiBus, AxiRam

from models.app_structs import COMMAND, EVENT, OFFER, STATUS
from models.tcp_peer import SYN, ScriptedPeer, Segment, Wire
from support.clocks import hold_clocks
from support.packed import pack, unpack
from toehold.paths import ROOT
from toehold.register_map import REGISTERS

PERIOD_NS = 8

# For simulate(top="toe"): style is the business of `make lint`. The tests see the ports alone, and
# loops stay loops: the model builds in a fraction of the time.
BUILD_ARGS = ["-Wno-PINCONNECTEMPTY", "-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL",
              "--no-public-flat-rw", "--unroll-count", "4",
              str(ROOT / "tests/models/toe_ports.vlt")]  # fmt: skip

LISTEN, UNLISTEN, OPEN, CLOSE, ABORT, SET_OPTION = range(6)
RESULT, ACCEPTED, ACKED, PEER_CLOSED, CLOSED, RESET, TIMED_OUT, OPENED, NOTICE = range(9)
EVENT_NAMES = ("result", "accepted", "acked", "peer closed", "closed", "reset", "timed out",
               "opened", "notice")  # fmt: skip
FINAL = (CLOSED, RESET, TIMED_OUT)
OK, NO_CONNECTION, NO_ROOM, IN_USE, CLOSING, UNSUPPORTED = range(6)
TX_OK, TX_NO_CONNECTION, TX_NO_SPACE = range(3)

STATES = ("closed", "syn_sent", "syn_received", "established", "fin_wait_1", "fin_wait_2",
          "close_wait", "closing", "last_ack", "time_wait", "listen")  # fmt: skip


class Session:
    """What the application knows of one connection, and the rules that its news must follow."""

    def __init__(self, key: tuple[int, int], event: dict[str, int]):
        self.key = key
        self.generation, self.id = key
        self.app = event["app"]
        self.local_port, self.remote_ip = event["local_port"], event["remote_ip"]
        self.remote_port = event["remote_port"]
        self.received = bytearray()
        self.peer_closed = False
        self.final: int | None = None
        self.acked: int | None = None  # value of the last EventAcked
        self.acks = 0
        self.events: list[int] = []
        self.outgoing = bytearray()  # what send() still has to give
        self.given = 0
        self.close_when_sent = False
        self.waits_for_space = False

    @property
    def is_open(self) -> bool:
        return bool(self.events)

    def __str__(self) -> str:
        return f"session {self.id}.{self.generation} (port {self.remote_port})"


class Application:
    """An application on the application interface. It keeps the sessions and checks the rules of
    docs/application_interface.md: a result for each command, EventAccepted or EventOpened before
    all other news, one final event and nothing after it, EventPeerClosed after all data, one grant
    for each query."""

    def __init__(self, bench: "ToeBench"):
        self.bench = bench
        self.sessions: dict[tuple[int, int], Session] = {}
        self.past: list[Session] = []
        self.accepted: deque[Session] = deque()
        self.results: dict[int, dict[str, int]] = {}
        self.results_wanted: set[int] = set()
        self.opens: set[int] = set()  # tags of CommandOpen
        self.tag = 0
        # How much of an offer to take: a number of bytes, by session and offer.
        self.grant: Callable[[Session, int], int] = lambda session, offered: offered
        self.echo = False
        self.close_after_peer = False
        self.commands: deque[int] = deque()
        # The next query of another session may come before a grant.
        self.grants_due: deque[tuple[Session | None, int, int]] = deque()
        self.grants = 0
        self.queries = 0
        self.request: int | None = None
        self.request_taken = False
        self.status: dict[str, int] | None = None
        self.beats: deque[tuple[int, int, int]] = deque()
        self.packet: bytearray | None = None
        self.expected_packets: deque[tuple[Session, int]] = deque()
        self.packet_clock = 0  # when its first beat came
        self.taken_back = 0
        self.sending = False
        self.ready_to_send: deque[Session] = deque()
        self.chunk = 65535
        self.chatter: list[str] = []

    # ---- what arrives

    def on_event(self, word: int) -> None:
        event = unpack(EVENT, word)
        kind, key = event["kind"], (event["generation"], event["id"])
        self.chatter.append(f"{EVENT_NAMES[kind]} {key} {event}")
        if kind == RESULT:
            tag = event["tag"]
            assert tag in self.results_wanted, f"a result that nobody waits for: {event}"
            self.results_wanted.remove(tag)
            self.results[tag] = event
            if tag in self.opens:
                self.opens.remove(tag)
                if event["result"] == OK:
                    assert key not in self.sessions, f"opens a session that is there: {event}"
                    self.sessions[key] = Session(key, event)
            return
        if kind == ACCEPTED:
            assert key not in self.sessions, f"accepted twice: {event}"
            session = self.sessions[key] = Session(key, event)
            session.events.append(kind)
            self.accepted.append(session)
            return
        assert key in self.sessions, f"{EVENT_NAMES[kind]} for a session that is not there: {event}"
        session = self.sessions[key]
        assert event["app"] == session.app, f"{session}: event for another application"
        if kind == NOTICE:  # at any time, and nothing follows from it
            return
        in_order = not session.is_open if kind == OPENED else session.is_open or kind in FINAL
        assert in_order, f"{session}: {EVENT_NAMES[kind]} after {session.events}"
        session.events.append(kind)
        if kind == OPENED:
            for name in ("local_port", "remote_ip", "remote_port"):
                assert event[name] == getattr(session, name), f"{session}: {event}"
        elif kind == ACKED:
            session.acked = event["value"]
            session.acks += 1
            assert event["value"] <= self.bench.tx_ring, f"{session}: {event}"
            if session.waits_for_space:
                session.waits_for_space = False
                self.ready_to_send.append(session)
        elif kind == PEER_CLOSED:
            assert not session.peer_closed, f"{session}: peer closed twice"
            session.peer_closed = True
            if self.close_after_peer:
                self.finish(session)
        else:
            assert kind in FINAL
            session.final = kind
            assert not any(s is session for s, _ in self.expected_packets), (
                f"{session}: final event before granted data"
            )
            del self.sessions[key]
            self.past.append(session)

    def on_query(self, word: int) -> None:
        query = unpack(OFFER, word)
        key = query["generation"], query["id"]
        if key not in self.sessions and self.bench.pauses.get("event"):
            # Events are taken late: its EventAccepted may still wait.
            self.grants_due.append((None, query["length"], 0))
            return
        assert key in self.sessions, f"data of a session that is not there: {query}"
        session = self.sessions[key]
        assert query["app"] == session.app
        assert session.is_open or self.bench.pauses.get("event"), f"{session}: data, not open"
        assert 0 < query["length"] <= self.bench.rx_ring
        assert not session.peer_closed, f"{session}: data after peer closed"
        self.queries += 1
        granted = self.grant(session, query["length"])
        self.grants_due.append((session, query["length"], granted))

    def on_granted(self) -> None:
        session, offered, granted = self.grants_due.popleft()
        self.grants += 1
        if granted:
            self.expected_packets.append((session, min(offered, granted)))

    def on_data(self, key: tuple[int, int], app: int, beat: bytes, last: bool, error: bool) -> None:
        assert self.expected_packets, "data that was not granted"
        session, length = self.expected_packets[0]
        assert key == session.key and app == session.app, "data of another session"
        if self.packet is None:
            self.packet = bytearray()
            self.packet_clock = self.bench.clock
        self.packet += beat
        if last and error:
            # Cut through, and it has turned out bad: it is as if it had not been granted.
            assert len(self.packet) <= length
            self.taken_back += 1
            self.packet = None
            self.expected_packets.popleft()
        elif last:
            assert len(self.packet) == length, f"{len(self.packet)} bytes, {length} were granted"
            session.received += self.packet
            if self.echo:
                self.send(session, bytes(self.packet))
            self.packet = None
            self.expected_packets.popleft()

    # ---- commands

    def command(self, op: int, session=None, tag: int | None = None, **fields) -> int:
        """Give a command; its tag."""
        if tag is None:
            self.tag = (self.tag + 1) & 0xFF
            tag = self.tag
        assert tag not in self.results_wanted
        self.results_wanted.add(tag)
        self.results.pop(tag, None)
        if op == OPEN:
            self.opens.add(tag)
        if session is not None:
            fields["generation"], fields["id"] = getattr(session, "key", session)
        self.commands.append(pack(COMMAND, op=op, tag=tag, **fields))
        return tag

    async def call(self, op: int, session=None, clocks=2000, **fields) -> int:
        """Give a command and wait for its result."""
        tag = self.command(op, session, **fields)
        await self.bench.until(lambda: tag in self.results, clocks, f"result of command {op}")
        return self.results[tag]["result"]

    async def open(self, ip="10.77.0.1", port=80, local_port=0, app=0) -> "Session | int":
        """CommandOpen; the session, or the result if it is not OK."""
        tag = self.command(
            OPEN, remote_ip=int(IPv4Address(ip)), remote_port=port, local_port=local_port, app=app
        )
        await self.bench.until(lambda: tag in self.results, 3000, "result of CommandOpen")
        event = self.results[tag]
        if event["result"] != OK:
            return event["result"]
        return self.sessions[event["generation"], event["id"]]

    async def opened(self, session: Session, clocks=2000) -> None:
        await self.bench.until(lambda: OPENED in session.events, clocks, f"EventOpened, {session}")

    async def listen(self, port: int, app: int = 0) -> None:
        assert await self.call(LISTEN, local_port=port, app=app) == OK

    async def close(self, session) -> int:
        return await self.call(CLOSE, session)

    async def abort(self, session) -> int:
        return await self.call(ABORT, session)

    async def accept(self, peer: ScriptedPeer, **fields) -> Session:
        """Let the peer connect; the session."""
        await peer.connect(**fields)
        return await self.next_accepted(peer)

    async def next_accepted(self, peer=None, clocks=2000) -> Session:
        await self.bench.until(lambda: self.accepted, clocks, "EventAccepted")
        session = self.accepted.popleft()
        if peer is not None:
            assert (session.remote_port, session.local_port) == (peer.port, peer.dport)
        return session

    async def final(self, session: Session, clocks=4000) -> int:
        await self.bench.until(lambda: session.final is not None, clocks, f"final of {session}")
        return session.final

    async def received(self, session: Session, count: int, clocks=8000) -> bytes:
        await self.bench.until(
            lambda: len(session.received) >= count, clocks, f"{count} bytes for {session}"
        )
        return bytes(session.received)

    # ---- sending

    async def ask(self, session, length: int, app=0, clocks=4000) -> dict[str, int]:
        """One request for room; its status. With TX_OK the caller must give() the bytes."""
        key = getattr(session, "key", session)
        assert self.request is None
        self.status = None
        self.request = pack(OFFER, app=app, generation=key[0], id=key[1], length=length)
        await self.bench.until(lambda: self.status is not None, clocks, f"status of {length} bytes")
        status, self.status = self.status, None
        assert (status["generation"], status["id"], status["app"]) == (*key, app), f"{status}"
        return status

    def give(self, data: bytes) -> None:
        lanes = self.bench.lanes
        for start in range(0, len(data), lanes):
            chunk = data[start : start + lanes]
            last = start + lanes >= len(data)
            self.beats.append((int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1, last))

    async def given(self) -> None:
        await self.bench.until(lambda: not self.beats, 20000, "payload taken")

    async def write(self, session, data: bytes) -> dict[str, int]:
        """One request, and its bytes if there is room."""
        status = await self.ask(session, len(data), getattr(session, "app", 0))
        if status["error"] == TX_OK:
            self.give(data)
            await self.given()
        return status

    def send(self, session: Session, data: bytes) -> None:
        """Send sooner or later (the `run_sender` does it)."""
        empty = not session.outgoing
        session.outgoing += data
        if empty and not session.waits_for_space:
            self.ready_to_send.append(session)

    def finish(self, session: Session) -> None:
        """Close when all is sent."""
        session.close_when_sent = True
        if not session.outgoing:
            self.command(CLOSE, session)

    async def run_sender(self) -> None:
        """Gives what send() left, session by session in turn."""
        while True:
            if not self.ready_to_send:
                await self.bench.clocks(1)
                continue
            session = self.ready_to_send.popleft()
            if session.final is not None or not session.outgoing:
                continue
            size = min(len(session.outgoing), self.chunk)
            acks = session.acks
            status = await self.ask(session, min(size, self.bench.tx_ring), session.app, 100000)
            if status["error"] == TX_NO_SPACE and status["space"]:
                acks = session.acks
                size = min(size, status["space"])
                status = await self.ask(session, size, session.app, 100000)
            size = min(size, self.bench.tx_ring)
            if status["error"] == TX_NO_CONNECTION:
                session.outgoing.clear()
                continue
            if status["error"] == TX_NO_SPACE:
                if session.acks != acks:
                    self.ready_to_send.append(session)
                else:
                    session.waits_for_space = True
                continue
            self.give(bytes(session.outgoing[:size]))
            del session.outgoing[:size]
            session.given += size
            await self.given()
            if session.outgoing:
                self.ready_to_send.append(session)
            elif session.close_when_sent:
                self.command(CLOSE, session)


class ToeBench:
    def __init__(self, dut, us_per_clock: float = 0, seed: int | None = None):
        self.dut = dut
        self.width = len(dut.s_axis_rx_tdata)
        self.lanes = self.width // 8
        self.now_us = 0
        self.us_per_clock = Fraction(us_per_clock).limit_denominator(1000)
        self._fraction = Fraction(0)
        self.clock = 0
        self.tx_ring = self.rx_ring = 2048
        self.random = random.Random(random.getrandbits(64) if seed is None else seed)
        self.frame_clocks: list[int] = []  # when the first beats of frames were to go in
        self.rx_frames: deque[list[tuple[int, int, int]]] = deque()
        self.wire = Wire(self.transmit, lambda: self.clock)
        self.app = Application(self)
        self.steps: list[Callable[[], None]] = []
        self.pauses: dict[str, float] = {}  # chance of a pause, by channel
        self._tick = Event()
        self.error: BaseException | None = None

    # ---- set-up

    async def start(self, **registers: int) -> None:
        """Reset and set registers: the names of registers/toehold.rdl without `tcp_`."""
        dut = self.dut
        for name in ("s_axis_rx_tvalid", "s_app_command_valid", "s_app_grant_valid", "now_us",
                     "s_app_tx_request_valid", "s_app_tx_valid", "s_axis_rx_tuser",
                     "s_app_tx_error", "s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid",
                     "s_axil_awprot", "s_axil_arprot"):  # fmt: skip
            getattr(dut, name).value = 0
        for name in ("m_axis_tx_tready", "m_app_event_ready", "m_app_query_ready",
                     "m_app_rx_ready", "m_app_tx_status_ready", "s_axil_bready",
                     "s_axil_rready"):  # fmt: skip
            getattr(dut, name).value = 1
        dut.s_axil_wstrb.value = 15
        self._start_memory()
        dut.now_us.value = self.now_us
        dut.rst.value = 1
        await hold_clocks(dut.clk)
        cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self._run())
        await self.clocks(400)
        self.tx_ring = await self.read("identity_tx_ring_bytes")
        self.rx_ring = await self.read("identity_rx_ring_bytes")
        self.connections = await self.read("identity_connections")
        settings = {"rto_initial_us": 10_000, "rto_min_us": 2_000, "rto_max_us": 160_000,
                    "time_wait_us": 50_000, "isn_secret_0": self.random.getrandbits(32),
                    "hash_key_0": self.random.getrandbits(32) | 1,
                    "hash_key_1": self.random.getrandbits(32),
                    "network_arp_ageing_seconds": 0,
                    # Every acknowledgement at once, unless a test is about those that wait.
                    "behaviour_delayed_ack_us": 0, "behaviour_challenge_interval_us": 0,
                    **registers}  # fmt: skip
        for name, value in settings.items():
            await self.write(name if name in REGISTERS else f"tcp_{name}", value)
        cocotb.start_soon(self.app.run_sender())
        await self.hello("10.77.0.1")

    def _start_memory(self) -> None:
        """DRAM with noise in it, as it is after power-up."""
        for port in ("m_axi_state", "m_axi_payload"):
            for name in ("awready", "wready", "bvalid", "arready", "rvalid"):
                getattr(self.dut, f"{port}_{name}").value = 0
        pauses = random.Random(self.random.random())
        for port, size in (("m_axi_state", 1 << 17), ("m_axi_payload", 1 << 21)):
            bus = AxiBus.from_prefix(self.dut, port)
            memory = AxiRam(bus, self.dut.clk, self.dut.rst, size=size)
            memory.write(0, self.random.randbytes(size))
            for channel in (memory.read_if.r_channel, memory.write_if.b_channel):
                channel.set_pause_generator(pauses.random() < 0.6 for _ in iter(int, 1))

    async def hello(self, ip: str) -> None:
        """Make a host known to the engine, as its own first ARP request would."""
        self.wire.arp(ip)
        await self.until(lambda: self.wire.others, 2000, "ARP reply")
        reply = self.wire.others.popleft()
        assert reply[12:14] == b"\x08\x06" and reply[20:22] == b"\0\2", reply.hex()

    async def write(self, register: str, value: int) -> None:
        dut = self.dut
        dut.s_axil_awaddr.value = REGISTERS[register][0]
        dut.s_axil_wdata.value = value & 0xFFFFFFFF
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 1
        waiting = {"aw", "w", "b"}
        while waiting:
            await RisingEdge(dut.clk)
            for channel in sorted(waiting & {"aw", "w"}):
                if getattr(dut, f"s_axil_{channel}ready").value:
                    getattr(dut, f"s_axil_{channel}valid").value = 0
                    waiting.remove(channel)
            if dut.s_axil_bvalid.value:
                waiting.discard("b")

    async def read(self, register: str) -> int:
        dut = self.dut
        dut.s_axil_araddr.value = REGISTERS[register][0]
        dut.s_axil_arvalid.value = 1
        while True:
            await RisingEdge(dut.clk)
            if dut.s_axil_arready.value:
                dut.s_axil_arvalid.value = 0
            if dut.s_axil_rvalid.value:
                return int(dut.s_axil_rdata.value)

    async def counter(self, name: str) -> int:
        return await self.read(f"counters_{name}")

    async def counters(self, *prefixes: str) -> dict[str, int]:
        """All that are not zero."""
        values = {}
        for name in REGISTERS:
            if name.startswith("counters_") and name != "counters_reserved":
                short = name.removeprefix("counters_")
                if not prefixes or short.startswith(prefixes):
                    value = await self.read(name)
                    if value:
                        values[short] = value
        return values

    def states(self) -> dict[str, int]:
        """Connections in each state now (gauges)."""
        value = int(self.dut.gauges_o.value)
        counts = {name: value >> 24 * i & 0xFFFFFF for i, name in enumerate(STATES)}
        return {name: count for name, count in counts.items() if count and name != "listen"}

    def peer(self, **options) -> ScriptedPeer:
        return ScriptedPeer(self.wire, self.clocks, **options)

    async def server(self, **options) -> ScriptedPeer:
        """The far end of the next connection that the engine opens; it has taken the SYN."""
        waiting = self.wire.others
        await self.until(lambda: waiting, 2000, "SYN")
        syn = waiting.popleft()
        assert isinstance(syn, Segment) and syn.flags == SYN and syn.ack == 0, f"no SYN: {syn}"
        peer = self.peer(ip=syn.destination, port=syn.dport, dport=syn.sport, **options)
        peer.arrived(syn)
        peer.take(peer.inbox.popleft())
        peer.syn = syn
        return peer

    # ---- time

    async def clocks(self, count: int) -> None:
        for _ in range(count):
            self._tick.clear()
            await self._tick.wait()
        if self.error:
            raise self.error

    async def until(self, condition, clocks: int, what: str) -> None:
        for _ in range(clocks):
            if condition():
                return
            await self.clocks(1)
        chatter = "\n".join(self.app.chatter[-12:])
        raise AssertionError(f"no {what} within {clocks} clocks; last events:\n{chatter}")

    async def advance(self, microseconds: int, settle: int = 100) -> None:
        """Let time pass, and the engine work for a moment."""
        self.now_us = (self.now_us + microseconds) & 0xFFFFFFFF
        self.dut.now_us.value = self.now_us
        await self.clocks(settle)

    async def pass_time(self, microseconds: int, step: int = 64, settle: int = 40) -> None:
        """The same in steps, as a clock would: timers come up one after the other."""
        while microseconds > 0:
            await self.advance(min(step, microseconds), settle)
            microseconds -= step

    async def elapse(self, condition, wait: int, late: int = 150) -> int:
        """Until `condition` holds, which must be `wait` microseconds from now: not earlier, and not
        later than the timers' accuracy allows. The time it took."""
        start = self.now_us
        if wait > 100:
            await self.advance(wait - 100, settle=400)
        assert not condition(), f"earlier than {wait} us"
        while not condition():
            passed = (self.now_us - start) & 0xFFFFFFFF
            assert passed < wait + late, f"not within {wait} + {late} us"
            await self.advance(20, settle=150)
        passed = (self.now_us - start) & 0xFFFFFFFF
        assert passed >= wait - 20, f"after {passed} us, {wait} us expected"
        return passed

    # ---- channels

    def transmit(self, frame: bytes) -> None:
        lanes, beats = self.lanes, []
        for start in range(0, len(frame), lanes):
            chunk = frame[start : start + lanes]
            last = start + lanes >= len(frame)
            beats.append((int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1, last))
        self.rx_frames.append(beats)

    async def wire_idle(self) -> None:
        await self.until(lambda: not self.rx_frames and not self._rx_busy, 20000, "idle wire")

    async def _run(self) -> None:
        try:
            await self._serve()
        except AssertionError as error:
            self.error = error
            self._tick.set()

    async def _serve(self) -> None:
        dut, app, wire, lanes = self.dut, self.app, self.wire, self.lanes
        edge = RisingEdge(dut.clk)
        rx_ready, rx_valid = dut.s_axis_rx_tready, dut.s_axis_rx_tvalid
        tx_valid, tx_ready = dut.m_axis_tx_tvalid, dut.m_axis_tx_tready
        event_valid, event_ready = dut.m_app_event_valid, dut.m_app_event_ready
        query_valid, query_ready = dut.m_app_query_valid, dut.m_app_query_ready
        data_valid, data_ready = dut.m_app_rx_valid, dut.m_app_rx_ready
        status_valid = dut.m_app_tx_status_valid
        rx_beats: deque = deque()
        driving_rx = driving_command = driving_grant = driving_request = driving_tx = False
        frame = bytearray()
        readies = {"tx": tx_ready, "event": event_ready, "query": query_ready, "data": data_ready}
        is_ready = dict.fromkeys(readies, True)
        chance = self.random.random
        self._rx_busy = False
        while True:
            await edge
            self.clock += 1
            # What was handed over at this edge.
            if is_ready["tx"] and tx_valid.value:
                keep = int(dut.m_axis_tx_tkeep.value)
                size = keep.bit_length()
                assert keep == (1 << size) - 1, f"tkeep {keep:#x}"
                frame += int(dut.m_axis_tx_tdata.value).to_bytes(lanes, "little")[:size]
                if dut.m_axis_tx_tlast.value:
                    arrived, frame = bytes(frame), bytearray()
                    wire.arrived(arrived)
                else:
                    assert size == lanes
            if is_ready["event"] and event_valid.value:
                app.on_event(int(dut.m_app_event.value))
            if driving_grant and dut.s_app_grant_ready.value:
                app.on_granted()
                dut.s_app_grant_valid.value = 0
                driving_grant = False
            if is_ready["query"] and query_valid.value:
                app.on_query(int(dut.m_app_query.value))
            if is_ready["data"] and data_valid.value:
                word = int(dut.m_app_rx_session.value)
                size = int(dut.m_app_rx_keep.value).bit_length()
                beat = int(dut.m_app_rx_data.value).to_bytes(lanes, "little")[:size]
                app.on_data(
                    (word >> 20, word & 0xFFFFF), int(dut.m_app_rx_app.value), beat,
                    bool(dut.m_app_rx_last.value), bool(dut.m_app_rx_error.value),
                )  # fmt: skip
            if status_valid.value:
                app.status = unpack(STATUS, int(dut.m_app_tx_status.value))
            if driving_rx and rx_ready.value:
                driving_rx = False
            if driving_command and dut.s_app_command_ready.value:
                driving_command = False
                if not app.commands:
                    dut.s_app_command_valid.value = 0
            if driving_request and dut.s_app_tx_request_ready.value:
                app.request = None
                driving_request = False
                dut.s_app_tx_request_valid.value = 0
            if driving_tx and dut.s_app_tx_ready.value:
                app.beats.popleft()
                driving_tx = False
                if not app.beats:
                    dut.s_app_tx_valid.value = 0

            for step in self.steps:
                step()

            # What is offered next.
            if not driving_rx:
                if not rx_beats and self.rx_frames:
                    rx_beats.extend(self.rx_frames.popleft())
                    self.frame_clocks.append(self.clock + 1)
                pause = self.pauses.get("rx", 0)
                if rx_beats and not (pause and chance() < pause):
                    data, keep, last = rx_beats.popleft()
                    dut.s_axis_rx_tdata.value = data
                    dut.s_axis_rx_tkeep.value = keep
                    dut.s_axis_rx_tlast.value = last
                    rx_valid.value = 1
                    driving_rx = True
                elif self._rx_busy:
                    rx_valid.value = 0
                self._rx_busy = driving_rx or bool(rx_beats)
            if app.commands and not driving_command:
                dut.s_app_command.value = app.commands.popleft()
                dut.s_app_command_valid.value = 1
                driving_command = True
            if app.grants_due and not driving_grant:
                dut.s_app_grant_length.value = app.grants_due[0][2]
                dut.s_app_grant_valid.value = 1
                driving_grant = True
            if app.request is not None and not driving_request:
                dut.s_app_tx_request.value = app.request
                dut.s_app_tx_request_valid.value = 1
                driving_request = True
            if app.beats and not driving_tx:
                data, keep, last = app.beats[0]
                dut.s_app_tx_data.value = data
                dut.s_app_tx_keep.value = keep
                dut.s_app_tx_last.value = last
                dut.s_app_tx_valid.value = 1
                driving_tx = True
            for name, handle in readies.items():
                pause = self.pauses.get(name, 0)
                ready = not (pause and chance() < pause)
                if ready != is_ready[name]:
                    handle.value = ready
                    is_ready[name] = ready
            if self.us_per_clock:
                self._fraction += self.us_per_clock
                if self._fraction >= 1:
                    whole = int(self._fraction)
                    self._fraction -= whole
                    self.now_us = (self.now_us + whole) & 0xFFFFFFFF
                    dut.now_us.value = self.now_us
            self._tick.set()
