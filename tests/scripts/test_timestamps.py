# SPDX-License-Identifier: Apache-2.0
"""Time stamps (RFC 7323 sections 3 to 5): the option, round-trip times from it, and protection
against wrapped sequence numbers."""

import pytest

from scripts.peer import ANY, MSS, Peer
from scripts.settings import RTO_INITIAL_US, RTO_MIN_US, TIMESTAMP_SHIFT

conformance = pytest.mark.conformance

START = 1_000_000  # the peer's own clock
ROOM = MSS - 12  # the option and its padding take 12 bytes of each segment
SRTT, RTO = 3, 5  # CommandQuery


class Clock:
    """The time stamps of a peer, and what each side last heard of the other's."""

    def __init__(self, peer: Peer, start: int = START) -> None:
        self.peer, self.value, self.echo = peer, start, 0

    def options(self, ahead: int = 0) -> list:
        return [("Timestamp", ((self.value + ahead) % 2**32, self.echo))]

    def send(self, flags="A", length=0, ahead: int = 0, **fields) -> None:
        more = fields.pop("more", [])
        self.peer.send(flags, length, options=more + self.options(ahead), **fields)

    def expect(self, *args, **fields):
        segment = self.peer.expect(*args, **fields)
        assert segment.option("Timestamp") is not None, f"no time stamp: {segment}"
        self.echo = segment.option("Timestamp")[0]
        return segment


def stamped(make_bench, active: bool = False, start: int = START, **wanted: int) -> Clock:
    peer = Peer(make_bench(timestamps=1, **wanted))
    clock = Clock(peer, start)
    if active:
        peer.wait_for_open()
        clock.echo = peer.syn.option("Timestamp")[0]
        clock.send("SA", more=[("MSS", MSS)])
        clock.expect("A", seq=0, ack=0)
    else:
        clock.send("S", more=[("MSS", MSS)])
        peer.syn = clock.expect("SA", seq=-1, ack=0)
        clock.send("A")
        peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
        peer.session = peer.bench.app.fresh.pop()
    return clock


@conformance("RFC7323:3.2-1", "RFC7323:3.2-2")
@pytest.mark.parametrize("active", [False, True])
def test_negotiation(make_bench, active):
    """In both SYNs, then in every segment; the first SYN echoes nothing."""
    clock = stamped(make_bench, active)
    peer = clock.peer
    if active:
        assert peer.syn.option("Timestamp")[1] == 0
    else:
        assert peer.syn.option("Timestamp")[1] == START
    clock.value += 5
    clock.send("A", length=10)
    assert clock.expect("A").option("Timestamp")[1] == START + 5
    peer.bench.app.send(peer.session, 10)
    assert clock.expect("A", length=10).option("Timestamp")[1] == START + 5


@conformance("RFC7323:3.2-1")
def test_not_offered_by_the_peer(make_bench):
    """None in the SYN-ACK, and none after it."""
    peer = Peer(make_bench(timestamps=1))
    session = peer.connect()
    assert peer.syn.option("Timestamp") is None
    peer.bench.app.send(session, 10)
    peer.expect("A", length=10, options=[])


def test_not_answered_by_the_peer(make_bench):
    peer = Peer(make_bench(timestamps=1))
    session = peer.answer_open()
    peer.bench.app.send(session, 10)
    peer.expect("A", length=10, options=[])


def test_switched_off(make_bench):
    peer = Peer(make_bench(timestamps=0))
    peer.connect(more=[("Timestamp", (1, 0))])
    assert peer.syn.option("Timestamp") is None


@conformance("RFC7323:5.4-1")
@pytest.mark.parametrize("wait", [1 << TIMESTAMP_SHIFT, 1_000_000, 60_000_000])
def test_clock(make_bench, wait):
    """A tick in 2^10 us: within the 1 ms to 1 s of section 5.4."""
    clock = stamped(make_bench)
    clock.send("A", length=1)
    before, began = clock.expect("A").option("Timestamp")[0], clock.peer.bench.now
    clock.peer.bench.pass_time(wait)
    clock.send("A", length=1)
    after = clock.expect("A").option("Timestamp")[0]
    ticks = (clock.peer.bench.now >> TIMESTAMP_SHIFT) - (began >> TIMESTAMP_SHIFT)
    assert (after - before) % 2**32 == ticks


@conformance("RFC9293:MUST-16", "RFC7323:3.2-2")
def test_segments_are_shorter(make_bench):
    """The option's room is the data's (RFC 9293 section 3.7.1)."""
    clock = stamped(make_bench)
    clock.peer.bench.app.send(clock.peer.session, 2000)
    clock.expect("A", length=ROOM)
    clock.expect("A", length=2000 - ROOM)


@conformance("RFC7323:3.2-3")
def test_segment_without_time_stamp_is_dropped(make_bench):
    """Section 3.2: SHOULD be dropped once agreed on; a reset is not."""
    clock = stamped(make_bench)
    peer = clock.peer
    peer.send("A", length=10, options=[])
    peer.silent()
    assert peer.session.received == 0
    peer.send("R", options=[], seq=0)
    peer.bench.settle()
    assert peer.session.final == "reset"


@conformance("RFC7323:5.3-1")
@pytest.mark.parametrize("behind", [1, 1000, 2**31 - 1])
@pytest.mark.parametrize("length", [0, 10])
def test_paws(make_bench, behind, length):
    """An older time stamp: an ACK, and the segment is dropped (section 5.3, R1)."""
    clock = stamped(make_bench)
    clock.send("A", length=20)
    clock.expect("A", ack=20)
    clock.send("A", length=length, ahead=-behind, seq=20)
    clock.peer.nxt = 20
    clock.expect("A", ack=20)
    clock.send("A", length=5)
    clock.expect("A", ack=25)
    clock.peer.bench.settle()
    assert clock.peer.session.received == 25


@conformance("RFC7323:5.3-1")
@pytest.mark.parametrize("start", [0, 2**31 - 5, 2**32 - 5])
def test_time_stamps_go_round(make_bench, start):
    """Compared modulo 2^32."""
    clock = stamped(make_bench, start=start)
    for _ in range(5):
        clock.value += 3
        clock.send("A", length=10)
        assert clock.expect("A").option("Timestamp")[1] == clock.value % 2**32
    clock.peer.bench.settle()
    assert clock.peer.session.received == 50


@conformance("RFC7323:5.2-1")
def test_reset_needs_no_time_stamp(make_bench):
    """PAWS does not apply to resets (section 5.2)."""
    clock = stamped(make_bench)
    clock.send("A", length=20)
    clock.expect("A", ack=20)
    clock.send("R", ahead=-1000)
    clock.peer.bench.settle()
    assert clock.peer.session.final == "reset"


@conformance("RFC7323:5.2-2")
@pytest.mark.parametrize("ahead", [1000, 2**30, -1000])
@pytest.mark.parametrize("seq, length", [(15, 10), (0, 21), (30, 0), (30, 10)])
def test_reset_changes_no_time_stamp(make_bench, seq, length, ahead):
    """A reset that is in the window, but not at RCV.NXT, is answered by an ACK; that echoes what it
    would have echoed before, and the next segment is held against the same (section 5.2)."""
    clock = stamped(make_bench)
    peer = clock.peer
    clock.send("A", length=20)
    clock.expect("A", ack=20)
    clock.send("R", length=length, seq=seq, ahead=ahead)
    assert clock.expect("A", ack=20).option("Timestamp")[1] == START
    clock.send("A", length=5, seq=20, ahead=1)
    peer.nxt = 25
    assert clock.expect("A", ack=25).option("Timestamp")[1] == START + 1
    clock.send("A", length=5, seq=25, ahead=0)
    peer.nxt = 25
    clock.expect("A", ack=25)
    peer.bench.settle()
    assert peer.session.received == 25


@conformance("RFC7323:3.2-6")
@pytest.mark.parametrize("echo", [0, 1, 2**31, 2**32 - 1])
def test_echo_of_a_syn_means_nothing(make_bench, echo):
    """Without ACK there is nothing that it could echo (section 3.2): the handshake goes on, and no
    round-trip time comes of it."""
    peer = Peer(make_bench(timestamps=1))
    clock = Clock(peer)
    clock.echo = echo
    clock.send("S", more=[("MSS", MSS)])
    peer.syn = clock.expect("SA", seq=-1, ack=0)
    peer.bench.pass_time(1000)
    clock.send("A")
    peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
    session = peer.bench.app.fresh.pop()
    assert peer.bench.app.query(session, SRTT) == 1000
    peer.bench.app.send(session, 10)
    clock.expect("A", length=10)


@conformance("RFC7323:3.2-6")
@pytest.mark.parametrize("behind", [0, 1, 1000])
def test_echo_of_a_crossing_syn_means_nothing(make_bench, behind):
    """It looks like the engine's own time stamp, which no segment without ACK can know."""
    peer = Peer(make_bench(timestamps=1))
    clock = Clock(peer)
    session = peer.wait_for_open()
    peer.bench.pass_time(5000)
    clock.echo = (peer.syn.option("Timestamp")[0] - behind) % 2**32
    clock.send("S", more=[("MSS", MSS)])
    clock.expect("SA", seq=-1, ack=0)
    peer.bench.settle()
    assert peer.bench.app.query(session, SRTT) == 0
    assert peer.bench.app.query(session, RTO) == RTO_INITIAL_US
    clock.send("A")
    peer.bench.settle()
    assert session.events == ["opened"]


@conformance("RFC7323:4.3-1", "RFC7323:3.2-4")
def test_which_time_stamp_is_echoed(make_bench):
    """That of the earliest segment that is not acknowledged yet: not of one beyond a gap (section
    4.3, the second example)."""
    clock = stamped(make_bench)
    clock.value = START + 10
    clock.send("A", length=10)
    assert clock.expect("A", ack=10).option("Timestamp")[1] == START + 10
    clock.send("A", length=10, seq=20, ahead=10)
    assert clock.expect("A", ack=10).option("Timestamp")[1] == START + 10
    clock.send("A", length=10, seq=30, ahead=20)
    assert clock.expect("A", ack=10).option("Timestamp")[1] == START + 10
    clock.send("A", length=10, seq=10, ahead=5)
    answer = clock.expect("A", ack=ANY)
    assert answer.option("Timestamp")[1] == START + 15


@conformance("RFC7323:4.1-1", "RFC6298:3-1")
def test_round_trip_time_of_a_repetition(make_bench):
    """The echo says which of two it was: with time stamps Karn's rule is not needed."""
    clock = stamped(make_bench, rto_min_us=100)
    peer, bench = clock.peer, clock.peer.bench
    # Until the first sample the RTO is that of the handshake, which took no time.
    bench.app.send(peer.session, 10)
    clock.expect("A", length=10)
    bench.pass_time(50_000)
    peer.inbox.clear()
    clock.send("A", ack=10)
    bench.app.send(peer.session, 10)
    segment = clock.expect("A", length=10, seq=ANY)
    bench.settle()
    assert segment.option("Timestamp")[1] == START
    peer.inbox.clear()


@conformance("RFC7323:5.5-1")
def test_idle_for_24_days(make_bench):
    """A time stamp that is older than 24 days is void (section 5.5): here by the peer's clock going
    on by more than 2^31 while nothing comes."""
    clock = stamped(make_bench)
    clock.send("A", length=10)
    clock.expect("A")
    clock.peer.bench.jump(2**31)
    clock.value += 2**31 >> TIMESTAMP_SHIFT
    clock.send("A", length=10)
    clock.expect("A", ack=20)


@pytest.mark.parametrize("kind", ["data", "fin", "window"])
def test_every_segment_has_one(make_bench, kind):
    clock = stamped(make_bench)
    peer, bench = clock.peer, clock.peer.bench
    if kind == "data":
        bench.app.send(peer.session, 10)
        clock.expect("A", length=10, lost=True)
        clock.expect("A", length=10, seq=0, after=RTO_MIN_US)
    elif kind == "fin":
        bench.app.close(peer.session)
        clock.expect("FA")
    else:
        peer.session.reads = False
        clock.send("A", length=1100)
        clock.expect("A")
        bench.app.read_on(peer.session)
        clock.expect("A")
