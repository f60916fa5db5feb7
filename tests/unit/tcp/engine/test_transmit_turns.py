# SPDX-License-Identifier: Apache-2.0
"""transmit_turns: who is pushed is offered once for it, in rounds, with the credit that is due."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.extent import some
from support.simulate import parameter, simulate
from support.streams import PATTERNS, start

BLOCK_BYTES = 64
INPUTS = (
    *("push_id", "push_valid", "push_turn", "push_credit", "push_length"),
    *("decided_i", "line_busy_i", "m_ready"),
)


def blocks(length: int) -> int:
    return length // BLOCK_BYTES + 1


def apart() -> int:
    """Clocks more between offers, for the register behind a queue in block RAM."""
    return 2 * (parameter("Registers") & parameter("BlockRam"))


class Turns:
    """What a deficit round robin does, and who waits where."""

    def __init__(self):
        self.quantum = blocks(parameter("MaxBytes"))
        self.queue: deque[tuple[int, int]] = deque()  # id, credit left over
        self.again: deque[tuple[int, int]] = deque()  # id, credit
        self.round = self.under_way = 0

    def offer(self, line_busy: bool) -> tuple[int, int] | None:
        if self.again:
            return self.again[0]
        free = self.under_way < parameter("UnderWay")
        if not (self.queue and free and (self.round or not self.under_way or not line_busy)):
            return None
        identity, left = self.queue[0]
        return identity, self.quantum + left

    def take(self) -> tuple[int, int]:
        if self.again:
            return self.again.popleft()
        self.round = (self.round or len(self.queue)) - 1
        self.under_way += 1
        identity, left = self.queue.popleft()
        return identity, self.quantum + left

    def join(self, identity: int) -> None:
        self.queue.append((identity, 0))

    def come_back(self, identity: int, credit: int, length: int) -> None:
        left = max(0, credit - blocks(length))
        if left >= blocks(length):
            self.again.append((identity, left))
        else:
            self.queue.append((identity, left))
            self.under_way -= 1

    def leave(self) -> None:
        self.under_way -= 1


async def run(dut, clocks, *, idle, backpressure, busy, more, length, latency=0):
    """Turns for so many clocks; who was offered when, and what it sent. Each turn takes `latency`
    clocks and a few more or less, `busy` says whether the line is, `more` whether a connection goes
    on, `length` what it sends."""
    model = Turns()
    pause_push, pause_pop = PATTERNS[idle](), PATTERNS[backpressure]()
    await start(dut, **dict.fromkeys(INPUTS, 0))
    outside = deque(range(parameter("Connections")))
    flying: list[tuple[int, int, int]] = []  # when it comes back, id, credit
    sent, waited = [], 0
    # What was pushed so many clocks ago as there are registers.
    late = deque([None] * (2 * parameter("Registers")))
    for clock in range(clocks):
        line_busy, ready = busy(), not next(pause_pop)
        dut.line_busy_i.value, dut.m_ready.value = line_busy, ready
        back = next((one for one in flying if one[0] <= clock), None)
        push = turn = went = 0
        identity = credit = size = 0
        if back and not next(pause_push):
            flying.remove(back)
            _, identity, credit = back
            size, went = length(identity), 1
            push = turn = more(identity)
            sent.append((clock, identity, blocks(size)))
            if not push:
                outside.append(identity)
        elif outside and not next(pause_push):
            identity, push = outside.popleft(), 1
        dut.push_valid.value, dut.push_turn.value = push, turn
        dut.push_id.value, dut.push_credit.value = identity, credit
        dut.push_length.value, dut.decided_i.value = size, went
        await RisingEdge(dut.clk)
        wanted = model.offer(line_busy)
        if dut.m_valid.value:
            offered = int(dut.m_id.value), int(dut.m_credit.value)
            waited = 0
            assert offered == wanted
            if ready:
                model.take()
                flying.append((clock + latency + random.randint(1, 5), *offered))
        else:
            waited += wanted is not None
            assert waited <= 2 + apart(), "nobody is offered"
        late.append((turn, went, push, identity, credit, size))
        turn, went, push, identity, credit, size = late.popleft() or (0,) * 6
        if turn:
            model.come_back(identity, credit, size)
        elif went:
            model.leave()
        elif push:
            model.join(identity)
    return sent


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def agrees_with_rounds(dut, idle, backpressure):
    """Connections come and go, of any lengths, over a line that is busy or not."""
    sent = await run(
        dut,
        6000,
        idle=idle,
        backpressure=backpressure,
        busy=lambda: random.random() < 0.7,
        more=lambda _: random.random() < 0.8,
        length=lambda _: random.choice((0, 1, 64, random.randint(0, parameter("MaxBytes")))),
    )
    assert len(sent) > 100


@cocotb.test()
@cocotb.parametrize(latency=[1, 30])
async def a_busy_line_is_shared_by_blocks(dut, latency):
    """Long segments and short ones: nobody is ever more than three turns' credit ahead."""
    longest = parameter("MaxBytes")
    lengths = [
        longest if i % 2 else longest * (i % 7 + 1) // 8 for i in range(parameter("Connections"))
    ]
    sent = await run(
        dut,
        20_000,
        idle="never",
        backpressure="never",
        busy=lambda: True,
        more=lambda _: True,
        length=lengths.__getitem__,
        latency=latency,
    )
    connections, quantum = parameter("Connections"), blocks(longest)
    served = [0] * connections
    for clock, identity, size in sent:
        served[identity] += size if clock > 2000 else 0  # all have joined
    assert min(served) > 4 * quantum
    assert max(served) - min(served) <= 3 * quantum, served


@cocotb.test()
async def a_line_that_is_not_busy_does_not_wait(dut):
    """One whose turn takes for ever keeps nobody else from the next one."""
    await start(dut, **dict.fromkeys(INPUTS, 0))
    dut.m_ready.value, dut.push_length.value = 1, parameter("MaxBytes")
    for identity in (0, 1):
        dut.push_id.value, dut.push_valid.value = identity, 1
        await RisingEdge(dut.clk)
    dut.push_valid.value = 0
    offered = []
    for clock in range(40):
        dut.line_busy_i.value = 10 <= clock < 30
        # 1 comes back from its turn, 0 does not.
        for name in ("push_valid", "push_turn", "decided_i"):
            getattr(dut, name).value = clock == 15
        dut.push_credit.value = blocks(parameter("MaxBytes"))
        await RisingEdge(dut.clk)
        if dut.m_valid.value:
            offered.append((clock, int(dut.m_id.value)))
    first = 2 * parameter("Registers") + parameter("BlockRam") - 1
    if first >= 0:  # otherwise it was before
        assert offered.pop(0) == (first, 0)
    assert [identity for _, identity in offered] == [1, 1], offered
    assert offered[0][0] < 10 and offered[1][0] == 30, offered


@pytest.mark.parametrize(
    ("connections", "longest", "under_way", "registers", "block_ram"),
    some(
        [
            *((64, 8960, 32, 0, 0), (4, 1460, 32, 1, 0), (4, 1460, 32, 1, 1), (64, 536, 4, 0, 0)),
            *((4, 1460, 32, 0, 1), (64, 536, 4, 1, 0), (128, 1460, 32, 1, 1)),
        ],
        4,
    ),
)
def test_transmit_turns(connections, longest, under_way, registers, block_ram):
    simulate(
        top="transmit_turns", test_module=__file__, core="engine",
        parameters={
            "Connections": connections, "MaxBytes": longest, "UnderWay": under_way,
            "Registers": registers, "BlockRam": block_ram,
        },
    )  # fmt: skip
