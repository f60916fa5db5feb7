# SPDX-License-Identifier: Apache-2.0
"""receive_merge: queries without waiting for grants, a straight one first and alone at first; a
packet for each grant, in order."""

import itertools
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.app_structs import OFFER
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import (
    PATTERNS,
    Packet,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    pattern,
    start,
)

SESSION = {"generation": 4, "id": 20}


def offer(length: int) -> dict[str, int]:
    return {name: random.getrandbits(width) for name, width in OFFER.items()} | {"length": length}


class Bench:
    """Both ways, and the application. A ring's query is there until it is taken; a straight one is
    asked only after a clock in which the merge was idle, and given up when it is withdrawn."""

    def __init__(self, dut, idle=None, pause=None):
        self.dut = dut
        self.ring_queries = StreamSource(dut, "s_ring_query", {"query": "s_ring_query"}, pause=idle)
        self.queries = StreamSink(dut, "m_query", {"query": "m_query"}, pause=pause)
        self.grants = StreamSource(dut, "s_grant", pause=idle, fields=("length",))
        self.direct = PacketSource(dut, "s_direct", pause=idle)
        self.ring = PacketSource(dut, "s_ring", pause=idle)
        self.sink = PacketSink(dut, "m_app", sideband=("app", "session"), pause=pause)
        self.idle, self.ready = pattern(idle), pattern(pause)
        self.expected: list[Packet] = []
        self.shown: list[bool] = []  # of each query, in order: is it a straight one?
        self.asked: list[dict[str, int]] = []  # of rings, not yet shown
        self.withdrawn = self.straight = self.granted = 0
        self.open: deque[tuple[bool, dict[str, int], int]] = deque()  # and what is granted
        self.most_open = 0
        cocotb.start_soon(self._queries())
        cocotb.start_soon(self._grants())

    async def ask(self) -> bool:
        """A straight query: whether it was shown."""
        dut = self.dut
        while not dut.idle_o.value or next(self.idle):
            await RisingEdge(dut.clk)
        granted = self.granted  # nothing is open
        query = offer(random.randrange(1, 200))
        self.current = query
        dut.s_direct_query.value = pack(OFFER, **query)
        dut.s_direct_query_valid.value = 1
        while True:
            await RisingEdge(dut.clk)
            assert not (dut.s_direct_query_ready.value and dut.direct_withdrawn_o.value)
            if dut.direct_withdrawn_o.value or dut.s_direct_query_ready.value:
                break
        shown = bool(dut.s_direct_query_ready.value)
        dut.s_direct_query_valid.value = 0
        self.withdrawn += not shown
        if shown:
            self.straight += 1
            while self.granted == granted:
                await RisingEdge(dut.clk)
        return shown

    def ask_ring(self) -> None:
        query = offer(random.randrange(1, 200))
        self.asked.append(query)
        self.ring_queries.send(query=pack(OFFER, **query))

    async def _queries(self):
        """Answers each query."""
        for seen in itertools.count():
            await self.queries.wait(seen + 1)
            query = unpack(OFFER, self.queries.transfers[seen]["query"])
            direct = not (self.asked and query == self.asked[0])
            if direct:
                assert query == self.current and not self.open
            else:
                self.asked.pop(0)
            self.shown.append(direct)
            length = random.choice((0, query["length"], random.randint(0, query["length"])))
            self.open.append((direct, query, length))
            self.most_open = max(self.most_open, len(self.open))
            self.grants.send(length=length)

    async def _grants(self):
        """They come in order, and each that is not 0 makes a packet on its way."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            told = int(dut.direct_grant_valid_o.value)
            taken = dut.s_grant_valid.value and dut.s_grant_ready.value
            dut.ring_grant_ready_i.value = not next(self.ready)
            if not taken:
                assert not told
                continue
            direct, query, length = self.open.popleft()
            assert told == direct
            self.granted += 1
            if length:
                self._packet(direct, query, length)

    def _packet(self, direct: bool, query: dict[str, int], length: int) -> None:
        data = random.randbytes(length)
        bad = direct and random.random() < 0.3
        session = pack(SESSION, generation=query["generation"], id=query["id"])
        self.expected.append(Packet(data, bad, 0, {"app": query["app"], "session": session}))
        (self.direct if direct else self.ring).send(Packet(data, bad))

    async def check(self) -> None:
        await self.sink.wait_packets(len(self.expected))
        await clocks(self.dut, 20)
        assert self.sink.packets == self.expected
        assert self.dut.idle_o.value == 1 and self.dut.direct_open_o.value == 0


INPUTS = {"s_direct_query": 0, "s_direct_query_valid": 0, "ring_grant_ready_i": 0}


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=list(PATTERNS))
async def both_ways(dut, idle, pause):
    bench = Bench(dut, idle, pause)
    await start(dut, **INPUTS)
    for _ in range(60):
        what = random.random()
        if what < 0.4:
            bench.ask_ring()
        elif what < 0.8:
            await bench.ask()
        else:
            await clocks(dut, random.randrange(30))
    while bench.asked:
        await RisingEdge(dut.clk)
    await clocks(dut, 40)
    await bench.check()
    assert bench.straight and False in bench.shown


@cocotb.test()
async def several_open(dut):
    """While the first query is not answered, as many are shown as there is room for."""
    bench = Bench(dut)
    await start(dut, **INPUTS)
    bench.grants.pause = iter(lambda: True, None)
    for _ in range(20):
        bench.ask_ring()
    await clocks(dut, 40)
    most = min(20, parameter("Queries"))
    assert len(bench.shown) == bench.most_open == most and not dut.idle_o.value
    bench.grants.pause = iter(lambda: False, None)
    await clocks(dut, 3000)
    assert len(bench.shown) == 20
    await bench.check()


@cocotb.test()
async def straight_packets_are_counted(dut):
    """As many as there are turns for, though the application takes none of them."""
    bench = Bench(dut)
    bench.sink.pause = iter(lambda: True, None)
    await start(dut, **INPUTS)
    turns = parameter("Queries") + 4
    while len(bench.expected) < turns:
        await bench.ask()
        assert int(dut.direct_open_o.value) in (len(bench.expected), len(bench.expected) - 1)
    await clocks(dut, 10)
    assert dut.direct_open_o.value == turns
    bench.sink.pause = iter(lambda: False, None)
    await bench.check()


@cocotb.test()
async def straight_first(dut):
    """Both in one clock: the straight query is shown, in that clock; the other one after it."""
    bench = Bench(dut)
    await start(dut, **INPUTS)
    for _ in range(20):
        bench.ask_ring()
        await clocks(dut, 1)  # valid from the next clock on
        assert await bench.ask()
        while bench.asked:
            await RisingEdge(dut.clk)
        await clocks(dut, 60)
    assert bench.shown == [True, False] * 20 and not bench.withdrawn
    await bench.check()


@cocotb.test()
async def withdrawn(dut):
    """A ring's query that waits for the application is not taken back for a straight one."""
    bench = Bench(dut, pause="mostly")
    await start(dut, **INPUTS)
    for _ in range(40):
        while not dut.idle_o.value:
            await RisingEdge(dut.clk)
        bench.ask_ring()
        await clocks(dut, random.randrange(3))
        await bench.ask()
        while bench.asked:
            await RisingEdge(dut.clk)
        await clocks(dut, 100)
    assert bench.withdrawn and bench.straight
    await bench.check()


@pytest.mark.parametrize(("width", "queries"), [(64, 4), (512, 16)])
def test_receive_merge(width, queries):
    simulate(
        top="receive_merge", core="tcp_receive", test_module=__file__,
        parameters={"DataWidth": width, "Queries": queries},
    )  # fmt: skip
