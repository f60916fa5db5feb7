# SPDX-License-Identifier: Apache-2.0
"""frame_pad: short frames grow to the minimum with zeros, others pass, one beat a clock."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, PacketSource, start


def padded(data: bytes) -> bytes:
    return data.ljust(parameter("MinBytes"), b"\0")


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def pads_short_frames(dut, idle, backpressure):
    source, sink = PacketSource(dut, pause=idle), PacketSink(dut, pause=backpressure)
    await start(dut)
    longest = 2 * parameter("MinBytes") + parameter("DataWidth") // 8
    sent = [random.randbytes(random.randint(1, longest)) for _ in range(50)]
    for data in sent:
        source.send(data)
    await sink.wait_packets(len(sent))
    assert [packet.data for packet in sink.packets] == [padded(data) for data in sent]


@cocotb.test()
async def pads_every_length(dut):
    source, sink = PacketSource(dut), PacketSink(dut)
    await start(dut)
    sent = [random.randbytes(n) for n in range(1, parameter("MinBytes") + 70)]
    for data in sent:
        source.send(data)
    await sink.wait_packets(len(sent))
    assert [packet.data for packet in sink.packets] == [padded(data) for data in sent]
    # One beat a clock all along, and zero where nothing is kept.
    assert sink.times[-1] - sink.times[0] == len(sink.times) - 1
    for beat in sink.transfers:
        assert beat["data"] >> 8 * beat["keep"].bit_length() == 0
    assert sink.times[0] - source.times[0] == 1


@pytest.mark.parametrize(("width", "minimum"), [(64, 60), (64, 33), (512, 60), (512, 64)])
def test_frame_pad(width, minimum):
    simulate(
        top="frame_pad",
        test_module=__file__,
        parameters={"DataWidth": width, "MinBytes": minimum},
    )
