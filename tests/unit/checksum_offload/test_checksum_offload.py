# SPDX-License-Identifier: Apache-2.0
"""checksum_offload on buses that pause, against a reference in Python: registers, ring, errors.

Lengths and alignments are swept by test_sweep.py.
"""

import itertools
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiSlave, MemoryRegion

from support.extent import FULL
from support.simulate import parameter, simulate
from support.streams import PATTERNS, pattern, start
from toehold.checksum_offload_map import REGISTERS

MEMORY = 128 * 1024
READY, BUS_ERROR, LENGTH_ERROR = 1 << 31, 1 << 30, 1 << 29
RING_ERROR = 1 << 4


def reference(data: bytes, seed: int = 0) -> int:
    """RFC 1071: the ones' complement of the ones' complement sum."""
    data += b"\0" * (len(data) % 2)
    total = seed + sum(data[0::2]) * 256 + sum(data[1::2])
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


class Memory(MemoryRegion):
    """Memory with addresses at which reads and writes fail."""

    def __init__(self):
        super().__init__(MEMORY)
        self.failing: set[int] = set()

    def _judge(self, address, length):
        if any(address <= bad < address + length for bad in self.failing):
            raise ValueError("fails on purpose")

    async def _read(self, address, length, **kwargs):
        self._judge(address, length)
        return await super()._read(address, length, **kwargs)

    async def _write(self, address, data, **kwargs):
        self._judge(address, len(data))
        return await super()._write(address, data, **kwargs)


class Bench:
    def __init__(self, dut, pause=None):
        self.dut = dut
        self.memory = Memory()
        self.slave = AxiSlave(
            AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=self.memory
        )
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        for part in (self.slave, self.bus):
            writes, reads = part.write_if, part.read_if
            for channel in (
                writes.aw_channel, writes.w_channel, writes.b_channel,
                reads.ar_channel, reads.r_channel,
            ):  # fmt: skip
                channel.set_pause_generator(pattern(pause))

    async def reset(self):
        await start(self.dut)

    async def write(self, name, value):
        await self.bus.write_dword(REGISTERS[name][0], value)

    async def read(self, name):
        return await self.bus.read_dword(REGISTERS[name][0])

    async def begin(self, address, length, seed=0):
        await self.write("address", address)
        await self.write("byte_count", length)
        await self.write("seed", seed)
        await self.write("control", 1)

    async def result(self):
        for _ in range(20_000):
            value = await self.read("result")
            if value & READY:
                return value
        raise AssertionError("no result")

    def put(self, address, data):
        self.memory.mem[address : address + len(data)] = data

    def word(self, address):
        return int.from_bytes(self.memory.mem[address : address + 4], "little")

    def describe(self, address, data_address, length, seed=0):
        """Fill the descriptor at `address`."""
        self.put(
            address,
            data_address.to_bytes(4, "little")
            + length.to_bytes(2, "little")
            + seed.to_bytes(2, "little")
            + bytes(4)
            + b"free",
        )

    async def open_ring(self, base, entries):
        await self.write("ring_base", base)
        await self.write("ring_produced", 0)
        await self.write("ring_control", entries - 1 << 16 | 1)

    async def completed(self, count):
        for _ in range(20_000):
            if await self.read("ring_completed") == count:
                return
        raise AssertionError("the ring stands still")


@cocotb.test()
@cocotb.parametrize(pause=list(PATTERNS))
async def sums(dut, pause):
    bench = Bench(dut, pause)
    await bench.reset()
    for _ in range(25):
        length = random.choice([1, 2, random.randint(1, 200), random.randint(1, 3000)])
        address = random.randrange(MEMORY - length)
        data = random.choice([random.randbytes(length), b"\xff" * length, bytes(length)])
        seed = random.choice([0, 0xFFFF, random.getrandbits(16)])
        bench.put(address, data)
        await bench.begin(address, length, seed)
        assert await bench.result() == READY | reference(data, seed)
        assert await bench.read("status") == 1


@cocotb.test()
async def sums_the_longest(dut):
    bench = Bench(dut)
    await bench.reset()
    for address, data in ((63, b"\xff" * 65535), (4097, random.randbytes(65535))):
        bench.put(address, data)
        await bench.begin(address, len(data), 0xFFFF)
        assert await bench.result() == READY | reference(data, 0xFFFF)


@cocotb.test()
async def a_right_checksum_gives_zero(dut):
    """What a receiver does: data that holds its checksum sums to all ones."""
    bench = Bench(dut)
    await bench.reset()
    data = bytearray(random.randbytes(120))
    data[16:18] = bytes(2)
    data[16:18] = reference(bytes(data), 0x1234).to_bytes(2, "big")
    bench.put(0x301, bytes(data))
    await bench.begin(0x301, len(data), 0x1234)
    assert await bench.result() == READY


@cocotb.test()
async def follows_the_published_protocol(dut):
    """0, then 1 in the control register; ready in the status register; then the result (S5.1)."""
    bench = Bench(dut)
    await bench.reset()
    data = random.randbytes(77)
    bench.put(0x1003, data)
    await bench.write("address", 0x1003)
    await bench.write("byte_count", 77)
    await bench.write("control", 0)
    await bench.write("control", 1)
    while not await bench.read("status") & 1:
        pass
    assert await bench.read("result") & 0xFFFF == reference(data)


@cocotb.test()
async def errors_are_flagged(dut):
    bench = Bench(dut)
    await bench.reset()
    bench.put(0, random.randbytes(4096))
    await bench.begin(0x100, 0)
    assert await bench.result() == READY | LENGTH_ERROR | 0xFFFF
    assert await bench.read("status") == 0b00101
    for bad in (0x205, 0x205 + 299, 0x205 + 150):
        bench.memory.failing = {bad}
        await bench.begin(0x205, 300)
        assert await bench.result() == READY | BUS_ERROR | 0xFFFF
        assert await bench.read("status") == 0b01001
    # Neither outlives the next one.
    bench.memory.failing.clear()
    await bench.begin(0x205, 300)
    assert await bench.result() == READY | reference(bytes(bench.memory.mem[0x205 : 0x205 + 300]))
    assert await bench.read("status") == 1


@cocotb.test()
async def a_start_while_busy_waits(dut):
    """It is not lost, hides the result before it, and takes the registers when its turn comes."""
    bench = Bench(dut)
    await bench.reset()
    first, second = random.randbytes(2000), random.randbytes(500)
    bench.put(0x1000, first)
    bench.put(0x4001, second)
    await bench.begin(0x1000, 2000)
    await bench.begin(0x4001, 500, seed=9)
    assert await bench.read("status") == 0b10  # busy, not ready
    assert not await bench.read("result") & READY
    assert await bench.read("control") == 1  # the second one waits
    assert await bench.result() == READY | reference(second, 9)
    assert await bench.read("control") == 0
    # Writing 0 takes nothing back.
    await bench.begin(0x1000, 2000)
    await bench.begin(0x4001, 500)
    await bench.write("control", 0)
    assert await bench.result() == READY | reference(second)


@cocotb.test()
async def interrupts(dut):
    bench = Bench(dut)
    await bench.reset()
    bench.put(0x40, b"interrupt")
    await bench.begin(0x40, 9)
    await bench.result()
    await ClockCycles(dut.clk, 3)
    assert not dut.irq_o.value
    await bench.write("interrupt_pending", 1)
    await bench.write("interrupt_enable", 1)
    for _ in range(3):
        assert not dut.irq_o.value
        await bench.begin(0x40, 9)
        for _ in range(100):
            if dut.irq_o.value:
                break
            await RisingEdge(dut.clk)
        assert await bench.read("result") == READY | reference(b"interrupt")
        assert await bench.read("interrupt_pending") == 1
        await bench.write("interrupt_pending", 1)
        await ClockCycles(dut.clk, 3)


@cocotb.test()
@cocotb.parametrize(pause=list(PATTERNS))
async def batches(dut, pause):
    bench = Bench(dut, pause)
    await bench.reset()
    entries, base = 8, 0x8000
    await bench.write("interrupt_enable", 2)
    await bench.open_ring(base, entries)
    produced = 0
    for _ in range(6):
        expected = []
        for _ in range(random.randint(1, entries)):
            length = random.choice([0, 1, random.randint(1, 64), random.randint(1, 600)])
            address, seed = random.randrange(0x7000), random.getrandbits(16)
            data = random.randbytes(length)
            where = 0x10000 + len(expected) * 1024 + address % 64
            bench.put(where, data)
            descriptor = base + produced % entries * 16
            bench.describe(descriptor, where, length, seed)
            word = READY | (reference(data, seed) if length else LENGTH_ERROR | 0xFFFF)
            expected.append((descriptor, word))
            produced += 1
        await bench.write("ring_produced", produced)
        await bench.completed(produced)
        for descriptor, word in expected:
            assert bench.word(descriptor + 8) == word
            assert bytes(bench.memory.mem[descriptor + 12 : descriptor + 16]) == b"free"
        await ClockCycles(dut.clk, 4)
        assert dut.irq_o.value
        await bench.write("interrupt_pending", 2)
        await ClockCycles(dut.clk, 4)
        assert not dut.irq_o.value
    assert await bench.read("status") & RING_ERROR == 0


@cocotb.test()
async def errors_of_the_ring(dut):
    bench = Bench(dut)
    await bench.reset()
    data = random.randbytes(200)
    bench.put(0x1000, data)
    base, good = 0x4000, READY | reference(data)
    await bench.open_ring(base, 4)
    for i in range(3):
        bench.describe(base + 16 * i, 0x1000, 200)
    bench.memory.failing = {0x1000 + 199}
    await bench.write("ring_produced", 1)
    await bench.completed(1)
    assert bench.word(base + 8) == READY | BUS_ERROR | 0xFFFF
    assert not await bench.read("status") & RING_ERROR  # the ring itself is well
    # A descriptor that cannot be read; the ones behind it are worked off.
    bench.memory.failing = {base + 16}
    await bench.write("ring_produced", 2)
    await bench.completed(2)
    assert await bench.read("status") & RING_ERROR
    bench.memory.failing.clear()
    await bench.write("ring_produced", 3)
    await bench.completed(3)
    assert bench.word(base + 32 + 8) == good
    # Disabling begins anew.
    await bench.write("ring_control", 0)
    await bench.completed(0)
    assert not await bench.read("status") & RING_ERROR
    bench.describe(base, 0x1000, 200)
    await bench.open_ring(base, 4)
    await bench.write("ring_produced", 1)
    await bench.completed(1)
    assert bench.word(base + 8) == good


@cocotb.test()
async def predicted_clocks(dut):
    """busy_o lasts as long as the contract says, with memory of a fixed latency."""
    bench = Bench(dut)
    await bench.reset()
    times = {}
    for beats in (1, 9, 17, 25):
        await bench.begin(0, beats * parameter("DataWidth") // 8)
        times[beats] = 0
        while dut.busy_o.value:
            times[beats] += 1
            await RisingEdge(dut.clk)
        await bench.result()
    # begin() returns when the write was answered, some clocks after the start: differences count.
    values = list(times.values())
    assert [b - a for a, b in itertools.pairwise(values)] == [8, 8, 8], times


WIDTHS = [64, 128, 256, 512] if FULL else [64, 512]


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_offload(width):
    simulate(top="checksum_offload", test_module=__file__, parameters={"DataWidth": width})


@pytest.mark.skipif(len(WIDTHS) == 2, reason="a netlist takes a minute or more: TOEHOLD_FULL=1")
def test_netlist_for_ecp5():
    """Cell by cell it does the same, also with registers that start at random."""
    simulate(
        top="checksum_offload",
        test_module=__file__,
        parameters={"DataWidth": 64},
        as_netlist=True,
    )
