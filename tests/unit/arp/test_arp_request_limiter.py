# SPDX-License-Identifier: Apache-2.0
"""arp_request_limiter: asks once in 100 ms for each address, and not for too many."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import simulate
from support.streams import StreamSink, clocks, start


async def ask(dut, ip: int, settle: int = 4):
    dut.ask_i.value, dut.ask_ip_i.value = 1, ip
    await RisingEdge(dut.clk)
    dut.ask_i.value, dut.ask_ip_i.value = 0, random.getrandbits(32)
    await clocks(dut, settle)


def asked(sink: StreamSink) -> list[int]:
    return [transfer["ip"] for transfer in sink.transfers]


@cocotb.test()
@cocotb.parametrize(start_us=[0, 2**32 - 50_000, 2**26 - 3])
async def each_address_once_in_an_interval(dut, start_us):
    sink = StreamSink(dut, "m_request", fields={"ip": "m_request"}, pause=0.3)
    await start(dut, now_us=start_us, ask_i=0, ask_ip_i=0)
    for _ in range(5):
        await ask(dut, 7)
    await ask(dut, 8)
    await clocks(dut, 20)
    assert asked(sink) == [7, 8]
    dut.now_us.value = (start_us + 98_000) % 2**32
    await clocks(dut, 4)
    await ask(dut, 7)
    await clocks(dut, 20)
    assert asked(sink) == [7, 8]
    dut.now_us.value = (start_us + 102_000) % 2**32
    await clocks(dut, 4)
    await ask(dut, 7, 20)
    await ask(dut, 8, 20)
    await ask(dut, 7, 20)
    assert asked(sink) == [7, 8, 7, 8]


@cocotb.test()
async def four_in_an_interval(dut):
    sink = StreamSink(dut, "m_request", fields={"ip": "m_request"})
    await start(dut, now_us=1000, ask_i=0, ask_ip_i=0)
    for ip in range(100, 120):
        await ask(dut, ip)
    assert asked(sink) == [100, 101, 102, 103]
    dut.now_us.value = 150_000
    await clocks(dut, 4)
    for ip in range(100, 120):
        await ask(dut, ip)
    assert asked(sink) == [100, 101, 102, 103] * 2


@cocotb.test()
async def questions_back_to_back(dut):
    """Never the same address twice, whatever comes in on consecutive clocks."""
    sink = StreamSink(dut, "m_request", fields={"ip": "m_request"}, pause=0.5)
    await start(dut, now_us=1000, ask_i=0, ask_ip_i=0)
    for _ in range(300):
        dut.ask_i.value, dut.ask_ip_i.value = random.random() < 0.7, random.choice([1, 2, 3])
        await RisingEdge(dut.clk)
    dut.ask_i.value = 0
    await clocks(dut, 20)
    assert sorted(asked(sink)) == [1, 2, 3]


def test_arp_request_limiter():
    simulate(
        top="arp_request_limiter",
        test_module=__file__,
        # The packages hold more constants than one block uses.
    )
