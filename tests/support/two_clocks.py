# SPDX-License-Identifier: Apache-2.0
"""Starts a module that has two clocks, s_clk and m_clk, at periods that share nothing."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from support.clocks import hold_clocks

# Picoseconds, of s_clk and m_clk: as good as equal, and each much faster than the other.
PERIODS = [(6400, 6402), (6400, 1746), (2014, 9998)]


async def start(dut, s_period: int, m_period: int, limit_us: int = 2000) -> None:
    """Clocks, and a reset that ends on each side at its own time."""
    dut.s_rst.value = dut.m_rst.value = 1
    await hold_clocks(dut.s_clk, dut.m_clk)
    cocotb.start_soon(Clock(dut.s_clk, s_period, "ps").start())
    cocotb.start_soon(Clock(dut.m_clk, m_period, "ps").start())
    cocotb.start_soon(_watchdog(limit_us))
    await Timer(8 * max(s_period, m_period), "ps")
    for clock, reset in ((dut.s_clk, dut.s_rst), (dut.m_clk, dut.m_rst)):
        await RisingEdge(clock)
        reset.value = 0
        await RisingEdge(clock)


async def _watchdog(limit_us: int) -> None:
    await Timer(limit_us, "us")
    raise AssertionError(f"not done after {limit_us} us")
