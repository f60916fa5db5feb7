# SPDX-License-Identifier: Apache-2.0
"""The preset "datacenter" as it is after reset: acknowledgements that wait for 64 us at most,
replies that carry them, and retransmission timeouts of a path without a wide area."""

import pytest

from scripts.bench import TIMER_SLACK_US
from scripts.peer import Peer
from scripts.settings import RTO_INITIAL_US, RTO_MAX_US

conformance = pytest.mark.conformance

AS_THE_PRESET_SAYS = 0xFFFF_FFFF
DELAYED_ACK_US, RTO_MIN_US = 64, 1000
RTO = 5  # CommandQuery


@pytest.fixture
def near(make_bench):
    """A connection to a peer that answers at once."""
    bench = make_bench("datacenter", delayed_ack_us=AS_THE_PRESET_SAYS)
    peer = Peer(bench)
    peer.connect()
    return peer


def test_acknowledgement_waits_for_64_us(near):
    near.send("A", length=100)
    near.expect("A", after=DELAYED_ACK_US)


@pytest.mark.parametrize("after_us", [0, 1, 5])
def test_reply_carries_the_acknowledgement(near, after_us):
    """The application answers within 5 us: one segment, and none alone."""
    near.send("A", length=100)
    near.bench.pass_time(after_us)
    near.bench.app.send(near.session, 200)
    near.expect("A", length=200, ack=100)
    near.send("A")
    near.silent(10 * RTO_INITIAL_US)


def test_lost_segment_comes_after_a_millisecond(near):
    """And then after two, and so on."""
    near.bench.app.send(near.session, 100)
    near.expect("A", length=100, lost=True)
    wait = RTO_MIN_US
    for _ in range(4):
        near.expect("A", length=100, seq=0, after=wait, lost=True)
        wait *= 2
    assert near.bench.app.query(near.session, RTO) == wait


@conformance("RFC9293:SHLD-11", "RFC9293:MUST-20")
def test_patience_is_that_of_the_other_presets(near):
    """R2 is a time, not a number: timeouts that begin with a millisecond do not end a connection
    before 100 s are over."""
    near.bench.app.send(near.session, 100)
    near.expect("A", length=100, lost=True)
    wait, passed = RTO_MIN_US, 0
    while passed + wait <= 100_000_000:
        near.expect("A", length=100, seq=0, after=wait, lost=True)
        passed += wait
        wait = min(2 * wait, RTO_MAX_US)
    near.silent(wait - 1)
    assert near.session.final is None
    near.bench.pass_time(1 + TIMER_SLACK_US)
    assert near.session.final == "timed out"


def test_peer_that_delays_as_much_is_waited_for(near):
    """Its acknowledgements come after 64 us and a timer's slack: no time-out in hundred of them."""
    for _ in range(100):
        near.bench.app.send(near.session, 50)
        near.expect("A", length=50)
        near.bench.pass_time(DELAYED_ACK_US + TIMER_SLACK_US)
        near.send("A")
    assert near.bench.counter("tcp_retransmit_timeouts") == 0


def test_register_overrides_the_preset(make_bench):
    bench = make_bench("datacenter", rto_min_us=100)
    peer = Peer(bench)
    peer.connect()
    bench.app.send(peer.session, 100)
    peer.expect("A", length=100, lost=True)
    peer.expect("A", length=100, seq=0, after=100)
