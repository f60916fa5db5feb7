# SPDX-License-Identifier: Apache-2.0
"""A netlist for ECP5 in the place of the RTL: the raw link's pong, which has RAM of both kinds."""

from dataclasses import replace

import pytest

from models.raw_link import frame
from toehold.simulation import Simulation
from toehold.simulator_build import RAW_PONG, build_simulator

PEER = "02:00:00:00:00:99"
MAC_BITS = 8
SIZES = (1, 41, 42, 300, 1000)


@pytest.fixture(scope="module")
def netlist():
    return build_simulator("small", MAC_BITS, design=replace(RAW_PONG, netlist=True))


def played(simulator) -> tuple[list, dict]:
    """What comes out, with its clocks, and the counters at the end."""
    with Simulation(simulator) as engine:
        engine.set_time_mode("cycles")
        engine.set_pauses(20, 20, seed=1)
        for number, size in enumerate(SIZES):
            data = bytes(i * 7 & 0xFF for i in range(size))
            engine.put_frame(frame(data, source=PEER, seq=number, first=int(number == 0)))
            # Once more, and once with a bad FCS: for the counters.
            engine.put_frame(frame(data, source=PEER, seq=number))
            engine.put_frame(frame(data, source=PEER, seq=number), bad_fcs=True)
        engine.advance(30_000)
        out = [(item.data, item.first_clock, item.last_clock) for item in engine.take_frames()]
        return out, {name: engine.read(name) for name in list(engine.register_names())}


def test_sends_the_same_in_the_same_clocks(netlist):
    expected, counters = played(build_simulator("small", MAC_BITS, design=RAW_PONG))
    assert counters["counters_delivered"] == len(SIZES) == counters["counters_drop_fcs"]
    assert len(expected) == len(SIZES)
    assert played(netlist) == (expected, counters)


def test_skips_no_time(netlist):
    """Without the watch on the timer queues nothing tells when they are due."""
    with Simulation(netlist) as engine:
        engine.set_time_mode("cycles")
        engine.set_clock_period(1_000_000)
        engine.run_until(20_000)
        assert engine.clocks >= 20_000
