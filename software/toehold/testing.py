# SPDX-License-Identifier: Apache-2.0
"""Runs pytest for `toehold test`, `formal` and `soak`."""

import os
import subprocess
import sys

from toehold.console import console, errors, fail
from toehold.paths import ROOT, tool_environment


def run_pytest(folders: list[str], further: list[str], processes: int = 2) -> int:
    """The exit status of pytest on the folders, unless `further` names other paths."""
    for folder in folders:
        if not (ROOT / folder).is_dir():
            fail(f"There is no folder {folder}.")
    named = [item for item in further if not item.startswith("-") and "/" in item]
    command = [sys.executable, "-m", "pytest", *further]
    if not named:
        command += folders
    # One process per core; a file's tests share what the first builds, so they stay together.
    if processes > 1 and not any(item.startswith(("-n", "--pdb")) for item in further):
        command += ["-n", str(min(processes, os.cpu_count() or 1)), "--dist", "loadfile"]
    return subprocess.run(command, cwd=ROOT, env=tool_environment()).returncode


def run_soak(rounds: int, seed: int, further: list[str]) -> int:
    """The tests again and again, each round with a seed of its own; ends with the first failure.

    Tests that draw at random take their seed from TOEHOLD_SEED; those that are shortened for
    `toehold test` run at full length with TOEHOLD_FULL, and so do proofs, which draw nothing, once.
    """
    os.environ["TOEHOLD_FULL"] = "1"
    for number in range(rounds):
        os.environ["TOEHOLD_SEED"] = str(seed + number)
        console.rule(f"round {number + 1} of {rounds}, seed {seed + number}")
        status = run_pytest(["tests"] if number else ["tests", "formal"], further)
        if status:
            again = f"TOEHOLD_FULL=1 TOEHOLD_SEED={seed + number} toehold test"
            errors.print(f"Round {number + 1} failed; the same again: {again}", markup=False)
            return status
    return 0
