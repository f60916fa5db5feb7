# SPDX-License-Identifier: Apache-2.0
"""Challenge ACKs are few (RFC 5961 section 7), and TIME-WAIT gives way to a newer connection (RFC
6191)."""

import pytest

from scripts.peer import ANY, MSS, Peer
from scripts.states import reach
from scripts.test_timestamps import stamped

conformance = pytest.mark.conformance

INTERVAL = 500_000


def provoke(peer: Peer, kind: str) -> None:
    if kind == "syn":
        peer.send("S", seq=peer.nxt + 10)
    elif kind == "reset":
        peer.send("R", seq=peer.nxt + 10)
    else:
        peer.send("A", ack=peer.got + 1000, seq=peer.nxt)


@conformance("RFC5961:7-1")
@pytest.mark.parametrize("kind", ["syn", "reset"])
def test_one_in_an_interval(make_bench, kind):
    peer = reach(make_bench(challenge_interval_us=INTERVAL), "established")
    for _ in range(3):
        provoke(peer, kind)
        peer.expect("A")
        for _ in range(5):
            provoke(peer, kind)
        peer.silent(INTERVAL + 1000)
    assert peer.bench.state == "established"


@conformance("RFC5961:7-1")
def test_of_each_connection(make_bench):
    """A limit for all together would tell one peer of another (section 7 as amended by errata)."""
    bench = make_bench(challenge_interval_us=INTERVAL)
    peers = [Peer(bench, port=40000 + number) for number in range(3)]
    for peer in peers:
        peer.connect()
    for peer in peers:
        provoke(peer, "syn")
        peer.expect("A")
        provoke(peer, "syn")
        peer.silent()


def test_others_are_not_limited(make_bench):
    """Data that comes again, or beyond a gap, is answered each time."""
    peer = reach(make_bench(challenge_interval_us=INTERVAL), "established")
    provoke(peer, "syn")
    peer.expect("A")
    for _ in range(5):
        peer.send("A", length=10, seq=peer.nxt - 10)
        peer.expect("A")
    for _ in range(5):
        peer.send("A", length=10, seq=peer.nxt + 100)
        peer.expect("A")


def test_reset_in_place_is_not_limited(make_bench):
    peer = reach(make_bench(challenge_interval_us=INTERVAL), "established")
    provoke(peer, "reset")
    peer.expect("A")
    peer.send("R")
    peer.bench.settle()
    assert peer.session.final == "reset"


# ---- TIME-WAIT gives way (RFC 6191 section 2)


def in_time_wait(make_bench, with_stamps: bool):
    """The application closed first; peer and its clock."""
    if not with_stamps:
        return reach(make_bench(timestamps=1), "time_wait", data=False), None
    clock = stamped(make_bench)
    peer = clock.peer
    peer.bench.app.close(peer.session)
    clock.expect("FA")
    clock.send("FA")
    clock.expect("A")
    assert peer.bench.state == "time_wait"
    return peer, clock


@conformance("RFC6191:2-1", "RFC6191:2-2", "RFC9293:SHLD-4", "RFC9293:MAY-2")
@pytest.mark.parametrize("before, ahead, seq_ahead, opens", [
    # Time stamps on the old connection; of the SYN: its time stamp beyond the last one seen (None:
    # it has none), its number beyond RCV.NXT.
    (True, 1, -5000, True), (True, 1, 5000, True), (True, 1000, 1, True),
    (True, 0, 5000, True), (True, 0, -5000, False),
    (True, -1, 5000, False), (True, -1, -5000, False),
    (True, None, 5000, True), (True, None, -5000, False),
    (False, 7, 5000, True), (False, 7, -5000, True),
    (False, None, 5000, True), (False, None, -5000, False),
])  # fmt: skip
def test_syn_in_time_wait(make_bench, before, ahead, seq_ahead, opens):
    """The rules of RFC 6191 section 2, one by one."""
    peer, clock = in_time_wait(make_bench, before)
    bench = peer.bench
    again = Peer(bench, port=peer.port, iss=(peer.iss + peer.nxt + seq_ahead) % 2**32,
                 sent_before=10_000)  # fmt: skip
    options = [("MSS", MSS)]
    if ahead is not None:
        options.append(("Timestamp", ((clock.value if clock else 100) + ahead, 0)))
    again.send("S", options=options)
    bench.settle()
    flags = [segment.flags for segment in again.inbox]
    again.inbox.clear()
    if opens:
        assert flags == ["SA"] and bench.state == "syn_received"
        again.send("R", seq=0)
        bench.settle()
    else:
        assert flags in ([], ["A"]) and bench.state == "time_wait"


@conformance("RFC9293:MAY-2")
def test_first_number_after_time_wait(make_bench):
    """Of two connections between the same ends, one right after the other."""
    peer, clock = in_time_wait(make_bench, True)
    again = Peer(peer.bench, port=peer.port, iss=peer.iss + 5000, sent_before=10_000)
    again.send("S", options=[("MSS", MSS), ("Timestamp", (clock.value + 1, 0))])
    again.expect("SA", seq=-1, ack=0)
    assert 0 < (again.irs - peer.irs - peer.got) % 2**32 < 2**31


def test_syn_in_time_wait_is_challenged(make_bench):
    """One that may not open gets an ACK, and whoever means it answers with a reset."""
    peer = reach(make_bench(), "time_wait")
    again = Peer(peer.bench, port=peer.port, iss=peer.iss - 100_000, sent_before=200_000)
    again.irs = peer.irs
    again.send("S", options=[("MSS", MSS)])
    answer = again.expect("A", seq=peer.got, ack=ANY)
    assert (again.iss + answer.ack - peer.iss - peer.nxt) % 2**32 == 0
    again.send("R", seq=answer.ack)
    peer.bench.settle()
    assert peer.bench.state == "closed"
    peer.bench.peers.remove(again)
    Peer(peer.bench, port=peer.port, iss=again.iss).connect()
