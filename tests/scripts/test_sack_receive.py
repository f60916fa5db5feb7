# SPDX-License-Identifier: Apache-2.0
"""Segments beyond a gap (RFC 9293 SHLD-31), and what is said of them (RFC 2018, RFC 2883).

`Reassembly` is a receiver by the book: what it has, and what a true list of blocks is. The engine's
acknowledgements are held against it after each segment, and in the end every byte must have been
delivered, in order and once.
"""

import itertools
import random

import pytest

from scripts.peer import ANY, MSS, WINDOW, Peer, signed
from support.simulate import run_seed
from toehold import features

conformance = pytest.mark.conformance

# Pieces that the engine keeps, at least.
GAPS = int(features.given().get("TOEHOLD_GAPS", 4))


class Reassembly:
    """Half-open intervals [left, right) beyond `nxt`, sorted and apart."""

    def __init__(self) -> None:
        self.nxt = 0
        self.kept: list[tuple[int, int]] = []

    def has(self, left: int, right: int) -> bool:
        """All of it, delivered or kept."""
        return right <= self.nxt or any(
            a <= max(left, self.nxt) and right <= b for a, b in self.kept
        )

    def touches(self, left: int, right: int) -> bool:
        return left < self.nxt or any(left < b and a < right for a, b in self.kept)

    def add(self, left: int, right: int) -> None:
        merged = []
        for a, b in self.kept:
            if b < left or right < a:
                merged.append((a, b))
            else:
                left, right = min(left, a), max(right, b)
        if left <= self.nxt:
            self.nxt = max(self.nxt, right)
        else:
            merged.append((left, right))
        self.kept = sorted((a, b) for a, b in merged if b > self.nxt)
        if self.kept and self.kept[0][0] <= self.nxt:
            self.nxt = self.kept.pop(0)[1]


def blocks_of(segment) -> list[tuple[int, int]]:
    edges = segment.option("SAck") or ()
    return list(zip(edges[::2], edges[1::2], strict=True))


class Receiver:
    """The engine as a receiver, with SACK agreed on or not."""

    def __init__(self, make_bench, sack: bool = True, reads: bool = True) -> None:
        bench = make_bench(sack=1)
        self.bench, self.sack = bench, sack
        self.peer = Peer(bench)
        self.session = self.peer.connect(more=[("SAckOK", b"")] if sack else None)
        self.session.reads = reads
        self.model = Reassembly()
        self.drops = 0

    def places(self, segment) -> list[tuple[int, int]]:
        base = self.peer.iss + 1
        return [tuple(signed(edge - base) for edge in block) for block in blocks_of(segment)]

    def put(self, left: int, right: int, may_be_dropped: bool = False) -> None:
        """A segment, and its answer. One that would need a fifth gap may be dropped."""
        model = self.model
        repeated = model.has(left, right)
        partly = model.touches(left, right)
        before = model.nxt
        filled = left <= before < right
        self.peer.send("A", right - left, seq=left)
        answer = self.peer.expect("A", ack=ANY)
        if may_be_dropped and not self.is_kept(answer, left, right):
            self.drops += 1
        else:
            model.add(left, right)
        what = f"[{left}, {right}): {self.places(answer)} at {answer.ack}, not {model.__dict__}"
        assert answer.ack == model.nxt, what
        self.peer.nxt = model.nxt
        if self.sack:
            self.check(self.places(answer), left, right, repeated, partly, what)
        else:
            assert not blocks_of(answer), what
        self.bench.settle()
        if filled and self.peer.inbox:  # the application has taken it: a window update
            update = self.peer.expect("A", ack=model.nxt)
            assert update.window > answer.window

    def is_kept(self, answer, left: int, right: int) -> bool:
        return answer.ack >= right or any(a <= left and right <= b for a, b in self.places(answer))

    def check(self, blocks, left, right, repeated, partly, what) -> None:
        kept = self.model.kept
        # RFC 2883 section 4: the first block may say what came twice.
        duplicate = blocks and (
            blocks[0][1] <= self.model.nxt
            or any(a <= blocks[0][0] and blocks[0][1] <= b for a, b in blocks[1:])
        )
        if duplicate:
            first, blocks = blocks[0], blocks[1:]
            assert left <= first[0] < first[1] <= right and partly, f"D-SACK: {what}"
            if repeated:
                assert first == (left, right), f"D-SACK of all: {what}"
        else:
            assert not repeated or left < 0, f"no D-SACK: {what}"
        # RFC 2018 section 4: each is whole and isolated; the segment's own comes first.
        assert all(block in kept for block in blocks) and len(set(blocks)) == len(blocks), what
        own = [block for block in kept if block[0] <= left and right <= block[1]]
        if own:
            assert blocks and blocks[0] == own[0], f"the first block: {what}"
        room = 4 - bool(duplicate)
        assert len(blocks) == min(len(kept), room), f"how many blocks: {what}"

    def finish(self, end: int) -> None:
        """Everything up to there comes at last."""
        while self.model.nxt < end:
            left = self.model.nxt
            right = self.model.kept[0][0] if self.model.kept else end
            self.put(left, min(right, left + MSS, end))
        self.bench.settle()
        assert self.session.received == end


# Where a segment may lie to one that is kept at [60, 100) (the thirteen relations of intervals).
# The first byte awaited is 0, and 17 is odd to every data path.
RELATIONS = {
    "before": (17, 40),
    "meets": (17, 60),
    "overlaps": (17, 77),
    "starts": (60, 77),
    "during": (68, 85),
    "finishes": (85, 100),
    "equals": (60, 100),
    "started by": (60, 119),
    "finished by": (43, 100),
    "contains": (43, 119),
    "overlapped by": (85, 119),
    "met by": (100, 119),
    "after": (119, 153),
}
STORED, END = (60, 100), 170


@conformance(
    "RFC9293:SHLD-31", "RFC2018:4-1", "RFC2018:4-2", "RFC2018:8-3",
    "RFC2883:4-1", "RFC2883:4-3", "RFC2883:4-5",
)  # fmt: skip
@pytest.mark.parametrize("second", RELATIONS)
@pytest.mark.parametrize("first", RELATIONS)
def test_two_segments_about_a_stored_one(make_bench, first, second):
    """Every way in which two can lie about it and each other."""
    receiver = Receiver(make_bench)
    for segment in (STORED, RELATIONS[first], RELATIONS[second]):
        receiver.put(*segment)
    receiver.finish(END)


@conformance("RFC2883:4-2")
def test_what_came_twice_is_told_once(make_bench):
    """By the answer to the second, and by none after it."""
    receiver = Receiver(make_bench)
    receiver.put(0, 100)
    receiver.put(0, 100)
    receiver.put(200, 300)
    receiver.put(200, 300)
    receiver.put(400, 500)
    receiver.finish(500)


@conformance("RFC9293:SHLD-31", "RFC9293:MAY-13")
@pytest.mark.parametrize("first", RELATIONS)
def test_without_sack(make_bench, first):
    """Kept all the same; nothing is said but the acknowledgement."""
    for second in ("overlaps", "contains", "after", "during"):
        receiver = Receiver(make_bench, sack=False)
        for segment in (STORED, RELATIONS[first], RELATIONS[second]):
            receiver.put(*segment)
        receiver.finish(END)


@conformance("RFC2018:4-1", "RFC2883:4-1")
@pytest.mark.parametrize(
    "fill", [(0, 17), (0, 60), (0, 70), (0, 100), (0, 101), (-10, 60), (-10, 80)]
)
def test_filling_the_gap(make_bench, fill):
    """To its end, into what is kept, and past it; also with bytes that were never asked for."""
    receiver = Receiver(make_bench)
    receiver.put(*STORED)
    receiver.put(*fill)
    receiver.finish(END)


@conformance("RFC2018:4-1", "RFC2018:3-1", "RFC2018:8-2")
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("order", ["up", "down", "middle first"])
def test_many_gaps(make_bench, count, order):
    """Four at least are kept; what does not fit is dropped whole and asked for again."""
    receiver = Receiver(make_bench)
    places = [(100 * (i + 1), 100 * (i + 1) + 50) for i in range(count)]
    if order == "down":
        places.reverse()
    elif order == "middle first":
        places.sort(key=lambda place: abs(place[0] - 300))
    for number, place in enumerate(places):
        receiver.put(*place, may_be_dropped=number >= GAPS)
    assert receiver.drops <= max(0, count - GAPS)
    receiver.finish(100 * count + 100)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::3])
def test_any_order(make_bench, order):
    receiver = Receiver(make_bench)
    for number in order:
        receiver.put(123 * number, 123 * (number + 1))
    receiver.finish(492)


@conformance("RFC9293:SHLD-31", "RFC2018:4-2", "RFC2883:4-1")
@pytest.mark.parametrize("round_", range(4))
def test_random_segments(make_bench, round_):
    """Of any place and length within the window."""
    draw = random.Random(1000 * run_seed() + round_)
    receiver = Receiver(make_bench)
    for _ in range(40):
        model = receiver.model
        left = model.nxt + draw.randint(-60, 500)
        right = left + draw.randint(1, 200)
        if left < 0 or right <= model.nxt:
            continue
        receiver.put(left, right, may_be_dropped=len(model.kept) >= GAPS)
    receiver.finish(receiver.model.nxt + 800)


def test_kept_up_to_the_edge_of_the_window(make_bench):
    """The last byte of the window is kept; nothing behind it is."""
    receiver = Receiver(make_bench, reads=False)
    receiver.put(WINDOW - 100, WINDOW)
    receiver.peer.send("A", 100, seq=WINDOW)
    receiver.peer.expect("A", ack=0)
    for left in range(0, WINDOW - 100, 487):
        receiver.put(left, left + 487 if left + 487 < WINDOW - 100 else WINDOW - 100)
    receiver.bench.app.read_on(receiver.session)
    receiver.peer.expect("A", ack=WINDOW, window=WINDOW)
    receiver.bench.settle()
    assert receiver.session.received == WINDOW


def test_segment_across_the_edge_of_the_window(make_bench):
    """What fits may be kept, or none of it; what does not fit never is."""
    receiver = Receiver(make_bench, reads=False)
    peer = receiver.peer
    peer.send("A", 200, seq=WINDOW - 100)
    blocks = receiver.places(peer.expect("A", ack=0))
    assert blocks in ([], [(WINDOW - 100, WINDOW)])
    peer.send("A", 100, seq=0)
    peer.expect("A", ack=100)


@pytest.mark.parametrize("fill_with_fin", [False, True])
def test_fin_beyond_a_gap(make_bench, fill_with_fin):
    """It is taken when its turn comes, or when it comes again."""
    receiver = Receiver(make_bench)
    peer = receiver.peer
    peer.send("FA", 50, seq=50)
    peer.expect("A", ack=0)
    peer.send("A", 50, seq=0)
    ack = peer.expect("A", ack=ANY).ack
    assert ack in (50, 100, 101)
    if ack < 101:
        peer.send("FA", 50, seq=50)
        peer.expect("A", ack=101)
    receiver.bench.settle()
    assert receiver.session.received == 100 and receiver.bench.state == "close_wait"
    assert receiver.session.events.count("peer closed") == 1


@conformance("RFC2018:2-1")
@pytest.mark.parametrize("active", [False, True])
def test_permission(make_bench, active):
    """SACK-permitted in both SYNs, in no other segment; no SACK without it."""
    peer = Peer(make_bench(sack=1))
    if active:
        peer.answer_open(more=[("SAckOK", b"")])
    else:
        peer.connect(more=[("SAckOK", b"")])
    assert peer.syn.option("SAckOK") is not None
    peer.send("A", 10, seq=50)
    answer = peer.expect("A", ack=0)
    assert answer.option("SAck") and answer.option("SAckOK") is None
    assert answer.flags == "A" and answer.length == 0


@conformance("RFC2018:2-1", "RFC2018:4-4")
@pytest.mark.parametrize("active", [False, True])
def test_no_permission(make_bench, active):
    peer = Peer(make_bench(sack=1))
    if active:
        peer.answer_open()
    else:
        peer.connect()
        assert peer.syn.option("SAckOK") is None
    peer.send("A", 10, seq=50)
    peer.expect("A", ack=0, options=[])


@conformance("RFC2018:4-3")
def test_data_carries_the_blocks(make_bench):
    """If SACK is sent at all, in every ACK that does not acknowledge the highest (section 4)."""
    receiver = Receiver(make_bench)
    receiver.put(100, 150)
    receiver.bench.app.send(receiver.session, 40)
    segment = receiver.peer.expect("A", length=40)
    assert receiver.places(segment) == [(100, 150)]
    receiver.peer.send("A", seq=0)
    receiver.finish(200)


@conformance("RFC9293:MUST-16")
def test_blocks_leave_less_room_for_data(make_bench):
    """A full segment and its options fit the frame."""
    receiver = Receiver(make_bench)
    receiver.put(100, 150)
    receiver.put(200, 250)
    receiver.bench.app.send(receiver.session, 2000)
    sent = 0
    while sent < 2000:
        segment = receiver.peer.receive()
        assert segment.seq == sent
        blocks = len(blocks_of(segment))
        assert segment.length <= MSS - (4 + 8 * blocks if blocks else 0)
        sent = receiver.peer.got = receiver.peer.seen = segment.end
        receiver.peer.send("A", seq=0)
    receiver.finish(300)
