# SPDX-License-Identifier: Apache-2.0
"""transmit_buffer: rings of bytes against a model of all of them, and its clocks."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, PacketSource, StreamSink, StreamSource, start


class Bench:
    """Writes and reads, with a model of every connection's ring."""

    def __init__(self, dut, idle=None, written_pause=None, read_pause=None):
        self.dut = dut
        self.ring_bytes = parameter("RingBytes")
        self.connections = parameter("Connections")
        self.rings = [bytearray(self.ring_bytes) for _ in range(self.connections)]
        fields = ("id", "seq", "length", "session")
        self.writes = StreamSource(dut, "s_write", fields, pause=idle)
        self.data = PacketSource(dut, "s", pause=idle)
        self.written = StreamSink(
            dut, "m_written", ("id", "length", "session"), pause=written_pause
        )
        self.reads = StreamSource(dut, "s_read", ("id", "seq", "length"), pause=idle)
        self.packets = PacketSink(dut, "m_read", pause=read_pause)
        self.expected_written: list[dict[str, int]] = []
        self.expected: list[bytes] = []

    def write(self, connection: int, seq: int, data: bytes, length: int | None = None) -> None:
        length = len(data) if length is None else length
        session = random.getrandbits(24)
        self.writes.send(id=connection, seq=seq, length=length, session=session)
        self.data.send(data)
        stored = data[:length]
        for index, value in enumerate(stored):
            self.rings[connection][(seq + index) % self.ring_bytes] = value
        self.expected_written.append({"id": connection, "length": len(stored), "session": session})

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


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=["never", "sometimes", "bursts"])
async def random_writes_and_reads(dut, idle, pause):
    """After each round of writes the rings hold what the model holds, all of them."""
    bench = Bench(dut, idle, random.choice(list(PATTERNS)), pause)
    await start(dut)
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
    await start(dut)
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
async def packets_that_are_not_as_announced(dut):
    """Too long: the rest is dropped. Too short: what there was is reported."""
    bench = Bench(dut, "sometimes", "sometimes")
    await start(dut)
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
    await start(dut)
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
    await start(dut)
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    wide = parameter("DataWidth") >= 256
    for lane in range(0, lanes, max(1, lanes // 16)):
        for length in (1, lanes - lane, lanes - lane + 1, 3 * lanes):
            bench.read(0, lane, length)
            await bench.check()
            latency = bench.packets.starts[-1] - bench.reads.times[-1]
            two_words = lane > 0
            assert latency == 6 + two_words + wide, (lane, length)


@cocotb.test()
async def throughput(dut):
    """Reads back to back without a clock lost; writes with one clock between packets."""
    bench = Bench(dut)
    await start(dut)
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
    assert times[-1] - times[0] + 1 <= 20 * 9
    await bench.data.drained()
    wide = parameter("DataWidth") >= 256
    assert bench.written.times[-1] - bench.data.times[-1] == 3 + wide


@pytest.mark.parametrize("data_width", [64, 512])
def test_transmit_buffer(data_width):
    simulate(
        top="transmit_buffer",
        core="tcp_transmit",
        test_module=__file__,
        parameters={"DataWidth": data_width, "Connections": 4, "RingBytes": 256},
    )
