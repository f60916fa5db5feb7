# SPDX-License-Identifier: Apache-2.0
"""transmit_buffer: rings of bytes against a model of all of them, and its clocks; with Messages,
what is read as it was written comes from the window."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import (
    PATTERNS,
    Packet,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    start,
)


class Bench:
    """Writes and reads, with a model of every connection's ring."""

    def __init__(self, dut, idle=None, written_pause=None, read_pause=None):
        self.dut = dut
        self.ring_bytes = parameter("RingBytes")
        self.connections = parameter("Connections")
        self.rings = [bytearray(self.ring_bytes) for _ in range(self.connections)]
        self.messages = parameter("Messages")
        fields = ("id", "seq", "length", "session", "early")
        self.writes = StreamSource(dut, "s_write", fields, pause=idle)
        self.data = PacketSource(dut, "s", pause=idle)
        self.written = StreamSink(
            dut, "m_written", ("id", "length", "session"), pause=written_pause
        )
        self.reads = StreamSource(dut, "s_read", ("id", "seq", "length"), pause=idle)
        self.packets = PacketSink(dut, "m_read", pause=read_pause)
        self.expected_written: list[dict[str, int]] = []
        self.expected: list[bytes] = []

    def write(
        self, connection: int, seq: int, data: bytes, length: int | None = None,
        withdrawn: bool = False, early: bool = False,
    ) -> None:  # fmt: skip
        length = len(data) if length is None else length
        session = random.getrandbits(24)
        self.writes.send(id=connection, seq=seq, length=length, session=session, early=early)
        self.data.send(Packet(data, error=withdrawn))
        stored = data[:length]
        for index, value in enumerate(stored):
            self.rings[connection][(seq + index) % self.ring_bytes] = value
        told = 0 if withdrawn or early else len(stored)
        self.expected_written.append({"id": connection, "length": told, "session": session})

    async def announced(self) -> None:
        """Every write stands at its port, or is taken."""
        while self.writes.queue and not (
            len(self.writes.queue) == 1 and self.dut.s_write_valid.value
        ):
            await RisingEdge(self.dut.clk)
        await clocks(self.dut, 1)

    async def stored(self) -> None:
        await self.written.wait(len(self.expected_written))
        assert self.written.transfers == self.expected_written

    def read(self, connection: int, seq: int, length: int) -> None:
        self.reads.send(id=connection, seq=seq, length=length)
        ring = self.rings[connection]
        self.expected.append(bytes(ring[(seq + i) % self.ring_bytes] for i in range(length)))

    async def check(self) -> None:
        await self.packets.wait_packets(len(self.expected))
        assert [packet.data for packet in self.packets.packets] == self.expected

    async def fill(self) -> None:
        """Known bytes everywhere."""
        for connection in range(self.connections):
            self.write(connection, random.getrandbits(32), random.randbytes(self.ring_bytes))
        await self.stored()


NO_RELEASE = {"release_i": 0, "release_id_i": 0}


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=["never", "sometimes", "bursts"])
async def random_writes_and_reads(dut, idle, pause):
    """After each round of writes the rings hold what the model holds, all of them."""
    bench = Bench(dut, idle, random.choice(list(PATTERNS)), pause)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    for _ in range(6):
        for _ in range(random.randint(1, 6)):
            length = random.choice([1, random.randint(1, 20), random.randint(1, bench.ring_bytes)])
            bench.write(
                random.randrange(bench.connections), random.getrandbits(32),
                random.randbytes(length),
            )  # fmt: skip
        await bench.stored()
        for connection in range(bench.connections):
            bench.read(connection, random.getrandbits(32), bench.ring_bytes)
            bench.read(connection, random.getrandbits(32), random.randint(1, 40))
        await bench.check()


@cocotb.test()
async def every_alignment_across_the_end(dut):
    """Packets that begin in each lane before the ring's end and end in each lane behind it."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    places = [(b, a) for b in range(1, lanes + 1) for a in range(1, lanes + 1)]
    if lanes > 8:
        places = random.sample(places, 80)
    for before, after in places:
        connection = random.randrange(bench.connections)
        seq = random.getrandbits(16) * bench.ring_bytes - before & 0xFFFFFFFF
        bench.write(connection, seq, random.randbytes(before + after))
        await bench.stored()
        bench.read(connection, seq, before + after)
    await bench.check()
    # And nothing else has changed anywhere.
    for connection in range(bench.connections):
        bench.read(connection, 0, bench.ring_bytes)
    await bench.check()


@cocotb.test()
async def announcements_do_not_wait_for_packets(dut):
    """The next ones are taken while a packet is still to come; packets then follow each other."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    beat = parameter("DataWidth") // 8
    packets = [random.randbytes(4 * beat) for _ in range(3)]
    before = len(bench.writes.times)
    for connection, data in enumerate(packets):
        bench.writes.send(id=connection, seq=0, length=len(data), session=0, early=0)
        bench.expected_written.append({"id": connection, "length": len(data), "session": 0})
    await clocks(dut, 20)
    assert len(bench.writes.times) == before + 3
    beats = len(bench.data.times)
    for connection, data in enumerate(packets):
        bench.data.send(data)
        bench.rings[connection][: 4 * beat] = data
    await bench.stored()
    assert bench.data.times[-1] - bench.data.times[beats] == 11
    for connection in range(3):
        bench.read(connection, 0, 4 * beat)
    await bench.check()


@cocotb.test()
async def packets_that_are_not_as_announced(dut):
    """Too long: the rest is dropped. Too short: what there was is reported."""
    bench = Bench(dut, "sometimes", "sometimes")
    await start(dut, **NO_RELEASE)
    await bench.fill()
    for _ in range(60):
        length = random.randint(1, 100)
        announced = max(1, length + random.choice([-70, -20, -8, -1, 0, 1, 8, 20, 70]))
        bench.write(
            random.randrange(bench.connections), random.getrandbits(32),
            random.randbytes(length), announced,
        )  # fmt: skip
    await bench.stored()
    for connection in range(bench.connections):
        bench.read(connection, 0, bench.ring_bytes)
    await bench.check()


@cocotb.test()
async def reads_while_writing(dut):
    """One connection's words are read while its neighbour bytes, and others', are written."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    half = bench.ring_bytes // 2
    for _ in range(40):
        # The write ends where the read begins, in the middle of a word.
        connection, seq = random.randrange(bench.connections), random.getrandbits(32)
        length = random.randint(1, half)
        bench.read(connection, seq, length)
        bench.write(connection, seq - half & 0xFFFFFFFF, random.randbytes(half))
        await bench.stored()
        await bench.check()


@cocotb.test()
async def read_latency(dut):
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    wide = parameter("DataWidth") >= 256
    for lane in range(0, lanes, max(1, lanes // 16)):
        for length in (1, lanes - lane, lanes - lane + 1, 3 * lanes):
            bench.read(0, lane, length)
            await bench.check()
            latency = bench.packets.starts[-1] - bench.reads.times[-1]
            two_words = lane > 0
            assert latency == 6 + two_words + wide + (bench.messages > 0), (lane, length)


@cocotb.test()
async def throughput(dut):
    """Reads and writes back to back without a clock lost."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    size = 8 * lanes
    for number in range(20):
        bench.read(number % bench.connections, number * size, size)
    await bench.check()
    times = bench.packets.times[-20 * 8 :]
    assert times[-1] - times[0] + 1 == 20 * 8
    for number in range(20):  # with a word more than they have beats
        bench.read(number % bench.connections, number * size + 1, size)
    await bench.check()
    times = bench.packets.times[-20 * 8 :]
    assert times[-1] - times[0] + 1 <= 20 * 9
    before = len(bench.data.times)
    for number in range(20):
        bench.write(number % bench.connections, number * size, random.randbytes(size))
    await bench.stored()
    times = bench.data.times[before:]
    assert times[-1] - times[0] + 1 == 20 * 8
    await bench.data.drained()
    wide = parameter("DataWidth") >= 256
    assert bench.written.times[-1] - bench.data.times[-1] == 3 + wide


def in_window(test):
    """A test of the window alone."""

    async def run(dut, **options):
        if parameter("Messages"):
            await test(dut, **options)

    run.__name__ = run.__qualname__ = test.__name__
    return run


class Conversation:
    """Messages whose numbers go on, of connections chosen at random. No ring gets more than it
    holds between two checks."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.places = [random.getrandbits(32) for _ in range(bench.connections)]
        self.given = [0] * bench.connections

    async def write(self, length: int, **options) -> tuple[int, int]:
        connection = random.randrange(self.bench.connections)
        if self.given[connection] + length > self.bench.ring_bytes - 8:
            await self.bench.check()
            self.given = [0] * self.bench.connections
        self.given[connection] += length
        seq = self.places[connection]
        self.bench.write(connection, seq, random.randbytes(length), **options)
        self.places[connection] = seq + length & 0xFFFFFFFF
        return connection, seq


def random_length(bench: Bench) -> int:
    return random.choice([1, random.randint(1, 80), random.randint(1, bench.ring_bytes - 8)])


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=["never", "mostly", "bursts"])
async def messages_as_written_and_otherwise(dut, idle, pause):
    """Whole, the beginning, the end, more than one: from the window or the ring, in order."""
    bench = Bench(dut, idle, random.choice(list(PATTERNS)), pause)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    talk = Conversation(bench)
    for _ in range(40):
        length = random_length(bench)
        connection, seq = await talk.write(length)
        await bench.stored()
        for _ in range(random.choice([0, 1, 1, 2])):
            cut = random.randint(0, length - 1)
            bench.read(connection, *random.choice([
                (seq, length), (seq, length), (seq, length - cut), (seq + cut, length - cut),
                (seq - 3 & 0xFFFFFFFF, length + 3),
            ]))  # fmt: skip
    await bench.check()


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=["never", "mostly", "bursts"])
@in_window
async def read_before_they_have_come(dut, idle, pause):
    """Early messages: whole, or otherwise from the ring, with others before and behind."""
    bench = Bench(dut, idle, random.choice(list(PATTERNS)), pause)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    talk = Conversation(bench)
    for _ in range(60):
        length = random_length(bench)
        connection, seq = await talk.write(length, early=True)
        await bench.announced()
        cut = random.randint(0, length - 1)
        bench.read(connection, *random.choice([
            (seq, length), (seq, length), (seq, length - cut), (seq + cut, length - cut),
        ]))  # fmt: skip
        if random.random() < 0.3:
            bench.read(connection, seq, random.randint(1, length))
        await bench.reads.drained()
        if random.random() < 0.5:
            await bench.stored()
    await bench.check()


@cocotb.test()
@in_window
async def nothing_waits_for_reports(dut):
    """Nobody takes them: four packets come all the same, and early reads of them go out."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    before = len(bench.written.transfers)
    bench.written.pause = iter(lambda: True, None)
    for connection in range(4):
        length = random.randint(60, 200)
        bench.write(connection, 7 * connection, random.randbytes(length), early=True)
        await bench.announced()
        bench.read(connection, 7 * connection, length - 50)
        bench.read(connection, 7 * connection + length - 50, 50)  # from the ring
    await clocks(dut, 600)
    assert len(bench.written.transfers) == before
    await bench.check()
    bench.written.pause = iter(lambda: False, None)
    await bench.stored()


@cocotb.test()
@in_window
async def straight_through(dut):
    """A beat that is waited for passes in its clock; what is there comes after 4 clocks."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    for seq, length in enumerate((1, lanes, lanes + 1, 3 * lanes, 4 * lanes - 1)):
        data = random.randbytes(length)
        bench.writes.send(id=1, seq=seq, length=length, session=0, early=1)
        await bench.announced()
        bench.reads.send(id=1, seq=seq, length=length)
        await clocks(dut, 6)
        bench.data.send(data)
        await bench.packets.wait_packets(len(bench.packets.packets) + 1)
        assert bench.packets.packets[-1].data == data
        beats = -(-length // lanes)
        assert bench.packets.times[-beats:] == bench.data.times[-beats:]
        await clocks(dut, 10)
        bench.reads.send(id=1, seq=seq, length=length)
        await bench.packets.wait_packets(len(bench.packets.packets) + 1)
        assert bench.packets.packets[-1].data == data
        assert bench.packets.times[-beats] - bench.reads.times[-1] == 4
        assert bench.packets.times[-1] - bench.packets.times[-beats] == beats - 1


@cocotb.test()
@in_window
async def the_oldest_go(dut):
    """As many messages as there are slots come from the window, those before them from the ring."""
    bench = Bench(dut)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    given = []
    for number in range(3 * bench.messages):
        given.append((number % bench.connections, number * lanes))
        bench.write(*given[-1], random.randbytes(lanes))
    await bench.stored()
    latencies = []
    for connection, seq in given:
        bench.read(connection, seq, lanes)
        await bench.check()
        latencies.append(bench.packets.starts[-1] - bench.reads.times[-1])
    ring = 7 + (parameter("DataWidth") >= 256)
    assert latencies == [ring] * 2 * bench.messages + [4] * bench.messages


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes"])
@in_window
async def withdrawn_short_and_released(dut, idle):
    """What is not as announced comes from the ring, and what was of a connection before."""
    bench = Bench(dut, idle)
    await start(dut, **NO_RELEASE)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    for _ in range(30):
        connection, seq = random.randrange(bench.connections), random.getrandbits(32)
        length = random.randint(2, 3 * lanes)
        bench.write(connection, seq, random.randbytes(length), withdrawn=True)
        bench.write(connection, seq, random.randbytes(length - 1), length)  # short
        await bench.stored()
        bench.read(connection, seq, length)
        await bench.check()
        bench.write(connection, seq + length - 1 & 0xFFFFFFFF, random.randbytes(length))
        await bench.stored()
        bench.read(connection, seq, length)
        await bench.check()
        # The next connection of this id has the same numbers, cut otherwise.
        bench.write(connection, seq, random.randbytes(length))
        await bench.stored()
        dut.release_id_i.value, dut.release_i.value = connection, 1
        await clocks(dut, 1)
        dut.release_i.value = 0
        bench.write(connection, seq - 1 & 0xFFFFFFFF, random.randbytes(length + 1))
        await bench.stored()
        bench.read(connection, seq, length)
        await bench.check()


@pytest.mark.parametrize(
    ("data_width", "messages"), [(64, 0), (512, 0), (64, 4), (512, 4)], ids=str
)
def test_transmit_buffer(data_width, messages):
    simulate(
        top="transmit_buffer",
        core="tcp_transmit",
        test_module=__file__,
        parameters={
            "DataWidth": data_width, "Connections": 4, "RingBytes": 256, "Messages": messages,
        },
    )  # fmt: skip
