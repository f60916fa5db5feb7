# SPDX-License-Identifier: Apache-2.0
"""ring_memory_axi in front of a slow memory: every request sees what was written before it, words
come in the order of their requests, bursts are long and stay within their blocks."""

import random
from collections import deque
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from support.packed import unpack
from support.simulate import parameter, simulate
from support.streams import StreamMonitor, StreamSource, start

BURST = {"address": 40, "length": 8}
BASE = 0x4000_0000
BLOCK = 256
RING_BYTES = 65536
WORDS = 2000  # written, and about as many read
WRITES = 32  # slots for bursts under way


class Memory:
    """Takes bursts; reads and writes each in order, and at any time to each other."""

    def __init__(self, dut, pause: float, latency: int) -> None:
        self.dut, self.pause, self.latency = dut, pause, latency
        self.lanes = parameter("DataWidth") // 8
        self.words: dict[int, int] = {}
        self.reads: deque = deque()  # words to be read, by address
        self.writes: deque = deque()  # [words left, address] of bursts
        self.done: deque = deque()  # clock at which a burst to write is done
        self.data: deque = deque()  # (address, data, strobe) that become visible with their burst
        self.read_bursts = self.write_bursts = 0
        self.clock = 0
        cocotb.start_soon(self._run())

    def _burst(self, word: int) -> tuple[int, int]:
        burst = unpack(BURST, word)
        address, count = burst["address"] - BASE, burst["length"] + 1
        assert address % self.lanes == 0
        assert address // BLOCK == (address + count * self.lanes - 1) // BLOCK
        return address // self.lanes, count

    def _write(self, address: int, data: int, strobe: int) -> None:
        mask = sum(0xFF << 8 * i for i in range(self.lanes) if strobe >> i & 1)
        self.words[address] = self.words.get(address, 0) & ~mask | data & mask

    async def _run(self) -> None:
        dut = self.dut
        while True:
            self.clock += 1
            ready = {
                name: random.random() >= self.pause
                for name in ("read_burst_ready", "write_burst_ready", "write_ready")
            }
            for name, value in ready.items():
                getattr(dut, f"m_{name}").value = value
            reads = self.reads and self.reads[0][0] <= self.clock and random.random() >= self.pause
            dut.s_read_valid.value = bool(reads)
            if reads:
                dut.s_read_data.value = self.words.get(self.reads.popleft()[1], 0)
            written = self.done and self.done[0] <= self.clock and random.random() >= self.pause
            dut.s_written_i.value = bool(written)
            if written:
                self.done.popleft()
                while True:
                    address, data, strobe, last = self.data.popleft()
                    self._write(address, data, strobe)
                    if last:
                        break
            await RisingEdge(dut.clk)
            if ready["read_burst_ready"] and dut.m_read_burst_valid.value:
                address, count = self._burst(int(dut.m_read_burst.value))
                due = self.clock + random.randrange(1, self.latency)
                self.reads.extend((due, address + i) for i in range(count))
                self.read_bursts += 1
            if ready["write_ready"] and dut.m_write_valid.value:
                left, address = self.writes[0]
                last = left == 1
                assert dut.m_write_last.value == last
                self.data.append(
                    (address, int(dut.m_write_data.value), int(dut.m_write_strobe.value), last)
                )
                if last:
                    self.writes.popleft()
                    self.done.append(self.clock + random.randrange(1, 2 * self.latency))
                else:
                    self.writes[0] = [left - 1, address + 1]
            if ready["write_burst_ready"] and dut.m_write_burst_valid.value:
                address, count = self._burst(int(dut.m_write_burst.value))
                self.writes.append([count, address])
                self.write_bursts += 1


class User:
    """Writes packets and reads them soon after, and never writes what is still to be read."""

    def __init__(self, dut, pause: float) -> None:
        self.dut, self.pause = dut, pause
        self.lanes = parameter("DataWidth") // 8
        self.space = 1 << parameter("AddressWidth")
        self.words: dict[int, int] = {}
        self.expected: deque = deque()  # (address, word) asked for
        self.to_read: deque = deque()
        self.to_write: deque = deque()
        self.request: int | None = None  # on offer
        self.written = self.asked = self.answered = self.runs = 0
        cocotb.start_soon(self._run())

    def _packet(self) -> None:
        """A run of words, the first and the last in part, at a random place."""
        count = random.choice([1, 1, 2, 3, random.randrange(1, 40), 100])
        first = random.randrange(self.space)
        busy = {address for address, _ in self.expected} | {*self.to_read, self.request}
        run = [(first + i) % self.space for i in range(count)]
        if busy & set(run):
            return
        starts = {address for address in run if address % (BLOCK // self.lanes) == 0}
        self.runs += len(starts | {first})
        whole = (1 << self.lanes) - 1
        for i, address in enumerate(run):
            strobe = random.randrange(1, whole + 1) if i in (0, count - 1) else whole
            self.to_write.append((address, random.getrandbits(8 * self.lanes), strobe))
        self.to_write.append(run)  # may be read once all is written

    async def _run(self) -> None:
        dut = self.dut
        write = request = None
        while True:
            self.request = request
            if not self.to_write and self.written < WORDS:
                self._packet()
            while self.to_write and isinstance(self.to_write[0], list) and write is None:
                self.to_read.extend(self.to_write.popleft())
            if write is None and self.to_write and random.random() >= self.pause:
                write = self.to_write.popleft()
            if request is None and self.to_read and random.random() >= self.pause:
                request = self.to_read.popleft()
            dut.s_write_valid.value = write is not None
            if write:
                dut.s_write_address.value = write[0]
                dut.s_write_data.value = write[1]
                dut.s_write_strobe.value = write[2]
            dut.s_request_valid.value = request is not None
            if request is not None:
                dut.s_request_address.value = request
            await RisingEdge(dut.clk)
            if dut.m_response_valid.value:
                address, wanted = self.expected.popleft()
                assert int(dut.m_response_data.value) == wanted, f"word {address:x}"
                self.answered += 1
            if request is not None and dut.s_request_ready.value:
                self.expected.append((request, self.words.get(request, 0)))
                self.asked += 1
                request = None
            if write and dut.s_write_ready.value:
                address, data, strobe = write
                mask = sum(0xFF << 8 * i for i in range(self.lanes) if strobe >> i & 1)
                self.words[address] = self.words.get(address, 0) & ~mask | data & mask
                self.written += 1
                write = None


async def drive(dut, user_pause: float, memory_pause: float, latency: int) -> tuple[User, Memory]:
    await start(
        dut,
        s_write_valid=0,
        s_request_valid=0,
        m_read_burst_ready=0,
        m_write_burst_ready=0,
        m_write_ready=0,
        s_read_valid=0,
        s_written_i=0,
    )
    memory = Memory(dut, memory_pause, latency)
    user = User(dut, user_pause)
    for _ in range(40 * WORDS):
        await RisingEdge(dut.clk)
        if user.written >= WORDS and not user.to_write and user.answered >= user.written:
            break
    assert user.answered == user.asked == user.written
    return user, memory


@cocotb.test()
async def at_full_speed(dut):
    user, memory = await drive(dut, 0.0, 0.0, 20)
    # No run is cut but at the end of a block, and of the ring.
    assert memory.write_bursts <= user.runs
    assert memory.read_bursts <= user.runs


@cocotb.test()
async def with_pauses(dut):
    await drive(dut, 0.3, 0.3, 40)


@cocotb.test()
async def slow_memory(dut):
    await drive(dut, 0.0, 0.7, 120)


@cocotb.test()
async def slow_user(dut):
    await drive(dut, 0.8, 0.1, 10)


@cocotb.test()
async def addresses_go_ahead(dut):
    """A port that takes a while for each address takes words without a gap all the same."""
    lanes = parameter("DataWidth") // 8
    writes = StreamSource(dut, "s_write", ("address", "data", "strobe"))
    await start(
        dut, s_request_valid=0, m_read_burst_ready=0, m_write_burst_ready=0, m_write_ready=1,
        s_read_valid=0, s_written_i=0,
    )  # fmt: skip
    count = min(1 << parameter("AddressWidth"), 8 * BLOCK // lanes)
    for address in range(count):
        writes.send(address=address, data=address, strobe=(1 << lanes) - 1)
    went, announced = [], 0
    for clock in range(20 * count):
        ready = clock % 3 == 0  # a burst has four words at least
        dut.m_write_burst_ready.value = ready
        await RisingEdge(dut.clk)
        if dut.m_write_valid.value:
            assert len(went) < announced, "a word before its address"
            went.append(clock)
        if ready and dut.m_write_burst_valid.value:
            announced += int(dut.m_write_burst.value) % 256 + 1
        if len(went) == count:
            break
    assert announced == count
    # The first address may have come at once, and a later one after two clocks.
    assert went[-1] - went[0] <= count - 1 + 2


@cocotb.test()
async def requests_that_no_other_follows(dut):
    """One in three clocks, the first out eight clocks after it came at most."""
    block, count = BLOCK // (parameter("DataWidth") // 8), 20
    requests = StreamSource(dut, "s_request", ("address",))
    await start(
        dut, s_write_valid=0, m_read_burst_ready=1, m_write_burst_ready=1, m_write_ready=1,
        s_read_valid=0, s_written_i=0,
    )  # fmt: skip
    for i in range(count):
        requests.send(address=(i % 2) * block)
    came, went = [], []
    for clock in range(10 * count):
        await RisingEdge(dut.clk)
        if dut.s_request_valid.value and dut.s_request_ready.value:
            came.append(clock)
        if dut.m_read_burst_valid.value:
            went.append(clock)
    assert len(came) == len(went) == count
    assert went[0] - came[0] <= 8
    assert [b - a for a, b in pairwise(went)] == [3] * (count - 1)


@cocotb.test()
async def waits_for_the_oldest_of_all_writes(dut):
    """As many bursts as may be under way, and more to come: the first one's block is kept."""
    lanes = parameter("DataWidth") // 8
    block = BLOCK // lanes
    writes = StreamSource(dut, "s_write", ("address", "data", "strobe"))
    requests = StreamSource(dut, "s_request", ("address",))
    await start(
        dut, m_read_burst_ready=1, m_write_burst_ready=1, m_write_ready=1,
        s_read_valid=0, s_written_i=0,
    )  # fmt: skip
    for i in range(2 * WRITES):
        place = 0 if i == 0 else (1 + i % 2) * block if i < WRITES else 3 * block
        writes.send(address=place, data=i, strobe=(1 << lanes) - 1)
    await ClockCycles(dut.clk, 20 * WRITES)
    requests.send(address=0)
    for _ in range(50):
        await RisingEdge(dut.clk)
        assert not dut.m_read_burst_valid.value, "read before it is written"
    dut.s_written_i.value = 1
    await RisingEdge(dut.clk)
    dut.s_written_i.value = 0
    for _ in range(20):
        await RisingEdge(dut.clk)
        if dut.m_read_burst_valid.value:
            break
    assert dut.m_read_burst_valid.value


@cocotb.test()
async def rings_far_apart(dut):
    """The same place in rings whose ids differ in one bit each: each has memory of its own."""
    width, lanes = parameter("DataWidth"), parameter("DataWidth") // 8
    ring = RING_BYTES // lanes
    id_bits = max(0, parameter("AddressWidth") - ring.bit_length() + 1)
    ids = {0, *(1 << bit for bit in range(id_bits)), (1 << id_bits) - 1}
    place = random.randrange(min(ring, 1 << parameter("AddressWidth")))
    words = {i * ring + place: random.getrandbits(width) for i in ids}

    writes = StreamSource(dut, "s_write", ("address", "data", "strobe"))
    requests = StreamSource(dut, "s_request", ("address",))
    responses = StreamMonitor(dut, "m_response")
    await start(
        dut,
        m_read_burst_ready=0,
        m_write_burst_ready=0,
        m_write_ready=0,
        s_read_valid=0,
        s_written_i=0,
    )
    memory = Memory(dut, 0.2, 20)
    for address, data in words.items():
        writes.send(address=address, data=data, strobe=(1 << lanes) - 1)
    await writes.drained()
    order = random.sample(sorted(words), len(words))
    for address in order:
        requests.send(address=address)
    await responses.wait(len(order))
    assert [response["data"] for response in responses.transfers] == [words[a] for a in order]
    assert memory.words == words


def test_as_large_as_in_scale():
    """A quarter of a million rings of 64 KiB: 16 GiB."""
    simulate(
        top="ring_memory_axi",
        test_module=__file__,
        parameters={"DataWidth": 64, "AddressWidth": 18 + 13, "BaseMiB": BASE >> 20},
        testcase="rings_far_apart",
    )


@pytest.mark.parametrize("width", [64, 512])
def test_ring_memory_axi(width):
    # Few words, so that writes and reads meet in their blocks all the time.
    words = {64: 10, 512: 7}[width]
    simulate(
        top="ring_memory_axi",
        test_module=__file__,
        parameters={"DataWidth": width, "AddressWidth": words, "BaseMiB": BASE >> 20},
    )
