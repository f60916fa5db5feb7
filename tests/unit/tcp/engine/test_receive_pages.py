# SPDX-License-Identifier: Apache-2.0
"""receive_pages against a count of every page: kept, taken, left and on its way back."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import start

PIPELINE = 9  # clocks from the entry of an event to its actions


@cocotb.test()
@cocotb.parametrize(busy=[0.05, 0.5, 1.0], release=[0.05, 0.3, 0.9])
async def counts(dut, busy, release):
    """Events come out of the pipeline in their order and take what they like of what they got."""
    ring, pages = parameter("RingPages"), parameter("Pages")
    for name in ("keep_i", "taken_i", "left_i", "freed_i"):
        getattr(dut, name).value = 0
    await start(dut)
    available = free = least = pages
    used = 0
    kept: list[tuple[int, int]] = []  # clock of the actions, pages
    short_seen, none_seen, free_before = set(), False, [pages, pages]
    for clock in range(3000):
        keep = random.random() < busy
        taken = left = 0
        if kept and kept[0][0] == clock:
            got = kept.pop(0)[1]
            taken = random.choice((0, got, random.randint(0, got)))
            left = got - taken
        freed = used > 0 and random.random() < release
        dut.keep_i.value, dut.taken_i.value, dut.left_i.value = keep, taken, left
        dut.freed_i.value = freed
        await RisingEdge(dut.clk)
        # What was there in the clock that has ended.
        offered = int(dut.pages_o.value)
        assert offered == min(available, ring)
        assert int(dut.free_o.value) == free
        assert int(dut.short_o.value) == (free_before[0] < pages // 4)
        assert int(dut.least_o.value) == least
        short_seen.add(int(dut.short_o.value))
        none_seen |= offered == 0
        if keep:
            kept.append((clock + PIPELINE, offered))
        available += left + freed - (offered if keep else 0)
        least = min(least, free)
        free_before = [free, free]
        free += freed - taken
        used += taken - freed
        assert 0 <= available <= free <= pages
    if release < 0.9 and busy > 0.05:
        assert short_seen == {0, 1} and none_seen


@pytest.mark.parametrize(("ring", "pages"), [(8, 32), (16, 128)])
def test_receive_pages(ring, pages):
    simulate(
        top="receive_pages",
        core="engine",
        test_module=__file__,
        parameters={"RingPages": ring, "Pages": pages},
    )
