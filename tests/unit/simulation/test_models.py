# SPDX-License-Identifier: Apache-2.0
"""The C++ tests of the models and drivers: one program each, in *_test.cpp beside this file."""

import subprocess
from pathlib import Path

import pytest

from toehold.paths import BUILD
from toehold.simulator_build import build_model_tests

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*_test.cpp"))
SECONDS = 60


@pytest.fixture(scope="module")
def programs() -> dict[str, Path]:
    return {path.name: path for path in build_model_tests(BUILD / "simulation" / "model-tests")}


@pytest.mark.parametrize("name", NAMES)
def test_model(programs, name):
    done = subprocess.run([programs[name]], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok " in done.stdout
