# SPDX-License-Identifier: Apache-2.0
"""TCP options that come (RFC 9293 sections 3.1 and 3.2): known and unknown, in any segment, at any
place, and broken."""

import pytest

from scripts.peer import MSS, Peer

WIDTHS = (64, 512)

conformance = pytest.mark.conformance

NOP, END = b"\x01", b"\x00"


def mss(value: int) -> bytes:
    return b"\x02\x04" + value.to_bytes(2)


def unknown(kind: int, length: int) -> bytes:
    return bytes([kind, length]) + bytes(range(length - 2))


def padded(options: bytes, with_: bytes = END) -> bytes:
    return options + with_ * (-len(options) % 4)


GOOD = {
    "first": mss(300),
    "behind one NOP": NOP + mss(300),
    "behind two NOPs": NOP * 2 + mss(300),
    "behind three NOPs": NOP * 3 + mss(300),
    "behind many NOPs": NOP * 36 + mss(300),
    "behind an unknown one": unknown(200, 6) + mss(300),
    "behind an unknown one of odd length": unknown(77, 7) + mss(300),
    "behind the shortest": unknown(254, 2) + mss(300),
    "behind the longest": unknown(253, 36) + mss(300),
    "before an unknown one": mss(300) + unknown(33, 10),
    "padded by NOPs": padded(NOP + mss(300), NOP),
    "before the end and noise": mss(300) + END + b"\x02\x04\x00",
    "among options of others": unknown(14, 3) + NOP + unknown(28, 4) + mss(300) + unknown(34, 18),
}


@conformance(
    "RFC9293:MUST-4", "RFC9293:MUST-6", "RFC9293:MUST-14", "RFC9293:MUST-64", "RFC9293:MUST-68",
)  # fmt: skip
@pytest.mark.parametrize("case", GOOD)
@pytest.mark.parametrize("active", [False, True])
def test_mss_is_found(bench, peer, case, active):
    """Wherever it stands, and whatever stands around it."""
    if active:
        peer.wait_for_open()
        peer.send("SA", raw_options=padded(GOOD[case]))
        peer.expect("A", seq=0, ack=0)
        session = peer.session
    else:
        peer.send("S", raw_options=padded(GOOD[case]))
        peer.expect("SA", seq=-1, ack=0)
        peer.send("A")
        bench.run(lambda: bench.app.fresh, "the application's news")
        session = bench.app.fresh.pop()
    bench.app.send(session, 700)
    for length in (300, 300, 100):
        peer.expect("A", length=length)


BROKEN = {
    "length 0": b"\x63\x00\x00\x00",
    "length 1": b"\x63\x01\x00\x00",
    "beyond the header": b"\x63\x0a\x00\x00",
    "kind alone in the last byte": NOP * 3 + b"\x63",
    "MSS of length 0": b"\x02\x00\x05\xb4",
    "MSS of length 3": padded(b"\x02\x03\x05"),
    "MSS of length 5": padded(b"\x02\x05\x05\xb4\x00"),
    "MSS cut off": NOP * 2 + b"\x02\x04",
    "all bits": b"\xff" * 40,
    "length 255": b"\xfe\xff" + bytes(6),
}


@conformance("RFC9293:MUST-7")
@pytest.mark.parametrize("case", BROKEN)
def test_broken_in_a_syn(bench, peer, case):
    """Not taken for something else; the engine lives on: by the default of 536, or by a reset."""
    peer.send("S", raw_options=BROKEN[case])
    bench.settle()
    if peer.inbox and "R" in peer.inbox[0].flags:
        peer.inbox.clear()
    elif peer.inbox:
        peer.expect("SA", seq=-1, ack=0)
        peer.send("A")
        bench.run(lambda: bench.app.fresh, "the application's news")
        bench.app.send(bench.app.fresh.pop(), 600)
        peer.expect("A", length=536)
        peer.expect("A", length=64)
    other = Peer(bench, port=41000)
    other.connect()


@conformance("RFC9293:MUST-7", "RFC9293:MUST-5")
@pytest.mark.parametrize("case", BROKEN)
def test_broken_in_data(bench, peer, case):
    """The data counts once, or not at all; then the peer's repetition without options does."""
    session = peer.connect()
    peer.send("A", data=b"", raw_options=BROKEN[case])
    peer.silent()
    peer.send("A", length=100)
    peer.expect("A", ack=100)
    bench.settle()
    assert session.received == 100 and bench.state == "established"


@conformance("RFC9293:MUST-5", "RFC9293:MUST-6", "RFC7323:3.2-5")
@pytest.mark.parametrize("kind", [3, 4, 5, 8, 14, 19, 28, 30, 34, 69, 77, 200, 253, 254])
def test_option_that_was_not_agreed_on(bench, peer, kind):
    """In data: ignored, also if it is a known one of a kind that belongs into a SYN."""
    lengths = {3: 3, 4: 2, 5: 10, 8: 10}
    session = peer.connect()
    options = padded(unknown(kind, lengths.get(kind, 6)), NOP)
    piece = b"x" * 40
    session.other_bytes = bytearray()
    peer.send("A", data=piece, raw_options=options)
    peer.nxt = 40
    peer.expect("A", ack=40)
    bench.settle()
    assert session.other_bytes == piece


@conformance("RFC9293:MUST-65", "RFC9293:MUST-5")
def test_mss_in_data_means_nothing(bench, peer):
    session = peer.connect(mss=500)
    peer.send("A", raw_options=mss(100))
    bench.app.send(session, 500)
    peer.expect("A", length=500)


@conformance("RFC9293:MUST-15", "RFC9293:MUST-16")
@pytest.mark.parametrize("offered", [None, 100, 536, 537, MSS, MSS + 1, 9000, 65535])
@pytest.mark.parametrize("active", [False, True])
def test_segment_size(bench, peer, offered, active):
    """The smaller of what the peer takes (536 if it says nothing) and what the link carries."""
    session = peer.answer_open(mss=offered) if active else peer.connect(mss=offered)
    size = min(536 if offered is None else offered, MSS)
    bench.app.send(session, 2000)
    left = 2000
    while left:
        segment = peer.receive()
        assert segment.length == min(size, left)
        left -= segment.length
        peer.got = peer.seen = segment.end
        peer.send("A")


@conformance("RFC9293:MUST-16")
@pytest.mark.parametrize("offered", [1, 20, 63])
def test_tiny_segment_size(bench, peer, offered):
    """Whoever asks for next to nothing may get a little more (64): not a segment for every byte."""
    session = peer.connect(mss=offered)
    bench.app.send(session, 200)
    segment = peer.receive()
    assert 1 <= segment.length <= max(offered, 64)
    bench.settle()
    peer.inbox.clear()


@pytest.mark.parametrize("offset", [0, 1, 4])
def test_header_shorter_than_a_header(bench, peer, offset):
    """Dropped and counted."""
    session = peer.connect()
    peer.send("A", length=20, dataofs=offset)
    peer.silent()
    assert session.received == 0 and bench.counter("drop_tcp_header") == 1


def test_header_longer_than_the_segment(bench, peer):
    session = peer.connect()
    peer.send("A", dataofs=15)
    peer.silent()
    assert session.received == 0 and bench.counter("drop_tcp_header") == 1


@conformance("RFC9293:MUST-50")
@pytest.mark.parametrize("option", [
    b"\x01\x01\x01\x00", b"\x94\x04\x00\x00", b"\x07\x07\x04\x00\x00\x00\x00\x00",
    b"\x44\x08\x05\x00\x00\x00\x00\x00", b"\x82\x0b" + bytes(10),
], ids=["no-operation", "router alert", "record route", "time stamp", "security"])  # fmt: skip
def test_ip_options_do_no_harm(bench, peer, option):
    """What TCP does not understand of the IP header it leaves alone."""
    session = peer.connect()
    peer.send("A", length=100, ip_options=option)
    peer.expect("A", ack=100)
    bench.settle()
    assert session.received == 100


@conformance("RFC9293:MUST-69", "RFC9293:MUST-65")
def test_no_options_but_in_the_syn(bench, peer):
    """A plain TCP has none to send."""
    session = peer.connect()
    bench.app.send(session, 100)
    peer.expect("A", length=100, options=[])
    peer.send("A", length=10)
    peer.expect("A", options=[])
