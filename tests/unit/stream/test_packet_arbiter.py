# SPDX-License-Identifier: Apache-2.0
"""packet_arbiter: whole packets, each stream in order, in turn or by priority, no clock lost."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, clocks, start


def make_sources(dut, pause=None):
    return [PacketSource(dut, pause=pause, index=i) for i in range(parameter("N"))]


def make_packet(beats: int) -> Packet:
    lanes = parameter("DataWidth") // 8
    length = random.randint((beats - 1) * lanes + 1, beats * lanes)
    return Packet(random.randbytes(length), error=random.random() < 0.3)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def merges_whole_packets(dut, idle, backpressure):
    # The sink checks that index stays the same within a packet.
    sources = make_sources(dut, idle)
    sink = PacketSink(dut, sideband=("index",), pause=backpressure)
    await start(dut)
    sent = [[make_packet(random.randint(1, 4)) for _ in range(15)] for _ in sources]
    for source, packets in zip(sources, sent, strict=True):
        for packet in packets:
            source.send(packet)
    await sink.wait_packets(15 * len(sources))
    for index, packets in enumerate(sent):
        received = [p for p in sink.packets if p.sideband["index"] == index]
        assert [(p.data, p.error) for p in received] == [(p.data, p.error) for p in packets]


@cocotb.test()
async def shares_or_prefers(dut):
    sources = make_sources(dut)
    sink = PacketSink(dut, sideband=("index",))
    await start(dut)
    for source in sources:
        for beats in range(60):
            source.send(make_packet(1 + beats % 3))
    await clocks(dut, 110)
    order = [packet.sideband["index"] for packet in sink.packets]
    assert len(order) > 40
    assert sink.times[-1] - sink.times[0] == len(sink.times) - 1
    if parameter("RoundRobin"):
        count = len(sources)
        assert all(after == (before + 1) % count for before, after in zip(order, order[1:]))
    else:
        assert set(order) == {0}


@pytest.mark.parametrize(("width", "round_robin"), [(64, 1), (64, 0), (512, 1)])
def test_packet_arbiter(width, round_robin):
    simulate(
        top="packet_arbiter",
        test_module=__file__,
        parameters={"DataWidth": width, "N": 3, "RoundRobin": round_robin},
    )
