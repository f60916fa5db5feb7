# SPDX-License-Identifier: Apache-2.0
"""stream_narrow: the bytes of each packet in narrow beats, and its end."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, PacketSource, start


def packets(count: int) -> list[bytes]:
    lengths = [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65]
    return [random.randbytes(random.choice(lengths)) for _ in range(count)]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "bursts"])
async def every_byte(dut, idle, backpressure):
    source, sink = PacketSource(dut, pause=idle), PacketSink(dut, pause=backpressure)
    await start(dut)
    sent = packets(40)
    for packet in sent:
        source.send(packet)
    received = await sink.wait_packets(len(sent))
    assert [packet.data for packet in received] == sent


@cocotb.test()
async def gives_a_beat_a_clock(dut):
    """Also from packet to packet: what is not kept of a wide beat takes no clock."""
    source, sink = PacketSource(dut), PacketSink(dut)
    await start(dut)
    sent = packets(30)
    for packet in sent:
        source.send(packet)
    await sink.wait_packets(len(sent))
    lanes = parameter("NarrowWidth") // 8
    beats = sum(-(-len(packet) // lanes) for packet in sent)
    assert sink.ends[-1] - sink.starts[0] == beats - 1


@pytest.mark.parametrize("wide, narrow", [(32, 8), (512, 64)])
def test_stream_narrow(wide, narrow):
    simulate(
        top="stream_narrow",
        test_module=__file__,
        parameters={"WideWidth": wide, "NarrowWidth": narrow},
    )
