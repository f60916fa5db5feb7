# SPDX-License-Identifier: Apache-2.0
"""transmit_backlog: what it says is what is between, counted segment by segment."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge

from support.simulate import parameter, simulate
from support.streams import start

HEAD, DEPTH, LARGE_BYTES = 64, 64, 512
LATENCY = 3  # clocks from a segment that comes or leaves to what is said of it
INSIDE = 4  # clocks after which a segment may leave


@cocotb.test()
@cocotb.parametrize(come=[0.05, 0.5, 1.0], leave=[0.05, 0.5, 1.0])
async def says_what_is_between(dut, come, leave):
    """Segments come and leave in these shares of the clocks, by turns of more and of fewer; some
    wait before the builder."""
    queued_from, large_from = parameter("Queued"), parameter("Large")
    busy_from = -(-parameter("BusyBytes") // HEAD)
    await start(dut, push_length_i=0, push_i=0, pop_i=0, queued_i=0)
    await FallingEdge(dut.clk)
    between: deque[tuple[int, int]] = deque()
    busy, large = deque([False] * (LATENCY - 1)), deque([False] * (LATENCY - 2))
    said = set()
    for clock in range(4_000):
        longest = random.choice((100, LARGE_BYTES, 1460, 9000))
        flows = clock // 500 % 2
        pushed = len(between) < DEPTH and random.random() < (come if flows else come / 2)
        popped = (
            bool(between)
            and clock - between[0][0] >= INSIDE
            and random.random() < (leave / 2 if flows else leave)
        )
        length, queued = (
            random.randint(0, longest),
            random.choice((0, 0, 1, queued_from - 1, queued_from, 40)),
        )
        dut.push_i.value, dut.push_length_i.value = pushed, length
        dut.pop_i.value, dut.queued_i.value = popped, queued
        if popped:
            between.popleft()
        # What leaves is counted a clock earlier here than what comes.
        count = sum(length // HEAD >= LARGE_BYTES // HEAD for _, length in between)
        large.append(count >= large_from)
        if pushed:
            between.append((clock, length))
        busy.append(sum(length // HEAD + 1 for _, length in between) >= busy_from)
        await FallingEdge(dut.clk)
        seen = bool(dut.line_busy_o.value), bool(dut.backlog_o.value)
        has_backlog = large.popleft() or queued >= queued_from
        assert seen == (busy.popleft(), has_backlog), (clock, between)
        said.add(seen)
    assert len(said) > 1


@pytest.mark.parametrize("queued, large, busy", [(4, 3, 128), (3, 1, 64), (8, 20, 9000)])
def test_transmit_backlog(queued, large, busy):
    simulate(
        top="transmit_backlog", test_module=__file__, core="engine",
        parameters={"Queued": queued, "Large": large, "BusyBytes": busy},
    )  # fmt: skip
