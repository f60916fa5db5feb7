# SPDX-License-Identifier: Apache-2.0
"""toe with more connections than it keeps on chip: state comes from DRAM and goes back there under
traffic, and nobody notices. (test_toe.py runs its scripts on this preset, too.)"""

import random

import cocotb
import pytest

from models.tcp_peer import ACK, FIN
from models.toe_bench import BUILD_ARGS, CLOSE, CLOSED, ToeBench
from support.simulate import simulate

pytestmark = pytest.mark.long

PEERS, ROUNDS = 48, 3


@cocotb.test()
async def many_connections_at_once(dut):
    """Requests of all connections in random order, back to back, several of each: every one gets
    its own bytes back, in order. Then all close."""
    bench = ToeBench(dut)
    await bench.start()
    app = bench.app
    app.echo = True
    await app.listen(7)
    peers = [bench.peer(port=4000 + i) for i in range(PEERS)]
    for peer in peers:
        await peer.connect()
    await bench.until(lambda: len(app.accepted) == PEERS, 5000, "all accepted")
    assert bench.states() == {"established": PEERS}

    for _ in range(ROUNDS):
        sent = {peer: b"" for peer in peers}
        order = [peer for peer in peers for _ in range(random.choice((1, 1, 2)))]
        random.shuffle(order)
        for peer in order:
            payload = random.randbytes(random.choice((1, 30, 200)))
            peer.send(payload=payload)
            sent[peer] += payload
        random.shuffle(peers)
        for peer in peers:
            assert await peer.data(len(sent[peer]), clocks=60_000) == sent[peer]
        await bench.wire_idle()

    counts = await bench.counters("state", "drop", "tcp_retransmitted")
    # Twice a segment of each at least, for what comes and for what the application gives.
    assert counts["state_misses"] > PEERS * ROUNDS
    assert counts["state_reads"] > PEERS * ROUNDS
    assert counts["state_write_backs"] > PEERS * ROUNDS
    assert counts["state_merged"] > 0 and counts["state_hits"] > 0
    # Events that were on their way together have the state from each other, or some of them.
    assert 0 < counts["state_forwarded"] < counts["state_hits"] + counts["state_merged"]
    assert 2 <= await bench.read("state_cache_lines_most") <= 3
    assert not [name for name in counts if not name.startswith("state_")], counts
    # Tuples are in DRAM, too: nearly every segment has to ask for its connection.
    index = await bench.counters("index")
    assert index["index_misses"] > PEERS * ROUNDS // 2
    assert index["index_reads"] > PEERS * ROUNDS // 2
    assert index["index_second_reads"] <= index["index_misses"]
    assert "index_refused" not in index
    assert await bench.read("tuple_index_stash") == 0
    assert await bench.read("state_cache_parked_most") > 1
    assert await bench.read("state_cache_parked") == 0

    for peer in peers:
        peer.inbox.clear()
        peer.send(FIN | ACK)
    for peer in peers:
        await peer.expect(ACK, ack=peer.nxt, clocks=60_000)
    await bench.until(
        lambda: all(session.peer_closed for session in app.sessions.values()), 20_000, "FINs"
    )
    sessions = list(app.sessions.values())
    for session in sessions:
        app.command(CLOSE, session)
    for peer in peers:
        peer.take(await peer.expect(FIN | ACK, ack=peer.nxt, clocks=60_000))
        peer.send()
    await bench.until(lambda: not app.sessions, 60_000, "the end of all")
    assert {session.final for session in sessions} == {CLOSED}
    assert bench.states() == {}


@pytest.mark.parametrize("width", [64, 512])
def test_toe_cached(width):
    simulate(
        top="toe",
        test_module=__file__,
        parameters={"DataWidth": width, "Preset": 3},
        build_args=BUILD_ARGS,
    )
