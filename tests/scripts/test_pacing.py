# SPDX-License-Identifier: Apache-2.0
"""An engine that is built with pacing: a window is spread over the round trip, and nothing waits
that should not."""

from functools import partial

import pytest

from scripts.peer import Peer
from scripts.settings import RTO_INITIAL_US, RTO_MIN_US

pytestmark = pytest.mark.long

BUILT = {"TOEHOLD_PACING": "1"}
RTT_US = 40_000
SIZE = 100
WINDOW = 10  # segments, at first (RFC 6928)
RING = 2048
# Of a round trip's share of one segment: twice as fast in slow start, a fifth faster afterwards; as
# well as logarithms know.
SLOW_START = (1 / 2.26, 1 / 1.77)
AVOIDANCE = (1 / 1.35, 1 / 1.05)
CWND, SSTHRESH, SRTT = 6, 7, 3  # CommandQuery


@pytest.fixture
def make_bench(make_bench):
    return partial(make_bench, macros=BUILT)


def connected(make_bench, rtt_us: int = RTT_US, **settings: int) -> Peer:
    """With a round trip that the engine has measured."""
    peer = Peer(make_bench(**{"pacing": 1} | settings))
    peer.send("S", options=[("MSS", SIZE)])
    peer.syn = peer.expect("SA", seq=-1, ack=0)
    peer.bench.pass_time(rtt_us)
    peer.send("A")
    peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
    peer.session = peer.bench.app.fresh.pop()
    return peer


def times(peer: Peer, count: int, microseconds: int) -> list[int]:
    """Segments in their order, as they come within the time; when each did."""
    begin = peer.bench.now
    peer.bench.pass_time_until(lambda: len(peer.inbox) >= count, microseconds)
    return [peer.expect("A", length=SIZE).time_us - begin for _ in range(count)]


def gaps(moments: list[int]) -> list[int]:
    return [later - earlier for earlier, later in zip(moments, moments[1:])]


def test_window_is_spread(make_bench):
    peer = connected(make_bench)
    assert peer.bench.app.send(peer.session, WINDOW * SIZE) == "ok"
    share = RTT_US / WINDOW
    spread = times(peer, WINDOW, RTT_US)
    assert spread[0] == 0
    for gap in gaps(spread):
        # A list of the calendar stands for an eighth of the wait.
        assert SLOW_START[0] * share * 7 / 8 - 1 <= gap <= SLOW_START[1] * share * 9 / 8 + 1, spread
    assert spread[-1] < RTT_US
    peer.silent(RTT_US)


def test_without_it_goes_at_once(make_bench):
    """Built in, but not switched on."""
    peer = connected(make_bench, pacing=0)
    assert peer.bench.app.send(peer.session, WINDOW * SIZE) == "ok"
    assert times(peer, WINDOW, RTT_US) == [0] * WINDOW


def test_no_round_trip_no_pace(make_bench):
    """Our SYN went out twice, so nobody knows which one was acknowledged (Karn's rule)."""
    peer = Peer(make_bench(pacing=1))
    peer.send("S", options=[("MSS", SIZE)])
    peer.expect("SA", seq=-1, ack=0)
    peer.expect("SA", seq=-1, ack=0, after=RTO_INITIAL_US)
    peer.bench.pass_time(RTT_US)
    peer.send("A")
    peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
    session = peer.bench.app.fresh.pop()
    assert peer.bench.app.query(session, SRTT) == 0
    for _ in range(3):
        assert peer.bench.app.send(session, SIZE // 5) == "ok"
        peer.expect("A", length=SIZE // 5)


def test_messages_one_by_one(make_bench):
    """Nothing is left after each of them, and the next one waits all the same."""
    peer = connected(make_bench)
    for _ in range(4):
        assert peer.bench.app.send(peer.session, SIZE) == "ok"
    spread = times(peer, 4, RTT_US)
    least = SLOW_START[0] * RTT_US / WINDOW * 7 / 8 - 1
    assert spread[0] == 0 and all(gap >= least for gap in gaps(spread)), spread


def test_short_messages_wait_less(make_bench):
    """A segment takes the time of its bytes."""
    peer = connected(make_bench)
    for _ in range(3):
        assert peer.bench.app.send(peer.session, 10) == "ok"
    begin = peer.bench.now
    peer.expect("A", length=10)
    peer.bench.pass_time_until(lambda: peer.inbox, RTT_US)
    second = peer.expect("A", length=20).time_us - begin
    share = RTT_US / WINDOW / 10
    assert SLOW_START[0] * share * 7 / 8 - 1 <= second <= SLOW_START[1] * share * 9 / 8 + 1


def test_after_a_loss_it_is_a_fifth_faster_than_the_window(make_bench):
    """Congestion avoidance. The window is its own share of the ring, so that all of it is sent."""
    peer = connected(make_bench)
    session, app = peer.session, peer.bench.app
    assert app.send(session, WINDOW * SIZE) == "ok"
    times(peer, WINDOW, RTT_US)
    for _ in range(3):
        peer.send("A", ack=0)
    peer.expect("A", length=SIZE, seq=0)
    peer.bench.pass_time(RTT_US)
    peer.send("A")
    peer.bench.settle()
    cwnd, srtt = app.query(session, CWND), app.query(session, SRTT)
    assert cwnd >= app.query(session, SSTHRESH)
    count = cwnd // SIZE
    assert app.send(session, count * SIZE) == "ok"
    spread = times(peer, count, 2 * RTT_US)
    share = srtt * SIZE / cwnd
    for gap in gaps(spread):
        assert AVOIDANCE[0] * share * 7 / 8 - 1 <= gap <= AVOIDANCE[1] * share * 9 / 8 + 1, spread


def test_acknowledgements_do_not_wait(make_bench):
    peer = connected(make_bench)
    assert peer.bench.app.send(peer.session, WINDOW * SIZE) == "ok"
    peer.expect("A", length=SIZE)
    peer.send("A", length=50)
    peer.expect("A", ack=50)
    # Nor does the acknowledgement of the first segment let out another one before its time.
    peer.send("A")
    peer.silent(1000)
    times(peer, WINDOW - 1, RTT_US)


def test_what_the_timer_sends_again_does_not_wait(make_bench):
    """The last segment is on its way when the timer of the first one runs out."""
    rtt_us = 3 * RTO_MIN_US
    peer = connected(make_bench, rtt_us=rtt_us)
    assert peer.bench.app.send(peer.session, 2 * SIZE) == "ok"
    first = peer.expect("A", length=SIZE, seq=0, lost=True)
    peer.bench.pass_time_until(lambda: peer.inbox, rtt_us)
    peer.expect("A", length=SIZE, seq=SIZE, lost=True)
    peer.bench.pass_time_until(lambda: peer.inbox, 4 * rtt_us)
    again = peer.expect("A", length=SIZE, seq=0)
    # R + 4 R/2 (RFC 6298), from the first one on.
    assert 3 * rtt_us <= again.time_us - first.time_us <= 3 * rtt_us + 64
    peer.send("A", ack=2 * SIZE)


def test_fin_does_not_wait(make_bench):
    peer = connected(make_bench)
    assert peer.bench.app.send(peer.session, SIZE) == "ok"
    peer.expect("A", length=SIZE)
    assert peer.bench.app.close(peer.session) == "ok"
    peer.expect("FA")
    peer.send("FA")
    peer.expect("A", ack=1)


def test_fin_follows_the_data_that_waits(make_bench):
    peer = connected(make_bench)
    assert peer.bench.app.send(peer.session, 3 * SIZE) == "ok"
    assert peer.bench.app.close(peer.session) == "ok"
    peer.expect("A", length=SIZE)
    peer.silent(1000)
    peer.bench.pass_time_until(lambda: peer.inbox, RTT_US)
    peer.expect("A", length=SIZE)
    peer.bench.pass_time_until(lambda: peer.inbox, RTT_US)
    peer.expect("FA", length=SIZE)
    peer.send("FA")
    peer.expect("A", ack=1)


def test_abort_does_not_wait(make_bench):
    peer = connected(make_bench)
    assert peer.bench.app.send(peer.session, 5 * SIZE) == "ok"
    peer.expect("A", length=SIZE)
    peer.bench.app.abort(peer.session)
    peer.expect_reset(seq=SIZE, ack=0)
    peer.silent(RTT_US)


def test_closed_window_is_probed(make_bench):
    """And what it allowed is spread before."""
    peer = connected(make_bench)
    peer.send("A", window=2 * SIZE)
    assert peer.bench.app.send(peer.session, 4 * SIZE) == "ok"
    spread = times(peer, 2, RTT_US)
    assert spread[1] > 1000
    peer.send("A", window=0)
    rto = 3 * RTT_US
    peer.bench.pass_time_until(lambda: peer.inbox, 4 * max(rto, RTO_MIN_US))
    peer.expect("A", seq=2 * SIZE - 1)
    peer.send("A", window=65535)
    times(peer, 2, RTT_US)


def test_what_was_built_in_is_told(make_bench):
    assert make_bench().engine.read("identity_capabilities.pacing") == 1
