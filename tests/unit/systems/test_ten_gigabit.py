# SPDX-License-Identifier: Apache-2.0
"""The engine for 10 Gbit/s that is measured on ECP5: 1,024 connections, their rings in DRAM, one
event decided after the other. Its queues are in block RAM, with registers for slow parts behind."""

import pytest

from toehold.load import ECHO, EXCHANGE, LINE_OVERHEAD, OPEN, RECEIVE, Load, Task, jain
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator
from toehold.synth_all import configurations

pytestmark = pytest.mark.long

CLIENTS = 1000
PAYLOAD = 1460
LINE = 8  # bytes a clock


@pytest.fixture
def engine():
    measured = next(c for c in configurations() if c.label == "10g")
    settings = {field: int(value) for field, value in measured.settings.items()}
    simulator = build_simulator(measured.preset, measured.width, settings=settings)
    with Simulation(simulator) as engine:
        engine.set_time_mode("cycles")
        engine.enable_applications(15)
        engine.set_line(LINE_OVERHEAD, LINE)
        engine.advance(4000)
        yield engine
        assert engine.memory_counters("payload")["protocol_errors"] == 0


def test_a_thousand_echoes_fill_the_way_to_memory(engine):
    """An echo reads its payload twice from rings behind one port of 8 bytes a clock."""
    clocks = 200_000
    with Load(engine, clients=CLIENTS, mss=PAYLOAD) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=16))
        load.start(Task(EXCHANGE, turns=1 << 30, at_once=CLIENTS, bytes=PAYLOAD))
        load.finish(clocks)
        before = load.counters()
        load.finish(clocks)
        after = load.counters()
    moved = {name: after[name] - before[name] for name in after}
    for name in ("wrong_bytes", "lost", "retransmissions"):
        assert after[name] == 0, name
    segments = moved["bytes_received"] / PAYLOAD
    share = segments * 2 * PAYLOAD / (LINE * clocks)
    print(f"{share:.3f} of what the port carries")
    assert share > 0.98


def test_everybody_gets_the_same(engine):
    """More take turns than there may be under way, with segments of two lengths."""
    clients, clocks = 200, 600_000
    segment = (1460 + 536) / (1460 + 536 + 2 * (54 + LINE_OVERHEAD))  # payload in one on the line
    with Load(engine, clients=clients, mss=1460, odd_mss=536) as load:
        load.run(Task(OPEN, kind=RECEIVE, at_once=16))
        load.start(Task(EXCHANGE, turns=1 << 30, at_once=clients, bytes=1 << 20))
        load.finish(200_000)
        before = load.service(0, clients)
        load.finish(clocks)
        served = [b - a for a, b in zip(before, load.service(0, clients), strict=True)]
        assert load.counters()["wrong_bytes"] == 0
    share = sum(served) / (LINE * clocks) / segment
    print(f"Jain {jain(served):.4f}, {share:.3f} of the line")
    assert jain(served) > 0.99
    assert share > 0.97


def test_loss_is_repaired(engine):
    link, clients = {"loss": 0.02, "delay_us": 5}, 300
    with Load(
        engine, clients=clients, mss=1000, retransmit_us=3000, to_engine=link, from_engine=link
    ) as load:
        load.run(Task(OPEN, kind=ECHO, at_once=16), most_clocks=30_000_000)
        report = load.run(
            Task(EXCHANGE, turns=clients, at_once=64, bytes=4000), most_clocks=60_000_000
        )
        assert report.done == clients and report.failed == 0
        counters = load.counters()
        assert counters["wrong_bytes"] == 0 and counters["retransmissions"] > 0
