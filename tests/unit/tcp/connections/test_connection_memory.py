# SPDX-License-Identifier: Apache-2.0
"""connection_memory: cleared after every reset, then a memory with one or two clocks of latency in
one word for each connection, or with four in two."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import clocks, start


async def read(dut, identity: int) -> int:
    dut.read_id_i.value, dut.read_enable_i.value = identity, 1
    await RisingEdge(dut.clk)
    dut.read_enable_i.value = 0
    dut.read_id_i.value = random.randrange(parameter("Connections"))
    await clocks(dut, parameter("ReadLatency"))
    return int(dut.read_connection_o.value)


async def begin(dut):
    """Reset; while the memory is cleared, what is on the write port must not matter."""
    connections = parameter("Connections")
    await start(dut, read_enable_i=0, write_enable_i=0)
    waited = 0
    words = connections * (1 + parameter("Narrow"))
    while not dut.init_done_o.value:
        dut.write_connection_i.value = random.getrandbits(len(dut.write_connection_i))
        dut.write_id_i.value = random.randrange(connections)
        await RisingEdge(dut.clk)
        waited += 1
        assert waited <= words + 4
    assert waited >= words - 2


@cocotb.test()
async def is_cleared_by_each_reset(dut):
    connections = parameter("Connections")
    for _ in range(2):
        await begin(dut)
        for identity in range(connections):
            assert await read(dut, identity) == 0
        for identity in range(connections):
            dut.write_id_i.value, dut.write_enable_i.value = identity, 1
            dut.write_connection_i.value = random.getrandbits(len(dut.write_connection_i)) | 1
            await RisingEdge(dut.clk)
            if parameter("Narrow"):
                dut.write_enable_i.value = 0
                await RisingEdge(dut.clk)
        dut.write_enable_i.value = 0
        dut.rst.value = 1
        await clocks(dut, 2)


@cocotb.test(skip=parameter("Narrow", 0))
async def agrees_with_a_list(dut):
    """A read and a write in most clocks, not both of one id; what was read stays."""
    connections, width = parameter("Connections"), len(dut.write_connection_i)
    await begin(dut)
    content = [0] * connections
    in_flight: list[int | None] = [None] * parameter("ReadLatency")  # by age
    shown = None
    for _ in range(3000):
        reading, writing = random.random() < 0.7, random.random() < 0.7
        read_id, write_id = random.sample(range(connections), 2)
        value = random.getrandbits(width)
        dut.read_enable_i.value, dut.read_id_i.value = reading, read_id
        dut.write_enable_i.value, dut.write_id_i.value = writing, write_id
        dut.write_connection_i.value = value
        await RisingEdge(dut.clk)
        arrived = in_flight.pop()
        shown = shown if arrived is None else arrived
        if shown is not None:
            assert int(dut.read_connection_o.value) == shown
        in_flight.insert(0, content[read_id] if reading else None)
        if writing:
            content[write_id] = value


@cocotb.test(skip=not parameter("Narrow", 0))
async def halves_agree_with_a_list(dut):
    """As close as they may follow each other: a read of what was written a clock ago, and a write a
    clock behind a read. A write's data are there in the two clocks after it alone."""
    connections, width = parameter("Connections"), len(dut.write_connection_i)
    await begin(dut)
    content = [0] * connections
    last_read = last_write = -2
    written = read_last = seen = 0
    due: list[tuple[int, int]] = []  # clocks of reads and what they are to give
    for clock in range(5000):
        reading = clock - last_read >= 2 and random.random() < 0.7
        writing, write_id = (
            clock - last_write >= 2 and random.random() < 0.7,
            random.randrange(connections),
        )
        read_id = random.randrange(connections)
        if reading and writing and read_id == write_id:
            reading = False  # it would be read in the clock in which it is written
        if reading and clock - last_write == 1 and random.random() < 0.5:
            read_id = written
        elif writing and clock - last_read == 1 and random.random() < 0.5:
            write_id = read_last
        dut.read_enable_i.value, dut.read_id_i.value = reading, read_id
        dut.write_enable_i.value, dut.write_id_i.value = writing, write_id
        dut.write_connection_i.value = (
            content[written] if clock - last_write in (1, 2) else random.getrandbits(width)
        )
        if writing:
            last_write, written = clock, write_id
            content[write_id] = random.getrandbits(width)
        if reading:
            last_read, read_last = clock, read_id
            due.append((clock, content[read_id]))
        await RisingEdge(dut.clk)
        if len(due) > 1 and clock - due[1][0] >= 3:
            if clock - due[1][0] == 3:
                continue  # half of it is the next one's
            due.pop(0)
        if due and clock - due[0][0] >= 4:
            assert int(dut.read_connection_o.value) == due[0][1]
            seen += 1
    assert seen > 500


@pytest.mark.parametrize(
    "connections, latency, narrow", [(4, 2, 0), (64, 2, 0), (64, 1, 0), (4, 4, 1), (64, 4, 1)]
)
def test_connection_memory(connections, latency, narrow):
    simulate(
        top="connection_memory",
        test_module=__file__,
        core="connections",
        parameters={"Connections": connections, "ReadLatency": latency, "Narrow": narrow},
    )
