# SPDX-License-Identifier: Apache-2.0
"""Urgent data (RFC 9293 section 3.8.5): it comes in its place in the stream; beside it the
application hears that there is some, and can ask how much of it is left."""

import pytest

from scripts.peer import Peer

conformance = pytest.mark.conformance

URGENT = 15  # CommandQuery


@conformance("RFC9293:MUST-30", "RFC9293:MUST-32", "RFC9293:MUST-47")
@pytest.mark.parametrize("length, pointer", [(10, 10), (10, 1), (1, 1), (1460, 700)])
def test_told(bench, peer, length, pointer):
    session = peer.connect()
    session.reads = False
    peer.send("UA", length=length, urgptr=pointer)
    peer.expect("A", ack=length)
    bench.settle()
    assert session.notices == [("urgent", pointer)]


@conformance("RFC9293:MUST-30")
@pytest.mark.parametrize("pointer", [0, 1, 10, 100, 65535])
def test_does_no_harm(bench, peer, pointer):
    """The data is delivered in its place, whatever the pointer says."""
    session = peer.connect()
    peer.send("UA", length=10, urgptr=pointer)
    peer.expect("A", ack=10)
    peer.send("A", length=10)
    peer.expect("A", ack=20)
    bench.settle()
    assert session.received == 20 and len(session.notices) == (pointer > 0)


@conformance("RFC9293:MUST-31")
def test_of_any_length(bench, peer):
    """Longer than a segment, than the window, and than the pointer can say at once."""
    session = peer.connect()
    total = 70_000
    while peer.nxt < total:
        length = min(1460, total - peer.nxt)
        peer.send("UA", length=length, urgptr=min(65535, total - peer.nxt))
        bench.settle()
        peer.inbox.clear()
    assert session.received == total
    # The pointer moves on for as long as it cannot reach the end.
    assert len(session.notices) == 1 + -(-(total - 65535) // 1460)
    assert bench.app.query(session, URGENT) == 0


@conformance("RFC9293:MUST-33")
def test_how_much_is_left(bench, peer):
    session = peer.connect()
    session.reads = False
    assert bench.app.query(session, URGENT) == 0
    peer.send("UA", length=100, urgptr=300)
    peer.expect("A")
    assert bench.app.query(session, URGENT) == 300
    bench.app.read_on(session)
    bench.settle()
    assert session.received == 100 and bench.app.query(session, URGENT) == 200
    peer.send("A", length=150)
    peer.expect("A")
    bench.settle()
    assert bench.app.query(session, URGENT) == 50
    peer.send("A", length=150)
    peer.expect("A")
    bench.settle()
    assert bench.app.query(session, URGENT) == 0 and len(session.notices) == 1


@conformance("RFC9293:MUST-32")
def test_told_when_it_moves_on(bench, peer):
    """And not when it is repeated, or lies before what was told or taken."""
    session = peer.connect()
    session.reads = False
    peer.send("UA", length=10, urgptr=50)
    peer.expect("A")
    peer.send("UA", length=10, urgptr=40)
    peer.expect("A")
    peer.send("UA", length=10, urgptr=1)
    peer.expect("A")
    bench.settle()
    assert session.notices == [("urgent", 50)]
    peer.send("UA", length=10, urgptr=21)
    peer.expect("A")
    bench.settle()
    assert session.notices == [("urgent", 50), ("urgent", 51)]
    bench.app.read_on(session)
    bench.settle()
    peer.send("UA", length=10, urgptr=5)
    peer.expect("A")
    bench.settle()
    assert len(session.notices) == 2


def test_without_the_flag(bench, peer):
    session = peer.connect()
    peer.send("A", length=10, urgptr=7)
    peer.expect("A")
    bench.settle()
    assert session.notices == []


def test_beyond_a_gap(bench, peer):
    """The application hears of it at once, before the gap is filled."""
    session = peer.connect()
    peer.send("UA", length=10, seq=100, urgptr=10)
    peer.expect("A", ack=0)
    bench.settle()
    assert session.notices == [("urgent", 110)] and session.received == 0


@pytest.mark.parametrize("seq", [-100, 5000])
def test_out_of_window(bench, peer, seq):
    session = peer.connect()
    peer.send("UA", length=10, seq=seq, urgptr=10000)
    peer.expect("A", ack=0)
    bench.settle()
    assert session.notices == []


def test_numbers_that_go_round(bench):
    peer = Peer(bench, iss=-50 % 2**32)
    session = peer.connect()
    session.reads = False
    peer.send("UA", length=100, urgptr=80)
    peer.expect("A")
    bench.settle()
    assert session.notices == [("urgent", 80)]
