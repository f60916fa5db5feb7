# SPDX-License-Identifier: Apache-2.0
"""Sequence numbers that go round (RFC 9293 section 3.4): every comparison across 2^32, and across
2^31 where a comparison of signed numbers would go wrong."""

import pytest

from scripts.peer import ANY, Peer
from scripts.settings import RTO_MIN_US
from scripts.stream import from_engine

DISTANCES = (1, 2, 100, 1460, 3000)
NUMBERS = [-d % 2**32 for d in DISTANCES] + [2**31 - d for d in DISTANCES]


@pytest.mark.parametrize("iss", NUMBERS, ids=hex)
def test_receiving(bench, iss):
    """In order, again, with a gap, beyond the window, and the FIN."""
    peer = Peer(bench, iss=iss)
    session = peer.connect()
    for _ in range(3):
        peer.send("A", length=300)
        peer.expect("A")
        peer.send("A", length=300, seq=peer.nxt - 300)
        peer.expect("A")
    peer.send("A", length=100, seq=peer.nxt + 5000)
    peer.expect("A")
    peer.send("R", seq=peer.nxt + 5000)
    peer.send("R", seq=peer.nxt - 1)
    peer.silent()
    peer.send("FA", length=100)
    peer.expect("A")
    bench.settle()
    assert session.received == 1000 and bench.state == "close_wait"


@pytest.mark.parametrize("iss", NUMBERS[::2], ids=hex)
def test_gap(bench, iss):
    peer = Peer(bench, iss=iss)
    session = peer.connect()
    peer.send("A", length=500, seq=500)
    peer.expect("A", ack=0)
    peer.send("A", length=500, seq=0)
    if peer.expect("A", ack=ANY).ack == 500:
        peer.send("A", length=500, seq=500)
        peer.expect("A", ack=1000)
    bench.settle()
    assert session.received == 1000


def near(bench, number: int) -> Peer:
    """A peer towards which the engine's next initial sequence number is this one, or nearly so: it
    follows a clock of 4 us, so a port whose number is not far off is found, and waited for."""
    for port in range(20000, 20100):
        probe = Peer(bench, port=port)
        probe.send("S")
        probe.expect("SA", seq=-1, ack=0)
        probe.send("R")
        bench.settle()
        bench.peers.remove(probe)
        ahead = (number - probe.irs) % 2**32
        if ahead < 2**28:
            bench.jump(4 * ahead)
            return Peer(bench, port=port)
    raise AssertionError("no port is near")


@pytest.mark.parametrize("number", NUMBERS[:3] + NUMBERS[5:8], ids=hex)
def test_sending(bench, number):
    """Out, lost, again, acknowledged in parts, and the FIN."""
    peer = near(bench, number)
    session = peer.connect(mss=700)
    assert (peer.irs - number) % 2**32 < 4
    bench.app.send(session, 1400)
    peer.expect("A", length=700)
    peer.expect("A", length=700, lost=True)
    peer.send("A")
    peer.expect("A", length=700, seq=700, after=RTO_MIN_US)
    peer.send("A")
    bench.settle()
    assert session.unacknowledged == 0
    peer.send("A", ack=3000)
    peer.expect("A")
    bench.app.send(session, 1000)
    peer.expect("A", length=700)
    peer.expect("A", length=300)
    bench.app.close(session)
    peer.expect("FA")
    peer.send("A")
    bench.settle()
    assert bench.state == "fin_wait_2"
    assert len(from_engine(0, session.sent)) == 2400


@pytest.mark.parametrize("number", [NUMBERS[1], NUMBERS[2]], ids=hex)
def test_fast_retransmit(bench, number):
    peer = near(bench, number)
    session = peer.connect(mss=100)
    bench.app.send(session, 500)
    for _ in range(5):
        peer.expect("A", length=100, lost=True)
    for _ in range(3):
        peer.send("A", ack=0)
    peer.expect("A", length=100, seq=0)
    peer.send("A", ack=500)
    peer.silent(10_000_000)


@pytest.mark.parametrize("number", [NUMBERS[0], NUMBERS[2]], ids=hex)
def test_window(bench, number):
    """Its right edge lies on the other side."""
    peer = near(bench, number)
    session = peer.connect(mss=100)
    peer.send("A", window=300)
    bench.app.send(session, 1000)
    for _ in range(3):
        peer.expect("A", length=100)
    peer.send("A", window=0)
    peer.silent()
    peer.send("A", window=700)
    for _ in range(7):
        peer.expect("A", length=100)


def test_time_goes_round(make_bench):
    """The engine's 32 bits of microseconds, while data waits for its timer."""
    bench = make_bench()
    bench.jump(2**32 - 100_000)
    peer = Peer(bench)
    session = peer.connect()
    bench.app.send(session, 100)
    peer.expect("A", length=100, lost=True)
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US, lost=True)
    peer.expect("A", length=100, seq=0, after=2 * RTO_MIN_US)
    peer.send("A")
    peer.silent(1_000_000)
