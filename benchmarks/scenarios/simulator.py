# SPDX-License-Identifier: Apache-2.0
"""The simulator itself: simulated clocks per second, idle and busy."""

import time
from itertools import product

from _peer import Peer, accepted_session, listen, simulation

PRESETS = ("small", "datacenter")
WIDTHS = (64, 512)
COLUMNS = ("width_bits", "build", "threads", "idle_clocks_per_second", "busy_clocks_per_second")
NOTES = (
    "Of time in which the thread that simulates ran, the fastest of ten slices: whatever else a "
    "machine does, on the other cores of the same chip, too, makes a slice slower and none faster. "
    "Two threads wait for each other, so for them that holds least. "
    "The profiled build is that of `toehold run --profiled`, trained by other traffic than is "
    "measured; the summary's plain figures are of a build without it."
)
PORT = 4000
SLICES = 10
# Builds and threads of an engine. Two threads need two cores that have nothing else to do.
QUICK = (("plain", 1),)
WHOLE = (*QUICK, ("profiled", 1), ("plain", 2))


def measure(request):
    rows, summary = [], {}
    clocks = 100_000 if request.quick else 1_000_000
    kinds = QUICK if request.quick else WHOLE
    for width, (build, threads) in product(request.widths, kinds):
        request.tell(f"{width} bits, {threads} threads, {build}")
        idle, busy = _measure(request.preset, width, threads, clocks, build == "profiled")
        rows.append(
            {
                "width_bits": width,
                "build": build,
                "threads": threads,
                "idle_clocks_per_second": idle,
                "busy_clocks_per_second": busy,
            }
        )
        name = f"clocks_per_second_w{width}" + ("" if threads == 1 else f"_threads{threads}")
        summary[name + ("_plain" if build == "plain" else "")] = busy
    return rows, summary


def _measure(preset: str, width: int, threads: int, clocks: int, profiled: bool) -> tuple[int, int]:
    with simulation(preset, width, threads=threads, profiled=profiled) as engine:
        idle = _clocks_per_second(engine, clocks)
        listen(engine, PORT)
        peer = Peer(engine, PORT)
        accepted_session(engine)
        # All but the first come again, so that each is parsed, decided and answered.
        frame = peer.frame(0x18, bytes(1460))
        for _ in range(clocks * width // 8 // len(frame)):
            engine.put_frame(frame)
        return idle, _clocks_per_second(engine, clocks)


def _clocks_per_second(engine, clocks: int) -> int:
    speeds = []
    for _ in range(SLICES):
        begin = time.thread_time()
        engine.advance(clocks // SLICES)
        speeds.append(clocks // SLICES / (time.thread_time() - begin))
    return round(max(speeds))
