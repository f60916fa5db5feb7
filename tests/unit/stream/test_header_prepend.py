# SPDX-License-Identifier: Apache-2.0
"""header_prepend: seamless frames of any header and payload length, no gaps at full speed."""

import random

import cocotb
import pytest

from support.simulate import parameter, simulate
from support.streams import PATTERNS, PacketSink, PacketSource, StreamSource, clocks, now, start

HEADER_FIELDS = {
    "header": "s_header",
    "length": "s_header_length",
    "has_payload": "s_has_payload",
    "late": "s_header_late",
}


def lanes() -> int:
    return parameter("DataWidth") // 8


class Bench:
    def __init__(self, dut, header_idle=None, idle=None, backpressure=None, field_idle=None):
        self.fields = StreamSource(dut, "s_field", fields={"field": "s_field"}, pause=field_idle)
        self.headers = StreamSource(dut, "s_header", fields=HEADER_FIELDS, pause=header_idle)
        self.payloads = PacketSource(dut, pause=idle)
        self.sink = PacketSink(dut, pause=backpressure)
        self.expected: list[bytes] = []

    def send(self, header: bytes, payload: bytes = b"", late: bool = False) -> None:
        # What is behind the header's end must not show, nor what stands where the field comes.
        spare = random.randbytes(parameter("MaxHeaderBytes") - len(header))
        whole, at = header, parameter("FieldAt")
        if late:
            header = header[:at] + random.randbytes(2) + header[at + 2 :]
            self.fields.send(field=int.from_bytes(whole[at : at + 2]))
        self.headers.send(
            header=int.from_bytes(header + spare, "little"),
            length=len(header),
            has_payload=int(bool(payload)),
            late=int(late),
        )
        if payload:
            self.payloads.send(payload)
        self.expected.append(whole + payload)

    async def check(self) -> None:
        await self.sink.wait_packets(len(self.expected))
        assert [packet.data for packet in self.sink.packets] == self.expected


def draw() -> tuple[bytes, bytes, bool]:
    header = random.randbytes(random.randint(1, parameter("MaxHeaderBytes")))
    length = random.choice([0, 1, random.randint(1, lanes()), random.randint(1, 5 * lanes())])
    late = len(header) >= parameter("FieldAt") + 2 and random.random() < 0.5
    return header, random.randbytes(length), late


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "sometimes", "mostly", "bursts"])
async def joins_header_and_payload(dut, idle, backpressure):
    header_idle, field_idle = random.choices(list(PATTERNS), k=2)
    bench = Bench(dut, header_idle, idle, backpressure, field_idle)
    await start(dut)
    for _ in range(50):
        bench.send(*draw())
    await bench.check()


@cocotb.test()
async def joins_every_remainder(dut):
    bench = Bench(dut)
    await start(dut)
    lengths = range(1, parameter("MaxHeaderBytes") + 1)
    for length in lengths if lanes() <= 8 else random.sample(lengths, 40):
        for payload in (0, 1, lanes() - 1, lanes(), lanes() + 1):
            bench.send(random.randbytes(length), random.randbytes(payload))
    await bench.check()


@cocotb.test()
async def has_no_gap_at_full_speed(dut):
    """54-byte headers: not a clock without a beat, within frames and between them."""
    bench = Bench(dut)
    await start(dut)
    for number in range(40):
        payload = random.choice([0, 1, lanes(), 3 * lanes() + 1, 100]) if number else 100
        bench.send(random.randbytes(54), random.randbytes(payload))
    await bench.check()
    times = bench.sink.times
    assert times[-1] - times[0] == len(times) - 1


@cocotb.test()
async def takes_two_clocks_to_the_first_beat(dut):
    bench = Bench(dut)
    await start(dut)
    bench.send(random.randbytes(lanes()), b"payload")
    bench.send(random.randbytes(5))
    await bench.check()
    assert bench.sink.times[0] - bench.headers.times[0] == 2


@cocotb.test()
async def waits_for_a_payload_that_shares_the_first_beat(dut):
    bench = Bench(dut)
    await start(dut)
    bench.send(random.randbytes(lanes() - 1), b"payload")
    await bench.check()
    realign = 3 if parameter("DataWidth") >= 256 else 2
    beats = -(-parameter("MaxHeaderBytes") // lanes())
    long_headers = int(beats >= 4)
    assert bench.sink.times[0] - bench.headers.times[0] == realign + 2 + long_headers
    assert bench.sink.times[0] - bench.payloads.times[0] == realign + 1


@cocotb.test()
async def nothing_leaves_before_its_field(dut):
    """Then it takes one clock: header and payload have come as far as they can."""
    bench = Bench(dut)
    await start(dut)
    bench.send(random.randbytes(54), random.randbytes(3 * lanes()), late=True)
    field = bench.fields.queue.popleft()
    await clocks(dut, 40)
    assert not bench.sink.times
    bench.fields.send(**field)
    offered = now()
    await bench.check()
    assert bench.sink.times[0] - offered == 3  # of which the source takes two


@pytest.mark.parametrize(("width", "longest"), [(64, 74), (128, 94), (512, 64), (512, 94)])
def test_header_prepend(width, longest):
    simulate(
        top="header_prepend",
        test_module=__file__,
        parameters={"DataWidth": width, "MaxHeaderBytes": longest, "FieldAt": 50},
    )
