# SPDX-License-Identifier: Apache-2.0
"""Closing (RFC 9293 section 3.6): by either side, by both, half, and with data on the way."""

import pytest

from scripts.peer import ANY
from scripts.settings import DATA_RETRIES, RTO_INITIAL_US, RTO_MIN_US, TIME_WAIT_US
from scripts.states import FIN_SENT, reach

WIDTHS = (64, 512)

conformance = pytest.mark.conformance


@conformance("RFC9293:MUST-12")
def test_application_closes_first(bench, peer):
    """Figure 12."""
    session = peer.connect()
    assert bench.app.close(session) == "ok"
    peer.expect("FA")
    assert bench.state == "fin_wait_1"
    peer.send("A")
    bench.settle()
    assert bench.state == "fin_wait_2"
    peer.send("FA")
    peer.expect("A", seq=1, ack=1)
    bench.settle()
    assert bench.state == "time_wait"
    assert session.events[-1] == "closed" and "peer closed" in session.events


@conformance("RFC9293:MUST-12")
def test_peer_closes_first(bench, peer):
    session = peer.connect()
    peer.send("FA")
    peer.expect("A", seq=0, ack=1)
    bench.settle()
    assert bench.state == "close_wait" and session.events == ["accepted", "peer closed"]
    assert bench.app.close(session) == "ok"
    peer.expect("FA", seq=0, ack=1)
    assert bench.state == "last_ack"
    peer.send("A")
    bench.settle()
    assert session.events[-1] == "closed"
    peer.hears_nobody()


def test_simultaneous_close(bench, peer):
    """Figure 13."""
    session = peer.connect()
    assert bench.app.close(session) == "ok"
    peer.expect("FA", lost=True)
    peer.send("FA")
    peer.expect("A", seq=1, ack=1)
    assert bench.state == "closing"
    peer.got = 1
    peer.send("A")
    bench.settle()
    assert bench.state == "time_wait" and session.events[-1] == "closed"


def test_fin_and_acknowledgement_at_once(bench, peer):
    """FIN-WAIT-1 to TIME-WAIT by one segment (figure 5, note 2)."""
    session = peer.connect()
    bench.app.close(session)
    peer.expect("FA")
    peer.send("FA", length=25)
    peer.expect("A", seq=1, ack=26)
    bench.settle()
    assert bench.state == "time_wait" and session.received == 25


@pytest.mark.parametrize("state", ["fin_wait_1", "fin_wait_2"])
@pytest.mark.parametrize("fin", [False, True])
def test_data_after_the_application_closed(bench, state, fin):
    """CLOSE says only that nothing more will be sent (section 3.6)."""
    peer = reach(bench, state)
    session, read = peer.session, peer.session.received
    ack = peer.got - (state == "fin_wait_1")
    for _ in range(3):
        peer.send("A", length=100, ack=ack)
        peer.expect("A")
    if fin:
        peer.send("FA", length=50, ack=ack)
        peer.expect("A")
    bench.settle()
    assert session.received - read == 300 + 50 * fin
    after = {"fin_wait_1": "closing", "fin_wait_2": "time_wait"}
    assert bench.state == (after[state] if fin else state)


@conformance("RFC9293:MUST-12")
def test_application_goes_on_in_close_wait(bench):
    peer = reach(bench, "close_wait")
    for _ in range(3):
        assert bench.app.send(peer.session, 200) == "ok"
        peer.expect("A", length=200)
        peer.send("A")
    assert bench.app.close(peer.session) == "ok"
    peer.expect("FA")


@pytest.mark.parametrize("state", [*FIN_SENT])
def test_application_cannot_send_after_close(bench, state):
    """Section 3.10.2."""
    peer = reach(bench, state)
    assert bench.app.send(peer.session, 10) == "no connection"
    assert bench.app.close(peer.session) in ("closing", "no connection")
    peer.silent()
    assert bench.state == state


@conformance("RFC9293:MUST-60")
def test_fin_follows_the_data(bench, peer):
    """All that was given before CLOSE is sent first, then the FIN, within the window."""
    session = peer.connect(mss=500)
    peer.send("A", window=600)
    assert bench.app.send(session, 1500) == "ok"
    peer.expect("A", length=500)
    assert bench.app.close(session) == "ok"
    peer.silent()
    peer.send("A", window=900)
    peer.expect("A", length=500)
    peer.send("A", window=2000)
    peer.expect("FA", length=500, push=True)
    assert bench.state == "fin_wait_1"
    peer.send("A")
    bench.settle()
    assert bench.state == "fin_wait_2"


def test_fin_after_data_in_one_segment(bench, peer):
    session = peer.connect()
    peer.send("A", window=0)
    assert bench.app.send(session, 300) == "ok"
    assert bench.app.close(session) == "ok"
    peer.silent()
    peer.send("A", window=1000)
    peer.expect("FA", length=300)


@conformance("RFC6298:5-2", "RFC9293:MUST-20")
@pytest.mark.parametrize("state", ["fin_wait_1", "closing", "last_ack"])
def test_fin_is_repeated(bench, state):
    """Like data: with back-off, until R2; then the application is told (section 3.8.3)."""
    peer = reach(bench, state)
    wait = RTO_MIN_US
    for _ in range(DATA_RETRIES):
        peer.expect("FA", seq=peer.got - 1, after=wait)
        wait = min(2 * wait, 60_000_000)
    peer.silent(wait - 1)
    bench.pass_time(100)
    assert peer.session.events[-1] == "timed out"
    assert bench.state == "closed"


@pytest.mark.parametrize("state", ["fin_wait_1", "closing", "last_ack"])
def test_fin_is_acknowledged_late(bench, state):
    peer = reach(bench, state)
    peer.expect("FA", seq=peer.got - 1, after=RTO_MIN_US)
    peer.send("A")
    bench.settle()
    after = {"fin_wait_1": "fin_wait_2", "closing": "time_wait", "last_ack": "closed"}
    assert bench.state == after[state]
    peer.silent(10 * RTO_INITIAL_US)


def test_data_acknowledged_but_not_the_fin(bench, peer):
    """FIN-WAIT-1 stays, and the FIN alone is sent again."""
    session = peer.connect()
    bench.app.send(session, 100)
    peer.expect("A", length=100)
    bench.app.close(session)
    peer.expect("FA", lost=True)
    peer.send("A", ack=100)
    bench.settle()
    assert bench.state == "fin_wait_1"
    peer.expect("FA", seq=100, after=RTO_MIN_US)


def test_lost_data_before_the_fin(bench, peer):
    """Both again, in one segment if they fit into it."""
    session = peer.connect()
    bench.app.send(session, 100)
    peer.expect("A", length=100, lost=True)
    bench.app.close(session)
    peer.expect("FA", seq=100, lost=True)
    peer.expect("FA", length=100, seq=0, after=RTO_MIN_US)
    peer.send("A")
    bench.settle()
    assert bench.state == "fin_wait_2"


def test_repeated_fin_of_the_peer(bench):
    """Its acknowledgement was lost: again (CLOSE-WAIT, LAST-ACK)."""
    peer = reach(bench, "close_wait")
    for _ in range(3):
        peer.send("FA", seq=peer.nxt - 1)
        peer.expect("A")
    bench.settle()
    assert peer.session.events.count("peer closed") == 1


def test_fin_before_a_gap(bench, peer):
    """A FIN beyond a gap is not taken before the gap is filled."""
    session = peer.connect()
    peer.send("FA", length=100, seq=50)
    peer.expect("A", ack=0)
    bench.settle()
    assert bench.state == "established" and session.events == ["accepted"]
    peer.send("A", length=50, seq=0)
    answer = peer.expect("A", ack=ANY)
    assert answer.ack in (50, 151)
    if answer.ack == 50:
        peer.send("FA", length=100, seq=50)
        peer.expect("A", ack=151)
    bench.settle()
    assert session.received == 150 and bench.state == "close_wait"


def test_fin_at_the_edge_of_the_window(bench, peer):
    """Data fills the window to its last place: the FIN behind it lies outside."""
    session = peer.connect()
    session.reads = False
    peer.send("FA", length=1460)
    peer.expect("A", ack=1461)
    bench.settle()
    assert bench.state == "close_wait"
    bench.app.read_on(session)
    bench.settle()
    assert session.received == 1460


def test_fin_outside_the_window(bench, peer):
    session = peer.connect()
    session.reads = False
    peer.send("A", length=1024)
    peer.expect("A", ack=1024)
    peer.send("FA", length=1024)
    peer.expect("A", ack=2048, window=0)
    bench.settle()
    assert bench.state == "established"
    bench.app.read_on(session)
    peer.expect("A", ack=2048, window=2048)
    peer.send("FA", seq=2048)
    peer.expect("A", ack=2049)
    bench.settle()
    assert bench.state == "close_wait" and session.received == 2048


# ---- TIME-WAIT


@conformance("RFC9293:MUST-13")
def test_time_wait_lasts(bench):
    """2 MSL, then nobody is there."""
    peer = reach(bench, "time_wait")
    peer.silent(TIME_WAIT_US - 1)
    assert bench.state == "time_wait"
    bench.pass_time(100)
    peer.hears_nobody()


@conformance("RFC9293:MUST-13")
@pytest.mark.parametrize("length_us", [1000, 240_000_000])
def test_time_wait_as_long_as_set(make_bench, length_us):
    bench = make_bench(time_wait_us=length_us)
    peer = reach(bench, "time_wait")
    peer.silent(length_us - 1)
    assert bench.state == "time_wait"
    bench.pass_time(100)
    peer.hears_nobody()


@pytest.mark.parametrize("again", ["FA", "FPA"])
def test_repeated_fin_restarts_time_wait(bench, again):
    """It is acknowledged, and the wait begins anew (section 3.10.7.4, eighth)."""
    peer = reach(bench, "time_wait")
    peer.silent(TIME_WAIT_US * 3 // 4)
    peer.send(again, length=20 * ("P" in again), seq=peer.nxt - 1 - 20 * ("P" in again))
    peer.expect("A")
    peer.silent(TIME_WAIT_US - 1)
    assert bench.state == "time_wait"
    bench.pass_time(100)
    peer.hears_nobody()


@pytest.mark.parametrize("kind", ["ack", "data", "syn"])
def test_time_wait_is_not_restarted_by(bench, kind):
    peer = reach(bench, "time_wait")
    peer.silent(TIME_WAIT_US * 3 // 4)
    if kind == "ack":
        peer.send("A")
    elif kind == "data":
        peer.send("A", length=10, seq=peer.nxt - 30)
        peer.expect("A")
    else:
        peer.send("S", seq=-1)
        peer.expect("A")
    peer.silent(TIME_WAIT_US // 4 + 100)
    peer.hears_nobody()


@conformance("RFC9293:MUST-13")
def test_closed_by_the_peer_does_not_wait(bench):
    """LAST-ACK ends at once (figure 5)."""
    peer = reach(bench, "last_ack")
    peer.send("A")
    bench.settle()
    peer.hears_nobody()


# ---- FIN-WAIT-2 without a peer


def test_fin_wait_2_is_not_kept_for_ever(bench):
    """The application has closed; a peer that is never heard again is given up."""
    peer = reach(bench, "fin_wait_2")
    peer.silent(TIME_WAIT_US - 1)
    assert bench.state == "fin_wait_2"
    bench.pass_time(100)
    assert bench.state == "closed" and peer.session.events[-1] == "timed out"


def test_fin_wait_2_goes_on_while_data_comes(bench):
    peer = reach(bench, "fin_wait_2")
    for _ in range(3):
        peer.silent(TIME_WAIT_US * 3 // 4)
        peer.send("A", length=10)
        peer.expect("A")
    bench.settle()
    assert bench.state == "fin_wait_2" and peer.session.final is None
