# SPDX-License-Identifier: Apache-2.0
"""transmit_pacer: who is not paced passes at once, who is comes when its bytes have had their time,
and everybody comes once."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import start

CLOCKS_PER_US = 100
LATE_US = 2  # the scan, and those of the same microsecond


def pace(valid: int, slow_start: int = 0, srtt: int = 0, cwnd: int = 1) -> int:
    return valid << 49 | slow_start << 48 | srtt << 24 | cwnd


@cocotb.test()
@cocotb.parametrize(share=[0.0, 0.3, 0.9])
async def everybody_comes_once(dut, share):
    """Pushes in `share` of the clocks, half of them paced."""
    await start(dut, push_valid=0, push_id=0, push_pace=0, push_length=0, now_us=0)
    connections = parameter("Connections")
    inside: dict[int, tuple[int, float, float]] = {}
    free, passed, timed = list(range(connections)), 0, []
    while not dut.init_done_o.value:
        await RisingEdge(dut.clk)
    for clock in range(60_000):
        now = clock // CLOCKS_PER_US
        dut.now_us.value = now
        pushing = bool(free) and clock < 50_000 and random.random() < (share or 0.001)
        paced = pushing and random.random() < 0.5
        identity = free.pop(random.randrange(len(free))) if pushing else 0
        dut.push_valid.value, dut.push_id.value = pushing, identity
        dut.push_pace.value, dut.push_length.value = random.getrandbits(49), random.getrandbits(14)
        if pushing:
            inside[identity] = now, 0, 0
        if paced:
            srtt, cwnd = random.randint(1, 200), random.randint(5000, 30_000)
            length, slow_start = random.randint(1, 1460), random.getrandbits(1)
            low, high = (1 / 2.26, 1 / 1.77) if slow_start else (1 / 1.35, 1 / 1.05)
            exact = srtt * length / cwnd
            inside[identity] = now, exact * low, exact * high
            dut.push_pace.value, dut.push_length.value = pace(1, slow_start, srtt, cwnd), length
        await RisingEdge(dut.clk)
        if pushing and not paced:
            assert dut.m_valid.value and dut.m_id.value == identity, "does not pass at once"
            passed += 1
        if dut.m_valid.value:
            out = int(dut.m_id.value)
            begun, low, high = inside.pop(out)  # KeyError: it was not inside
            assert int(low) * 7 / 8 - 1 <= now - begun <= high + 1 + LATE_US, (
                now - begun,
                low,
                high,
            )
            if high:
                timed.append(now - begun)
            free.append(out)
    assert not inside and passed > 10 and len(timed) > 10 and max(timed) > 5


@pytest.mark.parametrize("connections", [4, 64])
def test_transmit_pacer(connections):
    simulate(
        top="transmit_pacer", test_module=__file__, core="engine",
        parameters={"Connections": connections},
    )  # fmt: skip
