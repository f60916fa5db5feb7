# SPDX-License-Identifier: Apache-2.0
"""packet_crossing: bytes, ends, errors and what goes beside them, between clocks and widths."""

import random

import cocotb
import pytest
from cocotb.utils import get_sim_time

from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource
from support.two_clocks import PERIODS, start

LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 129)


def ends(dut, idle=None, backpressure=None):
    source = PacketSource(
        dut, sideband=("side",), error=True, pause=idle, clock=dut.s_clk, reset=dut.s_rst
    )
    sink = PacketSink(
        dut, sideband=("side",), error=True, pause=backpressure, clock=dut.m_clk, reset=dut.m_rst
    )
    return source, sink


def packets(count: int) -> list[Packet]:
    return [
        Packet(
            random.randbytes(random.choice(LENGTHS)),
            error=bool(random.getrandbits(1)),
            sideband={"side": random.getrandbits(8)},
        )
        for _ in range(count)
    ]


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, idle=list(PATTERNS), backpressure=["never", "bursts"])
async def every_packet(dut, periods, idle, backpressure):
    source, sink = ends(dut, idle, backpressure)
    await start(dut, *periods)
    sent = packets(40)
    for packet in sent:
        source.send(packet)
    assert await sink.wait_packets(len(sent)) == sent


@cocotb.test()
@cocotb.parametrize(periods=PERIODS)
async def is_as_fast_as_its_slower_side(dut, periods):
    source, sink = ends(dut)
    await start(dut, *periods)
    for _ in range(30):
        source.send(Packet(bytes(512), sideband={"side": 0}))
    await sink.wait_packets(5)
    before = get_sim_time("ps")
    await sink.wait_packets(25)
    beat = max(p / parameter(f"{side}Width") for side, p in zip("SM", periods, strict=True))
    assert get_sim_time("ps") - before <= 20 * 512 * 8 * beat * 1.02


@pytest.mark.parametrize("s_width, m_width", [(64, 64), (64, 512), (512, 128)])
def test_packet_crossing(s_width, m_width):
    simulate(
        top="packet_crossing",
        test_module=__file__,
        parameters={"SWidth": s_width, "MWidth": m_width, "SideWidth": 8},
    )
