# SPDX-License-Identifier: Apache-2.0
"""The pong as a program on PicoRV32, beside the one in hardware on the same raw link."""

import random

import pytest

from models.raw_link import MAX_DATA_BYTES, frame, parse
from support.simulate import run_seed
from toehold import firmware
from toehold.raw_link import HARDWARE_MAC, start_pong_firmware
from toehold.simulation import Simulation
from toehold.simulator_build import RAW_PONG_FIRMWARE, build_simulator

PEER = "02:00:00:00:00:99"
PROCESSOR, HARDWARE = 0, 1  # applications
TRAPPED = 0x808


@pytest.fixture
def engine():
    if firmware.missing():
        pytest.skip(f"{firmware.missing()} is not installed")
    with Simulation(build_simulator("small", 8, design=RAW_PONG_FIRMWARE)) as simulation:
        simulation.reset()
        simulation.set_time_mode("cycles")
        yield simulation
        assert not simulation.read_register(TRAPPED)


def answers(engine, count: int) -> list[bytes]:
    found = []
    for _ in range(1000):
        engine.advance(200)
        found += [answer.data for answer in engine.take_frames()]
        if len(found) >= count:
            engine.advance(2000)
            assert not engine.take_frames()
            return found
    raise AssertionError(f"{len(found)} of {count} frames came back")


def test_firmware_answers(engine):
    """Both pongs, each with its connection; sizes around words and around the unrolled loop."""
    random.seed(run_seed())
    start_pong_firmware(engine)
    apps = {PROCESSOR: 10, HARDWARE: 20}  # with their CIDs
    for app, cid in apps.items():
        engine.put_frame(frame(source=PEER, cid=cid, seq=0, first=1, ui_app=app))
    wanted = {app: [] for app in apps}
    sizes = [*range(1, 10), 31, 32, 33, 41, 42, 63, 64, 65, *random.sample(range(66, 1500), 6)]
    for number, size in enumerate(sizes):
        for app, cid in apps.items():
            data = random.randbytes(size)
            last = number == len(sizes) - 1
            fields = {"cid": cid, "ui_app": app, "last": last}
            engine.put_frame(frame(data, source=PEER, seq=number + 1, **fields))
            wanted[app].append(
                frame(data, source=HARDWARE_MAC, destination=PEER, seq=number, **fields)
            )
    found = answers(engine, 2 * len(sizes))
    for app in apps:
        assert [data for data in found if parse(data).ui_app == app] == wanted[app]


def test_firmware_answers_the_largest_frame_and_no_datagram(engine):
    start_pong_firmware(engine)
    data = random.Random(run_seed()).randbytes(MAX_DATA_BYTES)
    engine.put_frame(frame(b"datagram", source=PEER, cid=1, seq=9, first=1, last=1))
    engine.put_frame(frame(data, source=PEER, cid=1, seq=5, first=1))
    (found,) = answers(engine, 1)
    assert found == frame(data, source=HARDWARE_MAC, destination=PEER, cid=1, seq=5)


def test_processor_in_reset_takes_nothing(engine):
    engine.put_frame(frame(b"early", source=PEER, cid=1, seq=5, first=1))
    engine.advance(3000)
    assert not engine.take_frames()
    assert engine.read("counters_delivered") == 1  # decided upon, and waiting
    start_pong_firmware(engine)
    (found,) = answers(engine, 1)
    assert parse(found).data == b"early"
