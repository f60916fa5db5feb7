# SPDX-License-Identifier: Apache-2.0
"""Throughput with connections whose state is in DRAM, as a share of that with all of it on chip.

hot    a sixteenth of the connections that fit on chip, in turn
cold   8192 bytes each: several times as many as fit on chip, in turn, so that each turn finds its
       connection gone; 1460 bytes each: all that there are, in random order
rx     clients send to the engine's discard; share is of what a line of 10 or 100 Gbit/s carries
tx     an application beside the engine sends to the client whose turn it is
echo   clients send and get back what they sent
"""

from _load import (
    PERIODS_PS,
    check,
    connections,
    exchange,
    loaded_engine,
    open_all,
    payload_channels,
    share_of_line,
)

from toehold.load import ECHO, PUSH, ROUND_ROBIN, SEND, UNIFORM

PRESETS = ("scale",)
COLUMNS = (
    *("width_bits", "memory", "payload_bytes", "connections"),
    *("rx_ratio", "tx_ratio", "echo_ratio", "rx_share", "tx_share"),
)
WIDTHS = (64, 512)
MEMORIES = ("ddr4-2400", "ddr3-1600", "hbm")
CACHED = 4096  # connections on chip, in the preset
HOT = CACHED // 16
IN_TURN = 4 * CACHED
# By payload: the clients' MSS, the choice of the next one, turns under way, turns measured.
SCENES = {8192: (1024, ROUND_ROBIN, 8, 1_500), 1460: (1460, UNIFORM, 64, 8_000)}
QUICK_TURNS = {8192: 200, 1460: 800}
KINDS = {"rx": SEND, "tx": PUSH, "echo": ECHO}


def measure(request):
    rows, summary = [], {}
    limit = connections(request.preset) * 15 // 16
    for width in request.widths:
        for memory in MEMORIES[:1] if request.quick else MEMORIES:
            for payload, (mss, choice, at_once, turns) in SCENES.items():
                count = IN_TURN if payload == 8192 else limit
                if request.quick:
                    count, turns = 2 * CACHED, QUICK_TURNS[payload]
                row = {"width_bits": width, "memory": memory, "payload_bytes": payload}
                row["payload_channels"] = payload_channels(memory, width)
                row["connections"] = count
                for name, kind in KINDS.items():
                    request.tell(f"{memory}, {payload} bytes, {name}")
                    task = {"turns": turns, "payload": payload, "at_once": at_once}
                    row |= measure_kind(request.preset, row, name, kind, mss, task, choice)
                rows.append(row)
                if memory == MEMORIES[0]:
                    suffix = f"{payload}" if width == 64 else f"{payload}_w{width}"
                    summary |= {f"{name}_ratio_{suffix}": row[f"{name}_ratio"] for name in KINDS}
    return rows, summary


def measure_kind(preset, scene, name, kind, mss, task, choice) -> dict:
    """Columns of one kind of traffic: turns of as few connections as stay on chip, and of all.

    scene  what the row says already
    """
    row = {}
    width, memory = scene["width_bits"], scene["memory"]
    with loaded_engine(preset, width, scene["connections"], memory, mss=mss) as (engine, load):
        open_all(load, kind=kind)
        # What came again, and why: SYNs that the index was too busy for, or something else.
        row[f"{name}_opens_refused"] = engine.read("counters_index_refused")
        row[f"{name}_opens_again"] = check(load, but="retransmissions")["retransmissions"]
        hot = exchange(load, **task | {"turns": task["turns"] // 2}, count=HOT)
        before, clock = engine.memory_counters("state"), engine.clocks
        misses = engine.read("counters_state_misses")
        cold = exchange(load, **task, choice=choice)
        after, clocks = engine.memory_counters("state"), engine.clocks - clock
        misses = engine.read("counters_state_misses") - misses
        row[f"{name}_retransmissions"] = check(load, but="retransmissions")["retransmissions"]
    activates = after["activates"] - before["activates"]
    row[f"{name}_hot_clocks"] = round(hot, 2)
    row[f"{name}_cold_clocks"] = round(cold, 2)
    row[f"{name}_ratio"] = round(hot / cold, 4)
    row[f"{name}_share"] = round(share_of_line(cold, scene["payload_bytes"], mss, width), 4)
    row[f"{name}_misses_a_turn"] = round(misses / task["turns"], 3)
    microseconds = clocks * PERIODS_PS[width] / 1e6
    row[f"{name}_activates_m_per_s"] = round(activates / microseconds, 2)
    # tFAW lets four activates into each window.
    row["activates_bound_m_per_s"] = round(4e6 / max(1, after["four_activates_ps"]), 1)
    return row
