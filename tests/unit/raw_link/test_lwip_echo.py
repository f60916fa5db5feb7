# SPDX-License-Identifier: Apache-2.0
"""lwIP on the small processor, with which the raw link is compared: what is sent comes back."""

import random
import sys

import pytest

from support.simulate import run_seed
from toehold import firmware
from toehold.lwip import NotAvailable, start_lwip_echo
from toehold.paths import ROOT
from toehold.simulation import Simulation
from toehold.simulator_build import FRAMES_FIRMWARE, build_simulator

sys.path.append(str(ROOT / "benchmarks" / "scenarios"))
from _peer import Peer  # noqa: E402

TRAPPED = 0x808


def test_lwip_echoes():
    if firmware.missing():
        pytest.skip(f"{firmware.missing()} is not installed")
    with Simulation(build_simulator("small", 8, design=FRAMES_FIRMWARE)) as engine:
        engine.reset()
        engine.set_time_mode("cycles")
        try:
            start_lwip_echo(engine)
        except NotAvailable as error:
            pytest.skip(f"lwIP: {error}")
        engine.advance(500_000)
        peer = Peer(engine, 7, mss=8966, clocks_for_frame=20_000)
        noise = random.Random(run_seed())
        for size in (1, 2, 3, 4, 5, 31, 32, 33, noise.randrange(34, 1460), 8966):
            data = noise.randbytes(size)
            peer.put(0x18, data)
            got = b""
            for _ in range(100):
                engine.advance(5_000)
                got += b"".join(segment.payload for segment in peer.segments())
                if len(got) >= size:
                    break
            assert got == data
            peer.ack += size
        assert not engine.read_register(TRAPPED)
