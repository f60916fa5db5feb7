# SPDX-License-Identifier: Apache-2.0
"""ring_pages with rings that are written, read, acknowledged and written again, and a memory of
words: what is read of a ring is what was written there, also while its pages are on their way back
and others take theirs; and all pages come back."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LINE_BYTES, REQUEST, RESPONSE
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import start

RANGE = {"first": 4, "count": 5}
LINE_REQUEST_BITS = sum(REQUEST.values())
QUIET = (
    "s_write_valid", "s_written_valid", "free_i", "read_begun_i", "read_done_i", "s_word_valid",
    "s_request_valid", "m_write_ready", "m_written_ready", "m_word_ready", "m_request_ready",
    "m_line_ready", "s_line_valid",
)  # fmt: skip


class Lines:
    """Far memory of both clients: any latency, responses in any order, random bits at first."""

    def __init__(self, dut, pause: float):
        self.dut, self.pause = dut, pause
        self.lines: dict[tuple[int, int], int] = {}
        self.due: list[tuple[int, int, dict[str, int]]] = []
        self.reads = self.time = 0

    def drive(self) -> None:
        dut = self.dut
        self.ready = random.getrandbits(2) if self.pause else 3
        dut.m_line_ready.value = self.ready
        ripe = [entry for entry in self.due if entry[0] <= self.time]
        dut.s_line_valid.value = 0
        if ripe:
            entry = random.choice(ripe)
            self.due.remove(entry)
            dut.s_line.value = pack(RESPONSE, **entry[2])
            dut.s_line_valid.value = 1 << entry[1]

    def sample(self) -> None:
        self.time += 1
        valid = int(self.dut.m_line_valid.value) & self.ready
        for port in range(2):
            if valid >> port & 1:
                word = int(self.dut.m_line.value) >> port * LINE_REQUEST_BITS
                request = unpack(REQUEST, word & (1 << LINE_REQUEST_BITS) - 1)
                key = port, request["address"]
                line = self.lines.get(key)
                if line is None:
                    line = random.getrandbits(8 * LINE_BYTES)
                if request["write"]:
                    mask = sum(
                        0xFF << 8 * i for i in range(LINE_BYTES) if request["strobe"] >> i & 1
                    )
                    line = line & ~mask | request["data"] & mask
                else:
                    self.reads += 1
                self.lines[key] = line
                answer = {"write": request["write"], "tag": request["tag"], "data": line}
                self.due.append((self.time + random.randint(1, 30), port, answer))


class Ring:
    """A connection: words from una to end are in its ring. Counted in words, from number 0."""

    def __init__(self, ident: int):
        self.ident = ident
        self.una = self.end = random.getrandbits(10)
        self.writing = False
        self.mapped: set[int] = set()
        self.words: dict[int, int] = {}


class Bench:
    def __init__(self, dut, pause: float):
        self.dut, self.pause = dut, pause
        self.lanes = parameter("DataWidth") // 8
        self.ring_words = parameter("RingBytes") // self.lanes
        self.page_words = parameter("PageBytes") // self.lanes
        self.ring_pages = self.ring_words // self.page_words
        self.rings = [Ring(ident) for ident in range(parameter("Connections"))]
        self.available = parameter("Pages")
        self.memory: dict[int, int] = {}
        self.lines = Lines(dut, pause)
        self.frees: deque = deque()
        self.packets: deque = deque()  # announced: ring, length, and words that come
        self.reads: deque = deque()  # decided: ring, words with what they must be
        self.grants = self.refused = self.checked = self.behind_frees = 0
        self.run, self.fills = True, False
        self.freed_now: Ring | None = None
        cocotb.start_soon(self._clocks())

    def idle(self) -> bool:
        return random.random() < self.pause

    def pages_to(self, word: int) -> int:
        return -(-word // self.page_words)

    def address(self, ring: Ring, word: int) -> int:
        return ring.ident * self.ring_words + word % self.ring_words

    def grant(self) -> tuple | None:
        ring = random.choice(self.rings)
        room = self.ring_words - self.page_words - (ring.end - ring.una)
        frees = [self.freed_now, *(free[0] for free in self.frees)]
        if ring.writing or room <= 0 or not self.run or ring in frees:
            return None
        length = random.randint(1, min(room, random.choice((1, self.page_words, room))))
        pages = set(range(ring.end // self.page_words, self.pages_to(ring.end + length)))
        there = ring.end // self.page_words in ring.mapped
        if len(pages - ring.mapped) > self.available:
            self.refused += 1
            self.fills = True
            return None
        self.available -= len(pages - ring.mapped)
        ring.mapped |= pages
        ring.writing = True
        self.grants += 1
        return ring, length, there

    def change(self, ring: Ring) -> None:
        """After an event: what is mapped and not in use is to be freed."""
        used = set(range(ring.una // self.page_words, self.pages_to(ring.end)))
        if ring.una == ring.end:
            used = {ring.end // self.page_words} if ring.writing else set()
        gone = sorted(page for page in ring.mapped - used if page * self.page_words < ring.end)
        if gone:
            ring.mapped -= set(gone)
            self.frees.append((ring, gone))

    def acknowledge(self) -> None:
        ring = random.choice(self.rings)
        if ring.una != ring.end:
            ring.una = random.choice((ring.end, random.randint(ring.una + 1, ring.end)))
            self.change(ring)

    def read(self) -> tuple | None:
        ring = random.choice(self.rings)
        if ring.una == ring.end or ring in [free[0] for free in self.frees]:
            return None
        first = random.randint(ring.una, ring.end - 1)
        last = random.randint(first, min(ring.end - 1, first + 2 * self.page_words))
        return ring, deque((word, ring.words[word]) for word in range(first, last + 1))

    async def _clocks(self) -> None:
        dut = self.dut
        announced = report = word = request = None
        while True:
            # In turns: the pool runs out, and fills again.
            if self.available > parameter("Pages") // 2:
                self.fills = False
            if not self.run or (self.fills and random.random() < 0.05):
                self.acknowledge()
            free = bool(self.frees) and not self.idle() and bool(dut.room_o.value)
            dut.free_i.value = free
            self.freed_now = None  # whose next packet comes in a later clock
            if free:
                ring, gone = self.frees.popleft()
                self.freed_now = ring
                dut.free_id_i.value = ring.ident
                dut.free_range_i.value = pack(
                    RANGE, first=gone[0] % self.ring_pages, count=len(gone)
                )
                self.behind_frees += any(read[0] is ring for read in self.reads)

            begins = None
            if len(self.reads) < 20 and self.run and not free and not self.idle():
                begins = self.read()
            dut.read_begun_i.value = begins is not None
            if begins:
                self.reads.append(begins)
            done = bool(self.reads) and not self.reads[0][1] and request is None
            dut.read_done_i.value = done
            if done:
                self.reads.popleft()

            if announced is None and not self.idle() and (announced := self.grant()):
                ring, length, there = announced
                dut.s_write_id.value = ring.ident
                dut.s_write_offset.value = ring.end % self.ring_words * self.lanes
                dut.s_write_length.value = length * self.lanes
                dut.s_write_there.value = there
            dut.s_write_valid.value = announced is not None
            dut.m_write_ready.value = not self.idle()

            if report is None and word is None and self.packets and not self.idle():
                ring, length, stored, left = self.packets[0]
                if left:
                    word = left[0]
                    dut.s_write_address.value = self.address(ring, word)
                else:
                    report = self.packets.popleft()
                    dut.s_written_length.value = stored * self.lanes
            dut.s_word_valid.value = word is not None
            dut.m_word_ready.value = not self.idle()
            dut.s_written_valid.value = report is not None
            dut.m_written_ready.value = not self.idle()

            if request is None and self.reads and self.reads[0][1] and not self.idle():
                ring, words = self.reads[0]
                request = words[0]
                dut.s_request_address.value = self.address(ring, request[0])
            dut.s_request_valid.value = request is not None
            dut.m_request_ready.value = not self.idle()
            self.lines.drive()

            await RisingEdge(dut.clk)
            self.lines.sample()
            if announced and dut.m_write_valid.value and dut.m_write_ready.value:
                assert dut.s_write_ready.value
                ring, length, _ = announced
                stored = random.choice((length, length, random.randint(0, length)))
                words = deque(range(ring.end, ring.end + stored))
                self.packets.append((ring, length, stored, words))
                announced = None
            if word is not None and dut.s_word_ready.value:
                assert dut.m_word_valid.value and dut.m_word_ready.value
                ring, _, _, left = self.packets[0]
                ring.words[word] = self.memory[int(dut.m_write_address.value)] = random.getrandbits(
                    32
                )
                left.popleft()
                word = None
            if report and dut.s_written_ready.value:
                assert dut.m_written_valid.value and dut.m_written_ready.value
                ring, length, stored, _ = report
                for page in range(
                    self.pages_to(ring.end + stored), self.pages_to(ring.end + length)
                ):
                    ring.mapped.remove(page)
                ring.end += stored
                ring.writing = False
                self.change(ring)
                report = None
            if request and dut.s_request_ready.value:
                assert dut.m_request_valid.value and dut.m_request_ready.value
                ring, words = self.reads[0]
                got = self.memory[int(dut.m_request_address.value)]
                assert got == request[1], f"ring {ring.ident}, word {request[0]}: another's"
                words.popleft()
                self.checked += 1
                request = None
            self.available += bool(dut.freed_o.value)

    async def check_empty(self) -> None:
        self.run = False
        for _ in range(20000):
            await RisingEdge(self.dut.clk)
            if self.available == parameter("Pages"):
                break
        assert self.available == parameter("Pages"), "pages are lost"
        assert not any(ring.mapped for ring in self.rings)


@cocotb.test()
@cocotb.parametrize(pause=[0, 0.3, 0.8])
async def rings_keep_their_words(dut, pause):
    await start(dut, **dict.fromkeys(QUIET, 0))
    bench = Bench(dut, pause)
    while bench.grants < 200:
        await RisingEdge(dut.clk)
    assert bench.refused > 10  # for want of pages
    assert bench.checked > 500 and bench.behind_frees > 3 and bench.lines.reads > 10
    await bench.check_empty()


@pytest.mark.parametrize("width", [64, 512])
def test_ring_pages(width):
    simulate(
        top="ring_pages",
        core="tcp_buffers",
        test_module=__file__,
        parameters={
            "DataWidth": width, "Connections": 8, "RingBytes": 2048, "PageBytes": 256, "Pages": 32,
            "Frees": 8, "Slack": 3, "CacheEntries": 16,
        },
    )  # fmt: skip
