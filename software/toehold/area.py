# SPDX-License-Identifier: Apache-2.0
"""Tables for docs/area_timing.md that put several results beside each other.

Everything comes from benchmarks/results/synth_*.json and, for what was published by others, from
benchmarks/published.json. toehold.docs shows these tables like the rows of a result, by name.
"""

import json
from collections.abc import Callable
from pathlib import Path

from toehold import results
from toehold.features import ALL, of_preset
from toehold.paths import ROOT

PUBLISHED = ROOT / "benchmarks" / "published.json"
SHOWN = {"ecp5": "ECP5", "xc7": "7-series", "xcup": "UltraScale+"}
SHORT = {"lut4": "LUT", "lut": "LUT", "ff": "FF", "lutram": "of them RAM"}
ENGINES = ("toe", "tcp_engine", "connection_pipeline")
SYNTHESIS, ROUTED = "Yosys, not routed", "Yosys, nextpnr, routed"


def configuration(config: dict) -> str:
    """What was measured, in words of the command line."""
    words = [config["top"], config["preset"]]
    # A parameter that the preset and the width gave has no news.
    known = ("Config", "Preset", "DataWidth")
    words += [f"{k}={v}" for k, v in config["parameters"].items() if k not in known]
    words += [f"{k}={v}" for k, v in config.get("set", {}).items()]
    return " ".join(words)


def built_with(config: dict) -> str | None:
    """The optional features of TCP that were built in, in words; nothing for what is no engine."""
    if config["top"] not in ENGINES:
        return None
    macros = of_preset(config["preset"]) | config.get("macros", {})
    of_all = macros.pop(ALL, "1")
    named = [f"{k.removeprefix('TOEHOLD_')}={v}" for k, v in macros.items()]
    return " ".join(["none" if of_all == "0" else "all", *(["but", *named] if named else [])])


def _source(result: dict) -> dict:
    return {"source": result["revision"], "of": result["config"].get("date")}


def whole(result: dict, device: str) -> dict | None:
    """The row of the whole top on a device."""
    top = result["config"]["top"]
    for row in result["rows"]:
        if row["block"] == top and row["device"] == device and "ff" in row:
            return row
    return None


def _seeds(tried: int, routed: int) -> str | None:
    """How many there were, and how many of them could not be routed."""
    return (
        f"{tried}, {tried - routed} not routed" if routed < tried else str(tried) if tried else None
    )


def _all(folder: Path) -> dict[str, dict]:
    found = {path.stem: results.read(path) for path in sorted(folder.glob("synth_*.json"))}
    return {name: result for name, result in found.items() if "top" in result["config"]}


def area(folder: Path) -> list[dict]:
    """Every stored result, by device."""
    rows = []
    for result in _all(folder).values():
        config = result["config"]
        for device, shown in SHOWN.items():
            row = whole(result, device)
            if row is None:
                continue
            routed = [r["fmax_mhz"] for r in result["rows"] if "fmax_mhz" in r]
            tried = [r["seed"] for r in result["rows"] if "seed" in r]
            copies = [r["copies"] for r in result["rows"] if "copies" in r]
            rows.append(
                {
                    "configuration": configuration(config),
                    "features": built_with(config),
                    "width_bits": config["width_bits"],
                    "device": shown,
                    "LUT": row.get("lut4", row.get("lut")),
                    "of them RAM": row["lutram"],
                    "FF": row["ff"],
                    "DP16KD": row.get("dp16kd"),
                    "BRAM36": row.get("bram36"),
                    "seeds": _seeds(len(tried), len(routed)) if device == "ecp5" else None,
                    "worst_fmax_mhz": min(routed) if routed and device == "ecp5" else None,
                    "best_fmax_mhz": max(routed) if routed and device == "ecp5" else None,
                    "copies": max(copies) if copies and device == "ecp5" else None,
                    "by": ROUTED if routed and device == "ecp5" else SYNTHESIS,
                    **_source(result),
                }
            )
    return rows


def published(folder: Path) -> list[dict]:
    """What others have published, each with ours of the same size in the row after it."""
    stored = _all(folder)
    rows = []
    for entry in json.loads(PUBLISHED.read_text()):
        rows.append(
            {
                "design": entry["design"],
                "features": entry.get("features"),
                "device": entry["device"],
                "LUT": entry["lut"],
                "FF": entry["ff"],
                "BRAM36": entry.get("bram36"),
                "by": "as published",
            }
        )
        for name, device in entry["ours"]:
            result = stored.get(name)
            row = whole(result, device) if result else None
            if row is None:
                continue
            rows.append(
                {
                    "design": configuration(result["config"]),
                    "features": built_with(result["config"]),
                    "device": SHOWN[device],
                    "LUT": row.get("lut4", row.get("lut")),
                    "FF": row["ff"],
                    "BRAM36": row.get("bram36"),
                    "by": SYNTHESIS,
                    **_source(result),
                }
            )
    return rows


def steps(folder: Path) -> list[dict]:
    """The steps of a decision, with the commit they were measured at."""
    result = results.read(folder / "synth_steps.json")
    return [{**row, **_source(result)} for row in result["rows"]]


def features(folder: Path) -> list[dict]:
    """What optional features cost: the engine without each, and how much less that is."""
    result = results.read(folder / "synth_features.json")
    whole = result["rows"][0]
    rows = []
    for row in result["rows"]:
        figures = {
            SHORT.get(name, name.upper()): value for name, value in row.items() if name != "macros"
        }
        less = {
            f"{SHORT[name]} less by (%)": round(100 * (1 - row[name] / whole[name]), 1)
            for name in ("lut4", "lut", "ff")
            if name in row
        }
        rows.append({"built with": row["macros"], **figures, **less, **_source(result)})
    return rows


TABLES: dict[str, Callable[[Path], list[dict]]] = {
    "area": area,
    "published": published,
    "steps": steps,
    "features": features,
}
