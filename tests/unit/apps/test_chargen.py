# SPDX-License-Identifier: Apache-2.0
"""chargen: the pattern of RFC 864 from any place, in packets of any length, one after the other."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, start

RING = bytes(range(0x20, 0x7F))


def pattern(position: int, length: int) -> bytes:
    line, column = position >> 7, position & 0x7F
    text = bytearray()
    while len(text) < column + length:
        text += (RING * 2)[line : line + 72] + b"\r\n"
        line = (line + 1) % len(RING)
    return bytes(text[column : column + length])


async def packet(dut, position: int, length: int) -> int:
    """Start a packet; the place where the next one goes on."""
    dut.position_i.value, dut.length_i.value, dut.s_start_valid.value = position, length, 1
    while True:
        await RisingEdge(dut.clk)
        if dut.s_start_ready.value:
            break
    dut.s_start_valid.value = 0
    dut.position_i.value, dut.length_i.value = random.getrandbits(14), random.getrandbits(16)
    while True:
        await RisingEdge(dut.clk)
        if dut.s_start_ready.value:
            return int(dut.position_o.value)


@cocotb.test()
@cocotb.parametrize(backpressure=list(PATTERNS))
async def goes_on_where_it_stopped(dut, backpressure):
    sink = PacketSink(dut, pause=backpressure)
    await start(dut, s_start_valid=0, position_i=0, length_i=0)
    lanes = parameter("DataWidth") // 8
    position = random.randrange(95) << 7 | random.randrange(74)
    expected = []
    lengths = [1, lanes - 1, lanes, lanes + 1, 74, 1460]
    lengths += [random.randint(1, 400) for _ in range(10)]
    for length in lengths:
        expected.append(pattern(position, length))
        position = await packet(dut, position, length)
    await sink.wait_packets(len(expected))
    assert [p.data for p in sink.packets] == expected


@cocotb.test()
async def is_the_pattern_of_the_rfc(dut):
    """A whole turn of the ring, a beat a clock."""
    sink = PacketSink(dut)
    await start(dut, s_start_valid=0, position_i=0, length_i=0)
    length = 96 * 74
    position = await packet(dut, 0, length)
    (turn,) = await sink.wait_packets(1)
    lines = turn.data.split(b"\r\n")
    assert lines[0] == b" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg"
    assert lines[0] == lines[95] and len(set(lines[:95])) == 95 and lines[-1] == b""
    assert position == 1 << 7
    assert sink.ends[0] - sink.starts[0] == -(-length // (parameter("DataWidth") // 8)) - 1


@pytest.mark.parametrize("data_width", [64, 512])
def test_chargen(data_width):
    simulate(
        top="chargen",
        core="apps",
        test_module=__file__,
        parameters={"DataWidth": data_width},
    )
