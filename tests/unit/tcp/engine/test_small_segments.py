# SPDX-License-Identifier: Apache-2.0
"""Small segments on a wide path. Of few connections: many become one event (segment_merge), and the
clients, which check every byte of an echo, see nothing of it. Of many: the questions and answers
that a message takes go on beside those of others."""

import pytest

from toehold.load import ECHO, EXCHANGE, LINE_OVERHEAD, OPEN, SEND, Load, Task
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

WIDTH, LINE_BYTES_PER_CLOCK = 512, 50  # 100 Gbit/s
CLIENTS = 3
FAULTS = {"loss": 0.005, "reorder": 0.02, "duplicate": 0.005, "reorder_hold_us": 1}


@pytest.fixture
def engine():
    # The benchmarks' build.
    with Simulation(build_simulator("datacenter", WIDTH)) as engine:
        engine.set_time_mode("cycles")
        engine.enable_applications(15)
        engine.set_line(LINE_OVERHEAD, LINE_BYTES_PER_CLOCK)
        engine.advance(4000)
        yield engine


@pytest.mark.parametrize("mss", [6, 61, 200])
def test_echo_of_small_segments(engine, mss):
    with Load(engine, clients=CLIENTS, mss=mss) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=CLIENTS))
        load.run(Task(EXCHANGE, turns=60, at_once=CLIENTS, bytes=1000))
        counters = load.counters()
    for name in ("wrong_bytes", "lost", "retransmissions", "bad_frames", "beyond_window"):
        assert counters[name] == 0, name


def test_one_connection_fills_the_line(engine):
    with Load(engine, clients=1, mss=6) as load:
        load.run(Task(OPEN, kind=SEND))
        load.start(Task(EXCHANGE, turns=1 << 40, at_once=512, bytes=6))
        load.finish(3000)
        before = load.counters()["frames_in"]
        load.finish(5000)
        frames = load.counters()["frames_in"] - before
    assert 5000 / frames < 1.02 * 84 / LINE_BYTES_PER_CLOCK


MOST_CLOCKS = {64: 9, 256: 10}  # of a message; one message at a time takes 14


@pytest.mark.parametrize("payload", MOST_CLOCKS)
def test_messages_of_many_connections(engine, payload):
    with Load(engine, clients=100, mss=payload) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=32))
        report = load.run(Task(EXCHANGE, turns=600, at_once=100, bytes=payload))
        counters = load.counters()
    for name in ("wrong_bytes", "lost", "retransmissions", "bad_frames", "beyond_window"):
        assert counters[name] == 0, name
    assert report.clocks_per_turn < MOST_CLOCKS[payload]


def test_over_a_link_with_faults(engine):
    """Segments that are missing, come late or twice end an event, or begin one."""
    with Load(engine, to_engine=FAULTS, clients=CLIENTS, mss=50, retransmit_us=300) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=CLIENTS))
        load.run(Task(EXCHANGE, turns=60, at_once=CLIENTS, bytes=1000))
        counters = load.counters()
    assert counters["wrong_bytes"] == counters["lost"] == 0
    assert counters["retransmissions"] > 0
