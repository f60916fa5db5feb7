# SPDX-License-Identifier: Apache-2.0
"""toe with a pool of receive pages that is too small for all that its peers could send (preset
cached): what is acknowledged comes, what finds no page comes again, and pages come back from
connections that are read, reset, aborted, or left with pieces beyond gaps."""

import random

import cocotb
import pytest

from models.tcp_peer import ACK, RST, BehavingPeer, Weather, seq_diff
from models.toe_bench import BUILD_ARGS, CLOSED, ToeBench
from support.extent import some
from support.simulate import simulate

pytestmark = pytest.mark.long

PAGES, PAGE = 128, 256
WINDOW = 2048 - PAGE
HELD_US = 32_768
ROUGH = Weather(0.04, 0.03, lambda generator: generator.choice((50, 80, 120, 500)))


async def all_free(bench: ToeBench) -> None:
    """The pool has all its pages again, but for the way there."""
    for _ in range(100):
        if await bench.read("receive_pages_free") == PAGES:
            return
        await bench.clocks(100)
    raise AssertionError(f"{await bench.read('receive_pages_free')} of {PAGES} pages are free")


async def connected(bench: ToeBench, count: int):
    await bench.start()
    assert bench.rx_ring == WINDOW
    assert await bench.read("receive_pages_pages") == PAGES
    await bench.app.listen(7)
    peers = [bench.peer(port=4000 + i) for i in range(count)]
    for peer in peers:
        await peer.connect()
    await bench.until(lambda: len(bench.app.accepted) == count, 5000, "all accepted")
    sessions = {session.remote_port: session for session in bench.app.sessions.values()}
    return peers, [sessions[peer.port] for peer in peers]


@cocotb.test()
async def run_out(dut):
    """Nobody reads: each connection gets pages once, then those who have none get the last ones,
    and what finds none is acknowledged as before. Then all is read."""
    bench = ToeBench(dut)
    app = bench.app
    app.grant = lambda session, offered: 0
    peers, sessions = await connected(bench, 40)
    data = {peer: random.randbytes(1460) for peer in peers}
    taken = []
    for peer in peers:
        begin = peer.nxt
        peer.send(payload=data[peer])
        answer = await peer.expect(ACK)
        if answer.ack == peer.nxt:
            taken.append(peer)
            assert answer.window == WINDOW - 1460
        else:
            assert answer.ack == begin and answer.window == WINDOW
    # 6 pages each, or 7 for who begins late in one.
    assert len(taken) in range(PAGES // 7, PAGES // 6 + 1)
    refused = await bench.counter("drop_tcp_no_page")
    assert refused == len(peers) - len(taken)
    free = await bench.read("receive_pages_free")
    assert free == await bench.read("receive_pages_free_least") <= 6
    # Who has some gets no more, and nobody gets one beyond a gap.
    peer = taken[0]
    peer.send(payload=bytes(300))
    assert (await peer.expect(ACK)).ack == peer.nxt - 300
    assert await bench.counter("drop_tcp_no_page") == refused + 1
    late = next(peer for peer in peers if peer not in taken)
    late.send(seq=late.nxt - 1460 + 700, payload=bytes(10))
    assert (await late.expect(ACK)).ack == late.nxt - 1460
    assert await bench.read("receive_pages_free") == free

    # All ask at once, and which of them is last depends on where the queue stands.
    app.grant = lambda session, offered: offered
    full = [(peer, s) for peer, s in zip(peers, sessions, strict=True) if peer in taken]
    await bench.until(
        lambda: all(len(s.received) >= 1460 for _, s in full), 800 * len(full), "all that was taken"
    )
    for peer, session in full:
        assert bytes(session.received) == data[peer]
    await all_free(bench)
    for peer, session in zip(peers, sessions, strict=True):
        if peer not in taken:
            peer.inbox.clear()
            peer.send(seq=peer.nxt - 1460, payload=data[peer])
            await bench.until(lambda s=session: len(s.received) >= 1460, 6000, "data sent again")
            assert bytes(session.received[:1460]) == data[peer]
    await all_free(bench)
    assert bench.states() == {"established": len(peers)}


@cocotb.test()
async def gaps_find_their_pages(dut):
    """What lies beyond a gap holds the pages of the gap: it is filled though no page is left."""
    bench = ToeBench(dut)
    app = bench.app
    app.grant = lambda session, offered: 0
    peers, sessions = await connected(bench, 40)
    gap, rest = peers[0], peers[1:]
    data = random.randbytes(1500)
    begin = gap.nxt
    gap.send(seq=begin + 1000, payload=data[1000:])
    assert (await gap.expect(ACK)).ack == begin
    for peer in rest:
        for size in (1460, 600, 200, 50):
            peer.send(payload=bytes(size))
            answer = await peer.expect(ACK)
            if answer.ack == peer.nxt:
                break
            peer.nxt = answer.ack
    assert await bench.read("receive_pages_free") <= 1
    gap.nxt = begin
    gap.send(payload=data[:600])
    assert (await gap.expect(ACK)).ack == (begin + 600) & 0xFFFFFFFF
    gap.send(payload=data[600:1000])
    assert (await gap.expect(ACK)).ack == (begin + 1500) & 0xFFFFFFFF
    app.grant = lambda session, offered: offered
    assert await app.received(sessions[0], 1500) == data
    await all_free(bench)


@cocotb.test()
async def window_waits_for_pages(dut):
    """While pages are short the right edge of a window that is read stands still; when there are
    some, the peer is told without asking."""
    bench = ToeBench(dut)
    app = bench.app
    peers, sessions = await connected(bench, 30)
    reader, reading = peers[0], sessions[0]
    app.grant = lambda session, offered: offered if session is reading else 0
    for peer in peers[1:]:
        peer.send(payload=bytes(1460))
        await peer.expect(ACK)
        if await bench.read("receive_pages_free") < PAGES // 4:
            break
    free = await bench.read("receive_pages_free")
    edge = reader.nxt + WINDOW
    data = random.randbytes(WINDOW)
    for start in range(0, WINDOW, 448):
        reader.send(payload=data[start : start + 448])
        await bench.until(lambda n=start: len(reading.received) >= n + 448, 4000, "data")
        while reader.inbox:
            answer = reader.inbox.popleft()
            assert seq_diff(edge, answer.ack + answer.window) == 0
        await bench.clocks(200)
    assert bytes(reading.received) == data
    assert await bench.read("receive_pages_free") == free
    # It is closed: a probe is answered as ever.
    reader.inbox.clear()
    reader.send(seq=reader.nxt - 1, payload=data[-1:])
    await reader.expect(ACK, ack=reader.nxt, window=0)
    # Nothing is said while pages are short.
    await bench.pass_time(2 * HELD_US, step=4096, settle=200)
    await reader.silent()
    app.grant = lambda session, offered: offered
    await all_free(bench)
    assert not reader.inbox
    await bench.pass_time(HELD_US + 1000, step=2048, settle=200)
    await reader.expect(ACK, ack=reader.nxt, window=WINDOW)
    reader.send(payload=data[:1000])
    await bench.until(lambda: len(reading.received) == WINDOW + 1000, 4000, "more")
    await all_free(bench)


@cocotb.test()
async def ends(dut):
    """Connections end with unread data, and with pieces beyond gaps: by the peer, by the
    application, in the middle of a delivery. Ids begin again, and no page is lost."""
    bench = ToeBench(dut)
    app = bench.app
    await bench.start()
    await app.listen(7)
    for turn in range(4):
        app.grant = lambda session, offered: random.choice((0, 0, 0, random.randint(1, offered)))
        peers = [bench.peer(port=4000 + 100 * turn + i) for i in range(24)]
        for peer in peers:
            await peer.connect()
        await bench.until(lambda: len(app.accepted) == 24, 5000, "all accepted")
        sessions = {session.remote_port: session for session in app.sessions.values()}
        for _ in range(3):
            for peer in peers:
                size = random.choice((1, 200, 600))
                if random.random() < 0.5:
                    peer.send(payload=bytes(size))
                else:
                    peer.send(seq=peer.nxt + random.randint(1, 1000), payload=bytes(size))
        await bench.clocks(random.randint(1, 3000))
        for peer in peers:
            peer.inbox.clear()
            peer.send()
        await bench.wire_idle()
        await bench.clocks(1000)  # it has decided all of them
        for peer in peers:
            session = sessions[peer.port]
            if random.random() < 0.5:
                if session.key in app.sessions:
                    await app.abort(session)
            else:
                # Wherever the engine has come to.
                answer = None
                peer.send(seq=peer.nxt - 2000)
                await bench.clocks(400)
                while peer.inbox:
                    answer = peer.inbox.popleft()
                if answer is not None and not answer.flags & RST:
                    peer.send(RST, seq=answer.ack)
        app.grant = lambda session, offered: offered
        await bench.until(lambda: not app.sessions, 40_000, "the end of all")
        app.accepted.clear()
        await all_free(bench)
        assert bench.states() == {}


async def bulk(bench: ToeBench, readers: int, others: int, size: int) -> None:
    """Each of `readers` sends and gets back `size` bytes, while what `others` send is not read
    until they have ended."""
    app = bench.app
    await bench.start()
    await app.listen(7)
    app.close_after_peer = True
    starve = True

    def grant(session, offered):
        if session.remote_port >= 6000 and starve:
            return 0
        return offered if len(session.outgoing) < bench.tx_ring else 0

    app.grant = grant
    app.echo = True
    peers = []
    for i in range(readers + others):
        port = 5000 + i if i < readers else 6000 + i
        peer = BehavingPeer(
            bench.wire, bench.clocks, bench.random, weather=ROUGH, port=port, rto_clocks=8000,
            isn=bench.random.getrandbits(32), mss=bench.random.choice((300, 1460)),
        )  # fmt: skip
        peer.outgoing = bytearray(bench.random.randbytes(size))
        peer.close_after = True
        bench.steps.append(peer.step)
        peers.append(peer)
        peer.open()
    await bench.until(lambda: all(peer.done for peer in peers[:readers]), 800_000, "readers")
    least = await bench.read("receive_pages_free_least")
    starve = False
    await bench.until(lambda: all(peer.done for peer in peers), 800_000, "all others")
    for peer in peers:
        assert not peer.reset, f"reset{peer}"
        assert peer.incoming == peer.outgoing, f"{len(peer.incoming)} of {size} came back{peer}"
    await bench.until(lambda: len(app.past) == len(peers), 400_000, "end of all sessions")
    assert all(session.final == CLOSED for session in app.past)
    assert least < PAGES // 4
    await all_free(bench)


@cocotb.test()
async def exchange_beside_those_that_do_not_read(dut):
    bench = ToeBench(dut, us_per_clock=0.5)
    await bulk(bench, readers=20, others=8, size=4000)
    assert await bench.counter("drop_tcp_no_page")
    assert await bench.counter("tcp_stored_segments")


@pytest.mark.parametrize("width", some([64, 512], 1))
def test_toe_receive_pages(width):
    simulate(
        top="toe",
        test_module=__file__,
        parameters={"DataWidth": width, "Preset": 3},
        build_args=BUILD_ARGS,
    )
