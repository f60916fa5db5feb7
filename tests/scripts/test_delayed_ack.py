# SPDX-License-Identifier: Apache-2.0
"""Delayed acknowledgements (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2) and Nagle's algorithm
(RFC 9293 section 3.7.4)."""

import pytest

from scripts.bench import TIMER_SLACK_US
from scripts.peer import Peer

conformance = pytest.mark.conformance

DELAY = 40_000


@pytest.fixture
def late(make_bench):
    """A connection on which acknowledgements wait."""
    bench = make_bench(delayed_ack_us=DELAY)
    peer = Peer(bench)
    peer.connect()
    return peer


@conformance("RFC9293:SHLD-18", "RFC9293:MUST-40")
@pytest.mark.parametrize("length", [1, 100, 400])
def test_single_segment_waits(late, length):
    late.send("A", length=length)
    late.expect("A", after=DELAY)
    late.bench.settle()
    assert late.session.received == length


@conformance("RFC9293:MUST-40", "RFC5681:4.2-1")
@pytest.mark.parametrize("preset", [True, False])
def test_never_for_half_a_second(make_bench, preset):
    """By the preset's own time, and by one that is set too long."""
    bench = make_bench(delayed_ack_us=0xFFFF_FFFF if preset else 499_000)
    peer = Peer(bench)
    peer.connect()
    peer.send("A", length=10)
    bench.settle()
    if not peer.inbox:
        bench.pass_time(499_000 + TIMER_SLACK_US)
    peer.expect("A")
    assert bench.now < 500_000


@conformance("RFC9293:SHLD-19", "RFC9293:MUST-58")
def test_every_second_full_segment(late):
    """At least; a receiver with a small buffer has reason to say so earlier."""
    late.send("A", length=1000)
    late.bench.pass_time(DELAY // 2)
    late.send("A", length=1000)
    late.bench.settle()
    assert late.inbox.pop().ack == 2000
    late.inbox.clear()


@conformance("RFC5681:4.2-2")
def test_no_more_than_one_for_each_segment(late):
    """But for updates of the window (RFC 5681 section 4.2)."""
    count = 0
    for _ in range(8):
        late.send("A", length=100)
        late.bench.settle()
        count += len(late.inbox)
        late.inbox.clear()
    late.silent(0)
    late.bench.pass_time(2 * DELAY)
    count += len(late.inbox)
    late.inbox.clear()
    assert 1 <= count <= 8


@conformance("RFC9293:MAY-13")
def test_segment_beyond_a_gap_does_not_wait(late):
    late.send("A", length=100, seq=100)
    late.expect("A", ack=0)
    late.send("A", length=100, seq=300)
    late.expect("A", ack=0)


def test_segment_that_fills_a_gap_does_not_wait(late):
    """RFC 5681 section 4.2."""
    late.send("A", length=100, seq=100)
    late.expect("A", ack=0)
    late.send("A", length=100, seq=0)
    assert late.receive().ack in (100, 200)


def test_repeated_segment_does_not_wait(late):
    late.send("A", length=100)
    late.expect("A", after=DELAY)
    late.send("A", length=100, seq=0)
    late.expect("A")


@conformance("RFC9293:MUST-58")
def test_goes_with_data(late):
    """And then not again."""
    late.send("A", length=100)
    late.silent(DELAY // 2)
    late.bench.app.send(late.session, 50)
    late.expect("A", length=50, ack=100)
    late.send("A")
    late.silent(10 * DELAY)


def test_fin_is_acknowledged_at_once(late):
    late.send("FA", length=10)
    late.expect("A", ack=11)


def test_quick_ack(late):
    """The application's choice for a connection."""
    assert late.bench.app.set_option(late.session, "quick_ack", 1) == "ok"
    late.send("A", length=100)
    late.expect("A")


def test_repetition_goes_on_beside_it(late):
    """Both timers of one connection: data on its way, and an acknowledgement that waits."""
    late.bench.app.send(late.session, 100)
    late.expect("A", length=100, lost=True)
    late.bench.pass_time(100_000)
    late.send("A", length=10, ack=0)
    late.expect("A", after=DELAY)
    late.expect("A", length=100, seq=0, after=200_000 - 100_000 - DELAY - TIMER_SLACK_US)
    late.send("A", ack=100)


# ---- Nagle


@pytest.fixture
def slow(make_bench):
    """A connection that holds small segments back."""
    peer = Peer(make_bench(nagle=1))
    peer.connect(mss=500)
    return peer


@conformance("RFC9293:SHLD-7")
def test_first_goes_at_once(slow):
    slow.bench.app.send(slow.session, 1)
    slow.expect("A", length=1)


@conformance("RFC9293:SHLD-7", "RFC9293:MAY-16")
def test_small_ones_wait_and_go_together(slow):
    """Until everything is acknowledged."""
    app = slow.bench.app
    app.send(slow.session, 10)
    slow.expect("A", length=10)
    for _ in range(4):
        app.send(slow.session, 20)
    slow.silent(100_000)
    slow.send("A")
    slow.expect("A", length=80, push=True)


@conformance("RFC9293:SHLD-7", "RFC9293:SHLD-28")
def test_full_segments_do_not_wait(slow):
    app = slow.bench.app
    app.send(slow.session, 10)
    slow.expect("A", length=10)
    app.send(slow.session, 499)
    slow.silent()
    app.send(slow.session, 2)
    slow.expect("A", length=500)
    slow.silent()
    slow.send("A")
    slow.expect("A", length=1)


@conformance("RFC9293:MUST-17")
def test_application_can_disable_it(slow):
    app = slow.bench.app
    assert app.set_option(slow.session, "no_delay", 1) == "ok"
    for _ in range(4):
        app.send(slow.session, 20)
        slow.expect("A", length=20)


@conformance("RFC9293:MUST-17")
def test_disabling_it_releases_what_waits(slow):
    app = slow.bench.app
    app.send(slow.session, 10)
    slow.expect("A", length=10)
    app.send(slow.session, 20)
    slow.silent()
    assert app.set_option(slow.session, "no_delay", 1) == "ok"
    app.send(slow.session, 30)
    slow.expect("A", length=50)


@conformance("RFC9293:MUST-60")
def test_close_pushes(slow):
    """CLOSE implies push (section 3.8): what waits goes with the FIN."""
    app = slow.bench.app
    app.send(slow.session, 10)
    slow.expect("A", length=10)
    app.send(slow.session, 20)
    slow.silent()
    app.close(slow.session)
    slow.bench.settle()
    if not slow.inbox:
        slow.send("A")
    slow.expect("FA", length=20)
