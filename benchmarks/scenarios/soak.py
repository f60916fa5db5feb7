# SPDX-License-Identifier: Apache-2.0
"""Mixed traffic of two engines for a very long time, over a link that changes its misbehaviour.

Connections to all applications, of random sizes and ends, over a link that loses, reorders,
repeats, corrupts, delays and is too slow, one after the other: benchmarks/programs/mixed_traffic.c.
Every byte is compared; the first that is wrong ends it, and so does a connection that fails, comes
to stand, or is left when all is over. Clocks are those of both engines. The clocks are those of two
runs with different seeds side by side; together they take an hour or more.
"""

import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toehold.console import fail
from toehold.paths import ROOT
from toehold.simulator_build import SIMULATION, build_simulator

PRESETS = ("small", "datacenter")
WIDTHS = (64,)
COLUMNS = (
    *(
        "width_bits",
        "seed",
        "clocks",
        "virtual_seconds",
        "connections",
        "bytes_sent",
        "bytes_received",
    ),
    *("frames", "frames_lost", "frames_reordered", "frames_duplicated", "frames_corrupted"),
    *("retransmitted_segments", "timeouts"),
)

PROGRAM = ROOT / "benchmarks" / "programs" / "mixed_traffic.c"
CLOCKS, QUICK_CLOCKS = 1_000_000_000, 1_000_000
PHASE_CLOCKS, QUICK_PHASE_CLOCKS = 500_000, 60_000
SOCKETS = 24  # at once
SEEDS = (1, 2)  # a run each, side by side


def measure(request):
    rows = [row for width in request.widths for row in _rows(request, width)]
    return rows, {
        name: sum(row[name] for row in rows) for name in ("clocks", "connections", "bytes_received")
    }


def _rows(request, width: int) -> list[dict]:
    library = build_simulator(request.preset, width, profiled=not request.quick).library
    lengths = (QUICK_CLOCKS, QUICK_PHASE_CLOCKS) if request.quick else (CLOCKS, PHASE_CLOCKS)
    request.tell(f"{width} bits, {lengths[0]:,} clocks in {len(SEEDS)} runs")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / PROGRAM.stem
        command = ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
        command += [f"-I{SIMULATION / 'include'}", PROGRAM, "-o", program, library]
        subprocess.run([*command, f"-Wl,-rpath,{library.parent}"], check=True)

        percent = dict.fromkeys(SEEDS, 0)

        def run(seed: int) -> dict:
            sizes = (lengths[0] // len(SEEDS), seed, SOCKETS, lengths[1])
            said = []
            with subprocess.Popen(
                [program, *map(str, sizes)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as running:
                for line in running.stderr:
                    if line.startswith("done "):
                        percent[seed] = int(line.split()[1])
                        least = min(percent.values())
                        request.tell(f"{width} bits, {lengths[0]:,} clocks: {least} % at least")
                    else:
                        said.append(line.strip())
                printed = running.stdout.read()
            if running.returncode:
                fail(f"After seed {seed}, {request.preset}, {width} bits: {' '.join(said)}.")
            return {"width_bits": width, "seed": seed, **json.loads(printed)}

        with ThreadPoolExecutor(len(SEEDS)) as runs:
            return list(runs.map(run, SEEDS))
