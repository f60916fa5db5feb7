# SPDX-License-Identifier: Apache-2.0
"""ring_memory against a list: a request sees every write taken before it, also one byte of a word,
and is answered three clocks after it was taken, in order."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from support.simulate import parameter, simulate
from support.streams import start

IDLE = {
    "s_write_address": 0,
    "s_write_data": 0,
    "s_write_strobe": 0,
    "s_write_valid": 0,
    "s_request_address": 0,
    "s_request_valid": 0,
}
LATENCY = 3


@cocotb.test()
async def requests_see_what_was_written_before(dut):
    await start(dut, **IDLE)
    words, width = parameter("Words"), parameter("DataWidth")
    content: list[int | None] = [None] * words
    due: list[tuple[int, int]] = []
    answered = waited = 0
    for cycle in range(6000):
        await RisingEdge(dut.clk)
        few = random.randrange(words) if random.random() < 0.5 else random.randrange(2)
        writes, asks = random.random() < 0.7, random.random() < 0.7
        strobe = random.choice([2 ** (width // 8) - 1, random.getrandbits(width // 8)])
        address, data = (
            random.randrange(2) if random.random() < 0.5 else few,
            random.getrandbits(width),
        )
        if content[address] is None:
            strobe = 2 ** (width // 8) - 1
        dut.s_write_valid.value, dut.s_write_strobe.value = writes, strobe
        dut.s_write_address.value, dut.s_write_data.value = address, data
        dut.s_request_valid.value, dut.s_request_address.value = asks, few
        await ReadOnly()
        if dut.m_response_valid.value:
            expected, when = due.pop(0)
            assert cycle == when + LATENCY
            assert expected is None or int(dut.m_response_data.value) == expected
            answered += 1
        assert not due or cycle < due[0][1] + LATENCY
        assert dut.s_write_ready.value == 1
        if asks:
            waited += not dut.s_request_ready.value
            if dut.s_request_ready.value:
                due.append((content[few], cycle))
        if writes:
            mask = sum(0xFF << 8 * i for i in range(width // 8) if strobe >> i & 1)
            content[address] = ((content[address] or 0) & ~mask) | (data & mask)
    assert answered > 2000 and waited > 100


@pytest.mark.parametrize("width", [64, 512])
def test_ring_memory(width):
    simulate(top="ring_memory", test_module=__file__, parameters={"DataWidth": width, "Words": 16})
