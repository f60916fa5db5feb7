# SPDX-License-Identifier: Apache-2.0
"""listen_table against a dictionary of ports, with lookups in every clock (S1.1)."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start

OK, NO_CONNECTION, NO_ROOM, IN_USE = range(4)
LATENCY = 3  # of a command: its result is valid in the third clock after


class Model:
    def __init__(self, room: int):
        self.room, self.ports = room, {}

    def command(self, listen: int, port: int, app: int) -> int:
        if listen:
            if port in self.ports:
                return IN_USE
            if len(self.ports) == self.room:
                return NO_ROOM
            self.ports[port] = app
            return OK
        if self.ports.get(port) != app:
            return NO_CONNECTION
        del self.ports[port]
        return OK


def channels(dut, idle="never", backpressure="never"):
    source = StreamSource(dut, "s", ("listen", "port", "app"), pause=PATTERNS[idle])
    return source, StreamSink(dut, "m", ("result",), pause=PATTERNS[backpressure])


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def agrees_with_a_dictionary(dut, idle, backpressure):
    source, sink = channels(dut, idle, backpressure)
    await start(dut, lookup_port_i=0)
    model = Model(parameter("ListenPorts"))
    ports = random.sample(range(1 << 16), parameter("ListenPorts") + 3)
    expected = []
    for i in range(300):
        if i % 50 == 0:
            listening = (0.95, 0.5, 0.1)[i // 50 % 3]
        command = {
            "listen": int(random.random() < listening),
            "port": random.choice(ports),
            "app": random.randrange(3),
        }
        source.send(**command)
        expected.append(model.command(**command))
    results = [transfer["result"] for transfer in await sink.wait(len(expected))]
    assert results == expected
    assert set(expected) == {OK, NO_CONNECTION, NO_ROOM, IN_USE}
    await check_lookups(dut, model, ports)


async def check_lookups(dut, model, ports):
    """Ports that are listened to, others, and some that differ from them in one bit."""
    asked = [*ports, *(port ^ 1 << bit for port in model.ports for bit in range(16)), 0, 0xFFFF]
    random.shuffle(asked)
    for before, port in zip([None, *asked], [*asked, 0], strict=True):
        dut.lookup_port_i.value = port
        await RisingEdge(dut.clk)
        if before is not None:
            assert bool(dut.listening_o.value) == (before in model.ports)
            if before in model.ports:
                assert int(dut.app_o.value) == model.ports[before]


@cocotb.test()
async def a_change_is_seen_when_its_result_is_valid(dut):
    source, sink = channels(dut)
    port = random.getrandbits(16)
    await start(dut, lookup_port_i=port)
    for listen in (1, 0, 1, 0):
        source.send(listen=listen, port=port, app=9)
        while not dut.m_valid.value:
            assert bool(dut.listening_o.value) == (not listen)
            await RisingEdge(dut.clk)
        # The table has changed; the lookup's own register shows it one clock later.
        await RisingEdge(dut.clk)
        assert bool(dut.listening_o.value) == bool(listen)
        if listen:
            assert int(dut.app_o.value) == 9
        await clocks(dut, 3)
    assert [transfer["result"] for transfer in sink.transfers] == [OK] * 4
    assert {end - begin for begin, end in zip(source.times, sink.times, strict=True)} == {LATENCY}


@pytest.mark.parametrize("ports", [1, 8])
def test_listen_table(ports):
    simulate(
        top="listen_table",
        test_module=__file__,
        core="connections",
        parameters={"ListenPorts": ports},
    )
