# SPDX-License-Identifier: Apache-2.0
"""A proof leaves nothing out, and the solver ends with it, however it ends."""

import subprocess
import time
from pathlib import Path

import pytest

from support.prove import _run_all, prove

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


def fails(**options) -> str:
    with pytest.raises(pytest.fail.Exception) as failure:
        prove("late_fault_props", cover=False, **options)
    return str(failure.value)


def test_induction_leaves_few_clocks_to_check(tmp_path, monkeypatch):
    monkeypatch.setattr("support.prove.BUILD", tmp_path)
    prove("late_fault_props", depth=14, induction=12, cover=False, parameters={"Stages": 5})
    (log,) = (path.read_text() for path in tmp_path.rglob("bounded.log"))
    assert "step 6" in log and "step 9" not in log


@pytest.mark.parametrize("place", [1, 5, 6])
def test_a_fault_in_the_clocks_before_induction_holds(place):
    """After six good clocks it always holds; a fault in the last of them is still found."""
    said = fails(depth=14, induction=12, parameters={"Place": place})
    assert "bounded" in said and "Assert failed" in said


def test_induction_that_fails_is_told():
    assert "induction (depth 3) fails" in fails(depth=5, induction=3)


def test_a_fault_is_told_before_an_induction_that_fails():
    """The way to it from the start is what helps."""
    assert "bounded (depth 8) fails" in fails(depth=8, induction=3, parameters={"Place": 6})


def test_assumptions_can_be_kept_for_all_of_the_depth():
    said = fails(depth=14, induction=12, parameters={"Ends": 11})
    assert "trace (depth 14) fails" in said
