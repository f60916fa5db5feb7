# SPDX-License-Identifier: Apache-2.0
"""What is around a receive_buffer: the engine's commands, the applications, and a model of the
bytes between."""

import itertools
import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import parameter
from support.streams import PacketSink, PacketSource, StreamSink, StreamSource, clocks

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
