# SPDX-License-Identifier: Apache-2.0
"""connection_recycler against a model: TIME_WAIT first, and one half-open id for each refusal."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, start

IDLE = dict(
    push_wait_valid=0, push_opening_valid=0, free_count_i=0, opening_count_i=0, refused_i=0,
    done_i=0, dropped_i=0, m_ready=0,
)  # fmt: skip


async def push(dut, identity: int, **queue) -> None:
    dut.push_id.value = identity
    for name in queue:
        getattr(dut, name).value = 1
    await RisingEdge(dut.clk)
    for name in queue:
        getattr(dut, name).value = 0


async def pulse(dut, **signals) -> None:
    for name in signals:
        getattr(dut, name).value = 1
    await RisingEdge(dut.clk)
    for name in signals:
        getattr(dut, name).value = 0


async def offered(dut) -> tuple[int, int] | None:
    """(id, half-open) that is offered after a few clocks."""
    await clocks(dut, 4)
    if not dut.m_valid.value:
        return None
    return int(dut.m_id.value), int(dut.m_opening.value)


@cocotb.test()
async def time_wait_goes_first(dut):
    spare = parameter("SpareIds")
    await start(dut, **(IDLE | {"free_count_i": spare}))
    await push(dut, 3, push_wait_valid=1)
    await push(dut, 5, push_opening_valid=1)
    assert await offered(dut) is None, "there are ids enough"
    dut.free_count_i.value = spare - 1
    assert await offered(dut) == (3, 0)
    dut.free_count_i.value = 0
    await pulse(dut, refused_i=1)
    assert await offered(dut) == (3, 0)
    await pulse(dut, m_ready=1)
    assert await offered(dut) == (5, 1)


@cocotb.test()
async def one_half_open_for_each_refusal(dut):
    await start(dut, **IDLE)
    for identity in (4, 2, 7):
        await push(dut, identity, push_opening_valid=1)
    assert await offered(dut) is None, "nobody was refused"
    await pulse(dut, refused_i=1)
    assert await offered(dut) == (4, 1)
    await pulse(dut, m_ready=1)
    assert await offered(dut) is None, "it is not known what became of the first"
    await pulse(dut, done_i=1)
    assert await offered(dut) == (2, 1), "the first was open already"
    await pulse(dut, m_ready=1)
    await pulse(dut, done_i=1, dropped_i=1)
    assert await offered(dut) is None, "one refusal, one id"
    await pulse(dut, refused_i=1)
    assert await offered(dut) == (7, 1)
    dut.free_count_i.value = 1
    assert await offered(dut) is None, "an id has come free by itself"


@cocotb.test()
async def the_next_id_is_free_ahead_until_ids_are_not_short(dut):
    """After a refusal each last free id that is taken has one given up; not after ids came free,
    nor where few are half-open."""
    spare = parameter("SpareIds")
    await start(dut, **(IDLE | {"opening_count_i": spare}))
    for identity in (4, 2, 7):
        await push(dut, identity, push_opening_valid=1)
    dut.free_count_i.value = 1
    await clocks(dut, 2)
    dut.free_count_i.value = 0
    assert await offered(dut) is None, "nobody was refused"
    await pulse(dut, refused_i=1)
    for identity in (4, 2):
        assert await offered(dut) == (identity, 1)
        await pulse(dut, m_ready=1)
        await pulse(dut, done_i=1, dropped_i=1)
        dut.free_count_i.value = 1
        assert await offered(dut) is None, "one is free"
        dut.free_count_i.value = 0
    assert await offered(dut) == (7, 1)
    dut.free_count_i.value, dut.opening_count_i.value = 1, spare - 1
    await clocks(dut, 3)
    dut.free_count_i.value = 0
    assert await offered(dut) is None, "who is half-open may be who has just come"
    dut.free_count_i.value, dut.opening_count_i.value = 1, spare
    await clocks(dut, 3)
    dut.free_count_i.value = 0
    assert await offered(dut) == (7, 1)
    dut.free_count_i.value = spare
    await clocks(dut, 3)
    dut.free_count_i.value = 0
    assert await offered(dut) is None, "ids were not short meanwhile"


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def each_id_once_and_in_order(dut, idle, backpressure):
    """Pushes at any time; every id comes out of the queue that it went into, in order."""
    connections, spare = parameter("Connections"), parameter("SpareIds")
    pause_push, pause_pop = PATTERNS[idle](), PATTERNS[backpressure]()
    inside = deque(), deque()  # TIME_WAIT, half-open
    outside = set(range(connections))
    await start(dut, **IDLE)
    owed = 0  # clocks until the last half-open one is judged; 0: none is
    taken = [0, 0]
    pushed = None
    for _ in range(4000):
        await RisingEdge(dut.clk)
        if dut.m_valid.value:
            kind = int(dut.m_opening.value)
            assert inside[kind], "there is an id where none should be"
            assert int(dut.m_id.value) == inside[kind][0]
            assert not (kind and owed), "the next before the last is judged"
            if dut.m_ready.value:
                outside.add(inside[kind].popleft())
                taken[kind] += 1
                owed = random.randint(2, 12) if kind else owed
        if pushed is not None:
            inside[pushed[1]].append(pushed[0])
        pushed = None
        if outside and not next(pause_push):
            pushed = outside.pop(), random.randrange(2)
            dut.push_id.value = pushed[0]
        dut.push_wait_valid.value = pushed is not None and not pushed[1]
        dut.push_opening_valid.value = pushed is not None and pushed[1]
        dut.refused_i.value = random.random() < 0.3
        dut.free_count_i.value = random.choice((0, 0, 0, spare - 1, spare))
        dut.opening_count_i.value = random.choice((0, spare))
        dut.m_ready.value = not next(pause_pop)
        dut.done_i.value = owed == 1
        dut.dropped_i.value = random.randrange(2)
        owed = max(owed - 1, 0)
    assert min(taken) > 50


@pytest.mark.parametrize("connections", [16, 64])
def test_connection_recycler(connections):
    simulate(
        top="connection_recycler",
        test_module=__file__,
        core="engine",
        parameters={"Connections": connections, "SpareIds": connections // 8},
    )
