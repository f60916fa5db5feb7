# SPDX-License-Identifier: Apache-2.0
"""ethernet_transmit: header, upper header, payload and padding in one frame, in order."""

import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import simulate
from support.streams import PATTERNS, PacketSink, PacketSource, StreamSource, clocks, start

MAC = bytes.fromhex("02544f450001")


class Bench:
    def __init__(self, dut, idle=None, backpressure=None):
        self.dut = dut
        self.header = StreamSource(dut, "s_frame", fields={"frame": "s_frame"}, pause=idle)
        self.payload = PacketSource(dut, pause=idle)
        self.checksum = StreamSource(dut, "s_checksum", {"checksum": "s_checksum"}, pause=idle)
        self.sink = PacketSink(dut, pause=backpressure)
        self.expected: list[bytes] = []
        self.counts = Counter()

    async def start(self):
        cocotb.start_soon(self._count())
        await start(self.dut, mac_i=int.from_bytes(MAC))

    async def _count(self):
        while True:
            await RisingEdge(self.dut.clk)
            if not self.dut.rst.value:
                self.counts["frames"] += int(self.dut.count_tx_frames_o.value)
                self.counts["bytes"] += int(self.dut.count_tx_bytes_o.value)

    def send(self, header: bytes, payload: bytes = b"", late: bool = False):
        whole = header
        if late:
            self.checksum.send(checksum=int.from_bytes(header[36:38]))
            header = header[:36] + random.randbytes(2) + header[38:]
        destination, kind = random.randbytes(6), random.randbytes(2)
        value = int.from_bytes(destination)
        value = value << 16 | int.from_bytes(kind)
        value = value << 1 | bool(payload)
        value = value << 1 | late
        value = value << 7 | len(header)
        value = value << 640 | int.from_bytes(header + random.randbytes(80 - len(header)), "little")
        self.header.send(frame=value)
        if payload:
            self.payload.send(payload)
        self.expected.append((destination + MAC + kind + whole + payload).ljust(60, b"\0"))

    async def check(self):
        await self.sink.wait_packets(len(self.expected))
        await clocks(self.dut, 5)
        assert [packet.data for packet in self.sink.packets] == self.expected
        assert self.counts["frames"] == len(self.expected)
        assert self.counts["bytes"] == sum(map(len, self.expected))


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def sends_frames_of_all_kinds(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    for _ in range(20):
        header = random.randbytes(random.choice([20, 28, 40, 44, random.randint(1, 80)]))
        size = random.choice([0, 0, random.randint(1, 20), random.randint(1, 300)])
        late = len(header) >= 40 and size > 0 and random.random() < 0.5
        bench.send(header, random.randbytes(size), late)
    await bench.check()


@cocotb.test()
async def pads_every_short_frame(dut):
    bench = Bench(dut)
    await bench.start()
    for size in range(0, 80):
        bench.send(random.randbytes(40), random.randbytes(size))
        bench.send(random.randbytes(max(1, size)))
    await bench.check()


@cocotb.test()
async def latency(dut):
    bench = Bench(dut)
    await bench.start()
    bench.send(bytes(40))
    await bench.check()
    assert bench.sink.starts[0] - bench.header.times[0] == 3


@pytest.mark.parametrize("width", [64, 512])
def test_ethernet_transmit(width):
    simulate(
        top="ethernet_transmit",
        test_module=__file__,
        parameters={"DataWidth": width},
        # The packages hold more constants than one block uses.
    )
