# SPDX-License-Identifier: Apache-2.0
"""toe as an echo server for several peers at once, each a TCP of its own on a wire that loses,
repeats and reorders: every byte comes back once, in order, and every connection ends."""

import cocotb
import pytest

from models.tcp_peer import Weather
from models.toe_bench import BUILD_ARGS, ToeBench
from models.toe_traffic import echo
from support.extent import some
from support.simulate import simulate

pytestmark = pytest.mark.long

ROUGH = Weather(0.04, 0.03, lambda generator: generator.choice((50, 80, 120, 500)))


def server(dut) -> ToeBench:
    return ToeBench(dut, us_per_clock=0.5)


@cocotb.test()
async def calm(dut):
    bench = server(dut)
    ends = await echo(bench, peers=4, size=8000)
    assert sum(peer.retransmissions for peer in ends) == 0
    assert await bench.counters("tcp_retrans", "tcp_fast", "drop_tcp") == {}


@cocotb.test()
async def rough(dut):
    bench = server(dut)
    ends = await echo(bench, peers=4, size=30_000, weather=ROUGH, rto_clocks=8000)
    counters = await bench.counters()
    assert counters["tcp_retransmitted_segments"] and counters["tcp_stored_segments"]
    assert sum(peer.retransmissions for peer in ends)


@cocotb.test()
async def slow_readers(dut):
    """Peers whose windows close, and pauses on every channel."""
    pauses = {"rx": 0.3, "tx": 0.5, "event": 0.5, "query": 0.5, "data": 0.3}
    await echo(server(dut), peers=2, size=5000, pauses=pauses, mss=300, ring=1500, rto_clocks=8000)


@pytest.mark.parametrize("preset, width", some([(0, 64), (4, 512), (0, 512), (4, 64)], 2))
def test_toe_bulk(preset, width):
    parameters = {"DataWidth": width} | ({"Preset": preset} if preset else {})
    simulate(top="toe", test_module=__file__, parameters=parameters, build_args=BUILD_ARGS)
