# SPDX-License-Identifier: Apache-2.0
"""Recovery from SACK (RFC 2018 section 5, RFC 6675, RFC 2883): the engine as a sender that is told
what has arrived (S1.4)."""

import pytest

from scripts.peer import Peer
from scripts.settings import RTO_MIN_US

conformance = pytest.mark.conformance

SIZE, COUNT = 64, 10
SRTT, CWND, IN_FLIGHT = 3, 6, 8  # CommandQuery


class Sender:
    """Ten segments are on their way; the script says which arrived."""

    def __init__(self, make_bench, count: int = COUNT, **wanted: int) -> None:
        self.bench = make_bench(sack=1, **wanted)
        self.peer = Peer(self.bench)
        self.session = self.peer.connect(mss=SIZE, more=[("SAckOK", b"")])
        assert self.bench.app.send(self.session, SIZE * count) == "ok"
        for _ in range(count):
            self.peer.expect("A", length=SIZE, lost=True)
        self.repeated: list[int] = []  # and what was new beside

    def give(self, count: int) -> None:
        """The application has so many segments more."""
        assert self.bench.app.send(self.session, SIZE * count) == "ok"
        self.bench.settle()
        self.note()

    def note(self) -> None:
        for segment in self.peer.inbox:
            assert segment.length == SIZE and segment.seq % SIZE == 0, str(self.peer)
            self.repeated.append(segment.seq // SIZE)
        self.peer.inbox.clear()

    def finish(self, ack: int, count: int) -> None:
        """Whatever goes out arrives, from `ack` on up to so many."""
        while ack < count:
            self.repeated.clear()
            self.tell(ack)
            assert self.repeated
            ack = max(self.repeated) + 1
        self.tell(count)

    def tell(self, ack: int, *blocks: tuple[int, int]) -> None:
        """Segments before `ack` have arrived, and these half-open ranges of them; what comes of it
        is noted by segment."""
        base = self.peer.irs + 1
        edges = [(base + SIZE * edge) % 2**32 for block in blocks for edge in block]
        options = [("NOP", None), ("NOP", None), ("SAck", tuple(edges))] if edges else []
        self.peer.send("A", ack=SIZE * ack, options=options)
        self.bench.settle()
        self.note()


@conformance("RFC6675:5-1", "RFC5681:3.2-3", "RFC6675:4-5")
def test_one_loss(make_bench):
    """Three duplicates bring the first segment, and nothing that has arrived."""
    sender = Sender(make_bench)
    sender.tell(0, (1, 2))
    sender.tell(0, (1, 3))
    assert sender.repeated == []
    sender.tell(0, (1, 4))
    assert sender.repeated == [0]
    for right in range(5, COUNT + 1):
        sender.tell(0, (1, right))
    sender.tell(COUNT)
    assert sender.repeated == [0]
    sender.peer.silent(10_000_000)


@conformance("RFC6675:5-1", "RFC6675:5-3", "RFC6675:4-1", "RFC6675:4-3")
@pytest.mark.parametrize("lost", [(0, 4), (0, 1), (0, 2, 4), (0, 1, 2), (0, 3, 6), (0, 1, 2, 3, 4)])
def test_several_losses(make_bench, lost):
    """All holes are filled before anything more is acknowledged, each once (section 5, step 4)."""
    sender = Sender(make_bench)
    arrived = [number for number in range(COUNT) if number not in lost]
    blocks: list[tuple[int, int]] = []
    for number in arrived:
        if blocks and blocks[0][1] == number:
            blocks[0] = blocks[0][0], number + 1
        else:
            blocks.insert(0, (number, number + 1))
        sender.tell(0, *blocks[:4])
    # The repeated ones leave the pipe one by one as they arrive, and let out the others.
    filled = 0
    while filled < len(sender.repeated) and len(set(sender.repeated)) < len(lost):
        number = sender.repeated[filled]
        filled += 1
        if number != lost[filled - 1]:
            break
        following = next((n for n in lost if n > number), COUNT)
        sender.tell(following, *[b for b in blocks if b[1] > following][:4])
    assert sender.repeated == list(lost), "each hole once, in order"
    sender.tell(COUNT)
    sender.peer.silent(10_000_000)


@conformance("RFC6675:5-1")
def test_second_hole_does_not_wait_for_a_partial_acknowledgement(make_bench):
    """That is what SACK is for: 0 and 4 are lost, all others have arrived, and 4 goes out while 0
    is still missing."""
    sender = Sender(make_bench)
    for right in range(2, 5):
        sender.tell(0, (1, right))
    for right in range(6, COUNT + 1):
        sender.tell(0, (5, right), (1, 4))
    assert sender.repeated == [0, 4]
    sender.tell(COUNT)


@conformance("RFC6675:5-2", "RFC2018:5.1-1")
def test_window_is_halved_once(make_bench):
    """One recovery, however many holes: what is on its way falls to half."""
    sender = Sender(make_bench)
    for right in range(2, 5):
        sender.tell(0, (1, right))
    for right in range(6, COUNT + 1):
        sender.tell(0, (5, right), (1, 4))
    assert sender.bench.counter("tcp_fast_retransmits") == 1
    sender.tell(COUNT)
    sender.bench.app.send(sender.session, 16 * SIZE)
    sender.bench.settle()
    assert 1 <= len(sender.peer.inbox) <= COUNT // 2 + 1
    sender.peer.inbox.clear()


@conformance("RFC2018:5-1", "RFC2018:8-1")
def test_timeout_forgets_what_arrived(make_bench):
    """The receiver may have thrown it away (RFC 2018 section 8): the first segment goes out, and
    what was reported counts for nothing until it is reported again."""
    sender = Sender(make_bench)
    sender.tell(0, (1, 2))
    sender.tell(0, (1, 3))
    sender.peer.expect("A", length=SIZE, seq=0, after=LEAST, lost=True)
    sender.peer.expect("A", length=SIZE, seq=0, after=RTO_MIN_US, lost=True)
    sender.tell(1)
    assert 1 in sender.repeated, "it was acknowledged by SACK alone"


@conformance("RFC6675:5.1-1")
def test_no_recovery_of_what_the_timer_found(make_bench):
    """Duplicates for what was sent before the timeout do not begin one (RFC 6675 section 5.1)."""
    sender = Sender(make_bench)
    sender.peer.expect("A", length=SIZE, seq=0, after=RTO_MIN_US, lost=True)
    for right in range(3, 8):
        sender.tell(0, (2, right))
    assert sender.bench.counter("tcp_fast_retransmits") == 0
    sender.tell(COUNT)


@conformance("RFC2018:5-2")
@pytest.mark.parametrize("told", [(0, 3), (0, COUNT), (0, 1)])
def test_timeout_sends_the_left_edge(make_bench, told):
    """Also if the peer says that it has it (RFC 2018 section 5): that was no acknowledgement."""
    sender = Sender(make_bench)
    sender.tell(0, told)
    assert sender.repeated == []
    sender.peer.expect("A", length=SIZE, seq=0, after=RTO_MIN_US, lost=True)
    sender.tell(COUNT)
    sender.peer.silent(10_000_000)


@conformance("RFC6675:5-4")
@pytest.mark.parametrize("blocks, lost", [
    ([(1, COUNT)], True), ([(1, 4)], True), ([(1, 3)], False),
    ([(7, 8), (5, 6), (3, 4)], True), ([(5, 6), (3, 4)], False), ([(5, 6), (2, 4)], True),
    ([(9, 10), (4, 6)], True),
], ids=str)  # fmt: skip
def test_one_duplicate_that_tells_enough(make_bench, blocks, lost):
    """Three pieces, or more than two segments, above the acknowledgement: the acknowledgements
    between were lost, and recovery does not wait for a third duplicate (section 5, step 2)."""
    sender = Sender(make_bench)
    sender.tell(0, *blocks)
    assert sender.repeated[:1] == [0] * lost
    assert sender.bench.counter("tcp_fast_retransmits") == lost
    sender.tell(COUNT)


@conformance("RFC6675:5-5")
def test_acknowledgement_begins_the_count_again(make_bench):
    """Two duplicates, an acknowledgement, two duplicates: none of them is the third."""
    sender = Sender(make_bench)
    sender.tell(0, (1, 2))
    sender.tell(0, (1, 3))
    sender.tell(3)
    sender.tell(3, (4, 5))
    sender.tell(3, (4, 6))
    assert sender.repeated == []
    sender.tell(3, (4, 7))
    assert sender.repeated == [3]
    sender.tell(COUNT)


@conformance("RFC6675:4-2", "RFC6675:4-4", "RFC6675:5-6", "RFC6675:5-7", "RFC5681:4.3-2")
def test_new_data_when_nothing_else_is_lost(make_bench):
    """After each report what is on its way is counted anew: the repetition, and what lies beyond
    the highest number that was reported. As long as the window of half ten segments leaves room for
    one, the next goes out, and it is new as no hole is left."""
    sender = Sender(make_bench)
    sender.give(12)
    assert sender.repeated == []
    for right in (2, 3, 4):
        sender.tell(0, (1, right))
    limited = sender.repeated.count(10) + sender.repeated.count(11)
    assert sender.repeated == [*range(10, 10 + limited), 0]
    first = high = 10 + limited
    for right in range(5, first + 1):
        sender.repeated.clear()
        sender.tell(0, (1, right))
        pipe = high - right + 1
        room = max(0, 5 - pipe)
        assert sender.repeated == list(range(high, high + room)), f"{pipe} were on their way"
        high += room
    assert high >= 14
    sender.tell(high)


@conformance("RFC6675:5.1-1", "RFC6675:5.1-2", "RFC6675:5.1-3")
def test_timeout_ends_recovery(make_bench):
    """One segment goes out, holes or not, and no recovery begins before all is acknowledged that
    had been sent by then, which is more than when the recovery began."""
    sender = Sender(make_bench)
    sender.give(12)
    for right in range(2, 12):
        sender.tell(0, (1, right))
    high = max(sender.repeated) + 1
    assert high > 12 and sender.repeated.count(0) == 1
    assert sender.bench.counter("tcp_fast_retransmits") == 1
    sender.peer.expect("A", length=SIZE, seq=0, after=RTO_MIN_US, lost=True)
    sender.peer.silent()
    # Beyond where the recovery began, but not where the timeout was.
    sender.repeated.clear()
    sender.tell(high - 1)
    for right in range(high + 1, high + 4):
        sender.tell(high - 1, (high, right))
    assert sender.bench.counter("tcp_fast_retransmits") == 1
    # Everything arrives, and the next loss is a new one.
    sender.finish(high, 22)
    sender.give(8)
    for right in range(24, 27):
        sender.tell(22, (23, right))
    assert sender.bench.counter("tcp_fast_retransmits") == 2
    sender.finish(max(sender.repeated) + 1, 30)


@conformance("RFC2018:8-1")
def test_sack_does_not_free_the_ring(make_bench):
    """Only an acknowledgement does (RFC 2018 section 8)."""
    sender = Sender(make_bench)
    sender.tell(0, (1, 3))
    assert sender.session.unacknowledged in (0, COUNT * SIZE)
    assert "acked" not in sender.session.events


@pytest.mark.parametrize("blocks", [
    [(-5, -2)], [(-3, 2)], [(COUNT + 5, COUNT + 9)], [(3, 3)], [(5, 2)], [(2, COUNT + 3)],
    [(-2**24, 2**24)], [(0, COUNT)],
], ids=str)  # fmt: skip
def test_blocks_that_cannot_be(make_bench, blocks):
    """Of the past, of the future, empty, the wrong way round: no harm (RFC 6675 section 5.1)."""
    sender = Sender(make_bench)
    for _ in range(2):
        sender.tell(0, *blocks)
    assert all(number == 0 for number in sender.repeated)
    sender.tell(COUNT)
    sender.repeated.clear()
    sender.bench.app.send(sender.session, 3 * SIZE)
    for _ in range(3):
        sender.peer.expect("A", length=SIZE)
    sender.tell(COUNT + 3)
    sender.peer.silent(10_000_000)


@conformance("RFC2883:4-4", "RFC6675:2-1")
def test_duplicate_report(make_bench):
    """D-SACK: the first block lies below the acknowledgement; nothing is sent for it."""
    sender = Sender(make_bench)
    for _ in range(4):
        sender.tell(5, (2, 3))
    assert sender.repeated == []
    sender.tell(COUNT)
    sender.peer.silent(10_000_000)


# ---- a loss near the end of the flight, which few duplicates tell of (RFC 8985 section 6.2)

ROUND_TRIP = 40_000
LEAST = 64  # what the timers can tell


def far(make_bench, **wanted: int) -> Sender:
    """A round trip of 40 ms has been measured."""
    sender = Sender(make_bench, **wanted)
    sender.bench.pass_time(ROUND_TRIP)
    sender.tell(COUNT)
    sender.give(COUNT)
    sender.bench.pass_time(ROUND_TRIP)
    sender.repeated.clear()
    return sender


def quarter(sender: Sender) -> int:
    return sender.bench.app.query(sender.session, SRTT) // 4 + LEAST


@pytest.mark.parametrize("arrived", [[(9, 10)], [(8, 9), (8, 10)]], ids=["one", "two"])
def test_few_duplicates_and_no_more(make_bench, arrived):
    """After a quarter of a round trip the first segment is lost, and what is left is as after three
    duplicates."""
    sender = far(make_bench)
    first = arrived[0][0] - 1
    sender.tell(COUNT + first)
    for begin, end in arrived:
        sender.tell(COUNT + first, (COUNT + begin, COUNT + end))
    assert sender.repeated == []
    sender.peer.expect(
        "A", length=SIZE, seq=(COUNT + first) * SIZE, after=quarter(sender), lost=True
    )
    assert sender.bench.counter("tcp_fast_retransmits") == 1
    assert sender.bench.app.query(sender.session, CWND) == COUNT * SIZE // 2
    sender.tell(2 * COUNT)
    sender.peer.silent(10_000_000)
    assert sender.bench.counter("tcp_retransmit_timeouts") == 0


def test_late_segment_within_a_quarter(make_bench):
    """It comes before: nothing was lost."""
    sender = far(make_bench)
    sender.tell(COUNT + 8)
    sender.tell(COUNT + 8, (COUNT + 9, COUNT + 10))
    sender.peer.silent(quarter(sender) - 1)
    sender.tell(2 * COUNT)
    sender.peer.silent(10_000_000)
    assert sender.repeated == []


def test_retransmission_timer_after_a_quarter(make_bench):
    """What goes out then is lost, too: the timer is set anew, and brings it."""
    sender = far(make_bench)
    sender.tell(COUNT + 8)
    sender.tell(COUNT + 8, (COUNT + 9, COUNT + 10))
    last = (COUNT + 8) * SIZE
    sender.peer.expect("A", length=SIZE, seq=last, after=quarter(sender), lost=True)
    sender.peer.expect("A", length=SIZE, seq=last, after=RTO_MIN_US, lost=True)
    assert sender.bench.counter("tcp_retransmit_timeouts") == 1
    sender.tell(2 * COUNT)


def test_acknowledgement_ends_the_wait(make_bench):
    """The segment in question came, and what follows it has all the time that there is."""
    sender = far(make_bench)
    sender.tell(COUNT + 6)
    sender.tell(COUNT + 6, (COUNT + 7, COUNT + 8))
    sender.bench.pass_time(quarter(sender) // 2)
    sender.tell(COUNT + 8)
    sender.peer.silent(RTO_MIN_US - 1000)
    sender.peer.expect("A", length=SIZE, seq=(COUNT + 8) * SIZE, after=1000, lost=True)
    assert sender.bench.counter("tcp_fast_retransmits") == 0
    sender.tell(2 * COUNT)


# ---- a retransmission that is lost, too


def in_recovery(make_bench, cubic_friendly: int = 0) -> tuple[Sender, int]:
    """Segment 0 has been sent again, and later new data. How many there are in all."""
    sender = Sender(make_bench, cubic_friendly=cubic_friendly)
    sender.give(12)
    for right in range(2, COUNT):
        sender.tell(0, (1, right))
    again = sender.repeated.index(0)
    assert sender.repeated[again + 1 :] and min(sender.repeated[again + 1 :]) > COUNT
    return sender, min(sender.repeated[again + 1 :])


@conformance("RFC5681:4.3-4")
@pytest.mark.parametrize("cubic_friendly", [0, 1])
def test_later_data_tells_of_a_lost_retransmission(make_bench, cubic_friendly):
    """What was sent after it has arrived, and it has not: it goes out once more, without the timer.
    That is a second loss, so the same share of the window is left again."""
    sender, later = in_recovery(make_bench, cubic_friendly)
    cwnd = sender.bench.app.query(sender.session, CWND)
    sender.repeated.clear()
    sender.tell(0, (1, later))
    assert 0 not in sender.repeated, "nothing that was sent later has arrived"
    sender.tell(0, (1, later + 1))
    assert sender.repeated.count(0) == 1
    kept = max(cwnd * (0.7 if cubic_friendly else 0.5), 2 * SIZE)
    assert abs(sender.bench.app.query(sender.session, CWND) - kept) <= 4
    sender.repeated.clear()
    sender.tell(0, (1, later + 2))
    assert 0 not in sender.repeated, "that was sent before it went out once more"
    sender.finish(sender.bench.app.query(sender.session, IN_FLIGHT) // SIZE, 22)
    assert sender.bench.counter("tcp_retransmit_timeouts") == 0


def test_all_holes_again(make_bench):
    """Two were sent again and lost; later data says so. Both go out once more, in order."""
    sender = Sender(make_bench)
    sender.give(12)
    for right in range(3, COUNT + 3):
        sender.tell(0, (2, right))
    assert sender.repeated.count(0) == sender.repeated.count(1) == 1
    later = min(sender.repeated[sender.repeated.index(1) + 1 :])
    assert later > COUNT + 1
    sender.repeated.clear()
    sender.tell(0, (2, later + 1))
    sender.tell(1, (2, later + 1))
    assert [number for number in sender.repeated if number < COUNT] == [0, 1]
    sender.finish(sender.bench.app.query(sender.session, IN_FLIGHT) // SIZE + 1, 22)
    assert sender.bench.counter("tcp_retransmit_timeouts") == 0


def test_reordering_by_two(make_bench):
    """Two segments late are no loss (DupThresh of 3)."""
    sender = Sender(make_bench)
    sender.tell(0, (1, 2))
    sender.tell(0, (1, 3))
    sender.tell(3)
    sender.tell(COUNT)
    assert sender.repeated == []
    sender.peer.silent(10_000_000)


def test_sack_that_was_not_agreed_on(make_bench):
    """No permission, no meaning: three duplicates count by RFC 5681."""
    bench = make_bench(sack=1)
    peer = Peer(bench)
    session = peer.connect(mss=SIZE)
    bench.app.send(session, SIZE * 6)
    for _ in range(6):
        peer.expect("A", length=SIZE, lost=True)
    edge = (peer.irs + 1 + SIZE) % 2**32
    options = [("NOP", None), ("NOP", None), ("SAck", (edge, edge + SIZE))]
    for _ in range(3):
        peer.send("A", ack=0, options=options)
    peer.expect("A", length=SIZE, seq=0)
    peer.send("A", ack=SIZE, options=options)
    peer.expect("A", length=SIZE, seq=SIZE)
    bench.settle()
    peer.inbox.clear()
    peer.send("A", ack=6 * SIZE)
