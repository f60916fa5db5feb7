# SPDX-License-Identifier: Apache-2.0
"""The solver ends with the proof, however the proof ends."""

import subprocess
import time
from pathlib import Path

import pytest

from support.prove import _run_all

LEAVES_A_CHILD = "sleep 60 >/dev/null 2>&1 & echo $! > child; echo said"


def gone(pid: int) -> bool:
    """Ended, though init may not have collected it yet."""
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] in "ZX"


def assert_child_ends(folder: Path) -> None:
    pid = int((folder / "child").read_text())
    deadline = time.monotonic() + 5
    while not gone(pid):
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.01)


def test_output_and_status(tmp_path):
    command = ["sh", "-c", "echo said; echo more >&2; exit 3"]
    assert _run_all(command, tmp_path, 10) == (3, "said\nmore\n")


def test_a_timeout_ends_all_children(tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        _run_all(["sh", "-c", LEAVES_A_CHILD + "; wait"], tmp_path, 0.5)
    assert_child_ends(tmp_path)


def test_an_end_ends_all_children(tmp_path):
    assert _run_all(["sh", "-c", LEAVES_A_CHILD], tmp_path, 10) == (0, "said\n")
    assert_child_ends(tmp_path)
