# SPDX-License-Identifier: Apache-2.0
"""toe with more connections than it keeps on chip: state comes from DRAM and goes back there under
traffic, and nobody notices; and with fewer pages than its transmit rings could fill. (test_toe.py
runs its scripts on this preset, too.)"""

import random

import cocotb
import pytest

from models.tcp_peer import ACK, FIN, RST, BehavingPeer, Weather, seq_diff
from models.toe_bench import BUILD_ARGS, CLOSE, CLOSED, ToeBench
from models.toe_traffic import echo
from support.extent import FULL, some
from support.simulate import simulate

pytestmark = pytest.mark.long

PEERS, ROUNDS = 48, 3
ROUGH = Weather(0.04, 0.03, lambda generator: generator.choice((50, 80, 120, 500)))


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
    # Events that were on their way together have the state from each other, or some of them. With
    # 64 bits there is but one on its way.
    if len(dut.s_axis_rx_tdata) > 64:
        assert 0 < counts["state_forwarded"] < counts["state_hits"] + counts["state_merged"]
    else:
        assert "state_forwarded" not in counts
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


@cocotb.test()
async def pages_run_out(dut):
    """More is given than the pool of pages has room for, to peers that do not acknowledge: who has
    pages is told that there is no room, and so is who has none when none is left. Segments go on,
    also those that are sent again, and with the acknowledgements everything comes."""
    bench = ToeBench(dut)
    await bench.start()
    app = bench.app
    await app.listen(7)
    peers = [bench.peer(port=4000 + i) for i in range(PEERS)]
    for peer in peers:
        await peer.connect()
    await bench.until(lambda: len(app.accepted) == PEERS, 5000, "all accepted")
    sessions = {session.remote_port: session for session in app.sessions.values()}
    given = {peer: random.randbytes(5000) for peer in peers}

    app.chunk = 700  # three or four pages
    first, others = peers[:30], peers[30:]
    pool = await bench.read("transmit_pages_free")
    for _ in range(2 if FULL else 1):
        # Nobody acknowledges. Each gets room once, and few pages are left then.
        for peer in first:
            app.send(sessions[peer.port], given[peer])
        await bench.clocks(12_000)
        for peer in first:
            session = sessions[peer.port]
            # And what is left of the page that its last byte is in.
            assert session.waits_for_space and 700 <= session.given < 700 + 256
        # These are for those who have none, as far as they go.
        for peer in others:
            app.send(sessions[peer.port], given[peer])
        await bench.clocks(4000)
        total = sum(session.given for session in sessions.values())
        assert 30 * 700 < total <= 128 * 256
        assert not all(sessions[peer.port].given for peer in others)
        for peer in others:
            session = sessions[peer.port]
            assert session.given or session.waits_for_space, "a request waits"
        # A segment that is lost comes again from its pages.
        await bench.advance(200_000, settle=0)
        await bench.clocks(4000)

        received = {peer: b"" for peer in peers}
        for _ in range(60_000):
            for peer in peers:
                news = False
                while peer.inbox:
                    segment = peer.inbox.popleft()
                    skip = seq_diff(peer.got, segment.seq)
                    if 0 <= skip < len(segment.payload):
                        received[peer] += segment.payload[skip:]
                        peer.got = segment.end
                    news |= bool(segment.payload)
                if news:
                    peer.send()
            if all(len(data) == 5000 for data in received.values()):
                break
            await bench.clocks(10)
        assert received == given
        await bench.until(lambda: not any(s.outgoing for s in sessions.values()), 100, "all given")
        await bench.clocks(2000)
        for session in sessions.values():
            session.given = 0
        for peer in peers:
            peer.inbox.clear()
        # All pages are free again: the next round finds as many.
        assert await bench.read("transmit_pages_free") == pool == 128


@cocotb.test()
async def half_never_read(dut):
    """Half of the clients ask for an echo and do not read it: what waits for them takes all of the
    pool that it can get. The others have small and large messages echoed meanwhile, each byte as it
    was sent. Some of those that do not read are reset, the rest read in the end: then every page is
    free."""
    bench = ToeBench(dut, us_per_clock=0.5)
    await bench.start()
    app = bench.app
    app.echo = True
    await app.listen(7)
    app.grant = lambda session, offered: offered if len(session.outgoing) < bench.tx_ring else 0
    peers = []
    for i in range(24):
        hoards = i % 2 == 1
        peer = BehavingPeer(
            bench.wire, bench.clocks, bench.random, port=5000 + i,
            **(dict(mss=300, ring=(800, 2000)[i // 2 % 2]) if hoards else {}),
        )  # fmt: skip
        if hoards:
            peer.reads_per_clock = 0
            peer.outgoing += bench.random.randbytes(6000)
        bench.steps.append(peer.step)
        peers.append(peer)
        peer.open()
    readers, hoarders = peers[::2], peers[1::2]
    pool = await bench.read("transmit_pages_pages")
    await bench.until(lambda: len(app.accepted) == len(peers), 20_000, "all accepted")
    await bench.clocks(20_000)
    assert await bench.read("transmit_pages_free") < pool // 4, "they do not hold the pool"

    async def exchange(sizes, peers=readers) -> None:
        for peer in peers:
            peer.outgoing += bench.random.randbytes(bench.random.choice(sizes))
        await bench.until(
            lambda: all(len(peer.incoming) == len(peer.outgoing) for peer in peers),
            200_000, f"echoes of {sizes}",
        )  # fmt: skip
        assert all(peer.incoming == peer.outgoing for peer in peers)

    for sizes in ((1, 30, 200), (1500, 3000, 5000), (10, 4000)):
        await exchange(sizes)
    assert await bench.read("counters_page_refused")
    assert await bench.read("transmit_pages_free_least") < pool // 8

    for peer in hoarders[::2]:
        peer.state, peer.timer, peer.reset = "reset", None, True
        peer.send(RST | ACK, seq=peer.nxt)
    await exchange((10, 4000))
    rest = hoarders[1::2]
    for peer in rest:
        peer.reads_per_clock = 1000
    await exchange((0,), rest)
    await bench.until(lambda: len(app.past) == len(hoarders[::2]), 20_000, "resets")
    await bench.clocks(5000)
    assert not (await bench.counters("tcp_timed_out"))
    assert await bench.read("transmit_pages_free") == pool


@cocotb.test()
async def pages_under_losses(dut):
    """More connections than the pool has pages for, each way over a link that loses and repeats."""
    bench = ToeBench(dut, us_per_clock=0.5)
    await echo(bench, peers=20, size=6000 if FULL else 3000, weather=ROUGH, rto_clocks=8000)
    assert (await bench.counters())["tcp_retransmitted_segments"]


@pytest.mark.parametrize("width", some([64, 512], 1))
def test_toe_cached(width):
    simulate(
        top="toe",
        test_module=__file__,
        parameters={"DataWidth": width, "Preset": 3},
        build_args=BUILD_ARGS,
    )
