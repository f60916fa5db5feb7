# SPDX-License-Identifier: Apache-2.0
"""Seeds of a result that is stored: `toehold synth --add-seeds`.

A seed of a whole engine takes hours. Each can be run by itself and added to what others gave, as
long as it is the same netlist: the same configuration, tools and goal, and as many cells of each
kind. Nothing else in the stored result changes.
"""

import statistics
from pathlib import Path

from toehold import area, results
from toehold.console import fail
from toehold.paths import relative


def stored_result(path: Path, config: dict) -> dict:
    """What is stored there, if seeds of that configuration may be added to it."""
    if not path.exists():
        fail(f"There is no {relative(path)} to add seeds to: run once with --store.", status=2)
    stored = results.read(path)
    other = differences(stored, config)
    if other:
        fail(f"{relative(path)} is of another configuration: {', '.join(other)} differ.", status=2)
    return stored


def differences(stored: dict, config: dict) -> list[str]:
    """In what a stored result is of another configuration; its day makes it no other."""
    return sorted(
        key
        for key in stored["config"].keys() | config.keys()
        if key != "date" and stored["config"].get(key) != config.get(key)
    )


def is_same_netlist(stored: dict, measured: dict) -> bool:
    """Whether the whole block has as many ECP5 cells of each kind in both results."""
    return area.whole(stored, "ecp5") == area.whole(measured, "ecp5")


def added(stored: dict, measured: dict, label: str) -> dict:
    """The stored result with the seeds that were measured; of one in both the measured counts.

    What its summary says of the clock rate, by names that end in the label, is of all of them.
    """
    seeds = {row["seed"]: row for row in stored["rows"] if "seed" in row}
    seeds |= {row["seed"]: row for row in routes_of(measured)}
    others = [row for row in stored["rows"] if "seed" not in row]
    routes = [seeds[seed] for seed in sorted(seeds)]
    summary = {f"{name}_{label}": value for name, value in rates(routes).items()}
    return stored | {"rows": [*others, *routes], "summary": stored["summary"] | summary}


def routes_of(result: dict) -> list[dict]:
    """The rows of its seeds, which say when they were measured."""
    when = {"revision": result["revision"], "date": result["config"].get("date")}
    return [when | row for row in result["rows"] if "seed" in row]


def rates(routes: list[dict]) -> dict[str, float]:
    """The best and the median clock rate of the rows of seeds that were routed."""
    found = [row["fmax_mhz"] for row in routes if "fmax_mhz" in row]
    return {
        "fmax_mhz": round(max(found), 2),
        "fmax_mhz_median": round(statistics.median(found), 2),
    }
