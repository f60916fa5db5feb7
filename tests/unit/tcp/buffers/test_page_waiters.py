# SPDX-License-Identifier: Apache-2.0
"""page_waiters: each id once, in order, none while there is no page, not
all at once, and nobody is left."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from support.simulate import parameter, simulate
from support.streams import start

SLACK = 4
QUIET = ("push_valid", "pages_free_i", "page_freed_i", "m_ready", "s_line_valid", "m_line_ready")


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.left: list[int] = []

    async def begin(self) -> None:
        await start(self.dut, **dict.fromkeys(QUIET, 0))
        self.memory = LineMemory(self.dut)
        cocotb.start_soon(self.memory.run())
        while not self.dut.init_done_o.value:
            await RisingEdge(self.dut.clk)

    async def clock(self, push: int | None = None, free=False, freed=False, ready=True) -> None:
        dut = self.dut
        dut.push_valid.value = push is not None
        if push is not None:
            dut.push_id.value = push
        dut.pages_free_i.value = free
        dut.page_freed_i.value = freed
        dut.m_ready.value = ready
        await RisingEdge(dut.clk)
        if ready and dut.m_valid.value:
            self.left.append(int(dut.m_id.value))


@cocotb.test()
@cocotb.parametrize(pause=[0, 0.5, 0.9])
async def each_is_told_once_for_each_wait(dut, pause):
    """Pushes as fast as room lets them: who waits is not queued twice, and whoever was pushed since
    it left last comes out."""
    bench = Bench(dut)
    await bench.begin()
    connections, pushed = parameter("Connections"), []
    in_flight = 0
    for clock in range(8000):
        push = None
        # Those that are decided when room falls still come.
        in_flight = 0 if dut.room_o.value else in_flight + 1
        if in_flight <= SLACK - 2 and random.random() >= pause:
            push = random.randrange(connections)
            pushed.append(push)
        free = clock // 500 % 2 == 1
        await bench.clock(push, free, free and random.random() < 0.3, random.random() >= pause)
    # What was pushed is taken in; nobody leaves but who had already left the queue.
    for _ in range(30):
        await bench.clock()
    before = len(bench.left)
    assert before > 100
    # Nobody is lost: all come without another page's coming back.
    for _ in range(connections * (parameter("TurnClocks") + 60)):
        await bench.clock(free=True)
    assert set(bench.left) == set(pushed)
    for ident in set(pushed):
        assert bench.left.count(ident) <= pushed.count(ident)
    # Who waits at the end comes once.
    late = bench.left[before:]
    assert len(set(late)) == len(late)


@cocotb.test()
async def in_order_and_not_all_at_once(dut):
    bench = Bench(dut)
    await bench.begin()
    connections, turn = parameter("Connections"), parameter("TurnClocks")
    order = random.sample(range(connections), connections)
    for _ in range(2):
        for ident in order:
            while not dut.room_o.value:
                await bench.clock()
            await bench.clock(ident)
            await bench.clock()
    for _ in range(4 * turn):
        await bench.clock()
    assert not bench.left, "told without a page"
    # Pages that come back tell one each, and at once.
    for _ in range(3):
        await bench.clock(freed=True)
    for _ in range(turn // 2):
        await bench.clock(free=True)
    assert bench.left in (order[:3], order[:4])  # and a turn that was due
    # Then one in each turn.
    told = len(bench.left)
    for _ in range(5 * turn + turn // 2):
        await bench.clock(free=True)
    assert told + 5 <= len(bench.left) <= told + 6
    for _ in range(connections * (turn + 60)):
        await bench.clock(free=True)
    assert bench.left == order, "each once, in the order of coming"


@pytest.mark.parametrize("connections", [16, 512])
def test_page_waiters(connections):
    simulate(
        top="page_waiters",
        core="tcp_buffers",
        test_module=__file__,
        parameters={"Connections": connections, "Slack": SLACK, "TurnClocks": 32},
    )
