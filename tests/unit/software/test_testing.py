# SPDX-License-Identifier: Apache-2.0
"""How tests are run: which, on how many processes, and what is said of those left out."""

import subprocess
import sys

import pytest

from toehold import testing
from toehold.paths import ROOT


@pytest.fixture
def called(monkeypatch):
    """The commands that would have been run, and the seed and the length at that time."""
    calls = []

    def run(command, **options):
        environment = testing.os.environ
        said = (environment.get("TOEHOLD_SEED"), environment.get("TOEHOLD_FULL"))
        calls.append((command[3:], *said))
        return subprocess.CompletedProcess(command, 1 if len(calls) == 3 else 0)

    monkeypatch.setattr(testing.subprocess, "run", run)
    monkeypatch.setenv("TOEHOLD_SEED", "none")
    monkeypatch.setenv("TOEHOLD_FULL", "0")
    return calls


def test_all_on_two_processes_by_file(called):
    testing.run_pytest([], [])
    (arguments, _, full) = called[0]
    assert full == "0"
    assert arguments[0] == "-n" and arguments[2:] == ["--dist", "loadfile"]


def test_named_paths_replace_the_folder(called):
    testing.run_pytest(["formal"], ["formal/proofs/stream", "-k", "fifo", "-n0"])
    assert called[0][0] == ["formal/proofs/stream", "-k", "fifo", "-n0"]
    testing.run_pytest(["formal"], ["-k", "fifo", "-n0"])
    assert called[1][0] == ["-k", "fifo", "-n0", "formal"]


def test_soak_ends_with_the_first_failure(called, capsys):
    assert testing.run_soak(10, 40, ["-n0"]) == 1
    assert [what for _, *what in called] == [["40", "1"], ["41", "1"], ["42", "1"]]
    proofs, *rest = ("formal" in arguments for arguments, *_ in called)
    assert proofs and not any(rest)
    assert "TOEHOLD_FULL=1 TOEHOLD_SEED=42 toehold test" in capsys.readouterr().err


def run_house(folder, **files):
    """The tests in the files, under the house conftest, as `toehold test` runs them."""
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *"-n 2 --dist loadfile -p no:cacheprovider".split()],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_skips_are_named_and_files_stay_together(tmp_path):
    one = (
        "import pytest\n"
        "seen = []\n"
        "@pytest.mark.parametrize('i', range(20))\n"
        "def test_together(i):\n"
        "    seen.append(i)\n"
        "    assert seen == list(range(i + 1))\n"
        "def test_lacks():\n"
        "    pytest.skip('needs no-such-program')\n"
    )
    output = run_house(tmp_path, test_one=one, test_two="def test_there():\n    pass\n")
    assert "needs no-such-program:\n  test_one.py::test_lacks" in output
    assert output.rstrip().splitlines()[-1].strip("= ").startswith("21 passed, 1 skipped")


def test_serial_tests_of_two_files_never_meet(tmp_path):
    """Each holds a mark for a while; none may find another's."""
    text = (
        "import pathlib, pytest, time\n"
        "pytestmark = pytest.mark.serial\n"
        f"mark = pathlib.Path({str(tmp_path / 'mark')!r})\n"
        "@pytest.fixture(scope='module')\n"
        "def alone():\n"
        "    mark.touch(exist_ok=False)\n"
        "    time.sleep(1)\n"
        "    yield\n"
        "    mark.unlink()\n"
        "def test_first(alone):\n"
        "    time.sleep(0.3)\n"
        "def test_second(alone):\n"
        "    time.sleep(0.3)\n"
    )
    assert "4 passed" in run_house(tmp_path, test_one=text, test_two=text)
