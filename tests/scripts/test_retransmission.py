# SPDX-License-Identifier: Apache-2.0
"""The retransmission timer (RFC 6298): when it goes off, what is sent again, how it backs off, what
round-trip times it learns from, and when the connection is given up (RFC 9293 section 3.8.3)."""

import random

import pytest

from scripts.bench import TIMER_SLACK_US
from scripts.peer import ANY, Peer
from scripts.settings import DATA_RETRIES, RTO_INITIAL_US, RTO_MAX_US, RTO_MIN_US
from support.simulate import run_seed

conformance = pytest.mark.conformance

G = 1  # granularity of the clock, us


class Estimator:
    """RFC 6298 section 2, in exact numbers."""

    def __init__(self, least: float, most: float = RTO_MAX_US) -> None:
        self.srtt = self.rttvar = None
        self.least, self.most = least, most
        self.rto = RTO_INITIAL_US

    def sample(self, r: float) -> None:
        if self.srtt is None:
            self.srtt, self.rttvar = r, r / 2
        else:
            self.rttvar = 0.75 * self.rttvar + 0.25 * abs(self.srtt - r)
            self.srtt = 0.875 * self.srtt + 0.125 * r
        self.rto = min(max(self.srtt + max(G, 4 * self.rttvar), self.least), self.most)


def connect_after(peer: Peer, r: int, mss: int = 1460):
    """A handshake whose SYN-ACK is answered after r microseconds."""
    peer.send("S", options=[("MSS", mss)])
    peer.expect("SA", seq=-1, ack=0)
    peer.bench.pass_time(r)
    peer.send("A")
    peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
    peer.session = peer.bench.app.fresh.pop()
    return peer.session


@conformance("RFC6298:2-1", "RFC9293:MUST-18")
@pytest.mark.parametrize("r", [1000, 20_000, 100_000, 333_333])
def test_first_sample(make_bench, r):
    """R gives RTO = R + 4 R/2, to the microsecond."""
    bench = make_bench(rto_min_us=100)
    peer = Peer(bench)
    connect_after(peer, r)
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    peer.expect("A", length=50, seq=0, after=r + 4 * (r // 2))


@conformance("RFC6298:2-1", "RFC9293:MUST-18")
def test_minimum(bench, peer):
    """Round-trip times of nothing give the least RTO."""
    peer.connect()
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    peer.expect("A", length=50, seq=0, after=RTO_MIN_US)


@conformance("RFC6298:2-1", "RFC6298:2-2", "RFC6298:2-3", "RFC6298:3-2")
@pytest.mark.parametrize("kind", [
    "steady", "settling", "steps", "random", "shrinking"
])  # fmt: skip
def test_samples(make_bench, kind):
    """SRTT and RTTVAR over many samples, against exact numbers; the engine may be off by what
    integers of microseconds are, as the shifts of RFC 6298 round."""
    bench = make_bench(rto_min_us=100)
    draw = random.Random(run_seed())
    times = {
        "steady": [48_000, 52_000] * 20,
        "settling": [50_000] * 12,
        "steps": [10_000] * 6 + [80_000] * 8,
        "random": [draw.randint(1000, 200_000) for _ in range(14)],
        "shrinking": [200_000 // (i + 1) for i in range(12)],
    }[kind]
    peer = Peer(bench)
    connect_after(peer, times[0])
    estimator = Estimator(100)
    estimator.sample(times[0])
    for r in times[1:]:
        bench.app.send(peer.session, 20)
        peer.expect("A", length=20)
        if r >= estimator.rto:
            r = int(estimator.rto) - 1000
        bench.pass_time(r)
        peer.send("A")
        estimator.sample(r)
    bench.app.send(peer.session, 20)
    peer.expect("A", length=20, lost=True)
    rounding = 8 * len(times)
    peer.silent(int(estimator.rto) - rounding)
    bench.pass_time(2 * rounding + TIMER_SLACK_US)
    peer.expect("A", length=20, seq=peer.got)


@conformance("RFC6298:2-4")
def test_granularity(make_bench):
    """Equal round-trip times leave room for one tick of the clock."""
    bench = make_bench(rto_min_us=100)
    peer = Peer(bench)
    connect_after(peer, 5000)
    for _ in range(60):
        bench.app.send(peer.session, 20)
        peer.expect("A", length=20)
        bench.pass_time(5000)
        peer.send("A")
    assert bench.counter("tcp_retransmit_timeouts") == 0


@conformance("RFC6298:3-1", "RFC9293:MUST-18")
def test_karn(make_bench):
    """What was sent twice gives no sample: the RTO stays doubled until a segment that was sent once
    is acknowledged (RFC 6298 sections 3 and 5)."""
    bench = make_bench(rto_min_us=100)
    peer = Peer(bench)
    r = 100_000
    connect_after(peer, r)
    rto = 3 * r
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    peer.expect("A", length=50, seq=0, after=rto)
    bench.pass_time(10)  # an answer so quick can be to the first alone, or to the second
    peer.send("A")
    bench.app.send(peer.session, 60)
    peer.expect("A", length=60, lost=True)
    peer.expect("A", length=60, seq=50, after=2 * rto)


@conformance("RFC6298:5-2", "RFC9293:MUST-19")
def test_new_sample_ends_the_back_off(make_bench):
    bench = make_bench(rto_min_us=100)
    peer = Peer(bench)
    r = 100_000
    connect_after(peer, r)
    estimator = Estimator(100)
    estimator.sample(r)
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    for i in range(3):
        peer.expect("A", length=50, seq=0, after=3 * r << i, lost=True)
    peer.got = 50
    peer.send("A")
    bench.app.send(peer.session, 60)
    peer.expect("A", length=60)
    bench.pass_time(r)
    peer.send("A")
    estimator.sample(r)
    bench.app.send(peer.session, 70)
    peer.expect("A", length=70, lost=True)
    peer.expect("A", length=70, seq=110, after=int(estimator.rto))


@conformance("RFC6298:5-2", "RFC9293:MUST-20", "RFC9293:SHLD-11")
def test_back_off_and_end(bench, peer):
    """Doubled each time up to the maximum; after R2 the application hears that the peer does not
    answer. By the settings that the engine has by itself, R2 is beyond 100 s."""
    peer.connect()
    began = bench.now
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    wait = RTO_MIN_US
    for _ in range(DATA_RETRIES):
        peer.expect("A", length=50, seq=0, after=wait, lost=True)
        wait = min(2 * wait, RTO_MAX_US)
    peer.silent(wait - 1)
    assert bench.state == "established" and peer.session.final is None
    bench.pass_time(1 + TIMER_SLACK_US)
    assert peer.session.final == "timed out"
    assert bench.now - began > 100_000_000
    peer.hears_nobody()


@conformance("RFC9293:MUST-21")
@pytest.mark.parametrize("retries", [1, 3, 14])
def test_retries_as_set(make_bench, retries):
    bench = make_bench(data_retries=retries, rto_max_us=1_000_000)
    peer = Peer(bench)
    peer.connect()
    bench.app.send(peer.session, 50)
    peer.expect("A", length=50, lost=True)
    wait = RTO_MIN_US
    for _ in range(retries):
        peer.expect("A", length=50, seq=0, after=wait, lost=True)
        wait = min(2 * wait, 1_000_000)
    peer.silent(wait - 1)
    bench.pass_time(1 + TIMER_SLACK_US)
    assert peer.session.final == "timed out"


@conformance("RFC6298:5-1")
def test_acknowledgement_restarts_the_timer(bench, peer):
    """Rule 5.3: of what is left, from the acknowledgement on."""
    peer.connect(mss=100)
    bench.app.send(peer.session, 300)
    for _ in range(3):
        peer.expect("A", length=100)
    bench.pass_time(RTO_MIN_US * 3 // 4)
    peer.send("A", ack=100)
    estimator = Estimator(RTO_MIN_US)
    estimator.sample(0)
    estimator.sample(RTO_MIN_US * 3 // 4)
    peer.expect("A", length=100, seq=100, after=int(estimator.rto))


@conformance("RFC6298:5-1")
def test_duplicate_does_not_restart_the_timer(bench, peer):
    peer.connect()
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    for _ in range(2):
        bench.pass_time(RTO_MIN_US // 4)
        peer.send("A")
        bench.settle()
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US // 2)


@conformance("RFC6298:5-1")
def test_all_acknowledged_stops_the_timer(bench, peer):
    """Rule 5.2."""
    peer.connect()
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100)
    bench.pass_time(RTO_MIN_US - 1000)
    peer.send("A")
    peer.silent(10 * RTO_INITIAL_US)


@conformance("RFC6298:5-1")
def test_new_data_does_not_restart_the_timer(bench, peer):
    """Rule 5.1: it runs already."""
    peer.connect()
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    bench.pass_time(RTO_MIN_US // 2)
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, seq=100, lost=True)
    again = peer.expect("A", length=ANY, seq=0, after=RTO_MIN_US // 2, lost=True)
    assert again.length in (100, 200)


def test_repeats_the_earliest_alone(bench, peer):
    """Rule 5.4: one segment, the first that is not acknowledged; the window does not matter."""
    peer.connect(mss=100)
    bench.app.send(peer.session, 500)
    for _ in range(5):
        peer.expect("A", length=100, lost=True)
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US, lost=True)
    peer.silent(2 * RTO_MIN_US - TIMER_SLACK_US - 1)


@conformance("RFC6298:5-3")
@pytest.mark.parametrize("active", [False, True])
def test_rto_after_a_repeated_syn(bench, peer, active):
    if active:
        session = peer.wait_for_open()
        peer.expect("S", seq=-1, after=RTO_INITIAL_US)
        peer.send("SA", options=[("MSS", 1460)])
        peer.expect("A", seq=0, ack=0)
    else:
        peer.send("S", options=[("MSS", 1460)])
        peer.expect("SA", seq=-1, ack=0)
        peer.expect("SA", seq=-1, ack=0, after=RTO_INITIAL_US)
        peer.send("A")
        bench.run(lambda: bench.app.fresh, "the application's news")
        session = bench.app.fresh.pop()
    bench.app.send(session, 100)
    peer.expect("A", length=100, seq=0, lost=True)
    peer.expect("A", length=100, seq=0, after=3_000_000)


@conformance("RFC9293:MUST-18")
def test_sample_of_the_handshake_is_not_of_a_repeated_syn(make_bench):
    """Karn again: the answer comes after the second SYN-ACK."""
    bench = make_bench(rto_min_us=100)
    peer = Peer(bench)
    peer.send("S", options=[("MSS", 1460)])
    peer.expect("SA", seq=-1, ack=0)
    peer.expect("SA", seq=-1, ack=0, after=RTO_INITIAL_US)
    bench.pass_time(1000)
    peer.send("A")
    bench.run(lambda: bench.app.fresh, "the application's news")
    bench.app.send(bench.app.fresh.pop(), 100)
    peer.expect("A", length=100, seq=0, lost=True)
    peer.silent(2 * RTO_INITIAL_US - 1)  # not 3 ms
    bench.pass_time(RTO_INITIAL_US + 100)
    peer.expect("A", length=100, seq=0)


def test_data_given_later_goes_with_the_repetition_or_behind_it(bench, peer):
    """A repetition adds nothing that the window does not allow."""
    peer.connect()
    peer.send("A", window=100)
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US)
    peer.send("A", window=100)
    peer.expect("A", length=100, seq=100)
