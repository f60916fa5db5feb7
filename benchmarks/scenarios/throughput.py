# SPDX-License-Identifier: Apache-2.0
"""Payload bytes a clock beside what the line carries: in, out and both ways at once.

Emulated clients send to the discard application (in), receive from the source application (out), or
do both with the echo application, over a line with preamble, FCS and gap: 10 Gbit/s at 64 bits and
156.25 MHz, 100 Gbit/s at 512 bits and 250 MHz. They acknowledge every second segment, with data
where they have some, and take and send whatever the windows allow.
"""

from dataclasses import replace

from _line import engine, payload_limit
from _load import check
from matplotlib.figure import Figure

from toehold.load import ECHO, EXCHANGE, OPEN, RECEIVE, SEND, Load, Task

PRESETS = ("datacenter",)
CHECKED = True
WIDTHS = (64, 512)
COLUMNS = (
    *("width_bits", "connections", "payload_bytes", "direction"),
    *("bytes_per_clock", "limit_bytes_per_clock", "share"),
)
NOTES = "The share is of what a full line of such segments carries, without acknowledgements."

CONNECTIONS = (16, 128)
PAYLOADS = (64, 256, 1024, 1460)
QUICK_CONNECTIONS, QUICK_PAYLOADS = (16,), (256, 1460)
# Until everything is under way, and for how long it is measured.
WARM_UP_CLOCKS, CLOCKS = 50_000, 200_000
QUICK_WARM_UP_CLOCKS, QUICK_CLOCKS = 30_000, 60_000
FOREVER = 1 << 40  # turns
TURNS_AT_ONCE = 64  # of each client that sends: more than a window holds
REQUEST_BYTES = 1 << 20  # by which a client opens its window at a time
SUMMARY_PAYLOADS = (256, 1460)


def measure(request):
    rows, summary = [], {}
    connections = QUICK_CONNECTIONS if request.quick else CONNECTIONS
    payloads = QUICK_PAYLOADS if request.quick else PAYLOADS
    for width in request.widths:
        for count in connections:
            for payload in payloads:
                request.tell(f"{width} bits, {count} connections of {payload} bytes")
                rows += _directions(request, width, count, payload)
    for row in rows:
        if row["payload_bytes"] in SUMMARY_PAYLOADS and row["connections"] == connections[-1]:
            name = f"{row['direction']}_{row['payload_bytes']}_w{row['width_bits']}"
            summary[f"share_{name}"] = row["share"]
    return rows, summary


def _directions(request, width: int, count: int, payload: int) -> list[dict]:
    limit = payload_limit(payload, width)
    rows = []
    for direction in ("in", "out", "both"):
        ways = 2 if direction == "both" else 1
        with engine(request.preset, width) as simulation:
            rate = _rate(simulation, direction, count, payload, request.quick)
        rows.append(
            {
                "width_bits": width,
                "connections": count,
                "payload_bytes": payload,
                "direction": direction,
                "bytes_per_clock": rate,
                "limit_bytes_per_clock": limit * ways,
                "share": rate / (limit * ways),
            }
        )
    return rows


def _rate(simulation, direction: str, count: int, payload: int, quick: bool) -> float:
    """Bytes of payload in a clock, while everything is under way."""
    kind = {"in": SEND, "out": RECEIVE, "both": ECHO}[direction]
    turns = Task(EXCHANGE, turns=FOREVER, at_once=max(TURNS_AT_ONCE * count, 64), bytes=payload)
    if direction == "out":
        turns = replace(turns, at_once=count, bytes=min(REQUEST_BYTES, payload << 10))
    with Load(simulation, clients=count, mss=max(payload, 64)) as load:
        load.run(Task(OPEN, kind=kind, at_once=min(count, 16)))
        load.start(turns)
        load.finish(QUICK_WARM_UP_CLOCKS if quick else WARM_UP_CLOCKS)
        before, begin = load.counters(), simulation.clocks
        load.finish(QUICK_CLOCKS if quick else CLOCKS)
        after, clocks = check(load), simulation.clocks - begin
    return sum(after[name] - before[name] for name in ("bytes_sent", "bytes_received")) / clocks


def figures(document: dict) -> dict[str, Figure]:
    """Share of the line over the size of segments, a plot for each width."""
    found = {}
    for width in sorted({row["width_bits"] for row in document["rows"]}):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        rows = [row for row in document["rows"] if row["width_bits"] == width]
        most = max(row["connections"] for row in rows)
        for direction in ("in", "out", "both"):
            chosen = [
                row for row in rows if row["direction"] == direction and row["connections"] == most
            ]
            axes.plot(
                [row["payload_bytes"] for row in chosen],
                [row["share"] for row in chosen],
                marker="o",
                label=direction,
            )
        axes.axhline(0.98, color="grey", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("payload of a segment (bytes)")
        axes.set_ylabel("share of a full line")
        axes.set_title(f"{width} bits, {most} connections")
        axes.grid(alpha=0.3)
        axes.legend()
        found[f"throughput_{width}"] = figure
    return found
