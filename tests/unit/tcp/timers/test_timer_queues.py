# SPDX-License-Identifier: Apache-2.0
"""timer_queues against a queue per class: in order, never early, late by few clocks."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.timers import CLASSES, TimerBench, jumping, steady
from support.simulate import simulate
from support.streams import PATTERNS, clocks

LATE = 32  # clocks, of an entry that is alone, when the output is free


@cocotb.test()
async def comes_up_on_time_in_every_class(dut):
    """One entry: not a microsecond early, and at most a few clocks late."""
    bench = TimerBench(dut, now=random.getrandbits(32))
    await bench.begin()
    for timer_class in random.sample(range(CLASSES), CLASSES):
        identity = random.randrange(bench.connections)
        bench.arms.append((identity, timer_class))
        await clocks(dut, random.randint(3, 40))
        armed = bench.queues[timer_class][0][1]
        bench.now = armed + TimerBench.duration(timer_class) - 1
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
    bench = TimerBench(
        dut, now=(1 << 32) - 200_000, backpressure=PATTERNS[backpressure], before_us=50
    )
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
    bench = TimerBench(dut, now=(1 << 32) - 5)
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
        bench.now += TimerBench.duration(CLASSES - 1)
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

    bench = TimerBench(dut, backpressure=taker)
    await bench.begin()
    for timer_class in range(CLASSES):
        for identity in range(min(bench.connections, 8)):
            bench.arms.append((identity, timer_class))
    while bench.arms or bench.arming:
        await RisingEdge(dut.clk)
    bench.now += TimerBench.duration(CLASSES - 1)
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
