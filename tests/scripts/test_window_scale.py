# SPDX-License-Identifier: Apache-2.0
"""Window scaling (RFC 7323 section 2)."""

import pytest

from scripts.peer import MSS, WINDOW, Peer
from scripts.settings import RTO_MIN_US

conformance = pytest.mark.conformance


def scaled(
    make_bench, shift: int, active: bool = False, window: int = 100, mss: int = MSS, **wanted
) -> Peer:
    """A connection on which the peer's windows are shifted; its SYN is not (section 2.2)."""
    peer = Peer(make_bench(window_scale=1, **wanted), window=window)
    if active:
        peer.wait_for_open()
        assert peer.syn.option("WScale") is not None
        peer.send("SA", options=[("MSS", mss), ("WScale", shift)])
    else:
        peer.send("S", options=[("MSS", mss), ("WScale", shift)])
        peer.syn = peer.expect("SA", seq=-1, ack=0)
    peer.engine_shift = peer.syn.option("WScale")
    peer.send_shift = min(shift, 14)
    if active:
        peer.expect("A", seq=0, ack=0)
    else:
        peer.send("A")
        peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
        peer.session = peer.bench.app.fresh.pop()
    return peer


@conformance("RFC7323:2.2-1", "RFC7323:2.3-1", "RFC7323:2.4-2", "RFC9293:REC-1")
@pytest.mark.parametrize("shift", [0, 1, 2, 3, 7, 14])
@pytest.mark.parametrize("active", [False, True])
def test_windows_are_shifted(make_bench, active, shift):
    """SND.WND = SEG.WND << shift, in every segment but the SYN."""
    peer = scaled(make_bench, shift, active)
    window = 100 << shift
    if active:
        peer.send("A")  # the window of the SYN-ACK is not shifted
    peer.bench.app.send(peer.session, 2000)
    left, una = min(window, 2000), 0
    while left:
        segment = peer.receive()
        assert segment.seq == una and segment.length == min(MSS, left)
        una, left = segment.end, left - segment.length
    peer.got = peer.seen = una
    if window >= MSS and window < 2000:
        peer.inbox.clear()


@conformance("RFC7323:2.2-2")
def test_windows_of_the_syn_are_not_shifted(make_bench):
    """Neither theirs nor ours (section 2.2)."""
    peer = Peer(make_bench(window_scale=1), window=100)
    peer.wait_for_open()
    peer.send("SA", options=[("MSS", MSS), ("WScale", 7)])
    peer.engine_shift = peer.syn.option("WScale")
    peer.expect("A", seq=0, ack=0)
    peer.bench.app.send(peer.session, 500)
    peer.expect("A", length=100)


@conformance("RFC7323:2.3-2")
def test_shift_above_14_is_14(make_bench):
    """Section 2.3: used as 14; not refused."""
    peer = scaled(make_bench, 15, window=1)
    peer.bench.app.send(peer.session, 1400)
    peer.expect("A", length=1400)


@conformance("RFC7323:2.2-3")
@pytest.mark.parametrize("active", [False, True])
def test_only_if_both_want(make_bench, active):
    """A SYN without the option: no shift either way, and no option in the answer (section 2.2)."""
    peer = Peer(make_bench(window_scale=1), window=100)
    if active:
        session = peer.answer_open()
    else:
        session = peer.connect()
        assert peer.syn.option("WScale") is None
    peer.bench.app.send(session, 300)
    peer.expect("A", length=100, window=WINDOW)


def test_switched_off(make_bench):
    peer = Peer(make_bench(window_scale=0), window=100)
    peer.connect(more=[("WScale", 7)])
    assert peer.syn.option("WScale") is None
    peer.bench.app.send(peer.session, 300)
    peer.expect("A", length=100, window=WINDOW)


@conformance("RFC7323:2.2-3")
def test_option_in_data_means_nothing(make_bench):
    peer = scaled(make_bench, 2)
    peer.send("A", options=[("WScale", 9)])
    peer.bench.app.send(peer.session, 1000)
    peer.expect("A", length=400)


def test_window_of_the_engine(make_bench):
    """What it announces, shifted by what it offered, is what it takes."""
    peer = scaled(make_bench, 3)
    shift = peer.engine_shift
    peer.send("A", length=1000)
    answer = peer.expect("A")
    edge = answer.ack + (answer.window << shift)
    assert WINDOW - (1 << shift) < edge <= WINDOW


def test_closed_window(make_bench):
    """Zero is zero, however it is shifted."""
    peer = scaled(make_bench, 14, window=0)
    peer.bench.app.send(peer.session, 100)
    peer.silent(100_000)
    peer.send("A", window=1)
    peer.expect("A", length=100)


@conformance("RFC7323:2.3-1")
def test_acknowledgement_past_what_was_sent_again(make_bench):
    """After a time-out what is sent goes by the new window, shifted: segments stay full."""
    peer = scaled(make_bench, 7, window=20, mss=500)
    peer.bench.app.send(peer.session, 2000)
    for _ in range(4):
        peer.expect("A", length=500, lost=True)
    peer.expect("A", length=500, seq=0, lost=True, after=RTO_MIN_US)
    peer.got = 1000
    peer.send("A", window=10)
    for seq in 1000, 1500:
        peer.expect("A", length=500, seq=seq)


@conformance("RFC7323:2.4-1")
@pytest.mark.parametrize("beyond", [1, 2, 3])
def test_edge_that_rounding_moved_back(make_bench, beyond):
    """The engine's windows are shifted by two (preset "bulk"). An acknowledgement eight bytes
    before the edge tells it exactly, the next one, a byte further, three bytes less; data up to
    the edge that was told first is taken all the same, and nothing behind it."""
    peer = scaled(make_bench, 7, window=60_000, preset="bulk")
    assert peer.engine_shift == 2
    peer.session.reads = False
    peer.send("A", length=4)
    edge = 4 + (peer.expect("A").window << 2)
    assert edge == 65535 << 2
    while peer.nxt < edge - 8:
        peer.send("A", length=min(MSS, edge - 8 - peer.nxt))
        told = peer.expect("A")
    assert told.ack + (told.window << 2) == edge
    peer.send("A", length=1)
    told = peer.expect("A")
    assert told.ack + (told.window << 2) == edge - 3
    # Into what the latest acknowledgement does not allow any more.
    peer.send("A", length=4 + beyond)
    peer.expect("A")
    peer.send("A", length=3 - beyond + 5)
    peer.expect("A", ack=edge, window=0)
    peer.nxt = edge
    peer.bench.app.read_on(peer.session)
    peer.expect("A", ack=edge)
    peer.bench.settle()
    peer.inbox.clear()
    assert peer.session.received == edge


@conformance("RFC7323:2.4-3", "RFC7323:2.4-2")
def test_scaled_window_shrinks(make_bench):
    """By more than the granularity, and to nothing: what is new waits, what was sent within the old
    window is sent again, and the connection goes on when it opens."""
    peer = scaled(make_bench, 7, window=16, mss=500)
    peer.bench.app.send(peer.session, 2000)
    for seq in range(0, 2000, 500):
        peer.expect("A", length=500, seq=seq, lost=True)
    peer.got = 500
    peer.send("A", window=3)  # the edge goes back from 2048 to 884
    peer.silent()
    peer.expect("A", length=500, seq=500, after=RTO_MIN_US, lost=True)
    peer.got = 2000
    peer.send("A", window=0)
    peer.bench.app.send(peer.session, 300)
    peer.silent(RTO_MIN_US // 2)
    peer.send("A", window=4)
    peer.expect("A", length=300, seq=2000)
    assert peer.session.final is None
