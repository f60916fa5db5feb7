# SPDX-License-Identifier: Apache-2.0
"""toe with an Mtu of 9,000 bytes: segments of 8,960 come and go, beside those of peers that know
only smaller ones; nothing longer does."""

import random

import cocotb
import pytest

from models.tcp_peer import Weather
from models.toe_bench import BUILD_ARGS, ToeBench
from models.toe_traffic import echo
from support.extent import FULL, some
from support.simulate import simulate

pytestmark = pytest.mark.long

BULK = 2  # PresetBulk
MSS, RING = 8960, 60_000
ROUGH = Weather(0.04, 0.03, lambda generator: generator.choice((50, 80, 1200, 3000)))


def server(dut) -> ToeBench:
    return ToeBench(dut, us_per_clock=0.5)


@cocotb.test()
async def calm(dut):
    bench = server(dut)
    ends = await echo(bench, peers=3, size=100_000, mss=MSS, ring=RING)
    assert {end.engine_mss for end in ends} == {MSS}
    # Had they been of 1,460 bytes, the data alone would have taken more.
    assert await bench.counter("tx_frames") < 3 * 100_000 // 1460
    assert sum(end.retransmissions for end in ends) == 0


@cocotb.test()
async def rough(dut):
    bench = server(dut)
    ends = await echo(
        bench,
        peers=3,
        size=200_000 if FULL else 80_000,
        weather=ROUGH,
        mss=MSS,
        ring=RING,
        rto_clocks=20_000,
    )
    counters = await bench.counters()
    assert counters["tcp_retransmitted_segments"] and counters["tcp_stored_segments"]
    assert sum(end.retransmissions for end in ends)


@cocotb.test()
async def sizes(dut):
    """Of all lengths between, with pauses on every channel."""
    pauses = {"rx": 0.3, "tx": 0.5, "event": 0.5, "query": 0.5, "data": 0.3}
    mss = random.Random(7).randrange(1461, MSS)
    await echo(server(dut), peers=2, size=60_000, pauses=pauses, mss=mss, ring=RING)


@cocotb.test()
async def giant(dut):
    """A packet of Mtu bytes is taken, one of a byte more is not."""
    bench = server(dut)
    await bench.start()
    await bench.app.listen(7)
    peer = bench.peer(port=5000, dport=7)
    await bench.app.accept(peer)
    for length, dropped in ((MSS, 0), (MSS + 1, 1)):
        peer.send(payload=bytes(length))
        await bench.clocks(3 * length // (bench.width // 8) + 2000)
        assert await bench.counter("drop_giant") == dropped


@pytest.mark.parametrize("width", some([64, 512], 1))
def test_toe_jumbo(width):
    parameters = {"DataWidth": width, "Preset": BULK}
    simulate(top="toe", test_module=__file__, parameters=parameters, build_args=BUILD_ARGS)
