# SPDX-License-Identifier: Apache-2.0
"""SYNs from random sources, one for each segment of a transfer that goes on beside them.

4,000 of them, 100,000 with TOEHOLD_FULL=1; TOEHOLD_FLOOD_SYNS=n takes another number.
"""

import os

import pytest

from models.syn_flood import Host
from support.extent import FULL
from support.simulate import run_seed
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

SYNS = int(os.environ.get("TOEHOLD_FLOOD_SYNS") or (100_000 if FULL else 4000))


@pytest.mark.timeout(3600)
def test_syn_flood():
    with Simulation(build_simulator("small", 64)) as engine:
        host = Host(engine, run_seed())
        engine.write("tcp_behaviour_delayed_ack_us", 0)
        connections = engine.read("identity_connections")
        first = host.connect(40000, floods=False)
        first, alone = host.transfer(first, min(SYNS, 2000), floods=False)
        first, flooded = host.transfer(first, SYNS, floods=True)
        share = alone / min(SYNS, 2000) * SYNS / flooded
        assert share >= 0.95, f"the transfer keeps {share:.3f} of its clocks"
        in_use = sum(engine.read(f"states_{state}") for state in ("syn_received", "established"))
        assert in_use <= connections
        assert engine.read("states_established") == 1
        # When it is over and those that never answered are given up, new clients get in.
        until = engine.time_us + 70_000_000
        while engine.run_until(until):
            host.collect()
        host.connect(41000, floods=False)
        assert engine.read("states_established") == 2


@pytest.mark.parametrize("preset", ["small", "cached"])
def test_new_clients_during_a_flood(preset):
    """One after the other gets in, and those that were in stay. Also when the state of those that
    are half open has to go to DRAM, and their tuples."""
    with Simulation(build_simulator(preset, 64)) as engine:
        host = Host(engine, run_seed())
        first = host.connect(40000, floods=False)
        for _ in range(200):
            host.flood()
        engine.advance_until_idle()
        # One more, which comes when no other is on its way: whoever was refused in the flood had an
        # id given up for it, too.
        host.flood()
        engine.advance_until_idle()
        # Full, but for the one that is open and the one that is free for the next SYN.
        assert engine.read("states_syn_received") == engine.read("identity_connections") - 2
        for port in range(41000, 41020):
            host.connect(port, floods=True)
        assert engine.read("states_established") == 21
        assert engine.read("counters_tcp_half_open_dropped") > 100
        assert engine.read("counters_tcp_reset") == 0
        host.transfer(first, 20, floods=True)
        if preset == "cached":
            assert engine.read("counters_state_write_backs") > 100
