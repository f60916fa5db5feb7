# SPDX-License-Identifier: Apache-2.0
"""stream_async_fifo between clocks that share nothing: order, capacity, latency, throughput."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource
from support.two_clocks import PERIODS, start


def ends(dut, idle=None, backpressure=None):
    source = StreamSource(dut, pause=idle, clock=dut.s_clk, reset=dut.s_rst)
    return source, StreamSink(dut, pause=backpressure, clock=dut.m_clk, reset=dut.m_rst)


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_order(dut, periods, idle, backpressure):
    source, sink = ends(dut, idle, backpressure)
    await start(dut, *periods)
    sent = [random.getrandbits(parameter("Width")) for _ in range(100)]
    for value in sent:
        source.send(data=value)
    await sink.wait(len(sent))
    assert [transfer["data"] for transfer in sink.transfers] == sent
    await Timer(1, "us")
    assert len(sink.transfers) == len(sent)


@cocotb.test()
@cocotb.parametrize(periods=PERIODS)
async def holds_its_depth_and_one(dut, periods):
    source, sink = ends(dut, backpressure=lambda: (True for _ in iter(int, 1)))
    await start(dut, *periods)
    depth = parameter("Depth")
    for value in range(2 * depth):
        source.send(data=value)
    await Timer(2, "us")
    assert len(source.times) == depth + 1 and not dut.s_ready.value
    assert not sink.transfers


@cocotb.test()
@cocotb.parametrize(periods=PERIODS)
async def loses_no_clock_of_the_slower_side(dut, periods):
    source, sink = ends(dut)
    await start(dut, *periods)
    for value in range(400):
        source.send(data=value)
    await sink.wait(100)
    before = get_sim_time("ps")
    await sink.wait(300)
    clocks = (get_sim_time("ps") - before) / max(periods)
    assert clocks <= (202 if parameter("Depth") >= 16 else 800)


@cocotb.test()
@cocotb.parametrize(periods=PERIODS)
async def takes_a_clock_and_four(dut, periods):
    _, sink = ends(dut)
    await start(dut, *periods)
    for count in range(1, 20):
        await Timer(random.randrange(100_000), "ps")
        await RisingEdge(dut.s_clk)
        dut.s_valid.value = 1
        await RisingEdge(dut.s_clk)
        dut.s_valid.value = 0
        taken = get_sim_time("ps")
        await sink.wait(count)
        # m_valid rises with the edge before the one that takes it.
        clocks = (get_sim_time("ps") - taken) / periods[1] - 1
        assert 2 <= clocks <= 4, clocks


@pytest.mark.parametrize(("width", "depth"), [(64, 4), (512, 16)])
def test_stream_async_fifo(width, depth):
    simulate(
        top="stream_async_fifo_word",
        core="clocks",
        extra_sources=["stream_async_fifo_word.sv"],
        test_module=__file__,
        parameters={"Width": width, "Depth": depth},
    )
