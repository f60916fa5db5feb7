# SPDX-License-Identifier: Apache-2.0
"""checksum_stream against RFC 1071 in Python (and scapy): any lanes, any gaps, fixed latency."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.utils import checksum as scapy_checksum

from support.simulate import parameter, simulate
from support.streams import PATTERNS, now, pattern, start


def ones_sum(data: bytes, seed: int = 0, odd: bool = False) -> int:
    """Sum of 16-bit words; `odd`: the first byte is the low half of a word."""
    data = (b"\0" if odd else b"") + data
    data += b"\0" * (len(data) % 2)
    total = seed + sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


class Results:
    def __init__(self, dut):
        self.sums: list[int] = []
        self.times: list[int] = []
        cocotb.start_soon(self._run(dut))

    async def _run(self, dut):
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst.value and dut.sum_valid_o.value:
                self.sums.append(int(dut.sum_o.value))
                assert bool(dut.ones_o.value) == (self.sums[-1] == 0xFFFF)
                self.times.append(now())


async def send(dut, data: bytes, lead: int, seed: int, idle) -> int:
    """Beat by beat; what is not looked at is random. The clock of the last beat."""
    lanes = parameter("DataWidth") // 8
    position = 0
    while position < len(data):
        beat = not next(idle)
        lane = lead if position == 0 else 0
        chunk = data[position : position + lanes - lane]
        content = bytearray(random.randbytes(lanes))
        content[lane : lane + len(chunk)] = chunk
        last = position + len(chunk) == len(data)
        dut.beat_i.value = int(beat)
        dut.data_i.value = int.from_bytes(content, "little")
        if beat:
            dut.keep_i.value = ((1 << len(chunk)) - 1) << lane
            dut.last_i.value = int(last)
            position += len(chunk)
        else:
            dut.keep_i.value = random.getrandbits(lanes)
            dut.last_i.value = random.getrandbits(1)
        dut.seed_i.value = seed if beat and last else random.getrandbits(16)
        await RisingEdge(dut.clk)
    sent = now()
    dut.beat_i.value = 0
    return sent


def special(length: int) -> bytes:
    """What makes carries: all ones, zeros, single bits."""
    return random.choice([b"\xff" * length, bytes(length), random.randbytes(length)])


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS))
async def sums_packets(dut, idle):
    lanes = parameter("DataWidth") // 8
    results = Results(dut)
    pauses = pattern(idle)
    await start(dut, beat_i=0)
    expected, ends = [], []
    for _ in range(100):
        length = random.choice([1, 2, random.randint(1, lanes), random.randint(1, 1500)])
        data, lead = special(length), random.choice([0, random.randrange(lanes)])
        seed = random.choice([0, 0xFFFF, random.getrandbits(16)])
        ends.append(await send(dut, data, lead, seed, pauses))
        expected.append(ones_sum(data, seed, bool(lead % 2)))
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert results.sums == expected
    latency = {64: 3, 128: 4, 256: 4, 512: 5}[parameter("DataWidth")]
    assert [out - into for into, out in zip(ends, results.times, strict=True)] == [latency] * 100


@cocotb.test()
async def agrees_with_scapy(dut):
    results = Results(dut)
    await start(dut, beat_i=0)
    sent = [random.randbytes(random.randint(1, 300)) for _ in range(30)]
    for data in sent:
        await send(dut, data, 0, 0, pattern(None))
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert [total ^ 0xFFFF for total in results.sums] == [scapy_checksum(data) for data in sent]


@cocotb.test()
async def does_not_overflow(dut):
    """131,072 bytes of ones, the most that the contract allows."""
    results = Results(dut)
    await start(dut, beat_i=0)
    for data in (b"\xff" * 131072, bytes(131071) + b"\1", b"\0\1"):
        await send(dut, data, 0, 0xFFFF, pattern(None))
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert results.sums == [0xFFFF, ones_sum(b"\0\1", 0xFFFF), ones_sum(b"\0\1", 0xFFFF)]


@pytest.mark.parametrize("width", [64, 128, 512])
def test_checksum_stream(width):
    simulate(top="checksum_stream", test_module=__file__, parameters={"DataWidth": width})
