# SPDX-License-Identifier: Apache-2.0
"""microsecond_clock: every microsecond in its clock, whatever the frequency, without drift."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from support.simulate import parameter, simulate
from support.streams import clocks, start

MICROSECONDS = 1_000_000


async def follow(dut, count: int) -> list[int]:
    """From the end of reset on: n clocks later it is floor(n * 1e6 / ClockHz), exactly.

    What is returned are the clocks in which it moved.
    """
    hz = parameter("ClockHz")
    moved, before = [], 0
    for clock in range(1, count):
        await RisingEdge(dut.clk)
        await Timer(1, "ns")
        now_us = int(dut.now_us.value)
        assert now_us == clock * MICROSECONDS // hz, f"after {clock} clocks"
        if now_us != before:
            moved.append(clock)
        before = now_us
    return moved


async def reset(dut):
    dut.rst.value = 1
    await clocks(dut, 1)
    dut.rst.value = 0


@cocotb.test()
async def does_not_drift(dut):
    hz = parameter("ClockHz")
    await start(dut)
    await reset(dut)
    moved = await follow(dut, 50_000)
    # Steps are even: as many clocks as a microsecond has, or the next whole number.
    steps = {after - before for before, after in zip(moved, moved[1:], strict=False)}
    assert steps and steps <= {hz // MICROSECONDS, -(-hz // MICROSECONDS)}


@cocotb.test()
async def begins_anew_after_reset(dut):
    await start(dut)
    for _ in range(5):
        await clocks(dut, random.randrange(1000))
        await reset(dut)
        await follow(dut, 1000)


# The least, a whole number of MHz, the MACs of 10G with 64 and with 32 bits.
@pytest.mark.parametrize("hz", [1_000_000, 125_000_000, 156_250_000, 322_265_625])
def test_microsecond_clock(hz):
    simulate(
        top="microsecond_clock",
        core="systems",
        test_module=__file__,
        parameters={"ClockHz": hz},
    )
