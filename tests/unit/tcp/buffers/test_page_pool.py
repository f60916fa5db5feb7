# SPDX-License-Identifier: Apache-2.0
"""page_pool: a page that is out is out once, all can be out, and one that came back goes out before
those that never were."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.line_memory import LineMemory
from support.simulate import parameter, simulate
from support.streams import start


@cocotb.test()
@cocotb.parametrize(pause=[0, 0.3, 0.8])
async def pages_go_and_come_back(dut, pause):
    await start(dut, push_valid=0, m_ready=0, s_line_valid=0, m_line_ready=0)
    memory = LineMemory(dut)
    cocotb.start_soon(memory.run())
    pages = parameter("Pages")
    out: list[int] = []
    used: set[int] = set()
    most, aim = 0, pages // 3
    long = int(2 * pages / (1 - pause))
    for clock in range(6 * long):
        if clock % long == 0:
            aim = random.choice((0, pages // 3, pages))
        back = bool(out) and len(out) > aim and bool(dut.room_o.value) and random.random() >= pause
        if back:
            dut.push_page.value = out.pop(random.randrange(len(out)))
        dut.push_valid.value = back
        take = len(out) < aim and random.random() >= pause
        dut.m_ready.value = take
        await RisingEdge(dut.clk)
        if take and dut.m_valid.value:
            page = int(dut.m_page.value)
            assert page not in out
            if page not in used:
                assert page == len(used)
                used.add(page)
            out.append(page)
            most = max(most, len(out))
    # None was touched without need, but for those that were on their way back, in lines.
    assert len(used) <= min(pages, most + 700)
    # All of them go out.
    dut.push_valid.value = 0
    for _ in range(20 * pages):
        dut.m_ready.value = len(out) < pages
        await RisingEdge(dut.clk)
        if dut.m_ready.value and dut.m_valid.value:
            out.append(int(dut.m_page.value))
        if len(out) == pages:
            break
    assert sorted(out) == list(range(pages))
    if pages > 600:
        assert memory.writes and memory.reads


@pytest.mark.parametrize("pages", [16, 2048])
def test_page_pool(pages):
    simulate(top="page_pool", core="tcp_buffers", test_module=__file__, parameters={"Pages": pages})
