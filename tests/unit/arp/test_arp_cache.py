# SPDX-License-Identifier: Apache-2.0
"""arp_cache: finds what it learnt and nothing else, forgets in time, whatever the order."""

import random
from ipaddress import IPv4Address

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from support.simulate import parameter, simulate
from support.streams import StreamSource, clocks, start

WAYS = 4


class Bench:
    def __init__(self, dut, idle=None):
        self.dut = dut
        self.learn_source = StreamSource(dut, "s_learn", fields={"learn": "s_learn"}, pause=idle)

    async def start(self, ageing_s=0, now_us=0):
        await start(self.dut, now_us=now_us, ageing_s_i=ageing_s, lookup_i=0, lookup_ip_i=0)

    def learn(self, ip: int, mac: int, insert: bool = True):
        self.learn_source.send(learn=ip << 49 | mac << 1 | insert)

    async def learnt(self):
        await self.learn_source.drained()
        await clocks(self.dut, 6)

    async def lookup(self, ip: int) -> int | None:
        """The MAC address, if it is known."""
        dut = self.dut
        dut.lookup_i.value, dut.lookup_ip_i.value = 1, ip
        await RisingEdge(dut.clk)
        # Whatever stands there without lookup_i must not matter.
        dut.lookup_i.value, dut.lookup_ip_i.value = 0, random.getrandbits(32)
        await clocks(dut, 2 * parameter("Registers"))
        await FallingEdge(dut.clk)
        return int(dut.mac_o.value) if dut.hit_o.value else None

    async def advance(self, seconds: int):
        now = (int(self.dut.now_us.value) + seconds * 1_000_000) % 2**32
        self.dut.now_us.value = now
        await clocks(self.dut, 4 * seconds + 8 * parameter("Entries"))


def address(text: str) -> int:
    return int(IPv4Address(text))


@cocotb.test()
@cocotb.parametrize(busy=[0.0, 0.5, 0.9])
async def finds_what_it_learnt(dut, busy):
    """While learning and looking up compete for the memory."""
    bench = Bench(dut)
    await bench.start()
    known: dict[int, int] = {}
    addresses = [address("10.0.0.0") + n for n in range(parameter("Entries"))]
    for _ in range(60):
        ip, mac, insert = random.choice(addresses), random.getrandbits(48), random.random() < 0.7
        bench.learn(ip, mac, insert)
        if insert or ip in known:
            known[ip] = mac
        while bench.learn_source.queue:
            if random.random() < busy:
                other = random.choice(addresses)
                found = await bench.lookup(other)
                if other != ip:
                    assert found == known.get(other)
            else:
                await RisingEdge(dut.clk)
        await clocks(dut, 6)
        other = random.choice(addresses)
        assert await bench.lookup(other) == known.get(other)
        assert await bench.lookup(ip) == known.get(ip)
    # Same place, other address.
    for ip in addresses:
        assert await bench.lookup(ip ^ 1 << random.randint(8, 31)) is None
        assert await bench.lookup(ip) == known.get(ip)


@cocotb.test()
async def a_full_set_takes_the_newest(dut):
    bench = Bench(dut)
    await bench.start()
    sets = parameter("Entries") // WAYS
    same = [address("10.0.0.1") + sets * n for n in range(3 * WAYS)]
    for n, ip in enumerate(same):
        bench.learn(ip, n)
        await bench.learnt()
        assert await bench.lookup(ip) == n
        known = [await bench.lookup(other) for other in same[: n + 1]]
        assert sum(mac is not None for mac in known) == min(n + 1, WAYS)
    # In turn: the last ones are there.
    assert [await bench.lookup(ip) for ip in same[-WAYS:]] == list(range(2 * WAYS, 3 * WAYS))


@cocotb.test()
async def entries_grow_old(dut):
    bench = Bench(dut)
    await bench.start(ageing_s=100, now_us=2**32 - 10_000_000)
    first, second = address("10.0.0.1"), address("10.0.0.2")
    bench.learn(first, 1)
    await bench.learnt()
    await bench.advance(70)
    bench.learn(second, 2)
    await bench.learnt()
    assert await bench.lookup(first) == 1 and not dut.refresh_o.value
    await bench.advance(7)
    assert await bench.lookup(first) == 1 and dut.refresh_o.value
    assert await bench.lookup(second) == 2 and not dut.refresh_o.value
    await bench.advance(20)
    assert await bench.lookup(first) == 1
    await bench.advance(5)
    assert await bench.lookup(first) is None
    assert await bench.lookup(second) == 2
    # Renewed, without a new entry being allowed.
    bench.learn(second, 3, insert=False)
    await bench.learnt()
    await bench.advance(72)
    assert await bench.lookup(second) == 3 and not dut.refresh_o.value
    dut.ageing_s_i.value = 0
    await bench.advance(200)
    assert await bench.lookup(second) == 3 and not dut.refresh_o.value


@cocotb.test()
async def an_entry_due_for_renewal_goes_first(dut):
    bench = Bench(dut)
    await bench.start(ageing_s=100)
    sets = parameter("Entries") // WAYS
    same = [address("10.0.0.1") + sets * n for n in range(WAYS + 1)]
    bench.learn(same[0], 0)
    bench.learn(same[1], 1)
    bench.learn(same[2], 2)
    bench.learn(same[3], 3)
    await bench.learnt()
    await bench.advance(80)
    for n in (0, 1, 3):
        bench.learn(same[n], n, insert=False)
    await bench.learnt()
    bench.learn(same[4], 4)
    await bench.learnt()
    assert [await bench.lookup(ip) for ip in same] == [0, 1, None, 3, 4]


@pytest.mark.parametrize("entries, registers", [(8, 0), (16, 0), (64, 0), (8, 1), (16, 1)])
def test_arp_cache(entries, registers):
    simulate(
        top="arp_cache",
        test_module=__file__,
        parameters={"Entries": entries, "Registers": registers},
        # The packages hold more constants than one block uses.
    )
