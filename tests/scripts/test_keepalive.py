# SPDX-License-Identifier: Apache-2.0
"""Keep-alive (RFC 9293 section 3.8.4) and the user timeout (section 3.10.8, RFC 5482)."""

import pytest

from scripts.peer import Peer
from scripts.settings import DATA_RETRIES, RTO_MIN_US, USER_TIMEOUT_SHIFT

conformance = pytest.mark.conformance

TICK, IDLE, INTERVAL, PROBES = 1_000_000, 10, 3_000_000, 4
SILENCE = TICK * IDLE


@pytest.fixture
def alive(make_bench):
    """A connection whose peer is asked after SILENCE."""
    bench = make_bench(
        keepalive=1, keepalive_tick_us=TICK, keepalive_idle=IDLE, keepalive_interval_us=INTERVAL,
        keepalive_probes=PROBES,
    )  # fmt: skip
    peer = Peer(bench)
    peer.connect()
    return peer


def expect_probe(peer: Peer, after: int, slack: int = TICK) -> None:
    """No data, and a number that the peer has had: it must answer (SHLD-12). Silence is counted in
    ticks."""
    peer.silent(after - 1)
    peer.bench.pass_time_until(lambda: peer.inbox, 1 + slack)
    peer.expect("A", seq=peer.got - 1, length=0)


@conformance("RFC9293:MUST-27", "RFC9293:SHLD-12", "RFC9293:MAY-5", "RFC9293:MUST-29")
def test_probes_and_end(alive):
    """The first after the silence, the others at their interval; none of them ends it alone."""
    expect_probe(alive, SILENCE)
    for _ in range(PROBES - 1):
        expect_probe(alive, INTERVAL)
        assert alive.session.final is None
    alive.silent(INTERVAL - 1)
    assert alive.session.final is None
    alive.bench.pass_time(TICK)
    assert alive.session.final == "timed out"


@conformance("RFC9293:MUST-29", "RFC9293:MUST-26")
def test_answer_begins_anew(alive):
    for _ in range(3):
        expect_probe(alive, SILENCE, slack=TICK + INTERVAL)  # the last interval runs out first
        expect_probe(alive, INTERVAL)
        alive.send("A")
    assert alive.session.final is None


@conformance("RFC9293:MUST-26")
def test_whatever_comes_is_a_sign_of_life(alive):
    for _ in range(2):
        alive.silent(SILENCE * 3 // 4)
        alive.send("A", length=10)
        alive.expect("A")
    alive.silent(SILENCE * 3 // 4)


@conformance("RFC9293:MUST-26")
def test_none_while_data_is_on_its_way(alive):
    """The retransmission timer asks already."""
    alive.bench.app.send(alive.session, 100)
    alive.expect("A", length=100, lost=True)
    wait = RTO_MIN_US
    for _ in range(DATA_RETRIES - 1):
        alive.expect("A", length=100, seq=0, after=wait, lost=True)
        wait *= 2


@conformance("RFC9293:MUST-25")
def test_off_by_default(make_bench):
    peer = Peer(make_bench())
    peer.connect()
    for _ in range(200):
        peer.bench.jump(70_000_000)
        peer.silent()
    assert peer.bench.state == "established"


@conformance("RFC9293:MUST-28", "RFC9293:MUST-24")
def test_two_hours_by_default(make_bench):
    """Asked for by the application for this connection, with the times that the engine has by
    itself."""
    peer = Peer(make_bench())
    peer.connect()
    assert peer.bench.app.set_option(peer.session, "keepalive", 1) == "ok"
    began = peer.bench.now
    while not peer.inbox:
        peer.bench.jump(60_001_000)  # a tick
    peer.expect("A", seq=-1, length=0)
    assert 0 <= peer.bench.now - began - 7_200_000_000 < 200_000_000


@conformance("RFC9293:MUST-24")
def test_application_can_switch_it_off(alive):
    assert alive.bench.app.set_option(alive.session, "keepalive", 0) == "ok"
    alive.silent(100 * SILENCE)
    assert alive.bench.state == "established"


# ---- user timeout


@conformance("RFC9293:MUST-21")
@pytest.mark.parametrize("limit", [500_000, 3_000_000, 100_000_000])
def test_user_timeout(make_bench, limit):
    """Data that is not acknowledged within it ends the connection."""
    bench = make_bench(user_timeout_us=limit)
    peer = Peer(bench)
    peer.connect()
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    bench.pass_time(limit - 10_000)
    assert peer.session.final is None
    for _ in range(8):  # at the latest when the timer goes off next
        bench.pass_time(max(limit // 2, 500_000))
    peer.inbox.clear()
    assert peer.session.final == "timed out"


def test_user_timeout_ends_with_the_acknowledgement(make_bench):
    bench = make_bench(user_timeout_us=1_000_000)
    peer = Peer(bench)
    peer.connect()
    for _ in range(4):
        bench.app.send(peer.session, 100)
        peer.expect("A", length=100)
        peer.send("A")
        peer.silent(900_000)
    peer.silent(10_000_000)
    assert peer.session.final is None


@conformance("RFC9293:MUST-21")
def test_user_timeout_of_one_connection(make_bench):
    bench = make_bench()
    peer = Peer(bench)
    peer.connect()
    assert bench.app.set_option(peer.session, "user_timeout", 8) == "ok"  # 1.05 s
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    bench.pass_time((8 << USER_TIMEOUT_SHIFT) - 10_000)
    assert peer.session.final is None
    for _ in range(4):
        bench.pass_time(1_000_000)
    peer.inbox.clear()
    assert peer.session.final == "timed out"
