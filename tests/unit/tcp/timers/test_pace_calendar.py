# SPDX-License-Identifier: Apache-2.0
"""pace_calendar: who goes in comes out once, at its time, however many wait and however slowly they
are taken."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.timers import jumping, steady
from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, never, start

MASK = 0xFFFFFFFF
LEVELS, SLOTS = 6, 32
MOST_US = SLOTS * 4 ** (LEVELS - 1) - 1
ROUND = 4 * LEVELS  # clocks of a scan in which nothing happens
OF_AN_ID = 4


def unit(wait_us: int) -> int:
    """What a list stands for, of the wheel for this wait."""
    size = 1
    while wait_us >= SLOTS * size:
        size *= 4
    return size


class Bench:
    """Pushes what is asked for, moves the time, and keeps who is inside."""

    def __init__(self, dut, now: int = 0, backpressure=never):
        self.dut, self.now, self.pauses = dut, now, backpressure()
        self.connections = parameter("Connections")
        self.inside: dict[int, tuple[int, int]] = {}  # id: time and wait
        self.pushes: list[tuple[int, int]] = []
        self.out: list[tuple[int, int, int]] = []  # id, waited, wait
        self.steps = never
        self.clock = 0

    async def begin(self):
        dut = self.dut
        await start(dut, push_valid=0, push_id=0, push_wait_us=0, m_ready=0, now_us=self.now & MASK)
        waited = 0
        while not dut.init_done_o.value:
            await RisingEdge(dut.clk)
            waited += 1
            assert waited <= 8 * SLOTS
        cocotb.start_soon(self._run())
        await clocks(dut, 2 * ROUND)

    async def _run(self):
        dut, ready, held = self.dut, False, None
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if dut.m_valid.value:
                offered = int(dut.m_id.value)
                assert held in (None, offered), "what is offered changed"
                held = None if ready else offered
                if ready:
                    begun, wait = self.inside.pop(offered)
                    self.out.append((offered, self.now - begun, wait))
            else:
                assert held is None, "what was offered went away"
            if self.steps is not never:
                self.now += next(self.steps)
            dut.now_us.value = self.now & MASK
            dut.push_valid.value = bool(self.pushes)
            if self.pushes:
                identity, wait = self.pushes.pop(0)
                assert identity not in self.inside
                self.inside[identity] = self.now, wait
                dut.push_id.value, dut.push_wait_us.value = identity, wait
            else:
                dut.push_id.value = random.randrange(self.connections)
                dut.push_wait_us.value = random.randint(0, MOST_US)
            ready = not next(self.pauses)
            dut.m_ready.value = ready

    def free(self) -> list[int]:
        busy = {*self.inside, *(identity for identity, _ in self.pushes)}
        return [identity for identity in range(self.connections) if identity not in busy]

    def push(self, wait: int) -> bool:
        free = self.free()
        if free:
            self.pushes.append((random.choice(free), wait))
        return bool(free)

    async def empty(self, limit: int):
        begin = self.clock
        while self.inside or self.pushes:
            await RisingEdge(self.dut.clk)
            assert self.clock - begin < limit, f"{len(self.inside)} do not come out"


@cocotb.test()
async def comes_at_its_time(dut):
    """One that is alone: not before the list of its time, and a few clocks later at most."""
    bench = Bench(dut, now=random.getrandbits(32))
    await bench.begin()
    waits = [0, 1, 2, 3, 30, 31, 32, 127, 128, 8191, 8192, MOST_US]
    waits += [random.randint(0, MOST_US >> random.randint(0, 14)) for _ in range(60)]
    for wait in waits:
        # Not always at the same place of the wheels, nor of the scan.
        bench.now += random.randint(0, 40)
        await clocks(dut, random.randint(16 * ROUND, 17 * ROUND))
        bench.push(wait)
        await clocks(dut, 2)
        begun = bench.now
        due = (begun + wait) // unit(wait) * unit(wait)
        assert due == begun + wait or wait / 8 > begun + wait - due
        while bench.now < due - 1:
            # In some steps, so that the wheels keep up.
            bench.now = min(due - 1, bench.now + 8 * unit(wait))
            await clocks(dut, 16 * ROUND)
            assert not bench.out, wait
        bench.now = max(due, begun)
        await clocks(dut, 2 * ROUND + OF_AN_ID)
        assert [row[1:] for row in bench.out] == [(due - begun, wait)], wait
        bench.out.clear()


@cocotb.test()
@cocotb.parametrize(backpressure=list(PATTERNS))
async def everybody_comes_out_once(dut, backpressure):
    """At random, while the time crawls, runs, stands, jumps, and goes round."""
    bench = Bench(dut, now=(1 << 32) - 20_000, backpressure=PATTERNS[backpressure])
    await bench.begin()
    ways = [steady(1, 40), steady(1, 300), steady(7, 1), jumping(10), jumping(16), steady(0, 1)]
    pushed = 0
    for _ in range(60):
        bench.steps = random.choice(ways)
        longest, rate = random.randint(0, 15), random.choice((0.02, 0.3, 1.0))
        for _ in range(random.randint(50, 300)):
            if random.random() < rate:
                pushed += bench.push(random.randrange(1 << longest))
            await RisingEdge(dut.clk)
    bench.steps = steady(1, 1)
    await bench.empty(2 * MOST_US)
    assert len(bench.out) == pushed > 10 * bench.connections and bench.now > 1 << 32


@cocotb.test()
async def never_early_never_late_under_load(dut):
    """The clocks of a microsecond are enough for those of it: each comes within its bounds."""
    bench = Bench(dut, now=random.getrandbits(32))
    await bench.begin()
    clocks_per_us = 160
    bench.steps = steady(1, clocks_per_us)
    for _ in range(60_000):
        if random.random() < 0.02:
            bench.push(random.randrange(1, 1 << random.randint(1, 7)))
        await RisingEdge(dut.clk)
    assert len(bench.out) > 10 * bench.connections
    for _, waited, wait in bench.out:
        assert wait - unit(wait) < waited <= wait + 1, (waited, wait)


@cocotb.test()
async def all_at_once(dut):
    """Everybody waits for the same time: an id in a few clocks."""
    bench = Bench(dut, now=random.getrandbits(32))
    await bench.begin()
    for wait in (0, 5, 5, 500, 0):
        while bench.push(wait):
            pass
        await clocks(dut, bench.connections + 2)
        bench.now += wait
        await bench.empty(16 * ROUND + OF_AN_ID * bench.connections)
        assert len(bench.out) == bench.connections
        bench.out.clear()


@pytest.mark.parametrize("connections", [4, 64])
def test_pace_calendar(connections):
    simulate(
        top="pace_calendar",
        test_module=__file__,
        core="timers",
        parameters={"Connections": connections},
    )
