# SPDX-License-Identifier: Apache-2.0
"""How full the buckets of tuple_index get before it refuses, whoever chooses the tuples."""

import random

import cocotb

from models.tuple_index_bench import Bench, random_tuples
from support.extent import some
from support.simulate import simulate
from support.streams import clocks


def blocks(count: int) -> list[int]:
    """Clients as they are numbered in practice: neighbours' addresses, ports in a row."""
    address = random.getrandbits(24) << 8
    return [(address + n % 16) << 32 | (32768 + n // 16) << 16 | 7 for n in range(count)]


def aimed(count: int) -> list[int]:
    """Tuples alike under what a hash without a key would be: the sum of the halves is the same."""
    return [(ip := random.getrandbits(32)) << 32 | ip ^ 0x12345678 for _ in range(count)]


async def places_found(bench: Bench):
    """The mover gets its time: 500 exchanges of three buckets each, if need be."""
    until = bench.clock + 40_000
    while int(bench.dut.stash_o.value) > 6 and bench.clock < until:
        await clocks(bench.dut, 20)


POPULATIONS = {"blocks": blocks, "aimed": aimed, "random": random_tuples}


@cocotb.test()
@cocotb.parametrize(population=some(list(POPULATIONS), 2))
async def holds_nearly_all_that_its_buckets_have_room_for(dut, population):
    """Filled until the first refusal, and with lookups of all that is in it then."""
    bench = Bench(dut, latency=(1, 4), busy=0)
    await bench.begin()
    values = POPULATIONS[population](bench.connections)
    random.shuffle(values)
    kicks_at_90 = 0
    for first in range(0, len(values), 4):
        await bench.fill(values[first : first + 4])
        await places_found(bench)
        if len(bench.known) > 0.9 * bench.places and not kicks_at_90:
            kicks_at_90 = bench.counts["kick"]
        if bench.counts["refused"]:
            break
    assert bench.counts["refused"], "the table is larger than the test"
    load = (len(bench.known) - int(dut.stash_o.value)) / bench.places
    cocotb.log.info(
        f"{population}: load {load:.3f}, kicks {bench.counts['kick']}, up to 0.9 {kicks_at_90}"
    )
    await bench.all_are_found()
    assert bench.counts["second_read"] <= bench.counts["miss"]
    assert load > 0.95, f"load factor {load:.3f}"


@cocotb.test()
async def ids_come_back_from_memory(dut):
    """Every id used once, and released: most of them wait in memory. Then they are used again."""
    bench = Bench(dut, latency=(1, 20))
    await bench.begin()
    opened = 0
    while opened < 3 * bench.connections // 2:
        values = random_tuples(300)
        for first in range(0, len(values), 10):
            await bench.fill(values[first : first + 10])
            await places_found(bench)
        assert len(bench.known) == len(values)
        opened += len(values)
        for value in values:
            bench.remove(value)
        await bench.settle()
    assert max(bench.memory.lines) >= 256, "the ids never were in memory"
    assert int(dut.free_count_o.value) == bench.connections


def test_tuple_index_load():
    simulate(
        top="tuple_index",
        test_module=__file__,
        core="connections",
        parameters={"Connections": 2048, "Buckets": 256, "CacheSets": 16, "CacheWays": 4,
                    "Slots": 32, "StashEntries": 12, "TagWidth": 6},
    )  # fmt: skip
