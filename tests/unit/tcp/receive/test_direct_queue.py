# SPDX-License-Identifier: Apache-2.0
"""direct_queue: what is to go straight does, in order and marked if bad; the rest is gone."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, Packet, PacketSink, PacketSource, clocks, start

INPUTS = dict.fromkeys(
    ("kind_payload_i", "kind_valid_i", "s_go", "s_go_valid", "s_verdict_good", "s_verdict_valid",
     "s_revoke_valid"), 0,
)  # fmt: skip


async def pulse(dut, **values: int) -> None:
    for name, value in values.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk)
    for name in values:
        getattr(dut, name).value = 0


async def decide(dut, go: bool) -> None:
    """As the peek does: only while there is room, and when the one before can be told."""
    while go and not dut.room_o.value:
        await RisingEdge(dut.clk)
    dut.s_go.value = go
    dut.s_go_valid.value = 1
    await RisingEdge(dut.clk)
    while not dut.s_go_ready.value:
        await RisingEdge(dut.clk)
    dut.s_go.value = dut.s_go_valid.value = 0


async def revoke(dut) -> None:
    dut.s_revoke_valid.value = 1
    await RisingEdge(dut.clk)
    while not dut.s_revoke_ready.value:
        await RisingEdge(dut.clk)
    dut.s_revoke_valid.value = 0


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), pause=list(PATTERNS))
async def sorts_packets(dut, idle, pause):
    source, sink = PacketSource(dut, pause=idle), PacketSink(dut, pause=pause)
    await start(dut, **INPUTS)
    largest = parameter("MaxBytes")
    expected = []
    for _ in range(40):
        has_payload, go, good = (random.random() < p for p in (0.9, 0.6, 0.7))
        data = random.randbytes(
            random.choice((1, 8, 70, largest, random.randrange(1, largest + 1)))
        )
        good = good and has_payload
        late = random.randrange(12)
        if random.random() < 0.5:
            await decide(dut, go)
        else:
            late = -1
        if has_payload:
            source.send(Packet(data))
        await pulse(dut, kind_payload_i=has_payload, kind_valid_i=1)
        if late < 0:
            await clocks(dut, random.randrange(20))
            await decide(dut, go)
        if go:
            await clocks(dut, random.choice((0, 3, 40)))
            await pulse(dut, s_verdict_good=good, s_verdict_valid=1)
            expected.append((data if has_payload else None, not good))
        if random.random() < 0.2:
            # Behind what went on before: it has gone when this is served.
            await sink.wait_packets(len(expected))
            await revoke(dut)
            expected.append((None, True))
    await sink.wait_packets(len(expected))
    await clocks(dut, 50)
    assert len(sink.packets) == len(expected)
    for packet, (data, bad) in zip(sink.packets, expected, strict=True):
        assert packet.error == bad
        assert data is None or packet.data == data


@cocotb.test()
async def cuts_through(dut):
    """The first beat comes two clocks behind its own, long before the packet's last; the last waits
    for the verdict."""
    lanes = parameter("DataWidth") // 8
    source, sink = PacketSource(dut), PacketSink(dut)
    await start(dut, **INPUTS)
    await decide(dut, True)
    await pulse(dut, kind_payload_i=1, kind_valid_i=1)
    await clocks(dut, 4)
    source.send(Packet(bytes(12 * lanes)))
    await clocks(dut, 30)
    assert len(sink.times) == 11 and not sink.packets
    assert sink.times[0] - source.times[0] == 2
    await pulse(dut, s_verdict_good=1, s_verdict_valid=1)
    await sink.wait_packets(1)
    assert not sink.packets[0].error


@pytest.mark.parametrize("width", [64, 512])
def test_direct_queue(width):
    simulate(
        top="direct_queue", core="tcp_receive", test_module=__file__,
        parameters={"DataWidth": width, "MaxBytes": 300, "Bytes": 2048},
    )  # fmt: skip
