# SPDX-License-Identifier: Apache-2.0
"""toe with a clock and a width of its own, behind network_edge, application_edge and
axi_lite_crossing: what the application is promised holds on the other side of them, too."""

import random
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from models.tcp_peer import ACK, FIN, seq_add
from models.toe_bench import BUILD_ARGS, CLOSED, OK, ToeBench
from models.toe_traffic import echo
from support.clocks import hold_clocks
from support.extent import some
from support.simulate import parameter, simulate

pytestmark = pytest.mark.long

# The bench's period is 8 ns; nothing in common with it, faster and slower.
ENGINE_PERIODS_PS = [6402, 19_998]


class EdgeBench(ToeBench):
    """Starts the engine's clock beside the bench's."""

    def __init__(self, dut, engine_period_ps: int, **options):
        super().__init__(dut, **options)
        self.engine_period_ps = engine_period_ps

    def _start_memory(self) -> None:
        """There is none, but another clock: its reset is the bench's, a little later."""
        cocotb.start_soon(self._engine())

    async def _engine(self) -> None:
        dut = self.dut
        dut.engine_rst.value = 1
        await hold_clocks(dut.engine_clk)
        period = 8000 if not parameter("OwnClock") else self.engine_period_ps
        cocotb.start_soon(Clock(dut.engine_clk, period, "ps").start())
        for _ in range(3):
            await RisingEdge(dut.engine_clk)
        dut.engine_rst.value = 0


@cocotb.test()
@cocotb.parametrize(period=ENGINE_PERIODS_PS)
async def echoes(dut, period):
    """Bytes both ways at once, with pauses on every channel of the application; ends in order."""
    pauses = {"rx": 0.3, "tx": 0.5, "event": 0.5, "query": 0.5, "data": 0.3}
    bench = EdgeBench(dut, period, us_per_clock=0.5)
    await echo(bench, peers=4, size=5000, pauses=pauses, rto_clocks=20_000)


@cocotb.test()
@cocotb.parametrize(period=ENGINE_PERIODS_PS)
async def data_comes_before_the_news_behind_it(dut, period):
    """The application takes data slowly and events at once. What it is granted is there before
    EventPeerClosed and before the final event (ToeBench watches that)."""
    bench = EdgeBench(dut, period)
    await bench.start()
    await bench.app.listen(7)
    for turn in range(4):
        bench.pauses["data"] = 0.9
        peer = bench.peer(port=4000 + turn)
        session = await bench.app.accept(peer)
        data = random.randbytes(1000)
        peer.send(payload=data)
        peer.send(FIN | ACK)
        await bench.until(lambda s=session: s.peer_closed, 20_000, "EventPeerClosed")
        assert session.received == data


@cocotb.test()
@cocotb.parametrize(period=ENGINE_PERIODS_PS)
async def a_close_comes_behind_the_packet_before_it(dut, period):
    bench = EdgeBench(dut, period)
    await bench.start()
    await bench.app.listen(7)
    for turn in range(4):
        peer = bench.peer(port=4000 + turn)
        session = await bench.app.accept(peer)
        data = random.randbytes(1000)
        bench.app.send(session, data)
        bench.app.finish(session)
        end = seq_add(peer.got, len(data) + 1)
        assert await peer.data(len(data)) == data
        if peer.got != end:
            peer.take(await peer.expect(FIN | ACK))
        assert peer.got == end
        peer.send(FIN | ACK)
        assert await bench.app.final(session) == CLOSED
        assert not bench.app.results_wanted
        assert OK in {event["result"] for event in bench.app.results.values()}


# One clock and two widths, or wires: with TOEHOLD_FULL.
SETTINGS = [(1, 128), (0, 128), (0, 64)]


@pytest.mark.parametrize("own_clock, width", some(SETTINGS, 1))
def test_edges(own_clock, width):
    simulate(
        top="toe_behind_edges",
        core=["engine", "clocks"],
        extra_sources=["toe_behind_edges.sv"],
        test_module=__file__,
        parameters={"EngineWidth": width, "OwnClock": own_clock},
        # The preset keeps everything on chip: no memory behind it.
        build_args=[
            *BUILD_ARGS,
            "-Wno-PINMISSING",
            str(Path(__file__).with_name("toe_behind_edges.vlt")),
        ],
    )
