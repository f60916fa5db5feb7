# SPDX-License-Identifier: Apache-2.0
"""toe as an echo server for several peers at once, each a TCP of its own on a wire that loses,
repeats and reorders: every byte comes back once, in order, and every connection ends."""

import cocotb
import pytest

from models.tcp_peer import BehavingPeer, Weather
from models.toe_bench import BUILD_ARGS, CLOSED, ToeBench
from support.simulate import simulate

CALM = Weather()
ROUGH = Weather(0.04, 0.03, lambda generator: generator.choice((50, 80, 120, 500)))


async def echo(dut, peers: int, size: int, weather: Weather, pauses=None, **options):
    bench = ToeBench(dut, us_per_clock=0.5)
    await bench.start()
    app = bench.app
    await app.listen(7)
    app.echo = app.close_after_peer = True
    # What is not sent back yet stays in the ring: no more than a ring is ever kept here.
    app.grant = lambda session, offered: offered if len(session.outgoing) < bench.tx_ring else 0
    bench.pauses.update(pauses or {})
    ends = []
    for i in range(peers):
        peer = BehavingPeer(
            bench.wire, bench.clocks, bench.random, weather=weather, port=5000 + i,
            isn=bench.random.choice((0xFFFFFF00, bench.random.getrandbits(32))), **options,
        )  # fmt: skip
        peer.outgoing = bytearray(bench.random.randbytes(size))
        peer.close_after = True
        bench.steps.append(peer.step)
        ends.append(peer)
        peer.open()
    await bench.until(lambda: all(peer.done for peer in ends), 400_000, "end of all connections")
    for peer in ends:
        assert not peer.reset, f"reset{peer}"
        assert peer.incoming == peer.outgoing, f"{len(peer.incoming)} of {size} came back{peer}"
    await bench.clocks(1000)
    assert len(app.past) == peers and all(s.final == CLOSED for s in app.past)
    return bench, ends


@cocotb.test()
async def calm(dut):
    bench, ends = await echo(dut, peers=4, size=8000, weather=CALM)
    assert sum(peer.retransmissions for peer in ends) == 0
    assert await bench.counters("tcp_retrans", "tcp_fast", "drop_tcp") == {}


@cocotb.test()
async def rough(dut):
    bench, ends = await echo(dut, peers=4, size=30_000, weather=ROUGH, rto_clocks=8000)
    counters = await bench.counters()
    assert counters["tcp_retransmitted_segments"] and counters["tcp_stored_segments"]
    assert sum(peer.retransmissions for peer in ends)


@cocotb.test()
async def slow_readers(dut):
    """Peers whose windows close, and pauses on every channel."""
    pauses = {"rx": 0.3, "tx": 0.5, "event": 0.5, "query": 0.5, "data": 0.3}
    await echo(
        dut, peers=2, size=5000, weather=CALM, pauses=pauses, mss=300, ring=1500, rto_clocks=8000
    )


@pytest.mark.parametrize("preset, width", [(0, 64), (0, 512), (4, 64), (4, 512)])
def test_toe_bulk(preset, width):
    parameters = {"DataWidth": width} | ({"Preset": preset} if preset else {})
    simulate(top="toe", test_module=__file__, parameters=parameters, build_args=BUILD_ARGS)
