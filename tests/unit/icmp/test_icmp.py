# SPDX-License-Identifier: Apache-2.0
"""icmp: answers what it should, byte by byte; hands errors about segments on; counts the rest."""

import random
import struct
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.ip_host import internet_sum
from models.ip_structs import ICMP_ERROR, IP_TRANSMIT
from support.packed import unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, StreamSink, clocks, start

COUNTERS = ["icmp_echo_in", "icmp_echo_out"] + [
    f"drop_icmp_{cause}" for cause in ("checksum", "type", "length")
]
PEER = bytes([10, 77, 0, 1])
OURS = bytes([10, 77, 0, 2])


class Bench:
    def __init__(self, dut, idle=None, backpressure=None):
        self.dut = dut
        self.source = PacketSource(dut, sideband=("ip",), pause=idle)
        self.packets = StreamSink(dut, "m_packet", fields={"packet": "m_packet"},
                                  pause=backpressure)  # fmt: skip
        self.data = PacketSink(dut, pause=backpressure)
        self.errors = StreamSink(
            dut, "m_icmp_error", fields={"error": "m_icmp_error"}, pause=backpressure
        )
        self.expected_errors: list[dict[str, int]] = []
        dut.ip_i.value = int.from_bytes(OURS)
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
        elif error := told(message):
            self.expected_errors.append(error)
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
                "payload_length": len(data), "late_checksum": 0, "header_length": 0,
            }  # fmt: skip
        errors = [unpack(ICMP_ERROR, transfer["error"]) for transfer in self.errors.transfers]
        assert errors == self.expected_errors
        assert +self.counts == +self.expected_counts


def checksummed(kind: bytes, rest: bytes) -> bytes:
    checksum = internet_sum(kind + b"\0\0" + rest) ^ 0xFFFF
    return kind + struct.pack("!H", checksum) + rest


def told(message: bytes) -> dict[str, int] | None:
    """What the block says of an error about one of our segments."""
    quoted = message[8:]
    if (
        message[0] not in (3, 11, 12) or message[1] > 15 or len(quoted) < 28
        or quoted[0] != 0x45 or quoted[9] != 6 or quoted[12:16] != OURS
        or int.from_bytes(quoted[6:8]) & 0x1FFF
    ):  # fmt: skip
        return None
    local_port, remote_port, seq = struct.unpack("!HHI", quoted[20:28])
    return {
        "remote_ip": int.from_bytes(quoted[16:20]), "remote_port": remote_port,
        "local_port": local_port, "seq": seq, "kind": message[0], "code": message[1],
        "mtu": int.from_bytes(message[6:8]),
    }  # fmt: skip


def error(kind: int, code: int, more: int = 0) -> bytearray:
    """One about a segment of ours, its checksum to be filled in."""
    quoted = bytearray(random.randbytes(28 + more))
    quoted[0], quoted[9], quoted[12:16] = 0x45, 6, OURS
    quoted[6:8] = random.choice([b"\0\0", b"\x40\0"])
    return bytearray([kind, code, 0, 0]) + random.randbytes(4) + quoted


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
        kind = random.randrange(12)
        if kind >= 8:
            more = random.choice([0, size])
            message = error(random.choice([3, 11, 12]), random.randrange(16), more)
            message = checksummed(bytes(message[:2]), bytes(message[4:]))
        elif kind == 0:
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
async def every_kind_of_error(dut):
    """Each type and code of note, each field that must be right, and each length of the quote.

    Conformance: RFC9293:MUST-55
    """
    bench = Bench(dut)
    await bench.start()
    messages = [error(kind, code) for kind in range(16) for code in (0, 1, 4, 15, 16, 128)]
    messages += [error(3, 3)[: 8 + length] for length in range(0, 29)]
    for place in (8, 14, 15, 17, 20, 21, 22, 23):  # version and length, offset, protocol, source
        for bit in range(8):
            message = error(3, 1)
            message[place] ^= 1 << bit
            messages.append(message)
    for message in messages:
        bench.send(checksummed(bytes(message[:2]), bytes(message[4:])), random.choice([5, 6, 15]))
        damaged = error(3, 1)
        damaged[2:4] = b"\x12\x34"
        bench.send(bytes(damaged))
    assert len(bench.expected_errors) >= 15
    await bench.check()


@cocotb.test()
async def errors_wait_and_none_is_lost(dut):
    bench = Bench(dut)
    hold = True
    bench.errors.pause = iter(lambda: hold, None)
    await bench.start()
    for code in range(6):
        message = error(3, code)
        bench.send(checksummed(bytes(message[:2]), bytes(message[4:])))
        bench.send(request(4))
    await clocks(dut, 300)
    assert not bench.errors.transfers
    hold = False
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
def test_icmp(width):
    simulate(
        top="icmp",
        test_module=__file__,
        parameters={"DataWidth": width},
        # The packages hold more constants than one block uses.
    )
