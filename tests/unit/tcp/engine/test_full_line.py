# SPDX-License-Identifier: Apache-2.0
"""How a full line out is used: data takes acknowledgements along, and connections take turns."""

from contextlib import contextmanager

import pytest

from toehold.load import ECHO, EXCHANGE, LINE_OVERHEAD, OPEN, RECEIVE, Load, Task, jain
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

pytestmark = pytest.mark.long

CLIENTS = 32
PAYLOAD = 256
CLOCKS = 60_000
LINE = {64: 8, 512: 50}  # bytes a clock, as on lines of 10 and of 100 Gbit/s


@pytest.fixture
def engine():
    with idle_engine("small") as engine:
        yield engine


@contextmanager
def idle_engine(preset: str, width: int = 64):
    with Simulation(build_simulator(preset, width)) as engine:
        engine.set_time_mode("cycles")
        engine.enable_applications(15)
        engine.set_line(LINE_OVERHEAD, LINE[width])
        engine.advance(4000)
        yield engine


def test_data_that_waits_takes_the_acknowledgement_along(engine):
    with Load(engine, clients=CLIENTS, mss=PAYLOAD) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=16))
        load.start(Task(EXCHANGE, turns=1 << 30, at_once=8 * CLIENTS, bytes=PAYLOAD))
        load.finish(CLOCKS)
        before = load.counters()
        load.finish(CLOCKS)
        after = load.counters()
    moved = {name: after[name] - before[name] for name in after}
    for name in ("wrong_bytes", "lost", "retransmissions"):
        assert after[name] == 0, name
    segments = moved["bytes_received"] / PAYLOAD
    assert segments > 0.9 * CLOCKS / ((54 + PAYLOAD + LINE_OVERHEAD) / 8), "the line is not full"
    # Half as many again if each second segment had a frame of its own in answer.
    assert moved["frames_out"] < 1.1 * segments


def test_an_acknowledgement_waits_for_data_that_comes_in_time():
    """The application takes a segment, which moves the window by one, a moment before it answers:
    that is told with the answer, and not by a frame of its own."""
    payload = 1460
    with idle_engine("datacenter") as engine, Load(engine, clients=CLIENTS, mss=payload) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=16))
        load.start(Task(EXCHANGE, turns=1 << 30, at_once=8 * CLIENTS, bytes=payload))
        load.finish(CLOCKS)
        before = load.counters()
        load.finish(2 * CLOCKS)
        moved = {name: count - before[name] for name, count in load.counters().items()}
    segments = moved["bytes_received"] / payload
    assert segments > 0.98 * 2 * CLOCKS / ((54 + payload + LINE_OVERHEAD) / 8)
    assert moved["frames_out"] < 1.15 * segments


def test_no_acknowledgement_is_forgotten(engine):
    """Data that may not go, for the window is closed, does not keep an acknowledgement."""
    with Load(engine, clients=2 * CLIENTS - 8, mss=PAYLOAD) as load:
        load.run(Task(OPEN, kind=RECEIVE, count=CLIENTS, at_once=16))
        load.run(Task(OPEN, kind=ECHO, first=CLIENTS, at_once=8))
        load.start(
            Task(EXCHANGE, count=CLIENTS, turns=1 << 30, at_once=CLIENTS, bytes=40 * PAYLOAD)
        )
        number = load.start(Task(EXCHANGE, first=CLIENTS, turns=400, at_once=8, bytes=PAYLOAD))
        load.finish(800_000)
        assert load.report(number).done == 400
        assert load.counters()["retransmissions"] == 0


def test_everybody_gets_the_same(engine):
    with Load(engine, clients=CLIENTS, mss=PAYLOAD) as load:
        load.run(Task(OPEN, kind=RECEIVE, at_once=16))
        load.start(Task(EXCHANGE, turns=1 << 30, at_once=CLIENTS, bytes=1 << 20))
        load.finish(CLOCKS)
        before = load.service(0, CLIENTS)
        load.finish(4 * CLOCKS)
        served = [b - a for a, b in zip(before, load.service(0, CLIENTS), strict=True)]
    assert jain(served) > 0.99


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("clients", [2, 3, 8, 32])
def test_everybody_gets_as_many_bytes(clients, width):
    """Whether its segments are long or short. With few clients a round of theirs takes as long as
    the peers' answers, so who is ahead in it depends on when they began: by 28 % at worst."""
    sizes = [536 if client % 2 else 1460 for client in range(clients)]
    line = clients / sum((54 + size + LINE_OVERHEAD) / size for size in sizes)
    served = [0] * clients
    for idle in (0, 157, 314):
        with (
            idle_engine("datacenter", width) as engine,
            Load(engine, clients=clients, mss=1460, odd_mss=536) as load,
        ):
            if idle:
                engine.advance(idle)
            load.run(Task(OPEN, kind=RECEIVE, at_once=16))
            load.start(Task(EXCHANGE, turns=1 << 30, at_once=clients, bytes=1 << 20))
            load.finish(2 * CLOCKS)
            before, begin = load.service(0, clients), engine.clocks
            load.finish(4 * CLOCKS)
            now = [b - a for a, b in zip(before, load.service(0, clients), strict=True)]
            rate = sum(now) / (engine.clocks - begin)
        share = rate / (line * LINE[width])
        print(f"{clients} clients, {width} bits: Jain {jain(now):.4f}, {share:.3f} of the line")
        assert jain(now) > (0.98 if clients == 3 else 0.99)
        assert share > (0.98 if clients > 3 else 0.92)  # few turns under way leave gaps
        served = [a + b for a, b in zip(served, now, strict=True)]
    assert jain(served) > 0.99
