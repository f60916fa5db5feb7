# SPDX-License-Identifier: Apache-2.0
"""Figures that are exact have not become worse than the stored ones: `make bench-quick`, a scenario
at a time."""

import subprocess
import sys

import pytest

from toehold import bench
from toehold.paths import ROOT

pytestmark = pytest.mark.long

SECONDS = 1800  # the first run of a configuration builds its simulator
CHECKED = [name for name in bench.names() if bench.find(name).checked]


def test_there_are_figures_to_check():
    assert len(CHECKED) >= 4


@pytest.mark.parametrize("name", CHECKED)
def test_figures_have_not_become_worse(name, tmp_path):
    command = [sys.executable, "-m", "toehold", "bench", name, "--quick", "--check"]
    command += ["--json", str(tmp_path / "out.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
