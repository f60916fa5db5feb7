# SPDX-License-Identifier: Apache-2.0
"""timer_queues against a queue per class: in order, never early, late by few clocks."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, never, start

CLASSES = 16
MIN_LOG2 = 6
MASK = 0xFFFFFFFF
LATE = 32  # clocks, of an entry that is alone, when the output is free


class Bench:
    """Arms what is asked for, moves the time, and checks everything that comes out."""

    def __init__(self, dut, now: int = 0, backpressure=never):
        self.dut, self.now, self.backpressure = dut, now, backpressure()
        self.connections = parameter("Connections")
        self.queues = [deque() for _ in range(CLASSES)]  # id, time of arming
        self.arms: deque[tuple[int, int]] = deque()  # id, class
        self.arming = None
        self.expired: list[tuple[int, int, int]] = []  # clock, id, class
        self.clock = 0
        self.step = never
        self.due_since: dict[int, int] = {}  # class: clock
        self.worst_wait = 0

    async def begin(self):
        dut = self.dut
        await start(dut, arm_valid=0, m_ready=0, now_us=self.now & MASK)
        waited = 0
        while not dut.init_done_o.value:
            await RisingEdge(dut.clk)
            waited += 1
            assert waited <= CLASSES
        cocotb.start_soon(self._run())

    async def _run(self):
        """self.now is what the module is shown until the next edge."""
        dut, ready, held = self.dut, False, None
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if self.arming is not None:
                identity, timer_class = self.arming
                self.queues[timer_class].append((identity, self.now))
                self.arming = None
            if dut.m_valid.value:
                offered = int(dut.m_id.value), int(dut.m_class.value)
                assert held in (None, offered), "what is offered changed"
                held = offered
                if ready:
                    held = None
                    self._expire(*offered)
            else:
                assert held is None, "what was offered went away"
            self._watch()

            self.now += next(self.step_iterator) if self.step is not never else 0
            dut.now_us.value = self.now & MASK
            if self.arms:
                self.arming = self.arms.popleft()
                dut.arm_id.value, dut.arm_class.value = self.arming
            else:
                dut.arm_id.value = random.randrange(self.connections)
                dut.arm_class.value = random.randrange(CLASSES)
            dut.arm_valid.value = self.arming is not None
            ready = not next(self.backpressure)
            dut.m_ready.value = ready

    def _expire(self, identity: int, timer_class: int):
        assert self.queues[timer_class], f"class {timer_class} is empty and gave {identity}"
        expected, armed = self.queues[timer_class].popleft()
        assert identity == expected, f"class {timer_class} gave {identity} before {expected}"
        waited = self.now - armed
        assert waited >= self.duration(timer_class), f"{waited} us are too early"
        self.expired.append((self.clock, identity, timer_class))
        self.due_since.pop(timer_class, None)

    def _watch(self):
        """How many clocks a class whose head is due has been waiting."""
        for timer_class, queue in enumerate(self.queues):
            if queue and self.now - queue[0][1] >= self.duration(timer_class):
                since = self.due_since.setdefault(timer_class, self.clock)
                self.worst_wait = max(self.worst_wait, self.clock - since)

    @staticmethod
    def duration(timer_class: int) -> int:
        return 1 << (timer_class + MIN_LOG2)

    def run_time(self, steps):
        """Let the time go on by what the iterator gives, each clock."""
        self.step, self.step_iterator = None, steps

    def stop_time(self):
        self.step = never

    @property
    def waiting(self) -> int:
        return sum(map(len, self.queues))

    async def empty(self, limit: int):
        begin = self.clock
        while self.waiting or self.arms or self.arming:
            await RisingEdge(self.dut.clk)
            assert self.clock - begin < limit, f"{self.waiting} entries do not come out"


def steady(numerator: int, denominator: int):
    """numerator microseconds in denominator clocks."""
    rest = 0
    while True:
        rest += numerator
        yield rest // denominator
        rest %= denominator


def jumping(longest_log2: int):
    while True:
        yield random.randrange(1 << random.randint(0, longest_log2)) * (random.random() < 0.05)


@cocotb.test()
async def comes_up_on_time_in_every_class(dut):
    """One entry: not a microsecond early, and at most a few clocks late."""
    bench = Bench(dut, now=random.getrandbits(32))
    await bench.begin()
    for timer_class in random.sample(range(CLASSES), CLASSES):
        identity = random.randrange(bench.connections)
        bench.arms.append((identity, timer_class))
        await clocks(dut, random.randint(3, 40))
        armed = bench.queues[timer_class][0][1]
        bench.now = armed + Bench.duration(timer_class) - 1
        await clocks(dut, 100)
        assert not bench.expired
        bench.now += 1
        due = bench.clock
        await bench.empty(100)
        ((clock, *what),) = bench.expired
        assert what == [identity, timer_class] and clock - due <= LATE
        bench.expired.clear()


@cocotb.test()
@cocotb.parametrize(backpressure=list(PATTERNS))
async def agrees_with_the_model(dut, backpressure):
    """Random arms of all classes while the time crawls, runs, stands and jumps, and wraps."""
    bench = Bench(dut, now=(1 << 32) - 200_000, backpressure=PATTERNS[backpressure])
    await bench.begin()
    ways = [steady(1, 8), steady(5, 1), steady(97, 1), jumping(12), jumping(21), steady(0, 1)]
    armed = 0
    for _ in range(60):
        bench.run_time(random.choice(ways))
        low, high = sorted(random.sample(range(CLASSES + 1), 2))
        rate = random.choice((0.02, 0.3, 1.0))
        for _ in range(random.randint(1, 100)):
            # Each connection once in a class at most, and not before it has come out.
            if random.random() < rate:
                timer_class = random.randrange(low, high)
                inside = {identity for identity, _ in bench.queues[timer_class]}
                inside |= {identity for identity, queued in bench.arms if queued == timer_class}
                if bench.arming and bench.arming[1] == timer_class:
                    inside.add(bench.arming[0])
                if len(inside) < bench.connections:
                    identity = random.choice([*set(range(bench.connections)) - inside])
                    bench.arms.append((identity, timer_class))
                    armed += 1
            await RisingEdge(dut.clk)
        if random.random() < 0.1:
            await clocks(dut, 300)
    bench.run_time(jumping(22))
    await bench.empty(20_000 + 400 * armed)
    assert len(bench.expired) == armed > 100
    assert bench.now > 1 << 32


@cocotb.test()
async def holds_every_connection_in_every_class(dut):
    """All queues full, all due at once: everything comes out, one each sixteen clocks a class."""
    bench = Bench(dut, now=(1 << 32) - 5)
    await bench.begin()
    for _ in range(2):
        order = [(i, c) for i in range(bench.connections) for c in range(CLASSES)]
        random.shuffle(order)
        bench.arms.extend(order)
        # Without the time going on nothing comes out.
        while bench.arms or bench.arming:
            await RisingEdge(dut.clk)
        await clocks(dut, 100)
        assert not bench.expired and bench.waiting == len(order)
        bench.now += Bench.duration(CLASSES - 1)
        await bench.empty(len(order) + 3 * LATE)
        assert len(bench.expired) == len(order)
        bench.expired.clear()


@cocotb.test()
@cocotb.parametrize(period=[1, 2, 3, 4, 7, 8, 16, 32])
async def no_class_starves(dut, period):
    """All classes always due and a slow taker: each waits for one entry of each other at most."""

    def taker():
        while True:
            yield from [True] * (period - 1)
            yield False

    bench = Bench(dut, backpressure=taker)
    await bench.begin()
    for timer_class in range(CLASSES):
        for identity in range(min(bench.connections, 8)):
            bench.arms.append((identity, timer_class))
    while bench.arms or bench.arming:
        await RisingEdge(dut.clk)
    bench.now += Bench.duration(CLASSES - 1)
    await bench.empty(20_000)
    order = [timer_class for _, _, timer_class in bench.expired]
    for begin in range(0, len(order), CLASSES):
        assert len(set(order[begin : begin + CLASSES])) == CLASSES, order
    assert bench.worst_wait <= CLASSES * max(period, 8) + LATE


@pytest.mark.parametrize("connections", [4, 64])
def test_timer_queues(connections):
    simulate(
        top="timer_queues",
        test_module=__file__,
        core="timers",
        parameters={"Connections": connections},
    )
