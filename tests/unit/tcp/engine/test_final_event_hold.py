# SPDX-License-Identifier: Apache-2.0
"""final_event_hold: the end of a connection waits for the data before it; all else passes."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from models.app_structs import EVENT
from support.packed import pack, unpack
from support.simulate import simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, now, pattern, start

FINALS = (3, 4, 5, 6)  # PeerClosed, Closed, Reset, TimedOut
OTHERS = (0, 1, 2, 7)
SESSIONS = 4
MOST_OPEN = 8


class Bench:
    """What is around the block: a peek that asks one session at a time, and a merge that hands on
    what was granted, in order."""

    def __init__(self, dut, idle=None, pause=None):
        self.dut = dut
        self.source = StreamSource(dut, "s", {"event": "s_event"}, pause=idle)
        self.sink = StreamSink(dut, "m", {"event": "m_event"}, pause=pause)
        self.goes = pattern(pause)
        self.open: list[int] = []  # sessions of packets that were granted and have not gone
        self.asking: int | None = None
        self.ended: set[int] = set()  # sessions whose end has been told to the block

    async def surroundings(self, events: int) -> None:
        dut = self.dut
        left = 0
        while True:
            await RisingEdge(dut.clk)
            # What passes is checked with what was open in this clock.
            if len(self.sink.transfers) == events:
                return
            if dut.m_valid.value:
                event = unpack(EVENT, int(dut.m_event.value))
                if event["kind"] in FINALS:
                    assert event["id"] not in self.open, "an end overtakes its data"
                    assert event["id"] != self.asking, "an end overtakes a question"
            if int(dut.done_i.value):
                self.open.pop(0)
            if self.asking is not None:
                left -= 1
                if left <= 0:
                    if random.random() < 0.7 and len(self.open) < MOST_OPEN:
                        self.open.append(self.asking)
                    self.asking = None
            elif random.random() < 0.5:
                asked = random.randrange(SESSIONS)
                if asked not in self.ended:
                    self.asking, left = asked, random.randrange(1, 6)
            dut.asking_i.value = self.asking is not None
            nobody = self.asking is None
            dut.asking_session_i.value = random.getrandbits(24) if nobody else self.asking
            dut.open_i.value = len(self.open)
            dut.done_i.value = bool(self.open) and not next(self.goes)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=list(PATTERNS))
async def ends_come_last(dut, idle, pause):
    bench = Bench(dut, idle, pause)
    await start(dut, asking_i=0, asking_session_i=0, open_i=0, done_i=0)
    sent = []
    count = 120
    around = cocotb.start_soon(bench.surroundings(count))
    for _ in range(count):
        kind = random.choice(OTHERS + FINALS)
        session = random.randrange(SESSIONS)
        if kind in FINALS:
            bench.ended.add(session)
            while bench.asking == session and random.random() < 0.5:
                await RisingEdge(dut.clk)  # its question is answered first, or not
        word = pack(EVENT, kind=kind, id=session, value=random.getrandbits(32))
        sent.append(word)
        bench.source.send(event=word)
        await bench.source.drained()
        if kind in FINALS:
            bench.ended.discard(session)  # another connection has its id
    await bench.sink.wait(count)
    await around
    assert [transfer["event"] for transfer in bench.sink.transfers] == sent


@cocotb.test()
async def waits_for_as_many_as_there_are(dut):
    bench = Bench(dut)
    await start(dut, asking_i=0, asking_session_i=0, open_i=40, done_i=0)
    bench.source.send(event=pack(EVENT, kind=FINALS[0], id=1))
    await clocks(dut, 10)
    for left in reversed(range(40)):
        assert not bench.sink.transfers
        dut.done_i.value = 1
        await clocks(dut, 1)
        dut.done_i.value = 0
        dut.open_i.value = left
        await clocks(dut, 2)
    await clocks(dut, 3)
    assert len(bench.sink.transfers) == 1


@cocotb.test()
async def without_delay(dut):
    """Events that end nothing pass in the clock in which they come, ends one clock later."""
    bench = Bench(dut)
    await start(dut, asking_i=0, asking_session_i=0, open_i=3, done_i=0)
    for kind in OTHERS:
        bench.source.send(event=pack(EVENT, kind=kind, id=1))
    await bench.sink.wait(len(OTHERS))
    assert bench.sink.times == bench.source.times
    dut.open_i.value = 0
    for number, kind in enumerate(FINALS, len(OTHERS) + 1):
        bench.source.send(event=pack(EVENT, kind=kind, id=1))
        await clocks(dut, 1)
        while not dut.s_valid.value:
            await RisingEdge(dut.clk)
        offered = now()
        await bench.sink.wait(number)
        assert bench.sink.times[-1] - offered == 1


def test_final_event_hold():
    simulate(top="final_event_hold", core="engine", test_module=__file__)
