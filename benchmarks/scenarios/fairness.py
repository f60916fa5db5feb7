# SPDX-License-Identifier: Apache-2.0
"""Jain's index over what each of many connections got of a full line.

All connections that the preset has room for, of `scale` 1,024, receive from the source application,
or send to the discard application, as fast as the line and the engine let them, segments of 256
bytes. And half of them receive segments of 1,460 bytes, the other half of 536: each is to get as
many bytes, not as many segments.
"""

from _line import engine

from toehold.load import EXCHANGE, OPEN, RECEIVE, SEND, Load, Task, jain

PRESETS = ("datacenter", "scale")
CHECKED = True

CONNECTIONS = {"datacenter": 240, "scale": 1024}  # a sixteenth of the ids stays free
PAYLOAD = 256
# What the rows are called, what clients are, and the segments of half of them and of the others.
ROWS = (
    ("in", SEND, PAYLOAD, PAYLOAD),
    ("out", RECEIVE, PAYLOAD, PAYLOAD),
    ("mixed", RECEIVE, 1460, 536),
)
FOREVER = 1 << 40
REQUEST_BYTES = 1 << 20
TURNS_AT_ONCE = 64  # of each client that sends
WARM_UP_CLOCKS = 100_000
SEGMENTS, QUICK_SEGMENTS = 1_000_000, 10_000


def measure(request):
    rows, summary = [], {}
    segments = QUICK_SEGMENTS if request.quick else SEGMENTS
    for width in request.widths:
        for name, *load in ROWS:
            request.tell(f"{width} bits, {name}")
            row = _row(request.preset, width, *load, segments)
            rows.append({"width_bits": width, "load": name, **row})
            summary[f"jain_index_{name}_w{width}"] = rows[-1]["jain_index"]
    return rows, summary


def _row(preset: str, width: int, kind: int, mss: int, odd_mss: int, segments: int) -> dict:
    count = CONNECTIONS[preset]
    turns = Task(EXCHANGE, turns=FOREVER, at_once=TURNS_AT_ONCE * count, bytes=mss)
    if kind == RECEIVE:
        turns = Task(EXCHANGE, turns=FOREVER, at_once=count, bytes=REQUEST_BYTES)
    wanted = segments * (mss + odd_mss) // 2
    with (
        engine(preset, width) as simulation,
        Load(simulation, clients=count, mss=mss, odd_mss=odd_mss) as load,
    ):
        load.run(Task(OPEN, kind=kind, at_once=16))
        load.start(turns)
        load.finish(WARM_UP_CLOCKS)
        before, begin = load.service(0, count), simulation.clocks
        served = [0] * count
        while sum(served) < wanted:
            load.finish(WARM_UP_CLOCKS)
            served = [b - a for a, b in zip(before, load.service(0, count), strict=True)]
        clocks = simulation.clocks - begin
    return {
        "connections": count,
        "mss": mss,
        "other_mss": odd_mss,
        "bytes": sum(served),
        "least_bytes": min(served),
        "most_bytes": max(served),
        "bytes_per_clock": sum(served) / clocks,
        "jain_index": jain(served),
    }
