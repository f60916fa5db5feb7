# SPDX-License-Identifier: Apache-2.0
"""Throughput with connections whose state is in DRAM, as a share of that with all of it on chip.

hot    as many connections as a sixteenth of the cache holds, in turn
cold   connections in turn, 8192 bytes each, several times as many as the cache holds: each turn
       finds its connection gone; and all that there are, 1460 bytes each, in random order
"""

from _load import check, connections, exchange, loaded_engine, open_all

from toehold.load import RECEIVE, ROUND_ROBIN, SEND, UNIFORM

PRESETS = ("scale",)
WIDTHS = (64,)
MEMORIES = ("ddr4-2400", "ddr3-1600", "hbm")
CACHED = 4096  # connections on chip, in the preset
HOT = CACHED // 16
IN_TURN = 4 * CACHED
IN_TURN_QUICK = 2 * CACHED
MSS = 1024  # eight segments to a message of 8192 bytes
SCENES = {8192: (1024, ROUND_ROBIN, 8), 1460: (1460, UNIFORM, 64)}  # payload: MSS, choice, at once


def measure(request):
    rows, summary = [], {}
    limit = connections(request.preset) * 15 // 16
    memories = MEMORIES[:1] if request.quick else MEMORIES
    for width in request.widths:
        for memory in memories:
            for payload, (mss, choice, at_once) in SCENES.items():
                row = {"width_bits": width, "memory": memory, "payload_bytes": payload}
                wanted = IN_TURN if payload == 8192 else limit
                count = min(IN_TURN_QUICK if request.quick else wanted, limit)
                row["connections"] = count
                turns = (count if request.quick else max(count, 20_000)) // (payload // 1460)
                for name, kind in (("rx", SEND), ("tx", RECEIVE)):
                    request.tell(f"{memory}, {payload} bytes, {name}")
                    with loaded_engine(request.preset, width, count, memory, mss=mss) as (
                        engine,
                        load,
                    ):
                        open_all(load, kind=kind)
                        hot = exchange(load, turns // 4, payload, at_once, count=HOT)
                        before, clock = engine.memory_counters("state"), engine.clocks
                        cold = exchange(load, turns, payload, at_once, choice=choice)
                        after = engine.memory_counters("state")
                        nanoseconds = (engine.clocks - clock) * 6.4
                        check(load)
                    row[f"{name}_hot_clocks"] = round(hot, 2)
                    row[f"{name}_cold_clocks"] = round(cold, 2)
                    row[f"{name}_ratio"] = round(hot / cold, 4)
                    activates = after["activates"] - before["activates"]
                    row[f"{name}_activates_m_per_s"] = round(activates * 1000 / nanoseconds, 2)
                    bound = 4e6 / after["four_activates_ps"] if after["four_activates_ps"] else 0
                    row["activates_bound_m_per_s"] = round(bound, 1)
                rows.append(row)
                if memory == MEMORIES[0]:
                    summary |= {f"{n}_ratio_{payload}": row[f"{n}_ratio"] for n in ("rx", "tx")}
    return rows, summary
