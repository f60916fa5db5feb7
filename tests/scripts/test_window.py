# SPDX-License-Identifier: Apache-2.0
"""Managing the window (RFC 9293 section 3.8.6): updates, shrinking, closed windows and their
probes, and the silly window syndrome on both sides."""

import pytest

from scripts.bench import TIMER_SLACK_US
from scripts.peer import ANY, MSS, WINDOW, Peer
from scripts.settings import DATA_RETRIES, RTO_MAX_US, RTO_MIN_US

conformance = pytest.mark.conformance


def expect_probe(peer: Peer, after: int) -> None:
    """Whatever makes the peer answer: new data, or numbers that lie before its window (section
    3.8.6.1 wants an octet of new data or a repetition; Appendix B leaves it open)."""
    probe = peer.expect("A", length=ANY, seq=ANY, after=after, lost=True)
    assert probe.length == 1 or (probe.length == 0 and probe.seq == peer.got - 1), str(probe)


# ---- the peer's window


@pytest.mark.parametrize("window", [1, 2, 99, 100, 101, 500])
def test_window_limits(bench, peer, window):
    """No more than fits; the rest when the acknowledgement makes room."""
    session = peer.connect(mss=100)
    peer.send("A", window=window)
    bench.app.send(session, 600)
    for start in range(0, window - 99, 100):
        peer.expect("A", length=100, seq=start)
    if window < 100:
        peer.expect("A", length=window)
    peer.silent()
    peer.send("A", window=2000)
    sent = peer.got
    while sent < 600:
        sent += peer.expect("A", length=min(100, 600 - sent)).length


@conformance("RFC9293:MUST-1")
@pytest.mark.parametrize("window", [0x7FFF, 0x8000, 0xC000, 0xFFFF])
def test_window_is_unsigned(bench, peer, window):
    session = peer.connect()
    peer.send("A", window=window)
    bench.app.send(session, 1000)
    peer.expect("A", length=1000)


@pytest.mark.parametrize("seq, ack, counts", [
    # SND.WL1 < SEG.SEQ, or SND.WL1 = SEG.SEQ and SND.WL2 =< SEG.ACK (section 3.10.7.4, fifth)
    (10, 0, True), (10, 100, True), (9, 100, False), (11, 0, True), (11, 100, True), (9, 0, False),
])  # fmt: skip
def test_which_segment_sets_the_window(bench, peer, seq, ack, counts):
    """SND.WL1 is 10, SND.WL2 is 0, and 100 bytes are on their way."""
    session = peer.connect()
    peer.send("A", length=10, window=100)
    peer.expect("A")
    peer.send("A", window=100)
    bench.app.send(session, 100)
    peer.expect("A", length=100)
    bench.app.send(session, 300)
    peer.silent()
    if seq == 9:  # a byte that came before: the segment must be acceptable for its ACK to count
        peer.send("A", length=2, seq=9, ack=ack, window=1000)
        peer.nxt = 11
        answer = peer.receive()
        grown = answer.length == 300
        if not grown:
            peer.silent()
    else:
        peer.send("A", seq=seq, ack=ack, window=1000)
        bench.settle()
        grown = bool(peer.inbox)
        if grown:
            peer.expect("A", length=300)
    assert grown == counts or (seq == 9 and ack == 100), "window taken" if grown else "not taken"


@conformance("RFC9293:MUST-34", "RFC9293:SHLD-15")
def test_window_shrinks(bench, peer):
    """The right edge moves back: nothing new, no harm, and on it goes when it opens."""
    session = peer.connect(mss=100)
    peer.send("A", window=500)
    bench.app.send(session, 1000)
    for _ in range(5):
        peer.expect("A", length=100)
    peer.send("A", ack=100, window=200)
    peer.send("A", ack=200, window=100)
    peer.silent()
    peer.send("A", ack=300, window=100)
    peer.silent()
    peer.send("A", ack=500, window=1000)
    for _ in range(5):
        peer.expect("A", length=100)


@conformance("RFC9293:MUST-34", "RFC9293:SHLD-16", "RFC9293:MAY-7")
def test_shrunk_window_and_repetition(bench, peer):
    """What was sent within the old window is sent again, first what lies within the new one."""
    session = peer.connect(mss=100)
    peer.send("A", window=500)
    bench.app.send(session, 1000)
    for _ in range(5):
        peer.expect("A", length=100, lost=True)
    peer.send("A", ack=0, window=100)
    peer.expect("A", length=100, seq=0, after=RTO_MIN_US)


@conformance("RFC9293:MUST-35", "RFC9293:SHLD-17", "RFC9293:MUST-34")
def test_window_shrinks_to_nothing_for_long(bench, peer):
    """The peer answers every segment; data past its edge must not end the connection."""
    session = peer.connect(mss=100)
    peer.send("A", window=500)
    bench.app.send(session, 500)
    for _ in range(5):
        peer.expect("A", length=100, lost=True)
    peer.send("A", ack=0, window=0)
    for _ in range(2 * DATA_RETRIES):
        bench.pass_time(RTO_MAX_US)
        while peer.inbox:
            peer.inbox.pop()
            peer.send("A", ack=0, window=0)
            bench.settle()
    assert session.final is None
    assert bench.state == "established"


# ---- closed windows (section 3.8.6.1)


@conformance("RFC9293:MUST-36", "RFC9293:SHLD-29", "RFC9293:SHLD-30", "RFC9293:MUST-37")
def test_zero_window_probes(make_bench):
    """The first after the RTO, then at twice the distance, up to the largest RTO; for ever, as long
    as the peer answers."""
    most = 4_000_000
    bench = make_bench(rto_max_us=most)
    peer = Peer(bench)
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.send(session, 100)
    wait = RTO_MIN_US
    for _ in range(2 * DATA_RETRIES):
        expect_probe(peer, wait)
        peer.send("A", window=0)
        wait = min(2 * wait, most)
    assert session.final is None
    peer.send("A", window=1000)
    peer.expect("A", length=100, seq=0)


@conformance("RFC9293:MUST-36")
def test_window_update_is_enough(bench, peer):
    """No probe when the update comes in time."""
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.send(session, 100)
    peer.silent(RTO_MIN_US - 1000)
    peer.send("A", window=1000)
    peer.expect("A", length=100)


@conformance("RFC9293:MUST-37", "RFC9293:MUST-20")
def test_probes_without_answer_end(bench, peer):
    """The peer is gone: R2 counts for probes, too."""
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.send(session, 100)
    wait = RTO_MIN_US
    for _ in range(DATA_RETRIES):
        expect_probe(peer, wait)
        wait = min(2 * wait, RTO_MAX_US)
    peer.silent(wait - 1)
    bench.pass_time(1 + TIMER_SLACK_US)
    assert session.final == "timed out"


@pytest.mark.parametrize("user_timeout_us", [0, 20_000_000])
def test_patience_with_a_closed_window_begins_with_the_data(make_bench, user_timeout_us):
    """Nothing waited before: the first probe is not the end, however long the window was closed."""
    bench = make_bench(user_timeout_us=user_timeout_us)
    peer = Peer(bench)
    session = peer.connect()
    peer.send("A", window=0)
    bench.pass_time(200_000_000)
    bench.app.send(session, 100)
    expect_probe(peer, RTO_MIN_US)
    expect_probe(peer, 2 * RTO_MIN_US)
    peer.send("A", window=1000)
    peer.expect("A", length=100, seq=0)


def test_no_probe_without_data(bench, peer):
    peer.connect()
    peer.send("A", window=0)
    peer.silent(1_000_000_000)


@conformance("RFC9293:MUST-36")
def test_probe_for_the_fin(bench, peer):
    """It wants room like a byte."""
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.close(session)
    expect_probe(peer, RTO_MIN_US)
    peer.send("A", window=1)
    peer.expect("FA", seq=0)


@conformance("RFC9293:MUST-36")
def test_lost_window_update(bench, peer):
    """The answer to a probe tells what the lost update said."""
    session = peer.connect()
    peer.send("A", window=0)
    bench.app.send(session, 100)
    for wait in (1, 2, 4):
        expect_probe(peer, wait * RTO_MIN_US)
    peer.send("A", window=2000)
    peer.expect("A", length=100, seq=0)
    peer.send("A")
    bench.app.send(session, 50)
    peer.expect("A", length=50)
    peer.expect("A", length=50, seq=100, after=RTO_MIN_US)  # the back-off was the probes' alone


# ---- silly windows, sending (section 3.8.6.2.1)


@conformance("RFC9293:MUST-38", "RFC9293:SHLD-28")
def test_sender_waits_for_a_full_segment(bench, peer):
    """While data is on its way, a window that opens by little does not bring a small segment."""
    session = peer.connect(mss=400)
    peer.send("A", window=450)
    bench.app.send(session, 1200)
    peer.expect("A", length=400)
    peer.silent()
    peer.send("A", ack=0, window=600)
    peer.silent()
    peer.send("A", ack=0, window=799)
    peer.silent()
    peer.send("A", ack=0, window=800)
    peer.expect("A", length=400)


@conformance("RFC9293:MUST-38")
def test_sender_sends_what_fits_when_nothing_is_on_its_way(bench, peer):
    """Rules 2 and 3, and the override: a small window may be all that the peer ever has."""
    session = peer.connect(mss=400)
    peer.send("A", window=100)
    bench.app.send(session, 300)
    waited = bench.now
    try:
        peer.expect("A", length=100)
    except AssertionError:
        peer.expect("A", length=100, after=1_000_000)  # the override is to be within 0.1 to 1 s
    assert bench.now - waited <= 1_000_000 + TIMER_SLACK_US
    peer.send("A", window=100)
    peer.expect("A", length=100)
    peer.send("A", window=100)
    peer.expect("A", length=100)


@conformance("RFC9293:SHLD-28", "RFC9293:MUST-61", "RFC9293:SHLD-27")
def test_largest_segments(bench, peer):
    """Of what is queued, full segments first, and PSH on the last alone."""
    session = peer.connect(mss=300)
    peer.send("A", window=0)
    for length in (100, 500, 50, 150):
        bench.app.send(session, length)
    peer.send("A", window=5000)
    peer.expect("A", length=300, push=False)
    peer.expect("A", length=300, push=False)
    peer.expect("A", length=200, push=True)


@conformance("RFC9293:MUST-60", "RFC9293:MUST-61")
@pytest.mark.parametrize("length", [1, 100, MSS])
def test_pushed_at_once(bench, peer, length):
    """There is no PUSH in the application's call: nothing is held back, and PSH set."""
    session = peer.connect()
    bench.app.send(session, length)
    peer.expect("A", length=length, push=True)


# ---- silly windows, receiving (section 3.8.6.2.2)


@conformance("RFC9293:MUST-39", "RFC9293:SHLD-14")
@pytest.mark.parametrize("piece", [1, 10, 100, 500, 1023])
def test_window_moves_in_large_steps(bench, peer, piece):
    """The right edge stays until min(half the buffer, a segment) is free; then it jumps by all."""
    peer.connect()
    read, edge = 0, WINDOW
    for _ in range(3 if piece < 100 else 12):
        peer.send("A", length=piece)
        peer.expect("A", window=edge - read - piece)
        bench.settle()
        read += piece
        if read + WINDOW - edge >= min(WINDOW // 2, MSS):
            edge = read + WINDOW
            peer.expect("A", window=WINDOW)
        peer.silent()
        assert peer.edge == edge


@conformance("RFC9293:MUST-39", "RFC9293:MAY-8")
def test_closed_window_opens(bench, peer):
    """An application that does not read closes the window, for as long as it likes; an update tells
    when it reads again."""
    session = peer.connect()
    session.reads = False
    for start in (0, 1024):
        peer.send("A", length=1024)
        peer.expect("A", window=WINDOW - start - 1024)
    for _ in range(3):
        peer.silent(100_000_000)
        peer.send("A", length=1)  # a probe
        peer.nxt = 2048
        peer.expect("A", window=0)
    bench.app.read_on(session)
    peer.expect("A", window=WINDOW)
    bench.settle()
    assert session.received == 2048


def test_acknowledgements_through_a_closed_window(bench, peer):
    """Ours is closed, but theirs count (section 3.4: an ACK is acceptable at RCV.NXT)."""
    session = peer.connect()
    session.reads = False
    for _ in range(2):
        peer.send("A", length=1024)
        peer.expect("A")
    bench.app.send(session, 200)
    peer.expect("A", length=200, window=0)
    peer.send("A")
    bench.settle()
    assert session.unacknowledged == 0
    bench.app.send(session, 200)
    peer.expect("A", length=200, window=0)
    peer.silent()


@pytest.mark.parametrize("length", [1, 300, 1024])
def test_acknowledgements_of_peers_that_went_beyond_the_edge(bench, peer, length):
    """A peer that has sent more than fits acknowledges from beyond a closed window, where nothing
    counts, and probes with what is acknowledged already: its acknowledgement in that counts."""
    session = peer.connect()
    session.reads = False
    for _ in range(2):
        peer.send("A", length=1024)
        peer.expect("A")
    bench.app.send(session, 200)
    peer.expect("A", length=200, window=0)
    peer.send("A", seq=2148)
    peer.expect("A", ack=2048, window=0)
    peer.expect("A", length=200, seq=0, window=0, after=RTO_MIN_US)
    peer.send("A", length=length, seq=2048 - length)
    peer.nxt = 2048
    peer.expect("A", window=0)
    peer.silent(10 * RTO_MIN_US)


@pytest.mark.parametrize("missing", [1, 1000])
def test_acknowledgements_of_peers_that_filled_the_window_behind_a_gap(bench, peer, missing):
    """What a peer sends next lies at the edge of our window then, where an empty segment is not
    acceptable; its acknowledgement counts, or we would send again until it fills the gap."""
    session = peer.connect()
    for first in range(missing, WINDOW, 1024):
        peer.send("A", length=min(1024, WINDOW - first), seq=first)
        peer.expect("A", ack=0)
    bench.app.send(session, 200)
    peer.expect("A", length=200)
    peer.send("A", seq=WINDOW)
    peer.expect("A", seq=200, ack=0)
    peer.silent(10 * RTO_MIN_US)
    # Beyond the edge nothing counts.
    bench.app.send(session, 100)
    peer.expect("A", length=100)
    peer.send("A", seq=WINDOW + 1)
    peer.expect("A", ack=0)
    peer.expect("A", seq=200, length=100, after=RTO_MIN_US)
    peer.send("A", length=missing, seq=0)
    peer.nxt = WINDOW
    peer.expect("A", window=0)
    peer.expect("A", window=WINDOW)


def test_both_windows_closed(bench, peer):
    """Simultaneous window probes (RFC 9293 appendix A.2): both get an answer, and both recover."""
    session = peer.connect()
    session.reads = False
    for _ in range(2):
        peer.send("A", length=1024)
        peer.expect("A")
    peer.send("A", window=0)
    bench.app.send(session, 100)
    expect_probe(peer, RTO_MIN_US)
    peer.send("A", length=1, window=0)
    peer.nxt = 2048
    peer.expect("A", seq=0, window=0)
    bench.app.read_on(session)
    peer.expect("A", seq=0, window=WINDOW)
    peer.send("A", window=1000)
    peer.expect("A", length=100, seq=0)
