# SPDX-License-Identifier: Apache-2.0
"""ethernet_receive: the header goes, the rest stays byte by byte; one counter a frame."""

import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, clocks, start

MAC = bytes.fromhex("02544f450001")
BROADCAST = b"\xff" * 6
CAUSES = ["fcs", "runt", "giant", "mac_address", "ethertype"]


def longest() -> int:
    return parameter("Mtu") + 14


def cause(frame: bytes, error: bool) -> str:
    """Why a frame is dropped, or ""."""
    if len(frame) > longest():
        return "giant"
    if error:
        return "fcs"
    if len(frame) < 60:
        return "runt"
    if frame[:6] not in (MAC, BROADCAST):
        return "mac_address"
    if frame[12:14] not in (b"\x08\x00", b"\x08\x06"):
        return "ethertype"
    return ""


class Bench:
    def __init__(self, dut, idle=None, backpressure=None):
        self.dut = dut
        self.source = PacketSource(dut, pause=idle)
        self.sink = PacketSink(dut, pause=backpressure, sideband=("arp", "broadcast"))
        self.counts = Counter()
        self.expected = Counter()
        self.frames: list[tuple[bytes, bool]] = []

    async def start(self):
        cocotb.start_soon(self._count())
        await start(self.dut, enable_i=1, mac_i=int.from_bytes(MAC))

    async def _count(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value:
                continue
            for name in CAUSES:
                self.counts[name] += int(getattr(self.dut, f"count_drop_{name}_o").value)
            self.counts["frames"] += int(self.dut.count_rx_frames_o.value)
            self.counts["bytes"] += int(self.dut.count_rx_bytes_o.value)

    def send(self, frame: bytes, error: bool = False):
        self.source.send(Packet(frame, error=error))
        self.frames.append((frame, error))
        reason = cause(frame, error)
        self.expected.update({"frames": 1, "bytes": len(frame), **({reason: 1} if reason else {})})

    async def check(self):
        await self.source.drained()
        while self.sink.in_packet:
            await RisingEdge(self.dut.clk)
        await clocks(self.dut, 60)
        good = [frame for frame, error in self.frames if not cause(frame, error)]
        passed = [packet for packet in self.sink.packets if not packet.error]
        assert [packet.data for packet in passed] == [frame[14:] for frame in good]
        for packet, frame in zip(passed, good, strict=True):
            assert packet.sideband["arp"] == (frame[12:14] == b"\x08\x06")
            assert packet.sideband["broadcast"] == (frame[:6] == BROADCAST)
        # Bad ones that leave are short enough for all buffers, and none is of a foreign frame.
        suspects = [f for f, e in self.frames if cause(f, e) in ("fcs", "runt", "giant")]
        assert len(self.sink.packets) - len(passed) <= len(suspects)
        lanes = parameter("DataWidth") // 8
        assert all(len(packet) <= longest() - 14 + lanes for packet in self.sink.packets)
        assert +self.counts == +self.expected


def some_frame(length: int) -> bytes:
    destination = random.choice([MAC, MAC, MAC, BROADCAST, random.randbytes(6)])
    kind = random.choice([b"\x08\x00", b"\x08\x00", b"\x08\x06", b"\x86\xdd", random.randbytes(2)])
    return (destination + random.randbytes(6) + kind + random.randbytes(max(0, length - 14)))[
        :length
    ]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def strips_and_filters(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    for _ in range(16):
        lengths = [
            random.randint(1, 80),
            random.randint(60, 200),
            longest() + random.randint(-8, 8),
        ]
        length = random.choice(lengths)
        bench.send(some_frame(length), random.random() < 0.1)
    await bench.check()


@cocotb.test()
async def takes_every_length_at_full_rate(dut):
    bench = Bench(dut)
    await bench.start()
    for length in [*range(1, 150), *range(longest() - 70, longest() + 70)]:
        bench.send((MAC + random.randbytes(6) + b"\x08\x00" + random.randbytes(length))[:length])
    await bench.check()
    # One beat a clock, the next frame's header behind the last one's tail.
    assert bench.source.times[-1] - bench.source.times[0] == len(bench.source.times) - 1


@cocotb.test()
async def one_differing_bit_of_the_address_is_another_address(dut):
    bench = Bench(dut)
    await bench.start()
    for bit in range(48):
        for address in (MAC, BROADCAST):
            other = (int.from_bytes(address) ^ 1 << bit).to_bytes(6)
            bench.send(other + bytes(6) + b"\x08\x00" + bytes(46))
    for bit in range(16):
        for kind in (0x0800, 0x0806):
            bench.send(MAC + bytes(6) + (kind ^ 1 << bit).to_bytes(2) + bytes(46))
    await bench.check()


@cocotb.test()
async def a_frame_that_begins_while_disabled_never_was(dut):
    bench = Bench(dut)
    await bench.start()
    dut.enable_i.value = 0
    frame = MAC + bytes(6) + b"\x08\x00" + random.randbytes(600)
    bench.source.send(Packet(frame))
    await clocks(dut, 4)
    dut.enable_i.value = 1
    await bench.source.drained()
    await clocks(dut, 4)
    if parameter("DataWidth") == 64:
        assert not bench.sink.packets and not +bench.counts
    bench.sink.packets.clear()
    bench.counts.clear()
    bench.send(frame)
    await bench.check()


@pytest.mark.parametrize(("width", "mtu"), [(64, 1500), (64, 250), (512, 1500), (512, 242)])
def test_ethernet_receive(width, mtu):
    simulate(
        top="ethernet_receive",
        test_module=__file__,
        parameters={"DataWidth": width, "Mtu": mtu},
        # The packages hold more constants than one block uses.
    )
