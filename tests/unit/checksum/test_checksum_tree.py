# SPDX-License-Identifier: Apache-2.0
"""checksum_tree: the plain sum of a beat's words, every clock, at its latency."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import start

LATENCY = {64: 1, 128: 2, 256: 2, 512: 3}


@cocotb.test()
async def sums_every_beat(dut):
    lanes = parameter("DataWidth") // 8
    await start(dut, data_i=0, keep_i=0)
    await RisingEdge(dut.clk)
    # What goes in behind one edge is summed at the next and seen LATENCY edges after that.
    expected: deque[int] = deque()
    for _ in range(1000):
        data = bytearray(random.choice([b"\xff" * lanes, random.randbytes(lanes)]))
        first = random.randrange(lanes)
        last = random.randrange(first, lanes)
        dut.data_i.value = int.from_bytes(data, "little")
        dut.keep_i.value = (1 << last + 1) - (1 << first)
        kept = bytes(b if first <= i <= last else 0 for i, b in enumerate(data))
        expected.append(sum(int.from_bytes(kept[i : i + 2], "big") for i in range(0, lanes, 2)))
        await RisingEdge(dut.clk)
        if len(expected) > LATENCY[parameter("DataWidth")]:
            assert int(dut.sum_o.value) == expected.popleft()


@pytest.mark.parametrize("width", [64, 512])
def test_checksum_tree(width):
    simulate(top="checksum_tree", test_module=__file__, parameters={"DataWidth": width})
