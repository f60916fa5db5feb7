# SPDX-License-Identifier: Apache-2.0
"""The JSON of measurements: written by `bench` and `synth`, read by `docs`.

    {"scenario": ..., "quick": false, "revision": ..., "config": {...},
     "rows": [{...}], "summary": {...}}

`rows` holds every measurement, `summary` the few figures that documents name. Names carry units.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

from toehold import __version__
from toehold.console import fail
from toehold.paths import BUILD, QUICK_RESULTS, RESULTS, ROOT, relative

KEYS = ("scenario", "quick", "revision", "config", "rows", "summary")


def revision() -> str:
    """The commit that is measured, marked when the tree differs from it in more than results."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return __version__
    but = [f":!{RESULTS.relative_to(ROOT)}"] if RESULTS.is_relative_to(ROOT) else []
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", *but)
    return f"{commit}-dirty" if changed else commit


def date() -> str:
    """The day of the commit that is measured; empty outside of a repository."""
    return _git("show", "-s", "--format=%cs", "HEAD")


def _git(*arguments: str) -> str:
    """What git prints; nothing without it, or outside of a repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def document(
    scenario: str,
    config: dict[str, Any],
    rows: list[dict],
    summary: dict[str, float],
    quick: bool = False,
) -> dict:
    return {
        "scenario": scenario,
        "quick": quick,
        "revision": revision(),
        "config": config,
        "rows": rows,
        "summary": summary,
    }


def write(content: dict, json_file: Path | None, store: bool, name: str | None = None) -> list[str]:
    """Write to --json or build/bench, and with `store` to benchmarks/results, quick runs to a
    folder of their own there; returns the paths."""
    name = name or content["scenario"]
    paths = [json_file or BUILD / "bench" / f"{name}.json"]
    if store:
        paths.append((QUICK_RESULTS if content["quick"] else RESULTS) / f"{name}.json")
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + "\n")
    return [relative(path) for path in paths]


def read(path: Path) -> dict:
    """A stored result, checked for its shape."""
    try:
        content = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        fail(f"{relative(path)} is not JSON: {error}.")
    missing = [key for key in KEYS if key not in content]
    if missing:
        fail(f"{relative(path)} lacks {', '.join(missing)}.")
    return content
