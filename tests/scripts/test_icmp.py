# SPDX-License-Identifier: Apache-2.0
"""ICMP errors about segments (RFC 9293 section 3.9.2.2, RFC 5927): told to the application,
believed only if they quote what is on its way, and the end of nothing that is open."""

import pytest

from scripts.bench import TIMER_SLACK_US
from scripts.peer import MSS, Peer
from scripts.settings import RTO_MIN_US
from scripts.states import reach

conformance = pytest.mark.conformance

UNREACHABLE, SOURCE_QUENCH, TIME_EXCEEDED, PARAMETER_PROBLEM = 3, 4, 11, 12
TOO_BIG = 4

# RFC 1122 section 4.2.3.9, with the codes that came later.
SOFT = [
    *((UNREACHABLE, code) for code in (0, 1, 5, 6, 9, 10, 13)),
    *((TIME_EXCEEDED, code) for code in (0, 1)),
    (PARAMETER_PROBLEM, 0),
]
HARD = [(UNREACHABLE, 2), (UNREACHABLE, 3)]
ROUTER = "192.0.2.1"

# Where the engine has something on its way, and its first place.
ON_ITS_WAY = {
    "syn_sent": -1, "syn_received": -1, "syn_received_active": -1, "established": 0,
    "fin_wait_1": 30, "closing": 30, "last_ack": 30,
}  # fmt: skip


def sending(bench, peer, length=100):
    """A connection with so many bytes on their way."""
    session = peer.connect()
    bench.app.send(session, length)
    peer.expect("A", length=length)
    return session


def takes(peer, until, most):
    """All up to there, in segments of so many bytes."""
    while peer.got < until:
        if not peer.inbox:
            peer.send("A")
        peer.expect("A", length=min(most, until - peer.got), seq=peer.got)
    peer.send("A")


@conformance("RFC9293:MUST-47", "RFC9293:MUST-54", "RFC9293:MUST-56", "RFC9293:SHLD-25")
@pytest.mark.parametrize("kind, code", SOFT)
def test_soft_error(bench, peer, kind, code):
    """The application hears of it, and the connection goes on."""
    session = sending(bench, peer)
    peer.icmp(kind, code, seq=0, source=ROUTER)
    bench.settle()
    assert session.notices == [("icmp", kind << 8 | code)]
    assert bench.state == "established" and bench.counter("icmp_errors_in") == 1
    peer.send("A", length=10)
    peer.expect("A")
    bench.settle()
    assert session.events == ["accepted", "notice", "acked"] and session.received == 10


@conformance("RFC9293:MUST-56")
@pytest.mark.parametrize("state", ON_ITS_WAY)
@pytest.mark.parametrize("kind, code", [(UNREACHABLE, 1), (TIME_EXCEEDED, 0)])
def test_soft_error_in_each_state(bench, state, kind, code):
    peer = reach(bench, state)
    if state == "established":
        bench.app.send(peer.session, 50)
        peer.expect("A", length=50)
    before = bench.state
    peer.icmp(kind, code, seq=ON_ITS_WAY[state] + (30 if state == "established" else 0))
    bench.settle()
    assert bench.state == before and bench.counter("icmp_errors_in") == 1
    if state != "syn_received":  # of which the application has not heard
        assert peer.session.notices == [("icmp", kind << 8 | code)]


@conformance("RFC9293:SHLD-26", "RFC9293:MUST-54", "RFC9293:MUST-12")
@pytest.mark.parametrize("kind, code", HARD)
@pytest.mark.parametrize("state", ["syn_sent", "syn_received_active", "syn_received"])
def test_hard_error_ends_an_attempt(bench, state, kind, code):
    """The application that opened hears why; of a peer's attempt it never heard."""
    peer = reach(bench, state)
    peer.icmp(kind, code, seq=-1, source=ROUTER)
    bench.settle()
    assert bench.state == "closed"
    if state != "syn_received":
        assert peer.session.events == ["notice", "reset"]
        assert peer.session.notices == [("icmp", kind << 8 | code)]
    peer.silent(10_000_000)
    Peer(bench, port=40001).connect()


@conformance("RFC9293:MUST-54")
@pytest.mark.parametrize("kind, code", HARD)
@pytest.mark.parametrize("state", ["established", "fin_wait_1", "closing", "last_ack"])
def test_hard_error_ends_nothing_that_is_open(bench, state, kind, code):
    """RFC 5927 section 5.2: it is told, like a soft one."""
    peer = reach(bench, state)
    if state == "established":
        bench.app.send(peer.session, 50)
        peer.expect("A", length=50)
    peer.icmp(kind, code, seq=30)
    bench.settle()
    assert bench.state == state and peer.session.notices == [("icmp", kind << 8 | code)]


@conformance("RFC9293:MUST-55")
@pytest.mark.parametrize("state", ["syn_sent", "established"])
def test_source_quench(bench, state):
    peer = reach(bench, state)
    if state == "established":
        bench.app.send(peer.session, 50)
        peer.expect("A", length=50)
    peer.icmp(SOURCE_QUENCH, 0, seq=ON_ITS_WAY[state] + (30 if state == "established" else 0))
    bench.settle()
    assert peer.session.notices == [] and bench.state == state
    assert bench.counter("drop_icmp_type") == 1


@conformance("RFC9293:MUST-54")
@pytest.mark.parametrize(
    "place, counts",
    [(-2, False), (-1, False), (0, True), (99, True), (100, False), (1 << 31, False)],
)
@pytest.mark.parametrize("code", [1, 3, TOO_BIG])
def test_only_of_what_is_on_its_way(bench, peer, code, place, counts):
    """RFC 5927 section 4.1: whoever does not know the numbers does nothing."""
    session = sending(bench, peer)
    peer.icmp(UNREACHABLE, code, seq=place, mtu=1500)
    bench.settle()
    assert bool(session.notices) == counts
    assert bench.counter("icmp_errors_in") == counts
    assert bench.counter("drop_icmp_stale") == (not counts)


@pytest.mark.parametrize("field, value", [("sport", 8), ("dport", 40001)])
def test_of_another_connection(bench, peer, field, value):
    session = sending(bench, peer)
    peer.icmp(UNREACHABLE, 1, seq=0, **{field: value})
    bench.settle()
    assert session.notices == [] and bench.counter("drop_icmp_stale") == 1


def test_of_none_in_time_wait(bench):
    """Its final event has been told: nothing may follow."""
    peer = reach(bench, "time_wait")
    peer.icmp(UNREACHABLE, 1, seq=30)
    bench.settle()
    assert peer.session.events[-1] == "closed" and bench.counter("drop_icmp_stale") == 1


@conformance("RFC9293:SHLD-20")
def test_notices_switched_off(bench, peer):
    session = sending(bench, peer)
    assert bench.app.set_option(session, "notices", 0) == "ok"
    peer.icmp(UNREACHABLE, 1, seq=0)
    peer.icmp(TIME_EXCEEDED, 0, seq=0)
    bench.settle()
    assert session.notices == [] and bench.counter("icmp_errors_in") == 2
    assert bench.app.set_option(session, "notices", 1) == "ok"
    peer.icmp(TIME_EXCEEDED, 1, seq=0)
    bench.settle()
    assert session.notices == [("icmp", TIME_EXCEEDED << 8 | 1)]


@pytest.mark.parametrize(
    "mtu, segment", [(1400, 1360), (576, 536), (575, 536), (68, 536), (0, 536), (1500, None)]
)
def test_path_with_a_smaller_mtu(bench, peer, mtu, segment):
    """RFC 1191: segments become shorter, and what was too long goes again as shorter ones. Less
    than what every host takes is not believed (RFC 5927 section 7)."""
    session = peer.connect()
    bench.app.send(session, 1460)
    peer.expect("A", length=1460, lost=True)
    peer.icmp(UNREACHABLE, TOO_BIG, seq=0, mtu=mtu, source=ROUTER)
    bench.settle()
    shorter = segment or MSS
    if segment:
        assert session.notices == []
    else:
        assert session.notices == [("icmp", UNREACHABLE << 8 | TOO_BIG)]
    peer.expect("A", length=shorter, seq=0, after=RTO_MIN_US)
    takes(peer, 1460, shorter)
    bench.app.send(session, 1460)
    takes(peer, 2920, shorter)


def test_mtu_never_rises(bench, peer):
    session = sending(bench, peer)
    peer.icmp(UNREACHABLE, TOO_BIG, seq=0, mtu=1000)
    peer.icmp(UNREACHABLE, TOO_BIG, seq=0, mtu=1200)
    peer.send("A")
    bench.app.send(session, 1460)
    takes(peer, 1560, 960)


def test_too_big_while_opening(bench):
    """A SYN is not too big for any path: told, and nothing else."""
    peer = reach(bench, "syn_sent")
    peer.icmp(UNREACHABLE, TOO_BIG, seq=-1, mtu=600)
    bench.settle()
    assert bench.state == "syn_sent"
    assert peer.session.notices == [("icmp", UNREACHABLE << 8 | TOO_BIG)]
    peer.send("SA", options=[("MSS", MSS)])
    peer.expect("A", seq=0, ack=0)
    bench.app.send(peer.session, 1460)
    peer.expect("A", length=1460)


@conformance("RFC9293:SHLD-9", "RFC9293:SHLD-10", "RFC9293:MUST-47")
def test_notice_of_retries(bench, peer):
    """R1: with the third retransmission, once, and again when it comes to that again."""
    session = sending(bench, peer)
    for again in range(5):
        assert session.notices == [("retries", 3)] * (again > 2)
        bench.pass_time_until(lambda: peer.inbox, (RTO_MIN_US << again) + TIMER_SLACK_US)
        peer.expect("A", length=100, seq=0)
        bench.settle()
    peer.send("A")
    bench.app.send(session, 100)
    peer.expect("A", length=100)
    bench.pass_time(60_000_000)
    peer.inbox.clear()
    assert session.notices == [("retries", 3)] * 2
