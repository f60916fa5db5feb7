# SPDX-License-Identifier: Apache-2.0
"""spill_queue: first in, first out, however much of it is in far memory."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, never, start


class Bench:
    def __init__(self, dut, idle=never, backpressure=never, latency=(4, 60)):
        self.dut, self.idle, self.backpressure = dut, idle(), backpressure()
        self.memory = LineMemory(dut, latency)
        self.width, self.entries = parameter("Width"), 512 // parameter("Width")
        self.inside: deque[int] = deque()
        self.pushing = self.popping = False
        self.longest = self.taken = self.clock = self.after_room = 0
        self.pop_times: list[int] = []

    async def begin(self):
        await start(self.dut, push_valid=0, m_ready=0, limit=300_000)
        cocotb.start_soon(self.memory.run())
        cocotb.start_soon(self._run())
        await clocks(self.dut, 3)

    async def _run(self):
        dut, pushed, ready = self.dut, None, False
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            assert int(dut.count_o.value) == len(self.inside)
            if dut.m_valid.value:
                assert self.inside, "there is an entry where none should be"
                assert int(dut.m_data.value) == self.inside[0]
                if ready:
                    self.inside.popleft()
                    self.taken += 1
                    self.pop_times.append(self.clock)
            if pushed is not None:
                self.inside.append(pushed)
                self.longest = max(self.longest, len(self.inside))
            # As many as promised come though there is no room.
            self.after_room = 0 if dut.room_o.value else self.after_room + (pushed is not None)
            pushed = None
            if (
                self.pushing
                and len(self.inside) < parameter("Capacity")
                and (dut.room_o.value or self.after_room < self.entries - 2)
                and not next(self.idle)
            ):
                pushed = random.getrandbits(self.width)
                dut.push_data.value = pushed
            dut.push_valid.value = pushed is not None
            ready = self.popping and not next(self.backpressure)
            dut.m_ready.value = ready

    async def run(self, pushing: bool, popping: bool, length: int):
        self.pushing, self.popping = pushing, popping
        await clocks(self.dut, length)

    async def empty(self):
        await self.run(False, True, 1)
        while self.inside:
            await RisingEdge(self.dut.clk)
        await clocks(self.dut, 5)
        assert not self.dut.m_valid.value


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], backpressure=["never", "mostly", "bursts"],
    latency=[(1, 1), (4, 60)],
)  # fmt: skip
async def agrees_with_a_queue(dut, idle, backpressure, latency):
    """Longer and shorter by turns, through every place that an entry can be in."""
    bench = Bench(dut, PATTERNS[idle], PATTERNS[backpressure], latency)
    await bench.begin()
    await bench.run(True, False, 20 * bench.entries)
    for _ in range(20):
        longer = random.random() < 0.7
        await bench.run(True, not longer or random.random() < 0.3, random.choice((3, 40, 600)))
        if random.random() < 0.3:
            await bench.run(False, True, random.choice((10, 100, 400)))
    await bench.empty()
    assert bench.longest > 6 * bench.entries and bench.memory.reads > 3, "it has not been long"
    assert bench.memory.reads == bench.memory.writes


@cocotb.test()
async def fills_and_empties(dut):
    """Round the end of the lines in memory."""
    bench = Bench(dut, latency=(1, 20))
    await bench.begin()
    for _ in range(3):
        bench.pushing, bench.popping = True, False
        while len(bench.inside) < parameter("Capacity"):
            await RisingEdge(dut.clk)
        await bench.empty()
    assert bench.memory.writes > parameter("Capacity") // bench.entries
    assert max(bench.memory.lines) < -(-parameter("Capacity") // bench.entries)


@cocotb.test()
async def a_short_queue_stays_on_chip(dut):
    bench = Bench(dut)
    await bench.begin()
    await bench.run(True, False, 3 * bench.entries)
    await bench.run(True, True, 500)
    assert bench.memory.writes == 0 and len(bench.inside) > 2 * bench.entries
    assert bench.pop_times[-1] - bench.pop_times[0] == len(bench.pop_times) - 1
    await bench.empty()


@pytest.mark.parametrize("width, capacity", [(20, 1000), (6, 2000), (52, 300)])
def test_spill_queue(width, capacity):
    simulate(
        top="spill_queue",
        test_module=__file__,
        core="connections",
        parameters={"Width": width, "Capacity": capacity},
    )
