# SPDX-License-Identifier: Apache-2.0
"""arp_receive: what is learnt, who is answered, what is counted, against the model."""

import random
from collections import Counter
from ipaddress import IPv4Address

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.ip_host import IpHost
from support.simulate import simulate
from support.streams import PATTERNS, Packet, PacketSource, StreamSink, clocks, start

COUNTERS = ["arp_requests_in", "arp_replies_in", "drop_arp_malformed", "drop_arp_not_for_us"]
HOSTS = [IpHost(), IpHost(mask=IPv4Address("255.255.255.254")), IpHost(mask=IPv4Address(0))]


def some_packet(host: IpHost) -> bytes:
    packet = bytearray(b"\x00\x01\x08\x00\x06\x04\x00")
    packet += bytes([random.choice([1, 1, 1, 2, 2, 0, 3])])
    macs = [random.randbytes(6), b"\x02" + random.randbytes(5), bytes(6), b"\xff" * 6]
    packet += random.choices(macs, [1, 4, 1, 1])[0]
    addresses = [random.randbytes(4), host.ip.packed, bytes(4), b"\xff" * 4,
                 host.ip.packed[:3] + bytes([random.getrandbits(8)]), host.ip.packed[:3] + b"\xff",
                 (int(host.ip) ^ 1).to_bytes(4)]  # fmt: skip
    packet += random.choice(addresses) + random.randbytes(6)
    packet += random.choice([host.ip.packed, host.ip.packed, random.choice(addresses)])
    if random.random() < 0.1:
        packet[random.randrange(28)] ^= 1 << random.randrange(8)
    return bytes(packet)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS), host=[0, 1, 2])
async def agrees_with_the_model(dut, idle, backpressure, host):
    host = HOSTS[host]
    source = PacketSource(dut, pause=idle)
    learn = StreamSink(dut, "m_learn", fields={"learn": "m_learn"}, pause=backpressure)
    reply = StreamSink(dut, "m_reply", fields={"reply": "m_reply"}, pause=backpressure)
    counts, expected = Counter(), Counter()

    async def count():
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst.value:
                for name in COUNTERS:
                    counts[name] += int(getattr(dut, f"count_{name}_o").value)

    cocotb.start_soon(count())
    await start(dut, ip_i=int(host.ip), netmask_i=int(host.mask))
    learnt, answered = [], []
    for _ in range(30):
        packet, error = some_packet(host), random.random() < 0.1
        length = random.choice([46, 46, 28, random.randint(1, 27), random.randint(28, 200)])
        source.send(Packet(packet.ljust(length, b"\xee")[:length], error=error))
        if error:
            continue
        if length < 28:
            expected["drop_arp_malformed"] += 1
            continue
        fate = host._arp(packet)
        expected[fate.counter] += 1
        if fate.learn:
            ip, mac, insert = fate.learn
            learnt.append(int.from_bytes(ip) << 49 | int.from_bytes(mac) << 1 | insert)
        if fate.arp_reply:
            answered.append(int.from_bytes(packet[14:18] + packet[8:14]))
    await source.drained()
    await learn.wait(len(learnt))
    await reply.wait(len(answered))
    await clocks(dut, 10)
    assert [transfer["learn"] for transfer in learn.transfers] == learnt
    assert [transfer["reply"] for transfer in reply.transfers] == answered
    assert +counts == +expected


@pytest.mark.parametrize("width", [64, 512])
def test_arp_receive(width):
    simulate(
        top="arp_receive",
        test_module=__file__,
        parameters={"DataWidth": width},
        # The packages hold more constants than one block uses.
    )
