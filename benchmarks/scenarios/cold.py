# SPDX-License-Identifier: Apache-2.0
"""Throughput with connections whose state is in DRAM, as a share of that with all of it on chip.

hot    a sixteenth of the connections that fit on chip, in turn
cold   8192 bytes each: several times as many as fit on chip, in turn, so that each turn finds its
       connection gone; 1460 bytes each: all that there are, in random order
rx     clients send to the engine's discard
echo   and get back what they sent
"""

from _load import PERIODS_PS, check, connections, exchange, loaded_engine, open_all

from toehold.load import ECHO, ROUND_ROBIN, SEND, UNIFORM

PRESETS = ("scale",)
WIDTHS = (64,)
MEMORIES = ("ddr4-2400", "ddr3-1600", "hbm")
CACHED = 4096  # connections on chip, in the preset
HOT = CACHED // 16
IN_TURN = 4 * CACHED
# By payload: the clients' MSS, the choice of the next one, turns under way, turns measured.
SCENES = {8192: (1024, ROUND_ROBIN, 8, 1_500), 1460: (1460, UNIFORM, 64, 8_000)}
QUICK_TURNS = {8192: 200, 1460: 800}
KINDS = {"rx": SEND, "echo": ECHO}
NOTES = (
    "Sending by itself is not measured: the engine's source fills every ring first,"
    " 16 GB with this many connections."
)


def measure(request):
    rows, summary = [], {}
    limit = connections(request.preset) * 15 // 16
    for width in request.widths:
        for memory in MEMORIES[:1] if request.quick else MEMORIES:
            for payload in SCENES:
                row = _measure(request, width, memory, payload, limit)
                rows.append(row)
                if memory == MEMORIES[0]:
                    summary |= {f"{name}_ratio_{payload}": row[f"{name}_ratio"] for name in KINDS}
    return rows, summary


def _measure(request, width: int, memory: str, payload: int, limit: int) -> dict:
    mss, choice, at_once, turns = SCENES[payload]
    count = IN_TURN if payload == 8192 else limit
    if request.quick:
        count, turns = 2 * CACHED, QUICK_TURNS[payload]
    row = {"width_bits": width, "memory": memory, "payload_bytes": payload, "connections": count}
    for name, kind in KINDS.items():
        request.tell(f"{memory}, {payload} bytes, {name}")
        with loaded_engine(request.preset, width, count, memory, mss=mss) as (engine, load):
            open_all(load, kind=kind)
            opened = check(load, but="retransmissions")["retransmissions"]
            row[f"{name}_opens_refused"] = engine.read("counters_index_refused")
            hot = exchange(load, turns // 2, payload, at_once, count=HOT)
            before, clock = engine.memory_counters("state"), engine.clocks
            cold = exchange(load, turns, payload, at_once, choice=choice)
            after, clocks = engine.memory_counters("state"), engine.clocks - clock
            # SYNs that the index was too busy for come again; nothing else may.
            row[f"{name}_retransmissions"] = check(load, but="retransmissions")["retransmissions"]
            again = row[f"{name}_retransmissions"] - row[f"{name}_opens_refused"]
            if again or row[f"{name}_retransmissions"] != opened:
                raise RuntimeError(f"{again} frames came again that were not refused: {row}")
        activates = after["activates"] - before["activates"]
        row[f"{name}_hot_clocks"] = round(hot, 2)
        row[f"{name}_cold_clocks"] = round(cold, 2)
        row[f"{name}_ratio"] = round(hot / cold, 4)
        microseconds = clocks * PERIODS_PS[width] / 1e6
        row[f"{name}_activates_m_per_s"] = round(activates / microseconds, 2)
    # tFAW lets four activates into each window.
    row["activates_bound_m_per_s"] = round(4e6 / max(1, after["four_activates_ps"]), 1)
    return row
