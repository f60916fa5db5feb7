# SPDX-License-Identifier: Apache-2.0
"""liteeth_frames: whole good frames in, none that is bad or finds no room; frames out unchanged."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import (
    PATTERNS,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    start,
)

FIELDS = ("data", "last_be", "error", "last")
FRAMES = 60


def lanes() -> int:
    return parameter("DataWidth") // 8


def mac_beats(frame: bytes, bad: bool):
    """As LiteEth gives a frame. What is behind the last byte may say anything, an error too."""
    width = lanes()
    for at in range(0, len(frame), width):
        chunk, last = frame[at : at + width], at + width >= len(frame)
        kept = (1 << len(chunk)) - 1
        beyond = random.getrandbits(width) & ~kept
        data = int.from_bytes(chunk, "little")
        data |= random.getrandbits(8 * width) & ~((1 << 8 * len(chunk)) - 1)
        yield {
            "data": data,
            "last_be": (kept + 1) >> 1 if last else 0,
            "error": (beyond | (kept if bad else 0)) if last else 0,
            "last": int(last),
        }


def frames() -> list[bytes]:
    lengths = [random.choice([1, 60, 61, 64, random.randint(1, 200)]) for _ in range(FRAMES)]
    return [n.to_bytes(2, "big") + random.randbytes(length) for n, length in enumerate(lengths)]


class Pulses:
    def __init__(self, dut):
        self.dut, self.bad, self.lost = dut, 0, 0
        cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.dut.clk)
            if not self.dut.rst.value:
                self.bad += bool(self.dut.rx_bad_o.value)
                self.lost += bool(self.dut.rx_lost_o.value)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "sometimes", "mostly", "bursts"])
async def frames_that_come(dut, idle, backpressure):
    source = StreamSource(dut, "s_mac", FIELDS, pause=idle)
    sink = PacketSink(dut, "m_rx", error=False, pause=backpressure)
    pulses = Pulses(dut)
    await start(dut)
    good, bad = [], 0
    for frame in frames():
        is_bad = random.random() < 0.2
        bad += is_bad
        if not is_bad:
            good.append(frame)
        for beat in mac_beats(frame, is_bad):
            source.send(**beat)
    await source.drained()
    assert dut.s_mac_ready.value, "the MAC cannot wait"
    for _ in range(5000):
        if len(sink.packets) + pulses.lost == len(good):
            break
        await RisingEdge(dut.clk)
    await clocks(dut, 4)  # of a bad frame at the end one hears a little later
    received = [packet.data for packet in sink.packets]
    assert pulses.bad == bad
    assert pulses.lost == len(good) - len(received)
    left = iter(good)
    assert received and all(frame in left for frame in received), "out of order, or never sent"
    if backpressure == "never":
        assert received == good, "nothing is lost where nothing waits"


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=["never", "sometimes", "mostly", "bursts"])
async def frames_that_go(dut, idle, backpressure):
    source = PacketSource(dut, "s_tx", error=False, pause=idle)
    sink = StreamSink(dut, "m_mac", FIELDS, pause=backpressure)
    await start(dut)
    sent = frames()
    for frame in sent:
        source.send(frame)
    await source.drained()
    await clocks(dut, 2)
    received, frame = [], b""
    for beat in await sink.wait(sum(-(-len(frame) // lanes()) for frame in sent)):
        assert not beat["error"]
        count = beat["last_be"].bit_length() if beat["last"] else lanes()
        assert beat["last_be"] == (1 << count - 1 if beat["last"] else 0)
        frame += beat["data"].to_bytes(lanes(), "little")[:count]
        if beat["last"]:
            received.append(frame)
            frame = b""
    assert received == sent


@pytest.mark.parametrize("width", [16, 64, 512])
def test_liteeth_frames(width):
    simulate(
        top="liteeth_frames",
        test_module=__file__,
        parameters={"DataWidth": width, "Depth": 32 if width > 16 else 128},
    )
