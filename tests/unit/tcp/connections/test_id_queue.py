# SPDX-License-Identifier: Apache-2.0
"""id_queue: first in, first out, no id lost or made up, every id at once."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, start


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def agrees_with_a_queue(dut, idle, backpressure):
    """Ids that have come out go in again after a while, in any order."""
    connections, full = parameter("Connections"), parameter("FullAtReset")
    pause_push, pause_pop = PATTERNS[idle](), PATTERNS[backpressure]()
    inside = deque(range(connections) if full else ())
    outside = [] if full else list(range(connections))
    await start(dut, push_valid=0, m_ready=0)
    pushed, ready, taken, clock, waited = None, False, 0, 0, 0
    most, least = len(inside), len(inside)
    while taken < 8 * connections + 100:
        await RisingEdge(dut.clk)
        clock += 1
        assert clock < 200 * connections + 5000
        assert int(dut.count_o.value) == len(inside)
        if dut.m_valid.value:
            waited = 0
            assert inside, "there is an id where none should be"
            assert int(dut.m_id.value) == inside[0]
            if ready:
                outside.append(inside.popleft())
                taken += 1
        else:
            waited += bool(inside)
            assert waited <= 2, "there are ids and none is offered"
        if pushed is not None:
            inside.append(pushed)
        most, least = max(most, len(inside)), min(least, len(inside))
        # By turns towards full and towards empty.
        filling = clock // (4 * connections) % 2 == full
        pushed = None
        if outside and not next(pause_push) and (filling or random.random() < 0.3):
            pushed = outside.pop(random.randrange(len(outside)))
            dut.push_id.value = pushed
        dut.push_valid.value = pushed is not None
        ready = not next(pause_pop) and (not filling or random.random() < 0.3)
        dut.m_ready.value = ready


@cocotb.test()
async def fills_and_empties(dut):
    connections = parameter("Connections")
    await start(dut, push_valid=0, m_ready=0)
    for round_ in range(3):
        ids = random.sample(range(connections), connections)
        if round_ == 0 and parameter("FullAtReset"):
            ids = list(range(connections))
        else:
            assert int(dut.count_o.value) == 0
            for identity in ids:
                dut.push_id.value, dut.push_valid.value = identity, 1
                await RisingEdge(dut.clk)
            dut.push_valid.value = 0
            await clocks(dut, 4)
        assert int(dut.count_o.value) == connections
        dut.m_ready.value = 1
        for identity in ids:
            await RisingEdge(dut.clk)
            assert dut.m_valid.value and int(dut.m_id.value) == identity
        dut.m_ready.value = 0
        await RisingEdge(dut.clk)
        await clocks(dut, 1)
        assert not dut.m_valid.value


@pytest.mark.parametrize(
    "connections, full", [(2, 1), (64, 0), (64, 1), (256, 1)],
    ids=["smallest", "lut_ram", "lut_ram_full", "block_ram_full"],
)  # fmt: skip
def test_id_queue(connections, full):
    simulate(
        top="id_queue",
        test_module=__file__,
        core="connections",
        parameters={"Connections": connections, "FullAtReset": full},
    )
