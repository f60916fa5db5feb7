# SPDX-License-Identifier: Apache-2.0
"""toe with cut-through: payload reaches the application while it comes in, in constant time, and
whatever stands in the way of that - bad checksums, applications that do not take it, ends of
connections in the wrong moment - every byte arrives once and in order."""

import os
import struct

import cocotb
import pytest

from models.tcp_peer import ACK, FIN, PSH, RST, Segment
from models.toe_bench import ABORT, BUILD_ARGS, CLOSE, CLOSED, OK, RESET, ToeBench
from support.simulate import simulate

pytestmark = pytest.mark.long

MOST = {64: 20, 512: 12}  # clocks from head to head
STAMPS = b"\x01\x01\x08\x0a"


async def connected(dut, peers=1, seed=None, stamps=False, **settings):
    bench = ToeBench(dut, seed=seed)
    await bench.start(**settings)
    await bench.app.listen(7)
    ends = []
    for i in range(peers):
        peer = bench.peer(port=4000 + i)
        if stamps:
            peer.send(2, options=b"\x02\x04\x05\xb4" + STAMPS + struct.pack("!II", 1, 0))
            answer = await peer.expect(0x12)
            peer.take(answer)
            peer.send(ACK, options=STAMPS + struct.pack("!II", 1, 0))
            session = await bench.app.next_accepted(peer)
        else:
            session = await bench.app.accept(peer)
        ends.append((peer, session))
    await bench.clocks(100)
    return bench, ends


async def deliver(bench, peer, session, payload: bytes, **fields) -> int:
    """One segment; clocks from the head of its frame to that of its payload."""
    done = len(session.received)
    queries = bench.app.queries
    bench.frame_clocks.clear()
    peer.send(ACK | PSH, payload=payload, **fields)
    got = await bench.app.received(session, done + len(payload))
    assert got[done:] == payload
    await peer.acknowledged(ack=peer.nxt)
    assert bench.app.queries == queries + 1
    return bench.app.packet_clock - bench.frame_clocks[0]


def payload_of(bench, size: int) -> bytes:
    return bench.random.randbytes(size)


def damaged(bench, segment: Segment, position: int) -> bytes:
    """The segment's frame with one byte of its payload changed."""
    wire = bench.wire
    frame = bytearray(wire.ethernet(segment.source, b"\x08\0", segment.packet()))
    frame[14 + 40 + len(segment.options) + position] ^= bench.random.randrange(1, 256)
    return bytes(frame)


def next_segment(bench, peer, payload: bytes) -> Segment:
    return Segment(peer.ip, bench.wire.engine_ip, peer.port, peer.dport, peer.nxt, peer.got,
                   ACK | PSH, peer.window, payload)  # fmt: skip


@cocotb.test()
async def constant(dut):
    """The same latency whatever the length, that of a single beat included, which waits for its
    checksum."""
    bench, [(peer, session)] = await connected(dut)
    clocks = {}
    for size in (1, 2, 7, 8, 9, 16, 33, 64, 65, 100, 256, 700, 1024, 1459, 1460):
        clocks[size] = await deliver(bench, peer, session, payload_of(bench, size))
        await bench.clocks(40)
    bench.dut._log.info(f"head to head: {clocks}")
    assert max(clocks.values()) <= MOST[bench.width], clocks
    assert max(clocks.values()) - min(clocks.values()) <= 2, clocks


@cocotb.test()
async def time_stamps(dut):
    """A connection with time stamps goes straight, too; without the option in a segment, or with an
    old stamp, nothing does."""
    bench, [(peer, session)] = await connected(dut, stamps=True)
    for stamp in (5, 5, 9):
        options = STAMPS + struct.pack("!II", stamp, 0)
        clocks = await deliver(bench, peer, session, payload_of(bench, 700), options=options)
        assert clocks < 40, clocks
        await bench.clocks(60)
    data = payload_of(bench, 300)
    queries = bench.app.queries
    peer.send(ACK, payload=data, seq=peer.nxt, options=STAMPS + struct.pack("!II", 3, 0))
    peer.send(ACK, payload=data, seq=peer.nxt)
    await bench.clocks(600)
    assert bench.app.queries == queries and bench.app.taken_back == 0
    assert await bench.counter("drop_tcp_timestamp") == 2


@cocotb.test()
async def every_bad_beat(dut):
    """A byte wrong at each place: the application is told at the end, nothing has moved, and the
    same bytes come again."""
    bench, [(peer, session)] = await connected(dut)
    size, bad = 3 * bench.lanes + 5, 0
    for position in range(0, size, 1 if bench.width == 64 else 7):
        data = payload_of(bench, size)
        bench.transmit(damaged(bench, next_segment(bench, peer, data), position))
        await bench.wire_idle()
        await bench.clocks(60)
        bad += 1
        assert bench.app.taken_back == bad and not peer.inbox
        await deliver(bench, peer, session, data)
    assert await bench.counter("drop_tcp_checksum") == bad

    # One beat: it waits for its verdict.
    data = payload_of(bench, 3)
    bench.transmit(damaged(bench, next_segment(bench, peer, data), 1))
    await bench.clocks(100)
    assert bench.app.taken_back == bad + 1
    # A frame that the MAC found bad, one that is cut short.
    data = payload_of(bench, 400)
    dut.s_axis_rx_tuser.value = 1
    bench.transmit(damaged(bench, next_segment(bench, peer, data), 1))
    await bench.wire_idle()
    await bench.clocks(1)
    dut.s_axis_rx_tuser.value = 0
    frame = bench.wire.ethernet(peer.ip, b"\x08\0", next_segment(bench, peer, data).packet())
    bench.transmit(frame[:200])
    bench.transmit(frame[:60])
    await bench.clocks(300)
    await deliver(bench, peer, session, data)
    await bench.clocks(100)
    await deliver(bench, peer, session, data)


@cocotb.test()
async def every_bad_header_byte(dut):
    """A bit wrong anywhere in the headers, so that the segment looks like another one's, or like a
    later one: whoever was given something is told, and nothing has moved."""
    bench, ends = await connected(dut, peers=2)
    (peer, session), (other, other_session) = ends
    assert peer.port ^ other.port == 1  # one bit makes one of the other
    size = 2 * bench.lanes + 3
    for position in range(-40, 0):
        data = payload_of(bench, size)
        wire = bench.wire.ethernet(peer.ip, b"\x08\0", next_segment(bench, peer, data).packet())
        frame = bytearray(wire)
        frame[14 + 40 + position] ^= 1
        bench.transmit(bytes(frame))
        if position % 2:  # right behind it, or later
            await bench.wire_idle()
            await bench.clocks(60)
        await deliver_somehow(bench, peer, session, data)
        if position % 5 == 0:
            await deliver_somehow(bench, other, other_session, payload_of(bench, size))
    await bench.clocks(200)


async def deliver_somehow(bench, peer, session, payload: bytes) -> None:
    """One segment, whichever way it goes."""
    done = len(session.received)
    peer.send(ACK | PSH, payload=payload)
    got = await bench.app.received(session, done + len(payload))
    assert got[done:] == payload
    await bench.clocks(40)
    peer.inbox.clear()


@cocotb.test()
async def bad_and_good_in_a_row(dut):
    """Segments back to back, some of them damaged: what follows a bad one is not next."""
    bench, [(peer, session)] = await connected(dut)
    for _ in range(30):
        sizes = [bench.random.randrange(1, 400) for _ in range(4)]
        parts = [payload_of(bench, size) for size in sizes]
        start, at = len(session.received), peer.nxt
        for part in parts:
            segment = next_segment(bench, peer, part)
            if bench.random.random() < 0.4:
                bench.transmit(damaged(bench, segment, bench.random.randrange(len(part))))
            else:
                bench.wire.send(segment)
            peer.nxt = peer.highest = segment.end
        await bench.wire_idle()
        await bench.clocks(200)
        everything = b"".join(parts)
        peer.send(ACK, payload=everything[:1400], seq=at)
        peer.send(ACK, payload=everything[1400:], seq=at + 1400) if everything[1400:] else None
        await bench.app.received(session, start + len(everything))
        await bench.clocks(200)
        assert session.received[start:] == everything
        peer.inbox.clear()


@cocotb.test()
async def repeated_in_a_row(dut):
    """The same segment again right behind itself, before its commit: once is enough."""
    bench, [(peer, session)] = await connected(dut)
    for size in (1, 8, 20, 64, 65, 130, 700, 30, 9) * 3:
        data = payload_of(bench, size)
        start = len(session.received)
        segment = next_segment(bench, peer, data)
        for _ in range(3):
            bench.wire.send(segment)
        peer.nxt = peer.highest = segment.end
        more = payload_of(bench, 40)
        peer.send(ACK, payload=more)
        await bench.app.received(session, start + size + 40)
        await bench.clocks(200)
        assert session.received[start:] == data + more
        peer.inbox.clear()


async def restless(dut, grant, late=0.0):
    """Several connections, an application that takes what `grant` says: all arrives in the end."""
    bench, ends = await connected(dut, peers=4)
    app = bench.app
    app.grant = lambda session, offered: grant(bench, offered)
    if late:
        bench.pauses["query"] = late
        bench.pauses["data"] = 0.4
    sent = {session: bytearray() for _, session in ends}
    for _ in range(40):
        for peer, session in bench.random.sample(ends, 3):
            room = 1000 - (len(sent[session]) - len(session.received))
            if room > 0:
                data = payload_of(bench, bench.random.randrange(1, min(room, 500) + 1))
                sent[session] += data
                peer.send(ACK, payload=data)
        await bench.clocks(bench.random.choice((1, 30, 300)))
    app.grant = lambda session, offered: bench.random.randint(0, offered)
    for _, session in ends:
        await app.received(session, len(sent[session]), 100_000)
    await bench.clocks(500)
    for _, session in ends:
        assert bytes(session.received) == bytes(sent[session])
    return bench


@cocotb.test()
async def never_granted(dut):
    bench = await restless(dut, lambda bench, offered: 0)
    assert bench.app.taken_back == 0


@cocotb.test()
async def one_byte_at_a_time(dut):
    bench = await restless(dut, lambda bench, offered: 1)
    assert bench.app.taken_back > 0


@cocotb.test()
async def sometimes(dut):
    await restless(dut, lambda bench, offered: bench.random.choice((0, 1, offered // 2, offered)))


@cocotb.test()
async def late_answers(dut):
    """Queries that wait longer than the segment can, data that is taken with pauses."""
    await restless(dut, lambda bench, offered: bench.random.choice((0, offered)), late=0.97)


@cocotb.test()
async def grants_then_withdraws(dut):
    """An application that grants all, and then takes no data and grants nothing for a while."""
    turn = 0

    def grant(bench, offered):
        nonlocal turn
        turn += 1
        willing = turn % 8 < 3
        bench.pauses["data"] = 0.2 if willing else 0.95
        return offered if willing else 0

    await restless(dut, grant)


@cocotb.test()
async def ends_at_once(dut):
    """FIN, RST, abort and close right behind data, at every distance: data first, then the end."""
    bench, ends = await connected(dut)
    for turn in range(24):
        peer = bench.peer(port=5000 + turn)
        session = await bench.app.accept(peer)
        await bench.clocks(bench.random.choice((0, 5, 100)))
        data = payload_of(bench, bench.random.choice((1, 30, 200, 1000)))
        peer.send(ACK, payload=data)
        how = turn % 4
        if how == 0:
            peer.send(FIN | ACK)
            await bench.app.received(session, len(data))
            await bench.until(lambda s=session: s.peer_closed, 3000, "peer closed")
            assert await bench.app.close(session) == OK
            await peer.expect(clocks=3000)
            await bench.clocks(300)
            peer.send(ACK, ack=peer.got + 1)
            assert await bench.app.final(session) == CLOSED
        elif how == 1:
            peer.send(RST)
            assert await bench.app.final(session) == RESET
            assert session.received in (b"", data)
        else:
            await bench.clocks(bench.random.randrange(1, 60))
            tag = bench.app.command(ABORT if how == 2 else CLOSE, session)
            await bench.until(lambda t=tag: t in bench.app.results, 2000, "result")
            if how == 3:
                await bench.app.received(session, len(data))
                assert await bench.app.abort(session) == OK
            assert await bench.app.final(session) == CLOSED
        peer.leave()
        await bench.clocks(300)
    peer, session = ends[0]
    await deliver(bench, peer, session, payload_of(bench, 300))


@cocotb.test()
async def reused_while_waiting(dut):
    """Connections reset by their peers, or aborted, while what they received waits, and their ids
    taken again."""
    bench, _ = await connected(dut)
    app = bench.app
    for turn in range(12):
        app.grant = lambda session, offered: 0
        peer = bench.peer(port=6000)
        session = await app.accept(peer)
        peer.send(ACK, payload=payload_of(bench, 200))
        await bench.clocks(60 + 7 * turn)
        if turn % 2:
            assert await app.abort(session) == OK
            app.grant = lambda session, offered: offered
            assert await app.final(session) == CLOSED
            await bench.clocks(300)  # its RST has come
        else:
            peer.send(RST)
            app.grant = lambda session, offered: offered
            assert await app.final(session) == RESET
        peer.leave()
        peer = bench.peer(port=6000)
        session = await app.accept(peer)
        await bench.clocks(100)
        clocks = await deliver(bench, peer, session, payload_of(bench, 90))
        assert bench.width == 512 or clocks <= MOST[64], clocks
        peer.send(RST)
        await app.final(session)
        peer.leave()


@pytest.mark.parametrize("width", [64, 512])
def test_toe_cut_through(width):
    simulate(
        top="toe",
        test_module=__file__,
        parameters={"DataWidth": width, "Preset": 4},
        build_args=BUILD_ARGS,
        testcase=os.environ.get("TOEHOLD_CASE"),
    )
