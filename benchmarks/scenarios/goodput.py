# SPDX-License-Identifier: Apache-2.0
"""Goodput of the echo application with 800 clients, over the size of their messages.

Each client has one message under way: it sends a segment, and the next one when the first has come
back. The line is full of segments of that size both ways when the share is 1; acknowledgements go
with data, or take their part of it.
"""

from _line import engine, payload_limit
from _load import check, exchange, open_all
from matplotlib.figure import Figure

from toehold.load import ECHO, Load

PRESETS = ("low-latency",)
WIDTHS = (64, 512)
NOTES = "The share is of what a full line of such segments carries, without acknowledgements."

CLIENTS, QUICK_CLIENTS = 800, 100
PAYLOADS, QUICK_PAYLOADS = (64, 128, 256, 512, 1024, 1460), (64, 256, 1460)
ROUNDS = 4  # messages of each client
SUMMARY_PAYLOADS = (64, 256, 1460)


def measure(request):
    clients = QUICK_CLIENTS if request.quick else CLIENTS
    rows, summary = [], {}
    for width in request.widths:
        for payload in QUICK_PAYLOADS if request.quick else PAYLOADS:
            request.tell(f"{width} bits, {payload} bytes")
            clocks = _clocks(request.preset, width, clients, payload)
            limit = payload_limit(payload, width)
            row = {
                "width_bits": width,
                "clients": clients,
                "payload_bytes": payload,
                "clocks_per_message": clocks,
                "bytes_per_clock": payload / clocks,
                "limit_bytes_per_clock": limit,
                "share": payload / clocks / limit,
            }
            rows.append(row)
            if payload in SUMMARY_PAYLOADS:
                name = f"share_of_limit_{payload}b"
                summary[name if width == 64 else f"{name}_w{width}"] = row["share"]
    return rows, summary


def _clocks(preset: str, width: int, clients: int, payload: int) -> float:
    """Clocks to a message, while all clients have one under way."""
    with (
        engine(preset, width) as simulation,
        Load(simulation, clients=clients, mss=payload) as load,
    ):
        open_all(load, kind=ECHO)
        clocks = exchange(load, ROUNDS * clients, payload, at_once=clients)
        check(load)
    return clocks


def figures(document: dict) -> dict[str, Figure]:
    """Bytes a clock over the size of messages, and what the line carries, a plot for each width."""
    found = {}
    for width in sorted({row["width_bits"] for row in document["rows"]}):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        rows = [row for row in document["rows"] if row["width_bits"] == width]
        sizes = [row["payload_bytes"] for row in rows]
        axes.plot(
            sizes,
            [row["limit_bytes_per_clock"] for row in rows],
            color="grey",
            linestyle="--",
            label="what the line carries",
        )
        axes.plot(sizes, [row["bytes_per_clock"] for row in rows], marker="o", label="echoed")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("payload of a message (bytes)")
        axes.set_ylabel("payload bytes a clock")
        axes.set_title(f"{width} bits, {rows[0]['clients']} clients")
        axes.grid(alpha=0.3)
        axes.legend()
        found[f"goodput_{width}"] = figure
    return found
