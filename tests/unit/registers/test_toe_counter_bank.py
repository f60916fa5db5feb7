# SPDX-License-Identifier: Apache-2.0
"""toe_counter_bank: every increment of every clock is counted once, however they come."""

import random

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from support.simulate import simulate
from support.streams import start
from toehold.counters import maximum, pack

WORD = 0xFFFF_FFFF
MAXIMUM = maximum()
NAMES = list(MAXIMUM)
# A total is this old at most, and a read takes as long again.
SETTLED = 2 * len(NAMES) + 10


class Model:
    """Adds up what is put on counters_i."""

    def __init__(self, dut):
        self.dut = dut
        self.totals = dict.fromkeys(NAMES, 0)
        dut.counters_i.value = 0
        dut.read_i.value = 0
        dut.read_index_i.value = 0

    async def count(self, increments, clocks=1):
        self.dut.counters_i.value = pack(increments)
        await ClockCycles(self.dut.clk, clocks)
        self.dut.counters_i.value = 0
        for name, amount in increments.items():
            self.totals[name] = (self.totals[name] + amount * clocks) & WORD


async def read(dut, index):
    dut.read_i.value = 1
    dut.read_index_i.value = index
    await RisingEdge(dut.clk)
    dut.read_i.value = 0
    for _ in range(SETTLED):
        await RisingEdge(dut.clk)
        if dut.read_valid_o.value:
            return int(dut.read_total_o.value)
    raise AssertionError(f"the read of {index} was not answered")


async def compare(dut, model):
    await ClockCycles(dut.clk, SETTLED)
    for index, name in enumerate(NAMES):
        assert await read(dut, index) == model.totals[name], name


@cocotb.test()
async def starts_at_zero(dut):
    model = Model(dut)
    await start(dut)
    await compare(dut, model)


@cocotb.test()
async def counts_from_the_first_clock(dut):
    """Also while the RAM is being cleared."""
    model = Model(dut)
    await start(dut)
    await model.count(MAXIMUM, clocks=3)
    await compare(dut, model)


@cocotb.test()
async def counts_what_comes_at_random(dut):
    model = Model(dut)
    await start(dut)
    for _ in range(3000):
        chosen = random.sample(NAMES, random.choice((0, 1, 3, len(NAMES))))
        await model.count({name: random.randint(0, MAXIMUM[name]) for name in chosen})
    await compare(dut, model)


@cocotb.test()
async def counts_everything_at_once(dut):
    """The most that may collect between two turns, for several rounds."""
    model = Model(dut)
    await start(dut)
    await model.count(MAXIMUM, clocks=10 * len(NAMES) + 7)
    await compare(dut, model)


@cocotb.test()
async def wraps(dut):
    model = Model(dut)
    await start(dut)
    largest = MAXIMUM["rx_bytes"]
    await model.count({"rx_bytes": largest}, clocks=WORD // largest + 2)
    assert model.totals["rx_bytes"] < largest * 2
    await compare(dut, model)


@cocotb.test()
async def totals_go_round(dut):
    """Every counter is broadcast once in a round, with its total."""
    model = Model(dut)
    await start(dut)
    await model.count(MAXIMUM, clocks=5)
    await ClockCycles(dut.clk, SETTLED)
    seen = {}
    for _ in NAMES:
        await RisingEdge(dut.clk)
        assert dut.visit_valid_o.value
        seen[NAMES[int(dut.visit_index_o.value)]] = int(dut.visit_total_o.value)
    assert seen == model.totals


@cocotb.test()
async def answers_past_the_last_counter(dut):
    Model(dut)
    await start(dut)
    assert await read(dut, len(NAMES)) == 0
    assert await read(dut, 127) == 0


@cocotb.test()
async def reset_clears(dut):
    model = Model(dut)
    await start(dut)
    await model.count(MAXIMUM, clocks=100)
    await ClockCycles(dut.clk, SETTLED)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    model.totals = dict.fromkeys(NAMES, 0)
    await compare(dut, model)


def test_toe_counter_bank():
    simulate("toe_counter_bank", __file__, core="registers")
