# SPDX-License-Identifier: Apache-2.0
"""The preset "tiny", which is built without optional features: what is left is a TCP all the same,
and what is not there is neither offered nor done. Scripts of other files run here on it as well."""

from functools import partial

import pytest

from scripts.bench import OPEN, QUERY
from scripts.peer import MSS, Peer
from scripts.settings import RTO_MIN_US
from scripts.test_acknowledgements import test_gap_and_its_filling, test_old_and_duplicate  # noqa: F401
from scripts.test_challenge import test_one_in_an_interval  # noqa: F401
from scripts.test_close import (  # noqa: F401
    test_application_closes_first,
    test_fin_follows_the_data,
    test_peer_closes_first,
    test_repeated_fin_of_the_peer,
    test_simultaneous_close,
)
from scripts.test_delayed_ack import late, test_single_segment_waits  # noqa: F401
from scripts.test_icmp import ROUTER, TOO_BIG, UNREACHABLE
from scripts.test_recovery import (  # noqa: F401
    test_fast_retransmit_and_recovery,
    test_go_back_after_a_timeout,
    test_partial_acknowledgements,
    test_slow_start,
)
from scripts.test_reset import test_abort_flushes, test_closed  # noqa: F401
from scripts.test_retransmission import test_back_off_and_end, test_first_sample  # noqa: F401
from scripts.test_window import test_lost_window_update, test_zero_window_probes  # noqa: F401

ALL_ON = {"sack": 1, "timestamps": 1, "window_scale": 1, "keepalive": 1, "cubic_friendly": 1}
OPTIONS = [("SAckOK", b""), ("Timestamp", (1_000_000, 0)), ("WScale", 7)]


@pytest.fixture
def make_bench(make_bench):
    return partial(make_bench, "tiny")


def test_offers_nothing(make_bench):
    """Whatever the peer offers and the registers say."""
    peer = Peer(make_bench(**ALL_ON))
    peer.send("S", options=[("MSS", MSS), *OPTIONS])
    syn = peer.expect("SA", seq=-1, ack=0, options=[("MSS", MSS)])
    peer.send("A", window=2)  # not shifted: room for two bytes
    peer.bench.run(lambda: peer.bench.app.fresh, "the application's news")
    session = peer.bench.app.fresh.pop()
    assert peer.bench.app.send(session, 10) == "ok"
    peer.expect("A", length=2, options=[])
    peer.send("A", window=1000, length=100)
    peer.expect("A", length=8, options=[])
    assert syn.window == 4096


def test_what_is_out_of_order_is_dropped(bench, peer):
    session = peer.connect(more=[("SAckOK", b"")])
    for start in (100, 200):
        peer.send("A", length=100, seq=start)
        peer.expect("A", ack=0, options=[])
    assert bench.counter("drop_tcp_out_of_order") == 2
    for start in (0, 100, 200):
        peer.send("A", length=100, seq=start)
        peer.expect("A", ack=start + 100)
    bench.settle()
    assert session.received == 300


def test_blocks_of_sack_mean_nothing(bench, peer):
    session = peer.connect(mss=100, more=[("SAckOK", b"")])
    assert bench.app.send(session, 1000) == "ok"
    for number in range(10):
        peer.expect("A", length=100, seq=100 * number, lost=number == 0)
    edge = lambda place: (peer.irs + 1 + place) % 2**32  # noqa: E731
    for last in (200, 300):
        peer.send("A", ack=0, options=[("SAck", (edge(100), edge(last)))])
    peer.silent()
    peer.send("A", ack=0, options=[("SAck", (edge(100), edge(400)))])
    peer.expect("A", length=100, seq=0)
    peer.send("A", ack=1000)


def test_calls_that_are_not_there(bench, peer):
    session = peer.connect()
    assert bench.app.command(QUERY, session=session.number, value=0)[0] == "unsupported"
    opened = bench.app.command(OPEN, remote_ip=0x0A4D0001, remote_port=80, local_port=50000)
    assert opened[0] == "unsupported"
    for option, result in (("keepalive", "unsupported"), ("notices", "unsupported"),
                           ("no_delay", "ok"), ("dscp", "ok")):  # fmt: skip
        assert bench.app.set_option(session, option, 1) == result


def test_path_with_a_smaller_mtu(bench, peer):
    """Of other ICMP errors the application does not hear."""
    session = peer.connect()
    bench.app.send(session, 1460)
    peer.expect("A", length=1460, lost=True)
    peer.icmp(UNREACHABLE, 1, seq=0, source=ROUTER)
    peer.icmp(UNREACHABLE, TOO_BIG, seq=0, mtu=1400, source=ROUTER)
    bench.settle()
    assert session.notices == [] and bench.counter("icmp_errors_in") == 2
    peer.expect("A", length=1360, seq=0, after=RTO_MIN_US)
    peer.send("A")
    peer.expect("A", length=100, seq=1360)
    peer.send("A")


def test_urgent_data_is_data(bench, peer):
    session = peer.connect()
    peer.send("UA", length=10, urgptr=5)
    peer.expect("A", ack=10)
    bench.settle()
    assert session.received == 10 and not session.notices


def test_does_not_ask_a_silent_peer(make_bench):
    peer = Peer(make_bench(**ALL_ON, keepalive_tick_us=1_000_000, keepalive_idle=1))
    peer.connect()
    peer.silent(60_000_000)


def test_what_was_built_in_is_told(bench):
    assert bench.engine.read("identity_capabilities.congestion_control") == 1
    for name in ("active_open", "out_of_order", "sack", "timestamps", "window_scale"):
        assert bench.engine.read(f"identity_capabilities.{name}") == 0
