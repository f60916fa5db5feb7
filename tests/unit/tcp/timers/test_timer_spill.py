# SPDX-License-Identifier: Apache-2.0
"""timer_spill before timer_queues: the timers of more connections than there are places on chip."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from models.timers import CLASSES, TimerBench, jumping, steady
from support.extent import FULL
from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, never


class Bench(TimerBench):
    """Goes on arming for a while when there is no room, as a pipeline does."""

    def __init__(self, dut, now=0, backpressure=never, latency=(4, 60), busy=0.2):
        super().__init__(dut, now, backpressure)
        self.memory = LineMemory(dut, latency, busy)
        self.entries = 512 // (len(dut.now_us) + len(dut.arm_id))
        self.after_room = self.stops = 0

    async def begin(self):
        await super().begin()
        cocotb.start_soon(self.memory.run())

    def room(self) -> bool:
        if self.dut.room_o.value:
            self.after_room = 0
            return True
        self.stops += self.after_room == 0
        self.after_room += 1
        return self.after_room <= parameter("Slack")

    async def armed(self):
        while self.arms or self.arming:
            await RisingEdge(self.dut.clk)

    def arm_all(self, classes) -> int:
        """Each connection once in each of the classes."""
        order = [(i, c) for i in range(self.connections) for c in classes]
        random.shuffle(order)
        self.arms.extend(order)
        return len(order)


@cocotb.test()
async def alone_it_stays_on_chip(dut):
    """And is due as without the spill, but for the clocks of the mover's round."""
    bench = Bench(dut, now=random.getrandbits(32))
    await bench.begin()
    for timer_class in random.sample(range(CLASSES), CLASSES):
        bench.arms.append((random.randrange(bench.connections), timer_class))
        await clocks(dut, 40)
        bench.now += bench.duration(timer_class) - 1
        await clocks(dut, 100)
        assert not bench.expired
        bench.now += 1
        due = bench.clock
        await bench.empty(100)
        assert bench.expired.pop()[0] - due <= 32
    for _ in range(3):
        for identity in range(parameter("Depth")):
            bench.arms.append((identity, 3))
        await bench.armed()
        bench.now += 1 << 9
        await bench.empty(17 * parameter("Depth") + 200)
    assert bench.memory.writes == 0


@cocotb.test()
@cocotb.parametrize(latency=[(1, 1), (4, 60), (200, 300)])
async def holds_every_connection_in_every_class(dut, latency):
    """All at once, and all due at once, three times: round the end of the lines in memory. With the
    slowest memory twice, unless TOEHOLD_FULL=1."""
    bench = Bench(dut, now=(1 << 32) - 5, latency=latency)
    await bench.begin()
    for _ in range(3 if FULL or latency[1] < 200 else 2):
        count = bench.arm_all(range(CLASSES))
        await bench.armed()
        assert not bench.expired and bench.waiting == count
        bench.now += bench.duration(CLASSES - 1)
        await bench.empty(count * (2 + latency[1] // bench.entries) + 1000)
        assert len(bench.expired) == count
        bench.expired.clear()
    assert bench.memory.reads == bench.memory.writes > count // bench.entries
    assert bench.stops or latency[1] < 200, "arms have never met a full tail"


@cocotb.test()
@cocotb.parametrize(backpressure=list(PATTERNS))
async def agrees_with_the_model(dut, backpressure):
    """Queues that grow beyond the chip and shrink again, class by class, while time jumps."""
    bench = Bench(dut, now=(1 << 32) - 200_000, backpressure=PATTERNS[backpressure])
    await bench.begin()
    ways = [steady(1, 8), steady(5, 1), steady(97, 1), jumping(12), jumping(21), steady(0, 1)]
    inside = [set() for _ in range(CLASSES)]
    armed = taken = 0
    for _ in range(60):
        bench.run_time(random.choice(ways))
        classes = random.sample(range(CLASSES), random.randint(1, 4))
        for _ in range(random.choice((10, 100, 300))):
            for _, identity, timer_class in bench.expired[taken:]:
                inside[timer_class].discard(identity)
            taken = len(bench.expired)
            timer_class = random.choice(classes)
            identity = random.randrange(bench.connections)
            if identity not in inside[timer_class]:
                inside[timer_class].add(identity)
                bench.arms.append((identity, timer_class))
                armed += 1
            await RisingEdge(dut.clk)
    bench.run_time(jumping(22))
    await bench.empty(20_000 + 400 * armed)
    assert len(bench.expired) == armed > 1000
    assert bench.memory.reads == bench.memory.writes > 10


@pytest.mark.parametrize(
    "connections, depth, slack",
    [pytest.param(64, 16, 20, id="64"), pytest.param(256, 32, 96, id="256")],
)
def test_timer_spill(connections, depth, slack):
    simulate(
        top="spilled_timers",
        test_module=__file__,
        core="timers",
        extra_sources=["spilled_timers.sv"],
        parameters={"Connections": connections, "Depth": depth, "Slack": slack},
    )
