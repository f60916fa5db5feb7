# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: `toehold bench`.

A scenario is a file of benchmarks/scenarios, and its name is the file's:

    \"\"\"One line that says what is measured.\"\"\"
    PRESETS = ("small",)         # those it can measure; the four when absent
    WIDTHS = (64, 512)           # those it measures when --width is not given; 64 when absent
    COLUMNS = ("width_bits",)    # of the printed table; those of the rows when absent

    def measure(request):        # a toehold.bench.Request
        rows = [{"width_bits": width, "clocks": ...} for width in request.widths]
        return rows, {"clocks_64": rows[0]["clocks"]}

    CHECKED = True               # its figures are exact: `--check` compares them with stored ones
    NOTES = "One sentence or two on how to read the figures; goes into the result."    # optional
    def figures(document): ...   # plots of the result (toehold.plots); optional

Names of rows and summary carry their unit. The same revision, configuration and seed give the same
figures, but for those in units of wall-clock time.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rich.measure import Measurement
from rich.table import Table

from toehold import plots, results
from toehold.console import console, fail
from toehold.docs import cell, heading
from toehold.options import Preset
from toehold.paths import BENCHMARKS, QUICK_RESULTS

SCENARIOS = BENCHMARKS / "scenarios"

TOLERANCE = 0.03  # of a figure that is checked
LESS = ("left_over", "lost", "wrong")  # of these less is better


@dataclass(frozen=True)
class Request:
    """What a scenario is asked for."""

    preset: str
    widths: tuple[int, ...]
    quick: bool
    # Call it with a few words when something new begins that takes long.
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Scenario:
    name: str
    module: ModuleType

    @property
    def title(self) -> str:
        return (self.module.__doc__ or "").strip().split("\n")[0]

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(getattr(self.module, "PRESETS", [preset.value for preset in Preset]))

    @property
    def checked(self) -> bool:
        return bool(getattr(self.module, "CHECKED", False))

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(getattr(self.module, "WIDTHS", (64,)))


def load(path: Path) -> Scenario:
    if str(path.parent) not in sys.path:  # what scenarios share stands beside them
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"toehold_scenario_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "measure", None)):
        fail(f"Scenario {path.stem} has no function measure(request).")
    return Scenario(path.stem, module)


def names(folder: Path = SCENARIOS) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))


def find(name: str, folder: Path = SCENARIOS) -> Scenario:
    if name not in names(folder):
        known = ", ".join(names(folder)) or "none"
        fail(f"There is no scenario {name!r}; the scenarios are: {known}.", status=2)
    return load(folder / f"{name}.py")


def run(scenario: Scenario, preset: str, width: int | None, quick: bool) -> dict:
    """Measure, and return the document that is written."""
    if preset not in scenario.presets:
        fail(f"{scenario.name} measures {', '.join(scenario.presets)}, not {preset}.", status=2)
    widths = (width,) if width else scenario.widths
    with console.status(f"{scenario.name} ...") as status:
        request = Request(
            preset, widths, quick, lambda words: status.update(f"{scenario.name}: {words} ...")
        )
        rows, summary = scenario.module.measure(request)
    if not rows:
        fail(f"{scenario.name} measured nothing.")
    document = results.document(
        scenario.name,
        config={"preset": preset, "widths_bits": list(widths)},
        rows=rows,
        summary=summary,
        quick=quick,
    )
    notes = getattr(scenario.module, "NOTES", None)
    return document | {"notes": notes} if notes else document


def show(scenario: Scenario, document: dict) -> None:
    rows = document["rows"]
    columns = getattr(scenario.module, "COLUMNS", None) or list(
        dict.fromkeys(key for row in rows for key in row)
    )
    numbers = [
        all(isinstance(row.get(column, 0), int | float) for row in rows) for column in columns
    ]
    lines = [[cell(row.get(column)) for column in columns] for row in rows]
    for table in tables(scenario.title, [heading(column) for column in columns], numbers, lines):
        console.print(table)
    for name, value in document["summary"].items():
        console.print(f"  {heading(name)}: {cell(value)}", markup=False)
    if "notes" in document:
        console.print(f"  {document['notes']}", markup=False)


def tables(
    title: str, headings: list[str], numbers: list[bool], lines: list[list[str]]
) -> list[Table]:
    """One table of all lines. Where the terminal is too narrow for what is in it, and the lines are
    few, one or two with a line for each heading; where they are many, cells are folded.

    numbers  which columns have numbers alone
    """
    upright = Table(title=title, title_justify="left", show_edge=False)
    for name, number in zip(headings, numbers, strict=True):
        upright.add_column(name, justify="right" if number else "left", overflow="fold")
    for line in lines:
        upright.add_row(*line)
    if _fits(upright):
        return [upright]
    half = -(-len(lines) // 2)
    for first, *rest in ([lines], [lines[:half], lines[half:]]):
        turned = [_turned(title, headings, first), *(_turned("", headings, part) for part in rest)]
        if all(map(_fits, turned)):
            return turned
    return [upright]


def _turned(title: str, headings: list[str], lines: list[list[str]]) -> Table:
    table = Table(title=title, title_justify="left", show_edge=False, show_header=False)
    table.add_column()
    for _ in lines:
        table.add_column(justify="right")
    for name, *values in zip(headings, *lines, strict=True):
        table.add_row(name, *values)
    return table


def _fits(table: Table) -> bool:
    unbounded = console.options.update(max_width=10_000)  # what is measured is cut to it
    return Measurement.get(console, unbounded, table).minimum <= console.width


def worse(name: str, value: float, stored: float) -> bool:
    """Whether a figure of a summary is worse than the stored one by more than the tolerance. Of
    clocks and what is left over less is better, of all else more."""
    less_is_better = ("clocks" in name and "per_clock" not in name) or name.startswith(LESS)
    loss = value - stored if less_is_better else stored - value
    return loss > TOLERANCE * abs(stored)


def compare(document: dict, folder: Path = QUICK_RESULTS) -> list[str]:
    """A sentence for each figure that has become worse than the one stored for quick runs."""
    path = folder / f"{document['scenario']}.json"
    if not path.exists():
        fail(
            f"There is nothing to compare {document['scenario']} with: "
            f"`toehold bench {document['scenario']} --quick --store` stores it."
        )
    content = results.read(path)
    stored = content["summary"]
    missing = sorted(stored.keys() - document["summary"].keys())
    # With --width, those of other widths are not asked for.
    measured = document["config"]["widths_bits"]
    if not set(content["config"].get("widths_bits", measured)) <= set(measured):
        missing = []
    problems = [f"{document['scenario']}: {name} is no longer measured" for name in missing]
    for name, value in document["summary"].items():
        if name in stored and worse(name, value, stored[name]):
            problems.append(
                f"{document['scenario']}: {name} is {cell(value)}, stored is {cell(stored[name])}"
            )
    return problems


def bench_command(
    scenario: str | None,
    quick: bool,
    preset: str | None,
    width: int | None,
    json_file: Path | None,
    store: bool,
    list_only: bool,
    folder: Path = SCENARIOS,
    check: bool = False,
    stored: Path = QUICK_RESULTS,
) -> None:
    if list_only:
        table = Table(show_edge=False)
        for column in ("scenario", "measures", "presets", "widths"):
            table.add_column(column)
        for name in names(folder):
            found = load(folder / f"{name}.py")
            widths = ", ".join(map(str, found.widths))
            table.add_row(name, found.title, ", ".join(found.presets), widths)
        console.print(table)
        return
    if check and (not quick or store):
        fail(
            "--check compares quick runs with stored ones: give it --quick, not --store.", status=2
        )
    if scenario is None and json_file is not None:
        fail("--json names one file: name one scenario too.", status=2)
    chosen = [find(scenario, folder)] if scenario else [find(n, folder) for n in names(folder)]
    if check and not scenario:
        chosen = [found for found in chosen if found.checked]
    if not scenario and preset:
        chosen = [found for found in chosen if preset in found.presets]
    if not chosen:
        fail(f"There is no scenario for preset {preset}.")
    problems = []
    for found in chosen:
        started = time.monotonic()
        document = run(found, preset or found.presets[0], width, quick)
        show(found, document)
        written = results.write(document, json_file, store)
        written += plots.write(found.module, document, json_file and json_file.parent)
        console.print(
            f"Written to {', '.join(written)} after {time.monotonic() - started:.1f} s.\n",
            markup=False,
            soft_wrap=True,
        )
        if check:
            problems += compare(document, stored)
    if problems:
        fail("\n".join(["Figures have become worse by more than 3 %:", *problems]))
