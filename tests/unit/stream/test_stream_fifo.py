# SPDX-License-Identifier: Apache-2.0
"""stream_fifo: order, count, capacity, latency, full throughput, with both kinds of memory."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start


async def check_count(dut):
    """count_o is what went in less what came out, in every clock, with Half less m's."""
    held = 0
    while True:
        await RisingEdge(dut.clk)
        if dut.rst.value:
            continue
        offered = bool(dut.m_valid.value) and parameter("Half")
        assert int(dut.count_o.value) == held - offered
        held += bool(dut.s_valid.value and dut.s_ready.value)
        held -= bool(dut.m_valid.value and dut.m_ready.value)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_order(dut, idle, backpressure):
    source = StreamSource(dut, pause=idle)
    sink = StreamSink(dut, pause=backpressure)
    cocotb.start_soon(check_count(dut))
    await start(dut)
    sent = [random.getrandbits(parameter("Width")) for _ in range(200)]
    for value in sent:
        source.send(data=value)
    await sink.wait(len(sent))
    assert [transfer["data"] for transfer in sink.transfers] == sent


@cocotb.test()
async def holds_exactly_depth(dut):
    depth = parameter("Depth")
    source = StreamSource(dut)
    dut.m_ready.value = 0
    await start(dut)
    for value in range(depth + 5):
        source.send(data=value)
    await clocks(dut, depth + 10)
    assert len(source.times) == depth + parameter("Half") and int(dut.count_o.value) == depth
    assert not dut.s_ready.value


@cocotb.test()
async def has_the_latency_of_its_memory(dut):
    source, sink = StreamSource(dut), StreamSink(dut)
    await start(dut)
    for gap in (0, 1, 2, 3, 7):
        source.send(data=gap)
        await sink.wait(len(sink.transfers) + 1)
        await clocks(dut, gap)
    latency = 2 - parameter("Straight")
    waits = [out - into for into, out in zip(source.times, sink.times, strict=True)]
    assert waits == [latency] * 5


@cocotb.test()
async def loses_no_clock(dut):
    """One transfer a clock when it runs empty, and when it runs full; with Half one in two."""
    clocks_each = 1 + parameter("Half")
    source, sink = StreamSource(dut), StreamSink(dut)
    await start(dut)
    for value in range(100):
        source.send(data=value)
    await sink.wait(100)
    assert sink.times[-1] - sink.times[0] == 99 * clocks_each
    assert parameter("Half") or source.times[-1] - source.times[0] == 99


@cocotb.test()
async def loses_no_clock_when_full(dut):
    depth = parameter("Depth")
    stopped = iter([True] * (depth + 10))
    source = StreamSource(dut)
    sink = StreamSink(dut, pause=lambda: (next(stopped, False) for _ in iter(int, 1)))
    await start(dut)
    for value in range(depth + 100):
        source.send(data=value)
    await sink.wait(depth + 100)
    assert sink.times[-1] - sink.times[0] == (depth + 99) * (1 + parameter("Half"))


@pytest.mark.parametrize(
    ("width", "depth", "block_ram", "straight", "half"),
    [
        (64, 2, 0, 1, 0),
        (64, 5, 0, 1, 0),
        (512, 16, 0, 1, 0),
        (64, 3, 0, 0, 0),
        (64, 3, 1, 0, 0),
        (64, 5, 1, 0, 0),
        (512, 16, 1, 0, 0),
        (64, 4, 2, 1, 0),
        (512, 16, 2, 1, 0),
        (64, 2, 0, 0, 1),
        (512, 16, 0, 0, 1),
        (64, 2, 0, 1, 1),
        (64, 5, 0, 1, 1),
        (64, 2, 1, 0, 1),
        (64, 5, 1, 0, 1),
    ],
)
def test_stream_fifo(width, depth, block_ram, straight, half):
    simulate(
        top="stream_fifo_struct",
        core="stream",
        extra_sources=["stream_fifo_struct.sv"],
        test_module=__file__,
        parameters={
            "Width": width,
            "Depth": depth,
            "BlockRam": block_ram,
            "Straight": straight,
            "Half": half,
        },
    )
