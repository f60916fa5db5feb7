# SPDX-License-Identifier: Apache-2.0
"""packet_fifo: whole good packets in order, nothing of bad ones, both answers to overflow."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, StreamSink, clocks, start


class Watch:
    """Counts the pulses and checks packets_o in every clock."""

    def __init__(self, dut):
        self.dut, self.dropped, self.overflowed = dut, 0, 0
        self.ended = self.left = 0
        cocotb.start_soon(self._run())

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value:
                continue
            self.dropped += bool(dut.dropped_o.value)
            self.overflowed += bool(dut.overflow_o.value)
            # The pulses come with the clock in which packets_o would have counted the packet.
            stored = self.ended - self.dropped - self.overflowed
            assert int(dut.packets_o.value) == stored - self.left
            self.ended += bool(dut.s_valid.value and dut.s_ready.value and dut.s_last.value)
            self.left += bool(dut.m_valid.value and dut.m_ready.value and dut.m_last.value)


def lanes() -> int:
    return parameter("DataWidth") // 8


def make_packet(number: int, beats: int, error: bool = False) -> Packet:
    length = random.randint((beats - 1) * lanes() + 1, beats * lanes())
    head = number.to_bytes(4, "big")
    return Packet((head + random.randbytes(length))[: max(length, 4)], error)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "sometimes", "mostly", "bursts"])
async def passes_good_packets_alone(dut, idle, backpressure):
    depth, drops = parameter("Depth"), parameter("DropWhenFull")
    source, sink = PacketSource(dut, pause=idle), PacketSink(dut, pause=backpressure)
    watch = Watch(dut)
    await start(dut)
    longest = depth + 3 if drops else depth + 1
    sent = []
    for number in range(60):
        beats = random.choice([1, 1, 2, 3, random.randint(1, longest)])
        sent.append(make_packet(number, beats, random.random() < 0.2))
        source.send(sent[-1])
    await source.drained()
    await clocks(dut, 2)
    while int(dut.packets_o.value):
        await RisingEdge(dut.clk)
    await clocks(dut, 4)
    assert not sink.in_packet

    bad = [packet for packet in sent if packet.error]
    good = [packet.data for packet in sent if not packet.error]
    received = [packet.data for packet in sink.packets]
    assert watch.dropped == len(bad)
    assert watch.overflowed == len(good) - len(received)
    if drops:
        expected = iter(good)
        assert all(data in expected for data in received), "out of order, or never sent"
        assert received, "everything was lost"
    else:
        assert received == [data for data in good if len(data) <= depth * lanes()]


@cocotb.test()
async def starts_when_all_is_stored_and_does_not_pause(dut):
    source, sink = PacketSource(dut, pause="sometimes"), PacketSink(dut)
    await start(dut)
    ends = []
    for number in range(20):
        packet = make_packet(number, random.randint(1, parameter("Depth") // 2))
        source.send(packet)
        ends.append((ends[-1] if ends else 0) + -(-len(packet) // lanes()))
    await sink.wait_packets(20)
    for index, (start_clock, end_clock) in enumerate(zip(sink.starts, sink.ends, strict=True)):
        stored = source.times[ends[index] - 1]
        assert start_clock >= stored + 3
        beats = ends[index] - (ends[index - 1] if index else 0)
        assert end_clock - start_clock == beats - 1
    assert sink.starts[0] == source.times[ends[0] - 1] + 3


@cocotb.test()
async def fills_to_the_last_beat(dut):
    """Depth beats fit while nothing leaves; what comes then waits or is lost, as it should."""
    depth, drops = parameter("Depth"), parameter("DropWhenFull")
    source = PacketSource(dut)
    dut.m_ready.value = 0
    watch = Watch(dut)
    await start(dut)
    # Two words have left the memory for the output stages.
    packets = [make_packet(n, 1) for n in range(2)]
    packets += [make_packet(2, depth // 2), make_packet(3, depth // 2), make_packet(4, 1)]
    for packet in packets[:2]:
        source.send(packet)
    await clocks(dut, 10)
    for packet in packets[2:]:
        source.send(packet)
    await clocks(dut, 2 * depth + 10)
    assert int(dut.packets_o.value) == 4
    assert watch.overflowed == drops
    assert bool(dut.s_ready.value) == bool(drops)
    sink = PacketSink(dut)
    await sink.wait_packets(4 if drops else 5)
    expected = packets[:4] if drops else packets
    assert [p.data for p in sink.packets] == [p.data for p in expected]


@cocotb.test()
async def survives_a_packet_that_never_fits(dut):
    depth = parameter("Depth")
    source, sink = PacketSource(dut), PacketSink(dut)
    watch = Watch(dut)
    await start(dut)
    for number in range(9):
        # In between: just fits, and bad as well as too long.
        beats = {1: depth + 1, 4: depth, 6: 3 * depth}.get(number, 1)
        source.send(make_packet(number, beats, error=number == 6))
        await source.drained()
        await clocks(dut, depth + 10)
    assert [int.from_bytes(packet.data[:4], "big") for packet in sink.packets] == [
        0, 2, 3, 4, 5, 7, 8,
    ]  # fmt: skip
    assert (watch.overflowed, watch.dropped) == (1, 1)


@cocotb.test()
async def loses_no_clock(dut):
    source, sink = PacketSource(dut), StreamSink(dut, fields=("data", "keep", "last"))
    await start(dut)
    for number in range(40):
        source.send(make_packet(number, 1 + number % 3))
    await source.drained()
    assert source.times[-1] - source.times[0] == len(source.times) - 1
    await sink.wait(len(source.times))


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("drop", [0, 1])
def test_packet_fifo(width, drop):
    simulate(
        top="packet_fifo",
        test_module=__file__,
        parameters={"DataWidth": width, "Depth": 16, "DropWhenFull": drop},
    )
