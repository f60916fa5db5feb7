# SPDX-License-Identifier: Apache-2.0
"""Ways into every state of RFC 9293 section 3.3.2.

Each leaves the two ends with known places: the engine has sent SENT bytes and the peer GIVEN, all
acknowledged, and FINs as the state has them.
"""

from scripts.bench import Bench
from scripts.peer import Peer

GIVEN, SENT = 40, 30

# In SYN_RECEIVED_ACTIVE the application has opened, and the SYNs have crossed.
SYNCHRONIZED = (
    "established", "fin_wait_1", "fin_wait_2", "close_wait", "closing", "last_ack", "time_wait",
)  # fmt: skip
STATES = ("syn_sent", "syn_received", "syn_received_active", *SYNCHRONIZED)

# Where the engine has sent its FIN; where the peer has.
FIN_SENT = ("fin_wait_1", "fin_wait_2", "closing", "last_ack", "time_wait")
FIN_RECEIVED = ("close_wait", "closing", "last_ack", "time_wait")
# Where its own FIN still waits to be acknowledged.
FIN_UNACKNOWLEDGED = ("fin_wait_1", "closing", "last_ack")


def register_name(state: str) -> str:
    """As the registers call it."""
    return state.removesuffix("_active")


def _exchange(bench: Bench, peer: Peer) -> None:
    peer.send("A", length=GIVEN)
    peer.expect("A")
    bench.app.send(peer.session, SENT)
    peer.expect("A", length=SENT)
    peer.send("A")


def reach(bench: Bench, state: str, peer: Peer | None = None, data: bool = True) -> Peer:
    """A connection in that state; without `data` none has been exchanged."""
    peer = peer or Peer(bench)
    if state in ("syn_sent", "syn_received_active"):
        peer.wait_for_open()
        if state == "syn_received_active":
            peer.send("S", options=[("MSS", 1460)])
            peer.expect("SA", seq=-1, ack=0)
    elif state == "syn_received":
        peer.send("S", options=[("MSS", 1460)])
        peer.syn = peer.expect("SA", seq=-1, ack=0)
    else:
        peer.connect()
        if data:
            _exchange(bench, peer)
        if state in ("close_wait", "last_ack"):
            peer.send("FA")
            peer.expect("A")
        if state in FIN_SENT:
            assert bench.app.close(peer.session) == "ok"
            peer.expect("FA")
        if state == "closing":
            peer.send("FA", ack=peer.got - 1)
            peer.expect("A")
        if state in ("fin_wait_2", "time_wait"):
            peer.send("A")
        if state == "time_wait":
            peer.send("FA")
            peer.expect("A")
    bench.settle()
    assert bench.state == register_name(state), f"{bench.state}, not {state}{peer}"
    return peer
