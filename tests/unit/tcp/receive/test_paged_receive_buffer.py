# SPDX-License-Identifier: Apache-2.0
"""receive_buffer with pages: what is written reaches its application, though rings take memory from
a pool that is too small for all of them and give it back as they are read, are filled behind gaps,
or end; no page is asked for that the pool does not have, and at the end all are back."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from models.receive_bench import RX_DELIVER, RX_DROP, RX_WRITE, Bench, Connection
from support.packed import pack
from support.simulate import parameter, simulate
from support.streams import clocks, start

RX_FREE = 3
COMMAND = {
    "takes": 1, "first": 4, "count": 5, "kind": 2, "seq": 32, "skip": 16, "length": 16, "app": 4,
    "session": 24,
}  # fmt: skip


class PagedBench(Bench):
    """With the rule of the engine for pages (tcp_receive_pages_pkg)."""

    def __init__(self, dut, idle=None, pause=None, grant_pause=None, busy=0.2, grant=None):
        super().__init__(dut, idle, pause, grant_pause, grant)
        self.page_bytes, self.pages = parameter("PageBytes"), parameter("Pages")
        self.ring_pages = self.ring_bytes // self.page_bytes
        self.free = self.pages
        self.taken = self.came_back = self.refused = self.ended = 0
        self.held = dict.fromkeys(self.connections, 0)
        self.memory = LineMemory(dut, busy=busy)
        cocotb.start_soon(self.memory.run())
        cocotb.start_soon(self._count())

    async def _count(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.page_freed_o.value and not self.dut.rst.value:
                self.free += 1
                self.came_back += 1

    def page(self, seq: int) -> int:
        return seq // self.page_bytes

    def command(self, connection: Connection, kind: int, takes=0, first=0, count=0, **fields):
        fields["seq"] = fields.get("seq", 0) & 0xFFFFFFFF
        word = pack(
            COMMAND, kind=kind, takes=takes, first=first % self.ring_pages, count=count, **fields
        )
        self.commands.send(command=word, id=connection.number)

    def store(self, connection: Connection, seq: int, data: bytes, skip: int, rest: int) -> bool:
        """Data at seq, if there are the pages for it."""
        missing = self.page(seq + len(data) - 1) - self.page(connection.read) + 1
        missing = max(0, missing - self.held[connection]) if data else 0
        if missing > self.free:
            self.refused += 1
            return False
        self.command(
            connection, RX_WRITE, takes=1, seq=seq, skip=skip, length=len(data), count=missing,
            first=self.page(connection.read) + self.held[connection],
        )  # fmt: skip
        self.payloads.send(random.randbytes(skip) + data + random.randbytes(rest))
        self.free -= missing
        self.taken += missing
        self.held[connection] += missing
        return True

    def write(self, connection: Connection, length: int, skip: int, rest: int):
        """At the end, or a piece beyond a gap and then the gap."""
        data = random.randbytes(length)
        first = random.randint(1, length) if random.random() < 0.5 else length
        ahead = data[first:]
        if ahead and not self.store(connection, connection.next + first, ahead, 0, 0):
            return
        if not self.store(connection, connection.next, data[:first], skip, rest):
            assert not ahead  # the pages of the gap were taken with the piece
            return
        connection.bytes += data
        connection.next += length

    def send(self, connection: Connection, word: int):
        kind, seq = word >> 92, word >> 60 & 0xFFFFFFFF
        length, skip = word >> 28 & 0xFFFF, word >> 44 & 0xFFFF
        assert kind in (RX_DROP, RX_DELIVER)
        self.command(
            connection, kind, seq=seq, skip=skip, length=length, app=connection.app,
            session=connection.session,
        )  # fmt: skip

    def taken_by_application(self, connection: Connection, before: int):
        passed = self.page(connection.read) - self.page(before)
        count = passed if connection.bytes else self.held[connection]
        if count:
            self.command(connection, RX_FREE, first=self.page(before), count=count)
            self.held[connection] -= count

    async def _account(self):
        number = 0
        while True:
            await self.delivered.wait(number + 1)
            offer = self.offers[number]
            number += 1
            connection = offer.connection
            before = connection.read
            connection.read += offer.granted
            connection.bytes = connection.bytes[offer.granted :]
            connection.open = False
            self.taken_by_application(connection, before)

    def end(self, connection: Connection):
        """A reset: what is unread is gone, and what is still to be written of it, too."""
        self.command(
            connection, RX_FREE, first=self.page(connection.read), count=self.held[connection]
        )
        self.held[connection] = 0
        connection.read = connection.next = connection.next + random.randint(0, 3 * self.ring_bytes)
        connection.bytes = b""
        self.ended += 1

    def room(self, connection: Connection) -> int:
        return self.ring_bytes - self.page_bytes - (connection.next - connection.read)

    async def finish(self):
        await super().finish()
        for _ in range(4000):
            if self.free == self.pages:
                break
            await RisingEdge(self.dut.clk)
        assert self.free == self.pages and self.taken == self.came_back
        assert not any(self.held.values())


@cocotb.test(timeout_time=400, timeout_unit="us")
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], pause=["never", "sometimes", "mostly"],
    busy=[0, 0.7],
)  # fmt: skip
async def random_commands(dut, idle, pause, busy):
    bench = PagedBench(dut, idle, pause, "sometimes", busy)
    await start(dut)
    for _ in range(300):
        connection = random.choice(bench.connections)
        action = random.randrange(20)
        if action == 0:
            bench.drop(connection)
        elif action < 13:
            # Up to a whole ring, less a page.
            most = bench.ring_bytes - bench.page_bytes
            length = random.choice([1, random.randint(1, 20), random.randint(1, most // 2), most])
            length = min(length, bench.room(connection))
            skip = random.choice([0, 0, random.randint(0, 20), random.randint(0, 140)])
            rest = random.choice([0, 0, random.randint(0, 100)])
            if length > 0:
                bench.write(connection, length, skip, rest)
        elif action == 13 and not connection.open and bench.held[connection]:
            bench.end(connection)
        elif not connection.open and bench.open_offers < 4:
            bench.deliver(connection)
        if len(bench.commands.queue) > 6:
            await clocks(dut, random.randint(1, 200))
    await bench.finish()
    # Pages went round, and there were not enough of them.
    assert bench.taken > bench.pages and bench.ended and bench.refused


@cocotb.test(timeout_time=400, timeout_unit="us")
async def pages_cost_little(dut):
    """Full pages of one connection in a row: a clock for each page and a few for each write."""
    bench = PagedBench(dut, busy=0, grant=lambda length: length)
    bench.queries.pause = bench.packets.pause = iter(lambda: False, None)
    await start(dut)
    lanes = parameter("DataWidth") // 8
    connection = bench.connections[0]
    connection.read = connection.next = 0
    for _ in range(7):
        data = random.randbytes(bench.page_bytes)
        assert bench.store(connection, connection.next, data, 0, 0)
        connection.bytes += data
        connection.next += len(data)
    await bench.payloads.drained()
    beats = bench.payloads.times
    assert len(beats) == 7 * bench.page_bytes // lanes
    # The first write of a page waits for the table, which knows it by then.
    assert beats[-1] - beats[0] <= len(beats) + 7 * 12
    await bench.finish()


@pytest.mark.parametrize("data_width", [64, 512])
def test_paged_receive_buffer(data_width):
    simulate(
        top="paged_receive_buffer",
        core="tcp_receive",
        test_module=__file__,
        extra_sources=["paged_receive_buffer.sv"],
        parameters={
            "DataWidth": data_width,
            "Connections": 8,
            "RingBytes": 512 if data_width == 64 else 2048,
            "PageBytes": 64 if data_width == 64 else 256,
            "Pages": 32,
        },
    )
