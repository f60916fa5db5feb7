# SPDX-License-Identifier: Apache-2.0
"""Acknowledgements that come (RFC 9293 section 3.10.7.4, fifth), and those of the engine."""

import pytest

from scripts.peer import MSS, WINDOW, Peer
from scripts.states import SYNCHRONIZED, reach

conformance = pytest.mark.conformance


@pytest.mark.parametrize("ack", [-60_000, 0, 1, 29, 30])
def test_old_and_duplicate(bench, ack):
    """SEG.ACK =< SND.UNA changes nothing."""
    peer = reach(bench, "established")
    events = list(peer.session.events)
    peer.send("A", ack=ack)
    peer.silent(10_000_000)
    assert bench.state == "established" and peer.session.events == events


@pytest.mark.parametrize("state", SYNCHRONIZED)
def test_old_in_every_state(bench, state):
    peer = reach(bench, state)
    peer.send("A", ack=peer.got - 10 - (state in ("fin_wait_1", "closing", "last_ack")))
    bench.settle()
    assert bench.state == state


@pytest.mark.parametrize("ack", [1, 50, 99, 100, 101, 250, 299])
def test_part_of_what_is_on_its_way(bench, peer, ack):
    """SND.UNA moves to it, at a segment's end or within one; the application is told how much is
    left."""
    session = peer.connect(mss=100)
    bench.app.send(session, 300)
    for _ in range(3):
        peer.expect("A", length=100)
    peer.send("A", ack=ack)
    bench.settle()
    assert session.events[-1] == "acked" and session.unacknowledged == 300 - ack
    peer.expect("A", length=min(100, 300 - ack), seq=ack, after=200_000)


@pytest.mark.parametrize("ack", [301, 1000, 2**30])
def test_more_than_was_sent(bench, peer, ack):
    """An ACK; what is on its way stays there."""
    session = peer.connect(mss=100)
    bench.app.send(session, 300)
    for _ in range(3):
        peer.expect("A", length=100, lost=True)
    peer.send("A", ack=ack)
    peer.expect("A", seq=300)
    peer.expect("A", length=100, seq=0, after=200_000)
    assert session.events == ["accepted"]


@conformance("RFC9293:MUST-58", "RFC9293:MUST-59")
def test_acknowledgement_goes_with_data(bench, peer):
    """Echo of a kind: what is received while there is data to send is acknowledged by it."""
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.send(session, 100)
    peer.silent()
    peer.send("A", length=50, window=1000)
    peer.expect("A", length=100, ack=50)


@conformance("RFC9293:MUST-2")
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 63, 64, 65, 535, 536, 1459, 1460])
def test_every_length(bench, peer, length):
    """In and out, byte for byte."""
    session = peer.connect()
    peer.send("PA", length=length)
    peer.expect("A", ack=length, window=WINDOW - length)
    if length >= WINDOW // 2:  # the application has taken it: the window moves
        peer.expect("A", ack=length, window=WINDOW)
    bench.settle()
    assert session.received == length
    bench.app.send(session, length)
    peer.expect("A", length=length, push=True)
    peer.send("A")
    bench.settle()
    assert session.unacknowledged == 0


@pytest.mark.parametrize("start, length, new", [
    (-10, 10, 0), (-10, 11, 1), (-10, 30, 20), (0, 10, 10), (-1, 1, 0), (-1, 2, 1), (-40, 40, 0),
    (-40, 41, 1), (-40, 1460, 1420), (0, 1460, 1460),
])  # fmt: skip
def test_overlap_of_what_was_received(bench, start, length, new):
    """Only the new part counts (section 3.10.7.4, first)."""
    peer = reach(bench, "established")
    session, read, nxt = peer.session, peer.session.received, peer.nxt
    peer.send("A", length=length, seq=nxt + start)
    peer.nxt = nxt + new
    peer.expect("A")
    bench.settle()
    if peer.inbox:  # a window update
        peer.expect("A")
    assert session.received - read == new


@pytest.mark.parametrize("given, beyond", [(0, 100), (1000, 1), (2047, 100), (2048, 1), (600, 12)])
def test_data_past_the_right_edge(bench, peer, given, beyond):
    """What lies in the window may be taken, what lies behind it not."""
    session = peer.connect()
    session.reads = False
    sent = 0
    while sent < given:
        piece = min(1024, given - sent)
        peer.send("A", length=piece)
        peer.expect("A")
        sent += piece
    room = 2048 - given
    length = min(room + beyond, MSS)
    peer.send("A", length=length, seq=given)
    taken = min(length, room)
    peer.expect("A", ack=given + taken, window=2048 - given - taken)
    bench.settle()
    peer.nxt = given + taken
    bench.app.read_on(session)
    bench.settle()
    assert session.received == given + taken
    peer.inbox.clear()


def test_gap_and_its_filling(bench, peer):
    """A duplicate ACK for each segment beyond the gap, at once (RFC 5681 section 4.2); in the end
    every byte, in order and once."""
    session = peer.connect()
    peer.send("A", length=100)
    peer.expect("A", ack=100)
    for start in (200, 300, 400):
        peer.send("A", length=100, seq=start)
        peer.expect("A", ack=100)
    peer.nxt = 100
    peer.send("A", length=100)
    acknowledged = peer.receive().ack
    assert acknowledged in (200, 500)
    for start in range(acknowledged, 500, 100):
        peer.send("A", length=100, seq=start)
        assert peer.receive().ack == start + 100
    bench.settle()
    assert session.received == 500


def test_nothing_is_sent_for_an_acknowledgement(bench, peer):
    """Two that answer each other's ACKs would never end."""
    peer.connect()
    for _ in range(5):
        peer.send("A")
        peer.send("A", window=2000)
    peer.silent(100_000_000)


@conformance("RFC9293:MUST-3")
@pytest.mark.parametrize("bit", [0, 7, 15])
@pytest.mark.parametrize("kind", ["S", "data", "R"])
def test_wrong_checksum(bench, peer, kind, bit):
    """As if it had never come (section 3.1)."""
    if kind == "S":
        peer.send("S", chksum=1 << bit)
        peer.silent()
        assert bench.state == "closed"
        return
    session = peer.connect()
    if kind == "data":
        peer.send("A", length=100, chksum=1 << bit)
    else:
        peer.send("R", chksum=1 << bit)
    peer.silent()
    assert bench.state == "established" and session.received == 0


@pytest.mark.parametrize("flags", ["CA", "EA", "CEA"])
def test_ecn_bits_do_no_harm(bench, peer, flags):
    """Without ECN agreed on they mean nothing."""
    session = peer.connect()
    peer.send(flags, length=10)
    peer.expect("A", ack=10)
    bench.settle()
    assert session.received == 10


@pytest.mark.parametrize("bits", range(1, 8))
def test_reserved_bits_are_ignored(bench, peer, bits):
    """Section 3.1."""
    session = peer.connect()
    peer.send("A", length=10, reserved=bits)
    peer.expect("A", ack=10)
    bench.settle()
    assert session.received == 10


def test_ecn_is_not_agreed_on(bench):
    """A SYN that asks for it gets a SYN-ACK without (RFC 3168 section 6.1.1)."""
    peer = Peer(bench)
    peer.send("SEC", options=[("MSS", MSS)])
    peer.expect("SA", seq=-1, ack=0)
