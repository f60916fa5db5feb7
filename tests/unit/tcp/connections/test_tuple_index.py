# SPDX-License-Identifier: Apache-2.0
"""tuple_index against a dictionary: what was opened is found until it is removed, in far memory,
with lookups that overtake each other, and tables filled until they refuse."""

import os
import random
from itertools import islice

import cocotb
import pytest

from models.tuple_hash import aimed
from models.tuple_index_bench import Bench, random_tuples
from support.extent import FULL
from support.simulate import parameter, simulate
from support.streams import PATTERNS, clocks

LATENCY = 7


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], backpressure=["never", "sometimes", "bursts"],
    latency=[(1, 1), (4, 60)],
)  # fmt: skip
async def opens_removals_and_lookups_at_once(dut, idle, backpressure, latency):
    """A small set of tuples, so that everything happens to the same ones at the same time."""
    bench = Bench(dut, PATTERNS[idle], PATTERNS[backpressure], latency)
    await bench.begin()
    population = random_tuples(min(bench.connections, bench.places) * 5 // 4)
    going: set[int] = set()

    for _ in range(int(os.environ.get("OPERATIONS", "1500" if FULL else "500")) // 50):
        for _ in range(50):
            if len(bench.lookups) < 20:
                value = random.choice(population)
                for _ in range(random.choice((1, 1, 1, 2, 5))):
                    bench.look_up(value, opens=random.random() < 0.5)
            if random.random() < 0.3 and len(bench.known) > len(population) // 3:
                value = random.choice(list(bench.known))
                pair = value, bench.known[value]
                if pair not in going:
                    going.add(pair)
                    bench.remove(value)
                    if random.random() < 0.5:
                        bench.look_up(value, opens=random.random() < 0.5)
            await clocks(dut, random.choice((1, 1, 3, 10)))
        going = {pair for pair in going if bench.known.get(pair[0]) == pair[1]}
    await bench.settle()
    await bench.all_are_found()
    await bench.rest()
    await bench.all_are_found()
    for value in population:
        bench.look_up(value)
    await bench.settle()
    assert bench.counts["second_read"] > 20 and bench.overtakings > 20
    assert int(dut.free_count_o.value) == bench.connections - len(bench.known)


@cocotb.test()
async def full_tables_refuse_and_harm_nobody(dut):
    bench = Bench(dut)
    await bench.begin()
    for _ in range(3):
        values = random_tuples(2 * bench.places)
        for first in range(0, len(values), 10):
            await bench.fill(values[first : first + 10])
            if len(bench.known) < len(values[: first + 10]) - 40:
                break
        assert bench.counts["refused"] or len(bench.known) == bench.connections
        await bench.all_are_found()
        await bench.rest()
        await bench.all_are_found()
        # Room for as many as go.
        for value in random.sample(list(bench.known), len(bench.known) // 3):
            bench.remove(value)
        await bench.settle()
        await bench.rest()
        assert bench.dut.stash_o.value == 0
        await bench.all_are_found()
        for value in list(bench.known):
            bench.remove(value)
        await bench.settle()
        for value in values:
            bench.look_up(value)
        await bench.settle()
        assert not bench.known and int(dut.free_count_o.value) == bench.connections
        await bench.rest()
        dut.hash_key_i.value = random.getrandbits(128)
        await clocks(dut, 20)
        bench.counts.clear()


@cocotb.test()
async def on_chip_one_lookup_a_clock(dut):
    bench = Bench(dut)
    await bench.begin()
    values = random_tuples(1)
    await bench.fill(values)
    await bench.rest()
    before, reads = len(bench.answers), bench.memory.reads
    for _ in range(200):
        bench.look_up(values[0])
    await bench.settle()
    assert set(bench.latencies[before:]) == {LATENCY}
    assert bench.times[-1] - bench.times[before] == 199
    assert bench.memory.reads == reads


@cocotb.test()
async def misses_are_asked_for_together_and_overtaken(dut):
    """All slots but the few kept back wait for memory at once; what is on chip goes past them."""
    bench = Bench(dut, latency=(1, 4), busy=0)
    await bench.begin()
    outstanding = min(parameter("Slots") - 9, 2 ** parameter("TagWidth") - 2)
    hot, *cold = random_tuples(outstanding + 1)
    await bench.fill([hot, *cold])
    await bench.rest()
    # Out of the cache: by as many others.
    for _ in range(6):
        others = random_tuples(bench.connections // 4)
        for value in others:
            bench.look_up(value, opens=True)
            bench.look_up(hot)
            await bench.settle()
        for value in others:
            if value in bench.known:
                bench.remove(value)
        await bench.settle()
    await bench.rest()
    bench.memory.latency = (400, 400)
    bench.look_up(hot)
    await bench.settle()
    reads, before = bench.memory.reads, len(bench.answers)
    for value in cold:
        bench.look_up(value)
    await clocks(dut, 3 * outstanding + 10)
    bench.look_up(hot)
    began = bench.clock
    await bench.settle()
    asked = bench.memory.reads - reads
    assert asked > outstanding // 2, "the test does not do what it is for"
    assert bench.clock - began < 2 * 400 + 200
    assert bench.answers[before + outstanding - asked + 1][0] == hot or any(
        value == hot for value, _, _ in bench.answers[before : before + outstanding]
    )


@cocotb.test()
async def new_tuples_find_places_side_by_side(dut):
    """New tuples come as fast as SYN and ACK on a line of 64 bits, and memory takes three times as
    long: while one waits for its bucket others are on their way. One mover alone has to refuse."""
    bench = Bench(dut, latency=(50, 50), busy=0)
    await bench.begin()
    values = random_tuples(min(bench.connections, bench.places) // 3)
    for value in values:
        bench.look_up(value, opens=True)
        await clocks(dut, 21)
    await bench.settle()
    cocotb.log.info(f"{len(values)} new tuples, {bench.counts['refused']} refused")
    if parameter("Movers") == 4:
        assert not bench.counts["refused"] and len(bench.known) == len(values)
    if parameter("Movers") == 1:
        assert bench.counts["refused"]
    await bench.all_are_found()


@cocotb.test()
async def only_who_knows_the_key_can_aim(dut):
    """Tuples of which all belong into the same two buckets under some key. If that is the engine's,
    most of them are refused; if it has another one they find their places as any others do."""
    bench = Bench(dut)
    await bench.begin()
    known_key = random.getrandbits(127)
    dut.hash_key_i.value = known_key
    await clocks(dut, 20)
    count = 2 * 5 + parameter("StashEntries") + 6
    values = list(islice(aimed(known_key, parameter("Buckets"), {2, 5}), count))
    for value in values:
        await bench.fill([value])
    assert bench.counts["refused"] == count - len(bench.known) >= 4
    await bench.all_are_found()
    for value in list(bench.known):
        bench.remove(value)
    await bench.settle()
    await bench.rest()

    dut.hash_key_i.value = known_key ^ random.getrandbits(127)
    await clocks(dut, 20)
    bench.counts.clear()
    for value in values:
        await bench.fill([value])
    assert not bench.counts["refused"] and len(bench.known) == len(values)
    await bench.rest()
    assert dut.stash_o.value == 0
    await bench.all_are_found()


SMALL = {"Connections": 64, "Buckets": 8, "CacheSets": 2, "CacheWays": 2, "Slots": 16,
         "StashEntries": 4, "Movers": 2, "TagWidth": 4}  # fmt: skip
MIDDLE = {"Connections": 256, "Buckets": 64, "CacheSets": 8, "CacheWays": 4, "Slots": 32,
          "StashEntries": 12, "Movers": 4, "TagWidth": 6}  # fmt: skip


ALONE = MIDDLE | {"Movers": 1}


@pytest.mark.parametrize("parameters", [SMALL, MIDDLE, ALONE], ids=["small", "middle", "alone"])
def test_tuple_index(parameters):
    simulate(top="tuple_index", test_module=__file__, core="connections", parameters=parameters)
