# SPDX-License-Identifier: Apache-2.0
"""decimal_converter: every number of digits, against Python; restarts in the middle."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import simulate
from support.streams import clocks, start


async def convert(dut, value: int) -> tuple[str, int]:
    """The digits, and the clocks that they took."""
    dut.value_i.value, dut.start_i.value = value, 1
    await RisingEdge(dut.clk)
    dut.value_i.value, dut.start_i.value = random.getrandbits(32), 0
    for clock in range(1, 100):
        await RisingEdge(dut.clk)
        if dut.done_o.value:
            return int(dut.digits_o.value).to_bytes(10, "big").decode("ascii"), clock
    raise AssertionError("never done")


@cocotb.test()
async def agrees_with_python(dut):
    await start(dut, start_i=0, value_i=0)
    values = [0, 1, 2**32 - 1, 2**31]
    values += [10**n + d for n in range(1, 10) for d in (-1, 0, 1)]
    values += [random.getrandbits(random.randint(1, 32)) for _ in range(200)]
    for value in values:
        digits, spent = await convert(dut, value)
        assert digits == f"{value:10d}" and spent == 33
        await clocks(dut, random.randrange(3))
        assert int(dut.digits_o.value).to_bytes(10, "big").decode("ascii") == digits


@cocotb.test()
async def begins_anew(dut):
    await start(dut, start_i=0, value_i=0)
    for interrupted in (1, 5, 32, 33, 34):
        dut.value_i.value, dut.start_i.value = 4_000_000_000, 1
        await RisingEdge(dut.clk)
        dut.start_i.value = 0
        await clocks(dut, interrupted)
        digits, _ = await convert(dut, interrupted)
        assert digits == f"{interrupted:10d}"


def test_decimal_converter():
    simulate(top="decimal_converter", core="apps", test_module=__file__)
