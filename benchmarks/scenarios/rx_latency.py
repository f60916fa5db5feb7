# SPDX-License-Identifier: Apache-2.0
"""Latency of received payload over many sessions and all lengths: constant means constant.

From the first beat of the frame in to the first beat of its payload at the application, which
answers each question in the clock after it.

direct  straight to the application, while the frame comes in
ring    the application has no room when it is asked first, and is asked again when the segment is
        in the connection's ring on chip
dram    of an engine that has its rings in DRAM and no straight way; the application has room

The model is that of _delay_model.py, which knows the shortest and the longest segments alone.
"""

import random
import statistics

from _delay_model import fit
from _frames import Sender, answers, introduce
from _line import HEADER_BYTES
from _peer import listen, receive, simulation
from matplotlib.figure import Figure

PRESETS = ("low-latency",)
WIDTHS = (64, 512)
COLUMNS = (
    *("width_bits", "path", "payload_bytes", "segments", "minimum_clocks", "median_clocks"),
    *("p999_clocks", "maximum_clocks", "header_to_payload_clocks", "median_ns", "model_clocks"),
)
PAYLOADS = (1, 8, 16, 64, 256, 512, 1024, 1460)
DATA = bytes(i & 0xFF for i in range(max(PAYLOADS)))
PORT = 4000
SESSIONS, QUICK_SESSIONS = 1024, 16
SEGMENTS, QUICK_SEGMENTS = 100_000, 400
FEWER = 10  # of the other paths: a share of the segments
RING_SESSIONS = 16
DRAM_PRESET = "cached"
PERIODS_NS = {64: 6.4, 128: 6.4, 256: 4.0, 512: 4.0}  # 156.25 and 250 MHz
STEP_CLOCKS = 20
WAIT_CLOCKS, MOST_WAITS = 100_000, 100  # for a window; a delayed acknowledgement comes in 40 ms
SETTLE_CLOCKS = {"direct": 60, "ring": 300, "dram": 300}  # until the engine rests again
# At 64 and 1024 bytes: straight through a FIFO, stored in block RAM first, stored in DDR3 first.
PUBLISHED_NS = {
    "published: double queue": ((64, 600), (1024, 600)),
    "published: block RAM": ((64, 700), (1024, 1344)),
    "published: DDR3": ((64, 1300), (1024, 1750)),
}


def measure(request):
    rows, summary = [], {}
    sessions = QUICK_SESSIONS if request.quick else SESSIONS
    segments = QUICK_SEGMENTS if request.quick else SEGMENTS
    for width in request.widths:
        paths = {
            "direct": _path(request, "direct", request.preset, width, sessions, segments),
            "ring": _path(request, "ring", request.preset, width, RING_SESSIONS, segments // FEWER),
            "dram": _path(request, "dram", DRAM_PRESET, width, RING_SESSIONS, segments // FEWER),
        }
        rows += _rows(width, paths)
        everything = [clock for clocks in paths["direct"].values() for clock in clocks]
        header_beat = (HEADER_BYTES - 1) // (width // 8)
        summary[f"head_to_head_clocks_{width}"] = max(everything)
        summary[f"header_to_payload_clocks_{width}"] = max(everything) - header_beat
        summary[f"spread_clocks_{width}"] = max(everything) - min(everything)
        summary[f"model_off_by_clocks_{width}"] = max(
            abs(row["model_clocks"] - row["median_clocks"])
            for row in rows
            if row["width_bits"] == width and row["path"] != "dram"  # which has a time of its own
        )
    return rows, summary


def _path(request, path: str, preset: str, width: int, sessions: int, segments: int) -> dict:
    """Clocks of so many segments, by their payload."""
    generator = random.Random(1)
    refuse = 0

    def grant(_: int, length: int) -> int:
        nonlocal refuse
        refuse -= 1
        return 0 if refuse == 0 else length

    samples = {payload: [] for payload in PAYLOADS}
    with simulation(preset, width) as engine:
        listen(engine, PORT)
        introduce(engine)
        senders = [Sender(engine, PORT, 10000 + number) for number in range(sessions)]
        engine.take_events()
        engine.set_grant(grant)
        for number in range(max(segments, len(PAYLOADS))):
            if number % 1000 == 0:
                request.tell(f"{width} bits, {path}, {number} of {segments} segments")
            payload = PAYLOADS[number % len(PAYLOADS)]
            refuse = 1 if path == "ring" else 0
            sender = _with_room(engine, generator.choice(senders), senders, payload)
            samples[payload].append(_one(engine, sender, payload))
            engine.advance(SETTLE_CLOCKS[path])
    return samples


def _with_room(engine, sender: Sender, senders: list[Sender], payload: int) -> Sender:
    """This one, or another. What lies beyond the window is cut, and a ring of 2 KiB has room for
    less than a segment until a window update is worth it."""
    by_ports = {each.ports: each for each in senders}
    for _ in range(MOST_WAITS):
        for answer in answers(engine):
            by_ports[answer.ports].hear(answer)
        for each in (sender, *senders):
            if each.room() >= payload:
                return each
        engine.advance(WAIT_CLOCKS)
    raise RuntimeError(f"No window of {len(senders)} has room for {payload} bytes.")


def _one(engine, sender: Sender, payload: int) -> int:
    data = DATA[:payload]
    engine.put_frame(sender.data(data))
    got = receive(engine, step_clocks=STEP_CLOCKS)
    if got.data != data:
        raise RuntimeError(f"{payload} bytes came out wrong.")
    first, _ = engine.last_frame_put()
    return got.first_clock - first


def _rows(width: int, paths: dict[str, dict]) -> list[dict]:
    medians = {
        path: {payload: statistics.median(clocks) for payload, clocks in samples.items()}
        for path, samples in paths.items()
    }
    straight = medians["direct"][PAYLOADS[0]]
    models = {path: fit(width, straight, medians[path]) for path in paths}
    header_beat = (HEADER_BYTES - 1) // (width // 8)
    rows = []
    for path, samples in paths.items():
        for payload, clocks in samples.items():
            ordered = sorted(clocks)
            median = medians[path][payload]
            model = models[path]
            expected = model.straight() if path == "direct" else model.stored(payload)
            rows.append(
                {
                    "width_bits": width,
                    "path": path,
                    "payload_bytes": payload,
                    "segments": len(ordered),
                    "minimum_clocks": ordered[0],
                    "median_clocks": median,
                    "p999_clocks": ordered[min(len(ordered) - 1, len(ordered) * 999 // 1000)],
                    "maximum_clocks": ordered[-1],
                    "header_to_payload_clocks": median - header_beat,
                    "median_ns": round(median * PERIODS_NS[width], 1),
                    "model_clocks": expected,
                }
            )
    return rows


def figures(document: dict) -> dict[str, Figure]:
    """Latency over the length of the payload, beside what others published."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    rows = document["rows"]
    for width in sorted({row["width_bits"] for row in rows}):
        for path in dict.fromkeys(row["path"] for row in rows):
            chosen = [row for row in rows if (row["width_bits"], row["path"]) == (width, path)]
            if chosen:
                axes.plot(
                    [row["payload_bytes"] for row in chosen],
                    [row["median_ns"] for row in chosen],
                    marker="o",
                    markersize=3,
                    label=f"{path}, {width} bits, {1000 / PERIODS_NS[width]:g} MHz",
                )
    for name, points in PUBLISHED_NS.items():
        axes.plot(*zip(*points, strict=True), linestyle="--", linewidth=0.9, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("payload of a segment (bytes)")
    axes.set_ylabel("first byte in to first byte out (ns)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return {"rx_latency": figure}
