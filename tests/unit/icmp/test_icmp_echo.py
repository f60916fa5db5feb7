# SPDX-License-Identifier: Apache-2.0
"""icmp_echo: answers what it should, byte by byte; counts the rest."""

import random
import struct
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.ip_host import internet_sum
from models.ip_structs import IP_TRANSMIT
from support.packed import unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, StreamSink, clocks, start

COUNTERS = ["icmp_echo_in", "icmp_echo_out"] + [
    f"drop_icmp_{cause}" for cause in ("checksum", "type", "length")
]
PEER = bytes([10, 77, 0, 1])


class Bench:
    def __init__(self, dut, idle=None, backpressure=None):
        self.dut = dut
        self.source = PacketSource(dut, sideband=("ip",), pause=idle)
        self.packets = StreamSink(dut, "m_packet", fields={"packet": "m_packet"},
                                  pause=backpressure)  # fmt: skip
        self.data = PacketSink(dut, pause=backpressure)
        self.expected: list[tuple[bytes, bytes]] = []
        self.expected_counts, self.counts = Counter(), Counter()

    async def start(self):
        cocotb.start_soon(self._count())
        await start(self.dut)

    async def _count(self):
        while True:
            await RisingEdge(self.dut.clk)
            if not self.dut.rst.value:
                for name in COUNTERS:
                    self.counts[name] += int(getattr(self.dut, f"count_{name}_o").value)

    def send(self, message: bytes, header_words=5, error=False, peer=PEER):
        header = bytes([0x40 | header_words]) + random.randbytes(4 * header_words - 1)
        total = len(header) + len(message)
        ip = int.from_bytes(peer) << 32 | random.getrandbits(32)
        ip = (ip << 4 | header_words) << 24 | total << 8 | 1
        self.source.send(Packet(header + message, error=error), ip=ip)
        if error:
            return
        if len(message) < 8:
            self.expected_counts["drop_icmp_length"] += 1
        elif internet_sum(message) != 0xFFFF:
            self.expected_counts["drop_icmp_checksum"] += 1
        elif message[:2] != b"\x08\x00":
            self.expected_counts["drop_icmp_type"] += 1
        else:
            self.expected_counts.update(["icmp_echo_in", "icmp_echo_out"])
            reply = checksummed(b"\0\0", message[4:])
            # 0 and all ones say the same, except of a message of zeros: it takes all ones.
            if reply[2:4] == bytes(2):
                reply = reply[:2] + b"\xff\xff" + reply[4:]
            self.expected.append((peer, reply))

    async def check(self):
        await self.source.drained()
        await self.data.wait_packets(len(self.expected))
        await clocks(self.dut, 100)
        assert [packet.data for packet in self.data.packets] == [data for _, data in self.expected]
        for transfer, (peer, data) in zip(self.packets.transfers, self.expected, strict=True):
            packet = unpack(IP_TRANSMIT, transfer["packet"])
            del packet["header"]  # there is none
            assert packet == {
                "destination": int.from_bytes(peer), "dscp": 0, "protocol": 1,
                "payload_length": len(data), "header_length": 0,
            }  # fmt: skip
        assert +self.counts == +self.expected_counts


def checksummed(kind: bytes, rest: bytes) -> bytes:
    checksum = internet_sum(kind + b"\0\0" + rest) ^ 0xFFFF
    return kind + struct.pack("!H", checksum) + rest


def request(size: int) -> bytes:
    return checksummed(b"\x08\x00", random.randbytes(4 + size))


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def answers_and_drops(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    for _ in range(25):
        size = random.choice([random.randint(0, 70), random.randint(0, 70), random.randint(0, 400)])
        message = bytearray(request(size))
        kind = random.randrange(8)
        if kind == 0:
            message[random.randrange(len(message))] ^= 1 << random.randrange(8)
        elif kind == 1:
            message = checksummed(random.randbytes(2), bytes(message[4:]))
        elif kind == 2:
            message = message[: random.randrange(0, 8)]
        words = random.choice([5, 5, 5, 6, 7, 8, 15])
        bench.send(bytes(message), words, random.random() < 0.1, random.randbytes(4))
    await bench.check()


@cocotb.test()
async def every_length_and_header_length(dut):
    bench = Bench(dut)
    await bench.start()
    for size in range(70):
        bench.send(request(size), random.randint(5, 15))
    for words in range(5, 16):
        for length in range(8):
            bench.send(request(0)[:length], words)
        bench.send(request(words), words)
    bench.send(request(1472))
    bench.send(request(1471))
    for size in (0, 1, 8, 200):
        bench.send(checksummed(b"\x08\x00", bytes(4 + size)))
    await bench.check()


@cocotb.test()
async def a_packet_marked_bad_leaves_no_trace(dut):
    """Whatever its length says."""
    bench = Bench(dut)
    await bench.start()
    for words in range(16):
        packet = Packet(random.randbytes(random.randint(1, 100)), error=True)
        bench.source.send(packet, ip=words << 24 | random.getrandbits(24))
        bench.send(request(9))
    await bench.check()


@cocotb.test()
async def takes_two_of_the_longest_while_none_can_leave(dut):
    bench = Bench(dut)
    hold = True
    bench.data.pause = iter(lambda: hold, None)
    await bench.start()
    bench.send(request(1472))
    bench.send(request(1472))
    await bench.source.drained()
    await clocks(dut, 50)
    assert bench.counts["icmp_echo_in"] == 2 and not bench.data.packets
    hold = False
    await bench.check()


@cocotb.test()
async def latency(dut):
    bench = Bench(dut)
    await bench.start()
    bench.send(request(56))
    await bench.check()
    assert bench.packets.times[0] - bench.source.times[-1] <= 12
    assert parameter("DataWidth") > 64 or bench.packets.times[0] - bench.source.times[-1] <= 10


@pytest.mark.parametrize("width", [64, 512])
def test_icmp_echo(width):
    simulate(
        top="icmp_echo",
        test_module=__file__,
        parameters={"DataWidth": width},
        # The packages hold more constants than one block uses.
    )
