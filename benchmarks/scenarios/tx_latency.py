# SPDX-License-Identifier: Apache-2.0
"""Latency of a message that is sent through an idle engine, by its length.

last to first   last beat of the application's message in to first beat of its frame out
first to first  first beat of the message to the same
"""

import statistics

from _peer import Peer, accepted_session, listen, simulation
from matplotlib.figure import Figure

PRESETS = ("low-latency", "datacenter", "small")
WIDTHS = (64, 512)
PAYLOADS = (1, 8, 16, 64, 256, 512, 1024, 1460)
PORT = 4000
NOTES = "A frame holds its checksum before its payload, so it leaves when the message has come."


def measure(request):
    rows, summary = [], {}
    repeats = 5 if request.quick else 20
    for width in request.widths:
        everything = []
        with simulation(request.preset, width) as engine:
            listen(engine, PORT)
            peer = Peer(engine, PORT)
            session = accepted_session(engine)
            for payload in PAYLOADS:
                request.tell(f"{width} bits, {payload} bytes")
                samples = [_one(engine, peer, session, payload) for _ in range(repeats)]
                last, first = (list(column) for column in zip(*samples, strict=True))
                everything += last
                rows.append(
                    {
                        "width_bits": width,
                        "payload_bytes": payload,
                        "last_to_first_clocks": statistics.median(last),
                        "first_to_first_clocks": statistics.median(first),
                        "spread_clocks": max(last) - min(last),
                        "maximum_clocks": max(last),
                    }
                )
        summary[f"last_to_first_clocks_{width}"] = max(everything)
        summary[f"spread_clocks_{width}"] = max(everything) - min(everything)
    return rows, summary


def _one(engine, peer, session, payload: int) -> tuple[int, int]:
    data = bytes(i & 0xFF for i in range(payload))
    engine.send(session, data)
    sent = peer.wait()
    if sent.payload != data:
        raise RuntimeError(f"{payload} bytes were sent wrong.")
    first_in, last_in = engine.last_message_sent()
    peer.ack += payload
    peer.put(0x10)
    engine.advance(1000)
    engine.take_events()
    peer.segments()
    return sent.first_clock - last_in, sent.first_clock - first_in


def figures(document: dict) -> dict[str, Figure]:
    """Clocks from the last beat of a message to its frame, over its length."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    for width in sorted({row["width_bits"] for row in document["rows"]}):
        rows = [row for row in document["rows"] if row["width_bits"] == width]
        axes.plot(
            [row["payload_bytes"] for row in rows],
            [row["last_to_first_clocks"] for row in rows],
            marker="o",
            label=f"{width} bits",
        )
    axes.axhline(12, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("payload (bytes)")
    axes.set_ylabel("last beat in to first beat out (clocks)")
    axes.grid(alpha=0.3)
    axes.legend()
    return {"tx_latency": figure}
