# SPDX-License-Identifier: Apache-2.0
"""raw_link_registers: a processor that takes frames and gives frames, word by word."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import simulate
from support.streams import (
    Packet,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    pattern,
    start,
)

STATUS, HEAD, DATA, SEND, SEND_DATA = range(5)
CONNECTED, ACK, LAST, FIRST = 1 << 30, 1 << 31, 1 << 28, 1 << 29


class Bench:
    def __init__(self, dut, idle="never", backpressure="never", pause="never"):
        self.dut, self.pause = dut, pattern(pause)
        self.heads = StreamSource(dut, "m_app_head", {"head": "m_app_head"}, pause=idle)
        self.data = PacketSource(dut, "m_app", error=False, pause=idle)
        self.sent_heads = StreamSink(dut, "s_app_head", {"head": "s_app_head"}, pause=backpressure)
        self.sent = PacketSink(dut, "s_app", error=False, pause=backpressure)
        dut.cpu_valid_i.value = 0

    async def access(self, register: int, value: int | None = None) -> int:
        dut = self.dut
        while next(self.pause):
            await RisingEdge(dut.clk)
        dut.cpu_valid_i.value = 1
        dut.cpu_address_i.value = register
        dut.cpu_write_i.value = value is not None
        dut.cpu_data_i.value = random.getrandbits(32) if value is None else value
        await RisingEdge(dut.clk)
        while not dut.cpu_ready_o.value:
            await RisingEdge(dut.clk)
        dut.cpu_valid_i.value = 0
        return int(dut.cpu_data_o.value)

    async def read_data(self, size: int) -> bytes:
        words = [await self.access(DATA) for _ in range(-(-size // 4))]
        return b"".join(word.to_bytes(4, "little") for word in words)[:size]

    async def send_data(self, data: bytes) -> None:
        for i in range(0, len(data), 4):
            word = data[i : i + 4] + random.randbytes(4)
            await self.access(SEND_DATA, int.from_bytes(word[:4], "little"))


def sizes() -> list[int]:
    return [0, 1, 2, 3, 4, 5, 8, 9, 0, *(random.randint(0, 60) for _ in range(10))]


@cocotb.test()
@cocotb.parametrize(
    (("idle", "backpressure", "pause"), [
        ("never", "never", "never"), ("mostly", "bursts", "sometimes"),
        ("sometimes", "mostly", "never"),
    ])
)  # fmt: skip
async def takes_and_gives(dut, idle, backpressure, pause):
    bench = Bench(dut, idle, backpressure, pause)
    await start(dut)
    wanted = []
    for size in sizes():
        handle, app, bits = random.getrandbits(12), random.getrandbits(2), random.getrandbits(3)
        first, last, connected = bits & 1, bits >> 1 & 1, bits >> 2
        head = 1 << 31 | connected << 30 | handle << 18 | app << 16 | first << 15 | last << 14
        data = random.randbytes(size)
        bench.heads.send(head=head | size)
        if data:
            bench.data.send(Packet(data))
        seen = await bench.access(HEAD)
        word = handle << 14 | app << 26 | size
        assert seen == word | connected << 30 | first * FIRST | last * LAST
        assert await bench.read_data(size) == data
        assert await bench.access(STATUS) == 0
        assert await bench.access(DATA) == 0, "more data than the frame has"

        ack = random.getrandbits(1)
        await bench.access(SEND, word | last * LAST | ack * ACK | FIRST | CONNECTED)
        await bench.send_data(data)
        await bench.access(SEND_DATA, 0xFFFFFFFF)  # one too many goes nowhere
        head = handle << 5 | app << 3 | ack << 2 | last << 1 | bool(size)
        wanted.append((head, data))
    await clocks(dut, 20)
    assert [transfer["head"] for transfer in bench.sent_heads.transfers] == [h for h, _ in wanted]
    assert [packet.data for packet in bench.sent.packets] == [data for _, data in wanted if data]


@cocotb.test()
async def status_tells_what_waits(dut):
    bench = Bench(dut)
    await start(dut)
    assert await bench.access(STATUS) == 0
    bench.heads.send(head=1 << 31 | 5)
    await clocks(dut, 3)
    assert await bench.access(STATUS) == 1
    assert await bench.access(HEAD) == 5
    assert await bench.access(STATUS) == 0
    bench.data.send(Packet(b"hello"))
    await clocks(dut, 3)
    assert await bench.access(STATUS) == 2
    assert await bench.read_data(5) == b"hello"
    # Writing what is read, and the other way round, does nothing.
    for register in (STATUS, HEAD, DATA):
        await bench.access(register, 0xFFFFFFFF)
    for register in (SEND, SEND_DATA):
        await bench.access(register)
    assert not bench.sent_heads.transfers and not bench.sent.packets


def test_raw_link_registers():
    simulate(top="raw_link_registers", test_module=__file__)
