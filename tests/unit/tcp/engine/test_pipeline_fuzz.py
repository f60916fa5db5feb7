# SPDX-License-Identifier: Apache-2.0
"""Random events against the connection pipeline (pipeline_fuzz.cpp): a seeded run of a few seconds.

TOEHOLD_FUZZ_EVENTS=n runs longer, TOEHOLD_SEED=n repeats a run; `toehold fuzz` runs as long as it
is told and says how far it has come.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.simulate import run_seed
from toehold import fuzz

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=fuzz.VARIANTS, ids=lambda v: str(v.decide_clocks))
def program(request) -> Path:
    return fuzz.build(request.param)


def run(program: Path, seed: int, events: int) -> dict:
    done = subprocess.run([str(program), str(seed), str(events)], text=True, capture_output=True)
    assert done.returncode == 0, f"TOEHOLD_SEED={seed}\n{done.stdout}{done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])


def test_random_events(program):
    seed = run_seed()
    events = int(os.environ.get("TOEHOLD_FUZZ_EVENTS") or 200_000)
    counts = run(program, seed, events)
    assert counts["events"] >= events
    # Of every kind, in every state.
    assert all(counts["kinds"].values()) and all(counts["states"].values()), counts


# Seeds that found something once.
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_seed(program, seed):
    run(program, seed, 20_000)


def test_result(program):
    """What is stored: the sums of both processes, and a row for each kind and state."""
    runs = [fuzz.Run(program, fuzz.VARIANTS[0], seed, 150_000) for seed in (5, 6)]
    for one in runs:
        one.go()
        assert one.status == 0, one.said
    content = fuzz.document(runs)
    events = sum(one.counts["events"] for one in runs)
    assert content["summary"]["events"] == events >= 300_000
    assert content["summary"]["violations"] == 0
    kinds = [row for row in content["rows"] if row.get("group") == "kinds"]
    assert len(kinds) == 13
    # Those of the last few are still on their way at the end.
    assert abs(sum(row["count"] for row in kinds) - events) < 100
