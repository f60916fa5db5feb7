# SPDX-License-Identifier: Apache-2.0
"""tcp_options_parser: options as scapy writes them, in every order and place, and broken ones."""

import itertools
import random

import cocotb
from scapy.layers.inet import TCP

from models.tcp_segments import random_options, read_options
from support.packed import pack, unpack
from support.simulate import simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start

OPTIONS = {
    "has_window_scale": 1, "window_scale": 4, "sack_permitted": 1, "has_timestamps": 1,
    "ts_value": 32, "ts_echo": 32,
}  # fmt: skip
BLOCK = {"left": 32, "right": 32}


def scapy_bytes(*options: tuple) -> bytes:
    """The options alone, with scapy's padding."""
    return bytes(TCP(options=list(options)))[20:]


def some_of_each() -> dict[str, tuple]:
    """One option of each kind, as scapy takes it."""
    edges = [random.getrandbits(32) for _ in range(2 * random.randint(1, 2))]
    return {
        "mss": ("MSS", random.getrandbits(16)),
        "scale": ("WScale", random.choice([0, 1, 7, 13, 14, 15, 16, 255])),
        "permitted": ("SAckOK", b""),
        "stamps": ("Timestamp", (random.getrandbits(32), random.getrandbits(32))),
        "blocks": ("SAck", tuple(edges)),
    }


def expect(options: bytes) -> dict[str, int]:
    """What the module reports: it does not ask whether it is a SYN's options that it reads."""
    other = read_options(options, syn=False)
    return {**read_options(options, syn=True),
            **{name: other[name] for name in ("sack_count", "sacks")}}  # fmt: skip


class Bench:
    def __init__(self, dut, idle=None, pause=None):
        self.dut = dut
        self.source = StreamSource(dut, "s", ("options", "words"), pause=idle)
        self.sink = StreamSink(dut, "m", ("mss", "options", "sack_count", "sack"), pause=pause)
        self.expected: list[dict[str, int]] = []

    def send(self, options: bytes) -> dict[str, int]:
        """Behind the last word of the header there may be anything."""
        options += b"\x01" * (-len(options) % 4)
        assert 4 <= len(options) <= 40
        data = options + random_options(40 - len(options))
        self.source.send(options=int.from_bytes(data, "little"), words=len(options) // 4)
        self.expected.append(expect(options))
        return self.expected[-1]

    async def check(self):
        await self.sink.wait(len(self.expected))
        await clocks(self.dut, 20)
        assert len(self.sink.transfers) == len(self.expected)
        for transfer, expected in zip(self.sink.transfers, self.expected, strict=True):
            got = {"mss": transfer["mss"], **unpack(OPTIONS, transfer["options"])}
            if not got["has_timestamps"]:
                got["ts_value"] = got["ts_echo"] = 0
            got["sack_count"] = transfer["sack_count"]
            got["sacks"] = transfer["sack"] & (1 << 64 * transfer["sack_count"]) - 1
            assert got == expected


@cocotb.test()
async def as_scapy_reads_them(dut):
    """The values that went into scapy come out, in every order of the kinds."""
    bench = Bench(dut, "sometimes", "sometimes")
    await start(dut)
    for order in itertools.permutations(("mss", "scale", "permitted", "stamps", "blocks")):
        given = some_of_each()
        options = scapy_bytes(*(given[name] for name in order))
        if len(options) > 40:
            given["blocks"] = ("SAck", given["blocks"][1][:2])
            options = scapy_bytes(*(given[name] for name in order))
        edges = given["blocks"][1]
        blocks = [pack(BLOCK, left=edges[i], right=edges[i + 1]) for i in range(0, len(edges), 2)]
        assert bench.send(options) == {
            "mss": given["mss"][1],
            "has_window_scale": 1, "window_scale": min(given["scale"][1], 14),
            "sack_permitted": 1,
            "has_timestamps": 1,
            "ts_value": given["stamps"][1][0], "ts_echo": given["stamps"][1][1],
            "sack_count": len(blocks),
            "sacks": sum(block << 64 * i for i, block in enumerate(blocks)),
        }  # fmt: skip
    await bench.check()


@cocotb.test()
async def every_alignment(dut):
    """Each kind at each byte, and pairs of kinds with nothing between or one byte."""
    bench = Bench(dut, "never", "sometimes")
    await start(dut)
    kinds = [(2, 4), (3, 3), (4, 2), (5, 10), (5, 18), (5, 26), (5, 34), (8, 10), (254, 3)]
    for kind, size in kinds:
        for at in range(41 - size):
            bench.send(b"\x01" * at + bytes([kind, size]) + random.randbytes(size - 2))
    for (first, size), (second, other) in itertools.product(kinds, repeat=2):
        for at, between in itertools.product(range(4), (0, 1)):
            if at + size + between + other <= 40:
                options = b"\x01" * at + bytes([first, size]) + random.randbytes(size - 2)
                options += b"\x01" * between
                options += bytes([second, other]) + random.randbytes(other - 2)
                bench.send(options)
    await bench.check()
    for name in bench.expected[0]:
        assert any(expected[name] for expected in bench.expected), name


@cocotb.test()
async def every_length(dut):
    """Each kind with each length, where it fits and where it leads past the end."""
    bench = Bench(dut, "never", "never")
    await start(dut)
    for kind in (0, 1, 2, 3, 4, 5, 8, 9, 255):
        for length in [*range(43), 66, 74, 128, 255]:
            options = bytes([kind, length]) + random.randbytes(38)
            bench.send(options)
            before = b"\x01" * random.randrange(4) + bytes([4, 2, 3, 3, 5])
            bench.send((before + options)[:40])
    await bench.check()


@cocotb.test()
async def cut_lists(dut):
    """Lists cut after each word: the option that no longer fits, and its neighbours."""
    bench = Bench(dut, "sometimes", "never")
    await start(dut)
    for _ in range(40):
        given = list(some_of_each().values())
        random.shuffle(given)
        options = b"\x01" * random.randrange(4) + scapy_bytes(*given)
        for end in range(4, min(40, len(options)) + 1, 4):
            bench.send(options[:end])
    await bench.check()


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes", "bursts"], pause=list(PATTERNS))
async def random_lists(dut, idle, pause):
    bench = Bench(dut, idle, pause)
    await start(dut)
    for _ in range(400):
        bench.send(random_options(4 * random.randint(1, 10)))
    await bench.check()


@cocotb.test()
async def latency_and_throughput(dut):
    """Words + 2 clocks to the result; a segment every words + 1 clocks."""
    bench = Bench(dut, "never", "never")
    bench.sink.pause = iter(lambda: False, None)
    await start(dut)
    for words in range(1, 11):
        bench.send(random_options(4 * words))
        await bench.check()
        assert bench.sink.times[-1] - bench.source.times[-1] == words + 2
        before = len(bench.sink.times)
        for _ in range(10):
            bench.send(random_options(4 * words))
        await bench.check()
        times = bench.sink.times[before:]
        assert times[-1] - times[0] == 9 * (words + 1)


def test_tcp_options_parser():
    simulate(top="tcp_options_parser", core="tcp_receive", test_module=__file__)
