# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: how they share two cores, and that no skip goes unnoticed."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent


def pytest_ignore_collect(collection_path):
    """Soak tests run by `toehold soak` alone."""
    soak = ROOT / "tests" / "soak"
    if collection_path == soak and "TOEHOLD_SOAK" not in os.environ:
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep a file's tests in one process: they share what the first of them builds.

    Serial tests share one process altogether.
    """
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        serial = item.get_closest_marker("serial")
        group = "serial" if serial else str(item.path.relative_to(ROOT))
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter):
    """Name what was skipped, by reason, whatever options pytest was given."""
    reasons: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    if reasons:
        terminalreporter.section("not run on this machine")
    for reason, names in sorted(reasons.items()):
        terminalreporter.line(f"{reason}:")
        for name in names:
            terminalreporter.line(f"  {name}")
