# SPDX-License-Identifier: Apache-2.0
"""A short run of the soak: mixed traffic over every link, every byte compared, nothing left."""

import json
import subprocess
import sys

import pytest

from support.extent import some
from toehold.paths import ROOT


@pytest.mark.parametrize("preset", some(["small", "datacenter"], 1))
def test_mixed_traffic(preset, tmp_path):
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "toehold", "bench", "soak", "--quick", "--preset", preset]
    done = subprocess.run(
        [*command, "--json", str(out)], cwd=ROOT, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    rows = json.loads(out.read_text())["rows"]
    assert len({row["seed"] for row in rows}) == len(rows) == 2
    row = {name: sum(row[name] for row in rows) for name in rows[0] if name != "seed"}
    assert row["connections"] > 30 and row["retransmitted_segments"]
    trouble = ("frames_lost", "frames_reordered", "frames_duplicated", "frames_corrupted")
    assert all(row[name] for name in trouble)
    assert row["ended_by_fin"] and row["closed_early"] and row["reset"]
    assert all(row[kind] for kind in ("echo", "discard", "source", "http"))
