# SPDX-License-Identifier: Apache-2.0
"""Random events against the connection pipeline (pipeline_fuzz.cpp): a seeded run of a few seconds.

TOEHOLD_FUZZ_EVENTS=n runs longer, TOEHOLD_SEED=n repeats a run.
"""

import os
import subprocess
from pathlib import Path

import pytest

from support.simulate import run_seed
from toehold import cores
from toehold.paths import BUILD, tool_environment

FOLDER = Path(__file__).parent
TOP = "pipeline_fuzz"


@pytest.fixture(scope="module", params=[(4, 1), (7, 0)], ids=["4", "7"])
def program(request) -> Path:
    """The program for so many DecideClocks; with four what goes straight is stored, too, with seven
    windows move as CUBIC's."""
    decide_clocks, store_direct = request.param
    work = BUILD / "unit" / f"{TOP}_{decide_clocks}"
    work.mkdir(parents=True, exist_ok=True)
    files, _ = cores.sources(["engine", "connections"])
    command = [
        "verilator", "--cc", "--exe", "--build", "--prefix", f"V{TOP}", "--top-module", TOP,
        f"-GDecideClocks={decide_clocks}", f"-GStoreDirect={store_direct}",
        f"-GCubicFriendly={int(decide_clocks == 7)}",
        "-Mdir", str(work), "-Wno-fatal", "-Wno-lint", "-O3", "--unroll-count", "4",
        "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O1 -std=c++17",
        "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", *map(str, files),
        str(FOLDER / f"{TOP}.sv"), str(FOLDER / f"{TOP}.cpp"),
    ]  # fmt: skip
    done = subprocess.run(command, text=True, capture_output=True, env=tool_environment())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return work / f"V{TOP}"


def run(program: Path, seed: int, events: int) -> str:
    done = subprocess.run([str(program), str(seed), str(events)], text=True, capture_output=True)
    assert done.returncode == 0, f"TOEHOLD_SEED={seed}\n{done.stdout}"
    return done.stdout


def test_random_events(program):
    seed = run_seed()
    events = int(os.environ.get("TOEHOLD_FUZZ_EVENTS") or 200_000)
    print(run(program, seed, events))


# Seeds that found something once.
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_seed(program, seed):
    run(program, seed, 20_000)
