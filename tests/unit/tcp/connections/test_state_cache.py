# SPDX-License-Identifier: Apache-2.0
"""state_cache against one memory: every event of a connection finds what the one before it left,
whatever hits, misses, is parked, written back or comes back from DRAM, and in whatever order."""

import random
from collections import Counter, defaultdict, deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.packed import unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, never, start

REQUEST = {"write": 1, "address": 32, "tag": 8, "strobe": 64, "data": 512}
COUNT_ON, LOOK, CLOSE, GAP = range(4)
HIT, MISS, MERGED, FETCH, LINE, WRITE_BACK = "hit miss merged fetch line write_back".split()
FORGOTTEN = "forgotten"
COUNTS = (
    HIT,
    MISS,
    MERGED,
    FETCH,
    LINE,
    WRITE_BACK,
    FORGOTTEN,
)  # the struct's fields, the topmost first


class Lines:
    """The DRAM: answers after random times, in any order of tags, in order for each line. What was
    never written is noise."""

    def __init__(self, latency: tuple[int, int], backpressure):
        self.latency, self.backpressure = latency, backpressure()
        self.content: dict[int, int] = {}
        self.waiting: list[tuple[int, int, int, dict]] = []  # due, number, line, request
        self.number = 0
        self.tags: set[int] = set()
        self.most = 0

    def take(self, clock: int, request: dict[str, int]) -> None:
        assert request["tag"] not in self.tags, "a tag that is in use"
        self.tags.add(request["tag"])
        due = clock + random.randint(*self.latency)
        self.waiting.append((due, self.number, request["address"], request))
        self.number += 1
        self.most = max(self.most, len(self.waiting))

    def answer(self, clock: int) -> int | None:
        """The response's bits, if one is due."""
        first: dict[int, int] = {}
        for _, number, line, _ in self.waiting:
            first[line] = min(first.get(line, number), number)
        due = [entry for entry in self.waiting if entry[0] <= clock and first[entry[2]] == entry[1]]
        if not due:
            return None
        entry = random.choice(due)
        self.waiting.remove(entry)
        request = entry[3]
        self.tags.remove(request["tag"])
        line = entry[2]
        content = self.content.setdefault(line, random.getrandbits(512))
        if request["write"]:
            for byte in range(64):
                if request["strobe"] >> byte & 1:
                    mask = 0xFF << 8 * byte
                    content = content & ~mask | request["data"] & mask
            self.content[line] = content
            content = random.getrandbits(512)
        return request["write"] << 520 | request["tag"] << 512 | content


class Bench:
    def __init__(self, dut, idle=never, backpressure=never, latency=(5, 60), lines=never):
        self.dut, self.idle, self.stall = dut, idle(), backpressure()
        self.lines = Lines(latency, lines)
        self.connections = parameter("Connections")
        self.queue: deque[tuple[int, bool, int, int]] = deque()  # op, named, id, mark
        self.expected: dict[int, deque] = defaultdict(deque)  # by id: op, mark
        self.unnamed: Counter = Counter()
        self.states = [[0, 0, 0, False, False] for _ in range(self.connections)]
        self.counts: Counter = Counter()
        self.waiting = self.done = self.clock = self.overtaken = self.most_parked = 0
        self.forgotten = 0  # gaps
        self.order: deque[int] = deque()  # marks of named events as they came

    async def begin(self):
        await start(self.dut, s_valid=0, stall_i=0, m_request_ready=0, s_response_valid=0)
        cocotb.start_soon(self._run())
        while not self.dut.init_done_o.value:
            await RisingEdge(self.dut.clk)

    def send(self, identity: int, op: int = COUNT_ON, named: bool = True):
        self.queue.append((op, named, identity, random.getrandbits(16)))
        self.waiting += 1

    async def settle(self):
        while self.waiting or self.lines.waiting:
            await RisingEdge(self.dut.clk)

    async def _run(self):
        dut, offered, ready = self.dut, None, False
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if offered and dut.s_ready.value:
                op, named, identity, mark = offered
                if named:
                    self.expected[identity].append((op, mark))
                    self.order.append(mark)
                else:
                    self.unnamed[mark] += 1
                offered = None
            if dut.done_valid.value:
                self._check()
            if ready and dut.m_request_valid.value:
                self.lines.take(self.clock, unpack(REQUEST, int(dut.m_request.value)))
            word = int(dut.counts_o.value)
            if word:
                for i, name in enumerate(reversed(COUNTS)):
                    self.counts[name] += word >> i & 1
            self.most_parked = max(self.most_parked, int(dut.parked_o.value))

            if offered is None and self.queue and not next(self.idle):
                offered = self.queue.popleft()
                dut.s_op.value, dut.s_named.value, dut.s_id.value, dut.s_mark.value = offered
            dut.s_valid.value = offered is not None
            dut.stall_i.value = next(self.stall)
            ready = not next(self.lines.backpressure)
            dut.m_request_ready.value = ready
            answer = self.lines.answer(self.clock)
            dut.s_response_valid.value = answer is not None
            dut.s_response.value = random.getrandbits(521) if answer is None else answer

    def _check(self):
        dut = self.dut
        self.done += 1
        self.waiting -= 1
        identity, mark, op = (
            int(dut.done_id.value), int(dut.done_mark.value), int(dut.done_op.value),
        )  # fmt: skip
        if not dut.done_named.value:
            assert self.unnamed[mark] > 0, "an event that nobody sent"
            self.unnamed[mark] -= 1
            return
        assert self.expected[identity], f"an event of {identity} that nobody sent"
        assert self.expected[identity].popleft() == (op, mark), f"{identity}: not the next event"
        self.overtaken += self.order[0] != mark
        self.order.remove(mark)
        count, before, generation, is_open, gap = self.states[identity]
        found = (
            int(dut.done_count.value), int(dut.done_before.value),
            int(dut.done_generation.value), bool(dut.done_open.value),
        )  # fmt: skip
        assert found == (count, before, generation, is_open), f"{identity}: {found}, stale"
        assert dut.done_whole.value, f"{identity}: not all of it"
        # A gap may be forgotten, never made up.
        has_gap = bool(dut.done_gap.value)
        assert gap or not has_gap, f"{identity}: another's gap"
        self.forgotten += gap and not has_gap
        if op in (COUNT_ON, GAP):
            self.states[identity] = [count + 1, mark, generation, True, op == GAP]
        elif op == CLOSE:
            self.states[identity] = [0, 0, (generation + 1) % 16, False, False]
        else:
            self.states[identity][4] = has_gap


def zipf(connections: int) -> int:
    return random.choices(range(connections), [1 / (i + 1) for i in range(connections)])[0]


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "mostly", "bursts"], backpressure=["never", "sometimes", "bursts"]
)
async def agrees_with_one_memory(dut, idle, backpressure):
    bench = Bench(dut, PATTERNS[idle], PATTERNS[backpressure], lines=PATTERNS["sometimes"])
    await bench.begin()
    connections = bench.connections
    for _ in range(4):
        kind = random.choice(("uniform", "zipf", "few"))
        few = random.sample(range(connections), 3)
        for _ in range(250):
            identity = {
                "uniform": lambda: random.randrange(connections),
                "zipf": lambda: zipf(connections),
                "few": lambda few=few: random.choice(few),
            }[kind]()
            op = random.choices((COUNT_ON, LOOK, CLOSE, GAP), (8, 2, 1, 3))[0]
            bench.send(identity, op, named=random.random() < 0.95)
    await bench.settle()
    assert bench.done == 1000 and not any(bench.expected.values())
    for name in COUNTS:
        assert bench.counts[name], f"no {name}"
    assert bench.counts[FORGOTTEN] >= bench.forgotten
    assert 2 * bench.counts[FETCH] <= bench.counts[LINE] <= 3 * bench.counts[FETCH]


@cocotb.test()
async def others_overtake_a_miss(dut):
    """While a state comes from DRAM, a connection that is on chip goes on, and events of the one
    that is not wait together: one miss for all of them."""
    bench = Bench(dut, latency=(400, 400))
    await bench.begin()
    entries = parameter("Entries")
    for identity in range(2 * entries):  # the first half has to leave again
        bench.send(identity)
    await bench.settle()
    hot = 2 * entries - 1
    before = dict(bench.counts)
    begin = bench.clock
    for _ in range(5):
        bench.send(0)
    for _ in range(10):
        bench.send(hot)
    while bench.done < 2 * entries + 10:
        await RisingEdge(dut.clk)
    assert bench.clock - begin < 300, "the hot connection waited for the cold one"
    assert int(dut.parked_o.value) == 5
    await bench.settle()
    assert bench.counts[MISS] - before[MISS] == 1
    assert bench.counts[MERGED] - before[MERGED] == 4
    assert bench.overtaken


@cocotb.test()
async def keeps_sixteen_misses_on_their_way(dut):
    """As many as there are entries; then everything waits, and nothing is lost."""
    bench = Bench(dut, latency=(1500, 1500))
    await bench.begin()
    misses, entries = parameter("Misses"), parameter("Entries")
    for _ in range(2):
        for identity in range(bench.connections):
            bench.send(identity)
        await bench.settle()
    # A set has few places, and those on their way cannot leave.
    assert bench.most_parked >= min(misses, entries)
    assert bench.lines.most >= min(misses, entries)


@cocotb.test()
async def a_closed_connection_is_not_written(dut):
    """What was opened and closed on chip never reaches DRAM, nor does an id that was never used;
    the generation survives."""
    bench = Bench(dut)
    await bench.begin()
    for _ in range(2):
        for identity in range(bench.connections):
            for op in (COUNT_ON, COUNT_ON, CLOSE):
                bench.send(identity, op)
        await bench.settle()
    for identity in range(bench.connections):
        bench.send(identity, LOOK)
    await bench.settle()
    assert {state[2] for state in bench.states} == {2}
    assert bench.counts[FETCH] == bench.counts[WRITE_BACK] == 0
    assert bench.counts[MISS] >= 2 * bench.connections


@cocotb.test()
async def gaps_are_remembered(dut):
    """As long as no other connection that shares the line remembers some."""
    bench = Bench(dut)
    await bench.begin()
    for _ in range(2):
        for identity in range(bench.connections):
            bench.send(identity, GAP if identity < bench.connections // 8 else COUNT_ON)
        await bench.settle()
    assert bench.counts[LINE] > 2 * bench.counts[FETCH]
    assert bench.forgotten == bench.counts[FORGOTTEN] == 0


@cocotb.test()
async def hits_pass_one_a_clock(dut):
    bench = Bench(dut)
    await bench.begin()
    entries = parameter("Entries")
    for identity in range(entries):
        bench.send(identity)
    await bench.settle()
    begin, before = bench.clock, bench.counts[HIT]
    for i in range(40 * entries):
        bench.send(i % entries, LOOK)
    await bench.settle()
    assert bench.counts[HIT] - before == 40 * entries
    # The stand-in takes an event of the same connection after so many clocks.
    interval = max(1, (parameter("CommitLatency", 6) + 1) / entries)
    assert bench.clock - begin < 40 * entries * interval + 30


@cocotb.test()
async def heat_keeps_what_is_used(dut):
    """One connection that is used again and again stays, whatever comes and goes in its set."""
    bench = Bench(dut)
    await bench.begin()
    sets = parameter("Entries") // parameter("Ways")
    others = range(sets, bench.connections, sets)  # in the set of 0
    for identity in (*others, *others):
        bench.send(0)
        bench.send(identity)
        await bench.settle()
    assert bench.counts[MISS] == 1 + 2 * len(others)


@pytest.mark.parametrize(
    "parameters",
    [
        {"Connections": 64, "Entries": 16, "Ways": 4, "Policy": 0},
        {"Connections": 64, "Entries": 16, "Ways": 4, "Policy": 1, "CommitLatency": 9},
        {"Connections": 64, "Entries": 32, "Ways": 2, "Policy": 0, "Misses": 4, "Parked": 8},
        {"Connections": 128, "Entries": 16, "Ways": 8, "Policy": 1, "Misses": 8},
    ],
    ids=["heat", "recent", "two-ways", "eight-ways"],
)
def test_state_cache(parameters):
    simulate(
        top="state_cache_bench",
        test_module=__file__,
        core="connections",
        extra_sources=["state_cache_bench.sv"],
        parameters={"Misses": 16, "Parked": 64, "CommitLatency": 6, **parameters},
    )
