# SPDX-License-Identifier: Apache-2.0
"""receive_merge: one query at a time, the straight one first; a packet for each grant, in order."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.app_structs import OFFER
from support.packed import pack, unpack
from support.simulate import simulate
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
        self.direct_open = 0
        cocotb.start_soon(self._application())

    async def ask(self) -> bool:
        """A straight query: whether it was shown."""
        dut = self.dut
        while not dut.idle_o.value or next(self.idle):
            await RisingEdge(dut.clk)
        query = offer(random.randrange(1, 200))
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
            self.current = (True, query)
            await self.answered()
        return shown

    async def answered(self) -> None:
        granted = self.granted
        while self.granted == granted:
            await RisingEdge(self.dut.clk)

    def ask_ring(self) -> None:
        query = offer(random.randrange(1, 200))
        self.asked.append(query)
        self.ring_queries.send(query=pack(OFFER, **query))

    async def _application(self):
        """Answers each query, and each grant that is not 0 makes a packet on its way."""
        dut, seen = self.dut, 0
        while True:
            await RisingEdge(dut.clk)
            dut.ring_grant_ready_i.value = not next(self.ready)
            if len(self.queries.transfers) == seen:
                continue
            query = unpack(OFFER, self.queries.transfers[seen]["query"])
            seen += 1
            await RisingEdge(dut.clk)
            direct = not (self.asked and query == self.asked[0])
            if direct:
                assert query == self.current[1]
            else:
                self.asked.pop(0)
            self.shown.append(direct)
            length = random.choice((0, query["length"], random.randint(0, query["length"])))
            self.grants.send(length=length)
            while True:
                await RisingEdge(dut.clk)
                dut.ring_grant_ready_i.value = not next(self.ready)
                told = int(dut.direct_grant_valid_o.value)
                if dut.s_grant_valid.value and dut.s_grant_ready.value:
                    break
                assert not told
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


@pytest.mark.parametrize("width", [64, 512])
def test_receive_merge(width):
    simulate(
        top="receive_merge", core="tcp_receive", test_module=__file__,
        parameters={"DataWidth": width},
    )  # fmt: skip
