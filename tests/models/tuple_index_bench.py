# SPDX-License-Identifier: Apache-2.0
"""Drives tuple_index clock by clock and holds every answer against a dictionary."""

import random
from collections import defaultdict, deque

import cocotb
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from support.packed import unpack
from support.simulate import parameter
from support.streams import never, start

MISS, HIT, NEW, NO_ROOM = range(4)
# index_counts_t
COUNTS = {"hit": 1, "miss": 1, "read": 1, "second_read": 1, "kick": 1, "refused": 1}


class Lookup:
    def __init__(self, value: int, opens: bool):
        self.value, self.opens = value, opens
        self.asked = 0
        self.may_be_gone = False  # removed between question and answer


class Bench:
    def __init__(self, dut, idle=never, backpressure=never, latency=(4, 40), busy=0.2):
        self.dut, self.idle, self.backpressure = dut, idle(), backpressure()
        self.memory = LineMemory(dut, latency, busy)
        self.connections = parameter("Connections")
        self.places = 5 * parameter("Buckets")
        self.known: dict[int, int] = {}
        self.used: set[int] = set()  # ids
        self.lookups: deque[Lookup] = deque()
        self.removals: deque[tuple[int, int]] = deque()
        self.releases: deque[int] = deque()
        self.tags = deque(range(2 ** parameter("TagWidth")))
        self.asked: dict[int, Lookup] = {}  # by tag
        self.order: dict[int, deque[int]] = defaultdict(deque)  # by tuple: tags
        self.answers: list[tuple[int, int, int]] = []
        self.times: list[int] = []
        self.latencies: list[int] = []
        self.counts: dict[str, int] = defaultdict(int)
        self.clock = self.overtakings = 0

    async def begin(self):
        self.dut.hash_key_i.value = random.getrandbits(128)
        await start(
            self.dut, s_valid=0, m_ready=0, s_remove_valid=0, s_release_valid=0, limit=600_000
        )
        self.offered = self.removing = self.releasing = None
        cocotb.start_soon(self.memory.run())
        cocotb.start_soon(self._run())

    async def _run(self):
        dut, ready = self.dut, False
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if ready and dut.m_valid.value:
                self._answer(int(dut.m_tag.value), int(dut.m_result.value), int(dut.m_id.value))
            if self.offered and dut.s_ready.value:
                tag, lookup = self.offered
                lookup.asked = self.clock
                self.asked[tag] = lookup
                self.order[lookup.value].append(tag)
                self.offered = None
            if self.removing and dut.s_remove_ready.value:
                value, identity = self.removing
                if self.known.get(value) == identity:
                    del self.known[value]
                    for tag in self.order[value]:
                        self.asked[tag].may_be_gone = identity
                self.removing = None
            if self.releasing is not None and dut.s_release_ready.value:
                self.used.remove(self.releasing)
                self.releasing = None
            counts = int(dut.counts_o.value)
            if counts:
                for name, value in unpack(COUNTS, counts).items():
                    self.counts[name] += value

            if self.offered is None and self.lookups and self.tags and not next(self.idle):
                lookup = self.lookups.popleft()
                tag = self.tags.popleft()
                self.offered = tag, lookup
                dut.s_tuple.value, dut.s_open.value = lookup.value, lookup.opens
                dut.s_tag.value = tag
            dut.s_valid.value = self.offered is not None
            if self.removing is None and self.removals:
                self.removing = self.removals.popleft()
                dut.s_remove_tuple.value, dut.s_remove_id.value = self.removing
            dut.s_remove_valid.value = self.removing is not None
            if self.releasing is None and self.releases and self.removing is None:
                self.releasing = self.releases.popleft()
                dut.s_release_id.value = self.releasing
            dut.s_release_valid.value = self.releasing is not None
            ready = not next(self.backpressure)
            dut.m_ready.value = ready

    def _answer(self, tag: int, result: int, identity: int):
        assert tag in self.asked, "an answer that nobody asked for"
        lookup = self.asked.pop(tag)
        value = lookup.value
        assert self.order[value].popleft() == tag, "lookups of a tuple are answered in order"
        if any(other.asked < lookup.asked for other in self.asked.values()):
            self.overtakings += 1
        self.tags.append(tag)
        self.latencies.append(self.clock - lookup.asked)
        self.times.append(self.clock)
        self.answers.append((value, result, identity))
        stale = lookup.may_be_gone is not False and (result, identity) == (HIT, lookup.may_be_gone)
        if value in self.known:
            assert stale or (result, identity) == (HIT, self.known[value]), (
                f"{value:#x}: {result}, id {identity}, instead of id {self.known[value]}"
            )
        elif not stale:
            allowed = (NEW, NO_ROOM) if lookup.opens else (MISS,)
            assert result in allowed, f"{value:#x}: {result}, id {identity}, but it is not known"
        if not stale:
            for later in self.order[value]:
                self.asked[later].may_be_gone = False
        if result == NEW:
            assert identity not in self.used, f"id {identity} is given out twice"
            self.used.add(identity)
            self.known[value] = identity

    def look_up(self, value: int, opens: bool = False):
        self.lookups.append(Lookup(value, opens))

    def remove(self, value: int):
        self.removals.append((value, self.known[value]))
        self.releases.append(self.known[value])

    async def settle(self):
        while (
            self.lookups or self.removals or self.releases or self.asked
            or self.offered or self.removing or self.releasing is not None
        ):  # fmt: skip
            await RisingEdge(self.dut.clk)

    async def fill(self, values: list[int]):
        for value in values:
            self.look_up(value, opens=True)
        await self.settle()

    async def rest(self):
        """Until all that is known is in its bucket, or the table is full."""
        quiet = 0
        while quiet < 300:
            await RisingEdge(self.dut.clk)
            quiet = 0 if self.memory.outstanding else quiet + 1

    async def all_are_found(self):
        values = list(self.known)
        random.shuffle(values)
        before = len(self.answers)
        for value in values:
            self.look_up(value)
        await self.settle()
        assert all(result == HIT for _, result, _ in self.answers[before:])


def random_tuples(count: int) -> list[int]:
    return list({random.getrandbits(64) for _ in range(count)})
