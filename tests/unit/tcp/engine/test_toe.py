# SPDX-License-Identifier: Apache-2.0
"""toe against a peer that plays scripts: the rules of RFC 9293, 5681, 5961 and 6298, and the
application interface: acknowledgements, passive handshake, teardown by either side, data (S1.2).
Sizes are those of the small preset unless a test asks."""

import os
import random

import cocotb
import pytest

from models.tcp_peer import ACK, FIN, PSH, RST, SYN, mss_option, seq_add, seq_diff
from models.toe_bench import (
    ABORT,
    ACCEPTED,
    ACKED,
    BUILD_ARGS,
    CLOSE,
    CLOSED,
    CLOSING,
    IN_USE,
    LISTEN,
    NO_CONNECTION,
    NO_ROOM,
    OK,
    OPEN,
    PEER_CLOSED,
    RESET,
    SET_OPTION,
    TIMED_OUT,
    TX_NO_CONNECTION,
    TX_NO_SPACE,
    TX_OK,
    UNLISTEN,
    UNSUPPORTED,
    ToeBench,
)
from support.simulate import simulate

pytestmark = pytest.mark.long

TIME_WAIT_US = 50_000
RTO_INITIAL_US, RTO_MIN_US = 10_000, 2_000


async def listening(dut, port=7, **settings) -> ToeBench:
    bench = ToeBench(dut)
    await bench.start(**settings)
    await bench.app.listen(port)
    return bench


async def connected(dut, bench=None, mss=1460, **options):
    bench = bench or await listening(dut)
    peer = bench.peer(**options)
    session = await bench.app.accept(peer, mss=mss)
    return bench, peer, session


async def gone(bench, peer):
    """Nobody knows the connection any more: what it sends is answered by RST."""
    assert bench.states() == {}, bench.states()
    peer.inbox.clear()
    peer.lenient = True
    await bench.clocks(50)
    peer.send(ACK, seq=1000, ack=2000)
    await peer.expect(RST, seq=2000)


# ---- closing -------------------------------------------------------------------------------------


@cocotb.test()
async def application_closes_first(dut):
    """FIN_WAIT_1, FIN_WAIT_2 with data from the peer, TIME_WAIT, and its end.

    Conformance: RFC9293:MUST-12, RFC9293:MUST-13
    """
    bench, peer, session = await connected(dut)
    app = bench.app
    assert await app.close(session) == OK
    peer.take(await peer.expect(FIN | ACK, ack=peer.nxt))
    assert bench.states() == {"fin_wait_1": 1}
    peer.send()
    await bench.until(lambda: bench.states() == {"fin_wait_2": 1}, 300, "FIN_WAIT_2")
    for _ in range(3):
        data = random.randbytes(100)
        peer.send(payload=data)
        await peer.expect(ACK, ack=peer.nxt, seq=peer.got)
    await app.received(session, 300)
    assert await app.close(session) == CLOSING
    assert (await app.ask(session, 10))["error"] == TX_NO_CONNECTION
    peer.send(FIN | ACK)
    await peer.expect(ACK, ack=peer.nxt, seq=peer.got)
    assert await app.final(session) == CLOSED
    assert session.events == [ACCEPTED, ACKED, PEER_CLOSED, CLOSED]
    assert bench.states() == {"time_wait": 1}
    # A repeated FIN is acknowledged and starts the wait again.
    await bench.advance(TIME_WAIT_US // 2)
    peer.send(FIN | ACK, seq=peer.nxt - 1)
    await peer.expect(ACK, ack=peer.nxt)
    await bench.advance(TIME_WAIT_US - 1000, settle=300)
    assert bench.states() == {"time_wait": 1}
    await bench.pass_time(1100)
    await gone(bench, peer)


@cocotb.test()
async def simultaneous_close(dut):
    bench, peer, session = await connected(dut)
    assert await bench.app.close(session) == OK
    fin = await peer.expect(FIN | ACK, ack=peer.nxt)
    peer.send(FIN | ACK)  # does not acknowledge theirs yet
    await peer.expect(ACK, ack=peer.nxt, seq=fin.end)
    assert bench.states() == {"closing": 1}
    peer.take(fin)
    peer.send()
    assert await bench.app.final(session) == CLOSED
    assert session.events == [ACCEPTED, PEER_CLOSED, ACKED, CLOSED] or session.events == [
        ACCEPTED, ACKED, PEER_CLOSED, CLOSED]  # fmt: skip
    assert bench.states() == {"time_wait": 1}


@cocotb.test()
async def fin_answers_fin(dut):
    """FIN_WAIT_1 to TIME_WAIT by one segment that brings data, too."""
    bench, peer, session = await connected(dut)
    assert await bench.app.close(session) == OK
    peer.take(await peer.expect(FIN | ACK))
    data = random.randbytes(333)
    peer.send(FIN | ACK, data)
    await peer.expect(ACK, ack=peer.nxt)
    assert await bench.app.final(session) == CLOSED
    assert session.received == data and session.peer_closed
    assert bench.states() == {"time_wait": 1}


@cocotb.test()
async def peer_half_closes(dut):
    """The application goes on sending in CLOSE_WAIT.

    Conformance: RFC9293:MUST-12
    """
    bench, peer, session = await connected(dut)
    peer.send(FIN | ACK, b"bye")
    await peer.expect(ACK, ack=peer.nxt)
    await bench.until(lambda: session.peer_closed, 1000, "EventPeerClosed")
    for size in (1, 700, 2000):
        data = random.randbytes(size)
        assert (await bench.app.write(session, data))["error"] == TX_OK
        assert await peer.data(size) == data
        await bench.clocks(50)
    assert await bench.app.close(session) == OK
    peer.take(await peer.expect(FIN | ACK, ack=peer.nxt))
    peer.send()
    assert await bench.app.final(session) == CLOSED
    await gone(bench, peer)


@cocotb.test()
async def close_right_after_write(dut):
    """The FIN waits for bytes that were granted before CLOSE, whatever overtakes what.

    Conformance: RFC9293:MUST-60
    """
    bench = await listening(dut)
    for delay in range(0, 16, 3):
        _, peer, session = await connected(dut, bench)
        data = random.randbytes(100)
        status = await bench.app.ask(session, len(data))
        assert status["error"] == TX_OK
        tag = bench.app.command(CLOSE, session)
        await bench.clocks(delay)
        bench.app.give(data)
        received = b""
        while True:
            segment = await peer.expect()
            assert segment.seq == peer.got
            received += segment.payload
            peer.take(segment)
            if segment.flags & FIN:
                break
        assert received == data, f"CLOSE {delay} clocks before the data loses it"
        peer.send()
        await bench.clocks(100)
        assert bench.app.results[tag]["result"] == OK
        assert bench.states() == {"fin_wait_2": 1}
        await bench.app.abort(session)
        await peer.expect(RST | ACK)
        await bench.app.final(session)


@cocotb.test()
async def fin_is_retransmitted(dut):
    """Conformance: RFC6298:5-2."""
    bench, peer, session = await connected(dut)
    data = random.randbytes(50)
    await bench.app.write(session, data)
    await bench.clocks(50)
    await bench.app.close(session)
    first = await peer.expect(ACK, payload=data)
    await peer.expect(FIN | ACK, seq=first.end, payload=b"")
    await bench.elapse(lambda: peer.inbox, RTO_MIN_US)
    again = await peer.expect(FIN | ACK, seq=first.seq, payload=data)
    peer.take(again)
    peer.send()
    await bench.clocks(100)
    assert bench.states() == {"fin_wait_2": 1}


# ---- reset ---------------------------------------------------------------------------------------


@cocotb.test()
async def reset_in_place(dut):
    """RST at rcv_nxt ends the connection; unread data is lost, one final event comes.

    Conformance: RFC5961:3.2-2, RFC9293:MUST-12
    """
    bench, peer, session = await connected(dut)
    peer.send(payload=b"x" * 10)
    await bench.app.received(session, 10)
    peer.send(RST)
    assert await bench.app.final(session) == RESET
    assert await bench.app.close(session) == NO_CONNECTION
    assert (await bench.counter("tcp_resets_in")) == 1
    await gone(bench, peer)


@cocotb.test()
async def reset_elsewhere(dut):
    """RFC 5961: a challenge ACK within the window, nothing outside it.

    Conformance: RFC5961:3.2-1
    """
    bench, peer, session = await connected(dut)
    window = bench.rx_ring
    for offset in (1, 100, window - 1):
        peer.send(RST, seq=peer.nxt + offset)
        await peer.expect(ACK, ack=peer.nxt, seq=peer.got)
    for offset in (-1, -1000, window, window + 1, 1 << 31):
        peer.send(RST, seq=peer.nxt + offset)
        await peer.silent(150)
    for offset in (0, 10, window - 1):
        peer.send(SYN, seq=peer.nxt + offset)
        await peer.expect(ACK, ack=peer.nxt, seq=peer.got)
    assert bench.states() == {"established": 1}
    peer.send(payload=b"still here")
    assert await bench.app.received(session, 10) == b"still here"


@cocotb.test()
async def reset_answers(dut):
    """RFC 9293 section 3.10.7.1: numbers of a RST for a segment that belongs nowhere."""
    bench = await listening(dut)
    peer = bench.peer(dport=8)
    peer.lenient = True
    seq, ack = random.getrandbits(32), random.getrandbits(32)
    for flags, payload in ((SYN, b""), (FIN, b""), (0, b"abc"), (SYN, b"abcd"), (PSH, b"")):
        sent = peer.send(flags, payload, seq=seq)
        await peer.expect(RST | ACK, seq=0, ack=sent.end, window=0)
    for flags, payload in ((ACK, b""), (SYN | ACK, b""), (FIN | ACK, b"xyz"), (ACK, b"x" * 1460)):
        peer.send(flags, payload, seq=seq, ack=ack)
        await peer.expect(RST, seq=ack, ack=0, window=0)
    for flags in (RST, RST | ACK, RST | SYN):
        peer.send(flags, seq=seq, ack=ack)
        await peer.silent(150)
    # A port that is listened to, without SYN.
    other = bench.peer()
    other.lenient = True
    other.send(ACK, seq=seq, ack=ack)
    await other.expect(RST, seq=ack)
    await bench.write("network_control", 1)  # reset_unknown = 0
    peer.send(SYN, seq=seq)
    await peer.silent(200)
    assert bench.states() == {}


@cocotb.test()
async def abort(dut):
    """RST out at snd_nxt, one final event, in every state that the application can abort.

    Conformance: RFC9293:MUST-12
    """
    bench = await listening(dut)
    for state in ("established", "close_wait", "fin_wait_1", "fin_wait_2", "unacknowledged"):
        _, peer, session = await connected(dut, bench)
        seq = peer.got
        if state == "close_wait":
            peer.send(FIN | ACK)
            await peer.expect(ACK)
        if state.startswith("fin_wait"):
            await bench.app.close(session)
            fin = await peer.expect(FIN | ACK)
            seq = fin.end
        if state == "fin_wait_2":
            peer.take(fin)
            peer.send()
            await bench.clocks(100)
        if state == "unacknowledged":
            await bench.app.write(session, b"123")
            seq = (await peer.expect(ACK, payload=b"123")).end
        assert await bench.app.abort(session) == OK
        await peer.expect(RST | ACK, seq=seq)
        assert await bench.app.final(session) == CLOSED
        assert await bench.app.abort(session) == NO_CONNECTION
        await gone(bench, peer)


# ---- opening -------------------------------------------------------------------------------------


@cocotb.test()
async def syn_is_repeated(dut):
    bench = await listening(dut)
    peer = bench.peer()
    isn = peer.nxt
    peer.send(SYN, options=mss_option(1460))
    first = await peer.expect(SYN | ACK, ack=peer.nxt)
    assert first.mss == 1460 and first.window == bench.rx_ring
    peer.send(SYN, seq=isn, options=mss_option(1460))
    again = await peer.expect(SYN | ACK, ack=peer.nxt, seq=first.seq)
    assert again.mss == 1460
    peer.take(again)
    peer.send()
    await bench.app.next_accepted(peer)
    await peer.silent()
    assert bench.states() == {"established": 1}


@cocotb.test()
async def syn_ack_is_retransmitted_and_given_up(dut):
    """Conformance: RFC9293:MUST-22."""
    bench = await listening(dut, retries=0x30803)
    peer = bench.peer()
    peer.send(SYN)
    first = await peer.expect(SYN | ACK)
    wait = RTO_INITIAL_US
    for _ in range(3):
        await bench.elapse(lambda: peer.inbox, wait)
        await peer.expect(SYN | ACK, seq=first.seq, ack=peer.nxt)
        wait *= 2
    assert bench.states() == {"syn_received": 1}
    await bench.elapse(lambda: not bench.states(), wait)
    await peer.silent(100)
    assert not bench.app.chatter[1:], "the application heard of it"
    # The id and the tuple are free again.
    peer.nxt = seq_add(peer.nxt, -1)
    peer.inbox.clear()
    peer.irs = peer.engine_edge = None
    await bench.app.accept(peer)


@cocotb.test()
async def wrong_ack_of_syn(dut):
    """SYN_RECEIVED: an ACK of another number gets a RST, the connection stays."""
    bench = await listening(dut)
    peer = bench.peer()
    peer.send(SYN)
    answer = await peer.expect(SYN | ACK)
    for wrong in (answer.seq, answer.seq + 2, answer.seq + 1000, answer.seq - 1):
        peer.send(ACK, ack=wrong)
        await peer.expect(RST, seq=wrong)
    assert bench.states() == {"syn_received": 1}
    peer.take(answer)
    peer.send()
    await bench.app.next_accepted(peer)


@cocotb.test()
async def handshake_with_data_and_fin(dut):
    """The ACK of the handshake may bring data and FIN at once."""
    bench = await listening(dut)
    peer = bench.peer()
    peer.send(SYN)
    peer.take(await peer.expect(SYN | ACK))
    peer.send(FIN | ACK, b"all in one")
    await peer.expect(ACK, ack=peer.nxt)
    session = await bench.app.next_accepted(peer)
    await bench.until(lambda: session.peer_closed, 1000, "EventPeerClosed")
    assert session.received == b"all in one"
    assert bench.states() == {"close_wait": 1}


@cocotb.test()
async def mss_of_the_peer(dut):
    """Segments are cut at the peer's MSS; without the option at 536.

    Conformance: RFC9293:MUST-14, RFC9293:MUST-15, RFC9293:MUST-16
    """
    bench = await listening(dut)
    for mss, largest in ((1460, 1460), (100, 100), (None, 536), (9000, 1460), (536, 536), (1, 64)):
        _, peer, session = await connected(dut, bench, mss=mss)
        data = random.randbytes(2000 if largest > 64 else 300)
        await bench.app.write(session, data)
        sizes, received = [], b""
        while len(received) < len(data):
            segment = await peer.receive()
            sizes.append(len(segment.payload))
            received += segment.payload
            peer.take(segment)
            peer.send()
        assert received == data
        assert max(sizes) == min(largest, len(data)), f"MSS {mss}: {sizes}"
        peer.send(RST)
        await bench.app.final(session)


@cocotb.test()
async def options_that_are_broken(dut):
    """Options of length 0 or 1, cut short, unknown: the segment counts, the rest is left.

    Conformance: RFC9293:MUST-6, RFC9293:MUST-7
    """
    bench = await listening(dut)
    cases = [
        (b"\x01\x01\x01\x01" + mss_option(200), 200),  # behind NOPs
        (b"\x03\x03\x07\x01" + mss_option(200), 200),  # window scale
        (b"\x04\x02\x01\x01" + mss_option(200), 200),  # SACK permitted
        (b"\x08\x09" + bytes(7) + b"\x01\x01\x01" + mss_option(200), 200),  # time stamps, too short
        (b"\xfe\x06abcd\x01\x01" + mss_option(200), 200),  # unknown
        (b"\xfd\x00\x00\x00" + mss_option(200), 536),  # length 0
        (b"\xfd\x01\x00\x00" + mss_option(200), 536),  # length 1
        (b"\x00\x00\x00\x00" + mss_option(200), 536),  # end
        (b"\x01\x01\xfd\x28", 536),  # past the header
        (b"\x01\x01\x01\x02", 536),  # MSS without its length
        (b"\x01\x01\x02\x04", 536),  # MSS without its value
        (b"\x02\x03\xc8\x01", 536),  # MSS of a wrong length
        (b"\x01" * 40, 536),
        (mss_option(200) + b"\x01" * 36, 200),
    ]
    for options, mss in cases:
        peer = bench.peer()
        peer.send(SYN, options=options)
        peer.take(await peer.expect(SYN | ACK))
        peer.send(ACK)
        session = await bench.app.next_accepted(peer)
        await bench.app.write(session, random.randbytes(600))
        segment = await peer.receive()
        assert len(segment.payload) == mss, f"{options.hex()}: {len(segment.payload)}"
        peer.send(RST)
        await bench.app.final(session)
    # Header lengths that cannot be.
    _, peer, session = await connected(dut, bench)
    peer.send(payload=b"abc", offset=4, seq=peer.nxt)
    peer.send(payload=b"abc", offset=15, seq=peer.nxt)
    peer.send(payload=b"abc", checksum=0x1234, seq=peer.nxt)
    await peer.silent(200)
    assert await bench.counters("drop_tcp") == {"drop_tcp_header": 2, "drop_tcp_checksum": 1}
    peer.send(payload=b"abc", ip_options=b"\x01" * 12)
    assert await bench.app.received(session, 3) == b"abc"


@cocotb.test()
async def no_room(dut):
    """All ids in use: a SYN is dropped and counted; when one is free, the next is taken."""
    bench = await listening(dut)
    peers, sessions = [], []
    for i in range(bench.connections):
        peer = bench.peer(port=2000 + i)
        peers.append(peer)
        sessions.append(await bench.app.accept(peer))
    assert bench.states() == {"established": bench.connections}
    late = bench.peer(port=1999)
    isn = late.nxt
    late.send(SYN)
    await late.silent(200)
    assert await bench.counter("drop_tcp_no_room") == 1
    await bench.write("network_control", 0b111)  # reset_full
    late.send(SYN, seq=isn)
    await late.expect(RST | ACK, seq=0, ack=isn + 1)
    assert await bench.counter("drop_tcp_no_room") == 2
    await bench.write("network_control", 0b011)
    # All at once, a message each way.
    messages = [random.randbytes(random.randint(1, 60)) for _ in peers]
    for peer, message in zip(peers, messages):
        peer.send(payload=message)
    for session, message in zip(sessions, messages):
        assert await bench.app.received(session, len(message)) == message
        bench.app.send(session, message[::-1])
    for peer, message in zip(peers, messages):
        await peer.expect(ACK, ack=peer.nxt)
        assert await peer.data(len(message)) == message[::-1]
    await bench.wire_idle()
    await bench.clocks(200)
    victim = random.randrange(bench.connections)
    peers[victim].send(RST)
    assert await bench.app.final(sessions[victim]) == RESET
    await bench.clocks(100)
    late.send(SYN, seq=isn)
    late.take(await late.expect(SYN | ACK))
    late.send(ACK)
    session = await bench.app.next_accepted(late)
    assert session.id == sessions[victim].id
    assert session.generation != sessions[victim].generation
    # The former owner's name reaches nobody.
    assert await bench.app.close(sessions[victim]) == NO_CONNECTION
    assert (await bench.app.ask(sessions[victim], 1))["error"] == TX_NO_CONNECTION


@cocotb.test()
async def time_wait_gives_way(dut):
    """Many short connections, closed by the application: TIME_WAIT does not use up the ids."""
    bench = await listening(dut)
    for i in range(bench.connections + 20):
        peer = bench.peer(port=3000 + i)
        session = await bench.app.accept(peer)
        assert await bench.app.close(session) == OK
        peer.take(await peer.expect(FIN | ACK))
        peer.send(FIN | ACK)
        await peer.expect(ACK, ack=peer.nxt)
        assert await bench.app.final(session) == CLOSED
    assert bench.states()["time_wait"] <= bench.connections


# ---- data in -------------------------------------------------------------------------------------


@cocotb.test()
async def overlapping_segments(dut):
    """Every way in which a segment can lie about rcv_nxt: what is new is taken once, in order.

    Conformance: RFC9293:MAY-13
    """
    bench, peer, session = await connected(dut)
    stream = random.randbytes(3000)
    base, taken = peer.nxt, 200
    peer.send(payload=stream[:200])
    await peer.expect(ACK, ack=peer.nxt)
    for before in (0, 1, 7, 100):
        for length in (1, 2, 8, 99, 100, 101, 150):
            start = taken - before
            peer.send(payload=stream[start : start + length], seq=base + start)
            taken = max(taken, start + length)
            await peer.acknowledged(ack=base + taken)
    # Beyond a gap it is kept; with the gap filled it is taken, all at once.
    for gap in (500, 8, 1):
        peer.send(payload=stream[taken + gap : taken + gap + 50], seq=base + taken + gap)
        await peer.acknowledged(ack=base + taken)
    # A FIN before what is there already cannot be.
    peer.send(FIN | ACK, stream[taken + 1 : taken + 3], seq=base + taken + 1)
    await peer.acknowledged(ack=base + taken)
    peer.send(payload=stream[taken : taken + 1], seq=base + taken)
    taken += 58
    await peer.acknowledged(ack=base + taken)
    # A FIN beyond a gap is kept like the bytes before it, and data behind it is not.
    peer.send(payload=stream[taken : taken + 400], seq=base + taken)
    taken += 492
    await peer.acknowledged(ack=base + taken - 92)
    peer.send(FIN | ACK, stream[taken - 20 : taken + 7], seq=base + taken - 20)
    await peer.acknowledged(ack=base + taken - 92)
    peer.send(payload=stream[taken : taken + 50], seq=base + taken)
    await peer.acknowledged(ack=base + taken - 92)
    peer.send(payload=stream[taken - 92 : taken], seq=base + taken - 92)
    taken += 7
    await peer.acknowledged(ack=base + taken + 1)
    await bench.until(lambda: session.peer_closed, 500, "EventPeerClosed")
    assert session.received == stream[:taken]
    counters = await bench.counters("drop_tcp")
    assert counters.get("drop_tcp_out_of_order", 0) == 0, counters


@cocotb.test()
async def receive_window(dut):
    """An application that takes nothing closes the window; the window opens when it takes.

    Conformance: RFC9293:MUST-39, RFC9293:SHLD-14, RFC9293:MAY-8
    """
    bench, peer, session = await connected(dut)
    app, ring = bench.app, bench.rx_ring
    app.grant = lambda session, offered: 0
    stream = random.randbytes(3 * ring)
    base, sent = peer.nxt, 0
    while sent < ring:
        size = min(700, ring - sent)
        peer.send(payload=stream[sent : sent + size])
        sent += size
        await peer.expect(ACK, ack=base + sent, window=ring - sent)
    # Probes of one byte, and of one before, are answered and not taken.
    for seq, payload in ((base + sent, stream[sent : sent + 1]), (base + sent - 1, b"")):
        peer.send(payload=payload, seq=seq)
        await peer.expect(ACK, ack=base + sent, window=0)
    peer.nxt = seq_add(base, sent)
    app.grant = lambda session, offered: 100
    update = await peer.expect(ACK, ack=peer.nxt)
    assert update.window >= min(1460, ring // 2)
    app.grant = lambda session, offered: offered
    await app.received(session, sent)
    await bench.clocks(100)
    while peer.inbox:
        update = await peer.receive()
    # A segment that reaches past the edge is cut at it.
    app.grant = lambda session, offered: 0
    free = update.window
    done = sent
    while free > 1000:
        peer.send(payload=stream[done : done + 500])
        done, free = done + 500, free - 500
        await peer.expect(ACK, ack=base + done)
    peer.send(FIN | ACK, stream[done : done + 1460], seq=base + done)
    await peer.expect(ACK, ack=base + done + free, window=0)
    done += free
    app.grant = lambda session, offered: offered
    assert await app.received(session, done) == stream[:done]


@cocotb.test()
async def small_grants_and_order_of_news(dut):
    """EventPeerClosed and the final event come after all data, however slowly it is taken."""
    bench, peer, session = await connected(dut)
    app = bench.app
    app.grant = lambda session, offered: random.choice((0, 1, 3, 7, 64, 5000))
    data = random.randbytes(1000)
    peer.send(payload=data[:600])
    peer.send(FIN | ACK, data[600:])
    await peer.expect(ACK)
    await peer.expect(ACK, ack=peer.nxt)
    assert await app.close(session) == OK
    peer.take(await peer.expect(FIN | ACK))
    peer.send()
    assert await app.final(session, 60000) == CLOSED
    assert session.received == data
    assert [e for e in session.events if e != ACKED] == [ACCEPTED, PEER_CLOSED, CLOSED]
    await gone(bench, peer)


@cocotb.test()
async def one_that_takes_nothing(dut):
    """Does not stop another connection."""
    bench, peer, stuck = await connected(dut)
    _, other, session = await connected(dut, bench)
    app = bench.app
    app.grant = lambda s, offered: 0 if s is stuck else offered
    peer.send(payload=b"x" * 1000)
    data = random.randbytes(20 * 500)
    for start in range(0, len(data), 500):
        other.send(payload=data[start : start + 500])
        await other.acknowledged(ack=other.nxt)
        await app.received(session, start + 500)
    assert session.received == data and not stuck.received
    app.grant = lambda s, offered: offered
    assert await app.received(stuck, 1000) == b"x" * 1000


@cocotb.test()
async def acknowledges_the_unsent(dut):
    """RFC 9293: an ACK of what was never sent is answered by an ACK, and changes nothing.

    Conformance: RFC5961:5.2-2
    """
    bench, peer, session = await connected(dut)
    for ahead in (1, 100, 1 << 30, (1 << 31) - 1):
        peer.send(payload=b"abc", ack=peer.got + ahead, seq=peer.nxt)
        await peer.expect(ACK, ack=peer.nxt, seq=peer.got)
    assert await bench.counter("drop_tcp_bad_ack") == 4
    assert not session.received
    # An old one is fine, and its data is taken.
    peer.send(payload=b"abc", ack=peer.got - 5)
    assert await bench.app.received(session, 3) == b"abc"
    # Without ACK, a segment is dropped.
    peer.send(PSH, b"xyz", seq=peer.nxt)
    await bench.clocks(300)
    assert await bench.counter("drop_tcp_no_ack") == 1
    assert len(session.received) == 3


# ---- data out ------------------------------------------------------------------------------------


@cocotb.test()
async def retransmission_timeout(dut):
    """RFC 6298: at the RTO, doubled each time; at last EventTimedOut.

    Conformance: RFC6298:5-1, RFC6298:5-2, RFC9293:MUST-19
    """
    retries = 4
    bench = await listening(dut, retries=0x05 | retries << 8)
    _, peer, session = await connected(dut, bench)
    data = random.randbytes(100)
    await bench.app.write(session, data)
    first = await peer.expect(ACK, payload=data)
    wait = RTO_MIN_US
    for _ in range(retries):
        await bench.elapse(lambda: peer.inbox, wait)
        await peer.expect(ACK, payload=data, seq=first.seq)
        wait *= 2
    await bench.elapse(lambda: session.final is not None, wait)
    assert session.final == TIMED_OUT
    assert await bench.counter("tcp_retransmit_timeouts") == retries
    await gone(bench, peer)


@cocotb.test()
async def timer_counts_no_clocks(dut):
    """With the time standing still nothing is ever late."""
    bench, peer, session = await connected(dut)
    await bench.app.write(session, b"abc")
    await peer.expect(ACK, payload=b"abc")
    await peer.silent(4000)


@cocotb.test()
async def round_trip_time(dut):
    """RFC 6298: RTO = SRTT + 4 RTTVAR of the samples; not of retransmitted segments (Karn).

    Conformance: RFC6298:2-1, RFC6298:3-1, RFC9293:MUST-18
    """
    bench = await listening(dut, rto_min_us=100)
    peer = bench.peer()
    peer.send(SYN)
    peer.take(await peer.expect(SYN | ACK))
    await bench.advance(3000)
    peer.send(ACK)
    session = await bench.app.next_accepted(peer)
    await bench.app.write(session, b"abc")
    segment = await peer.expect(ACK, payload=b"abc")
    await bench.elapse(lambda: peer.inbox, 9000)  # 3000 + 4 * 1500
    await peer.expect(ACK, payload=b"abc")
    peer.take(segment)
    peer.send()
    await bench.app.write(session, b"def")
    segment = await peer.expect(ACK, payload=b"def")
    await bench.elapse(lambda: peer.inbox, 18000)  # still backed off
    await peer.expect(ACK, payload=b"def")


@cocotb.test()
async def fast_retransmit(dut):
    """Three duplicate ACKs: one segment again, and no more; a partial ACK brings the next.

    Conformance: RFC5681:3.2-3, RFC6582:3.2-1
    """
    bench, peer, session = await connected(dut, mss=400)
    data = random.randbytes(2000)
    await bench.app.write(session, data)
    segments = [await peer.receive() for _ in range(5)]
    assert b"".join(s.payload for s in segments) == data
    for _ in range(2):
        peer.send()
    await peer.silent(150)
    peer.send()
    await peer.expect(ACK, seq=segments[0].seq, payload=segments[0].payload)
    for _ in range(4):
        peer.send()
    await peer.silent(200)
    assert await bench.counter("tcp_fast_retransmits") == 1
    # The third is missing, too.
    peer.take(segments[1])
    peer.send()
    await peer.expect(ACK, seq=segments[2].seq, payload=segments[2].payload)
    await peer.silent(100)
    peer.take(segments[4])
    peer.send()
    await bench.until(lambda: session.acked == 0, 500, "all acknowledged")
    await peer.silent(100)
    # A duplicate that brings data, or another window, is none.
    await bench.app.write(session, data[:800])
    segments = [await peer.receive() for _ in range(2)]
    for i in range(4):
        peer.send(payload=b"x", seq=peer.nxt)
        peer.nxt = seq_add(peer.nxt, 1)
        peer.send(window=8000 + i)
    await bench.clocks(300)
    assert all(not s.payload for s in peer.inbox)
    assert await bench.counter("tcp_fast_retransmits") == 1


@cocotb.test()
async def window_of_the_peer(dut):
    """What does not fit the window waits; a window that shrinks or closes is respected.

    Conformance: RFC9293:MUST-34, RFC9293:SHLD-15
    """
    bench, peer, session = await connected(dut, window=1000)
    data = random.randbytes(2048)
    await bench.app.write(session, data)
    first = await peer.expect(ACK)
    assert len(first.payload) == 1000
    await peer.silent(150)
    peer.take(first)
    peer.send(window=500)
    second = await peer.expect(ACK, seq=first.end)
    assert len(second.payload) == 500
    peer.take(second)
    peer.send(window=0)
    await peer.silent(150)
    # An older segment does not change the window (SND.WL1, SND.WL2).
    peer.send(seq=peer.nxt - 1, window=5000)
    await peer.expect(ACK)
    peer.edge = seq_add(peer.got, 0)
    await peer.silent(150)
    peer.send(window=100)
    third = await peer.expect(ACK, seq=second.end)
    assert len(third.payload) == 100
    peer.take(third)
    peer.send(window=8000)
    last = await peer.expect(ACK, seq=third.end)
    assert first.payload + second.payload + third.payload + last.payload == data


@cocotb.test()
async def zero_window(dut):
    """Probes, backed off, for as long as the peer answers; then the data.

    Conformance: RFC9293:MUST-36, RFC9293:MUST-37, RFC9293:SHLD-30
    """
    bench = await listening(dut, retries=0x0305)
    _, peer, session = await connected(dut, bench, window=0)
    data = random.randbytes(300)
    await bench.app.write(session, data)
    await peer.silent(100)
    wait = RTO_MIN_US
    for _ in range(6):
        await bench.elapse(lambda: peer.inbox, wait)
        probe = await peer.expect(ACK, seq=peer.got - 1, payload=b"")
        assert probe.seq == seq_add(peer.got, -1)
        peer.send(window=0)
        wait = min(2 * wait, 160_000)
    peer.send(window=200)
    segment = await peer.expect(ACK, seq=peer.got)
    assert segment.payload == data[:200]
    peer.take(segment)
    peer.send(window=1000)
    segment = await peer.expect(ACK, seq=peer.got)
    assert segment.payload == data[200:]
    peer.take(segment)
    peer.send(window=0)
    # Now nobody answers the probes.
    await bench.app.write(session, data)
    for _ in range(80):
        await bench.advance(20_000, settle=40)
    assert await bench.app.final(session) == TIMED_OUT


@cocotb.test()
async def fin_into_a_closed_window(dut):
    """Conformance: RFC9293:MUST-36."""
    bench, peer, session = await connected(dut, window=100)
    data = random.randbytes(100)
    await bench.app.write(session, data)
    segment = await peer.expect(ACK, payload=data)
    await bench.app.close(session)
    await peer.silent(100)
    peer.take(segment)
    peer.send(window=0)
    await peer.silent(100)
    peer.send(window=1)
    peer.take(await peer.expect(FIN | ACK, seq=segment.end))
    peer.send()
    await bench.clocks(100)
    assert bench.states() == {"fin_wait_2": 1}


@cocotb.test()
async def retransmission_keeps_to_the_window(dut):
    """What is sent again is what was sent, not what came to the ring since."""
    bench, peer, session = await connected(dut, window=10)
    data = random.randbytes(500)
    await bench.app.write(session, data)
    await peer.expect(ACK, payload=data[:10])
    await bench.elapse(lambda: peer.inbox, RTO_MIN_US)
    await peer.expect(ACK, payload=data[:10])  # and the peer checks its window
    await bench.app.close(session)
    await bench.advance(RTO_MIN_US)
    await bench.elapse(lambda: peer.inbox, RTO_MIN_US)
    await peer.expect(ACK, payload=data[:10])


@cocotb.test()
async def ring_end(dut):
    """A segment across the end of the ring, and its retransmission; other connections' bytes stay
    out of it. (Anchor: a retransmission that crosses the end reads from the wrong address.)"""
    bench = await listening(dut)
    ends = [await connected(dut, bench) for _ in range(3)]
    for _ in range(5):
        sent = []
        for _, _, session in ends:
            data = random.randbytes(random.choice((1460, 1459, 1001, 777)))
            status = await bench.app.write(session, data)
            assert status["error"] == TX_OK
            sent.append(data)
        for (_, peer, _), data in zip(ends, sent):
            await peer.expect(ACK, payload=data)
        while not all(peer.inbox for _, peer, _ in ends):
            await bench.advance(1000, settle=2000)
        for (_, peer, _), data in zip(ends, sent):
            again = await peer.expect(ACK, payload=data)
            peer.take(again)
            peer.send()
        await bench.clocks(200)


@cocotb.test()
async def transmit_ring(dut):
    """Room in the ring: none beyond it, status says how much there is, ACKED when there is more."""
    bench, peer, session = await connected(dut)
    app, ring = bench.app, bench.tx_ring
    data = random.randbytes(ring)
    assert (await app.ask(session, ring + 1)) | {"app": 0} == {
        "app": 0, "generation": session.generation, "id": session.id, "error": TX_NO_SPACE,
        "space": ring}  # fmt: skip
    assert (await app.write(session, data[:1000]))["error"] == TX_OK
    await bench.clocks(50)
    status = await app.ask(session, ring - 999)
    assert status["error"] == TX_NO_SPACE and status["space"] == ring - 1000
    assert (await app.write(session, data[1000:]))["error"] == TX_OK
    await bench.clocks(50)
    status = await app.ask(session, 1)
    assert status["error"] == TX_NO_SPACE and status["space"] == 0
    received = b""
    while len(received) < ring:
        segment = await peer.receive()
        received += segment.payload
        peer.take(segment)
    assert received == data
    assert session.acked is None
    peer.send()
    await bench.until(lambda: session.acked == 0, 300, "EventAcked")
    assert (await app.ask(session, 0))["error"] == TX_NO_SPACE


@cocotb.test()
async def requests_back_to_back(dut):
    """A request may come right behind the bytes of the one before; the stream stays whole."""
    bench, peer, session = await connected(dut)
    _, other, second = await connected(dut, bench)
    streams = {session: b"", second: b""}
    for i in range(24):
        target = session if i % 3 else second
        data = random.randbytes(random.choice((1, 2, 7, 8, 9, 40)))
        status = await bench.app.ask(target, len(data))
        assert status["error"] == TX_OK
        bench.app.give(data)
        streams[target] += data
    await bench.app.given()
    assert await peer.data(len(streams[session])) == streams[session]
    assert await other.data(len(streams[second])) == streams[second]


@cocotb.test()
async def request_behind_a_retransmission(dut):
    """The ring is not written while a retransmission may still read it."""
    bench, peer, session = await connected(dut)
    app, ring = bench.app, min(bench.tx_ring, 2048)  # what goes out after a time-out
    for _ in range(4):
        data = random.randbytes(ring)
        await app.write(session, data[: ring // 2])
        await app.write(session, data[ring // 2 :])
        segments = []
        while sum(len(s.payload) for s in segments) < ring:
            segments.append(await peer.receive())
        await bench.advance(200_000, settle=0)
        # The acknowledgement of all races with the retransmission.
        await bench.clocks(random.randint(0, 60))
        peer.take(segments[-1])
        peer.send()
        for _ in range(20):
            status = await app.ask(session, ring)
            if status["error"] == TX_OK:
                break
        more = random.randbytes(ring)
        app.give(more)
        await app.given()
        received = {}
        while len(received) < ring:  # the peer checks that no byte changed
            segment = await peer.receive(20000)
            for position, byte in enumerate(segment.payload):
                offset = seq_diff(seq_add(segment.seq, position), peer.got)
                if offset >= 0:
                    received[offset] = byte
        assert bytes(received[i] for i in range(ring)) == more
        peer.got = seq_add(peer.got, ring)
        peer.send()
        await bench.until(lambda: session.acked == 0, 3000, "all acknowledged")
        await bench.clocks(100)
        peer.inbox.clear()


# ---- numbers that wrap ---------------------------------------------------------------------------


@cocotb.test()
async def sequence_numbers_wrap(dut):
    """Both directions across 2^32. (Anchor: compared as plain numbers.)"""
    bench = await listening(dut)
    for distance in (1, 2, 3, 700, 1461):
        # The engine's number follows its clock: find a port whose number is near, then wait.
        while True:
            peer = bench.peer(isn=-distance & 0xFFFFFFFF)
            peer.send(SYN)
            probe = await peer.expect(SYN | ACK)
            peer.send(RST)
            ahead = (-distance - probe.seq) & 0xFFFFFFFF
            if ahead < 1 << 28:
                break
        await bench.advance(4 * ahead, settle=400)
        again = bench.peer(isn=-distance & 0xFFFFFFFF, port=peer.port)
        session = await bench.app.accept(again)
        assert abs(seq_diff(again.irs, -distance)) <= 2, hex(again.irs)
        stream = random.randbytes(3000)
        for start in range(0, 3000, 750):
            again.send(payload=stream[start : start + 750])
            await bench.app.received(session, start + 750)
            status = await bench.app.write(session, stream[start : start + 750])
            assert status["error"] == TX_OK
            # Lost once, then again.
            inbox = again.inbox
            await bench.until(lambda i=inbox: any(s.payload for s in i), 1000, "data")
            await bench.clocks(100)
            again.inbox.clear()
            while not again.inbox:
                await bench.advance(1000, settle=300)
            segment = await again.expect(ACK, seq=again.got, payload=stream[start : start + 750])
            again.take(segment)
            again.send()
            await bench.clocks(100)
            again.inbox.clear()
        assert session.received == stream
        again.send(RST)
        await bench.app.final(session)


# ---- commands ------------------------------------------------------------------------------------


@cocotb.test()
async def commands(dut):
    """Every command has one result, whatever it names."""
    bench, peer, session = await connected(dut)
    app = bench.app
    assert await app.call(LISTEN, local_port=7) == IN_USE
    assert await app.call(UNLISTEN, local_port=9) == NO_CONNECTION
    assert await app.call(SET_OPTION, session) == UNSUPPORTED
    generation, number = session.key
    for stale in ((generation ^ 1, number), (generation, number ^ 1), (generation, number | 64),
                  (generation, number | 1 << 19)):  # fmt: skip
        for op in (CLOSE, ABORT):
            assert await app.call(op, stale) == NO_CONNECTION
        assert (await app.ask(stale, 10))["error"] == TX_NO_CONNECTION
    ports = 8
    results = [await app.call(LISTEN, local_port=100 + i) for i in range(ports)]
    assert results == [OK] * (ports - 1) + [NO_ROOM]
    # Many at once.
    tags = [app.command(random.choice((LISTEN, UNLISTEN, CLOSE, OPEN, SET_OPTION)),
                        (generation ^ 1, number), tag=i, local_port=random.randint(100, 110))
            for i in range(60)]  # fmt: skip
    await bench.until(lambda: all(t in app.results for t in tags), 5000, "results")
    assert await app.call(UNLISTEN, local_port=7) == OK
    other = bench.peer()
    other.lenient = True
    other.send(SYN)
    await other.expect(RST | ACK)
    peer.send(payload=b"stays")
    assert await app.received(session, 5) == b"stays"


@cocotb.test()
async def events_wait_for_the_application(dut):
    """An application that does not take events loses none, and stops no segment."""
    bench = await listening(dut)
    peers = [bench.peer(port=4000 + i) for i in range(30)]
    bench.pauses["event"] = 1.0
    for peer in peers:
        await peer.connect()
        peer.send(payload=b"hello")
        await peer.expect(ACK, ack=peer.nxt)
        peer.send(FIN | ACK)
        await peer.expect(ACK, ack=peer.nxt)
    assert not bench.app.accepted
    bench.pauses["event"] = 0.5
    await bench.until(
        lambda: len(bench.app.accepted) == 30 and all(s.peer_closed for s in bench.app.accepted),
        5000, "all events",
    )  # fmt: skip
    assert all(s.received == b"hello" for s in bench.app.accepted)


# Widths and presets beside 64 bits and small: fewer builds, the same tests.
@pytest.mark.parametrize("preset, width", [(0, 64), (0, 512), (3, 64)])
def test_toe(preset, width):
    parameters = {"DataWidth": width} | ({"Preset": preset} if preset else {})
    simulate(
        top="toe",
        test_module=__file__,
        parameters=parameters,
        build_args=BUILD_ARGS,
        testcase=os.environ.get("TOEHOLD_CASE"),
    )
