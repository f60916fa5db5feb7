# SPDX-License-Identifier: Apache-2.0
"""Sending to connections whose state is in DRAM, as a share of sending to those that are on chip.

As in the scenario cold, but the engine's source sends and clients open their windows. Rings are of
4 KiB, so that the source can have filled all of them before the first turn: 1,460 bytes each, four
times as many connections as fit on chip, in turn, so that each turn finds its connection gone.
"""

from _load import connections
from cold import CACHED, IN_TURN, MEMORIES, measure_kind

from toehold.load import RECEIVE, ROUND_ROBIN

PRESETS = ("million",)
WIDTHS = (64,)
PAYLOAD = 1460
TASK = {"turns": 8000, "payload": PAYLOAD, "at_once": 64}
QUICK_TURNS = 800
LOOK_CLOCKS = 200_000


def measure(request):
    rows, summary = [], {}
    count = min(2 * CACHED if request.quick else IN_TURN, connections(request.preset) * 15 // 16)
    for width in request.widths:
        for memory in MEMORIES[:1]:
            row = {"width_bits": width, "memory": memory, "payload_bytes": PAYLOAD}
            row["connections"] = count
            request.tell(f"{memory}, {PAYLOAD} bytes, tx")
            task = TASK | ({"turns": QUICK_TURNS} if request.quick else {})
            row |= measure_kind(
                request.preset, row, "tx", RECEIVE, PAYLOAD, task, ROUND_ROBIN, fill=_fill
            )
            rows.append(row)
        summary["tx_ratio_1460"] = rows[0]["tx_ratio"]
    return rows, summary


def _fill(engine) -> None:
    """Until the source has no room left in any ring."""
    written = -1
    while written != (now := engine.memory_counters("payload")["bytes_written"]):
        written = now
        engine.advance(LOOK_CLOCKS)
