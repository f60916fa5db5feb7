# SPDX-License-Identifier: Apache-2.0
"""Clocks that have no edge before the inputs of a module are there."""

from cocotb.handle import Immediate
from cocotb.triggers import Timer

HOLD_NS = 8


async def hold_clocks(*clocks) -> None:
    """Clocks at 0 for a while, to be awaited before they are started.

    Registers and inputs begin with random values, clocks and resets among them. An edge in the
    first instant would meet a module before its reset has reached it.
    """
    for clock in clocks:
        clock.value = Immediate(0)
    await Timer(HOLD_NS, "ns")
