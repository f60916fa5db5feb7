# SPDX-License-Identifier: Apache-2.0
"""Establishing a connection (RFC 9293 section 3.5) from either side, from both, and in vain."""

import pytest

from scripts.peer import ANY, MSS, WINDOW, Peer
from scripts.settings import RTO_INITIAL_US, RTO_MAX_US, SYN_ACK_RETRIES, SYN_RETRIES
from scripts.states import reach

WIDTHS = (64, 512)

conformance = pytest.mark.conformance


@conformance("RFC9293:MUST-14", "RFC9293:SHLD-5", "RFC9293:MAY-3", "RFC9293:MUST-67")
def test_three_way_handshake(bench, peer):
    """Figure 6; the SYN-ACK says what a frame without options holds."""
    peer.send("S", options=[("MSS", 1000)])
    syn = peer.expect("SA", seq=-1, ack=0, window=WINDOW, options=[("MSS", MSS)])
    assert bench.state == "syn_received" and not bench.app.fresh
    peer.send("A")
    bench.settle()
    assert bench.state == "established" and bench.app.fresh[0].events == ["accepted"]
    assert syn.time_us == bench.now


@conformance("RFC9293:MUST-14", "RFC9293:SHLD-5")
def test_active_open(bench, peer):
    session = peer.wait_for_open()
    assert peer.syn.option("MSS") == MSS and peer.syn.window == WINDOW
    assert bench.state == "syn_sent" and session.events == []
    peer.send("SA", options=[("MSS", MSS)])
    peer.expect("A", seq=0, ack=0)
    bench.settle()
    assert bench.state == "established" and session.events == ["opened"]


@conformance("RFC9293:MUST-10")
@pytest.mark.parametrize("ending", ["ack", "syn_ack", "data"])
def test_simultaneous_open(bench, ending):
    """Figure 7, ended by each segment that may."""
    peer = reach(bench, "syn_received_active")
    if ending == "ack":
        peer.send("A")
    elif ending == "syn_ack":
        peer.send("SA", seq=-1)
        bench.settle()
        if peer.inbox:
            peer.expect("A", seq=0, ack=0)
    else:
        peer.send("A", length=10)
        peer.expect("A", seq=0, ack=10)
    bench.settle()
    assert bench.state == "established" and peer.session.events[0] == "opened"


@conformance("RFC9293:MUST-11")
@pytest.mark.parametrize("state", ["syn_received", "syn_received_active"])
def test_reset_in_syn_received(bench, state):
    """Who opened decides who is told (section 3.10.7.4, second)."""
    peer = reach(bench, state)
    peer.send("R")
    bench.settle()
    assert bench.state == "closed" and not bench.app.fresh
    if state == "syn_received_active":
        assert peer.session.events == ["reset"]
    else:
        again = Peer(bench, port=peer.port, iss=peer.iss + 5000)
        again.connect()


@conformance("RFC9293:MUST-11")
@pytest.mark.parametrize("state", ["syn_received", "syn_received_active"])
@pytest.mark.parametrize("ack", [-1, 1, 1000, 2**30])
def test_wrong_ack_in_syn_received(bench, state, ack):
    """Answered by a reset that the sender believes; the connection stays (section 3.5.2)."""
    peer = reach(bench, state)
    peer.send("A", ack=ack)
    peer.expect_reset(seq=ack)
    assert bench.state == "syn_received"
    peer.send("A")
    bench.settle()
    assert bench.state == "established"


def test_old_duplicate_syn(bench, peer):
    """Figure 8: the reset for the answer to an old SYN lets the new one in."""
    peer.send("S", seq=-11)
    peer.expect("SA", seq=-1, ack=-10)
    peer.send("R", seq=-10)
    bench.settle()
    assert bench.state == "closed"
    bench.peers.remove(peer)
    Peer(bench, port=peer.port).connect()


def test_half_open_connection(bench):
    """Figure 9: the peer has forgotten the connection and opens it anew."""
    peer = reach(bench, "established")
    again = Peer(bench, port=peer.port, iss=peer.iss + 400)
    again.irs = peer.irs
    again.send("S", options=[("MSS", MSS)])
    answer = again.expect("A", seq=peer.got, ack=peer.nxt - 400)
    assert bench.state == "established"
    again.send("R", seq=answer.ack)
    bench.settle()
    assert bench.state == "closed" and peer.session.events[-1] == "reset"
    Peer(bench, port=peer.port, iss=peer.iss + 400).connect()


def test_half_open_found_by_the_engine(bench):
    """Figure 10: its data is answered by a reset."""
    peer = reach(bench, "established")
    bench.app.send(peer.session, 10)
    data = peer.expect("A", length=10)
    peer.send("R", seq=data.ack)
    bench.settle()
    assert bench.state == "closed" and peer.session.events[-1] == "reset"


# ---- SYN-SENT (section 3.10.7.3)

SYN_SENT = {
    # flags, ack (our SYN is place -1): what answers it, and what becomes of the attempt
    "ack of the ISS": ("A", -1, "reset", "syn_sent"),
    "ack of the future": ("A", 1, "reset", "syn_sent"),
    "ack far off": ("A", -(2**30), "reset", "syn_sent"),
    "ack alone": ("A", 0, "", "syn_sent"),
    "syn with a wrong ack": ("SA", 1, "reset", "syn_sent"),
    "syn with the ISS": ("SA", -1, "reset", "syn_sent"),
    "fin": ("FA", 0, "", "syn_sent"),
    "fin without ack": ("F", 0, "", "syn_sent"),
    "nothing": ("", 0, "", "syn_sent"),
    "push and urgent": ("PU", 0, "", "syn_sent"),
    "rst without ack": ("R", 0, "", "syn_sent"),
    "rst with the ISS": ("RA", -1, "", "syn_sent"),
    "rst with a wrong ack": ("RA", 1, "", "syn_sent"),
    "rst": ("RA", 0, "", "closed"),
    "rst and syn": ("SRA", 0, "", "closed"),
    "syn": ("S", 0, "syn_ack", "syn_received"),
    "syn and ack": ("SA", 0, "ack", "established"),
}


@conformance("RFC9293:MUST-10", "RFC9293:MUST-12")
@pytest.mark.parametrize("case", SYN_SENT)
def test_syn_sent(bench, peer, case):
    flags, ack, answer, state = SYN_SENT[case]
    peer.wait_for_open()
    peer.send(flags, ack=ack)
    if answer == "reset":
        peer.expect_reset(seq=ack)
    elif answer == "syn_ack":
        peer.expect("SA", seq=-1, ack=0)
    elif answer == "ack":
        peer.expect("A", seq=0, ack=0)
    bench.settle()
    assert bench.state == state
    assert peer.session.events == {"closed": ["reset"], "established": ["opened"]}.get(state, [])


@pytest.mark.parametrize("flags", ["SA", "S"])
@pytest.mark.parametrize("fin", ["", "F"])
def test_text_with_the_syn(bench, peer, flags, fin):
    """Text and FIN beside the SYN may be left, or kept until the connection is established. They
    count once."""
    session = peer.wait_for_open()
    peer.send(flags + fin, length=10)
    end = peer.nxt
    if flags == "S":
        peer.expect("SA", seq=-1, ack=0)
        bench.settle()
        assert session.events == [] and session.received == 0
        peer.send("A" + fin, length=10, seq=0)
    else:
        assert peer.expect("A", seq=0, ack=ANY).ack in (0, end)
        peer.send("A" + fin, length=10, seq=0)
    peer.expect("A", seq=0, ack=end)
    bench.settle()
    assert session.received == 10
    assert bench.state == ("close_wait" if fin else "established")


# ---- repetition of the SYN


@conformance("RFC9293:MUST-22", "RFC6298:5-2")
@pytest.mark.parametrize("state", ["syn_sent", "syn_received", "syn_received_active"])
def test_syn_is_repeated(bench, state):
    """After the initial RTO, then after twice as long each time; the same segment (RFC 6298
    section 5)."""
    peer = reach(bench, state)
    flags, ack = ("S", None) if state == "syn_sent" else ("SA", 0)
    wait = RTO_INITIAL_US
    for _ in range(SYN_ACK_RETRIES if state == "syn_received" else SYN_RETRIES):
        again = peer.expect(flags, seq=-1, ack=ack, after=wait)
        assert again.option("MSS") == MSS
        wait = min(2 * wait, RTO_MAX_US)
    peer.silent(wait - 1)
    bench.pass_time(100)
    assert bench.state == "closed"
    assert not bench.app.fresh
    if peer.session:
        assert peer.session.events == ["notice", "timed out"]
        assert peer.session.notices == [("retries", 3)]


@conformance("RFC9293:MUST-23", "RFC9293:MUST-22")
def test_opens_for_three_minutes(bench, peer):
    """With the settings that the engine has by itself."""
    peer.wait_for_open()
    for _ in range(17):
        bench.pass_time(10_000_000)
    peer.inbox.clear()
    assert bench.state == "syn_sent"


def test_answer_comes_late(bench, peer):
    """To a SYN that was repeated: the connection is opened as always."""
    session = peer.wait_for_open()
    peer.expect("S", seq=-1, after=RTO_INITIAL_US)
    peer.send("SA", options=[("MSS", MSS)])
    peer.expect("A", seq=0, ack=0)
    bench.settle()
    assert session.events == ["opened"]


def test_repeated_syn_gets_the_syn_ack_again(bench):
    peer = reach(bench, "syn_received")
    for _ in range(3):
        peer.send("S", seq=-1, options=[("MSS", MSS)])
        peer.expect("SA", seq=-1, ack=0)
    peer.send("A")
    bench.settle()
    assert bench.state == "established"


# ---- the application's calls


@conformance("RFC9293:MUST-46")
@pytest.mark.parametrize("address", [
    0, 0xFFFF_FFFF, 0xE000_0001, 0xEFFF_FFFF,
    0x0A4D_00FF, 0x7F00_0001,
], ids=hex)  # fmt: skip
def test_open_to_nobody(bench, address):
    """Broadcast, multicast, and no address at all."""
    result, *_ = bench.app.command(2, remote_ip=address, remote_port=80, local_port=0)
    assert result == "unsupported"
    bench.settle()
    assert bench.state == "closed" and not bench.strays


@conformance("RFC9293:MUST-41", "RFC9293:MUST-42")
@pytest.mark.parametrize("state", ["syn_sent", "syn_received", "established"])
def test_listen_beside_a_connection(bench, state):
    """To the port of a connection that is being opened, and nothing happens to that."""
    bench.app.unlisten(7) if state == "syn_sent" else None
    peer = Peer(bench)
    if state == "syn_sent":
        peer.wait_for_open(local_port=7)
        bench.app.listen(7)
    else:
        reach(bench, state, peer, data=False)
        bench.app.unlisten(7)
        bench.app.listen(7)
    assert bench.state == state
    other = Peer(bench, port=41000)
    other.connect()
    assert bench.states() == (
        {"established": 2} if state == "established" else {state: 1, "established": 1}
    )


@conformance("RFC9293:MUST-45")
def test_tuple_is_unique(bench):
    """A second open between the same ends is an error (section 3.10.1)."""
    peer = reach(bench, "established", data=False)
    result, *_ = bench.app.command(2, remote_ip=0x0A4D0001, remote_port=peer.port, local_port=7)
    assert result == "in use" and bench.state == "established"


@conformance("RFC9293:MUST-63", "RFC9293:MUST-57")
@pytest.mark.parametrize(
    "source", ["255.255.255.255", "224.0.0.1", "10.77.0.255", "0.0.0.0", "127.0.0.1"]
)
def test_syn_from_nobody(bench, source):
    """An address that no host has is not answered."""
    from scapy.layers.inet import IP, TCP
    from scapy.layers.l2 import Ether

    from scripts.bench import ENGINE_IP, ENGINE_MAC, PEER_MAC

    frame = Ether(src=PEER_MAC, dst=ENGINE_MAC) / IP(src=source, dst=ENGINE_IP)
    bench.put(bytes(frame / TCP(sport=4000, dport=7, flags="S", seq=1)))
    bench.settle()
    assert bench.state == "closed"


@conformance("RFC9293:MUST-57")
@pytest.mark.parametrize("mac, ip", [
    ("ff:ff:ff:ff:ff:ff", "10.77.0.255"), ("ff:ff:ff:ff:ff:ff", "255.255.255.255"),
    ("ff:ff:ff:ff:ff:ff", "10.77.0.2"), ("01:00:5e:00:00:01", "224.0.0.1"),
    ("02:54:4f:45:00:01", "10.77.0.255"), ("02:54:4f:45:00:01", "224.0.0.1"),
])  # fmt: skip
def test_syn_to_all(bench, mac, ip):
    """Broadcast and multicast, of either layer, are not answered."""
    from scapy.layers.inet import IP, TCP
    from scapy.layers.l2 import Ether

    from scripts.bench import PEER_IP, PEER_MAC

    frame = Ether(src=PEER_MAC, dst=mac) / IP(src=PEER_IP, dst=ip)
    bench.put(bytes(frame / TCP(sport=4000, dport=7, flags="S", seq=1)))
    bench.settle()
    assert bench.state == "closed"


@conformance("RFC9293:MUST-8", "RFC9293:SHLD-1", "RFC6528:3-1")
def test_initial_sequence_numbers(bench):
    """Of one pair of ends they follow the clock, one in 4 us; of others they are elsewhere; with
    another secret everything is elsewhere."""
    numbers = []
    for port, wait in ((40000, 0), (40000, 4000), (40001, 0), (40002, 0), (40000, 400_000)):
        bench.pass_time(wait)
        peer = Peer(bench, port=port)
        peer.send("S")
        peer.expect("SA", seq=ANY, ack=0)
        numbers.append(peer.irs)
        peer.send("R")
        bench.settle()
    assert (numbers[1] - numbers[0]) % 2**32 == 1000
    assert (numbers[4] - numbers[1]) % 2**32 == 100_000
    assert all(abs(numbers[i] - numbers[j]) > 2**12 for i, j in ((1, 2), (2, 3), (1, 3)))


@conformance("RFC9293:MUST-9", "RFC6528:3-1")
def test_secret_moves_initial_sequence_numbers(make_bench):
    numbers = []
    for secret in (1, 2):
        peer = Peer(make_bench(isn_secret=secret))
        peer.send("S")
        peer.expect("SA", seq=-1, ack=0)
        numbers.append(peer.irs)
    assert abs(numbers[0] - numbers[1]) > 2**12


@conformance("RFC6056:3.1-1", "RFC6056:3.2-1")
def test_chosen_ports(bench):
    """Ephemeral, and none twice towards one place."""
    ports = set()
    for _ in range(12):
        result, _, port = bench.app.command(
            2, remote_ip=0x0A4D0001, remote_port=40000, local_port=0
        )
        assert result == "ok" and port >= 1024
        ports.add(port)
    assert len(ports) == 12
    bench.settle()
    bench.strays.clear()
