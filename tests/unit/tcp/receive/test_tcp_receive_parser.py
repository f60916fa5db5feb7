# SPDX-License-Identifier: Apache-2.0
"""tcp_receive_parser (S1.1): segments as scapy makes them, and all that can be wrong with one."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.layers.inet import IP, TCP
from scapy.packet import Raw

from models.ip_structs import IP_RECEIVE
from models.tcp_segments import RECEIVED, meaningful, random_options, read_options
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, StreamSink, clocks, start

COUNTERS = ("tcp_segments_in", "drop_tcp_checksum", "drop_tcp_header")
OUR_IP = "192.0.2.1"
SYN, ACK = 0x02, 0x10


def address(text: str) -> int:
    return int.from_bytes(bytes(int(part) for part in text.split(".")), "big")


def tcp_checksum(source: bytes, destination: bytes, segment: bytes) -> int:
    """RFC 9293 section 3.1; 0 for a segment whose checksum field is right."""
    pseudo = source + destination + bytes([0, 6]) + len(segment).to_bytes(2, "big")
    data = pseudo + segment + b"\0" * (len(segment) % 2)
    total = sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@dataclass
class Expected:
    segments: list[dict[str, int]] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))


class SegmentSink(StreamSink):
    """Blocks that a segment does not have may change while it is stalled."""

    def _significant(self, values):
        return {"segment": pack(RECEIVED, **meaningful(unpack(RECEIVED, values["segment"])))}


class Bench:
    def __init__(self, dut, idle=None, segment_pause=None, payload_pause=None):
        self.dut = dut
        self.source = PacketSource(dut, sideband=("ip",), pause=idle)
        # A struct has no name of its own below the port, so the port is the only field.
        self.segments = SegmentSink(
            dut, "m_segment", fields={"segment": "m_segment"}, pause=segment_pause
        )
        self.payloads = PacketSink(dut, "m_payload", pause=payload_pause)
        self.expected = Expected()
        self.counts = dict.fromkeys(COUNTERS, 0)
        cocotb.start_soon(self._count())

    async def _count(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value:
                continue
            for name in COUNTERS:
                self.counts[name] += int(getattr(self.dut, f"count_{name}_o").value)

    def send(self, packet: bytes, error: bool = False) -> str:
        """Queue an IP packet, and what must become of it by an independent reading of it."""
        words = packet[0] & 15
        segment = packet[4 * words :]
        sideband = pack(
            IP_RECEIVE,
            source=int.from_bytes(packet[12:16], "big"),
            destination=int.from_bytes(packet[16:20], "big"),
            header_words=words,
            total_length=len(packet),
            protocol=packet[9] if len(packet) > 9 else 0,
        )
        self.source.send(Packet(packet, error=error), ip=sideband)

        if error:
            return "error"
        offset = segment[12] >> 4 if len(segment) >= 13 else 0
        room = parameter("PayloadFifoBeats") * parameter("DataWidth") // 8
        if (
            len(segment) < 20
            or offset < 5
            or 4 * offset > len(segment)
            or len(segment) - 4 * offset > room
        ):
            self.expected.counts["drop_tcp_header"] += 1
            return "drop_tcp_header"
        if tcp_checksum(packet[12:16], packet[16:20], segment):
            self.expected.counts["drop_tcp_checksum"] += 1
            return "drop_tcp_checksum"
        payload = segment[4 * offset :]
        flags = segment[13]
        self.expected.segments.append(
            {
                "remote_ip": int.from_bytes(packet[12:16], "big"),
                "remote_port": int.from_bytes(segment[0:2], "big"),
                "local_port": int.from_bytes(segment[2:4], "big"),
                "seq": int.from_bytes(segment[4:8], "big"),
                "ack": int.from_bytes(segment[8:12], "big"),
                "flags": flags,
                "window": int.from_bytes(segment[14:16], "big"),
                "payload_length": len(payload),
                "payload_tag": 0,
                **read_options(segment[20 : 4 * offset], bool(flags & SYN), bool(flags & ACK)),
                "sack": 0,
                "direct": 0,
                "sack_only": 0,
                "urgent": (
                    int.from_bytes(segment[4:8], "big") + int.from_bytes(segment[18:20], "big")
                )
                % 2**32,
            }
        )
        if payload:
            self.expected.payloads.append(payload)
        self.expected.counts["tcp_segments_in"] += 1
        return "tcp_segments_in"

    async def check(self):
        await self.source.drained()
        expected = self.expected
        await self.segments.wait(len(expected.segments))
        await self.payloads.wait_packets(len(expected.payloads))
        await clocks(self.dut, 100)  # nothing more may come
        got = [
            meaningful(unpack(RECEIVED, transfer["segment"]))
            for transfer in self.segments.transfers
        ]
        assert got == expected.segments
        assert [packet.data for packet in self.payloads.packets] == expected.payloads
        assert self.counts == expected.counts


def make(payload=b"", flags=ACK, options=b"", ip_options=b"", fix=True, **fields) -> bytes:
    """An IP packet by scapy; `fix` computes the checksum, else it is left as `fields` says."""
    assert len(options) % 4 == 0 and len(ip_options) % 4 == 0
    offset = fields.pop("offset", 5 + len(options) // 4)
    tcp = TCP(
        sport=random.getrandbits(16), dport=random.getrandbits(16), seq=random.getrandbits(32),
        ack=random.getrandbits(32), window=random.getrandbits(16), flags=flags, dataofs=offset,
    )  # fmt: skip
    source = ".".join(str(random.randrange(1, 255)) for _ in range(4))
    ip = IP(src=source, dst=OUR_IP, ihl=5 + len(ip_options) // 4, proto=6)
    header = bytes(tcp)[:20]
    segment = bytearray(header + options + payload)
    segment[18:20] = random.randbytes(2)  # the urgent pointer
    packet = bytearray(bytes(ip)[:20] + ip_options + segment)
    packet[2:4] = len(packet).to_bytes(2, "big")
    if fix:
        start_of_tcp = 20 + len(ip_options)
        packet[start_of_tcp + 16 : start_of_tcp + 18] = b"\0\0"
        value = tcp_checksum(packet[12:16], packet[16:20], bytes(packet[start_of_tcp:]))
        packet[start_of_tcp + 16 : start_of_tcp + 18] = value.to_bytes(2, "big")
    return bytes(packet)


def scapy_packet(payload: bytes, **options) -> bytes:
    """A packet of which scapy computed everything."""
    return bytes(
        IP(src="198.51.100.7", dst=OUR_IP) / TCP(sport=40000, dport=80, **options) / Raw(payload)
    )


def draw(lanes: int) -> tuple[bytes, bool]:
    """A random packet, and whether it has been found bad already."""
    options = random_options(4 * random.choice([0, 0, 1, 2, 5, 10]))
    ip_options = random.randbytes(4 * random.choice([0, 0, 0, 1, 4, 10]))
    length = random.choice(
        [0, 0, 1, random.randrange(lanes + 2), random.randrange(200), random.randrange(1461)]
    )
    flags = random.choice([ACK, ACK, SYN, SYN | ACK, random.getrandbits(8)])
    packet = make(random.randbytes(length), flags, options, ip_options)
    fault = random.randrange(12)
    words = 4 * (packet[0] & 15)
    if fault == 0:
        packet = bytearray(packet)
        packet[random.randrange(words, len(packet))] ^= 1 << random.randrange(8)
    elif fault == 1:
        packet = make(random.randbytes(length), flags, options, ip_options,
                      offset=random.randrange(16))  # fmt: skip
    elif fault == 2:
        packet = packet[: random.randrange(words + 1, len(packet) + 1)]
    elif fault == 3:
        packet = packet[:words] + random.randbytes(random.randint(1, 80))
    return bytes(packet), fault == 4


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes", "bursts"], pause=list(PATTERNS))
async def random_segments(dut, idle, pause):
    bench = Bench(dut, idle, pause, random.choice(list(PATTERNS)))
    await start(dut)
    for _ in range(80):
        bench.send(*draw(parameter("DataWidth") // 8))
    await bench.check()
    assert bench.expected.counts["tcp_segments_in"] > 20


@cocotb.test()
async def every_payload_length(dut):
    """Whole packets of scapy, one of each length around the first beats and the longest."""
    bench = Bench(dut, "never", "never", "never")
    await start(dut)
    for length in [*range(0, 140), *range(1440, 1461)]:
        kind = bench.send(scapy_packet(random.randbytes(length), flags="PA", seq=length))
        assert kind == "tcp_segments_in"
    await bench.check()


@cocotb.test()
async def every_header_length(dut):
    """Each length of the IP header with each of the TCP header."""
    bench = Bench(dut, "never", "never", "never")
    await start(dut)
    for ip_words in range(5, 16):
        for words in range(5, 16):
            for length in (0, 1, 9):
                packet = make(
                    random.randbytes(length), random.choice([SYN, ACK]),
                    random_options(4 * (words - 5)), random.randbytes(4 * (ip_words - 5)),
                )  # fmt: skip
                assert bench.send(packet) == "tcp_segments_in"
    await bench.check()


@cocotb.test()
async def bad_offsets(dut):
    """Each data offset in packets too short for it, just long enough, and longer."""
    bench = Bench(dut, "never", "never", "never")
    await start(dut)
    for offset in range(16):
        for length in {0, 1, 4 * offset - 21, 4 * offset - 20, 4 * offset - 19, 100}:
            if length < 0:
                continue
            for flags in (SYN, ACK):
                bench.send(make(random.randbytes(length), flags, offset=offset))
    for length in range(1, 20):
        assert bench.send(make()[: 20 + length]) == "drop_tcp_header"
    await bench.check()
    assert bench.expected.counts["drop_tcp_header"] > 40


@cocotb.test()
async def mss_option_anywhere(dut):
    """Conformance: RFC9293:MUST-4, RFC9293:MUST-64."""
    bench = Bench(dut, "sometimes", "sometimes", "never")
    await start(dut)
    mss = bytes([2, 4, 5, 0xB4])
    lists = [b"\x01" * at + mss for at in range(37)]
    lists += [mss + bytes([kind, length]) for kind in (2, 3, 254) for length in (0, 1, 2, 3, 40)]
    lists += [bytes([kind, length]) + mss for kind in (3, 254) for length in (0, 1, 2, 3, 255)]
    lists += [b"\x00" + mss, mss + b"\x00", mss + mss, mss + bytes([2, 4, 1, 2])]
    # Ends exactly at, or just beyond, the end of the header; a kind without its length.
    lists += [b"\x01" * at + bytes([2, 4]) + b"\x11" * (38 - at) for at in range(34, 39)]
    lists += [b"\x01" * 39 + b"\x02", mss + b"\x01" * 35 + b"\x02"]
    lists += [bytes([8, 10]) + random.randbytes(8) + mss, bytes([5, 34]) + bytes(32) + mss]
    found = 0
    for options in lists:
        padding = random.choice([b"\x00", b"\x01", b"\x02", b"\x04"]) * (-len(options) % 4)
        bench.send(make(flags=SYN, options=options + padding))
        found += bench.expected.segments[-1]["mss"] != 0
    await bench.check()
    assert 50 < found < len(lists)


@cocotb.test()
async def syn_and_other_segments(dut):
    """What is read of a SYN alone, of other segments alone, and of both."""
    bench = Bench(dut)
    await start(dut)
    given = [("MSS", 1460), ("WScale", 7), ("SAckOK", b""), ("Timestamp", (123, 456))]
    blocks = ("SAck", (1, 2, 3, 4))
    bench.send(scapy_packet(b"", flags="S", options=given))
    bench.send(scapy_packet(b"xyz", flags="A", options=given))
    bench.send(scapy_packet(b"xyz", flags="A", options=[("Timestamp", (7, 8)), blocks]))
    bench.send(scapy_packet(b"", flags="SA", options=[("MSS", 1), ("Timestamp", (7, 8)), blocks]))
    bench.send(make(flags=SYN))
    bench.send(scapy_packet(b"", flags="R", options=[blocks]))
    await bench.check()
    names = ("mss", "has_window_scale", "window_scale", "sack_permitted", "has_timestamps",
             "ts_value", "ts_echo", "sack_count")  # fmt: skip
    assert [tuple(segment[name] for name in names) for segment in bench.expected.segments] == [
        (1460, 1, 7, 1, 1, 123, 456, 0),
        (0, 0, 0, 0, 1, 123, 456, 0),
        (0, 0, 0, 0, 1, 7, 8, 2),
        (1, 0, 0, 0, 1, 7, 8, 0),
        (0, 0, 0, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0, 0, 0),
    ]


@cocotb.test()
async def checksum_covers_everything(dut):
    """Each bit of header and payload, and of both addresses.

    Conformance: RFC9293:MUST-3
    """
    bench = Bench(dut, "never", "never", "never")
    await start(dut)
    good = make(random.randbytes(5), options=b"\x01" * 4)
    for at in [*range(12, 20), *range(20, len(good))]:
        packet = bytearray(good)
        packet[at] ^= 1 << random.randrange(8)
        assert bench.send(bytes(packet)) != "tcp_segments_in"
    bench.send(good)
    await bench.check()


@cocotb.test()
async def random_bytes(dut):
    """Nothing but noise behind an IP header: nothing comes out but counts.

    Conformance: RFC9293:MUST-7
    """
    bench = Bench(dut, "sometimes", "never", "never")
    await start(dut)
    for _ in range(200):
        bench.send(make()[:20] + random.randbytes(random.randint(1, 200)))
    await bench.check()


@cocotb.test()
async def payload_may_wait(dut):
    """Segments come though nobody takes their payload, as far as the FIFO holds it."""
    bench = Bench(dut, "never", "never", "never")
    bench.payloads.pause = iter(lambda: True, None)
    await start(dut)
    for _ in range(4):
        bench.send(make(random.randbytes(500)))
    await bench.segments.wait(4)
    bench.payloads.pause = iter(lambda: False, None)
    await bench.check()


@cocotb.test()
async def latency_and_throughput(dut):
    lanes = parameter("DataWidth") // 8
    bench = Bench(dut, "never", "never", "never")
    bench.segments.pause = iter(lambda: False, None)
    await start(dut)
    latency = {64: 4, 128: 5, 256: 5, 512: 6}[parameter("DataWidth")] + parameter("Half")
    for length in (0, 1, 100):
        bench.send(make(random.randbytes(length)))
        await bench.source.drained()
        await bench.segments.wait(len(bench.expected.segments))
        assert bench.segments.times[-1] - bench.source.times[-1] == latency
        if length:
            await bench.payloads.wait_packets(len(bench.expected.payloads))
            assert bench.payloads.starts[-1] - bench.segments.times[-1] <= 8
    # Back to back, without a clock lost; a segment cannot leave in less than one.
    begin = len(bench.source.times)
    for length in [1460, 0, 0, 0, 6, 1460] * 4:
        bench.send(make(random.randbytes(length)))
    await bench.source.drained()
    times = bench.source.times[begin:]
    beats = 4 * (2 * -(-1500 // lanes) + 3 * -(-40 // lanes) + -(-46 // lanes))
    assert len(times) == beats
    assert times[-1] - times[0] + 1 == beats
    await bench.check()


@cocotb.test()
@cocotb.parametrize(words=range(1, 11), length=[0, 1, 400])
async def options_cost(dut, words, length):
    """A segment with w words of options takes its beats, or w + 1 clocks if that is more."""
    lanes = parameter("DataWidth") // 8
    bench = Bench(dut, "never", "never", "never")
    bench.segments.pause = iter(lambda: False, None)
    await start(dut)
    options = b"\x01" * (4 * words - 10) + b"\x08\x0a" + random.randbytes(8)
    packets = [make(random.randbytes(length), options=options[-4 * words :]) for _ in range(20)]
    for packet in packets:
        bench.send(packet)
    await bench.check()
    beats = -(-len(packets[0]) // lanes)
    times = bench.segments.times
    assert all(now - before <= max(beats, words + 1) for before, now in pairwise(times[1:]))
    bench.send(packets[0])
    await bench.check()
    latency = {64: 4, 128: 5, 256: 5, 512: 6}[parameter("DataWidth")] + parameter("Half")
    assert times[-1] - bench.source.times[-1] == max(latency, words + 3)
    # On Ethernet the next one is there no earlier: 14 bytes header, FCS, preamble, gap.
    if lanes == 8:
        assert words + 1 <= (len(packets[0]) + 38) / lanes


@pytest.mark.parametrize(
    ("data_width", "half"), [(64, 0), (64, 1), (128, 0), (256, 0), (512, 0)], ids=str
)
def test_tcp_receive_parser(data_width, half):
    simulate(
        top="tcp_receive_parser",
        core="tcp_receive",
        test_module=__file__,
        parameters={
            "DataWidth": data_width,
            "PayloadFifoBeats": 2048 * 8 // data_width,
            "Half": half,
        },
    )
