# SPDX-License-Identifier: Apache-2.0
"""sack_splitter: a record for each SACK block, and one of the segment itself as the last."""

import random

import cocotb

from models.tcp_segments import RECEIVED, SEGMENT
from support.packed import pack, unpack
from support.simulate import simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start

FIN, PSH, ACK = 0x01, 0x08, 0x10


def split(received: dict[str, int]) -> list[dict[str, int]]:
    """The records that a received segment becomes."""
    segment = {name: received[name] for name in SEGMENT}
    blocks = [received["sacks"] >> 64 * i & (1 << 64) - 1 for i in range(received["sack_count"])]
    if not blocks:
        return [{**segment, "sack": 0, "sack_only": 0}]
    only = {**segment, "payload_length": 0, "flags": segment["flags"] & ~(FIN | PSH),
            "sack_only": 1}  # fmt: skip
    return [
        *({**only, "sack": block} for block in reversed(blocks)),
        {**segment, "sack": 0, "sack_only": 0},
    ]


class Bench:
    def __init__(self, dut, idle=None, pause=None):
        self.dut = dut
        self.source = StreamSource(dut, "s", {"received": "s_received"}, pause=idle)
        self.sink = StreamSink(dut, "m", {"segment": "m_segment"}, pause=pause)
        self.expected: list[dict[str, int]] = []

    def send(self, flags: int, blocks: int) -> None:
        values = {name: random.getrandbits(width) for name, width in RECEIVED.items()}
        values.update(flags=flags, sack_count=blocks)
        self.source.send(received=pack(RECEIVED, **values))
        self.expected += split(values)

    async def check(self):
        await self.sink.wait(len(self.expected))
        await clocks(self.dut, 10)
        got = [unpack(SEGMENT, transfer["segment"]) for transfer in self.sink.transfers]
        for record in got:
            if not record["sack_only"]:
                record["sack"] = 0  # says nothing
        assert got == self.expected


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes", "bursts"], pause=list(PATTERNS))
async def random_segments(dut, idle, pause):
    bench = Bench(dut, idle, pause)
    await start(dut)
    for _ in range(300):
        flags = random.choice([ACK, ACK | PSH, ACK | FIN, random.getrandbits(8)])
        bench.send(flags, random.choice([0, 0, 1, 2, 3, 4]))
    await bench.check()


@cocotb.test()
async def every_set_of_flags(dut):
    bench = Bench(dut)
    await start(dut)
    for flags in range(256):
        for blocks in range(5):
            bench.send(flags, blocks)
    await bench.check()


@cocotb.test()
async def one_record_a_clock(dut):
    bench = Bench(dut, "never", "never")
    bench.sink.pause = iter(lambda: False, None)
    await start(dut)
    for blocks in (0, 1, 2, 3, 4, 0, 4, 1, 0, 0):
        bench.send(ACK, blocks)
    await bench.check()
    times = bench.sink.times
    assert times[0] - bench.source.times[0] == 1
    assert (
        times[-1] - times[0]
        == len(times) - 1
        == sum(1 + n for n in (0, 1, 2, 3, 4, 0, 4, 1, 0, 0)) - 1
    )


def test_sack_splitter():
    simulate(top="sack_splitter", core="tcp_receive", test_module=__file__)
