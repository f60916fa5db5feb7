# SPDX-License-Identifier: Apache-2.0
"""stream_arbiter: each stream in order, offers that stay, fairness or priority, no clock lost."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start


def make_sources(dut, pause=None):
    return [StreamSource(dut, pause=pause, index=i) for i in range(parameter("N"))]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def merges_streams_in_order(dut, idle, backpressure):
    sources = make_sources(dut, idle)
    sink = StreamSink(dut, fields=("data", "index"), pause=backpressure)
    await start(dut)
    sent = [[random.getrandbits(parameter("Width")) for _ in range(60)] for _ in sources]
    for source, values in zip(sources, sent, strict=True):
        for value in values:
            source.send(data=value)
    await sink.wait(60 * len(sources))
    for index, values in enumerate(sent):
        assert [t["data"] for t in sink.transfers if t["index"] == index] == values


@cocotb.test()
async def accepts_from_one_at_a_time(dut):
    make_sources(dut)
    StreamSink(dut, pause="sometimes")
    await start(dut)
    for _ in range(200):
        await RisingEdge(dut.clk)
        ready = int(dut.s_ready.value)
        assert ready & (ready - 1) == 0


@cocotb.test()
async def shares_or_prefers(dut):
    """All ask all the time: equal shares in turn, or everything to index 0."""
    sources = make_sources(dut)
    sink = StreamSink(dut, fields=("data", "index"))
    await start(dut)
    for source in sources:
        for value in range(200):
            source.send(data=value)
    await clocks(dut, 110)
    order = [transfer["index"] for transfer in sink.transfers]
    count = len(sources)
    assert len(order) >= 100
    assert sink.times[-1] - sink.times[0] == len(order) - 1
    if parameter("RoundRobin"):
        assert all(after == (before + 1) % count for before, after in zip(order, order[1:]))
    else:
        assert set(order) == {0}


@pytest.mark.parametrize(
    ("width", "number", "round_robin"),
    [(64, 1, 1), (64, 5, 1), (512, 5, 1), (64, 5, 0), (512, 5, 0)],
)
def test_stream_arbiter(width, number, round_robin):
    simulate(
        top="stream_arbiter_struct",
        core="stream",
        extra_sources=["stream_arbiter_struct.sv"],
        test_module=__file__,
        parameters={"Width": width, "N": number, "RoundRobin": round_robin},
    )
