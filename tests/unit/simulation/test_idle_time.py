# SPDX-License-Identifier: Apache-2.0
"""Idle time is passed over without a difference: two engines on a wire that loses frames, once with
skipping and once with every clock simulated."""

import time
from dataclasses import dataclass, field

import pytest

from toehold.register_map import REGISTERS
from toehold.simulation import FOREVER, Simulation, SimulationError
from toehold.simulator_build import build_simulator

LISTEN, OPEN, CLOSE = 0, 2, 3
ACCEPTED, ACKED, PEER_CLOSED, CLOSED, OPENED, NOTICE = 1, 2, 3, 4, 7, 8
SERVER = 0x0A4D0003
MESSAGE = bytes(range(256)) * 4


@pytest.fixture(scope="module")
def simulator():
    return build_simulator("small", 64)


def write(engine: Simulation, name: str, value: int) -> None:
    engine.write_register(REGISTERS[name][0], value)


@dataclass
class Wire:
    """A client that sends `messages` and closes, a server that closes then. Every seventh frame is
    lost, the others take a millisecond."""

    engines: list[Simulation]
    messages: int
    period_ps: int
    log: list = field(default_factory=list)
    under_way: list = field(default_factory=list)  # (arrival, order, to, bytes)
    sessions: dict = field(default_factory=dict)
    finals: list = field(default_factory=list)
    received: bytearray = field(default_factory=bytearray)

    def start(self) -> None:
        client, server = self.engines
        server.put_command(LISTEN, 1, local_port=80)
        for engine in self.engines:
            engine.advance(500)
            engine.take_events()
        client.put_command(OPEN, 1, remote_ip=SERVER, remote_port=80)

    def take(self, number: int) -> None:
        engine = self.engines[number]
        for frame in engine.take_frames():
            self.log.append((number, frame.time_us, frame.data))
            if len(self.log) % 7 != 3:
                self.under_way.append((frame.time_us + 1000, len(self.log), 1 - number, frame.data))
        while piece := engine.receive():
            self.received += piece.data
        while engine.take_transmit_status():
            pass
        for event in engine.take_events():
            self.react(engine, number, event)

    def react(self, engine: Simulation, number: int, event) -> None:
        session = self.sessions.get(number)
        if event.kind in (OPENED, ACCEPTED):
            self.sessions[number] = session = event.session
        if event.kind == OPENED or (event.kind == ACKED and event.value == 0 and number == 0):
            if self.messages:
                engine.send(session, MESSAGE)
            elif self.messages == 0:
                engine.put_command(CLOSE, 9, session=session)
            self.messages -= 1
        elif event.kind == PEER_CLOSED and number == 1:
            engine.put_command(CLOSE, 9, session=session)
        elif event.kind == CLOSED:
            self.finals.append((number, engine.time_us))

    def run(self, until_us: int, skip: bool) -> None:
        now = max(engine.time_us for engine in self.engines)
        while now < until_us:
            arrival = min([frame[0] for frame in self.under_way], default=FOREVER)
            deadline = min(engine.next_deadline_us for engine in self.engines) if skip else 0
            now = min(until_us, arrival, max(now + 10, deadline))
            for number, engine in enumerate(self.engines):
                if skip:
                    while engine.run_until(now):
                        self.take(number)
                else:
                    while (left_ns := now * 1000 - engine.time_ns) > 0:
                        engine.advance_until_output(-(-left_ns * 1000 // self.period_ps))
                        self.take(number)
            self.under_way.sort()
            while self.under_way and self.under_way[0][0] <= now:
                _, _, to, data = self.under_way.pop(0)
                self.engines[to].put_frame(data)


def two_engines(simulator, messages: int, period_ps: int, **settings: int) -> Wire:
    engines = [Simulation(simulator), Simulation(simulator)]
    for number, engine in enumerate(engines):
        engine.set_clock_period(period_ps)
        write(engine, "network_ip_address", 0x0A4D0002 + number)
        write(engine, "network_mac_low", 0x45000001 + number)
        for name, value in settings.items():
            write(engine, name, value)
    wire = Wire(engines, messages, period_ps)
    wire.start()
    return wire


def test_skipping_changes_nothing(simulator):
    """Handshake, ARP, losses of all kinds, close and TIME_WAIT: the same frames at the same
    microsecond."""
    wires = []
    for skip in (True, False):
        wire = two_engines(
            simulator, 6, 320_000,
            tcp_rto_initial_us=3000, tcp_rto_min_us=2000, tcp_time_wait_us=12_000,
        )  # fmt: skip
        wire.run(70_000, skip)
        wires.append(wire)
    skipped, simulated = wires
    assert skipped.log == simulated.log
    assert len(skipped.log) > 30
    assert skipped.finals == simulated.finals
    assert len(skipped.finals) == 2
    assert skipped.received == MESSAGE * 6
    clocks = [wire.engines[0].clocks for wire in wires]
    assert clocks[0] < clocks[1] / 4


def test_time_wait_takes_no_time(simulator):
    """Its 60 seconds pass, to the microsecond's neighbourhood, in a fraction of one."""
    wire = two_engines(simulator, 1, 8000)
    client = wire.engines[0]
    wire.run(10_000_000, skip=True)
    assert len(wire.finals) == 2
    assert client.read("states_time_wait") == 1
    start, simulated = time.process_time(), client.clocks
    entered = max(when for number, when, _ in wire.log if number == 0)
    wire.run(entered + 60_000_000 - 100, skip=True)
    assert client.read("states_time_wait") == 1
    wire.run(entered + 60_000_000 + 100, skip=True)
    assert client.read("states_time_wait") == 0
    assert time.process_time() - start < 1.5
    assert client.clocks - simulated < 100_000
    wire.run(80_000_000, skip=True)
    assert client.next_deadline_us == FOREVER


def test_stepped_time_stands_while_something_is_under_way(simulator):
    """In stepped mode the engine is infinitely fast: only timers let time pass."""
    with Simulation(simulator) as engine:
        engine.set_time_mode("stepped")
        engine.set_time(1000)
        engine.put_command(OPEN, 1, remote_ip=SERVER, remote_port=80)
        assert engine.run_until(1000)
        frames = engine.take_frames()
        while engine.run_until(1000):
            frames += engine.take_frames()
            engine.take_events()
        assert [(frame.time_us, frame.data[12:14]) for frame in frames] == [(1000, b"\x08\x06")]
        assert engine.next_deadline_us > 1000
        # The neighbour is not known, so each repetition of the SYN becomes an ARP request.
        events = []
        while engine.run_until(8_000_000):
            frames += engine.take_frames()
            events += engine.take_events()
        assert [event.kind for event in events] == [NOTICE]  # of the third repetition
        assert [frame.time_us for frame in frames] == [1000, 1_001_000, 3_001_000, 7_001_000]
        assert engine.time_us == 8_000_000


def test_the_wall_clock_cannot_be_skipped(simulator):
    with Simulation(simulator) as engine:
        engine.set_time_mode("wall")
        with pytest.raises(SimulationError, match="wall clock"):
            engine.run_until(1_000_000)
