# SPDX-License-Identifier: Apache-2.0
"""How long received payload takes while the application blocks now and then, and how soon that is
over.

Segments of 64 to 1024 bytes, four fifths of them below 200, come one after the other for an
application whose buffer of 4096 bytes has room for 2048 at first, and for some more at intervals.

interval  2000 bytes at intervals of 5 to 100 us, drawn anew each time, but for three times in which
          they are 85, 10 and 45 us
room      every 5 us 2000 bytes, but for a time in which it is 1500
"""

import random
from collections import deque
from itertools import accumulate

from _frames import Sender, answers, introduce
from _peer import listen, simulation
from matplotlib.figure import Figure

PRESETS = ("low-latency", "cached")
COLUMNS = (
    *("preset", "experiment", "segments", "at_once_percent", "minimum_clocks", "median_clocks"),
    *("maximum_us", "last_clocks"),
)
NOTES = (
    "From the first beat of a segment's frame in to the first byte of its payload out. When a "
    "connection's ring is full, its window is closed and segments wait at the peer, which does not "
    "count. Those that went at once took 2 clocks more than the shortest time at most."
)

PORT = 4000
PERIOD_NS = 6.4
SEGMENTS, QUICK_SEGMENTS = 1500, 200
SMALL_SHARE, SMALL, LARGE = 0.8, (64, 199), (200, 1024)
INITIAL_BYTES, MOST_BYTES = 2048, 4096
# Share of the run in which something differs, and what.
INTERVALS_US = (((0.15, 0.25), 85.0), ((0.45, 0.55), 10.0), ((0.75, 0.85), 45.0))
LESS_ROOM, LESS_ROOM_BYTES, ROOM_BYTES = (0.3, 0.6), 1500, 2000
# From one segment to the next, so that the application is a little faster in the long run, and with
# less room, or with the longest intervals, slower.
BETWEEN_US = {"interval": 7.0, "room": 0.65}
STEP_CLOCKS = 4
AT_ONCE_CLOCKS = 2  # more than the shortest time
MOST_CLOCKS = 20_000_000
PERIOD = 251  # of the bytes sent
PATTERN = bytes(range(PERIOD)) * 16


def _releases(experiment: str, duration_us: float, generator: random.Random):
    """(time, bytes) of the room that the application makes, without end."""
    now = 0.0
    while True:
        share = now / duration_us
        if experiment == "room":
            now += 5.0
            less = LESS_ROOM[0] <= share < LESS_ROOM[1]
            yield now, LESS_ROOM_BYTES if less else ROOM_BYTES
        else:
            interval = generator.uniform(5, 100)
            for (begin, end), fixed in INTERVALS_US:
                if begin <= share < end:
                    interval = fixed
            now += interval
            yield now, ROOM_BYTES


class _Application:
    """Takes what it has room for."""

    def __init__(self, releases) -> None:
        self.releases = releases
        self.next = next(releases)
        self.room = INITIAL_BYTES
        # Granted whole, not here yet. What was granted in part arrives before the next question, or
        # not at all: a segment goes straight as a whole or is offered again.
        self.granted: deque[int] = deque()

    def pass_time(self, now_us: float) -> None:
        while self.next[0] <= now_us:
            self.room = min(MOST_BYTES, self.room + self.next[1])
            self.next = next(self.releases)

    def grant(self, _: int, length: int) -> int:
        room = max(0, self.room - sum(self.granted))
        if room >= length:
            self.granted.append(length)
        return min(length, room)

    def take(self, length: int) -> None:
        self.room -= length
        if self.granted and self.granted[0] == length:
            self.granted.popleft()


def measure(request):
    presets = (request.preset,)
    if request.preset == PRESETS[0] and not request.quick:
        presets = PRESETS
    rows, summary = [], {}
    for preset in presets:
        for experiment in BETWEEN_US:
            request.tell(f"{preset}, {experiment}")
            rows.append(_run(request, preset, experiment))
    for row in rows[: len(BETWEEN_US)]:
        for figure in ("minimum_clocks", "last_clocks"):
            summary[f"{row['experiment']}_{figure}"] = row[figure]
        summary[f"{row['experiment']}_maximum_us"] = row["maximum_us"]
    return rows, summary


def _run(request, preset: str, experiment: str) -> dict:
    count = QUICK_SEGMENTS if request.quick else SEGMENTS
    generator = random.Random(7)
    sizes = [
        generator.randint(*(SMALL if generator.random() < SMALL_SHARE else LARGE))
        for _ in range(count)
    ]
    between = BETWEEN_US[experiment] * 1000 / PERIOD_NS
    width = request.widths[0]
    application = _Application(_releases(experiment, count * BETWEEN_US[experiment], generator))
    with simulation(preset, width) as engine:
        listen(engine, PORT)
        introduce(engine)
        sender = Sender(engine, PORT, 10000)
        engine.take_events()
        engine.set_grant(application.grant)
        begin = engine.clocks
        seen = engine.last_frame_put()
        sent = received = 0
        heads: list[int] = []  # clock of each frame that has been taken
        outs: list[int] = []  # of its first byte at the application
        edges = list(accumulate(sizes, initial=0))  # first byte of each segment
        while len(outs) < count:
            now = engine.clocks - begin
            application.pass_time(now * PERIOD_NS / 1000)
            if sent < count and now >= sent * between and sender.room() >= sizes[sent]:
                engine.put_frame(sender.data(_payload(edges[sent], sizes[sent])))
                sent += 1
            engine.advance(STEP_CLOCKS)
            if (last := engine.last_frame_put()) != seen:
                seen = last
                heads.append(last[0] - begin)
            while piece := engine.receive():
                if piece.data != _payload(received, len(piece.data)):
                    raise RuntimeError(f"Wrong bytes from {received} on.")
                application.take(len(piece.data))
                end = received + len(piece.data)
                while len(outs) < count and edges[len(outs)] < end:
                    beats = (edges[len(outs)] - received) // (width // 8)
                    outs.append(piece.first_clock - begin + beats)
                received = end
            for answer in answers(engine):
                sender.hear(answer)
            if now > MOST_CLOCKS:
                raise RuntimeError(f"{len(outs)} of {count} segments arrived.")
        while len(heads) < count:  # the last one's end
            engine.advance(STEP_CLOCKS)
            if (last := engine.last_frame_put()) != seen:
                heads.append(last[0] - begin)
    clocks = [out - head for head, out in zip(heads, outs, strict=True)]
    shortest = min(clocks)
    at_once = sum(clock <= shortest + AT_ONCE_CLOCKS for clock in clocks)
    return {
        "preset": preset,
        "width_bits": width,
        "experiment": experiment,
        "segments": count,
        "at_once_percent": 100 * at_once / count,
        "minimum_clocks": shortest,
        "median_clocks": sorted(clocks)[count // 2],
        "maximum_us": max(clocks) * PERIOD_NS / 1000,
        "last_clocks": clocks[-1],
        "arrival_us": [round(head * PERIOD_NS / 1000, 2) for head in heads],
        "latency_us": [round(clock * PERIOD_NS / 1000, 4) for clock in clocks],
    }


def _payload(position: int, length: int) -> bytes:
    begin = position % PERIOD
    return PATTERN[begin : begin + length]


def figures(document: dict) -> dict[str, Figure]:
    """The latency of each segment over time, a plot for each experiment."""
    found = {}
    for experiment, between in BETWEEN_US.items():
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        axes = figure.subplots()
        for row in document["rows"]:
            if row["experiment"] == experiment:
                name = (
                    "direct way and ring" if row["preset"] == PRESETS[0] else "ring in DRAM alone"
                )
                axes.plot(row["arrival_us"], row["latency_us"], linewidth=0.8, label=name)
                duration = row["segments"] * between
        marked = [span for span, _ in INTERVALS_US] if experiment == "interval" else [LESS_ROOM]
        for begin, end in marked:
            axes.axvspan(begin * duration, end * duration, color="orange", alpha=0.2)
        axes.set_yscale("log")
        axes.set_xlabel("arrival (us)")
        axes.set_ylabel("first byte in to first byte out (us)")
        axes.grid(alpha=0.3)
        axes.legend()
        found[f"blocked_{experiment}"] = figure
    return found
