# SPDX-License-Identifier: Apache-2.0
"""Active open: toe opens connections to a peer that plays scripts (RFC 9293 sections 3.5, 3.10.1,
3.10.7.3; S1.2). Builds are shared with test_toe.py."""

import os
import random
from collections import Counter

import cocotb
import pytest

from models.tcp_peer import ACK, FIN, PSH, RST, SYN, mss_option, seq_add
from models.toe_bench import (
    ABORT,
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
    OPENED,
    PEER_CLOSED,
    RESET,
    TIMED_OUT,
    TX_NO_CONNECTION,
    TX_OK,
    UNSUPPORTED,
    ToeBench,
)
from support.simulate import simulate

pytestmark = pytest.mark.long

RTO_INITIAL_US, RTO_MIN_US = 10_000, 2_000
HOST = 0x0A4D0001  # 10.77.0.1
PORTS = 16384  # that the engine chooses from


async def started(dut, **settings) -> ToeBench:
    bench = ToeBench(dut)
    await bench.start(**settings)
    return bench


async def opening(bench, **options):
    """In SYN_SENT; the far end has the SYN."""
    session = await bench.app.open(**options)
    assert not isinstance(session, int), f"result {session}"
    return session, await bench.server()


async def opened(bench, mss=1460, **options):
    session, peer = await opening(bench, **options)
    await peer.answer(mss=mss)
    await bench.app.opened(session)
    return session, peer


async def exchange(bench, session, peer):
    """Data each way."""
    expected = bytes(session.received)
    for size in (1, 300, 1460):
        data = random.randbytes(size)
        expected += data
        peer.send(payload=data)
        await peer.expect(ACK, ack=peer.nxt)
        assert await bench.app.received(session, len(expected)) == expected
        assert (await bench.app.write(session, data))["error"] == TX_OK
        assert await peer.data(size) == data
        await bench.clocks(50)
        peer.inbox.clear()


async def peer_closed(bench, session):
    await bench.until(lambda: session.peer_closed, 1000, "EventPeerClosed")


async def repeated_after(bench, peer, wait):
    """Something comes from the engine after that time."""
    await bench.elapse(lambda: peer.inbox, wait)


async def gone(bench, peer):
    """Nobody knows the connection any more: what it sends is answered by RST."""
    assert bench.states() == {}, bench.states()
    peer.inbox.clear()
    peer.lenient = True
    await bench.clocks(50)
    peer.send(ACK, seq=1000, ack=2000)
    await peer.expect(RST, seq=2000)
    peer.leave()


@cocotb.test()
async def opens_and_talks(dut):
    """The SYN, the handshake, data both ways, close by either side.

    Conformance: RFC9293:MUST-14
    """
    bench = await started(dut)
    for local_port in (0, 4321):
        session, peer = await opening(bench, port=8080, local_port=local_port, app=3)
        syn = peer.syn
        assert syn.mss == 1460 and syn.window == bench.rx_ring and syn.payload == b""
        assert syn.sport == local_port or (not local_port and syn.sport >= 49152)
        result = bench.app.results[bench.app.tag]
        assert (result["local_port"], result["remote_ip"]) == (syn.sport, HOST)
        assert (result["remote_port"], result["app"]) == (8080, 3)
        assert bench.states() == {"syn_sent": 1} and not session.is_open
        await peer.answer()
        await bench.app.opened(session)
        assert bench.states() == {"established": 1}
        assert await bench.counters("tcp_opened", "tcp_accepted") == {
            "tcp_opened": 2 if local_port else 1
        }
        await exchange(bench, session, peer)
        if local_port:
            assert await bench.app.close(session) == OK
            peer.take(await peer.expect(FIN | ACK, ack=peer.nxt, seq=peer.got))
            peer.send(FIN | ACK)
            await peer.expect(ACK, ack=peer.nxt)
            assert await bench.app.final(session) == CLOSED
            assert bench.states() == {"time_wait": 1}
        else:
            peer.send(FIN | ACK)
            await peer.expect(ACK, ack=peer.nxt)
            await peer_closed(bench, session)
            assert await bench.app.close(session) == OK
            peer.take(await peer.expect(FIN | ACK, ack=peer.nxt, seq=peer.got))
            peer.send()
            assert await bench.app.final(session) == CLOSED
            await gone(bench, peer)
        news = [kind for kind in session.events if kind != ACKED]
        assert news == [OPENED, PEER_CLOSED, CLOSED]


@cocotb.test()
async def mss_and_window_of_the_answer(dut):
    """Both come from the SYN-ACK.

    Conformance: RFC9293:MUST-14, RFC9293:MUST-16
    """
    bench = await started(dut)
    for mss, largest, window in ((1460, 1460, 8192), (300, 300, 8192), (None, 536, 8192),
                                 (1, 64, 8192), (1460, 100, 100)):  # fmt: skip
        session, peer = await opening(bench)
        peer.window = window
        await peer.answer(mss=mss)
        await bench.app.opened(session)
        data = random.randbytes(2000 if largest > 64 else 300)
        await bench.app.write(session, data)
        first = await peer.expect(ACK, seq=peer.got, payload=data[:largest])
        peer.take(first)
        if window > largest:
            rest = len(data) - largest
            assert rest == 0 or await peer.data(rest) == data[largest:]
        peer.send(RST)
        assert await bench.app.final(session) == RESET
        await bench.clocks(50)


@cocotb.test()
async def refused(dut):
    """RST answers the SYN: one final event, and the tuple may be used again.

    Conformance: RFC9293:MUST-12
    """
    bench = await started(dut)
    for flags in (RST | ACK, RST | ACK | PSH, RST | SYN | ACK):
        session, peer = await opening(bench, local_port=5000)
        peer.send(flags, seq=0)
        assert await bench.app.final(session) == RESET
        assert session.events == [RESET]
        assert await bench.app.close(session) == NO_CONNECTION
        await peer.silent(100)
        await gone(bench, peer)
    assert await bench.counters("tcp_resets_in", "tcp_reset", "tcp_opened") == {
        "tcp_resets_in": 3, "tcp_resets_out": 3, "tcp_reset": 3}  # fmt: skip
    session, peer = await opened(bench, local_port=5000)
    await exchange(bench, session, peer)


@cocotb.test()
async def wrong_answers(dut):
    """SYN_SENT: a wrong ACK gets a RST unless it is one; what says nothing is dropped."""
    bench = await started(dut)
    session, peer = await opening(bench)
    isn = peer.syn.seq
    peer.lenient = True
    for wrong in (isn, isn + 2, isn + 1000, isn - 1, isn + (1 << 31)):
        for flags in (ACK, SYN | ACK, FIN | ACK):
            peer.send(flags, seq=peer.nxt, ack=wrong)
            await peer.expect(RST, seq=wrong, ack=0)
        for flags in (RST | ACK, RST | SYN | ACK):
            peer.send(flags, seq=peer.nxt, ack=wrong)
            await peer.silent(100)
    assert await bench.counters("drop_tcp") == {"drop_tcp_bad_ack": 25}
    for flags in (RST, ACK, FIN, FIN | ACK, 0):
        peer.send(flags, b"abc", seq=peer.nxt)
        await peer.silent(100)
    assert await bench.counters("drop_tcp") == {"drop_tcp_bad_ack": 25, "drop_tcp_out_of_window": 5}
    assert bench.states() == {"syn_sent": 1} and not session.events
    assert not session.received
    await peer.answer()
    await bench.app.opened(session)
    await exchange(bench, session, peer)


@cocotb.test()
async def data_and_fin_with_the_answer(dut):
    """Text and FIN beside the SYN are not acknowledged; they come again."""
    bench = await started(dut)
    session, peer = await opening(bench)
    start = peer.nxt
    peer.send(SYN | ACK | FIN, b"early", options=mss_option(1460))
    await peer.expect(ACK, seq=peer.got, ack=start + 1)
    await bench.app.opened(session)
    peer.send(FIN | ACK, b"early", seq=start + 1)
    await peer.expect(ACK, ack=peer.nxt)
    await peer_closed(bench, session)
    assert session.received == b"early"
    assert await bench.counters("drop_tcp") == {"drop_tcp_out_of_order": 1}


@cocotb.test()
async def syn_is_repeated_and_given_up(dut):
    """Back-off by doubling; the SYN stays the same, without ACK.

    Conformance: RFC9293:MUST-22
    """
    bench = await started(dut, retries=0x30803)
    session, peer = await opening(bench)
    wait = RTO_INITIAL_US
    for _ in range(3):
        await repeated_after(bench, peer, wait)
        again = await peer.expect(SYN, seq=peer.syn.seq, ack=0, window=bench.rx_ring)
        assert again.mss == 1460
        wait *= 2
    assert bench.states() == {"syn_sent": 1} and not session.events
    await bench.elapse(lambda: not bench.states(), wait)
    assert await bench.app.final(session) == TIMED_OUT
    assert session.events == [TIMED_OUT]
    assert await bench.counters("tcp_retransmit", "tcp_timed") == {
        "tcp_retransmit_timeouts": 3, "tcp_retransmitted_segments": 3, "tcp_timed_out": 1,
    }  # fmt: skip
    await gone(bench, peer)


@cocotb.test()
async def lost_syn(dut):
    """Data begins with one segment, and the repeated SYN gives no round-trip time (Karn).

    Conformance: RFC5681:3.1-2, RFC6298:3-1
    """
    bench = await started(dut)
    session, peer = await opening(bench)
    await repeated_after(bench, peer, RTO_INITIAL_US)
    await peer.expect(SYN, seq=peer.syn.seq)
    await bench.advance(50)
    await peer.answer(mss=500)
    await bench.app.opened(session)
    data = random.randbytes(2000)
    await bench.app.write(session, data)
    await peer.expect(ACK, seq=peer.got, payload=data[:500])
    await peer.silent(300)
    # Rule 5.7 of RFC 6298: 3 s for an initial RTO of 1 s.
    await repeated_after(bench, peer, 3 * RTO_INITIAL_US)
    await peer.expect(ACK, seq=peer.got, payload=data[:500])


@cocotb.test()
async def round_trip_time_of_the_syn(dut):
    """R measured by the SYN: the first RTO is 3 R (RFC 6298).

    Conformance: RFC6298:2-1
    """
    bench = await started(dut)
    session, peer = await opening(bench)
    await bench.advance(3000)
    await peer.answer()
    await bench.app.opened(session)
    await bench.app.write(session, b"x" * 100)
    await peer.expect(ACK, payload=b"x" * 100)
    await repeated_after(bench, peer, 9000)
    await peer.expect(ACK, payload=b"x" * 100)


@cocotb.test()
async def unknown_neighbour(dut):
    """An ARP request goes first, and the SYN when it is answered: at once, not by its timer."""
    bench = await started(dut)
    bench.wire.host("10.77.0.9")
    session = await bench.app.open(ip="10.77.0.9")
    await bench.until(lambda: bench.wire.others, 300, "the SYN")
    assert await bench.counter("drop_arp_miss") == 0
    assert await bench.counter("tcp_retransmitted_segments") == 0
    peer = await bench.server()
    await peer.answer()
    await bench.app.opened(session)
    await exchange(bench, session, peer)


# ---- simultaneous open ---------------------------------------------------------------------------


async def crossed(bench, **options):
    """Both SYNs have crossed, ours has not been acknowledged: SYN_RECEIVED."""
    session, peer = await opening(bench, **options)
    peer.send(SYN, options=mss_option(600))
    answer = await peer.expect(SYN | ACK, seq=peer.syn.seq, ack=peer.nxt, window=bench.rx_ring)
    assert answer.mss == 1460
    assert bench.states() == {"syn_received": 1} and not session.events
    return session, peer


@cocotb.test()
async def simultaneous_open(dut):
    """RFC 9293 figure 8, ended by an ACK, by the peer's SYN-ACK, or by data.

    Conformance: RFC9293:MUST-10
    """
    bench = await started(dut)
    for ending in ("ack", "syn-ack", "data", "repeated"):
        session, peer = await crossed(bench)
        first = seq_add(peer.nxt, -1)
        if ending == "repeated":
            peer.send(SYN, seq=first, options=mss_option(600))
            await peer.expect(SYN | ACK, seq=peer.syn.seq, ack=peer.nxt)
        if ending == "syn-ack":
            peer.send(SYN | ACK, seq=first, options=mss_option(600))
            await peer.expect(ACK, seq=peer.got, ack=peer.nxt)
        elif ending == "data":
            peer.send(payload=b"first")
            await peer.expect(ACK, seq=peer.got, ack=peer.nxt)
            assert await bench.app.received(session, 5) == b"first"
        else:
            peer.send()
        await bench.app.opened(session)
        data = random.randbytes(1200)
        await bench.app.write(session, data)
        assert len((await peer.receive()).payload) == 600
        peer.take(await peer.expect(ACK, payload=data[600:]))
        peer.send()
        await bench.clocks(100)
        peer.inbox.clear()
        await exchange(bench, session, peer)
        peer.send(RST)
        assert await bench.app.final(session) == RESET
        await bench.clocks(50)
    assert await bench.counters("tcp_opened", "tcp_accepted", "tcp_retransmitted") == {
        "tcp_opened": 4, "tcp_retransmitted_segments": 1}  # fmt: skip


@cocotb.test()
async def simultaneous_open_fails(dut):
    """SYN_RECEIVED of an active open: the application hears how it ends.

    Conformance: RFC9293:MUST-11
    """
    bench = await started(dut, retries=0x20802)
    session, peer = await crossed(bench)
    for wrong in (peer.syn.seq, peer.syn.seq + 2):
        peer.send(ACK, ack=wrong)
        await peer.expect(RST, seq=wrong)
        peer.send(SYN | ACK, seq=peer.nxt - 1, ack=wrong)
        await peer.expect(RST, seq=wrong)
    peer.send(RST, seq=peer.nxt + 1)
    await peer.expect(ACK, ack=peer.nxt)
    assert bench.states() == {"syn_received": 1}
    peer.send(RST)
    assert await bench.app.final(session) == RESET
    await gone(bench, peer)

    session, peer = await crossed(bench)
    wait = RTO_INITIAL_US
    for _ in range(2):
        await repeated_after(bench, peer, wait)
        await peer.expect(SYN | ACK, seq=peer.syn.seq, ack=peer.nxt)
        wait *= 2
    await bench.elapse(lambda: not bench.states(), wait)
    assert await bench.app.final(session) == TIMED_OUT
    await gone(bench, peer)
    assert bench.app.past[-1].events == [TIMED_OUT] and bench.app.past[-2].events == [RESET]


# ---- close and abort while it opens --------------------------------------------------------------


@cocotb.test()
async def ended_in_syn_sent(dut):
    """CLOSE and ABORT forget the connection; nothing is sent, a late answer gets a RST."""
    bench = await started(dut)
    for op in (CLOSE, ABORT):
        session, peer = await opening(bench)
        assert (await bench.app.ask(session, 10))["error"] == TX_NO_CONNECTION
        assert await bench.app.call(op, session) == OK
        assert await bench.app.final(session) == CLOSED
        assert session.events == [CLOSED]
        assert await bench.app.call(op, session) == NO_CONNECTION
        await peer.silent(200)
        assert bench.states() == {}
        peer.send(SYN | ACK)
        await peer.expect(RST, seq=peer.got)
        await bench.pass_time(3 * RTO_INITIAL_US, step=5000, settle=100)
        await peer.silent(100)


@cocotb.test()
async def ended_in_syn_received(dut):
    """CLOSE: the FIN follows when the SYN is acknowledged. ABORT: RST."""
    bench = await started(dut)
    for ending in ("ack", "syn-ack", "fin"):
        session, peer = await crossed(bench)
        assert (await bench.app.ask(session, 10))["error"] == TX_NO_CONNECTION
        assert await bench.app.close(session) == OK
        assert await bench.app.close(session) == CLOSING
        await peer.silent(100)
        await repeated_after(bench, peer, RTO_INITIAL_US)
        await peer.expect(SYN | ACK, seq=peer.syn.seq)
        if ending == "syn-ack":
            peer.send(SYN | ACK, seq=peer.nxt - 1)
        else:
            peer.send(ACK if ending == "ack" else FIN | ACK)
        fin = await peer.expect(FIN | ACK, seq=peer.got, ack=peer.nxt, payload=b"")
        await bench.app.opened(session)
        if ending != "fin":
            assert bench.states() == {"fin_wait_1": 1}
            peer.send(FIN | ACK)  # and crosses ours
            await peer.expect(ACK, ack=peer.nxt)
        assert bench.states() == {"closing": 1}
        assert await bench.app.close(session) == CLOSING
        peer.take(fin)
        peer.send()
        assert await bench.app.final(session) == CLOSED
        assert bench.states() == {"time_wait": 1}
        await bench.pass_time(50_000, step=10_000, settle=100)
        await bench.clocks(200)
        assert bench.states() == {}

    session, peer = await crossed(bench)
    assert await bench.app.abort(session) == OK
    await peer.expect(RST | ACK, seq=peer.got)
    assert await bench.app.final(session) == CLOSED
    assert session.events == [CLOSED]
    await gone(bench, peer)


# ---- ports, tuples, ids --------------------------------------------------------------------------


@cocotb.test()
async def local_ports(dut):
    """Chosen ports lie in the ephemeral range, follow each other for one peer, and start elsewhere
    for another; a tuple that is in use is passed over.

    Conformance: RFC6056:3.1-1, RFC6056:3.3-1
    """
    bench = await started(dut)
    first = (await opening(bench, port=80))[1].dport
    second = (await opening(bench, port=80))[1].dport

    def behind(port, count):
        return 49152 + (port - 49152 + count) % PORTS

    assert min(first, second) >= 49152 and second == behind(first, 1)
    # The next two are taken: one by a peer that connects, one by an open that names its port.
    await bench.app.listen(behind(first, 2))
    passive = bench.peer(port=80, dport=behind(first, 2))
    await bench.app.accept(passive)
    await opening(bench, port=80, local_port=behind(first, 3))
    assert (await opening(bench, port=80))[1].dport == behind(first, 4)
    # To other ends the count goes on from another place.
    starts = [
        ((await opening(bench, port=port))[1].dport - 49152 - 5 - number) % PORTS
        for number, port in enumerate(range(81, 93))
    ]
    assert len(set(starts)) > 8, f"{starts}"


@cocotb.test()
async def tuple_in_use(dut):
    """An open for a tuple that is there is refused, whoever opened that; so is one that finds no
    port."""
    bench = await started(dut)
    await bench.app.listen(7)
    passive = bench.peer(port=2000)
    await bench.app.accept(passive)
    assert await bench.app.open(port=2000, local_port=7) == IN_USE
    session, peer = await opened(bench, port=80, local_port=6000)
    assert await bench.app.open(port=80, local_port=6000) == IN_USE
    await exchange(bench, session, peer)
    other, _ = await opening(bench, port=81, local_port=6000)
    assert other.key != session.key
    # All that the engine would try.
    first = (await opening(bench, port=90))[1].dport
    for count in range(1, 17):
        port = 49152 + (first - 49152 + count) % PORTS
        await opening(bench, port=90, local_port=port)
    assert await bench.app.open(port=90) == IN_USE
    # The next try goes on behind those.
    assert not isinstance(await bench.app.open(port=90), int)


@cocotb.test()
async def nobody_can_be_there(dut):
    """Addresses that no host has: refused at once.

    Conformance: RFC9293:MUST-46
    """
    bench = await started(dut)
    for ip in ("0.0.0.0", "255.255.255.255", "224.0.0.1", "239.1.2.3", bench.wire.engine_ip):
        for local_port in (0, 99):
            assert await bench.app.open(ip=ip, local_port=local_port) == UNSUPPORTED
    assert await bench.app.open(port=0) == UNSUPPORTED
    assert bench.states() == {} and not bench.wire.others
    await opened(bench)


@cocotb.test()
async def no_free_id(dut):
    bench = await started(dut)
    sessions = [(await opening(bench, port=1000 + i)) for i in range(bench.connections)]
    assert bench.states() == {"syn_sent": bench.connections}
    assert len({session.id for session, _ in sessions}) == bench.connections
    assert await bench.app.open(port=3000) == NO_ROOM
    assert await bench.app.open(port=3000, local_port=3) == NO_ROOM
    victim, peer = random.choice(sessions)
    peer.send(RST | ACK, seq=0)
    assert await bench.app.final(victim) == RESET
    await bench.clocks(100)
    session, peer = await opened(bench, port=3000)
    assert session.id == victim.id and session.generation != victim.generation
    assert await bench.app.abort(victim) == NO_CONNECTION
    await exchange(bench, session, peer)


# ---- the application -----------------------------------------------------------------------------


@cocotb.test()
async def opens_beside_segments(dut):
    """Many opens while peers connect: each has its result, nothing gets lost or mixed up."""
    bench = await started(dut)
    app = bench.app
    await app.listen(7)
    peers = [bench.peer(port=2000 + i) for i in range(20)]
    tags = []
    for i, peer in enumerate(peers):
        peer.send(SYN, options=mss_option(1460))
        for n in range(2):
            tags.append(app.command(OPEN, remote_ip=HOST, remote_port=500 + 2 * i + n))
        if i % 3 == 0:
            tags.append(app.command(LISTEN, local_port=7))
    await bench.until(lambda: all(tag in app.results for tag in tags), 10_000, "results")
    results = Counter(app.results[tag]["result"] for tag in tags)
    assert results == {OK: 40, IN_USE: 7}
    for peer in peers:
        peer.take(await peer.expect(SYN | ACK))
        peer.send()
    servers = [await bench.server() for _ in range(40)]
    assert sorted(peer.port for peer in servers) == list(range(500, 540))
    assert len({peer.syn.seq for peer in servers}) == 40
    for peer in random.sample(servers, 40):
        await peer.answer()
    await bench.until(lambda: len(app.accepted) == 20, 2000, "EventAccepted")
    await bench.until(lambda: bench.states() == {"established": 60}, 2000, "all established")
    by_port = {s.remote_port: s for s in app.sessions.values()}
    for peer in (*peers, *servers):
        message = random.randbytes(20)
        session = by_port[peer.port]
        peer.send(payload=message)
        assert await app.received(session, 20) == message


@cocotb.test()
async def events_wait_for_the_application(dut):
    """Results that the application does not take hold up opens, and no segment."""
    bench = await started(dut)
    app = bench.app
    await app.listen(7)
    bench.pauses["event"] = 1.0
    await bench.clocks(5)
    tags = [app.command(OPEN, remote_ip=HOST, remote_port=500 + i) for i in range(40)]
    await bench.clocks(3000)
    assert app.commands, "all opens went through, so this tests nothing"
    for i in range(10):
        peer = bench.peer(port=2000 + i)
        await peer.connect()
        peer.send(payload=b"hello")
        await peer.expect(ACK, ack=peer.nxt)
    bench.pauses["event"] = 0.3
    await bench.until(lambda: all(tag in app.results for tag in tags), 10_000, "results")
    assert {app.results[tag]["result"] for tag in tags} == {OK}
    await bench.until(lambda: len(app.accepted) == 10, 2000, "EventAccepted")
    await bench.until(lambda: all(s.received == b"hello" for s in app.accepted), 4000, "data")


@pytest.mark.parametrize("preset, width", [(0, 64), (0, 512)])
def test_toe_open(preset, width):
    parameters = {"DataWidth": width} | ({"Preset": preset} if preset else {})
    simulate(
        top="toe",
        test_module=__file__,
        parameters=parameters,
        build_args=BUILD_ARGS,
        testcase=os.environ.get("TOEHOLD_CASE"),
    )
