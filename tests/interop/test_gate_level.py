# SPDX-License-Identifier: Apache-2.0
"""The netlist of the whole engine, which takes a quarter of an hour to make: in `toehold soak`."""

import json
import subprocess
import sys

import pytest

from support.extent import FULL

SECONDS = 3 * 3600


@pytest.mark.serial
@pytest.mark.timeout(SECONDS)
@pytest.mark.skipif(not FULL, reason="the whole engine's netlist takes long: TOEHOLD_FULL=1")
def test_the_netlist_of_the_engine_serves_a_page(tmp_path):
    result = tmp_path / "gate_level.json"
    done = subprocess.run(
        [sys.executable, "-m", "toehold", "bench", "gate_level", "--json", str(result)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(result.read_text())["summary"]
    assert summary["page_bytes"] > 500 and summary["echoed_bytes"] > 0
    assert summary["frames_compared"] > 10
