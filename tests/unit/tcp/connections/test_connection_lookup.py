# SPDX-License-Identifier: Apache-2.0
"""connection_lookup against a dictionary: what was opened is found until it is removed (S1.1)."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks, never, sometimes, start

MISS, HIT, NEW, NO_ROOM = range(4)
TUPLE_BITS = 64
WAYS, STASH = 4, 4
LATENCY = 4
# Of a chained table: clocks to the answer if the list's first key is it, and for each further one.
CHAINED_HIT, CHAINED_NEXT = 11, 4
# An open meets the ids that were released up to its own clock for certain, and may meet later ones.
OPEN_CLOCKS = 4


def slower_open() -> int:
    """Clocks that an open takes more than the fewest."""
    return 60 if parameter("Chained") else parameter("Registers")


class Toeplitz:
    """The four places of a tuple under a key."""

    def __init__(self, key: int, connections: int):
        self.key, self.index_bits = key, (connections // 2).bit_length() - 1

    def places(self, value: int) -> list[int]:
        parity = [(value & self.key >> i).bit_count() & 1 for i in range(WAYS * self.index_bits)]
        return [
            sum(parity[way * self.index_bits + i] << i for i in range(self.index_bits))
            for way in range(WAYS)
        ]

    def alike(self, count: int, places_in_way: int = 1) -> list[int]:
        """Different tuples that have but so many places (a power of two) in each way.

        The hash is linear: these tuples differ by what leaves the upper bits of each index alone.
        """
        basis: dict[int, tuple[int, int]] = {}  # by leading bit of the hash: hash, difference
        kernel = []
        for bit in range(TUPLE_BITS):
            difference, hashed = 1 << bit, 0
            for place in self.places(difference):
                hashed = hashed << self.index_bits | place // places_in_way
            while hashed.bit_length() in basis:
                other_hash, other = basis[hashed.bit_length()]
                hashed, difference = hashed ^ other_hash, difference ^ other
            if hashed:
                basis[hashed.bit_length()] = hashed, difference
            else:
                kernel.append(difference)
        first = random.getrandbits(TUPLE_BITS)
        found = {first}
        while len(found) < count:
            value = first
            for difference in random.sample(kernel, random.randint(1, len(kernel))):
                value ^= difference
            found.add(value)
        for way in range(WAYS):
            assert len({self.places(value)[way] for value in found}) <= places_in_way
        return list(found)


class Bench:
    """Drives all four channels clock by clock and holds every answer against the model."""

    def __init__(self, dut, idle=never, backpressure=never):
        self.dut, self.idle, self.backpressure = dut, idle(), backpressure()
        self.connections = parameter("Connections")
        self.key = random.getrandbits(128) | 1
        self.known: dict[int, int] = {}
        self.free = deque(range(self.connections))
        self.lookups: deque[tuple[int, bool]] = deque()
        self.removals: deque[tuple[int, int]] = deque()
        self.releases: deque[int] = deque()
        self.expected: deque[tuple] = deque()
        self.answers: list[tuple[int, int, int]] = []  # tuple, result, id
        self.latencies: set[int] = set()
        self.places_may_run_out = False
        self.clock, self.last_open, self.taken, self.relocations = 0, -100, 0, 0
        self.refused = 0

    async def begin(self):
        dut = self.dut
        dut.hash_key_i.value = self.key
        await start(dut, s_valid=0, m_ready=0, s_remove_valid=0, s_release_valid=0)
        self.offered = self.removing = self.releasing = None
        self.ready = False
        cocotb.start_soon(self._run())

    async def _run(self):
        dut, expected = self.dut, self.expected
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if parameter("Chained") and self.offered and dut.s_ready.value:
                # What is asked is taken with its answer.
                self._ask(*self.offered)
                self.offered = None
                self.taken += 1
            if dut.m_valid.value and self.ready:
                self._answer(int(dut.m_result.value), int(dut.m_id.value))
            elif dut.m_valid.value:
                assert expected or self.offered, "an answer that nobody asked for"
            if self.offered and dut.s_ready.value:
                self._ask(*self.offered)
                self.offered = None
                self.taken += 1
            if self.removing and dut.s_remove_ready.value:
                value, identity = self.removing
                if self.known.get(value) == identity:
                    del self.known[value]
                self.removing = None
            if self.releasing is not None:
                assert dut.s_release_ready.value
                self.free.append(self.releasing)
                self.releasing = None
            if not parameter("Chained") and dut.gen_cuckoo.tuples.take_move.value:
                self.relocations += 1

            if self.offered is None and self.lookups and not next(self.idle):
                self.offered = self.lookups.popleft()
                dut.s_tuple.value, dut.s_open.value = self.offered
            dut.s_valid.value = self.offered is not None
            # Removing what has not been answered yet would be a guess about the answer.
            if self.removing is None and self.removals:
                self.removing = self.removals.popleft()
                dut.s_remove_tuple.value, dut.s_remove_id.value = self.removing
            dut.s_remove_valid.value = self.removing is not None
            if self.releases and (
                self.free or self.clock - self.last_open > OPEN_CLOCKS + slower_open()
            ):
                if self.free or not (self.offered and self.offered[1]):
                    self.releasing = self.releases.popleft()
                    dut.s_release_id.value = self.releasing
            dut.s_release_valid.value = self.releasing is not None
            self.ready = not next(self.backpressure)
            dut.m_ready.value = self.ready

    def _ask(self, value: int, opens: bool):
        """What the answer will have to be is certain now."""
        result, identity = MISS, None
        if value in self.known:
            result, identity = HIT, self.known[value]
        elif opens and self.free:
            result, identity = NEW, self.free.popleft()
            self.known[value] = identity
        elif opens:
            result = NO_ROOM
        if opens:
            self.last_open = self.clock
        self.expected.append((self.clock, value, result, identity))

    def _answer(self, result: int, identity: int):
        assert self.expected, "an answer that nobody asked for"
        asked, value, expected, expected_id = self.expected.popleft()
        self.latencies.add(self.clock - asked)
        self.answers.append((value, result, identity))
        if self.places_may_run_out and (expected, result) == (NEW, NO_ROOM):
            self.refused += 1
            assert self.known.pop(value) == expected_id
            self.free.appendleft(expected_id)
            return
        assert result == expected, f"{value:#x}: {result} instead of {expected}"
        assert expected_id in (None, identity), f"{value:#x}: {identity} instead of {expected_id}"

    def look_up(self, value: int, opens: bool = False):
        self.lookups.append((value, opens))

    async def settle(self):
        """Return when all that was queued is done and answered."""
        while self.lookups or self.removals or self.releases or self.expected:
            await RisingEdge(self.dut.clk)
        while self.offered or self.removing or self.releasing is not None or self.expected:
            await RisingEdge(self.dut.clk)
        # Until a removal has been counted.
        await clocks(self.dut, 8 + slower_open())

    def check_counts(self):
        assert int(self.dut.connections_o.value) == len(self.known)
        assert int(self.dut.free_count_o.value) == len(self.free)


async def fill(bench: Bench, values: list[int]):
    for value in values:
        bench.look_up(value, opens=True)
    await bench.settle()
    assert len(bench.known) == len(values)


def random_tuples(count: int) -> list[int]:
    return list({random.getrandbits(TUPLE_BITS) for _ in range(count)})


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_order_under_idle_and_backpressure(dut, idle, backpressure):
    bench = Bench(dut, PATTERNS[idle], PATTERNS[backpressure])
    await bench.begin()
    values = random_tuples(bench.connections // 2)
    for _ in range(300):
        bench.look_up(random.choice(values), opens=random.random() < 0.2)
    await bench.settle()
    assert len(bench.answers) == 300
    bench.check_counts()


@cocotb.test()
async def fills_to_the_last_id(dut):
    bench = Bench(dut)
    await bench.begin()
    values = random_tuples(2 * bench.connections)
    for _ in range(4):
        random.shuffle(values)
        chosen = values[: bench.connections]
        await fill(bench, chosen)
        assert sorted(bench.known.values()) == list(range(bench.connections))
        bench.check_counts()
        bench.look_up(values[-1], opens=True)
        for value in values:
            bench.look_up(value)
        await bench.settle()
        assert bench.answers[-len(values) - 1][1] == NO_ROOM
        bench.check_counts()
        for value, identity in list(bench.known.items()):
            bench.removals.append((value, identity))
            bench.releases.append(identity)
        await bench.settle()
        assert not bench.known
        bench.check_counts()


@cocotb.test()
async def one_lookup_a_clock_in_four_clocks(dut):
    bench = Bench(dut)
    await bench.begin()
    values = random_tuples(bench.connections)
    await fill(bench, values)
    if parameter("Chained"):
        await measure_chained(bench, values)
        return
    while bench.dut.gen_cuckoo.tuples.stash_valid.value != 0:  # relocation takes clocks of its own
        await RisingEdge(dut.clk)
        assert bench.clock < 5000
    await clocks(dut, 10)
    bench.latencies.clear()
    begin, before = bench.clock, len(bench.answers)
    for _ in range(500):
        bench.look_up(random.choice(values))
    await bench.settle()
    assert len(bench.answers) - before == 500
    assert bench.latencies == {LATENCY}
    assert bench.clock - begin < 500 + LATENCY + 15


async def measure_chained(bench: Bench, values: list[int]):
    """One lookup after the other: mostly as long as one key takes."""
    taken = []
    for value in random.choices(values, k=500):
        before = bench.clock
        bench.look_up(value)
        while bench.lookups or bench.offered:
            await RisingEdge(bench.dut.clk)
        taken.append(bench.clock - before)
    least = min(taken)
    assert {(clocks_taken - least) % CHAINED_NEXT for clocks_taken in taken} == {0}
    assert least == CHAINED_HIT + 2  # offered, and seen to be taken
    # As many lists as ids, all ids in use: half of them behind another, in the mean.
    assert sum(taken) / len(taken) < least + CHAINED_NEXT


@cocotb.test()
async def agrees_with_a_dictionary(dut):
    """Random operations in phases that fill, stay full, and empty the table."""
    operations = int(os.environ["OPERATIONS"])
    bench = Bench(dut, sometimes(0.1), sometimes(0.1))
    await bench.begin()
    pool = random_tuples(3 * bench.connections)
    full = 0
    while bench.taken < operations:
        opening = random.choice((0.05, 0.3, 0.9))
        removing = random.choice((0.0, 0.01, 0.1, 0.5))
        for _ in range(200):
            while len(bench.lookups) > 2:
                await RisingEdge(dut.clk)
            value = random.choice(pool)
            if bench.known and random.random() < 0.4:
                value = random.choice(list(bench.known))
            if random.random() < 0.05:
                value ^= 1 << random.randrange(TUPLE_BITS)
            bench.look_up(value, opens=random.random() < opening)
            if bench.known and random.random() < removing and len(bench.removals) < 2:
                value, identity = random.choice(list(bench.known.items()))
                kind = random.random()
                if kind < 0.1:  # another's id, another tuple: nothing is removed
                    bench.removals.append((value, identity ^ 1))
                elif kind < 0.2:
                    bench.removals.append((value ^ (1 << random.randrange(64)), identity))
                elif (value, identity) not in bench.removals and bench.removing != (
                    value,
                    identity,
                ):
                    bench.removals.append((value, identity))
                    cocotb.start_soon(release_later(bench, value, identity))
        full += not bench.free
    await bench.settle()
    await clocks(dut, 200)
    await bench.settle()
    bench.check_counts()
    assert full
    for value in pool:
        bench.look_up(value)
    await bench.settle()


async def release_later(bench: Bench, value: int, identity: int):
    while bench.known.get(value) == identity:
        await RisingEdge(bench.dut.clk)
    # No id is released before the table has taken it, which is a clock later with Registers.
    await clocks(bench.dut, random.choice((0, 1, 2, 5, 50)) + slower_open())
    bench.releases.append(identity)


@cocotb.test()
async def a_removal_races_with_an_open(dut):
    """The same tuple opened, removed and looked up at every distance in clocks."""
    bench = Bench(dut)
    await bench.begin()
    value = random.getrandbits(TUPLE_BITS)
    for distance in range(40 if parameter("Chained") else 14):
        for opens in (False, True):
            await fill(bench, [value])
            identity = bench.known[value]
            bench.removals.append((value, identity))
            await clocks(dut, distance)
            bench.look_up(value, opens)
            bench.look_up(value)
            await bench.settle()
            bench.releases.append(identity)
            if value in bench.known:
                bench.removals.append((value, bench.known[value]))
                bench.releases.append(bench.known[value])
            await bench.settle()
            bench.check_counts()
            assert not bench.known


@cocotb.test()
async def colliding_tuples_share_places_and_stash(dut):
    """Eight tuples with the same four places fit, the ninth is refused, and all others go on."""
    bench = Bench(dut)
    await bench.begin()
    if bench.connections < 16 or parameter("Chained"):
        return
    same = Toeplitz(bench.key, bench.connections).alike(WAYS + STASH + 1)
    bench.places_may_run_out = True
    for value in same:
        bench.look_up(value, opens=True)
    await bench.settle()
    assert bench.refused == 1 and len(bench.known) == WAYS + STASH
    bench.check_counts()
    # They are found while relocation tries in vain, and after it gave up.
    for _ in range(60):
        for value in same:
            bench.look_up(value)
        await clocks(dut, random.randint(0, 30))
        await bench.settle()
    # Each removal makes room for one more.
    for _ in range(20):
        value = random.choice(list(bench.known))
        bench.removals.append((value, bench.known[value]))
        bench.releases.append(bench.known[value])
        await bench.settle()
        await clocks(dut, 200)
        missing = next(value for value in same if value not in bench.known)
        bench.look_up(missing, opens=True)
        await bench.settle()
        assert missing in bench.known
    assert bench.refused == 1
    assert bench.relocations > 60
    bench.check_counts()


@cocotb.test()
async def one_list_holds_all(dut):
    """Chained: as many tuples as ids with the same hash find room in one list, and leave it from
    any place."""
    bench = Bench(dut)
    await bench.begin()
    if not parameter("Chained"):
        return
    mask = bench.connections - 1
    same: set[int] = set()
    while len(same) < bench.connections:
        value = random.getrandbits(TUPLE_BITS)
        hashed = sum(
            ((value & bench.key >> i).bit_count() & 1) << i for i in range(mask.bit_length())
        )
        if hashed == 1:
            same.add(value)
    order = sorted(same, key=lambda _: random.random())
    await fill(bench, order)
    for _ in range(3):
        for value in random.sample(order, len(order) // 2):
            bench.removals.append((value, bench.known[value]))
            bench.releases.append(bench.known[value])
            await bench.settle()
            for other in random.sample(order, 2):
                bench.look_up(other)
        await bench.settle()
        for value in order:
            if value not in bench.known:
                bench.look_up(value, opens=True)
        await bench.settle()
        assert set(bench.known) == same
        for value in order:
            bench.look_up(value)
        await bench.settle()
    bench.check_counts()


@cocotb.test()
async def who_does_not_know_the_key_cannot_aim(dut):
    """Tuples chosen to share their places under one key, as under a hash without any, do not under
    another: as many as there are ids find room, and are found."""
    bench = Bench(dut)
    await bench.begin()
    if bench.connections < 16:
        return
    other_key = random.getrandbits(128) | 1
    await fill(bench, Toeplitz(other_key, bench.connections).alike(bench.connections))
    for value in list(bench.known):
        bench.look_up(value)
    await bench.settle()
    assert all(result == HIT for _, result, _ in bench.answers[-bench.connections :])


@cocotb.test()
async def relocation_under_continuous_lookups(dut):
    """Tuples for which the ways have 16 places, so that inserting one moves others, while all are
    looked up without a pause."""
    bench = Bench(dut)
    await bench.begin()
    if bench.connections < 16 or parameter("Chained"):
        return
    few = Toeplitz(bench.key, bench.connections).alike(17, places_in_way=4)
    for _ in range(40):
        random.shuffle(few)
        for value in few:
            bench.look_up(value, opens=True)
            for other in random.sample(few, 5):
                bench.look_up(other)
        for _ in range(100):
            bench.look_up(random.choice(few))
        await bench.settle()
        for value in random.sample(list(bench.known), random.randint(1, len(bench.known))):
            bench.removals.append((value, bench.known[value]))
            bench.releases.append(bench.known[value])
            for other in random.sample(few, 5):
                bench.look_up(other)
        await bench.settle()
        bench.check_counts()
    assert bench.relocations > 100, "the test does not do what it is for"
    assert bench.refused == 0


@cocotb.test()
async def takes_a_new_hash_key_only_while_empty(dut):
    bench = Bench(dut)
    await bench.begin()
    values = random_tuples(bench.connections)
    await fill(bench, values)
    dut.hash_key_i.value = random.getrandbits(128)
    await clocks(dut, 5)
    for value in values:
        bench.look_up(value)
    await bench.settle()
    assert all(result == HIT for _, result, _ in bench.answers[-len(values) :])


@pytest.mark.parametrize(
    "connections, operations, registers, chained",
    [
        (4, 10_000, 0, 0),
        (32, 60_000, 0, 0),
        (256, 30_000, 0, 0),
        (16, 30_000, 1, 0),
        (32, 30_000, 1, 0),
        (4, 5_000, 1, 1),
        (64, 20_000, 1, 1),
    ],
    ids=["smallest", "lut_ram", "block_ram", "registers", "registers_lut_ram", "chained_smallest",
         "chained"],
)  # fmt: skip
def test_connection_lookup(connections, operations, registers, chained):
    simulate(
        top="connection_lookup",
        test_module=__file__,
        core="connections",
        parameters={"Connections": connections, "Registers": registers, "Chained": chained},
        environment={"OPERATIONS": str(operations)},
    )
