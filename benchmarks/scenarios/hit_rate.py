# SPDX-License-Identifier: Apache-2.0
"""How many events find their connection's state on chip, by the size of the cache and its policy.

The RTL that chooses who leaves (state_lookup) is driven with connections by Zipf's law: the one of
rank r is chosen in proportion to 1 / r^exponent. `best` is what a cache could reach that knew the
ranks and kept the first ones.
"""

import subprocess
from itertools import accumulate

from matplotlib.figure import Figure

from toehold.paths import BENCHMARKS, ROOT
from toehold.verilated import build_program

PRESETS = ("scale",)
WIDTHS = (64,)
CHECKED = True
COLUMNS = (
    *("exponent", "entries", "heat_hits_percent", "recent_hits_percent"),
    "best_hits_percent",
)

SCENARIOS, SIMULATION = BENCHMARKS / "scenarios", ROOT / "simulation"
CONNECTIONS, WAYS = 262_144, 8  # of the preset
SIZES, QUICK_SIZES = (128, 512, 4096, 16_384), (128,)
POLICIES = {"heat": 0, "recent": 1}
EXPONENTS = (0.8, 0.99, 1.2)
WARM_UP, EVENTS = 200_000, 200_000
QUICK_WARM_UP, QUICK_EVENTS = 5_000, 20_000


def measure(request):
    warm_up, events = (QUICK_WARM_UP, QUICK_EVENTS) if request.quick else (WARM_UP, EVENTS)
    best = {exponent: _best(exponent) for exponent in EXPONENTS}
    rows, summary = [], {}
    for entries in QUICK_SIZES if request.quick else SIZES:
        request.tell(f"{entries} entries")
        programs = {name: _program(entries, policy) for name, policy in POLICIES.items()}
        for exponent in EXPONENTS:
            row = {"exponent": exponent, "entries": entries}
            for name, program in programs.items():
                command = [str(program), str(exponent), str(warm_up), str(events)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                row[f"{name}_hits_percent"] = round(100 * int(done.stdout) / events, 2)
            row["best_hits_percent"] = round(100 * best[exponent][entries - 1], 2)
            rows.append(row)
    rows.sort(key=lambda row: (row["exponent"], row["entries"]))
    for name in POLICIES:
        share = min(row[f"{name}_hits_percent"] / row["best_hits_percent"] for row in rows)
        summary[f"{name}_least_over_best"] = round(share, 4)
    return rows, summary


def _program(entries: int, policy: int):
    return build_program(
        "state_lookup",
        [SCENARIOS / "hit_rate.cpp", SIMULATION / "load/chooser.cpp"],
        parameters={
            "Connections": CONNECTIONS,
            "Entries": entries,
            "Ways": WAYS,
            "Policy": policy,
            "Misses": 2,
        },
        defines={"CONNECTIONS": CONNECTIONS},
        headers=[SIMULATION / "load/chooser.h", SIMULATION / "models/random.h"],
        include_dirs=[SIMULATION],
    )


def _best(exponent: float) -> list[float]:
    """The share of events of so many first ranks."""
    below = list(accumulate(rank**-exponent for rank in range(1, CONNECTIONS + 1)))
    return [sum_ / below[-1] for sum_ in below[: max(SIZES)]]


def figures(document: dict) -> dict[str, Figure]:
    """Hits by size: both policies and the best, for each exponent."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    styles = {"heat": "-o", "recent": "--s", "best": ":"}
    exponents = sorted({row["exponent"] for row in document["rows"]}, reverse=True)
    for exponent, colour in zip(exponents, ("tab:blue", "tab:orange", "tab:green")):
        rows = [row for row in document["rows"] if row["exponent"] == exponent]
        for name, style in styles.items():
            axes.plot(
                [row["entries"] for row in rows],
                [row[f"{name}_hits_percent"] for row in rows],
                style,
                color=colour,
                markersize=4,
                label=f"Zipf {exponent}, {name}",
            )
    axes.set_xscale("log", base=2)
    axes.set_ylim(0, 100)
    axes.set_xlabel("entries of the cache")
    axes.set_ylabel("hits (%)")
    figure.legend(loc="outside lower center", fontsize="small", ncols=3)
    return {"hit_rate": figure}
