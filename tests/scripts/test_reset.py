# SPDX-License-Identifier: Apache-2.0
"""Resets (RFC 9293 sections 3.5.2 and 3.5.3, RFC 5961): made for what belongs to nobody, and
believed from nobody but who knows the numbers."""

import pytest

from scripts.peer import MSS, Peer
from scripts.states import FIN_UNACKNOWLEDGED, STATES, SYNCHRONIZED, reach

conformance = pytest.mark.conformance

FLAGS = ("", "A", "S", "SA", "F", "FA", "FPUA", "R", "RA", "SR", "SRA", "P", "U")


def reset_for(flags: str, seq: int, ack: int, length: int):
    """Section 3.10.7.1: numbers of the reset for a segment that belongs to nobody."""
    if "R" in flags:
        return None
    if "A" in flags:
        return ack, None
    return 0, seq + length + ("S" in flags) + ("F" in flags)


@pytest.mark.parametrize("length", [0, 1, 1460])
@pytest.mark.parametrize("flags", FLAGS)
def test_closed(bench, flags, length):
    """CLOSED (section 3.10.7.1): nobody listens to this port."""
    peer = Peer(bench, engine_port=9, iss=-1 % 2**32)  # places are numbers
    peer.send(flags, length, seq=5000, ack=7000)
    answer = reset_for(flags, 5000, 7001, length)
    if answer:
        # The peer has no number of the engine: of what it sends and gets, 0 is one less.
        peer.expect_reset(seq=answer[0] - (answer[1] is None), ack=answer[1])
    peer.silent()
    assert bench.state == "closed"


@pytest.mark.parametrize("flags", [f for f in FLAGS if f != "S"])
def test_listen(bench, flags):
    """LISTEN (section 3.10.7.2): RST is ignored, ACK is answered by a reset, and of the rest only a
    SYN can open. (Without ACK and SYN "drop" and section 3.5.2 both have a say.)"""
    peer = Peer(bench, iss=-1 % 2**32)
    peer.send(flags, 10, seq=5000, ack=7000)
    bench.settle()
    if "R" not in flags and "A" in flags:
        peer.expect_reset(seq=7000)
    elif "R" not in flags and peer.inbox:
        peer.expect_reset(seq=0, ack=5010 + ("F" in flags))
    peer.silent()
    assert bench.state == "closed" and not bench.app.fresh


def test_unknown_without_resets(make_bench):
    """If the register says so, what belongs to nobody is not answered at all."""
    bench = make_bench(reset_unknown=0)
    peer = Peer(bench, engine_port=9)
    for flags in FLAGS:
        peer.send(flags, 10, seq=100, ack=100)
    peer.silent()
    Peer(bench).connect()


# ---- resets that come (RFC 5961 section 3.2)

PLACES = {
    "next": lambda wnd: 0,
    "after next": lambda wnd: 1,
    "inside": lambda wnd: wnd // 2,
    "last place": lambda wnd: wnd - 1,
    "edge": lambda wnd: wnd,
    "one before": lambda wnd: -1,
    "far": lambda wnd: 2**30,
}


@conformance("RFC5961:3.2-1", "RFC5961:3.2-2", "RFC9293:MUST-12")
@pytest.mark.parametrize("ack", ["no ack", "good ack", "wrong ack"])
@pytest.mark.parametrize("place", PLACES)
def test_reset_while_established(bench, place, ack):
    """Exactly RCV.NXT ends the connection, whatever it acknowledges; elsewhere in the window it is
    challenged; outside it is nothing."""
    peer = reach(bench, "established")
    start = PLACES[place](peer.edge - peer.nxt)
    number = {"no ack": 0, "good ack": peer.got, "wrong ack": peer.got + 10**6}[ack]
    peer.send("R" if ack == "no ack" else "RA", seq=peer.nxt + start, ack=number)
    if place in ("after next", "inside", "last place"):
        peer.expect("A")
    bench.settle()
    assert bench.state == ("closed" if place == "next" else "established")
    assert (peer.session.final == "reset") == (place == "next")


@conformance("RFC5961:3.2-1")
def test_challenge_brings_the_right_reset(bench):
    """The peer that is really gone answers the challenge with its number (RFC 5961 section 3.2)."""
    peer = reach(bench, "established")
    peer.send("R", seq=peer.nxt + 77)
    answer = peer.expect("A")
    peer.send("R", seq=answer.ack)
    bench.settle()
    assert peer.session.final == "reset"


@conformance("RFC9293:MUST-66", "RFC5961:3.2-1")
@pytest.mark.parametrize("start, flags", [(0, "R"), (0, "RA"), (1, "R"), (-1, "R")])
def test_reset_into_a_closed_window(bench, peer, start, flags):
    session = peer.connect()
    session.reads = False
    peer.send("A", length=1024)
    peer.expect("A", ack=1024)
    peer.send("A", length=1024)
    peer.expect("A", ack=2048, window=0)
    peer.send(flags, seq=2048 + start)
    bench.settle()
    assert bench.state == ("closed" if start == 0 else "established")
    peer.silent()


def test_reset_discards_what_was_not_read(bench, peer):
    """All queues are flushed; the application hears of the reset alone."""
    session = peer.connect()
    session.reads = False
    peer.send("A", length=100)
    peer.expect("A", ack=100)
    peer.send("R")
    bench.settle()
    assert session.events == ["accepted", "reset"] and session.received == 0
    peer.silent(100_000_000)


def test_reset_flushes_what_was_to_be_sent(bench, peer):
    session = peer.connect()
    bench.app.send(session, 100)
    peer.expect("A", length=100)
    peer.send("R")
    bench.settle()
    assert session.final == "reset"
    peer.silent(100_000_000)


# ---- ABORT (section 3.10.5)


@conformance("RFC9293:MUST-12")
@pytest.mark.parametrize("state", [s for s in STATES if s != "syn_received"])
def test_abort(bench, state):
    peer = reach(bench, state)
    end = peer.got
    if state == "time_wait" and peer.session.final:
        assert bench.app.abort(peer.session) in ("ok", "no connection")
        bench.settle()
        peer.inbox.clear()
        return
    assert bench.app.abort(peer.session) == "ok"
    bench.settle()
    if state == "syn_sent":
        peer.silent()
    elif state in ("closing", "last_ack"):
        if peer.inbox:  # the RFC asks for none here, and forbids none
            peer.expect("RA", seq=end)
    else:
        peer.expect("RA", seq=end)
    assert peer.session.final == "closed"
    assert bench.state == "closed"
    peer.silent(100_000_000)


def test_abort_flushes(bench, peer):
    """With data on the way: the reset has SND.NXT, and nothing follows."""
    session = peer.connect(mss=500)
    peer.send("A", window=1200)
    bench.app.send(session, 2000)
    peer.expect("A", length=500)
    peer.expect("A", length=500)
    bench.app.abort(session)
    peer.expect("RA", seq=1000)
    peer.silent(100_000_000)


@conformance("RFC5961:4.2-1", "RFC5961:4.2-2")
@pytest.mark.parametrize("flags", ["S", "SA"])
@pytest.mark.parametrize("start", [-(2**30), -1, 0, 1, 1000, 5000, 2**30])
@pytest.mark.parametrize("state", [s for s in SYNCHRONIZED if s != "time_wait"])
def test_syn_in_a_connection(bench, state, flags, start):
    """A challenge ACK, wherever it lies, and nothing else (RFC 5961 section 4.2). TIME-WAIT has
    rules of its own: test_challenge.py."""
    peer = reach(bench, state)
    ack = peer.got - (state in FIN_UNACKNOWLEDGED)
    events = list(peer.session.events)
    peer.send(flags, seq=peer.nxt + start, ack=ack, options=[("MSS", MSS)])
    peer.expect("A")
    bench.settle()
    assert bench.state == state and peer.session.events == events


# ---- blind data (RFC 5961 section 5)


def acknowledging(peer: Peer, kind: str) -> int:
    largest = 65535
    return peer.got + {
        "una": 0, "oldest": -largest, "too old": -largest - 1, "far": -(2**31) + 10,
        "future": 1, "far future": 2**30,
    }[kind]  # fmt: skip


@conformance("RFC5961:5.2-1", "RFC5961:5.2-2", "RFC9293:MAY-12")
@pytest.mark.parametrize("kind", [
    "una", "oldest", "future", "far future",
    "too old", "far",
])  # fmt: skip
def test_data_with_this_ack(bench, kind):
    """Taken if SND.UNA - MAX.SND.WND <= SEG.ACK <= SND.NXT; else an ACK, and nothing else."""
    peer = reach(bench, "established")
    read = peer.session.received
    nxt = peer.nxt
    peer.send("A", length=10, ack=acknowledging(peer, kind), seq=nxt)
    good = kind in ("una", "oldest")
    peer.expect("A", ack=nxt + 10 * good)
    bench.settle()
    assert peer.session.received - read == 10 * good


@conformance("RFC5961:5.2-1")
@pytest.mark.parametrize("kind", ["future", "far future"])
@pytest.mark.parametrize("state", SYNCHRONIZED)
def test_acknowledges_what_was_never_sent(bench, state, kind):
    """An ACK, in every synchronized state; and it counts for nothing, nor does its FIN."""
    peer = reach(bench, state)
    nxt = peer.nxt
    peer.send("FA", ack=acknowledging(peer, kind), seq=nxt)
    peer.expect("A", ack=nxt)
    bench.settle()
    assert bench.state == state
