# SPDX-License-Identifier: Apache-2.0
"""stream_insert: each stream in order, turns while both ask, no clock lost by the quick one."""

import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from support.simulate import simulate
from support.streams import PATTERNS, StreamSink, StreamSource, start

RARE = 1 << 31  # marks transfers of the rare stream


def numbered(count: int, mark: int = 0) -> list[int]:
    return [mark | number << 16 | random.getrandbits(16) for number in range(count)]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), rare_idle=list(PATTERNS), backpressure=list(PATTERNS))
async def keeps_the_order_of_each(dut, idle, rare_idle, backpressure):
    source, rare = StreamSource(dut, pause=idle), StreamSource(dut, "s_rare", pause=rare_idle)
    sink = StreamSink(dut, pause=backpressure)
    await start(dut)
    sent = numbered(60), numbered(60, RARE)
    for stream, values in zip((source, rare), sent, strict=True):
        for value in values:
            stream.send(data=value)
    await sink.wait(120)
    got = [transfer["data"] for transfer in sink.transfers]
    assert [value for value in got if not value & RARE] == sent[0]
    assert [value for value in got if value & RARE] == sent[1]


@cocotb.test()
async def loses_no_clock_alone(dut):
    source, sink = StreamSource(dut), StreamSink(dut)
    await start(dut)
    for value in numbered(100):
        source.send(data=value)
    await sink.wait(100)
    assert sink.times == source.times
    assert sink.times[-1] - sink.times[0] == 99


@cocotb.test()
async def takes_turns_while_both_ask(dut):
    source, rare, sink = StreamSource(dut), StreamSource(dut, "s_rare"), StreamSink(dut)
    await start(dut)
    for value in numbered(50):
        source.send(data=value)
    for value in numbered(50, RARE):
        rare.send(data=value)
    await sink.wait(100)
    kinds = [transfer["data"] & RARE for transfer in sink.transfers]
    assert all(one != other for one, other in zip(kinds, kinds[1:]))
    assert sink.times[-1] - sink.times[0] == 99


@cocotb.test()
async def is_ready_whoever_asks(dut):
    """Neither valid moves a ready between two clock edges."""
    await start(dut, s_valid=0, s_data=0, s_rare_valid=0, s_rare_data=0, m_ready=1)
    for _ in range(50):
        await RisingEdge(dut.clk)
        await Timer(1, "ns")
        ready = set()
        # An offer that is not taken has to stay, so the last one is: neither asks.
        for valid in (1, 2, 3, 0):
            dut.s_valid.value, dut.s_rare_valid.value = valid & 1, valid >> 1
            await Timer(1, "ns")
            ready.add((int(dut.s_ready.value), int(dut.s_rare_ready.value)))
        assert ready == {(1, 0)}


def test_stream_insert():
    simulate(top="stream_insert", core="stream", test_module=__file__)
