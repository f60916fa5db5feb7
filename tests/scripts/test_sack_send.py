# SPDX-License-Identifier: Apache-2.0
"""Recovery from SACK (RFC 2018 section 5, RFC 6675, RFC 2883): the engine as a sender that is told
what has arrived."""

import pytest

from scripts.peer import Peer
from scripts.settings import RTO_MIN_US

conformance = pytest.mark.conformance

SIZE, COUNT = 64, 10


class Sender:
    """Ten segments are on their way; the script says which arrived."""

    def __init__(self, make_bench, count: int = COUNT, **wanted: int) -> None:
        self.bench = make_bench(sack=1, **wanted)
        self.peer = Peer(self.bench)
        self.session = self.peer.connect(mss=SIZE, more=[("SAckOK", b"")])
        assert self.bench.app.send(self.session, SIZE * count) == "ok"
        for _ in range(count):
            self.peer.expect("A", length=SIZE, lost=True)
        self.repeated: list[int] = []

    def tell(self, ack: int, *blocks: tuple[int, int]) -> None:
        """Segments before `ack` have arrived, and these half-open ranges of them; what comes of it
        is noted by segment."""
        base = self.peer.irs + 1
        edges = [(base + SIZE * edge) % 2**32 for block in blocks for edge in block]
        options = [("NOP", None), ("NOP", None), ("SAck", tuple(edges))] if edges else []
        self.peer.send("A", ack=SIZE * ack, options=options)
        self.bench.settle()
        for segment in self.peer.inbox:
            assert segment.length == SIZE and segment.seq % SIZE == 0
            self.repeated.append(segment.seq // SIZE)
        self.peer.inbox.clear()


@conformance("RFC6675:5-1", "RFC5681:3.2-3")
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


@conformance("RFC6675:5-1", "RFC6675:5-3", "RFC6675:4-1")
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


@conformance("RFC6675:5-2")
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
