# SPDX-License-Identifier: Apache-2.0
"""Payload bytes a clock beside what the line carries: in, out and both ways at once.

Emulated clients send to the discard application (in), receive from the source application (out), or
do both with the echo application, over a line with preamble, FCS and gap: 10 Gbit/s at 64 bits and
156.25 MHz, 100 Gbit/s at 512 bits and 250 MHz. They acknowledge every second segment, with data
where they have some, and take and send whatever the windows allow.
"""

from _throughput import COLUMNS as MEASURED
from _throughput import directions
from matplotlib.figure import Figure

PRESETS = ("datacenter",)
CHECKED = True
WIDTHS = (64, 512)
COLUMNS = ("preset", *MEASURED)
NOTES = "The share is of what a full line of such segments carries, without acknowledgements."

CONNECTIONS = (1, 16, 128, 1024)
OF_PRESET = {1: "bulk", 1024: "low-latency"}  # the others of the one that is asked for
PAYLOADS = (1, 64, 256, 1024, 1460)
QUICK_CONNECTIONS, QUICK_PAYLOADS = (16,), (256, 1460)
SUMMARY_PAYLOADS = (256, 1460)


def measure(request):
    rows, summary = [], {}
    connections = QUICK_CONNECTIONS if request.quick else CONNECTIONS
    payloads = QUICK_PAYLOADS if request.quick else PAYLOADS
    for width in request.widths:
        for count in connections:
            for payload in payloads:
                request.tell(f"{width} bits, {count} connections of {payload} bytes")
                preset = OF_PRESET.get(count, request.preset)
                measured = directions(preset, width, count, payload, request.quick)
                rows += [{"preset": preset, **row} for row in measured]
    for row in rows:
        if row["payload_bytes"] in SUMMARY_PAYLOADS and row["connections"] == connections[-1]:
            name = f"{row['direction']}_{row['payload_bytes']}_w{row['width_bits']}"
            summary[f"share_{name}"] = row["share"]
    return rows, summary


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
