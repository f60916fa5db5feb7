# SPDX-License-Identifier: Apache-2.0
"""Connections that are opened, used once and closed: clocks for each, and whether anything is left.

Emulated clients connect to the echo application, exchange one byte and close, many at once, again
and again. A connection is eight frames, four each way.
"""

from _line import engine

from toehold.load import CLOSE, ECHO, EXCHANGE, OPEN, Load, Task

PRESETS = ("datacenter",)
CHECKED = True
WIDTHS = (64, 512)

AT_ONCE = (1, 16, 128)
TURNS, QUICK_TURNS = 1_000_000, 2_000
MOST_CLOCKS = 400_000_000
SETTLE_CLOCKS = 100_000


def measure(request):
    rows, summary = [], {}
    for width in request.widths:
        for at_once in AT_ONCE:
            # The long run is that of many at once.
            turns = QUICK_TURNS if request.quick or at_once != AT_ONCE[-1] else TURNS
            request.tell(f"{width} bits, {turns} connections, {at_once} at once")
            rows.append(_row(request.preset, width, at_once, turns))
        summary[f"clocks_per_connection_w{width}"] = rows[-1]["clocks_per_connection"]
        summary[f"left_over_w{width}"] = rows[-1]["left_over"]
    return rows, summary


def _row(preset: str, width: int, at_once: int, turns: int) -> dict:
    with engine(preset, width) as simulation:
        # More clients than are at work: no two connections from the same port follow each other.
        with Load(simulation, clients=8 * at_once) as load:
            task = Task(OPEN | EXCHANGE | CLOSE, kind=ECHO, at_once=at_once, turns=turns, bytes=1)
            report = load.run(task, most_clocks=MOST_CLOCKS)
            counters = load.counters()
        simulation.advance(SETTLE_CLOCKS)
        left = sum(
            simulation.read(name)
            for name in simulation.register_names()
            if name.startswith("states_") and name not in ("states_closed", "states_listen")
        )
    if report.done != turns or report.failed or counters["wrong_bytes"] or counters["lost"]:
        raise RuntimeError(f"Not every connection did what it should: {counters}")
    return {
        "width_bits": width,
        "at_once": at_once,
        "connections": turns,
        "clocks_per_connection": report.clocks / report.done,
        "left_over": left,
    }
