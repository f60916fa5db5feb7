# SPDX-License-Identifier: Apache-2.0
"""page_table against a table in Python: every answer is the page that was written last, from the
cache and from far memory, which is slow."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from support.simulate import parameter, simulate
from support.streams import start

LOOKUPS = 3


class Bench:
    def __init__(self, dut, pause: float, places: int):
        self.dut, self.pause = dut, pause
        self.width = (parameter("Connections") * parameter("RingPages") - 1).bit_length()
        # Some of them, that are written again and again.
        space = parameter("Connections") * parameter("RingPages")
        self.places = random.sample(range(space), min(places, space))
        self.table: dict[int, int] = {}
        self.answers = 0
        self.latency: list[int] = []
        self.memory = LineMemory(dut)
        cocotb.start_soon(self.memory.run())
        cocotb.start_soon(self._clocks())

    async def _clocks(self) -> None:
        dut = self.dut
        asked: list[int | None] = [None] * LOOKUPS
        since = [0] * LOOKUPS
        update = None
        clock = 0
        while True:
            for client in range(LOOKUPS):
                if asked[client] is None and self.table and random.random() >= self.pause:
                    asked[client] = random.choice(list(self.table))
                    since[client] = clock
            if update is None and random.random() >= self.pause and random.random() < 0.4:
                # Nobody asks for a place while it gets another page.
                free = [place for place in self.places if place not in asked]
                if free:
                    update = random.choice(free), random.randrange(parameter("Pages"))
                    dut.s_update_place.value, dut.s_update_page.value = update
                    self.table.pop(update[0], None)
            dut.s_update_valid.value = update is not None
            dut.s_lookup_valid.value = sum(
                1 << client for client, place in enumerate(asked) if place is not None
            )
            dut.s_lookup_place.value = sum(
                (place or 0) << client * self.width for client, place in enumerate(asked)
            )
            await RisingEdge(dut.clk)
            clock += 1
            if update and dut.s_update_ready.value:
                self.table[update[0]] = update[1]
                update = None
            answered = int(dut.page_valid_o.value)
            assert answered.bit_count() <= 1
            for client in range(LOOKUPS):
                if answered >> client & 1:
                    place = asked[client]
                    assert place is not None, f"nobody asked for {client}"
                    assert int(dut.page_place_o.value) == place
                    assert int(dut.page_o.value) == self.table[place]
                    self.latency.append(clock - since[client])
                    asked[client] = None
                    self.answers += 1


@cocotb.test()
@cocotb.parametrize(pause=[0, 0.5, 0.9])
async def answers_are_what_was_written(dut, pause):
    await start(dut, s_lookup_valid=0, s_update_valid=0, s_line_valid=0, m_line_ready=0)
    bench = Bench(dut, pause, places=200)
    while bench.answers < 1500:
        await RisingEdge(dut.clk)
    # Both ways.
    assert bench.memory.reads > 50
    assert bench.answers > bench.memory.reads + 50
    assert min(bench.latency) <= 4


@pytest.mark.parametrize(("connections", "entries"), [(64, 64), (1024, 128), (8, 64)])
def test_page_table(connections, entries):
    simulate(
        top="page_table",
        core="tcp_buffers",
        test_module=__file__,
        parameters={
            "Connections": connections, "RingPages": 8 if connections > 8 else 16, "Pages": 256,
            "Entries": entries,
        },
    )  # fmt: skip
