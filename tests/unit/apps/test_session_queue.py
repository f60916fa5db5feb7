# SPDX-License-Identifier: Apache-2.0
"""session_queue against an ordered dictionary: each id once, the newest generation, in order."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start


async def follow(dut, model: dict[int, int], left: list[tuple[int, int]]):
    """The model: pushes as they are taken, and what leaves the queue for the output."""
    while True:
        await RisingEdge(dut.clk)
        if dut.rst.value:
            continue
        if dut.s_valid.value and dut.s_ready.value:
            word = int(dut.s_session.value)
            model[word & 0xFFFFF] = word >> 20
        if dut.m_valid.value and dut.m_ready.value:
            word = int(dut.m_session.value)
            left.append((word & 0xFFFFF, word >> 20))


@cocotb.test()
@cocotb.parametrize(idle=["never", "mostly"], backpressure=list(PATTERNS))
async def nothing_is_lost_or_made_up(dut, idle, backpressure):
    source = StreamSource(dut, "s", {"session": "s_session"}, pause=idle)
    sink = StreamSink(dut, "m", {"session": "m_session"}, pause=backpressure)
    model, left = {}, []
    cocotb.start_soon(follow(dut, model, left))
    await start(dut)
    connections = parameter("Connections")
    pushed = [
        (random.randrange(connections), random.getrandbits(4)) for _ in range(12 * connections)
    ]
    for number, generation in pushed:
        source.send(session=generation << 20 | number)
    await source.drained()
    await clocks(dut, 40 * connections)
    assert len(sink.transfers) == len(left) <= len(pushed)
    # What came out last of each id is what was pushed last; and no more often than it was pushed.
    last = dict(left)
    assert last == model
    for number in range(connections):
        came = [generation for n, generation in left if n == number]
        went = [generation for n, generation in pushed if n == number]
        assert len(came) <= len(went)
        remaining = iter(went)
        assert all(generation in remaining for generation in came), (came, went)


@cocotb.test()
async def holds_all_and_keeps_order(dut):
    """A consumer that takes nothing never stalls a push; then all come, each once, in order."""
    source = StreamSource(dut, "s", {"session": "s_session"})
    sink = StreamSink(dut, "m", {"session": "m_session"}, pause=lambda: iter(lambda: True, None))
    await start(dut)
    connections = parameter("Connections")
    order = random.sample(range(connections), connections)
    for turn in range(3):
        for number in order:
            source.send(session=turn << 20 | number)
    await source.drained()
    gaps = [b - a for a, b in zip(source.times, source.times[1:], strict=False)]
    assert max(gaps) <= 4
    sink.pause = iter(lambda: False, None)
    await sink.wait(connections + 1)
    await clocks(dut, 20)
    came = [t["session"] for t in sink.transfers]
    # The first had left for the output, as it was, before it was pushed again.
    assert came[0] == order[0] and len(came) == connections + 1
    assert sorted(came[1:]) == [2 << 20 | number for number in range(connections)]
    assert [word & 0xFFFFF for word in came[1:]] == [*order[1:], order[0]]


@pytest.mark.parametrize("connections", [2, 16])
def test_session_queue(connections):
    simulate(
        top="session_queue",
        core="apps",
        test_module=__file__,
        parameters={"Connections": connections},
    )
