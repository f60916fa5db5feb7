# SPDX-License-Identifier: Apache-2.0
"""What clients and the applications get through a full line, in, out and both ways at once."""

from dataclasses import replace

from _line import engine, payload_limit
from _load import check

from toehold.load import ECHO, EXCHANGE, OPEN, RECEIVE, SEND, Load, Task

COLUMNS = (
    *("width_bits", "connections", "payload_bytes", "direction"),
    *("bytes_per_clock", "limit_bytes_per_clock", "share"),
)
# Until everything is under way, and for how long it is measured.
WARM_UP_CLOCKS, CLOCKS = 50_000, 200_000
QUICK_WARM_UP_CLOCKS, QUICK_CLOCKS = 30_000, 60_000
LEAST_MSS = 64  # that clients tell: who sends to them has no reason for shorter segments
FOREVER = 1 << 40  # turns
TURNS_AT_ONCE = 64  # of each client that sends: more than a window holds
# What each client is ready to take: more than comes, so that its window is as open as can be. One
# that it let close would end with an odd segment, and wait for the delayed acknowledgement of that.
WANTED_BYTES = 1 << 30


def directions(preset: str, width: int, count: int, payload: int, quick: bool) -> list[dict]:
    """A row for each direction and one for both at once, on a full line of such segments; shorter
    ones than any client asks for come in only."""
    limit = payload_limit(payload, width)
    rows = []
    for direction in ("in", "out", "both") if payload >= LEAST_MSS else ("in",):
        ways = 2 if direction == "both" else 1
        with engine(preset, width) as simulation:
            got = rate(simulation, direction, count, payload, quick)
        rows.append(
            {
                "width_bits": width,
                "connections": count,
                "payload_bytes": payload,
                "direction": direction,
                "bytes_per_clock": got,
                "limit_bytes_per_clock": limit * ways,
                "share": got / (limit * ways),
            }
        )
    return rows


def rate(simulation, direction: str, count: int, payload: int, quick: bool) -> float:
    """Bytes of payload in a clock, while everything is under way."""
    kind = {"in": SEND, "out": RECEIVE, "both": ECHO}[direction]
    turns = Task(EXCHANGE, turns=FOREVER, at_once=max(TURNS_AT_ONCE * count, 64), bytes=payload)
    if direction == "out":
        turns = replace(turns, at_once=count, bytes=WANTED_BYTES)
    with Load(simulation, clients=count, mss=max(payload, LEAST_MSS)) as load:
        load.run(Task(OPEN, kind=kind, at_once=min(count, 16)))
        load.start(turns)
        load.finish(QUICK_WARM_UP_CLOCKS if quick else WARM_UP_CLOCKS)
        before, begin = load.counters(), simulation.clocks
        load.finish(QUICK_CLOCKS if quick else CLOCKS)
        after, clocks = check(load), simulation.clocks - begin
    return sum(after[name] - before[name] for name in ("bytes_sent", "bytes_received")) / clocks
