# SPDX-License-Identifier: Apache-2.0
"""statistics_collector: totals of the HTTP page; its drops are those of every cause."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import simulate
from support.streams import clocks, start
from toehold.register_generator import counter_names, elaborate

# app_statistics_t, first field first.
FIELDS = (
    "uptime_us", "frames_in", "bytes_in", "frames_out", "bytes_out", "segments_in", "segments_out",
    "retransmissions", "connections", "accepted", "resets", "drops",
)  # fmt: skip
SHOWN = {
    "frames_in": "rx_frames", "bytes_in": "rx_bytes", "frames_out": "tx_frames",
    "bytes_out": "tx_bytes", "segments_in": "tcp_segments_in", "segments_out": "tcp_segments_out",
    "retransmissions": "tcp_retransmitted_segments", "accepted": "tcp_accepted",
    "resets": "tcp_resets_in",
}  # fmt: skip


def statistics(dut) -> dict[str, int]:
    packed = int(dut.statistics_o.value)
    low = 32 * (len(FIELDS) - 1)
    return {name: packed >> (low - 32 * i) & 0xFFFF_FFFF for i, name in enumerate(FIELDS)}


@cocotb.test()
async def every_cause_of_a_drop_counts(dut):
    names = counter_names(elaborate())
    await start(dut, now_us=0, visit_valid_i=0, visit_index_i=0, visit_total_i=0, gauges_i=0)
    for _ in range(3):
        totals = {name: random.getrandbits(20) for name in names}
        for name in [*names, names[0]]:
            dut.visit_index_i.value = names.index(name)
            dut.visit_total_i.value = totals[name]
            dut.visit_valid_i.value = 1
            await RisingEdge(dut.clk)
            dut.visit_valid_i.value = 0
            await clocks(dut, random.randrange(3))
        dut.now_us.value = now = random.getrandbits(32)
        await clocks(dut, 2)
        shown = statistics(dut)
        assert shown["uptime_us"] == now and shown["connections"] == 0
        assert {name: shown[name] for name in SHOWN} == {n: totals[c] for n, c in SHOWN.items()}
        drops = [total for name, total in totals.items() if name.startswith("drop_")]
        assert len(drops) > 25 and shown["drops"] == sum(drops)


def test_statistics_collector():
    simulate(top="statistics_collector", test_module=__file__, core="systems")
