# SPDX-License-Identifier: Apache-2.0
"""receive_buffer: what is written of segments reaches the right application, in order and once."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.receive_bench import Bench
from support.simulate import parameter, simulate
from support.streams import clocks, start


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], pause=["never", "sometimes", "mostly"],
    grant_pause=["never", "bursts"],
)  # fmt: skip
async def random_commands(dut, idle, pause, grant_pause):
    bench = Bench(dut, idle, pause, grant_pause)
    await start(dut)
    for _ in range(150):
        connection = random.choice(bench.connections)
        action = random.randrange(10)
        if action == 0:
            bench.drop(connection)
        elif action < 6:
            length = random.choice([0, 1, random.randint(0, 20), random.randint(0, 120)])
            length = min(length, bench.room(connection))
            skip = random.choice([0, 0, random.randint(0, 20), random.randint(0, 140)])
            rest = random.choice([0, 0, random.randint(0, 100)])
            if skip + length + rest:
                bench.write(connection, length, skip, rest)
        elif not connection.open and bench.open_offers < 4:
            bench.deliver(connection)
        if len(bench.commands.queue) > 6:
            await clocks(dut, random.randint(1, 60))
    await bench.finish()
    assert sum(len(packet) for packet in bench.packets.packets) > 300


@cocotb.test()
async def wraps_at_every_alignment(dut):
    """Writes that end in each lane behind the ring's end, delivered at once."""
    bench = Bench(dut, grant=lambda length: length)
    await start(dut)
    lanes = parameter("DataWidth") // 8
    connection = bench.connections[-1]
    for number in range(160):
        # A ring and a byte at a time in two parts, so that the place moves on by one.
        for length in (bench.ring_bytes - 2 * lanes + 1, 2 * lanes):
            bench.write(connection, length, number % lanes, number % 3)
            bench.deliver(connection)
            while connection.open:
                await RisingEdge(dut.clk)
    await bench.finish()


@cocotb.test()
async def an_offer_waits_for_the_writes_before_it_alone(dut):
    """Bytes are complete when the query comes; later writes and queries wait for no answer."""
    bench = Bench(dut, grant=lambda length: length)
    bench.grants.pause = iter(lambda: True, None)
    await start(dut)
    first, second = bench.connections[:2]
    bench.write(first, 100, 3, 0)
    bench.deliver(first)
    bench.write(first, 50, 0, 0)
    bench.write(second, 10, 0, 0)
    bench.deliver(second)
    for _ in range(4):
        bench.write(second, 40, 1, 1)
    await bench.commands.drained()
    await bench.payloads.drained()
    assert len(bench.queries.transfers) == 2
    bench.grants.pause = iter(lambda: False, None)
    await bench.finish()


@cocotb.test()
async def data_goes_on_though_nobody_takes_reports(dut):
    """Reports may wait for what needs the data itself: a segment that is sent while it comes."""
    bench = Bench(dut, grant=lambda length: length)
    bench.delivered.pause = iter(lambda: True, None)
    await start(dut)
    connections = bench.connections[:4]
    for connection in connections:
        bench.write(connection, 50, 0, 0)
        bench.deliver(connection)
    await clocks(dut, 300)
    assert len(bench.packets.packets) == len(connections) and not bench.delivered.transfers
    bench.delivered.pause = iter(lambda: False, None)
    await bench.finish()


@cocotb.test()
async def latency_and_throughput(dut):
    lanes = parameter("DataWidth") // 8
    wide = parameter("DataWidth") >= 256
    bench = Bench(dut, grant=lambda length: length)
    bench.queries.pause = bench.packets.pause = iter(lambda: False, None)
    await start(dut)
    connection = bench.connections[0]
    connection.read = connection.next = 0
    bench.write(connection, 2 * lanes, 0, 0)
    await bench.payloads.drained()
    await clocks(dut, 20)
    bench.deliver(connection)
    await bench.finish()
    assert bench.queries.times[-1] - bench.commands.times[-1] == 2
    assert bench.packets.starts[-1] - bench.grants.times[-1] == 7 + wide
    assert bench.delivered.times[-1] - bench.packets.ends[-1] == 1

    # Payload comes in at a beat a clock, and goes out as fast.
    before = len(bench.payloads.times)
    for _ in range(4):
        bench.write(connection, 2 * lanes, 0, 0)
    bench.deliver(connection)
    await bench.finish()
    times = bench.payloads.times[before:]
    assert times[-1] - times[0] + 1 == 4 * 2
    times = bench.packets.times[-8:]
    assert times[-1] - times[0] + 1 == 8


@pytest.mark.parametrize("data_width", [64, 512])
def test_receive_buffer(data_width):
    simulate(
        top="receive_buffer",
        core="tcp_receive",
        test_module=__file__,
        parameters={
            "DataWidth": data_width,
            "Connections": 4,
            "RingBytes": max(256, data_width),
        },
    )
