# SPDX-License-Identifier: Apache-2.0
"""stream_register: order, stability, latency 1, full throughput, every path cut."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, start


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_order(dut, idle, backpressure):
    source = StreamSource(dut, pause=idle)
    sink = StreamSink(dut, pause=backpressure)
    await start(dut)
    sent = [random.getrandbits(parameter("Width")) for _ in range(300)]
    for value in sent:
        source.send(data=value)
    await sink.wait(len(sent))
    assert [transfer["data"] for transfer in sink.transfers] == sent


@cocotb.test()
async def takes_one_clock_and_one_transfer_a_clock(dut):
    interval = 1 + parameter("Half")
    source, sink = StreamSource(dut), StreamSink(dut)
    await start(dut)
    for value in range(100):
        source.send(data=value)
    await sink.wait(100)
    assert [out - into for into, out in zip(source.times, sink.times, strict=True)] == [1] * 100
    assert source.times[-1] - source.times[0] == 99 * interval


@cocotb.test()
async def cuts_every_path(dut):
    """Nothing at an output moves when an input does, between two clock edges."""
    await start(dut, s_valid=0, m_ready=0, s_data=0)
    for _ in range(50):
        await RisingEdge(dut.clk)
        await Timer(1, "ns")
        outputs = set()
        for _ in range(4):
            dut.s_valid.value = random.getrandbits(1)
            dut.m_ready.value = random.getrandbits(1)
            dut.s_data.value = random.getrandbits(parameter("Width"))
            await Timer(1, "ns")
            outputs.add((int(dut.s_ready.value), int(dut.m_valid.value), int(dut.m_data.value)))
        assert len(outputs) == 1, outputs


@pytest.mark.parametrize(
    ("width", "wide", "half"),
    [(64, 0, 0), (512, 0, 0), (64, 1, 0), (512, 1, 0), (64, 0, 1), (512, 0, 1)],
)
def test_stream_register(width, wide, half):
    simulate(
        top="stream_register_struct",
        core="stream",
        extra_sources=["stream_register_struct.sv"],
        test_module=__file__,
        parameters={"Width": width, "Wide": wide, "Half": half},
    )
