# SPDX-License-Identifier: Apache-2.0
"""Runs pytest for `toehold test`, `formal` and `soak`."""

import os
import subprocess
import sys

from toehold.console import fail
from toehold.paths import ROOT, tool_environment

NO_TESTS_COLLECTED = 5


def run_pytest(folders: list[str], further: list[str], processes: int = 2) -> int:
    """The exit status of pytest on the folders, unless `further` names other paths."""
    for folder in folders:
        if not (ROOT / folder).is_dir():
            fail(f"There is no folder {folder}.")
    named = [item for item in further if not item.startswith("-") and "/" in item]
    command = [sys.executable, "-m", "pytest", *further]
    if not named:
        command += folders
    # One process per core; what belongs to one file stays in one process, see conftest.py.
    if processes > 1 and not any(item.startswith(("-n", "--pdb")) for item in further):
        command += ["-n", str(min(processes, os.cpu_count() or 1)), "--dist", "loadgroup"]
    return subprocess.run(command, cwd=ROOT, env=tool_environment()).returncode


def run_soak(further: list[str]) -> int:
    """Soak tests are kept out of `toehold test` by their folder's conftest."""
    if not (ROOT / "tests" / "soak").is_dir():
        fail("There is no folder tests/soak.")
    os.environ["TOEHOLD_SOAK"] = "1"
    return run_pytest(["tests/soak"], ["-s", *further], processes=1)
