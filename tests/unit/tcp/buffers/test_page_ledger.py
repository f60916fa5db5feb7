# SPDX-License-Identifier: Apache-2.0
"""page_ledger between connections that write, are acknowledged and change their minds, and a pool
and a table that the test keeps: what is announced has its pages, no page has two owners, none goes
back while something is to be read of it, and all are back when every byte is acknowledged."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.packed import pack
from support.simulate import parameter, simulate
from support.streams import start

RANGE = {"first": 4, "count": 5}
QUIET = (
    "s_write_valid", "s_written_valid", "free_i", "read_begun_i", "read_done_i", "s_page_valid",
    "s_lookup_valid", "m_write_ready", "m_written_ready", "m_update_ready", "pool_room_i",
)  # fmt: skip


class Ring:
    """A connection: bytes from una to end are in its ring."""

    def __init__(self, ident: int):
        self.ident = ident
        self.una = self.end = random.getrandbits(20)
        self.writing = False
        self.mapped: set[int] = set()  # pages, counted from sequence number 0


class Bench:
    def __init__(self, dut, pause: float):
        self.dut, self.pause = dut, pause
        self.ring_bytes, self.page_bytes = parameter("RingBytes"), parameter("PageBytes")
        self.ring_pages = self.ring_bytes // self.page_bytes
        self.rings = [Ring(ident) for ident in range(parameter("Connections"))]
        self.pool = deque(range(parameter("Pages")))
        self.available = len(self.pool)  # not in use, not promised, not on their way back
        self.table: dict[tuple[int, int], int] = {}
        self.released: dict[tuple[int, int], int] = {}  # may go back: behind so many reads
        self.frees: deque = deque()
        self.packets: deque = deque()  # announced, and not reported
        self.begun = self.done = self.grants = self.refused = 0
        self.run = True
        cocotb.start_soon(self._clocks())

    def idle(self) -> bool:
        return random.random() < self.pause

    def place(self, ring: Ring, page: int) -> tuple[int, int]:
        return ring.ident, page % self.ring_pages

    def pages_to(self, seq: int) -> int:
        return -(-seq // self.page_bytes)

    def grant(self) -> tuple | None:
        """Somebody writes, if the pool has what it takes."""
        ring = random.choice(self.rings)
        room = self.ring_bytes - self.page_bytes - (ring.end - ring.una)
        if ring.writing or room <= 0 or not self.run or ring in [free[0] for free in self.frees]:
            return None
        length = random.randint(1, min(room, random.choice((1, 20, self.page_bytes, room))))
        pages = set(range(ring.end // self.page_bytes, self.pages_to(ring.end + length)))
        there = ring.end // self.page_bytes in ring.mapped
        if len(pages - ring.mapped) > self.available:
            self.refused += 1
            return None
        self.available -= len(pages - ring.mapped)
        ring.mapped |= pages
        ring.writing = True
        self.grants += 1
        return ring, length, there

    def change(self, ring: Ring) -> None:
        """After an event: what is mapped and not in use is to be freed."""
        used = set(range(ring.una // self.page_bytes, self.pages_to(ring.end)))
        if ring.una == ring.end:
            used = {ring.end // self.page_bytes} if ring.writing else set()
        gone = sorted(page for page in ring.mapped - used if page * self.page_bytes < ring.end)
        if gone:
            assert gone == list(range(gone[0], gone[-1] + 1))
            ring.mapped -= set(gone)
            self.frees.append((ring, gone))

    def acknowledge(self) -> None:
        ring = random.choice(self.rings)
        if ring.una != ring.end:
            ring.una = random.choice((ring.end, random.randint(ring.una + 1, ring.end)))
            self.change(ring)

    def reported(self, ring: Ring, length: int, stored: int) -> None:
        """What was mapped behind the bytes that came goes back by itself."""
        for page in range(self.pages_to(ring.end + stored), self.pages_to(ring.end + length)):
            ring.mapped.remove(page)
            self.released[self.place(ring, page)] = 0
        ring.end += stored
        ring.writing = False
        self.change(ring)

    async def _clocks(self) -> None:
        dut = self.dut
        announced = report = page = None
        answering = False
        freed_place = None
        while True:
            begins = not self.idle() and self.begun - self.done < 50
            dut.read_begun_i.value = begins
            self.begun += begins
            ends = not self.idle() and self.done < self.begun - begins
            dut.read_done_i.value = ends
            self.done += ends
            dut.pool_room_i.value = not self.idle()

            if announced is None and not self.idle() and (announced := self.grant()):
                ring, length, there = announced
                dut.s_write_id.value = ring.ident
                dut.s_write_offset.value = ring.end % self.ring_bytes
                dut.s_write_length.value = length
                dut.s_write_there.value = there
            dut.s_write_valid.value = announced is not None
            dut.m_write_ready.value = not self.idle()

            if report is None and self.packets and not self.idle():
                ring, length = self.packets.popleft()
                report = ring, length, random.choice((length, length, random.randint(0, length), 0))
                dut.s_written_length.value = report[2]
            dut.s_written_valid.value = report is not None
            dut.m_written_ready.value = not self.idle()

            if random.random() < 0.1 or not self.run:
                self.acknowledge()
            free = bool(self.frees) and not self.idle() and bool(dut.room_o.value)
            dut.free_i.value = free
            if free:
                ring, gone = self.frees.popleft()
                dut.free_id_i.value = ring.ident
                first = gone[0] % self.ring_pages
                dut.free_range_i.value = pack(RANGE, first=first, count=len(gone))
                self.released |= {self.place(ring, number): self.begun for number in gone}

            if page is None and self.pool and not self.idle():
                page = self.pool.popleft()
                dut.s_page.value = page
            dut.s_page_valid.value = page is not None
            dut.m_update_ready.value = not self.idle()

            lookup = None
            if dut.m_lookup_valid.value and not answering and not self.idle():
                lookup = divmod(int(dut.m_lookup_place.value), self.ring_pages)
                assert lookup in self.released, f"{lookup} is in use"
                assert self.done - ends >= self.released.pop(lookup), "still to be read"
                dut.s_lookup_page.value = self.table[lookup]
                freed_place = lookup
            answering = lookup is not None
            dut.s_lookup_valid.value = answering

            await RisingEdge(dut.clk)
            if dut.m_update_valid.value and dut.m_update_ready.value:
                place = divmod(int(dut.m_update_place.value), self.ring_pages)
                assert page == int(dut.m_update_page.value) and dut.s_page_ready.value
                assert place not in self.table, f"{place} has a page"
                self.table[place] = page
                page = None
            else:
                assert not (dut.s_page_ready.value and dut.s_page_valid.value)
            if announced and dut.s_write_ready.value:
                ring, length, _ = announced
                assert all(self.place(ring, number) in self.table for number in ring.mapped)
                self.packets.append((ring, length))
                announced = None
            if report and dut.s_written_ready.value:
                assert dut.m_written_valid.value and dut.m_written_ready.value
                self.reported(*report)
                report = None
            if dut.freed_o.value:
                freed = int(dut.freed_page_o.value)
                assert self.table.pop(freed_place) == freed
                self.pool.append(freed)
                self.available += 1

    async def check_empty(self) -> None:
        self.run = False
        for _ in range(20000):
            await RisingEdge(self.dut.clk)
            if self.available == parameter("Pages") and not self.table:
                break
        assert not self.table and not self.released
        assert self.available == parameter("Pages")


@cocotb.test()
@cocotb.parametrize(pause=[0, 0.3, 0.8])
async def pages_come_and_go(dut, pause):
    await start(dut, **dict.fromkeys(QUIET, 0))
    bench = Bench(dut, pause)
    while bench.grants < 600:
        await RisingEdge(dut.clk)
    assert bench.refused > 20  # for want of pages
    await bench.check_empty()


@pytest.mark.parametrize(("ring_bytes", "page_bytes"), [(2048, 256), (1024, 512), (4096, 256)])
def test_page_ledger(ring_bytes, page_bytes):
    simulate(
        top="page_ledger",
        core="tcp_buffers",
        test_module=__file__,
        parameters={
            "Connections": 16, "RingBytes": ring_bytes, "PageBytes": page_bytes, "Pages": 16,
            "Frees": 8, "Slack": 3,
        },
    )  # fmt: skip
