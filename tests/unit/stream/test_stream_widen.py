# SPDX-License-Identifier: Apache-2.0
"""stream_widen: the bytes of each packet in wide beats, its end and error with it."""

import random

import cocotb
import pytest

from support.simulate import simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, start


def packets(count: int) -> list[Packet]:
    lengths = [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65]
    return [
        Packet(random.randbytes(random.choice(lengths)), random.random() < 0.3)
        for _ in range(count)
    ]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "bursts"])
async def every_byte_and_error(dut, idle, backpressure):
    source, sink = PacketSource(dut, pause=idle), PacketSink(dut, pause=backpressure)
    await start(dut)
    sent = packets(40)
    for packet in sent:
        source.send(packet)
    received = await sink.wait_packets(len(sent))
    assert [(p.data, p.error) for p in received] == [(p.data, p.error) for p in sent]


@cocotb.test()
async def takes_a_beat_a_clock(dut):
    source, sink = PacketSource(dut), PacketSink(dut)
    await start(dut)
    sent = packets(30)
    for packet in sent:
        source.send(packet)
    await sink.wait_packets(len(sent))
    assert source.times[-1] - source.times[0] == len(source.times) - 1
    assert sink.ends[-1] == source.times[-1] + 1


@pytest.mark.parametrize("narrow, wide", [(8, 32), (64, 512)])
def test_stream_widen(narrow, wide):
    simulate(
        top="stream_widen",
        test_module=__file__,
        parameters={"NarrowWidth": narrow, "WideWidth": wide},
    )
