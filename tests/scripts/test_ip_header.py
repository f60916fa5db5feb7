# SPDX-License-Identifier: Apache-2.0
"""What TCP asks of IP for its segments (RFC 9293 sections 3.9.1.9 and 3.9.2)."""

import pytest

from scripts.peer import Peer
from scripts.settings import RTO_MIN_US

conformance = pytest.mark.conformance

EXPEDITED = 46  # RFC 3246


@conformance("RFC9293:MUST-48", "RFC9293:SHLD-21", "RFC9293:SHLD-22")
def test_code_point_of_a_connection(bench, peer):
    """Zero until it is set, then of every segment: data, what is sent again, acknowledgements."""
    session = peer.connect()
    assert peer.syn.dscp == 0
    bench.app.send(session, 100)
    assert peer.expect("A", length=100).dscp == 0
    peer.send("A")
    assert bench.app.set_option(session, "dscp", EXPEDITED) == "ok"
    bench.app.send(session, 100)
    assert peer.expect("A", length=100, lost=True).dscp == EXPEDITED
    assert peer.expect("A", length=100, seq=100, after=RTO_MIN_US).dscp == EXPEDITED
    peer.send("A", length=10)
    assert peer.expect("A").dscp == EXPEDITED
    assert bench.app.set_option(session, "dscp", 10) == "ok"
    bench.app.close(session)
    assert peer.expect("FA").dscp == 10


def test_code_point_is_of_one_connection(make_bench):
    """Another one is not touched, nor is the next with the same id, nor an answer to nobody."""
    bench = make_bench()
    peer, other = Peer(bench), Peer(bench, port=40001)
    session = peer.connect()
    assert bench.app.set_option(session, "dscp", EXPEDITED) == "ok"
    bench.app.send(other.connect(), 10)
    assert other.expect("A", length=10).dscp == 0
    other.send("R")
    bench.app.abort(session)
    assert peer.expect("RA").dscp == EXPEDITED
    peer.send("A", length=1, ack=5)
    assert peer.expect("R", seq=5, ack=None, window=0).dscp == 0


@conformance("RFC9293:MUST-49")
@pytest.mark.parametrize("hops", [255, 33])
def test_time_to_live(make_bench, hops):
    bench = make_bench()
    first = Peer(bench)
    first.connect()
    assert first.syn.ttl == 64
    bench.engine.write("network_time_to_live", hops)
    second = Peer(bench, port=40001)
    second.connect()
    assert second.syn.ttl == hops


@pytest.mark.parametrize("kind", [131, 137])  # loose, strict
def test_source_route_that_was_received(bench, peer, kind):
    """Source routes are not supported: what came by one is taken as any other segment, and answers
    have no options."""
    route = bytes([kind, 7, 8]) + bytes([192, 0, 2, 1]) + b"\0"
    peer.send("S", options=[("MSS", 1460)], ip_options=route)
    peer.expect("SA", seq=-1, ack=0)
    peer.send("A", ip_options=route)
    peer.send("A", length=10, ip_options=route)
    peer.expect("A", ack=10)
    bench.settle()
    assert bench.state == "established"
