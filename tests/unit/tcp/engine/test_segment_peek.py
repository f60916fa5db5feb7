# SPDX-License-Identifier: Apache-2.0
"""segment_peek: what goes straight is next in order, on a connection whose application has taken
everything before, and says that it takes all of this; each packet is decided once, and each grant
gets what it is owed."""

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.app_structs import OFFER
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, now, pattern, start

PEEKED = {
    "readable": 1, "plain": 1, "remote_ip": 32, "remote_port": 16, "local_port": 16, "seq": 32,
    "ack": 32, "has_timestamps": 1, "ts_value": 32, "length": 16,
}  # fmt: skip
INPUTS = dict.fromkeys(
    ("found_valid_i", "found_hit_i", "found_id_i",
     "ended_i", "ended_bad_i", "summed_i", "summed_good_i", "write_enable_i", "write_id_i",
     "established_i", "delivering_i", "app_i", "generation_i", "rcv_nxt_i", "rcv_read_i",
     "rcv_edge_i", "committed_i", "withdrawn_i", "s_grant_length", "s_grant_valid"), 0,
) | {"allowed_i": 1, "room_i": 1}  # fmt: skip
MASK = 0xFFFF_FFFF
ROOM = 4000
MOST_HEADS = 12  # between header and end


@dataclass
class Connection:
    """As committed; what its peer has sent."""

    id: int
    rcv_nxt: int = field(default_factory=lambda: random.getrandbits(32))
    app: int = field(default_factory=lambda: random.getrandbits(4))
    generation: int = field(default_factory=lambda: random.getrandbits(4))
    delivering: bool = False

    def __post_init__(self):
        self.rcv_read = self.next = self.rcv_nxt


@dataclass
class Segment:
    connection: Connection | None
    seq: int
    length: int
    good: bool = True
    plain: bool = True
    readable: bool = True
    number: int = 0
    go: bool = False


class Bench:
    """Headers in, and around them the lookup, the checksum, the pipeline and the application."""

    def __init__(self, dut, idle=None, pause=None, takes=None, answer=(1, 4), withdraws=0.0):
        self.dut = dut
        fields = {"asked": "s_head_asked", "head": "s_head"}
        self.heads = StreamSource(dut, "s_head", fields, pause=idle)
        self.connections = [Connection(i) for i in range(parameter("Connections"))]
        self.takes = takes or (lambda length: length)
        self.answer, self.withdraws, self.withdrawn = answer, withdraws, 0
        self.segments: list[Segment] = []  # all, in order
        self.under_way: deque[Segment] = deque()  # whose end has not come
        self.ahead: deque[Segment] = deque()  # good, not committed
        self.may_commit = 0  # of these, flags have been taken for so many
        self.found: deque[tuple[int, int, int]] = deque()  # clock, hit, id
        self.goes: list[bool] = []
        self.verdicts: list[bool] = []
        self.ended = self.revokes = self.queries = self.straight = self.given_up = 0
        self.granted: int | None = None
        self.grants: list[int] = []
        self.writes: deque[dict[str, int]] = deque()
        self.commit_next = False
        self.keep_ahead = 0  # so many are not committed
        self.go_ready, self.query_ready, self.revoke_ready = (pattern(pause) for _ in range(3))
        dut.m_go_ready.value = 0
        self.flags = StreamSink(dut, "m_flag", {"flag": "m_flag"}, pause=pause)
        self.asked: Segment | None = None
        cocotb.start_soon(self._clock())

    # ---- what is around it, clock by clock

    async def _clock(self):
        dut = self.dut
        answer_at = None
        flags, shown = 0, False
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value:
                continue
            if dut.m_query_valid.value and not shown:
                self.asked = self.segments[len(self.goes)]
            shown = bool(dut.m_query_valid.value)
            decided = dut.m_go_valid.value and dut.m_go_ready.value
            if decided:
                self._decided(bool(dut.m_go.value))
            if dut.m_verdict_valid.value:
                self.verdicts.append(bool(dut.m_verdict_good.value))
            if dut.m_revoke_valid.value and dut.m_revoke_ready.value:
                self.revokes += 1
            if len(self.flags.transfers) > flags:
                flags += 1
                self.may_commit += 1

            # The application.
            withdrawn = bool(dut.withdrawn_i.value)
            dut.withdrawn_i.value = 0
            dut.s_grant_valid.value = 0
            dut.m_query_ready.value = not next(self.query_ready)
            if withdrawn:
                shown = False
            elif dut.m_query_valid.value and not dut.m_query_ready.value:
                if random.random() < self.withdraws:
                    dut.withdrawn_i.value, dut.m_query_ready.value = 1, 0
                    self.withdrawn += 1
            elif dut.m_query_valid.value:
                query = unpack(OFFER, int(dut.m_query.value))
                self.queries += 1
                self._check_query(query)
                self.granted = None
                answer_at = (now() + random.randint(*self.answer), self.takes(query["length"]))
            if answer_at and now() >= answer_at[0]:
                self.granted = answer_at[1]
                self.grants.append(self.granted)
                dut.s_grant_length.value, dut.s_grant_valid.value = self.granted, 1
                answer_at = None
            # A queue's: only what it takes makes it full.
            if decided or not dut.m_go_ready.value:
                dut.m_go_ready.value = not next(self.go_ready)
            dut.m_revoke_ready.value = not next(self.revoke_ready)

            # The lookup.
            dut.found_valid_i.value = 0
            if self.found and self.found[0][0] <= now():
                _, hit, number = self.found.popleft()
                dut.found_hit_i.value, dut.found_id_i.value = hit, number
                dut.found_valid_i.value = 1
            self._pipeline()

    def _pipeline(self):
        """Commits good segments in order, and what applications take of the ring."""
        dut = self.dut
        dut.committed_i.value, self.commit_next = self.commit_next, False
        dut.write_enable_i.value = 0
        if self.writes:
            for name, value in self.writes.popleft().items():
                getattr(dut, name).value = value
            dut.write_enable_i.value = 1
        elif self.may_commit and len(self.ahead) > self.keep_ahead and random.random() < 0.3:
            self.may_commit -= 1
            segment = self.ahead.popleft()
            self.commit_next = True
            connection = segment.connection
            if connection is None:
                return
            if segment.seq == connection.rcv_nxt and segment.plain:
                connection.rcv_nxt = connection.rcv_nxt + segment.length & MASK
                if segment.go:
                    connection.rcv_read = connection.rcv_nxt
            self._write(connection)
        elif random.random() < 0.05:
            connection = random.choice(self.connections)
            connection.rcv_read = connection.rcv_nxt
            self._write(connection)

    def _write(self, connection: Connection) -> None:
        self.writes.append(self._state(connection))
        # In the same clock as the decision, as the pipeline does.
        for name, value in self.writes.popleft().items():
            getattr(self.dut, name).value = value
        self.dut.write_enable_i.value = 1

    @staticmethod
    def _state(connection: Connection) -> dict[str, int]:
        return {
            "write_id_i": connection.id,
            "established_i": 1,
            "delivering_i": connection.delivering,
            "app_i": connection.app,
            "generation_i": connection.generation,
            "rcv_nxt_i": connection.rcv_nxt,
            "rcv_read_i": connection.rcv_read,
            "rcv_edge_i": connection.rcv_read + ROOM & MASK,
        }

    # ---- what must hold

    def _check_query(self, query: dict[str, int]) -> None:
        segment, connection = self.asked, self.asked.connection
        assert connection is not None and segment.plain and segment.readable
        assert (query["app"], query["generation"], query["id"], query["length"]) == (
            connection.app, connection.generation, connection.id, segment.length
        )  # fmt: skip

    def _decided(self, go: bool) -> None:
        segment = self.segments[len(self.goes)]
        self.goes.append(go)
        segment.go = go
        self.given_up += self.asked is segment and not go
        if not go:
            return
        self.straight += 1
        connection = segment.connection
        assert self.asked is segment and self.granted is not None
        assert self.granted >= segment.length, "the application did not take it"
        # Of the connection, all that is ahead went straight, and this is next.
        ahead = [s for s in self.ahead if s.number < segment.number]
        before = [s for s in ahead if s.connection is connection]
        assert all(s.go for s in before), "something ahead waits in the ring"
        assert all(s.readable for s in ahead), "nobody knows whose it is"
        assert connection.rcv_read == connection.rcv_nxt, "bytes wait in the ring"
        end = connection.rcv_nxt
        for s in before:
            end = s.seq + s.length & MASK
        assert segment.seq == end, "it is not next"

    # ---- headers

    async def ready(self):
        """All connections are known."""
        await clocks(self.dut, parameter("Connections") + 10)
        for connection in self.connections:
            self.writes.append(self._state(connection))
        await clocks(self.dut, 2 * len(self.connections) + 10)

    async def send(self, segment: Segment) -> None:
        while len(self.segments) - len(self.heads.times) >= MOST_HEADS:
            await RisingEdge(self.dut.clk)
        segment.number = len(self.segments)
        self.segments.append(segment)
        self.under_way.append(segment)
        known = segment.connection is not None
        number = segment.connection.id if known else 0
        if segment.readable:
            self.found.append((now() + random.randrange(3), known, number))
        self.heads.send(
            asked=segment.readable,
            head=pack(
                PEEKED, readable=segment.readable, plain=segment.plain, length=segment.length,
                remote_port=number if known else 0xFFFF, local_port=7, seq=segment.seq,
                remote_ip=0x0A4D0001,
            ),
        )  # fmt: skip
        await RisingEdge(self.dut.clk)

    async def ends(self, late=(0, 12)) -> None:
        """Ends of packets and their checksums, each after its header."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if not self.under_way:
                continue
            segment = self.under_way[0]
            await clocks(dut, random.randint(*late))
            bad_end = not segment.good and random.random() < 0.5
            dut.ended_i.value, dut.ended_bad_i.value = 1, bad_end
            await RisingEdge(dut.clk)
            dut.ended_i.value = 0
            await clocks(dut, random.choice((0, 0, 3)))
            dut.summed_i.value = 1
            dut.summed_good_i.value = segment.good if not bad_end else random.getrandbits(1)
            await RisingEdge(dut.clk)
            dut.summed_i.value = 0
            # Known as good, it is ahead until it is committed; before the next one is judged.
            if segment.good:
                self.ahead.append(segment)
            self.under_way.popleft()
            self.ended += 1

    async def check(self) -> None:
        while self.ended < len(self.segments):
            await RisingEdge(self.dut.clk)
        await clocks(self.dut, 400)
        assert len(self.goes) == len(self.segments)
        good = [segment for segment in self.segments if segment.good]
        assert [bool(f["flag"]) for f in self.flags.transfers] == [s.go for s in good]
        assert self.verdicts == [s.good for s in self.segments if s.go]
        owed = sum(length != 0 for length in self.grants) - self.straight
        assert self.revokes == owed and not self.dut.asking_o.value


def next_segment(connection: Connection, length: int, **fields) -> Segment:
    segment = Segment(connection, connection.next, length, **fields)
    if segment.good and segment.plain:
        connection.next = connection.next + length & MASK
    return segment


def any_segment(bench: Bench) -> Segment:
    """Mostly what is next; now and then something else."""
    length = random.choice((1, 8, 100, 1460))
    what = random.random()
    connection = random.choice(bench.connections)
    if what < 0.03:
        return Segment(None, random.getrandbits(32), length)
    if what < 0.06:
        return Segment(connection, connection.next, length, readable=False, plain=False)
    if what < 0.1:
        return Segment(connection, connection.next, length, plain=False)
    if what < 0.15:
        return Segment(connection, connection.next + random.choice((-1, 1)) & MASK, length)
    if what < 0.18:
        return Segment(connection, connection.next, 0)
    return next_segment(connection, length, good=random.random() < 0.9)


@cocotb.test()
async def straight(dut):
    """What is plain and next goes straight, each of them, while earlier ones are not committed."""
    bench = Bench(dut)
    await start(dut, **INPUTS)
    await bench.ready()
    cocotb.start_soon(bench.ends((0, 0)))
    for _ in range(60):
        await bench.send(next_segment(random.choice(bench.connections[:2]), 100))
        await clocks(dut, random.choice((0, 0, 30)))
    await bench.check()
    assert bench.straight > 50, bench.straight


@cocotb.test()
async def repeated(dut):
    """The same segment again, around the clock in which the first one's commit is written: it goes
    straight once, even where what was read of the state is just being replaced."""
    bench = Bench(dut)
    await start(dut, **INPUTS)
    await bench.ready()
    cocotb.start_soon(bench.ends((0, 0)))
    for turn in range(240):
        connection = random.choice(bench.connections[:2])
        segment = next_segment(connection, 8)
        await bench.send(segment)
        await clocks(dut, turn % 24)
        await bench.send(Segment(connection, segment.seq, segment.length))
        await clocks(dut, 40)
    await bench.check()
    assert bench.straight == 240


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes", "bursts"], pause=list(PATTERNS))
async def anything(dut, idle, pause):
    def takes(length: int) -> int:
        return random.choice((length, length, length, 0, length // 2, length + 9))

    bench = Bench(dut, idle, pause, takes, answer=(1, 70), withdraws=0.3)
    await start(dut, **INPUTS)
    await bench.ready()
    cocotb.start_soon(bench.ends())
    for _ in range(120):
        await bench.send(any_segment(bench))
        dut.allowed_i.value = random.random() < 0.9
        dut.room_i.value = random.random() < 0.9
    await bench.check()
    assert bench.straight and bench.given_up and bench.revokes
    assert bench.withdrawn or pause != "mostly"


@cocotb.test()
async def too_many_ahead(dut):
    """While more are ahead than are remembered, nothing goes straight; when they are fewer again
    it does, though at no time none is ahead."""
    bench = Bench(dut)
    await start(dut, **INPUTS)
    await bench.ready()
    cocotb.start_soon(bench.ends((0, 0)))

    async def send(count: int) -> int:
        before = bench.straight
        for _ in range(count):
            await bench.send(next_segment(random.choice(bench.connections), 100))
            while len(bench.flags.transfers) < len(bench.segments):
                await RisingEdge(dut.clk)
        return bench.straight - before

    for most in (8, 9, 12, 20):
        bench.keep_ahead = most
        await send(most + 4)
        assert most == 8 or await send(6) == 0
        bench.keep_ahead = 2
        await send(40)
        await clocks(dut, 2000)  # the application takes what the rings hold
        assert len(bench.ahead) >= 2
        assert await send(20) > 10
    bench.keep_ahead = 0
    await bench.check()


@cocotb.test()
async def nobody_answers_in_time(dut):
    """The segment goes to the ring when patience ends, and the late grant gets an empty packet."""
    patience = parameter("Patience")
    bench = Bench(dut, answer=(patience + 20, patience + 20))
    await start(dut, **INPUTS)
    await bench.ready()
    cocotb.start_soon(bench.ends((0, 0)))
    began = now()
    await bench.send(next_segment(bench.connections[0], 100))
    while not bench.goes:
        await RisingEdge(dut.clk)
    assert bench.goes == [False] and patience <= now() - began <= patience + 8
    assert dut.asking_o.value == 1
    await bench.check()
    assert bench.revokes == 1


@pytest.mark.parametrize("connections", [8])
def test_segment_peek(connections):
    simulate(
        top="segment_peek_bench",
        core="engine",
        test_module=__file__,
        extra_sources=["segment_peek_bench.sv"],
        parameters={"Connections": connections, "Patience": 48},
    )
