# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: how they share two cores, and that no skip goes unnoticed."""

import fcntl
import os
from pathlib import Path
from typing import TextIO

import pytest

# Simulators for a test that is short; set before any module asks.
if os.environ.get("TOEHOLD_FULL", "0") in ("", "0"):
    os.environ.setdefault("TOEHOLD_QUICK_BUILD", "1")

LOCK = Path(__file__).parent / "build" / "serial.lock"
_lock: TextIO | None = None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Never run the serial tests of two files at the same time.

    The lock is held from a file's first serial test to its last test, since what serves them lives
    as long. Waiting comes before pytest's own time limit begins.
    """
    global _lock
    if _lock is None and item.get_closest_marker("serial"):
        LOCK.parent.mkdir(exist_ok=True)
        _lock = LOCK.open("w")
        fcntl.flock(_lock, fcntl.LOCK_EX)
    result = yield
    if _lock is not None and (nextitem is None or nextitem.path != item.path):
        _lock.close()
        _lock = None
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """In place of xdist's own order."""
    from toehold.schedule import Schedule

    return Schedule(config, log) if config.getvalue("dist") == "loadfile" else None


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
