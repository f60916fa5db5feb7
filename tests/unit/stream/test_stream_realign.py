# SPDX-License-Identifier: Apache-2.0
"""stream_realign: every skip and lead, every length around whole beats, no needless bubble."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, PacketSource, start


def lanes() -> int:
    return parameter("DataWidth") // 8


def beats(length: int) -> int:
    return -(-length // lanes())


def make_ends(dut, idle=None, backpressure=None):
    source = PacketSource(dut, sideband=("skip", "lead"), hold=False, pause=idle)
    return source, PacketSink(dut, leads=True, pause=backpressure)


def draw() -> tuple[bytes, int, int]:
    skip, lead = random.randrange(lanes()), random.randrange(lanes())
    shortest = skip + 1
    length = random.choice(
        [
            shortest,
            random.randint(shortest, 2 * lanes()),
            random.randint(shortest, 5 * lanes()),
            # Around the lengths at which the number of beats changes.
            skip - lead + random.randint(2, 4) * lanes() + random.randint(-1, 1),
        ]
    )
    return random.randbytes(max(length, shortest)), skip, lead


async def check(source, sink, jobs):
    for data, skip, lead in jobs:
        source.send(data, skip=skip, lead=lead)
    await sink.wait_packets(len(jobs))
    for (data, skip, lead), packet in zip(jobs, sink.packets, strict=True):
        assert (packet.lead, packet.data) == (lead, data[skip:]), f"{skip=} {lead=} {len(data)=}"


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def moves_random_packets(dut, idle, backpressure):
    source, sink = make_ends(dut, idle, backpressure)
    await start(dut)
    await check(source, sink, [draw() for _ in range(80)])


@cocotb.test()
async def moves_by_every_distance(dut):
    """Each skip with each lead (at 64 lanes a sample), with one beat, just two, and three."""
    source, sink = make_ends(dut)
    await start(dut)
    pairs = [(skip, lead) for skip in range(lanes()) for lead in range(lanes())]
    if lanes() > 8:
        pairs = random.sample(pairs, 150)
    jobs = []
    for skip, lead in pairs:
        for low, high in ((skip + 1, lanes()), (lanes() + 1, 2 * lanes()), (17, 3 * lanes())):
            length = max(random.randint(low, max(low, high)), skip + 1)
            jobs.append((random.randbytes(length), skip, lead))
    await check(source, sink, jobs)


@cocotb.test()
async def takes_two_or_three_clocks(dut):
    source, sink = make_ends(dut)
    await start(dut)
    for skip, lead in ((0, 0), (1, 2), (0, lanes() - 1), (lanes() - 1, lanes() - 1)):
        await check_latency(source, sink, skip, lead)


async def check_latency(source, sink, skip, lead):
    sent, received = len(source.times), len(sink.times)
    source.send(random.randbytes(lanes()), skip=skip, lead=lead)
    await sink.wait(received + 1)
    stages = 3 if parameter("DataWidth") >= 256 else 2
    assert sink.times[received] - source.times[sent] == stages
    while sink.in_packet:
        await sink.wait(len(sink.times) + 1)


@cocotb.test()
async def has_no_needless_bubble(dut):
    """At full speed each clock emits a beat, but for what the alignment itself dictates.

    A packet with lead < skip needs its first beat only to fill the second: a clock without output,
    unless the packet before it has left over a beat that goes out in this clock.
    """
    source, sink = make_ends(dut)
    await start(dut)
    jobs = [draw() for _ in range(150)]
    await check(source, sink, jobs)
    clocks_needed, leftover_before = 0, False
    for index, (data, skip, lead) in enumerate(jobs):
        early = lead < skip
        out = beats(lead + len(data) - skip)
        clocks_needed += out
        if early and not leftover_before and index:
            clocks_needed += 1
        leftover_before = out + early > beats(len(data))
    assert sink.times[-1] - sink.times[0] + 1 == clocks_needed


@pytest.mark.parametrize("width", [32, 64, 512])
def test_stream_realign(width):
    simulate(top="stream_realign", test_module=__file__, parameters={"DataWidth": width})
