# SPDX-License-Identifier: Apache-2.0
"""payload_reorder: each tag asked for gives its packet, in whatever order, and nothing locks up."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import (
    PATTERNS,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    start,
)


class Bench:
    """Segments and packets come in order; what passes the gate asks for its packet in another."""

    def __init__(self, dut, idle=None, pause=None, queued=2, delay=0):
        self.dut, self.queued, self.delay = dut, queued, delay
        self.lanes = parameter("DataWidth") // 8
        self.packet_bytes = parameter("PacketBeats") * self.lanes
        self.slots = parameter("Packets")
        self.segments = StreamSource(dut, "s_segment", ("payload",), pause=idle)
        self.passed = StreamSink(dut, "m_segment", ("tag",), pause=idle)
        self.source = PacketSource(dut, "s", pause=idle)
        self.tags = StreamSource(dut, "s_tag", {"tag": "s_tag"}, pause=pause)
        self.sink = PacketSink(dut, "m", pause=pause)
        self.sent: list[bytes] = []  # packets, by number
        self.with_payload: list[bool] = []
        self.asked: list[int] = []  # numbers of packets, as their tags were asked for
        cocotb.start_soon(self._answer())

    def send(self, length: int) -> None:
        """One segment, and its packet if it has one."""
        self.segments.send(payload=int(length > 0))
        self.with_payload.append(length > 0)
        if length:
            self.sent.append(random.randbytes(length))
            self.source.send(self.sent[-1])

    async def _answer(self):
        """What passed waits its time and asks in any order."""
        seen = number = clock = 0
        waiting: list[tuple[int, int, int]] = []  # from when on, number, tag
        while True:
            await RisingEdge(self.dut.clk)
            clock += 1
            for transfer in self.passed.transfers[seen:]:
                if self.with_payload[seen]:
                    assert transfer["tag"] == number % (2 * self.slots)
                    waiting.append((clock + random.randint(0, self.delay), number, transfer["tag"]))
                    number += 1
                seen += 1
            ready = [entry for entry in waiting if entry[0] <= clock]
            if ready and len(self.tags.queue) < self.queued:
                entry = random.choice(ready)
                waiting.remove(entry)
                self.asked.append(entry[1])
                self.tags.send(tag=entry[2])

    async def finish(self):
        await self.sink.wait_packets(len(self.sent))
        await clocks(self.dut, 30 + self.slots)
        assert len(self.passed.transfers) == len(self.with_payload)
        assert sorted(self.asked) == list(range(len(self.sent)))
        got = [packet.data for packet in self.sink.packets]
        assert got == [self.sent[number] for number in self.asked]
        assert self.dut.head_q.value == self.dut.arrived_q.value, "the ring is empty in the end"
        assert self.dut.free_q.value == self.dut.write_q.value

    def random_length(self) -> int:
        return random.choice([
            0, 0, 1, random.randint(1, self.lanes), random.randint(1, self.packet_bytes),
            self.packet_bytes,
        ])  # fmt: skip


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], pause=list(PATTERNS), delay=[0, 30, 400],
)  # fmt: skip
async def any_order(dut, idle, pause, delay):
    bench = Bench(dut, idle, pause, delay=delay)
    await start(dut, limit=50_000)
    for _ in range(150):
        bench.send(bench.random_length())
    await bench.finish()
    if delay:
        assert bench.asked != sorted(bench.asked), "the test does not do what it is for"


@cocotb.test()
async def in_order_it_is_a_fifo(dut):
    bench = Bench(dut)
    await start(dut, limit=50_000)
    for _ in range(4 * bench.slots):
        bench.send(random.randint(1, 3 * bench.lanes))
    await bench.finish()


@cocotb.test()
async def the_last_comes_first_with_a_full_ring(dut):
    """All places taken, by the smallest and the largest packets; the newest is asked for first."""
    bench = Bench(dut, queued=1000)
    await start(dut, limit=50_000)
    for length in (1, bench.packet_bytes):
        for _ in range(4):
            bench.tags.pause = iter(lambda: True, None)
            before = len(bench.asked)
            for _ in range(2 * bench.slots):
                bench.send(length)
            # What fits is in, nothing leaves.
            await clocks(dut, 2 * bench.slots * (bench.packet_bytes // bench.lanes))
            held = len(bench.asked) - before
            if length == 1:
                assert held == bench.slots
            else:
                assert held >= parameter("Depth") // parameter("PacketBeats") - 1
            # The tags are still in the source: turn them round.
            values = list(bench.tags.queue)[::-1]
            bench.tags.queue.clear()
            bench.tags.queue.extend(values)
            bench.asked[before:] = bench.asked[before:][::-1]
            bench.tags.pause = iter(lambda: False, None)
            await bench.sink.wait_packets(len(bench.sent))
    await bench.finish()


@cocotb.test()
async def a_segment_waits_for_its_place(dut):
    """Segments are far ahead of their packets: those alone pass whose packet can come in."""
    bench = Bench(dut)
    bench.source.pause = iter(lambda: True, None)
    await start(dut, limit=50_000)
    for _ in range(6):
        bench.send(40)
    await clocks(dut, 50)
    assert len(bench.passed.transfers) == 1
    bench.source.pause = iter(lambda: False, None)
    await bench.finish()


@cocotb.test()
async def latency_and_throughput(dut):
    bench = Bench(dut, queued=1000)
    bench.passed.pause = bench.sink.pause = iter(lambda: False, None)
    await start(dut, limit=50_000)
    await clocks(dut, 5)
    # A packet that is asked for leaves while it comes in.
    bench.send(bench.packet_bytes)
    await bench.finish()
    assert bench.sink.starts[-1] - max(bench.source.times[0], bench.tags.times[-1]) == 3
    assert bench.sink.ends[-1] - bench.source.times[-1] <= 6

    # Packets of one and of two beats in another order, back to back.
    for beats in (1, 2):
        before = len(bench.sent)
        bench.tags.pause = iter(lambda: True, None)
        for _ in range(bench.slots):
            bench.send(beats * bench.lanes)
        await bench.source.drained()
        await clocks(dut, 30)
        times = bench.source.times[-beats * bench.slots :]
        assert times[-1] - times[0] + 1 == beats * bench.slots
        values = list(bench.tags.queue)
        order = list(range(len(values)))
        random.shuffle(order)
        bench.tags.queue.clear()
        bench.tags.queue.extend(values[i] for i in order)
        start_at = len(bench.asked) - len(values)
        bench.asked[start_at:] = [bench.asked[start_at:][i] for i in order]
        bench.tags.pause = iter(lambda: False, None)
        await bench.sink.wait_packets(before + bench.slots)
        times = bench.sink.times[-beats * (bench.slots - 2) :]
        assert times[-1] - times[0] + 1 == len(times)
    await bench.finish()


@pytest.mark.parametrize(
    "data_width, packets, depth, packet_beats",
    [(64, 64, 512, 30), (64, 4, 32, 16), (512, 16, 128, 24)],
    ids=["64", "tiny", "512"],
)  # fmt: skip
def test_payload_reorder(data_width, packets, depth, packet_beats):
    simulate(
        top="payload_reorder",
        core="tcp_receive",
        test_module=__file__,
        parameters={
            "DataWidth": data_width,
            "Packets": packets,
            "Depth": depth,
            "PacketBeats": packet_beats,
        },
    )
