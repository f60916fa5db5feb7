# SPDX-License-Identifier: Apache-2.0
"""isn_generator (S1.3): the clock of RFC 6528 plus the keyed hash, also when the time wraps."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.siphash import siphash
from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start

MASK = 0xFFFFFFFF
LATENCY = {0: 18, 1: 75}  # by NarrowHash
INTERVAL = {0: 18, 1: 75}


def expected(secret: bytes, tuple_: int, local_ip: int, time_us: int) -> dict[str, int]:
    hash_ = siphash(secret, tuple_.to_bytes(8, "big") + local_ip.to_bytes(4, "big"))
    return {"isn": (hash_ + time_us // 4) & MASK, "hash": hash_ >> 32}


class Bench:
    def __init__(self, dut, idle="never", backpressure="never"):
        self.dut, self.secret = dut, random.randbytes(16)
        self.local_ip = random.getrandbits(32)
        self.source = StreamSource(dut, "s", ("tuple",), pause=PATTERNS[idle])
        self.sink = StreamSink(dut, "m", ("isn", "hash"), pause=PATTERNS[backpressure])

    async def begin(self, now: int):
        await start(
            self.dut,
            now_us=now,
            secret_i=int.from_bytes(self.secret, "little"),
            local_ip_i=self.local_ip,
        )

    async def ask(self, tuple_: int) -> int:
        self.source.send(tuple=tuple_)
        await self.sink.wait(len(self.sink.transfers) + 1)
        return self.sink.transfers[-1]["isn"]


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def agrees_with_the_model(dut, idle, backpressure):
    """Conformance: RFC9293:MUST-8, RFC9293:SHLD-1, RFC6528:3-1."""
    bench = Bench(dut, idle, backpressure)
    now = random.getrandbits(32)
    await bench.begin(now)
    tuples = [random.getrandbits(64) for _ in range(20)]
    for value in tuples:
        bench.source.send(tuple=value)
    transfers = await bench.sink.wait(len(tuples))
    for value, transfer in zip(tuples, transfers, strict=True):
        assert transfer == expected(bench.secret, value, bench.local_ip, now)


@cocotb.test()
async def one_number_follows_the_other(dut):
    """As often as the contract says, where they are taken at once."""
    bench = Bench(dut)
    await bench.begin(0)
    for value in range(5):
        bench.source.send(tuple=value)
    await bench.sink.wait(5)
    times = bench.source.times
    between = {b - a for a, b in zip(times, times[1:], strict=False)}
    assert between == {INTERVAL[parameter("NarrowHash")]}


@cocotb.test()
async def every_input_counts(dut):
    """Conformance: RFC9293:MUST-9."""
    bench = Bench(dut)
    await bench.begin(0)
    value = random.getrandbits(64)
    first = await bench.ask(value)
    assert bench.sink.times[0] - bench.source.times[0] == LATENCY[parameter("NarrowHash")]
    numbers = [first]
    for bit in range(64):
        numbers.append(await bench.ask(value ^ 1 << bit))
    for bit in range(32):
        dut.local_ip_i.value = bench.local_ip ^ 1 << bit
        numbers.append(await bench.ask(value))
    dut.local_ip_i.value = bench.local_ip
    secret = int.from_bytes(bench.secret, "little")
    for bit in range(0, 128, 5):
        dut.secret_i.value = secret ^ 1 << bit
        numbers.append(await bench.ask(value))
    dut.secret_i.value = secret
    assert await bench.ask(value) == first
    # Two of them are equal by chance once in a million runs.
    assert len(set(numbers)) == len(numbers)


@cocotb.test()
async def the_clock_goes_on_when_the_time_wraps(dut):
    bench = Bench(dut)
    time = 0xFFFFFFFF - 40
    await bench.begin(0)
    value = random.getrandbits(64)
    base = await bench.ask(value)
    for step in (0xFFFFFFFF - 40, 5, 17, 30, 3, 1 << 31, 1 << 31, (1 << 31) + 7, 1 << 31, 1 << 30):
        time = step if step == 0xFFFFFFFF - 40 else time + step
        dut.now_us.value = time & MASK
        await clocks(dut, 2)
        assert (await bench.ask(value) - base) & MASK == time // 4 & MASK
    # And in every clock around a wrap: never backwards.
    bench.source.send(tuple=value)
    before = None
    for offset in range(-60, 60):
        time = (7 << 32) + offset
        dut.now_us.value = time & MASK
        await RisingEdge(dut.clk)
        if offset % 20 == 10:
            bench.source.send(tuple=value)
    await bench.sink.wait(len(bench.source.times) + len(bench.source.queue))
    for transfer in bench.sink.transfers[-6:]:
        assert before is None or (transfer["isn"] - before) & MASK <= 15
        before = transfer["isn"]


@pytest.mark.parametrize("narrow", [0, 1])
def test_isn_generator(narrow):
    simulate(
        top="isn_generator",
        test_module=__file__,
        core="connections",
        parameters={"NarrowHash": narrow},
    )
