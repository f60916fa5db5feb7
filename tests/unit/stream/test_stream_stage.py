# SPDX-License-Identifier: Apache-2.0
"""stream_stage: order, and the latency and throughput of what its parameter chooses."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, start


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_order(dut, idle, backpressure):
    source = StreamSource(dut, pause=idle)
    sink = StreamSink(dut, pause=backpressure)
    await start(dut)
    sent = [random.getrandbits(64) for _ in range(300)]
    for value in sent:
        source.send(data=value)
    await sink.wait(len(sent))
    assert [transfer["data"] for transfer in sink.transfers] == sent


@cocotb.test()
async def takes_the_clocks_of_its_places(dut):
    latency, interval = {0: (0, 1), 1: (1, 2), 2: (1, 1)}[parameter("Places")]
    source, sink = StreamSource(dut), StreamSink(dut)
    await start(dut)
    for value in range(100):
        source.send(data=value)
    await sink.wait(100)
    clocks = {out - into for into, out in zip(source.times, sink.times, strict=True)}
    assert clocks == {latency}
    assert source.times[-1] - source.times[0] == 99 * interval


@pytest.mark.parametrize("places", [0, 1, 2])
def test_stream_stage(places):
    simulate(
        top="stream_stage_struct",
        core="stream",
        extra_sources=["stream_stage_struct.sv"],
        test_module=__file__,
        parameters={"Places": places},
    )
