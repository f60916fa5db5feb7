# SPDX-License-Identifier: Apache-2.0
"""receive_buffer: what is written of segments reaches the right application, in order and once."""

import itertools
import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import (
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    start,
)

RX_DROP, RX_WRITE, RX_DELIVER = 0, 1, 2


def command(kind: int, seq=0, skip=0, length=0, app=0, session=0) -> int:
    """rx_command_t."""
    return kind << 92 | seq << 60 | skip << 44 | length << 28 | app << 24 | session


class Connection:
    def __init__(self, number: int):
        self.number = number
        self.session = random.getrandbits(4) << 20 | number
        self.app = random.getrandbits(4)
        self.read = self.next = random.getrandbits(32)  # sequence numbers; the RTL sees 32 bits
        self.bytes = b""  # from read to next
        self.open = False  # there is an offer without its report


@dataclass
class Offer:
    connection: Connection
    data: bytes
    granted: int | None = None


class Bench:
    """The engine's side, the applications' side, and a model of the bytes between."""

    def __init__(self, dut, idle=None, pause=None, grant_pause=None, grant=None):
        self.dut = dut
        self.ring_bytes = parameter("RingBytes")
        self.connections = [Connection(number) for number in range(parameter("Connections"))]
        fields = {"command": "s_command", "id": "s_command_id"}
        self.commands = StreamSource(dut, "s_command", fields, pause=idle)
        self.payloads = PacketSource(dut, "s_payload", pause=idle)
        self.queries = StreamSink(dut, "m_query", {"query": "m_query"}, pause=pause)
        self.grants = StreamSource(dut, "s_grant", ("length",), pause=grant_pause)
        self.packets = PacketSink(dut, "m_app", sideband=("session", "app"), pause=pause)
        self.delivered = StreamSink(dut, "m_delivered", ("id", "generation", "length"))
        self.choose_grant = grant or self._random_grant
        self.offers: list[Offer] = []
        cocotb.start_soon(self._answer())
        cocotb.start_soon(self._account())

    @staticmethod
    def _random_grant(length: int) -> int:
        return random.choice([0, 1, random.randint(0, length), length, length, length + 1, 65535])

    @property
    def open_offers(self) -> int:
        return len(self.offers) - len(self.delivered.transfers)

    def expected_packets(self, offers: int) -> list[tuple[bytes, int, int]]:
        return [
            (offer.data[: offer.granted], offer.connection.session, offer.connection.app)
            for offer in self.offers[:offers]
            if offer.granted
        ]

    async def _answer(self):
        """Each offer that has bytes is asked for once, in order."""
        asked = 0
        for number in itertools.count():
            await self.queries.wait(number + 1)
            while not self.offers[asked].data:
                asked += 1
            offer = self.offers[asked]
            asked += 1
            length, connection = len(offer.data), offer.connection
            query = self.queries.transfers[number]["query"]
            assert query == connection.app << 40 | connection.session << 16 | length
            granted = self.choose_grant(length)
            self.grants.send(length=granted)
            offer.granted = min(granted, length)

    async def _account(self):
        """Each offer is reported once, in order, and not before its bytes have gone."""
        for number in itertools.count():
            await self.delivered.wait(number + 1)
            offer = self.offers[number]
            connection = offer.connection
            assert self.delivered.transfers[number] == {
                "id": connection.number,
                "generation": connection.session >> 20,
                "length": offer.granted,
            }
            assert len(self.packets.packets) >= len(self.expected_packets(number + 1))
            connection.read += offer.granted
            connection.bytes = connection.bytes[offer.granted :]
            connection.open = False

    def send(self, connection: Connection, word: int):
        self.commands.send(command=word, id=connection.number)

    def drop(self, connection: Connection):
        self.send(connection, command(RX_DROP, seq=random.getrandbits(32)))
        self.payloads.send(random.randbytes(random.randint(1, 80)))

    def write(self, connection: Connection, length: int, skip: int, rest: int):
        """`length` bytes behind `skip` others and before `rest` others."""
        packet = random.randbytes(skip + length + rest)
        seq = connection.next & 0xFFFFFFFF
        self.send(connection, command(RX_WRITE, seq=seq, skip=skip, length=length))
        self.payloads.send(packet)
        connection.bytes += packet[skip : skip + length]
        connection.next += length

    def deliver(self, connection: Connection):
        connection.open = True
        self.offers.append(Offer(connection, connection.bytes, None if connection.bytes else 0))
        self.send(
            connection,
            command(
                RX_DELIVER, connection.read & 0xFFFFFFFF, random.getrandbits(16),
                len(connection.bytes), connection.app, connection.session,
            ),
        )  # fmt: skip

    def room(self, connection: Connection) -> int:
        return self.ring_bytes - (connection.next - connection.read)

    async def finish(self):
        """Deliver what is left, and check all that came out."""
        while any(connection.bytes or connection.open for connection in self.connections):
            for connection in self.connections:
                if connection.bytes and not connection.open and self.open_offers < 4:
                    self.deliver(connection)
            await RisingEdge(self.dut.clk)
        await clocks(self.dut, 30)
        assert self.open_offers == 0
        got = [
            (packet.data, packet.sideband["session"], packet.sideband["app"])
            for packet in self.packets.packets
        ]
        assert got == self.expected_packets(len(self.offers))


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], pause=["never", "sometimes", "mostly"],
    grant_pause=["never", "bursts"],
)  # fmt: skip
async def random_commands(dut, idle, pause, grant_pause):
    bench = Bench(dut, idle, pause, grant_pause)
    await start(dut)
    for _ in range(150):
        connection = random.choice(bench.connections)
        action = random.randrange(10)
        if action == 0:
            bench.drop(connection)
        elif action < 6:
            length = random.choice([0, 1, random.randint(0, 20), random.randint(0, 120)])
            length = min(length, bench.room(connection))
            skip = random.choice([0, 0, random.randint(0, 20), random.randint(0, 140)])
            rest = random.choice([0, 0, random.randint(0, 100)])
            if skip + length + rest:
                bench.write(connection, length, skip, rest)
        elif not connection.open and bench.open_offers < 4:
            bench.deliver(connection)
        if len(bench.commands.queue) > 6:
            await clocks(dut, random.randint(1, 60))
    await bench.finish()
    assert sum(len(packet) for packet in bench.packets.packets) > 300


@cocotb.test()
async def wraps_at_every_alignment(dut):
    """Writes that end in each lane behind the ring's end, delivered at once."""
    bench = Bench(dut, grant=lambda length: length)
    await start(dut)
    lanes = parameter("DataWidth") // 8
    connection = bench.connections[-1]
    for number in range(160):
        # A ring and a byte at a time in two parts, so that the place moves on by one.
        for length in (bench.ring_bytes - 2 * lanes + 1, 2 * lanes):
            bench.write(connection, length, number % lanes, number % 3)
            bench.deliver(connection)
            while connection.open:
                await RisingEdge(dut.clk)
    await bench.finish()


@cocotb.test()
async def an_offer_waits_for_the_writes_before_it_alone(dut):
    """Bytes are complete when the query comes; later writes and queries wait for no answer."""
    bench = Bench(dut, grant=lambda length: length)
    bench.grants.pause = iter(lambda: True, None)
    await start(dut)
    first, second = bench.connections[:2]
    bench.write(first, 100, 3, 0)
    bench.deliver(first)
    bench.write(first, 50, 0, 0)
    bench.write(second, 10, 0, 0)
    bench.deliver(second)
    for _ in range(4):
        bench.write(second, 40, 1, 1)
    await bench.commands.drained()
    await bench.payloads.drained()
    assert len(bench.queries.transfers) == 2
    bench.grants.pause = iter(lambda: False, None)
    await bench.finish()


@cocotb.test()
async def data_goes_on_though_nobody_takes_reports(dut):
    """Reports may wait for what needs the data itself: a segment that is sent while it comes."""
    bench = Bench(dut, grant=lambda length: length)
    bench.delivered.pause = iter(lambda: True, None)
    await start(dut)
    connections = bench.connections[:4]
    for connection in connections:
        bench.write(connection, 50, 0, 0)
        bench.deliver(connection)
    await clocks(dut, 300)
    assert len(bench.packets.packets) == len(connections) and not bench.delivered.transfers
    bench.delivered.pause = iter(lambda: False, None)
    await bench.finish()


@cocotb.test()
async def latency_and_throughput(dut):
    lanes = parameter("DataWidth") // 8
    wide = parameter("DataWidth") >= 256
    bench = Bench(dut, grant=lambda length: length)
    bench.queries.pause = bench.packets.pause = iter(lambda: False, None)
    await start(dut)
    connection = bench.connections[0]
    connection.read = connection.next = 0
    bench.write(connection, 2 * lanes, 0, 0)
    await bench.payloads.drained()
    await clocks(dut, 20)
    bench.deliver(connection)
    await bench.finish()
    assert bench.queries.times[-1] - bench.commands.times[-1] == 2
    assert bench.packets.starts[-1] - bench.grants.times[-1] == 7 + wide
    assert bench.delivered.times[-1] - bench.packets.ends[-1] == 1

    # Payload comes in at a beat a clock, and goes out as fast.
    before = len(bench.payloads.times)
    for _ in range(4):
        bench.write(connection, 2 * lanes, 0, 0)
    bench.deliver(connection)
    await bench.finish()
    times = bench.payloads.times[before:]
    assert times[-1] - times[0] + 1 == 4 * 2
    times = bench.packets.times[-8:]
    assert times[-1] - times[0] + 1 == 8


@pytest.mark.parametrize("data_width", [64, 512])
def test_receive_buffer(data_width):
    simulate(
        top="receive_buffer",
        core="tcp_receive",
        test_module=__file__,
        parameters={
            "DataWidth": data_width,
            "Connections": 4,
            "RingBytes": max(256, data_width),
        },
    )
