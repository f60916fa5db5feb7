# SPDX-License-Identifier: Apache-2.0
"""USER CALLS (RFC 9293 section 3.10): SEND, RECEIVE, CLOSE, ABORT and STATUS in every state. OPEN
is in test_open.py; a call to a connection that is gone, or never was, in the last two scripts here.

The application names connections, and hears of one that a peer begins when it is open: in
SYN-RECEIVED after a passive OPEN there is nothing that it could call.
"""

import pytest

from scripts.peer import Peer
from scripts.states import GIVEN, SENT, STATES, reach, register_name

conformance = pytest.mark.conformance

CALLED = [state for state in STATES if state != "syn_received"]
QUERY_STATE, QUERY_UNREAD = 0, 11
# As the query tells them (tcp_state_e).
NUMBERS = (
    "closed", "syn_sent", "syn_received", "established", "fin_wait_1", "fin_wait_2", "close_wait",
    "closing", "last_ack", "time_wait",
)  # fmt: skip


@conformance("RFC9293:3.10.2-1", "RFC9293:3.10.2-2")
@pytest.mark.parametrize("state", CALLED)
def test_send(bench, state):
    """Data goes out in ESTABLISHED and CLOSE-WAIT, and is refused once the application has closed.
    While the connection opens it is refused as well, and changes nothing: "opened" says when."""
    peer = reach(bench, state)
    status = bench.app.send(peer.session, 10)
    if state in ("established", "close_wait"):
        assert status == "ok"
        peer.expect("A", length=10)
        peer.send("A")
    else:
        assert status == "no connection"
        peer.silent()
    assert bench.state == register_name(state)


@conformance("RFC9293:3.10.2-1")
@pytest.mark.parametrize("state", ["syn_sent", "syn_received_active"])
def test_send_when_it_is_open(bench, state):
    """What was refused before is taken after "opened", from the first byte."""
    peer = reach(bench, state)
    assert bench.app.send(peer.session, 10) == "no connection"
    if state == "syn_sent":
        peer.send("SA", options=[("MSS", 1460)])
        peer.expect("A", seq=0, ack=0)
    else:
        peer.send("A")
    bench.run(lambda: peer.session.events, "the application's news")
    assert peer.session.events == ["opened"]
    assert bench.app.send(peer.session, 10) == "ok"
    peer.expect("A", length=10, seq=0)


@conformance("RFC9293:3.10.3-1")
@pytest.mark.parametrize("state", ["established", "fin_wait_1", "fin_wait_2", "close_wait"])
def test_receive(bench, state):
    """What has come is given when the application takes it, in CLOSE-WAIT what came before the FIN;
    then it hears of the end."""
    peer = reach(bench, "established" if state == "close_wait" else state)
    peer.session.reads = False
    ack = peer.got - (state == "fin_wait_1")
    peer.send("A", length=50, ack=ack)
    peer.expect("A")
    if state == "close_wait":
        peer.send("FA")
        peer.expect("A")
    assert bench.state == state
    assert bench.app.query(peer.session, QUERY_UNREAD) == 50
    assert "peer closed" not in peer.session.events
    bench.app.read_on(peer.session)
    bench.settle()
    assert peer.session.received == GIVEN + 50
    assert ("peer closed" in peer.session.events) == (state == "close_wait")
    peer.inbox.clear()


@conformance("RFC9293:3.10.3-1")
@pytest.mark.parametrize("state", ["closing", "last_ack", "time_wait"])
def test_nothing_to_receive(bench, state):
    """The peer has closed and all was taken: data behind its FIN is not given."""
    peer = reach(bench, state)
    received = peer.session.received
    peer.send("A", length=20, ack=peer.got - (state != "time_wait"))
    peer.nxt -= 20
    bench.settle()
    peer.inbox.clear()
    assert peer.session.received == received


@conformance("RFC9293:3.10.4-1", "RFC9293:3.10.4-2")
@pytest.mark.parametrize("state", CALLED)
def test_close(bench, state):
    """A FIN in ESTABLISHED and CLOSE-WAIT, after SYN-RECEIVED as soon as it is open; SYN-SENT is
    forgotten. Once closed, a second time is an error."""
    peer = reach(bench, state)
    result = bench.app.close(peer.session)
    bench.settle()
    if state in ("established", "close_wait"):
        assert result == "ok"
        peer.expect("FA")
        assert bench.state == {"established": "fin_wait_1", "close_wait": "last_ack"}[state]
    elif state == "syn_sent":
        assert result == "ok" and peer.session.final == "closed" and bench.state == "closed"
        peer.silent()
    elif state == "syn_received_active":
        assert result == "ok" and bench.state == "syn_received"
        assert bench.app.close(peer.session) == "closing"
        peer.silent()
        peer.send("A")
        peer.expect("FA", seq=0)
        assert bench.state == "fin_wait_1"
    else:
        assert result == ("no connection" if state == "time_wait" else "closing")
        peer.silent()
        assert bench.state == state


@conformance("RFC9293:3.10.4-1")
def test_close_sends_what_is_queued_first(bench, peer):
    """Behind a closed window: the FIN follows the last byte."""
    session = peer.connect()
    peer.send("A", window=0)
    assert bench.app.send(session, 70) == "ok"
    assert bench.app.close(session) == "ok"
    peer.silent()
    peer.send("A", window=1000)
    segment = peer.expect("FA", length=70)
    assert segment.push


@conformance("RFC9293:3.10.5-1")
@pytest.mark.parametrize("state", CALLED)
def test_abort(bench, state):
    """The connection is gone at once and what the peer sends then is answered by a reset. It hears
    of it by one that has SND.NXT; in SYN-SENT there is nobody to tell."""
    peer = reach(bench, state)
    end = peer.seen
    result = bench.app.abort(peer.session)
    bench.settle()
    if state == "time_wait":  # all is told already
        assert result == "no connection" and bench.state == "time_wait"
        return
    assert result == "ok"
    if state == "syn_sent":
        peer.silent()
    elif (
        state not in ("closing", "last_ack") or peer.inbox
    ):  # there it is neither asked nor forbidden
        peer.expect("RA", seq=end)
    assert peer.session.final == "closed" and bench.state == "closed"
    assert bench.app.abort(peer.session) == "no connection"
    peer.silent()


@conformance("RFC9293:3.10.6-1")
@pytest.mark.parametrize("state", CALLED)
def test_status(bench, state):
    """The state, as long as the application has not been told of its end."""
    peer = reach(bench, state)
    if state == "time_wait":
        assert bench.app.command(6, session=peer.session.number, value=0)[0] == "no connection"
    else:
        number = bench.app.query(peer.session, QUERY_STATE)
        assert NUMBERS[number] == register_name(state)


@conformance("RFC9293:3.10.2-2", "RFC9293:3.10.4-2", "RFC9293:3.10.5-1", "RFC9293:3.10.6-1")
@pytest.mark.parametrize("call", ["send", "close", "abort", "status"])
def test_connection_that_is_gone(bench, peer, call):
    """In CLOSED there is none: an error, and nothing goes out. The next one that has its place is
    not meant."""
    session = peer.connect()
    peer.send("R")
    bench.settle()
    assert session.final == "reset"
    other = Peer(bench, port=40001)
    other.connect()
    if call == "send":
        assert bench.app.send(session, SENT) == "no connection"
    elif call == "status":
        assert bench.app.command(6, session=session.number, value=0)[0] == "no connection"
    else:
        assert getattr(bench.app, call)(session) == "no connection"
    peer.silent()
    other.silent()
    assert bench.state == "established"


@conformance("RFC9293:3.10.4-3")
def test_listen_ends(bench, peer):
    """CLOSE of a passive OPEN: the next SYN is answered by a reset, connections stay."""
    peer.connect()
    bench.app.unlisten(7)
    late = Peer(bench, port=40001)
    late.send("S", options=[("MSS", 1460)])
    late.expect_reset(seq=0, ack=0)
    assert bench.state == "established"
