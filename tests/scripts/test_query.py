# SPDX-License-Identifier: Apache-2.0
"""CommandQuery: what the engine tells of a connection is what the script did with it."""

import pytest

from scripts.bench import QUERY
from scripts.peer import Peer
from scripts.settings import RTO_INITIAL_US, RTO_MIN_US

# app_query_e
STATE, OPTIONS, MSS, SRTT, RTTVAR, RTO, CWND, SSTHRESH = range(8)
IN_FLIGHT, UNSENT, PEER_WINDOW, UNREAD, RETRANSMITTED, STORED, TIMEOUTS = range(8, 15)
ESTABLISHED, CLOSE_WAIT = 3, 6
NO_DELAY, KEEPALIVE, QUICK_ACK = 1 << 8, 1 << 9, 1 << 10
SACK, TIMESTAMPS, SCALE = 1, 2, 4


def test_a_new_connection(bench, peer):
    session = peer.connect(mss=500)
    peer.send("A", window=3000)
    ask = lambda what: bench.app.query(session, what)  # noqa: E731
    assert ask(STATE) == ESTABLISHED
    assert ask(MSS) == 500
    # The handshake took no time; RFC 6928.
    assert ask(SRTT) == 0 and ask(RTO) == RTO_MIN_US
    assert ask(CWND) == 5000 and ask(SSTHRESH) >= 1 << 20
    assert [ask(what) for what in range(IN_FLIGHT, TIMEOUTS + 1)] == [0, 0, 3000, 0, 0, 0, 0]


def test_what_is_under_way(bench, peer):
    session = peer.connect(mss=500)
    peer.send("A", window=700)
    bench.app.send(session, 1200)
    peer.expect("A", length=500, lost=True)
    assert bench.app.query(session, IN_FLIGHT) == 500
    assert bench.app.query(session, UNSENT) == 700
    bench.pass_time(RTO_MIN_US + 100)
    peer.inbox.clear()
    assert bench.app.query(session, RETRANSMITTED) == 1
    assert bench.app.query(session, TIMEOUTS) == 1
    assert bench.app.query(session, RTO) == 2 * RTO_MIN_US
    assert bench.app.query(session, CWND) == 500
    assert bench.app.query(session, SSTHRESH) == 1000
    bench.app.abort(session)
    bench.settle()
    peer.inbox.clear()  # the reset


def test_what_was_received(bench, peer):
    session = peer.connect()
    session.reads = False
    peer.send("A", 100)
    peer.expect("A", ack=100)
    peer.send("A", 50, seq=200)
    peer.expect("A", ack=100)
    assert bench.app.query(session, UNREAD) == 100
    assert bench.app.query(session, STORED) == 1
    peer.send("FA", 150, seq=100)
    peer.expect("A", ack=251)
    assert bench.app.query(session, STATE) == CLOSE_WAIT
    assert bench.app.query(session, UNREAD) == 250
    bench.app.read_on(session)
    bench.settle()
    assert bench.app.query(session, UNREAD) == 0


@pytest.mark.parametrize("took_us", [1, 1000, 150_000])
def test_round_trip_time(bench, took_us):
    peer = Peer(bench)
    session = peer.connect()
    bench.app.send(session, 10)
    peer.expect("A", length=10)
    bench.pass_time(took_us)
    peer.send("A")
    # After the handshake's, which took none.
    assert abs(bench.app.query(session, SRTT) - took_us / 8) <= 1
    assert abs(bench.app.query(session, RTTVAR) - took_us / 4) <= 1
    assert bench.app.query(session, RTO) <= RTO_INITIAL_US


@pytest.mark.parametrize("options, agreed", [
    ([("SAckOK", b"")], SACK), ([("Timestamp", (7, 0))], TIMESTAMPS),
    ([("WScale", 3)], SCALE | 3 << 4),
])  # fmt: skip
def test_what_was_agreed_on(make_bench, options, agreed):
    bench = make_bench(sack=1, timestamps=1, window_scale=1)
    peer = Peer(bench)
    peer.send("S", options=[("MSS", 1460), *options])
    peer.expect("SA", seq=-1, ack=0)
    peer.send("A", options=[("Timestamp", (8, 0))] if agreed == TIMESTAMPS else [])
    bench.run(lambda: bench.app.fresh, "the application's news")
    session = bench.app.fresh.pop()
    assert bench.app.query(session, OPTIONS) & 0xFF == agreed


def test_options_that_are_set(bench, peer):
    session = peer.connect()
    ask = lambda: bench.app.query(session, OPTIONS) & (NO_DELAY | KEEPALIVE | QUICK_ACK)  # noqa: E731
    before = ask()
    for option, bit in (("keepalive", KEEPALIVE), ("quick_ack", QUICK_ACK), ("no_delay", NO_DELAY)):
        for value in (1, 0, int(before & bit != 0)):
            assert bench.app.set_option(session, option, value) == "ok"
            assert ask() & bit == (bit if value else 0)


@pytest.mark.parametrize("what", [16, 17, 255])
def test_what_there_is_not(bench, peer, what):
    session = peer.connect()
    assert bench.app.command(QUERY, session=session.number, value=what)[0] == "unsupported"


def test_of_nobody(bench, peer):
    session = peer.connect()
    peer.send("R")
    bench.settle()
    assert bench.app.command(QUERY, session=session.number, value=STATE)[0] == "no connection"
