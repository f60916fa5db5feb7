# SPDX-License-Identifier: Apache-2.0
"""toe: the way of one connection from ARP to TIME_WAIT, and what scapy thinks of every frame."""

import random

import cocotb
import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import Ether

from models.tcp_peer import ACK, FIN, SYN
from models.toe_bench import BUILD_ARGS, CLOSED, ToeBench
from support.simulate import simulate

pytestmark = pytest.mark.long


@cocotb.test()
async def one_connection(dut):
    """ARP, ping, handshake, echoed data, orderly close by both sides."""
    bench = ToeBench(dut)
    await bench.start()
    wire, app = bench.wire, bench.app
    app.echo = True
    peer = bench.peer()

    message = random.randbytes(200)
    ping = Ether(src=wire.host(peer.ip), dst=wire.engine_mac) / IP(src=peer.ip, dst=wire.engine_ip)
    bench.transmit(bytes(ping / ICMP(id=1, seq=2) / message))
    await bench.until(lambda: wire.others, 2000, "echo reply")
    reply = Ether(wire.others.popleft())
    assert reply[ICMP].type == 0 and bytes(reply[ICMP].payload) == message

    await app.listen(7)
    session = await app.accept(peer)
    assert bench.states() == {"established": 1}

    for size in (1, 8, 100, 1460):
        data = random.randbytes(size)
        peer.send(payload=data)
        await peer.expect(ACK, ack=peer.nxt)
        assert await peer.data(size) == data
    await app.received(session, 1569)

    peer.send(ACK | FIN)
    await peer.expect(ACK, ack=peer.nxt)
    await bench.until(lambda: session.peer_closed, 2000, "EventPeerClosed")
    assert bench.states() == {"close_wait": 1}
    assert await app.close(session) == 0
    last = await peer.expect(FIN | ACK, ack=peer.nxt)
    peer.take(last)
    assert bench.states() == {"last_ack": 1}
    peer.send()
    assert await app.final(session) == CLOSED
    assert bench.states() == {}
    await peer.silent()

    for frame in wire.frames:
        parsed = Ether(frame)
        if TCP in parsed:
            again = Ether(frame)
            del again[IP].chksum, again[TCP].chksum
            assert bytes(again)[:60] == frame[:60], parsed.show(dump=True)
            assert bool(parsed[TCP].options) == bool(parsed[TCP].flags & SYN)


@pytest.mark.parametrize("width", [64, 128, 256, 512])
def test_toe_first(width):
    simulate(
        top="toe", test_module=__file__, parameters={"DataWidth": width}, build_args=BUILD_ARGS
    )
