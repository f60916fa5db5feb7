# SPDX-License-Identifier: Apache-2.0
"""Congestion control (RFC 5681, RFC 6582, RFC 6928), seen from outside: how many segments each
acknowledgement lets out.

The transmit ring of this preset holds 2048 bytes; segments of 64 to 200 bytes make many of it.
"""

import pytest

from scripts.peer import Peer
from scripts.settings import RTO_INITIAL_US, RTO_MIN_US
from scripts.states import reach

conformance = pytest.mark.conformance

RING = 2048
CWND, SSTHRESH, IN_FLIGHT = 6, 7, 8  # CommandQuery


class Flight:
    """A connection on which the application always has more to send, and what a sender by the RFCs
    may have on its way."""

    def __init__(self, bench, mss: int, peer: Peer | None = None) -> None:
        self.bench, self.mss = bench, mss
        self.peer = peer or Peer(bench)
        self.session = self.peer.session or self.peer.connect(mss=mss)
        self.una = self.next = 0

    def fill(self) -> None:
        """The ring is full of data."""
        room = RING - (self.session.sent - self.una)
        if room:
            assert self.bench.app.send(self.session, room) == "ok"

    def sends(self, count: int, lost=()) -> list[int]:
        """So many new segments and no more; their starts. The peer takes none that is in `lost`
        (numbers among them)."""
        starts = []
        for number in range(count):
            self.peer.expect("A", length=self.mss, seq=self.next, lost=number in lost)
            starts.append(self.next)
            self.next += self.mss
        self.peer.silent()
        return starts

    def acknowledges(self, ack: int) -> None:
        self.una = max(self.una, ack)
        self.peer.send("A", ack=ack)
        self.bench.settle()

    def duplicates(self, count: int, ack: int = 0) -> int:
        """So many duplicate acknowledgements, before the third; how many new segments they let out
        (limited transmit, RFC 5681 section 3.2 step 1: one each, at most)."""
        before = self.next
        for number in range(1, count + 1):
            self.peer.send("A", ack=ack)
            self.bench.settle()
            self.sends(len(self.peer.inbox))
            assert self.next - before <= number * self.mss
        return (self.next - before) // self.mss

    def repeats(self, seq: int, after: int | None = None, length: int | None = None) -> None:
        self.peer.expect("A", length=length or self.mss, seq=seq, after=after)


@conformance("RFC6928:2-1", "RFC9293:MUST-19", "RFC5681:3.1-1", "RFC5681:3.1-6")
@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("mss, segments", [(64, 10), (100, 10), (150, 10), (200, 10)])
def test_initial_window(bench, peer, mss, segments, active):
    """min(10 MSS, max(2 MSS, 14600)) (RFC 6928 section 2): to it neither a SYN-ACK nor its
    acknowledgement adds anything."""
    if active:
        peer.answer_open(mss=mss)
    flight = Flight(bench, mss, peer)
    flight.fill()
    flight.sends(segments)


@conformance("RFC6928:2-1", "RFC5681:3.1-1")
@pytest.mark.parametrize("mss, segments", [(1460, 10), (2000, 7), (7300, 2), (8960, 2)])
def test_initial_window_of_large_segments(make_bench, mss, segments):
    """The same, where more than ten segments of 1,460 bytes, or two larger ones, are not sent."""
    peer = Peer(make_bench("bulk"), window=60_000)
    session = peer.connect(mss=mss)
    assert peer.syn.option("MSS") == 8960
    for _ in range(5):
        assert peer.bench.app.send(session, 8960 // mss * mss) == "ok"
    for _ in range(segments):
        peer.expect("A", length=mss)
    peer.silent()


@conformance("RFC5681:3.1-2", "RFC6928:2-2")
@pytest.mark.parametrize("active", [False, True])
def test_window_after_a_lost_syn(bench, peer, active):
    """One segment (RFC 5681 section 3.1)."""
    if active:
        peer.wait_for_open()
        peer.expect("S", seq=-1, after=RTO_INITIAL_US)
        peer.send("SA", options=[("MSS", 100)])
        peer.expect("A", seq=0, ack=0)
    else:
        peer.send("S", options=[("MSS", 100)])
        peer.expect("SA", seq=-1, ack=0)
        peer.expect("SA", seq=-1, ack=0, after=RTO_INITIAL_US)
        peer.send("A")
        bench.run(lambda: bench.app.fresh, "the application's news")
        peer.session = bench.app.fresh.pop()
    flight = Flight(bench, 100, peer)
    flight.fill()
    flight.sends(1)


@conformance("RFC5681:3.1-3", "RFC9293:MUST-19")
@pytest.mark.parametrize("segments_per_ack", [1, 2, 5])
def test_slow_start(bench, segments_per_ack):
    """cwnd grows by at most a segment for each acknowledgement of new data."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    for round_ in range(1, 6):
        flight.acknowledges(round_ * segments_per_ack * 64)
        flight.fill()
        flight.sends(segments_per_ack + 1)


@conformance("RFC5681:3.1-3")
def test_ack_splitting_gains_nothing(bench):
    """Acknowledgements of a byte each: growth by the bytes, not by the acknowledgements."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    for ack in range(1, 33):
        flight.acknowledges(ack)
    flight.fill()
    # 32 bytes acknowledged and cwnd greater by at most 32: a segment is let out.
    flight.sends(1)


@conformance("RFC5681:3.1-4", "RFC5681:3.1-5", "RFC9293:MUST-19")
def test_timeout_halves_and_begins_with_one(bench):
    """ssthresh = max(flight / 2, 2 MSS), cwnd = 1 MSS; slow start up to there, then one segment for
    each window."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.repeats(0, after=RTO_MIN_US)
    flight.peer.silent()
    # ssthresh is 5 segments. All that was sent before is acknowledged at once.
    flight.acknowledges(640)
    flight.fill()
    flight.sends(2)  # cwnd 2
    flight.acknowledges(640 + 64)
    flight.fill()
    flight.sends(2)  # cwnd 3
    flight.acknowledges(640 + 2 * 64)
    flight.fill()
    flight.sends(2)  # cwnd 4
    flight.acknowledges(640 + 3 * 64)
    flight.fill()
    flight.sends(2)  # cwnd 5 = ssthresh
    grown = 0
    for ack in range(4, 10):
        flight.acknowledges(640 + ack * 64)
        flight.fill()
        bench.settle()
        more = len(flight.peer.inbox) - 1
        flight.sends(1 + more)
        grown += more
    assert grown == 1, "congestion avoidance: one segment in a window of five"


@conformance("RFC5681:3.1-4")
def test_second_timeout_does_not_halve_again(bench):
    """The same segment lost twice: ssthresh stays as the first loss left it."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.repeats(0, after=RTO_MIN_US)
    flight.repeats(0, after=2 * RTO_MIN_US)
    flight.acknowledges(640)
    for cwnd in (2, 3, 4, 5):
        flight.fill()
        flight.sends(2)
        flight.acknowledges(640 + (cwnd - 1) * 64)
    # Slow start has gone to 5, so that ssthresh cannot be 2.
    flight.fill()
    flight.sends(1)


@conformance("RFC9293:MAY-18", "RFC5681:4.3-3")
@pytest.mark.parametrize("cubic_friendly", [0, 1])
def test_window_after_a_loss(make_bench, cubic_friendly):
    """Half of what is in flight is left, or 0.7 of it (RFC 9438 section 4.6), and so many segments
    a round trip make that good: one, or 0.53 (section 4.3)."""
    bench = make_bench(cubic_friendly=cubic_friendly)
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.duplicates(2)
    flight.peer.send("A", ack=0)
    flight.repeats(0)
    flight.peer.inbox.clear()
    ssthresh = bench.app.query(flight.session, SSTHRESH)
    in_flight = 10 * 64
    assert abs(ssthresh - (0.7 if cubic_friendly else 0.5) * in_flight) <= 4
    # All is acknowledged, and then windows of whole segments, by a segment each time.
    sent = bench.app.query(flight.session, IN_FLIGHT)
    una = sent
    flight.acknowledges(una)
    assert bench.app.query(flight.session, CWND) == ssthresh
    acked = 0
    while bench.app.query(flight.session, CWND) < ssthresh + 2 * 64:
        flight.una = una
        flight.fill()
        bench.settle()
        flight.peer.inbox.clear()
        una += 64
        acked += 64
        flight.peer.send("A", ack=una)
        bench.settle()
        flight.peer.inbox.clear()
    windows = (2 * ssthresh + 64) / acked  # segments for each window acknowledged, about
    wanted = 8 / 15 if cubic_friendly else 1
    assert wanted * 0.8 <= windows <= wanted * 1.25


def lose_one(flight: Flight, seq: int = 0) -> None:
    """Three duplicates, and the segment at `seq` goes out again; whatever else comes is taken."""
    for _ in range(3):
        flight.peer.send("A", ack=seq)
    flight.bench.settle()
    assert any(segment.seq == seq for segment in flight.peer.inbox)
    flight.peer.inbox.clear()
    flight.next = seq + flight.bench.app.query(flight.session, IN_FLIGHT)


def begin_to_avoid(flight: Flight, segments: int) -> None:
    """Congestion avoidance: the first of so many segments was lost, all are acknowledged now, and
    the application has no more."""
    assert flight.bench.app.send(flight.session, segments * flight.mss) == "ok"
    flight.sends(segments)
    lose_one(flight)
    flight.acknowledges(segments * flight.mss)
    assert flight.bench.app.query(flight.session, CWND) == segments * flight.mss // 2


@conformance("RFC5681:3.2-2")
def test_flight_is_that_of_the_round_trip(bench):
    """Of ten segments the seventh is lost. That the application has not filled the room yet which
    the first six left makes no difference: ten were in flight."""
    flight = Flight(bench, 64)
    assert bench.app.send(flight.session, 640) == "ok"
    flight.sends(10)
    for number in range(1, 7):
        flight.acknowledges(number * 64)
    lose_one(flight, 6 * 64)
    assert bench.app.query(flight.session, SSTHRESH) == 5 * 64


@conformance("RFC5681:3.2-2", "RFC5681:4.3-1", "RFC5681:4.3-4")
def test_next_loss_counts_what_is_in_flight_then(bench):
    """What was in flight before a loss is not what is after it."""
    flight = Flight(bench, 64)
    begin_to_avoid(flight, 10)
    assert bench.app.send(flight.session, 5 * 64) == "ok"
    flight.sends(5)
    lose_one(flight, 10 * 64)
    assert bench.app.query(flight.session, SSTHRESH) == 5 * 64 // 2


@conformance("RFC5681:3.2-2")
def test_flight_of_an_earlier_round_trip_is_forgotten(bench):
    """Ten segments, and then four at a time: a loss among these leaves two."""
    flight = Flight(bench, 64)
    assert bench.app.send(flight.session, 640) == "ok"
    flight.sends(10)
    flight.acknowledges(3 * 64)
    assert bench.app.send(flight.session, 64) == "ok"
    flight.sends(1)
    flight.acknowledges(8 * 64)
    assert bench.app.send(flight.session, 64) == "ok"
    flight.sends(1)  # 8 to 11 are on their way, and 11 is timed
    flight.acknowledges(11 * 64)
    assert bench.app.send(flight.session, 3 * 64) == "ok"
    flight.sends(3)
    flight.acknowledges(12 * 64)
    lose_one(flight, 12 * 64)
    assert bench.app.query(flight.session, SSTHRESH) == 2 * 64


@conformance("RFC9293:MUST-19", "RFC5681:3.1-7")
def test_window_of_whole_segments_and_a_half(bench):
    """Of 4.5 segments four can be sent. A round trip acknowledges these, not 4.5, and adds a
    segment: half of it with each half. With the first half there is room for five."""
    flight = Flight(bench, 64)
    begin_to_avoid(flight, 9)
    flight.fill()
    flight.sends(4)
    windows = []
    for number in range(10, 15):
        flight.acknowledges(number * 64)
        flight.fill()
        bench.settle()
        flight.peer.inbox.clear()
        windows.append(bench.app.query(flight.session, CWND))
    assert windows == [288, 320, 320, 320, 352]


@conformance("RFC9293:MUST-19", "RFC5681:3.1-7")
def test_one_segment_a_round_trip_without_new_data(bench):
    """Five segments are acknowledged one by one, and the application gives no more: that is one
    round trip, however little is in flight at its end."""
    flight = Flight(bench, 64)
    begin_to_avoid(flight, 10)
    assert bench.app.send(flight.session, 5 * 64) == "ok"
    flight.sends(5)
    for number in range(11, 16):
        flight.acknowledges(number * 64)
    assert bench.app.query(flight.session, CWND) == 6 * 64


@conformance("RFC5681:3.2-1")
@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_duplicates_change_nothing(bench, count):
    """No retransmission, and cwnd stays (new data by limited transmit is allowed, not required)."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.duplicates(count)
    assert bench.counter("tcp_fast_retransmits") == 0


@conformance("RFC5681:3.2-2", "RFC5681:3.2-3", "RFC5681:3.2-4", "RFC5681:3.2-5")
def test_fast_retransmit_and_recovery(bench):
    """At the third duplicate SND.UNA goes out again, ssthresh = flight / 2, cwnd = ssthresh + 3;
    each further one adds a segment; the acknowledgement deflates to ssthresh (S1.4)."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)  # the first is lost
    limited = flight.duplicates(2)
    flight.peer.send("A", ack=0)
    flight.repeats(0)
    flight.peer.silent()
    # cwnd is 8 segments (what limited transmit sent does not count), 10 and those of limited
    # transmit are on their way.
    let_out = 0
    for number in range(1, 8):
        flight.peer.send("A", ack=0)
        allowed = max(0, 8 + number - (10 + limited))
        flight.sends(allowed - let_out)
        let_out = allowed
    # All is acknowledged: cwnd is 5 segments (or less, by how much is on its way), all of it new.
    flight.acknowledges(flight.next)
    flight.fill()
    bench.settle()
    assert 1 <= len(flight.peer.inbox) <= 5
    flight.sends(len(flight.peer.inbox))


@conformance("RFC5681:3.2-2", "RFC5681:3.2-3", "RFC5681:3.2-4", "RFC5681:3.2-5")
def test_recovery_without_limited_transmit(bench):
    """The same while the application has nothing more to send until the third duplicate."""
    flight = Flight(bench, 64)
    assert bench.app.send(flight.session, 640) == "ok"
    flight.sends(10)
    assert flight.duplicates(2) == 0
    flight.peer.send("A", ack=0)
    flight.repeats(0)
    flight.fill()
    let_out = 0
    flight.peer.silent()
    for number in range(1, 8):
        flight.peer.send("A", ack=0)
        allowed = max(0, 8 + number - 10)
        flight.sends(allowed - let_out)
        let_out = allowed
    flight.acknowledges(flight.next)
    flight.fill()
    bench.settle()
    assert 1 <= len(flight.peer.inbox) <= 5
    flight.sends(len(flight.peer.inbox))


@conformance("RFC6582:3.2-1")
@pytest.mark.parametrize("lost", [(0, 1), (0, 3), (0, 2, 5), (0, 1, 2, 3), (0, 9)])
def test_partial_acknowledgements(bench, lost):
    """NewReno: each brings the next hole at once, without three more duplicates, and the recovery
    lasts until all is acknowledged that was sent before it (RFC 6582 section 3.2)."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    holes = [number * 64 for number in lost]
    flight.duplicates(2)
    flight.peer.send("A", ack=0)
    flight.repeats(0)
    for hole in holes[1:]:
        bench.settle()
        flight.sends(len(flight.peer.inbox))
        flight.peer.send("A", ack=hole)
        flight.una = hole
        flight.peer.expect("A", length=64, seq=hole)
        bench.settle()
        news = [segment for segment in flight.peer.inbox if segment.seq >= flight.next]
        flight.sends(len(news))
    flight.acknowledges(flight.next)
    assert bench.counter("tcp_fast_retransmits") == 1
    flight.fill()
    bench.settle()
    flight.sends(len(flight.peer.inbox))


@conformance("RFC6582:3.2-1")
def test_no_second_fast_retransmit_of_one_loss(bench):
    """Duplicates that acknowledge no more than `recover` do not begin another recovery (RFC 6582
    section 3.2, step 1)."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.repeats(0, after=RTO_MIN_US)
    for _ in range(6):
        flight.peer.send("A", ack=0)
    bench.settle()
    assert bench.counter("tcp_fast_retransmits") == 0
    assert all(0 < segment.seq <= 128 for segment in flight.peer.inbox)
    flight.peer.inbox.clear()


def test_a_later_loss_is_a_new_one(bench):
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.duplicates(2)
    flight.peer.send("A", ack=0)
    flight.repeats(0)
    start = flight.next
    flight.acknowledges(start)
    flight.fill()
    bench.settle()
    count = len(flight.peer.inbox)
    assert count >= 4
    flight.sends(count)
    flight.duplicates(2, ack=start)
    flight.peer.send("A", ack=start)
    flight.repeats(start)
    assert bench.counter("tcp_fast_retransmits") == 2


@pytest.mark.parametrize("what", ["window", "data", "fin", "old", "nothing outstanding"])
def test_what_is_no_duplicate(bench, what):
    """RFC 5681 section 2: no data, no SYN or FIN, the same acknowledgement and window, something on
    its way."""
    flight = Flight(bench, 64)
    peer = flight.peer
    flight.fill()
    flight.sends(10)
    if what == "nothing outstanding":
        peer.send("A", window=0)  # acknowledges all and closes
        bench.settle()
    for number in range(5):
        if what == "window":
            peer.send("A", ack=0, window=60_000 - number)
        elif what == "data":
            peer.send("A", ack=0, length=10)
            peer.expect("A", seq=640)
        elif what == "fin":
            peer.send("FA", ack=0, seq=100)
            peer.expect("A", seq=640)
        elif what == "old":
            peer.send("A", ack=-100)
        else:
            peer.send("A")
    bench.settle()
    assert bench.counter("tcp_fast_retransmits") == 0
    assert not any(segment.seq == 0 and segment.length for segment in peer.inbox)
    peer.inbox.clear()


def test_small_window_and_fast_retransmit(bench):
    """Four segments on their way are enough for three duplicates."""
    peer = Peer(bench)
    session = peer.connect(mss=100)
    bench.app.send(session, 400)
    for _ in range(4):
        peer.expect("A", length=100, lost=True)
    for _ in range(3):
        peer.send("A", ack=0)
    peer.expect("A", length=100, seq=0)
    peer.send("A", ack=400)
    peer.silent(10 * RTO_INITIAL_US)


def test_lost_retransmission_waits_for_the_timer(bench):
    peer = Peer(bench)
    session = peer.connect(mss=100)
    bench.app.send(session, 500)
    for _ in range(5):
        peer.expect("A", length=100, lost=True)
    for _ in range(4):
        peer.send("A", ack=0)
    peer.expect("A", length=100, seq=0, lost=True)
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US, lost=True)


@conformance("RFC5681:4.3-4")
@pytest.mark.parametrize("cubic_friendly", [0, 1])
@pytest.mark.parametrize("sack", [0, 1])
def test_lost_retransmission_is_a_second_loss(make_bench, sack, cubic_friendly):
    """Of ten segments in flight a loss leaves a share, and the loss of what recovery sent again the
    same share of that; the window is one segment until then."""
    bench = make_bench(sack=sack, cubic_friendly=cubic_friendly)
    peer = Peer(bench)
    session = peer.connect(mss=64, more=[("SAckOK", b"")] if sack else None)
    bench.app.send(session, 640)
    for _ in range(10):
        peer.expect("A", length=64, lost=True)
    for right in (2, 3, 4):
        first, last = ((peer.irs + 1 + 64 * edge) % 2**32 for edge in (1, right))
        blocks = [("NOP", None), ("NOP", None), ("SAck", (first, last))]
        peer.send("A", ack=0, options=blocks if sack else [])
    peer.expect("A", length=64, seq=0, lost=True)
    share = 0.7 if cubic_friendly else 0.5
    assert abs(bench.app.query(session, SSTHRESH) - 640 * share) <= 4
    peer.expect("A", length=64, seq=0, after=RTO_MIN_US, lost=True)
    assert abs(bench.app.query(session, SSTHRESH) - 640 * share**2) <= 6
    assert bench.app.query(session, CWND) == 64
    # The timer again for the same segment: no third indication.
    peer.expect("A", length=64, seq=0, after=2 * RTO_MIN_US, lost=True)
    assert abs(bench.app.query(session, SSTHRESH) - 640 * share**2) <= 6


def test_tail_loss(bench):
    """Nothing behind it makes duplicates: the timer brings it."""
    peer = Peer(bench)
    session = peer.connect(mss=100)
    bench.app.send(session, 500)
    for _ in range(4):
        peer.expect("A", length=100)
    peer.expect("A", length=100, lost=True)
    peer.send("A")
    peer.expect("A", length=100, seq=400, after=RTO_MIN_US)
    peer.send("A")
    peer.silent(10 * RTO_INITIAL_US)


def test_go_back_after_a_timeout(bench):
    """Everything was lost: what was sent goes out again in slow start, and nothing but that."""
    flight = Flight(bench, 64)
    flight.fill()
    flight.sends(10)
    flight.repeats(0, after=RTO_MIN_US)
    una, expected = 0, 1
    nxt = 1
    for _ in range(5):
        una += 1
        flight.peer.send("A", ack=una * 64)
        bench.settle()
        for _ in range(2):
            if flight.peer.inbox and flight.peer.inbox[0].seq < 640:
                flight.repeats(nxt * 64)
                nxt += 1
        expected += 1
    assert nxt >= 6
    flight.peer.inbox.clear()


@conformance("RFC9293:MUST-12")
@pytest.mark.parametrize("state", ["fin_wait_1", "closing", "last_ack"])
def test_fin_is_retransmitted_fast(bench, state):
    """It is data in this respect."""
    peer = reach(bench, state)
    for _ in range(3):
        peer.send("A", ack=peer.got - 1)
    peer.expect("FA", seq=peer.got - 1)


# ---- idle connections (RFC 5681 section 4.1)


def grown(bench) -> Flight:
    """Slow start has gone to twenty segments, and everything is acknowledged."""
    flight = Flight(bench, 64)
    assert bench.app.send(flight.session, 10 * 64) == "ok"
    flight.sends(10)
    for number in range(10):
        flight.acknowledges(64 * (number + 1))
    assert bench.app.query(flight.session, CWND) == 20 * 64
    return flight


@conformance("RFC5681:4.1-1")
@pytest.mark.parametrize("idle_us, segments", [(RTO_MIN_US - 1000, 20), (RTO_MIN_US + 1000, 10),
                                               (1_000_000_000, 10)])  # fmt: skip
def test_window_after_a_pause(bench, idle_us, segments):
    """After an RTO in which nothing was sent the window is the initial one; before, what it was."""
    flight = grown(bench)
    bench.pass_time(idle_us)
    flight.fill()
    flight.sends(segments)


@conformance("RFC5681:4.1-1")
def test_pause_does_not_raise_the_window(bench):
    """One that a loss has made smaller stays so."""
    flight = Flight(bench, 64)
    begin_to_avoid(flight, 10)
    bench.pass_time(10 * RTO_MIN_US)
    flight.fill()
    flight.sends(5)
