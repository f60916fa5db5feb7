# SPDX-License-Identifier: Apache-2.0
"""pace_interval: within the error that it promises, right on average, and never so long that the
window could not be sent in a round trip."""

import random
from fractions import Fraction

import cocotb
from cocotb.triggers import FallingEdge

from support.simulate import simulate
from support.streams import start

LATENCY = 5
MOST_US = (1 << 15) - 1
# Of what srtt * length / cwnd is, by what the module says of its rates.
SHARES = {0: (1 / 1.35, 1 / 1.05), 1: (1 / 2.26, 1 / 1.77)}


async def waits(dut, cases: list[tuple[int, int, int, int]]) -> list[int]:
    """One each clock: what comes out for srtt, cwnd, length and slow start."""
    found = []
    for clock in range(len(cases) + LATENCY):
        valid = clock < len(cases)
        srtt, cwnd, length, slow_start = (
            cases[clock] if valid else (random.getrandbits(24),) * 2 + (random.getrandbits(16), 0)
        )
        dut.s_srtt_us.value, dut.s_cwnd.value, dut.s_length.value = srtt, cwnd, length
        dut.s_slow_start.value, dut.s_tag.value, dut.s_valid.value = slow_start, clock % 64, valid
        await FallingEdge(dut.clk)
        if clock + 1 >= LATENCY and clock + 1 - LATENCY < len(cases):
            assert dut.m_valid.value and dut.m_tag.value == (clock + 1 - LATENCY) % 64
            found.append(int(dut.m_wait_us.value))
        else:
            assert not dut.m_valid.value
    return found


def bounds(srtt: int, cwnd: int, length: int, slow_start: int) -> tuple[float, float]:
    exact = Fraction(srtt * length, cwnd)
    low, high = SHARES[slow_start]
    return float(exact * Fraction(low)), float(exact * Fraction(high))


async def begin(dut):
    await start(dut, s_valid=0, s_tag=0, s_srtt_us=0, s_cwnd=0, s_length=0, s_slow_start=0)
    await FallingEdge(dut.clk)


@cocotb.test()
async def each_is_within_its_bounds(dut):
    """Numbers of all sizes: no more than a microsecond off what the logarithms allow."""
    await begin(dut)
    cases = []
    for _ in range(20_000):
        cwnd = random.randrange(64, 1 << random.randint(7, 22))
        length = random.randrange(1, 1 << random.randint(1, 14))
        srtt = random.randrange(1 << random.randint(0, 24))
        cases.append((srtt, cwnd, length, random.getrandbits(1)))
    capped = 0
    for case, found in zip(cases, await waits(dut, cases), strict=True):
        low, high = bounds(*case)
        if found == MOST_US:
            capped += 1
            assert high + 1 >= MOST_US, (case, found)
        else:
            assert int(low) <= found <= high + 1, (case, found)
    assert 0 < capped < len(cases) / 2


@cocotb.test()
async def right_on_average(dut):
    """Waits of fractions of a microsecond, too: no train is slower than the window allows, and none
    twice as fast as it should be."""
    await begin(dut)
    for slow_start in (0, 1):
        for _ in range(12):
            case = (random.randint(20, 200), random.randint(8_000, 60_000), 1460, slow_start)
            found = await waits(dut, [case] * 4000)
            low, high = bounds(*case)
            assert 0.95 * low <= sum(found) / len(found) <= 1.03 * high, case
            assert max(found) - min(found) <= 1, case


@cocotb.test()
async def nothing_to_wait_for(dut):
    await begin(dut)
    cases = [(0, 10_000, 1000, 0), (1000, 10_000, 0, 0), (0, 10_000, 0, 1)]
    assert await waits(dut, cases) == [0, 0, 0]


def test_pace_interval():
    simulate(top="pace_interval", test_module=__file__, core="timers")
