# SPDX-License-Identifier: Apache-2.0
"""page_translator: every word goes to the page that its place has at the time, in order, while
places get other pages and the table takes its time."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, start


class Bench:
    def __init__(self, dut, idle, pause):
        self.dut = dut
        self.word_width = parameter("WordWidth")
        self.places = [random.getrandbits(parameter("PlaceWidth")) for _ in range(6)]
        self.table = {place: self.page() for place in self.places}
        self.sent: list[int] = []
        self.words = StreamSource(dut, "s", ("address",), pause=idle)
        self.memory = StreamSink(dut, "m", ("address",), pause=pause)
        self.questions = self.updates = 0
        cocotb.start_soon(self._table())

    def page(self) -> int:
        return random.getrandbits(parameter("PageWidth"))

    def run_of_words(self) -> None:
        place, first = random.choice(self.places), random.getrandbits(self.word_width)
        for i in range(random.choice((1, 2, 9))):
            word = (first + i) % (1 << self.word_width)
            self.sent.append(place << self.word_width | word)
            self.words.send(address=self.sent[-1])

    async def _table(self) -> None:
        """Answers after a while; a place whose words are all through may get another page."""
        dut = self.dut
        wait, checked = None, 0
        while True:
            dut.s_page_valid.value = 0
            dut.update_i.value = 0
            if wait == 0:
                place = int(dut.m_lookup_place.value)
                dut.s_page.value, dut.s_page_place.value = self.table[place], place
                dut.s_page_valid.value = 1
                self.questions += 1
            wait = None if wait == 0 else wait and wait - 1
            pending = {address >> self.word_width for address in self.sent[checked:]}
            free = [place for place in self.places if place not in pending]
            if free and random.random() < 0.2:
                place = random.choice(free)
                self.table[place] = self.page()
                dut.update_place_i.value = place
                dut.update_i.value = 1
                self.updates += 1
            await RisingEdge(dut.clk)
            while checked < len(self.memory.transfers):
                place, word = divmod(self.sent[checked], 1 << self.word_width)
                wanted = self.table[place] << self.word_width | word
                assert self.memory.transfers[checked]["address"] == wanted
                checked += 1
            if wait is None and dut.m_lookup_valid.value and not dut.s_page_valid.value:
                wait = random.choice((0, 1, 20))


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=list(PATTERNS))
async def words_find_their_pages(dut, idle, pause):
    await start(dut, s_valid=0, m_ready=0, s_page_valid=0, update_i=0)
    bench = Bench(dut, idle, pause)
    for _ in range(150):
        bench.run_of_words()
        if random.random() < 0.5:
            await bench.memory.wait(len(bench.sent))
            for _ in range(random.randrange(6)):
                await RisingEdge(dut.clk)
    await bench.memory.wait(len(bench.sent))
    assert bench.questions > 50 and bench.updates > 50


@cocotb.test()
async def a_word_a_clock(dut):
    """Within a page."""
    await start(dut, s_valid=0, m_ready=0, s_page_valid=0, update_i=0)
    bench = Bench(dut, None, None)
    place = bench.places[0]
    for word in range(1 << bench.word_width):
        bench.sent.append(place << bench.word_width | word)
        bench.words.send(address=bench.sent[-1])
    await bench.memory.wait(len(bench.sent))
    times = bench.memory.times
    assert times[-1] - times[0] == len(times) - 1


@pytest.mark.parametrize("word_width", [5, 2])
def test_page_translator(word_width):
    simulate(
        top="page_translator",
        core="tcp_buffers",
        test_module=__file__,
        parameters={"PlaceWidth": 9, "PageWidth": 6, "WordWidth": word_width},
    )
