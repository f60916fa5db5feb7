# SPDX-License-Identifier: Apache-2.0
"""Traffic of several peers with the engine, each of them a TCP of its own."""

from models.tcp_peer import BehavingPeer, Weather
from models.toe_bench import CLOSED, ToeBench

CALM = Weather()


async def echo(
    bench: ToeBench, peers: int, size: int, weather: Weather = CALM, pauses=None, **options
) -> list[BehavingPeer]:
    """`bench`, not started yet, is an echo server for as many peers: every byte comes back once,
    in order, and every connection ends."""
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
    # A peer is done when it has sent its last acknowledgement, which may be lost like all else.
    await bench.until(lambda: len(app.past) == peers, 400_000, "end of all sessions")
    await bench.clocks(1000)
    assert len(app.past) == peers and all(s.final == CLOSED for s in app.past)
    return ends
