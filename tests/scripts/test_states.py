# SPDX-License-Identifier: Apache-2.0
"""SEGMENT ARRIVES (S1.1; RFC 9293 section 3.10.7.4, with RFC 5961): every synchronized state and
SYN-RECEIVED, every kind of segment, at every place before, in and behind the receive window.

What must come of it is worked out by `judge` from the text of the RFC alone.
"""

from dataclasses import dataclass

import pytest

from scripts.states import (
    FIN_RECEIVED,
    FIN_UNACKNOWLEDGED,
    SYNCHRONIZED,
    reach,
    register_name,
)

STATES = ("syn_received", "syn_received_active", *SYNCHRONIZED)

# Flags and bytes of payload.
KINDS = {
    "nothing": ("", 0),
    "ack": ("A", 0),
    "data": ("PA", 20),
    "data_without_ack": ("P", 20),
    "fin": ("FA", 0),
    "data_and_fin": ("FPA", 20),
    "syn": ("S", 0),
    "syn_ack": ("SA", 0),
    "rst": ("R", 0),
    "rst_with_data": ("RA", 20),
    "everything": ("FSRPAU", 20),
}

# Where it begins, from RCV.NXT on; `wnd` is the receive window.
PLACES = {
    "far before": lambda wnd: -(2**31) + 100,
    "before": lambda wnd: -200,
    "touching": lambda wnd: -20,  # ends right before RCV.NXT, if it has payload
    "straddling": lambda wnd: -5,
    "one before": lambda wnd: -1,
    "next": lambda wnd: 0,
    "after next": lambda wnd: 1,
    "inside": lambda wnd: wnd // 2,
    "last place": lambda wnd: wnd - 1,
    "edge": lambda wnd: wnd,
    "far behind": lambda wnd: 2**31 - 100,
}


@dataclass
class Judgement:
    """What the engine must do."""

    state: str
    replies: tuple[str, ...] = ("",)  # flags that the one answer may have; "" is no answer
    ack: int = 0  # that it has, from RCV.NXT on
    delivered: int = 0
    events: tuple[str, ...] = ()


def judge(state: str, flags: str, length: int, start: int, wnd: int) -> Judgement:
    """Section 3.10.7.4, step by step, of a segment whose ACK acknowledges all but a FIN."""
    size = length + ("S" in flags) + ("F" in flags)
    end = start + size
    opening = state.startswith("syn_received")
    nothing = Judgement(state)
    challenge = Judgement(state, ("A",))

    # First: sequence number (table 6).
    if size == 0:
        acceptable = 0 <= start < wnd
    else:
        acceptable = 0 <= start < wnd or 0 <= end - 1 < wnd
    if not acceptable:
        if "R" in flags:
            return nothing
        if opening and flags == "S":
            return Judgement(state, ("A", "SA"))  # either says where we are
        if state == "syn_received_active" and flags == "SA" and start == -1:
            return Judgement("established", ("", "A"), events=("opened",))  # figure 7, line 6
        return challenge

    # Second: RST (RFC 5961 section 3.2).
    if "R" in flags:
        if start != 0:
            return challenge
        # Of a passive open the user is not told; of TIME-WAIT he has been.
        silent = state in ("syn_received", "time_wait")
        return Judgement("closed", events=() if silent else ("reset",))

    # Fourth: SYN (RFC 5961 section 4.2); back to LISTEN from a passive open.
    if "S" in flags:
        return Judgement("closed") if state == "syn_received" else challenge

    # Fifth: ACK.
    if "A" not in flags:
        return nothing
    events = {"syn_received": ("accepted",), "syn_received_active": ("opened",)}.get(state, ())
    if opening:
        state = "established"

    # Sixth to eighth: text and FIN, if they begin at RCV.NXT or before.
    if size == 0:
        return Judgement(state, events=events)
    if state in FIN_RECEIVED:
        return Judgement(state, ("", "A"))  # it should not occur; an answer is left open
    if start > 0:
        return Judgement(state, ("A",), events=events)  # a duplicate ACK (RFC 5681 section 4.2)
    delivered = length + min(start, 0)
    if "F" not in flags:
        return Judgement(state, ("A",), delivered, delivered, events)
    after = {"established": "close_wait", "fin_wait_1": "closing", "fin_wait_2": "time_wait"}
    return Judgement(after[state], ("A",), delivered + 1, delivered, (*events, "peer closed"))


def play(make_bench, state: str, kind: str, places) -> None:
    flags, length = KINDS[kind]
    peer = None
    for place in places:
        if peer is None:
            peer = reach(make_bench(), state)
        bench, session = peer.bench, peer.session
        nxt, got, wnd = peer.nxt, peer.got, peer.edge - peer.nxt
        ack = got - 1 if state in FIN_UNACKNOWLEDGED else got
        start = PLACES[place](wnd)
        wanted = judge(state, flags, length, start, wnd)
        told = list(session.events) if session else []
        read = session.received if session else 0

        peer.send(flags, length, seq=nxt + start, ack=ack)
        peer.bench.settle()
        replies = [segment.flags for segment in peer.inbox] or [""]
        what = f"{place}: {wanted}, not {replies} and {bench.state}{peer}"
        assert len(replies) == 1 and replies[0] in wanted.replies, what
        if replies != [""]:
            seq = -1 if replies == ["SA"] else got
            peer.expect(replies[0], seq=seq, ack=nxt + wanted.ack)
        assert bench.state == register_name(wanted.state), what
        if session is None and bench.app.fresh:
            session = bench.app.fresh.pop()
        events = session.events if session else []
        news = [event for event in events[len(told) :] if event not in ("acked", "closed")]
        assert news == list(wanted.events), what
        assert (session.received if session else 0) - read == wanted.delivered, what
        text = set("FP") & set(flags) and "A" in flags and not set("RS") & set(flags)
        kept = text and state not in FIN_RECEIVED and -length <= start < wnd
        duplicate = flags == "A" and state in FIN_UNACKNOWLEDGED
        if wanted.state != state or kept or duplicate:
            peer = None  # the next place wants a connection on which nothing has happened


@pytest.mark.conformance(
    "RFC9293:MUST-58", "RFC9293:MAY-13", "RFC9293:SHLD-2", "RFC9293:MUST-12",
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", STATES)
def test_segment_arrives(make_bench, state, kind):
    places = list(PLACES)
    if (state, kind) == ("time_wait", "syn"):
        places = [place for place in places if PLACES[place](1000) < 0]  # else test_challenge.py
    play(make_bench, state, kind, places)
