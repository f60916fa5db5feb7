# SPDX-License-Identifier: Apache-2.0
"""peek_header: what stands in a header, told as soon as it has come, once for each packet."""

import itertools
import random
import struct

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.ip_structs import IP_RECEIVE
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, clocks, now, pattern, start

TUPLE = {"remote_ip": 32, "remote_port": 16, "local_port": 16}
PEEKED = {
    "readable": 1, "plain": 1, "tuple": 64, "seq": 32, "ack": 32, "has_timestamps": 1,
    "ts_value": 32, "length": 16,
}  # fmt: skip
STAMPS = b"\x01\x01\x08\x0a"
FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32


class Packet:
    """An IP packet, and what is to be told of it."""

    def __init__(self, ip_options=b"", options=b"", flags=ACK, payload=b"", cut=None):
        self.source, ports = random.getrandbits(32), random.getrandbits(32)
        self.tuple = self.source << 32 | ports
        self.seq, self.ack, self.stamp = (random.getrandbits(32) for _ in range(3))
        if options == STAMPS:
            options += struct.pack("!II", self.stamp, random.getrandbits(32))
        offset = 5 + len(options) // 4
        self.header_words = 5 + len(ip_options) // 4
        tcp = struct.pack("!III", ports, self.seq, self.ack)
        tcp += struct.pack("!BBHI", offset << 4, flags, 4096, random.getrandbits(32)) + options
        self.length = 20 + len(ip_options) + len(tcp) + len(payload)
        ip = struct.pack("!BBHIII", 0x45, 0, self.length, 0, 0, self.source)
        self.data = (ip + random.randbytes(4) + ip_options + tcp + payload)[:cut]
        self.asked = not ip_options and len(self.data) >= 24
        self.has_timestamps = offset == 8 and options[:4] == STAMPS
        # The last byte that is needed.
        self.told_by = 48 if offset == 8 else 36
        self.readable = self.asked and len(self.data) >= self.told_by
        self.plain = (offset == 5 or self.has_timestamps) and flags & ~PSH == ACK
        self.payload = self.length - (40 if offset == 5 else 52)

    def check(self, asked: int, peeked: dict[str, int]) -> None:
        assert (asked, peeked["readable"]) == (self.asked, self.readable)
        if not self.readable:
            return
        assert peeked["tuple"] == self.tuple and peeked["seq"] == self.seq
        assert peeked["ack"] == self.ack and peeked["plain"] == self.plain
        assert peeked["has_timestamps"] == self.has_timestamps
        if self.plain:
            assert peeked["length"] == self.payload & 0xFFFF
        if self.has_timestamps:
            assert peeked["ts_value"] == self.stamp


def any_packet() -> Packet:
    payload = random.randbytes(random.choice((0, 0, 1, 7, 8, 30, 64, 200)))
    flags = random.choice(
        (ACK, ACK | PSH, ACK, ACK | FIN, SYN, RST | ACK, ACK | URG, random.getrandbits(6))
    )
    options = random.choice((b"", b"", STAMPS, STAMPS, b"\x01" * 4, b"\x01" * 12, b"\x01" * 20))
    if random.random() < 0.15:
        return Packet(options=options, flags=flags, cut=random.randrange(20, 60))
    ip_options = b"\x01" * 4 if random.random() < 0.1 else b""
    return Packet(ip_options, options, flags, payload)


class Bench:
    def __init__(self, dut, idle=None, pause=None):
        self.dut, self.lanes = dut, parameter("DataWidth") // 8
        self.idle, self.held = pattern(idle), False
        fields = {"asked": "m_head_asked", "head": "m_head"}
        self.sink = StreamSink(dut, "m_head", fields, pause=pause)
        self.asks: list[tuple[int, int]] = []  # clock, tuple
        self.told_by: list[int] = []  # clock in which a packet's last byte that counts passed
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value == 0 and self.dut.ask_o.value:
                self.asks.append((now(), int(self.dut.tuple_o.value)))

    async def send(self, packet: Packet) -> None:
        """Beats with pauses between them, and none of a new packet while hold_o asks for a stop."""
        dut = self.dut
        while dut.hold_o.value:
            self.held = True
            await RisingEdge(dut.clk)
        dut.ip_i.value = pack(
            IP_RECEIVE, source=packet.source, destination=random.getrandbits(32),
            header_words=packet.header_words, total_length=packet.length, protocol=6,
        )  # fmt: skip
        told = False
        for position in range(0, len(packet.data), self.lanes):
            while next(self.idle):
                await self._beat(random.randbytes(self.lanes), False, 0)
            chunk = packet.data[position : position + self.lanes]
            last = position + self.lanes >= len(packet.data)
            if not told and (position + self.lanes >= packet.told_by or last):
                told = True
                self.told_by.append(now() + 1)
            await self._beat(chunk, last, 1)
        dut.beat_i.value = 0

    async def _beat(self, chunk: bytes, last: bool, valid: int) -> None:
        data = chunk + random.randbytes(self.lanes - len(chunk))
        self.dut.data_i.value = int.from_bytes(data, "little")
        self.dut.keep_i.value = (1 << len(chunk)) - 1
        self.dut.last_i.value = last
        self.dut.beat_i.value = valid
        await RisingEdge(self.dut.clk)

    async def run(self, packets: list[Packet]) -> None:
        for packet in packets:
            await self.send(packet)
        await self.sink.wait(len(packets))
        await clocks(self.dut, 5)
        assert len(self.sink.transfers) == len(packets)
        for packet, transfer in zip(packets, self.sink.transfers, strict=True):
            packet.check(transfer["asked"], unpack(PEEKED, transfer["head"]))
        assert [found for _, found in self.asks] == [p.tuple for p in packets if p.asked]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=list(PATTERNS))
async def any_headers(dut, idle, pause):
    bench = Bench(dut, idle, pause)
    await start(dut, beat_i=0)
    await bench.run([any_packet() for _ in range(60)])


@cocotb.test()
async def nobody_takes_them(dut):
    """Short packets while no header is taken: the stream is held before one is lost."""
    bench = Bench(dut)
    bench.sink.pause = itertools.chain(itertools.repeat(True, 300), itertools.repeat(False))
    await start(dut, beat_i=0)
    packets = [Packet(payload=random.randbytes(random.randrange(3))) for _ in range(30)]
    await bench.run(packets)
    assert bench.held


@cocotb.test()
async def at_once(dut):
    """One clock behind the beat that has the last byte that counts."""
    bench = Bench(dut)
    await start(dut, beat_i=0)
    packets = [
        Packet(options=options, payload=random.randbytes(size))
        for size in (0, 1, 40, 300)
        for options in (b"", STAMPS)
    ]
    await bench.run(packets)
    for time, told in zip(bench.sink.times, bench.told_by, strict=True):
        assert time - told == 1


@pytest.mark.parametrize("width", [64, 512])
def test_peek_header(width):
    simulate(
        top="peek_header", core="engine", test_module=__file__, parameters={"DataWidth": width}
    )
