# SPDX-License-Identifier: Apache-2.0
"""Renders stored results and WaveDrom diagrams into the documents: `toehold docs`.

A region of a Markdown document says which result it shows and how; what stands in it is written by
this file alone:

    <!-- figures:NAME [columns=a,b,c] [where=key:value] [first=N] [summary] -->
    ...
    <!-- /figures -->

NAME is a file of benchmarks/results, or a table of toehold.area. Without options the table has a
row for each of the result's rows, but for those that have none of the numbers shown; `columns`
chooses and orders, `where` keeps rows with this value (repeatable), `first` no more than so many,
and `summary` shows the summary instead, one figure a row. Column names end in their unit, which
becomes part of the heading: payload_bytes is "payload (bytes)".

Diagrams are docs/diagrams/*.json, each rendered to an SVG beside it. Plots of stored results go to
docs/figures (toehold.plots). docs/conformance.md is written by toehold.conformance.
"""

import json
import re
import shlex
from pathlib import Path

from toehold import area, conformance, plots, results
from toehold.console import console, errors, fail
from toehold.paths import RESULTS, ROOT, relative

DIAGRAMS = ROOT / "docs" / "diagrams"
REGION = re.compile(
    r"(?P<open><!-- figures:(?P<name>[\w-]+)(?P<options>[^>]*?) -->\n)"
    r"(?P<body>.*?)"
    r"(?P<close><!-- /figures -->)",
    re.S,
)
FENCE = re.compile(r"^```.*?^```", re.S | re.M)

# The last parts of a name that are a unit, and how it reads.
UNITS = {
    "mhz": "MHz",
    "bytes": "bytes",
    "bits": "bits",
    "clocks": "clocks",
    "percent": "%",
    "us": "µs",
    "ns": "ns",
    "ms": "ms",
    "seconds": "s",
    "mbit_per_second": "Mbit/s",
    "gbit_per_second": "Gbit/s",
    "bytes_per_clock": "bytes/clock",
    "bits_per_clock": "bits/clock",
    "clocks_per_byte": "clocks/byte",
    "clocks_per_second": "clocks/s",
    "khz": "kHz",
}


def documents(root: Path = ROOT) -> list[Path]:
    """Every document that may have regions."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    found += sorted((root / "benchmarks").glob("*.md"))
    found += sorted((root / "boards").rglob("*.md"))
    return [path for path in found if path.exists()]


def heading(column: str) -> str:
    """A column's name as a person reads it, with its unit in brackets."""
    for unit, text in sorted(UNITS.items(), key=lambda item: -len(item[0])):
        if column.endswith(f"_{unit}"):
            return f"{column.removesuffix(f'_{unit}').replace('_', ' ')} ({text})"
    return column.replace("_", " ")


def cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value).replace("|", "\\|")


def table(columns: list[str], rows: list[dict]) -> str:
    numeric = {
        column: all(isinstance(row.get(column, 0), int | float) for row in rows)
        for column in columns
    }
    lines = [
        "| " + " | ".join(heading(column) for column in columns) + " |",
        "|" + "|".join("---:" if numeric[column] else "---" for column in columns) + "|",
    ]
    lines += ["| " + " | ".join(cell(row.get(c)) for c in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _options(text: str, where: str) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for word in shlex.split(text):
        key, _, value = word.partition("=")
        if key not in ("columns", "where", "first", "summary"):
            fail(
                f"{where}: a region has no option {key!r}; "
                "it has columns, where, first and summary."
            )
        if key == "first" and not (value.isdecimal() and int(value)):
            fail(f"{where}: first={value} must be a number of rows, at least 1.")
        options.setdefault(key, []).append(value)
    return options


def region(name: str, options_text: str, where: str, folder: Path = RESULTS) -> str:
    """What stands between the marks of a region."""
    if name in area.TABLES:
        result = {"rows": area.TABLES[name](folder), "summary": {}}
    else:
        path = folder / f"{name}.json"
        if not path.exists():
            fail(f"{where} shows {name}, but there is no {relative(path)}: store it first.")
        result = results.read(path)
    options = _options(options_text, where)
    if "summary" in options:
        wanted = [c for text in options.get("columns", []) for c in text.split(",")]
        shown = {k: v for k, v in result["summary"].items() if not wanted or k in wanted}
        rows = [{"figure": heading(key), "value": value} for key, value in shown.items()]
        return table(["figure", "value"], rows)
    rows = result["rows"]
    for condition in options.get("where", []):
        key, _, value = condition.partition(":")
        rows = [row for row in rows if str(row.get(key)) == value]
    columns = [c for text in options.get("columns", []) for c in text.split(",")]
    columns = columns or [
        key
        for key in dict.fromkeys(key for row in rows for key in row)
        if not any(isinstance(row.get(key), list | dict) for row in rows)
    ]
    for column in columns:
        if not any(column in row for row in rows):
            fail(f"{where}: no row of {name} has {column!r}.")
    numbers = [c for c in columns if any(isinstance(row.get(c), int | float) for row in rows)]
    if numbers:
        rows = [row for row in rows if any(row.get(column) is not None for column in numbers)]
    if "first" in options:
        rows = rows[: int(options["first"][-1])]
    return table(columns, rows)


def render(text: str, where: str, folder: Path = RESULTS) -> str:
    """The document with every region as the stored results have it. Code fences are left alone."""
    fences = [match.span() for match in FENCE.finditer(text)]

    def write(match: re.Match) -> str:
        if any(start <= match.start() < end for start, end in fences):
            return match[0]
        body = region(match["name"], match["options"], where, folder)
        return f"{match['open']}{body}{match['close']}"

    return REGION.sub(write, text)


def svg(path: Path) -> str:
    """A WaveDrom diagram as SVG."""
    import wavedrom

    source = path.read_text()
    try:
        json.loads(source)
    except json.JSONDecodeError as error:
        fail(f"{relative(path)} is not JSON: {error}.")
    drawing = wavedrom.render(source)
    return drawing.tostring() + "\n"


def plotted(folder: Path = RESULTS) -> dict[Path, str]:
    """The plots of stored results, by the scenarios that measured them."""
    from toehold import bench  # which shows its figures as this module does

    files = {}
    for name in bench.names():
        path = folder / f"{name}.json"
        if path.exists():
            drawn = plots.draw(
                bench.load(bench.SCENARIOS / f"{name}.py").module, results.read(path)
            )
            files |= {plots.FIGURES / f"{name}.svg": text for name, text in drawn.items()}
    return files


def generate() -> dict[Path, str]:
    """Every document and diagram, and what it should hold."""
    files = {path: render(path.read_text(), relative(path)) for path in documents()}
    for path in sorted(DIAGRAMS.glob("*.json")):
        files[path.with_suffix(".svg")] = svg(path)
    files |= plotted()
    files[conformance.DOCUMENT] = conformance.render()
    return files


def stale() -> list[Path]:
    return [
        path for path, text in generate().items() if not path.exists() or path.read_text() != text
    ]


def docs_command(check: bool) -> int:
    if check:
        wrong = stale()
        for path in wrong:
            errors.print(f"{relative(path)} is out of date: run `make docs`.", soft_wrap=True)
        return 1 if wrong else 0
    count = 0
    for path, text in generate().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            console.print(f"{relative(path)} written", soft_wrap=True)
            count += 1
    console.print(f"{count} files changed.")
    return 0
