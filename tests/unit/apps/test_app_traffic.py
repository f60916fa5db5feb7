# SPDX-License-Identifier: Apache-2.0
"""app_traffic: opens, sends the pattern, finds every wrong byte in what comes, closes (S1.12)."""

import random

import cocotb
import pytest

from models.app_engine import FINAL, Engine, Kind
from models.chargen import chargen
from support.packed import pack, unpack
from support.simulate import simulate
from support.streams import clocks, start

CONNECTIONS = 8
STALLS = [("never", "never"), ("sometimes", "bursts"), ("mostly", "mostly")]
SETTINGS = {
    "run": 1, "send": 1, "remote_ip": 32, "remote_port": 16, "connections": 16,
    "message_bytes": 16,
}  # fmt: skip
TOTALS = {
    "opening": 1, "live": 16, "opened": 32, "refused": 32, "closed": 32, "broken": 32,
    "messages_out": 32, "bytes_out": 64, "bytes_in": 64, "wrong_bytes": 32,
}  # fmt: skip
SERVER = {"remote_ip": 0x0A4D0002, "remote_port": 7}


class Traffic:
    """The generator, its settings, and every session it has opened."""

    def __init__(self, dut, **options):
        self.dut = dut
        self.engine = Engine(dut, connections=CONNECTIONS, **options)
        self.engine.relaying = None
        self.sessions, self.returned = [], {}

    async def begin(self):
        await start(self.dut, settings_i=0)
        cocotb.start_soon(self._watch())

    def set(self, **settings):
        self.dut.settings_i.value = pack(SETTINGS, **(SERVER | settings))

    def totals(self) -> dict[str, int]:
        return unpack(TOTALS, int(self.dut.totals_o.value))

    async def _watch(self):
        """Peers close when the generator has."""
        while True:
            await clocks(self.dut, 4)
            for session in self.engine.sessions:
                if session and session not in self.sessions:
                    self.sessions.append(session)
            for session in self.sessions:
                if session.closed:
                    session.peer_closed = True

    async def echo(self):
        """Peers send back what they get."""
        while True:
            await clocks(self.dut, 4)
            for session in self.sessions:
                new = session.outbox[self.returned.get(session.name, 0) :]
                if new and not session.peer_closed:
                    session.inbox += new
                    self.returned[session.name] = len(session.outbox)

    async def until(self, condition, limit: int = 60_000):
        await self.engine.until(condition, limit)

    async def end(self, **settings):
        self.set(run=0, **settings)

        def over():
            totals = self.totals()
            return not totals["live"] and not totals["opening"]

        await self.until(over)
        await clocks(self.dut, 20)
        return self.totals()


@cocotb.test(timeout_time=4, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS))
async def messages_come_back_as_they_went(dut, idle, backpressure):
    """Twice, with other messages; packets that turn out bad come again and count once."""
    traffic = Traffic(dut, idle=idle, backpressure=backpressure, refuse=0.2, bad=0.3)
    await traffic.begin()
    cocotb.start_soon(traffic.echo())
    messages = sent = 0
    for size in (random.randint(1, 200), 700):
        traffic.set(run=1, send=1, connections=5, message_bytes=size)
        before = traffic.totals()["messages_out"]
        await traffic.until(lambda b=before: traffic.totals()["messages_out"] > b + 30)
        totals = await traffic.end(send=1, message_bytes=size)
        sent += (totals["messages_out"] - messages) * size
        messages = totals["messages_out"]
    assert totals["opened"] == totals["closed"] == len(traffic.sessions) == 10
    assert totals["bytes_out"] == sent == sum(len(s.outbox) for s in traffic.sessions)
    assert totals["bytes_in"] == sum(len(s.delivered) for s in traffic.sessions) > 0
    assert totals["wrong_bytes"] == totals["refused"] == totals["broken"] == 0
    assert all(s.outbox == chargen(len(s.outbox)) for s in traffic.sessions)
    opens = [c for c in traffic.engine.commands if c["op"] == 2]
    assert {(c["remote_ip"], c["remote_port"]) for c in opens} == {(0x0A4D0002, 7)}


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def every_wrong_byte_is_counted(dut):
    """It only receives, and what comes is wrong at random places, or missing."""
    traffic = Traffic(dut)
    await traffic.begin()
    traffic.set(run=1, send=0, connections=4, message_bytes=100)
    await traffic.until(lambda: traffic.totals()["opened"] == 4)
    wrong = total = 0
    for session in traffic.sessions:
        data = bytearray(chargen(random.randint(500, 5000)))
        for place in random.sample(range(len(data)), random.randint(0, 40)):
            data[place] ^= random.randint(1, 255)
            wrong += 1
        session.inbox += data
        total += len(data)
    await traffic.until(lambda: traffic.totals()["bytes_in"] == total)
    assert traffic.totals()["wrong_bytes"] == wrong
    # A byte left out: all after it stand in the wrong place.
    begin = len(traffic.sessions[0].delivered)
    right, shifted = chargen(200, begin), chargen(200, begin + 1)
    traffic.sessions[0].inbox += shifted
    await traffic.until(lambda: traffic.totals()["bytes_in"] == total + 200)
    differing = sum(a != b for a, b in zip(right, shifted))
    assert traffic.totals()["wrong_bytes"] == wrong + differing and differing > 150
    totals = await traffic.end()
    assert totals["closed"] == 4 and totals["messages_out"] == totals["bytes_out"] == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def refused_and_broken_connections_are_told(dut):
    """More than there is room for; some are reset while they send; one peer closes first."""
    traffic = Traffic(dut)
    await traffic.begin()
    traffic.set(run=1, send=1, connections=CONNECTIONS + 3, message_bytes=64)
    await traffic.until(lambda: not traffic.totals()["opening"])
    await traffic.until(lambda: traffic.totals()["opened"] == CONNECTIONS)
    assert traffic.totals()["refused"] == 3
    first, second, third, *_ = traffic.sessions
    traffic.engine.reset(first)
    traffic.engine.reset(second, Kind.TIMED_OUT)
    third.peer_closed = True
    await traffic.until(lambda: third.final)
    await traffic.until(lambda: first.final and second.final)
    assert third.closed and third.final == Kind.CLOSED
    totals = await traffic.end(send=1, message_bytes=64)
    assert totals["broken"] == 2 and totals["closed"] == CONNECTIONS - 2
    assert all(session.final in FINAL for session in traffic.sessions)


@pytest.mark.parametrize("width", [64, 512])
def test_app_traffic(width):
    simulate(
        top="traffic_bench",
        test_module=__file__,
        core="apps",
        extra_sources=["traffic_bench.sv"],
        parameters={"DataWidth": width, "Connections": CONNECTIONS},
    )
